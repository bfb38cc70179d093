"""Orders of several agents: races and free-for-alls (``Rankings``), and ballots of voters (``Ballots``).

Both are weak orders, kept one after the other: who is named, best first, and at which place; equal places are ties.
They differ in what an agent that is not named means: it was not in that race, and a voter may have put it last.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.options import check, choice
from equipoise.core.results import FloatArray, IntArray, frozen
from equipoise.core.wording import Option
from equipoise.data.encode.arrays import as_numbers
from equipoise.data.encode.labels import Codes, Factor, unique_names
from equipoise.data.types.accounts import Account, shown

Unnamed = Literal["apart", "last"]
"""What an agent means that a ballot does not name: it is not compared, or it is below all that are named."""
WORST_PLACE = 1e12
"""Places beyond this are no places."""


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Weak orders over agents, one after the other.

    Attributes
    ----------
    agents
        Names, in the data's own order.
    start
        Where each order begins in ``who``; one more number than there are orders.
    who
        Codes into ``agents``, best first within each order.
    place
        Place of each of them, 0 for the first group; equal places are ties.
    weight
        How often each order counts.
    diagnostics
        What happened on the way here.
    account
        What became of the rows and columns of the file behind them; None where there was no file.
    """

    agents: tuple[str, ...]
    start: IntArray
    who: Codes
    place: Codes
    weight: FloatArray
    diagnostics: tuple[Diagnostic, ...] = ()
    account: Account | None = None

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def sizes(self) -> IntArray:
        """How many agents each order names."""
        return np.diff(self.start)

    @property
    def rows(self) -> IntArray:
        """The order that each entry of ``who`` belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @classmethod
    def _from_codes(
        cls, agents: tuple[str, ...], game: npt.NDArray[np.integer], who: Codes, place: FloatArray,
        weight: FloatArray, what: str,
    ) -> Self:  # fmt: skip
        """Take one entry for each agent that an order names: the order's number, the agent and its place."""
        twice = _repeated(game, who, len(agents))
        if twice is not None:
            raise DataError(f"{what} {twice[0] + 1:,} names {agents[twice[1]]} more than once")
        if len(agents) < 2:
            raise DataError(f"there is one agent only ({some_of(agents)}): nothing to compare")
        order = np.lexsort((place, game))
        game, who, place = game[order], who[order], place[order]
        new = np.ones(len(game), dtype=bool)
        new[1:] = game[1:] != game[:-1]
        above = np.cumsum(np.concatenate([[False], (place[1:] != place[:-1]) & ~new[1:]]))
        start = np.searchsorted(game, np.arange(len(weight) + 1))
        level = above - above[np.minimum(start[:-1], len(above) - 1)][game]
        return cls(agents, frozen(start, np.int64), frozen(who, np.int32), frozen(level, np.int32), frozen(weight))

    def take(self, orders: npt.ArrayLike) -> Self:
        """Give these orders (positions, with repeats: a resample); agents stay the same."""
        chosen = np.arange(len(self))[np.asarray(orders)]
        sizes = self.sizes[chosen]
        start = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.arange(start[-1]) - np.repeat(start[:-1] - self.start[chosen], sizes)
        return replace(
            self, start=frozen(start, np.int64), who=frozen(self.who[entries]), place=frozen(self.place[entries]),
            weight=frozen(self.weight[chosen]),
        )  # fmt: skip

    def named(self, row: int) -> tuple[tuple[str, ...], ...]:
        """Give one order as groups of names, best first."""
        inside = slice(self.start[row], self.start[row + 1])
        who, place = self.who[inside], self.place[inside]
        return tuple(tuple(self.agents[i] for i in who[place == level]) for level in np.unique(place))


