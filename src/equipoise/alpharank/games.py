"""What alpha-Rank reads: a meta-game, a pair table or matches, as payoff tables with the names of profiles."""

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable

Complete = Literal["bradley-terry", "melo"]


@dataclass(frozen=True, slots=True, eq=False)
class PayoffTables:
    """Payoff tables, one for a single population; ``table`` is the pair table they came from, if any.

    ``payoffs`` hold NaN where a pair never met (only possible for a pair table).
    """

    payoffs: tuple[FloatArray, ...]
    profiles: tuple[str, ...]
    shape: tuple[int, ...]
    table: PairTable | None = None
    unmet: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def incomplete(self) -> bool:
        """Whether some payoff is unknown."""
        return any(bool(np.isnan(payoff).any()) for payoff in self.payoffs)

    def check_complete(self, advice: Advice) -> None:
        """Refuse a game in which some payoff is unknown."""
        if self.incomplete:
            raise DataError(f"{_unmet(self.unmet)}: there is no response graph without them", advice=[advice])


def game_of(data: MetaGame | PairTable | Matches, complete: Complete | None = None) -> PayoffTables:
    """Read the payoffs; win rates are the payoffs of a pair table."""
    if isinstance(data, MetaGame):
        return _from_metagame(data)
    table = data.pairs(by_group=data.group is not None) if isinstance(data, Matches) else data
    rates = table.probabilities()
    notes = list(table.diagnostics)
    gaps = np.argwhere(np.triu(np.isnan(rates)))
    unmet = tuple(f"{table.agents[i]} vs {table.agents[j]}" for i, j in gaps)
    if unmet and complete is not None:
        rates = np.where(np.isnan(rates), _predicted(table, complete), rates)
        source = "Bradley-Terry ratings" if complete == "bradley-terry" else "mElo"
        notes.append(info("completed-table", f"{_unmet(unmet)}; filled from {source}.", unmet))
    elif unmet:
        message = f"{_unmet(unmet)}: alpha-Rank is not defined without them."
        advice = [Advice("fill them in with ", Option("complete", "bradley-terry"))]
        notes.append(warning("incomplete-table", message, unmet, advice=advice))
    return PayoffTables((rates,), table.agents, (len(table.agents),), table, unmet, tuple(notes))


def profile_names(strategies: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Name every profile: the strategy itself in one population, ``(a, x)`` in several."""
    if len(strategies) == 1:
        return strategies[0]
    return tuple(f"({', '.join(names)})" for names in itertools.product(*strategies))


def _from_metagame(game: MetaGame) -> PayoffTables:
    for number, names in enumerate(game.strategies, start=1):
        if len(names) < 2:
            raise DataError(
                f"population {number} has the single strategy {names[0]}, so there is no deviation to compare; "
                "drop that population or give it another strategy"
            )
    return PayoffTables(game.payoffs, profile_names(game.strategies), game.shape, diagnostics=game.diagnostics)


def _predicted(table: PairTable, complete: Complete) -> FloatArray:
    if complete == "melo":
        from equipoise.ratings.online.melo import melo

        return melo(table).predict()
    from equipoise.ratings.paired.bradley_terry import bradley_terry

    rating = bradley_terry(table).rating
    return np.asarray(scipy.special.expit(rating[:, None] - rating[None, :]))


def _unmet(pairs: tuple[str, ...]) -> str:
    return f"{len(pairs)} pair{'s' if len(pairs) > 1 else ''} never met ({some_of(pairs)})"
