"""Episodes: what each agent won in each seat of each deal, with control values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray, FrozenMap, frozen
from equipoise.data.encode.arrays import as_numbers
from equipoise.data.encode.distinct import distinct
from equipoise.data.encode.labels import Factor, refuse_nameless
from equipoise.data.types.accounts import Account, shown


@dataclass(frozen=True, slots=True, eq=False)
class Episodes:
    """One row per agent, deal and seat.

    Attributes
    ----------
    agent, deal
        Codes and labels. Rows that share a deal saw the same luck.
    utility
        What the agent won.
    seat
        Codes and labels of the seat, or None.
    hand
        Codes and labels of the hand (one play of a deal by everybody at the table), or None.
    controls
        Control values by name, one per row (NaN where unknown).
    account
        What became of the rows and columns of the file behind them; None where there was no file.
    """

    kind: ClassVar[str] = "episodes"

    agent: Factor
    deal: Factor
    utility: FloatArray
    seat: Factor | None = None
    hand: Factor | None = None
    controls: Mapping[str, FloatArray] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    account: Account | None = None

    @classmethod
    def from_columns(
        cls,
        agent: Iterable[object],
        deal: Iterable[object],
        utility: npt.ArrayLike,
        *,
        seat: Iterable[object] | None = None,
        hand: Iterable[object] | None = None,
        controls: Mapping[str, npt.ArrayLike] | None = None,
    ) -> "Episodes":
        """Take columns of equal length.

        >>> e = Episodes.from_columns(["x", "y"], ["d1", "d1"], [1.0, -1.0], seat=[0, 1])
        >>> e.agents, len(e)
        (('x', 'y'), 2)
        """
        names = {"agent": agent, "deal": deal, "seat": seat, "hand": hand}
        given = {name: distinct(column, name) for name, column in names.items() if column is not None}
        refuse_nameless(given)
        coded = {name: Factor.of(column) for name, column in given.items()}
        return cls.from_factors(
            coded["agent"],
            coded["deal"],
            _column(utility, "utility"),
            seat=coded.get("seat"),
            hand=coded.get("hand"),
            controls={name: _column(values, f"control {name}") for name, values in (controls or {}).items()},
        )

    @classmethod
    def from_factors(
        cls,
        agent: Factor,
        deal: Factor,
        utility: FloatArray,
        *,
        seat: Factor | None = None,
        hand: Factor | None = None,
        controls: Mapping[str, FloatArray] | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        account: Account | None = None,
    ) -> "Episodes":
        """Take coded columns; check lengths and values."""
        rows = len(utility)
        if rows == 0:
            raise DataError("no episodes: the table is empty")
        coded = {"agent": agent, "deal": deal, "seat": seat, "hand": hand}
        lengths = {name: len(column.codes) for name, column in coded.items() if column is not None}
        lengths |= {name: len(values) for name, values in (controls or {}).items()}
        uneven = [name for name, length in lengths.items() if length != rows]
        if uneven:
            raise DataError(f"columns of different length than utility ({rows:,} rows): {some_of(uneven)}")
        bad = np.flatnonzero(~np.isfinite(utility))
        if len(bad):
            raise DataError(f"utility missing or infinite in rows {some_of(bad + 1)}")
        known = {name: frozen(values, float) for name, values in (controls or {}).items()}
        for name, values in known.items():
            if np.isinf(values).any():
                raise DataError(f"control {name} is infinite in rows {some_of(np.flatnonzero(np.isinf(values)) + 1)}")
        return cls(agent, deal, frozen(utility), seat, hand, FrozenMap(known), diagnostics, account)

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents, in order of first appearance."""
        return self.agent.labels

    def __len__(self) -> int:
        return len(self.utility)

    def __repr__(self) -> str:
        facts = [f"{len(self):,} rows", f"{len(self.deal.labels):,} deals", f"{len(self.agents):,} agents"]
        there = {"seats": self.seat, "hands": self.hand} | {f"control {name}": name for name in self.controls}
        return shown("Episodes", facts, self.agents, there)


def _column(values: npt.ArrayLike, what: str) -> FloatArray:
    array = as_numbers(values, what)
    if array.ndim != 1:
        raise DataError(f"{what} is one column of numbers, not an array of shape {array.shape}")
    return array
