"""Matches: agent against agent, in the order played."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.data.labels import Codes, Factor, encode
from equipoise.data.outcomes import OUTCOME_WORDS, outcome_score
from equipoise.data.pairs import PairTable
from equipoise.diagnostics import Diagnostic
from equipoise.errors import DataError, did_you_mean, some_of
from equipoise.results import FloatArray, IntArray, frozen

__all__ = ["Matches"]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """A log of matches, one row each, or counts of equal matches through ``weight``.

    Attributes
    ----------
    agents
        Names, in order of first appearance.
    a, b
        Codes into ``agents``; ``a`` is the first-named side (first move, home, left).
    outcome
        Score of ``a`` in [0, 1]; 1/2 is a tie.
    weight
        How often the row happened (a frequency), or None for once each.
    task, group
        What was played; who judged or when (matches of one group are not independent).
    time
        Sortable times, or None; methods in which order counts go by time where there is one.
    ordered
        False where the rows are counts, whose order says nothing.
    """

    kind: ClassVar[str] = "matches"

    agents: tuple[str, ...]
    a: Codes
    b: Codes
    outcome: FloatArray
    weight: FloatArray | None = None
    task: Factor | None = None
    group: Factor | None = None
    time: npt.NDArray[np.generic] | None = None
    ordered: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def from_columns(
        cls,
        a: Iterable[object],
        b: Iterable[object],
        outcome: Iterable[object],
        weight: Iterable[float] | None = None,
        task: Iterable[object] | None = None,
        group: Iterable[object] | None = None,
        time: Iterable[object] | None = None,
    ) -> "Matches":
        """Take columns of equal length; outcomes are numbers in [0, 1], words, or the winner's name.

        >>> Matches.from_columns(["x", "y"], ["y", "z"], ["a", "draw"]).outcome.tolist()
        [1.0, 0.5]
        """
        columns = [list(a), list(b), list(outcome)]
        if len({len(column) for column in columns}) > 1:
            raise DataError(f"a, b and outcome differ in length: {', '.join(str(len(c)) for c in columns)}")
        _refuse_missing_names(columns[0], columns[1])
        agents, (code_a, code_b) = encode(columns[:2])
        scores = np.array([_score(*row) for row in zip(*columns, range(len(columns[0])), strict=True)], dtype=float)
        return cls.from_codes(
            agents,
            code_a,
            code_b,
            scores,
            weight=None if weight is None else np.array(list(weight), dtype=float),
            task=None if task is None else Factor.of(task),
            group=None if group is None else Factor.of(group),
            time=None if time is None else np.array(list(time)),
        )

    @classmethod
    def from_codes(
        cls,
        agents: tuple[str, ...],
        a: Codes,
        b: Codes,
        outcome: FloatArray,
        *,
        weight: FloatArray | None = None,
        task: Factor | None = None,
        group: Factor | None = None,
        time: npt.NDArray[np.generic] | None = None,
        ordered: bool = True,
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> "Matches":
        """Take codes that are already known to point into ``agents``; the rest is checked."""
        _check(agents, a, b, outcome, weight)
        for name, column in (("task", task), ("group", group)):
            if column is not None and len(column.codes) != len(a):
                raise DataError(f"{name} has {len(column.codes):,} rows, the matches have {len(a):,}")
        if time is not None and len(time) != len(a):
            raise DataError(f"time has {len(time):,} rows, the matches have {len(a):,}")
        return cls(
            agents,
            frozen(a, np.int32),
            frozen(b, np.int32),
            frozen(outcome),
            None if weight is None else frozen(weight),
            task,
            group,
            time,
            ordered,
            diagnostics,
        )

    def __len__(self) -> int:
        return len(self.a)

    @property
    def weights(self) -> FloatArray:
        """The weight of each row, 1 where none was given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def order(self) -> IntArray:
        """Positions of the rows in order of time (stable), or as they are."""
        if self.time is None:
            return np.arange(len(self))
        return np.argsort(self.time, kind="stable")

    def take(self, rows: IntArray) -> "Matches":
        """Give the matches at these positions (with repeats: a resample); agents stay the same."""
        return Matches(
            self.agents,
            self.a[rows],
            self.b[rows],
            self.outcome[rows],
            None if self.weight is None else self.weight[rows],
            None if self.task is None else Factor(self.task.labels, self.task.codes[rows]),
            None if self.group is None else Factor(self.group.labels, self.group.codes[rows]),
            None if self.time is None else self.time[rows],
            self.ordered,
            self.diagnostics,
        )

    def pairs(self, by_group: bool = False) -> PairTable:
        """Count wins, losses and ties of each ordered pair (within each group if asked).

        An outcome between a win and a tie, such as 0.7, counts as 0.7 of a win and 0.3 of a loss.
        """
        return PairTable.from_outcomes(
            self.agents,
            self.a,
            self.b,
            self.outcome,
            self.weights,
            group=self.group if by_group else None,
            diagnostics=self.diagnostics,
        )


def _score(a: object, b: object, outcome: object, row: int) -> float:
    if isinstance(outcome, str):
        word = outcome.strip()
        by_name = 1.0 if word == a else 0.0 if word == b else None
        by_word = outcome_score(word)
        if by_name is not None and by_word is not None and by_name != by_word:
            raise DataError(
                f"row {row + 1}: outcome \"{word}\" is both a side's word and an agent's name; use 1, 0.5, 0"
            )
        score = by_word if by_name is None else by_name
        if score is None:
            raise DataError(f'row {row + 1}: unknown outcome "{word}"{did_you_mean(word, list(OUTCOME_WORDS))}')
        return score
    if outcome is None or isinstance(outcome, bool | np.bool_):
        return float("nan") if outcome is None else float(outcome)
    if not isinstance(outcome, int | float | np.number):
        raise DataError(f"row {row + 1}: an outcome is a number or a word, not a {type(outcome).__name__}")
    return float(outcome)


def _nameless(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value)) or not str(value).strip()


def _refuse_missing_names(*columns: list[object]) -> None:
    for name, column in zip("ab", columns, strict=True):
        empty = [i + 1 for i, value in enumerate(column) if _nameless(value)]
        if empty:
            raise DataError(f"column {name} has no name in rows {some_of(empty)}")


def _check(agents: tuple[str, ...], a: Codes, b: Codes, outcome: FloatArray, weight: FloatArray | None) -> None:
    if len(a) == 0:
        raise DataError("no matches: nothing can be rated")
    selfish = np.flatnonzero(a == b)
    if len(selfish):
        who = some_of(sorted({agents[code] for code in a[selfish[:1000]]}))
        raise DataError(f"a match of an agent against itself in rows {some_of(selfish + 1)} ({who}); drop them")
    bad = np.flatnonzero(~((outcome >= 0) & (outcome <= 1)))
    if len(bad):
        raise DataError(f"outcome missing or outside [0, 1] in rows {some_of(bad + 1)}")
    if weight is None:
        return
    if len(weight) != len(a):
        raise DataError(f"weight has {len(weight):,} rows, the matches have {len(a):,}")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise DataError(f"weight negative, missing or infinite in rows {some_of(bad + 1)}; weights are frequencies")
    if not weight.any():
        raise DataError("all weights are 0: nothing can be rated")
