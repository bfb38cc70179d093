"""Who sat where: hands, seats, and the rows that belong to an agent, a pair or a team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.types.episodes import Episodes

By = Literal["agent", "pair", "team"]
Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_Kind = TypeVar("_Kind", bound=np.generic)

SEAT_P_VALUE = 1e-3
"""Seats less balanced than this are not believed to have been drawn with equal chances."""

LONG = 300_000
"""Rows from which loading compiled loops is worth its time."""

MEAN = Advice("give the control's expectation, for each seat, with ", Option("mean"))
"""What to do where E[Y] = 0 does not hold."""

DOUBTFUL_P_VALUE = 0.05
"""Seats less balanced than this, over all rows of a table, deserve a warning."""


@dataclass(frozen=True)
class Units:
    """Rows of episodes grouped for estimation: entry ``k`` is row ``kept[k]`` (all in turn if None) of ``whose[k]``."""

    labels: tuple[str, ...]
    whose: npt.NDArray[np.int32]
    kept: Codes | None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def every(self) -> bool:
        """Whether each row of the episodes is there, once and in turn."""
        return self.kept is None

    @cached_property
    def rows(self) -> Codes:
        """The rows, sorted by unit."""
        # Short codes are sorted by counting them.
        short = self.whose.astype(np.uint16) if len(self.labels) <= 1 << 16 else self.whose
        order = np.argsort(short, kind="stable")
        return order if self.kept is None else self.kept[order]

    @cached_property
    def _start(self) -> Codes:
        return np.concatenate([[0], np.cumsum(np.bincount(self.whose, minlength=len(self.labels)))])

    def of(self, unit: int) -> Codes:
        """The rows of one unit."""
        return self.rows[self._start[unit] : self._start[unit + 1]]

    def entries(self, column: npt.NDArray[_Kind]) -> npt.NDArray[_Kind]:
        """A column of the episodes, for each entry."""
        return column if self.kept is None else column[self.kept]

    def seat_counts(self, seat: npt.NDArray[np.int32], seats: int) -> Codes:
        """How often each unit sat in each seat (units x seats)."""
        cell = self.whose.astype(np.int64) * seats + self.entries(seat)
        return np.bincount(cell, minlength=len(self) * seats).reshape(len(self), seats)


def hand_codes(data: Episodes) -> Codes:
    """One code for each hand (one play of a deal).

    Where a deal's seat comes more than once (no hands are given, or they number the deals), the first rows of the seats
    make the first hand, the second rows the second, and so on; that is right for tables written hand by hand.
    """
    if data.hand is None and data.seat is None:
        raise DataError(
            "the table has neither hands nor seats, so nobody knows who met whom; give a seat or a hand column"
        )
    hand: Codes = data.deal.codes.astype(np.int64)
    if data.hand is not None:
        hand = _dense(hand * len(data.hand.labels) + data.hand.codes)
    if data.seat is None:
        return hand
    turn = _occurrence(hand * len(data.seat.labels) + data.seat.codes)
    return _dense(hand * (int(turn.max()) + 1) + turn) if turn.any() or data.hand is None else hand


def self_play(data: Episodes, hand: Codes) -> Mask:
    """Rows of hands in which every seat was the same agent."""
    first = np.zeros(int(hand.max()) + 1, dtype=np.int64)
    first[hand[::-1]] = data.agent.codes[::-1]
    mixed = np.bincount(hand, weights=data.agent.codes != first[hand]) > 0
    several = np.bincount(hand) > 1
    return np.asarray((several & ~mixed)[hand])


def between_agents(data: Episodes) -> Mask:
    """Rows that say something about an agent: not its own self-play, where the table says which hands that were.

    A table in which nobody ever meets anybody else holds one side of each hand, not self-play: all of it counts.
    """
    everything = np.ones(len(data), dtype=bool)
    if data.hand is None:
        return everything
    others = ~self_play(data, hand_codes(data))
    return others if others.any() else everything


def units(data: Episodes, by: By, teams: Mapping[str, str] | None, keep: Mask) -> Units:
    """Group the rows marked in ``keep`` by agent, pair or team."""
    if (by == "team") != (teams is not None):
        raise ParameterError(Option("by", "team"), " and ", Option("teams"), " (the team of each agent) go together")
    if by == "agent" and keep.all():
        return _grouped(data.agents, data.agent.codes, None)
    rows = np.flatnonzero(keep)
    if by == "agent":
        return _grouped(data.agents, data.agent.codes[rows], rows)
    if by == "pair":
        return _pairs(data, rows)
    return _teams(data, teams, rows)


def check_seats(data: Episodes, grouped: Units) -> tuple[Diagnostic, ...]:
    """Refuse to believe E[Y] = 0 where seats were clearly not shared out equally; warn where that is doubtful."""
    if data.seat is None:
        raise DataError(
            "E[Y] = 0 holds only if every seat is equally likely, and the table has no seats to check that; "
            "give a seat column",
            advice=[Advice("or the control's expectation with ", Option("mean"))],
        )
    seats = len(data.seat.labels)
    if seats < 2:
        raise DataError(
            f'every row is in seat "{data.seat.labels[0]}": seats were never swapped, so E[Y] = 0 does not hold',
            advice=[MEAN],
        )
    doubtful = []
    every = grouped.seat_counts(data.seat.codes, seats)
    if all((counts > 0).sum() == 1 for counts in every) and max(counts.sum() for counts in every) > 1:
        raise DataError(
            "everybody always sat in the same seat: seats were never swapped, so E[Y] = 0 does not hold", advice=[MEAN]
        )
    for label, counts in zip(grouped.labels, every, strict=True):
        if (p := _balance(counts)) < SEAT_P_VALUE:
            top = int(np.argmax(counts))
            raise DataError(
                f'{label} sat in seat "{data.seat.labels[top]}" in {counts[top]:,} of {counts.sum():,} hands (p = '
                f"{p:.1g} if seats were drawn equally), so E[Y] = 0 does not hold; swap the seats",
                advice=[MEAN],
            )
        if p < DOUBTFUL_P_VALUE / len(grouped):
            doubtful.append(label)
    if not doubtful:
        return ()
    text = (
        f"{some_of(doubtful)}: seats are uneven, and E[Y] = 0 rests on equal chances for every seat; intervals are "
        "wrong if they were not drawn."
    )
    return (warning("seats-uneven", text, doubtful),)


def _balance(counts: Codes) -> float:
    """The p-value of equal chances for every seat."""
    import scipy

    expected = counts.sum() / len(counts)
    statistic = float(((counts - expected) ** 2).sum() / expected)
    return float(scipy.special.chdtrc(len(counts) - 1, statistic))


def _pairs(data: Episodes, rows: Codes) -> Units:
    """Each row once for every opponent at its table."""
    hand = hand_codes(data)[rows]
    order = np.argsort(hand, kind="stable")
    rows, hand, agent = rows[order], hand[order], data.agent.codes[rows][order].astype(np.int64)
    most = int(np.bincount(hand).max(initial=0))
    mine, theirs = [], []
    for step in range(1, most):
        here = np.flatnonzero(hand[step:] == hand[:-step])
        mine += [here, here + step]
        theirs += [here + step, here]
    if not mine or not sum(map(len, mine)):
        raise DataError("no two agents sat at the same table; pairs need the rows of everybody in a hand")
    first, second = np.concatenate(mine), np.concatenate(theirs)
    # Between two players one side tells everything; with more, what x wins beside y is not what y loses.
    wanted = agent[first] < agent[second] if most == 2 else agent[first] != agent[second]
    first, second = first[wanted], second[wanted]
    size = len(data.agents)
    labels = tuple(f"{one} vs {two}" for one in data.agents for two in data.agents)
    return _grouped(labels, agent[first] * size + agent[second], rows[first])


def _teams(data: Episodes, teams: Mapping[str, str] | None, rows: Codes) -> Units:
    if not isinstance(teams, Mapping):
        raise ParameterError(Option("teams"), f" gives the team of each agent by its name, not {teams!r}")
    unknown = [name for name in teams if name not in data.agents]
    if unknown:
        raise ParameterError(
            Option("teams"),
            f" name agents that are not in the table: {some_of(unknown)}{did_you_mean(str(unknown[0]), data.agents)}",
        )
    labels = tuple(dict.fromkeys(str(team) for team in teams.values()))
    team = np.array([labels.index(str(teams[name])) if name in teams else -1 for name in data.agents], dtype=np.int64)
    codes = team[data.agent.codes[rows]]
    return _grouped(labels, codes[codes >= 0], rows[codes >= 0])


def _grouped(labels: Sequence[str], codes: npt.NDArray[np.signedinteger], rows: Codes | None) -> Units:
    """Group rows (None for all) by code; units without rows are left out."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    if not len(used):
        raise DataError("no hands are left to estimate anything from")
    if len(used) < len(labels):
        place = np.full(len(labels), -1, dtype=np.int32)
        place[used] = np.arange(len(used))
        codes = place[codes]
    return Units(tuple(labels[int(code)] for code in used), codes.astype(np.int32, copy=False), rows)


def _occurrence(cell: Codes) -> Codes:
    """How many earlier rows have the same value."""
    order = np.argsort(cell, kind="stable")
    ranked = cell[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    begin = np.maximum.accumulate(np.where(first, np.arange(len(cell)), 0))
    seen = np.empty(len(cell), dtype=np.int64)
    seen[order] = np.arange(len(cell)) - begin
    return seen


def _dense(codes: Codes) -> Codes:
    """Codes from 0 without gaps."""
    size = int(codes.max(initial=0)) + 1
    if size <= 4 * len(codes):
        present = np.zeros(size, dtype=bool)
        present[codes] = True
        return codes if present.all() else (np.cumsum(present) - 1)[codes]
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