@dataclass(frozen=True, slots=True, eq=False)
class Rankings(Orders):
    """Games of several players, each with the place of everybody who took part.

    Attributes
    ----------
    games
        Names of the games, in the order of their first rows.
    group
        Cluster of each game, such as the set of paired games that it belongs to; None where games are independent.

    See :class:`Orders` for the others.
    """

    kind: ClassVar[str] = "rankings"

    games: tuple[str, ...] = ()
    group: Factor | None = None

    def take(self, orders: npt.ArrayLike) -> Self:
        """Give these games (positions, with repeats: a resample), each in its cluster; agents stay the same."""
        taken, kept = Orders.take(self, orders), self.group
        return replace(taken, group=None if kept is None else Factor(kept.labels, kept.codes[np.asarray(orders)]))

    def __repr__(self) -> str:
        return shown("Rankings", [f"{len(self):,} games", f"{len(self.agents):,} agents"], self.agents)

    @classmethod
    def from_columns(
        cls, game: Iterable[object], player: Iterable[object], place: npt.ArrayLike, *, points: bool = False
    ) -> "Rankings":
        """Take one row for each player of each game; the lowest place is the best, equal places tie.

        ``points=True`` says that the numbers are points: the highest is the best.

        >>> Rankings.from_columns(["r1"] * 3 + ["r2"] * 2, ["a", "b", "c", "c", "a"], [1, 2, 2, 1, 2]).named(0)
        (('a',), ('b', 'c'))
        """
        games, players = Factor.of(game), Factor.of(player)
        places = as_numbers(place, "places")
        if not len(games.codes) == len(players.codes) == len(places):
            raise DataError("game, player and place are columns of one length")
        if not len(places):
            raise DataError("there are no games")
        if not np.isfinite(places).all() or np.abs(places).max() > WORST_PLACE:
            bad = np.flatnonzero(~np.isfinite(places) | (np.abs(places) > WORST_PLACE)) + 1
            raise DataError(f"a place must be a finite number; it is not in rows {some_of(bad)}")
        return cls.from_factors(games, players, -places if points else places)

    @classmethod
    def from_factors(cls, games: Factor, players: Factor, places: FloatArray) -> "Rankings":
        """Take columns that are coded already."""
        weight = np.ones(len(games.labels))
        made = cls._from_codes(players.labels, games.codes, players.codes, places, weight, "game")
        return replace(made, games=games.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Ballots(Orders):
    """Ranked ballots: each voter's weak order over agents.

    Attributes
    ----------
    unnamed
        What an agent means that a ballot does not name: ``apart``, it is not compared there, or ``last``, it is below
        all that are named.

    See :class:`Orders` for the others.
    """

    kind: ClassVar[str] = "ballots"

    unnamed: Unnamed = "apart"

    def __repr__(self) -> str:
        facts = [f"{self.weight.sum():,.15g} ballots", f"{len(self.agents):,} agents"]
        return shown("Ballots", facts, self.agents)

    @classmethod
    def from_orders(
        cls,
        orders: Iterable[Iterable[object]],
        weights: npt.ArrayLike | None = None,
        *,
        agents: Iterable[object] | None = None,
        unnamed: Unnamed = "apart",
    ) -> "Ballots":
        """Take lists of names, best first; a group in a list of its own is tied.

        Parameters
        ----------
        orders
            One ballot each: names, and tuples or lists of names that are tied; a text is one name a letter.
        weights
            How often each ballot was cast.
        agents
            Who stands for election, where ballots do not name everybody.
        unnamed
            As the attribute.

        >>> Ballots.from_orders(["abc", ["b", ("a", "c")]], weights=[2, 1]).named(1)
        (('b',), ('a', 'c'))
        """
        check(choice("apart", "last"), "unnamed", unnamed)
        rows = [[_group(group) for group in order] for order in orders]
        if not rows:
            raise DataError("there are no ballots")
        known = {} if agents is None else {name: k for k, name in enumerate(unique_names(agents, "agent"))}
        entries = [(v, name, k) for v, row in enumerate(rows) for k, group in enumerate(row) for name in group]
        if agents is None:
            known = {name: k for k, name in enumerate(dict.fromkeys(name for _, name, _ in entries))}
        strange = [name for _, name, _ in entries if name not in known]
        if strange:
            raise DataError(f"ballots name {some_of(strange)}, who is not among the agents")
        game, who, place = (np.array(column) for column in zip(*((v, known[n], k) for v, n, k in entries), strict=True))
        made = cls._from_codes(tuple(known), game, who, place.astype(float), _weights(weights, len(rows)), "ballot")
        return replace(made, unnamed=unnamed)

    @classmethod
    def from_levels(
        cls,
        agents: tuple[str, ...],
        levels: FloatArray,
        weights: npt.ArrayLike | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        account: Account | None = None,
        unnamed: Unnamed = "apart",
    ) -> "Ballots":
        """Take a number for each ballot and agent, the lowest the best; NaN where a ballot does not name an agent."""
        ballot, who = np.nonzero(~np.isnan(levels))
        if not len(who):
            raise DataError("the ballots name nobody")
        made = cls._from_codes(
            agents, ballot, who.astype(np.int32), levels[ballot, who], _weights(weights, len(levels)), "ballot"
        )
        return replace(made, diagnostics=diagnostics, account=account, unnamed=unnamed)

    def levels(self) -> FloatArray:
        """Give the place of each agent on each ballot: NaN where it is not named, or one below all that are."""
        table = np.full((len(self), len(self.agents)), np.nan)
        table[self.rows, self.who] = self.place
        if self.unnamed == "last":
            below = np.nanmax(np.where(np.isnan(table), -1.0, table), axis=1, keepdims=True) + 1.0
            table = np.where(np.isnan(table), below, table)
        return table


def _group(group: object) -> tuple[str, ...]:
    if isinstance(group, Mapping):
        raise DataError("a ballot is a list of names, best first, and of groups of names that are tied")
    names = group if isinstance(group, Sequence | set | frozenset) and not isinstance(group, str) else (group,)
    return unique_names(sorted(map(str, names)) if isinstance(names, set | frozenset) else names, "agent")


def _weights(weights: npt.ArrayLike | None, count: int) -> FloatArray:
    if weights is None:
        return np.ones(count)
    given = as_numbers(weights, "weights")
    if given.shape != (count,):
        raise ParameterError(Option("weights"), f" are one number for each of the {count:,} ballots")
    if not np.isfinite(given).all() or (given < 0).any() or not given.any():
        raise DataError("weights of ballots must be finite, at least 0, and not all 0")
    return given


def _repeated(game: npt.NDArray[np.integer], who: Codes, agents: int) -> tuple[int, int] | None:
    """Find an order that names an agent twice."""
    cells, often = np.unique(game.astype(np.int64) * agents + who, return_counts=True)
    if (often < 2).all():
        return None
    row, agent = divmod(int(cells[often > 1][0]), agents)
    return row, agent
