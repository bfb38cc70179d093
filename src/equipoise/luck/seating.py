"""Who sat where: hands, seats, and the rows that belong to an agent, a pair or a team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from equipoise.data.episodes import Episodes
from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import DataError, ParameterError, did_you_mean, some_of

By = Literal["agent", "pair", "team"]
Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SEAT_P_VALUE = 1e-3
"""Seats less balanced than this are not believed to have been drawn with equal chances."""

DOUBTFUL_P_VALUE = 0.05
"""Seats less balanced than this, over all rows of a table, deserve a warning."""


@dataclass(frozen=True, slots=True)
class Units:
    """Rows grouped for estimation: ``rows`` indexes the episodes, unit ``u`` owns ``rows[start[u]:start[u + 1]]``."""

    labels: tuple[str, ...]
    rows: Codes
    start: Codes

    def __len__(self) -> int:
        return len(self.labels)

    def of(self, unit: int) -> Codes:
        """The rows of one unit."""
        return self.rows[self.start[unit] : self.start[unit + 1]]


def check_episodes(e: object, who: str) -> None:
    """Refuse other kinds of data."""
    if not isinstance(e, Episodes):
        raise DataError(f"{who} takes episodes (dealt hands), not {type(e).__name__}; see read_episodes")


def hand_codes(e: Episodes) -> Codes:
    """One code for each hand (one play of a deal).

    Where a deal's seat comes more than once (no hands are given, or they number the deals), the first rows of the seats
    make the first hand, the second rows the second, and so on; that is right for tables written hand by hand.
    """
    if e.hand is None and e.seat is None:
        raise DataError(
            "the table has neither hands nor seats, so nobody knows who met whom; give a seat or a hand column"
        )
    hand = e.deal.codes.astype(np.int64)
    if e.hand is not None:
        hand = _dense(hand * len(e.hand.labels) + e.hand.codes)
    if e.seat is None:
        return hand
    turn = _occurrence(hand * len(e.seat.labels) + e.seat.codes)
    return _dense(hand * (int(turn.max()) + 1) + turn) if turn.any() or e.hand is None else hand


def self_play(e: Episodes, hand: Codes) -> Mask:
    """Rows of hands in which every seat was the same agent."""
    first = np.zeros(int(hand.max()) + 1, dtype=np.int64)
    first[hand[::-1]] = e.agent.codes[::-1]
    mixed = np.bincount(hand, weights=e.agent.codes != first[hand]) > 0
    several = np.bincount(hand) > 1
    return np.asarray((several & ~mixed)[hand])


def between_agents(e: Episodes) -> Mask:
    """Rows that say something about an agent: not its own self-play, where the table says which hands that were.

    A table in which nobody ever meets anybody else holds one side of each hand, not self-play: all of it counts.
    """
    everything = np.ones(len(e), dtype=bool)
    if e.hand is None:
        return everything
    others = ~self_play(e, hand_codes(e))
    return others if others.any() else everything


def units(e: Episodes, by: By, teams: Mapping[str, str] | None, keep: Mask) -> Units:
    """Group the kept rows by agent, pair or team."""
    if (by == "team") != (teams is not None):
        raise ParameterError('give teams={agent: team} together with by="team"')
    rows = np.flatnonzero(keep)
    if by == "agent":
        return _grouped(e.agents, e.agent.codes[rows].astype(np.int64), rows)
    if by == "pair":
        return _pairs(e, rows)
    if by == "team" and teams is not None:
        return _teams(e, teams, rows)
    raise ParameterError(f'by must be "agent", "pair" or "team", not {by!r}')


def check_seats(e: Episodes, grouped: Units) -> tuple[Diagnostic, ...]:
    """Refuse to believe E[Y] = 0 where seats were clearly not shared out equally; warn where that is doubtful."""
    if e.seat is None:
        raise DataError(
            "E[Y] = 0 holds only if every seat is equally likely, and the table has no seats to check that; "
            "give a seat column, or mean= if you know the control's expectation"
        )
    seats = len(e.seat.labels)
    if seats < 2:
        raise DataError(
            f'every row is in seat "{e.seat.labels[0]}": seats were never swapped, so E[Y] = 0 does not hold; '
            "give mean= (the control's expected value in that seat)"
        )
    doubtful = []
    every = [np.bincount(e.seat.codes[grouped.of(unit)], minlength=seats) for unit in range(len(grouped))]
    if all((counts > 0).sum() == 1 for counts in every) and max(counts.sum() for counts in every) > 1:
        raise DataError(
            "everybody always sat in the same seat: seats were never swapped, so E[Y] = 0 does not hold; "
            "give mean= (the control's expected value in each seat)"
        )
    for label, counts in zip(grouped.labels, every, strict=True):
        if (p := _balance(counts)) < SEAT_P_VALUE:
            top = int(np.argmax(counts))
            raise DataError(
                f'{label} sat in seat "{e.seat.labels[top]}" in {counts[top]:,} of {counts.sum():,} hands (p = '
                f"{p:.1g} if seats were "
                "drawn equally), so E[Y] = 0 does not hold; swap the seats, or give mean= for each seat"
            )
        if p < DOUBTFUL_P_VALUE / len(grouped):
            doubtful.append(label)
    if not doubtful:
        return ()
    text = (
        f"{some_of(doubtful)}: seats are uneven, and E[Y] = 0 rests on equal chances for every seat; beware if they "
        "were not drawn."
    )
    return (warning("seats-uneven", text, doubtful),)


def _balance(counts: Codes) -> float:
    """The p-value of equal chances for every seat."""
    import scipy

    expected = counts.sum() / len(counts)
    statistic = float(((counts - expected) ** 2).sum() / expected)
    return float(scipy.special.chdtrc(len(counts) - 1, statistic))


def _pairs(e: Episodes, rows: Codes) -> Units:
    """Each kept row once for every opponent at its table."""
    hand = hand_codes(e)[rows]
    order = np.argsort(hand, kind="stable")
    rows, hand, agent = rows[order], hand[order], e.agent.codes[rows][order].astype(np.int64)
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
    size = len(e.agents)
    labels = tuple(f"{one} vs {two}" for one in e.agents for two in e.agents)
    return _grouped(labels, agent[first] * size + agent[second], rows[first])


def _teams(e: Episodes, teams: Mapping[str, str], rows: Codes) -> Units:
    unknown = [name for name in teams if name not in e.agents]
    if unknown:
        raise ParameterError(
            f"teams name agents that are not in the table: {some_of(unknown)}{did_you_mean(unknown[0], e.agents)}"
        )
    labels = tuple(dict.fromkeys(teams.values()))
    team = np.array([labels.index(teams[name]) if name in teams else -1 for name in e.agents], dtype=np.int64)
    codes = team[e.agent.codes[rows]]
    return _grouped(labels, codes[codes >= 0], rows[codes >= 0])


def _grouped(labels: Sequence[str], codes: Codes, rows: Codes) -> Units:
    """Sort rows by unit; units without rows are left out."""
    counts = np.bincount(codes, minlength=len(labels))
    used = np.flatnonzero(counts)
    if not len(used):
        raise DataError("no hands are left to estimate anything from")
    start = np.concatenate([[0], np.cumsum(counts[used])])
    return Units(tuple(labels[int(code)] for code in used), rows[np.argsort(codes, kind="stable")], start)


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
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
