"""Who holds the better hand: loops over cards, compiled by numba on first use and cached.

A card is a number, ``4 * rank + suit`` with ranks from the deuce and suits in the order cdhs, as in OpenSpiel. A set
of cards of one suit is a mask of 13 bits; with one mask a suit, pairs, triples and straights are a few operations on
bits. A score orders hands: the category, then the ranks that decide within it, then the kickers, each as a mask
(masks of equally many bits compare as their highest ranks do).
"""

import numba
import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray

Cards = npt.NDArray[np.int64]

RANKS = 13
COUNT = np.array([bin(mask).count("1") for mask in range(1 << RANKS)], dtype=np.int64)
HIGHEST = np.array([1 << (mask.bit_length() - 1) if mask else 0 for mask in range(1 << RANKS)], dtype=np.int64)
FIRST, SECOND = RANKS, 2 * RANKS
STRAIGHT_FLUSH, QUADS, FULL_HOUSE, FLUSH, STRAIGHT, TRIPS, TWO_PAIRS, PAIR = 8, 7, 6, 5, 4, 3, 2, 1


@numba.njit(cache=True)
def _straight(mask: int) -> int:
    """The lowest rank of the best straight as a bit (one place up, below the deuce is the ace), or 0."""
    wheel = (mask << 1) | (mask >> 12)
    run = wheel & (wheel >> 1) & (wheel >> 2) & (wheel >> 3) & (wheel >> 4)
    return int(HIGHEST[run & 0x1FFF]) if run else 0


@numba.njit(cache=True)
def _top(mask: int, ranks: int) -> int:
    """The highest so many ranks of a mask."""
    for _ in range(COUNT[mask] - ranks):
        mask &= mask - 1
    return mask


@numba.njit(cache=True)
def score_of_masks(c: int, d: int, h: int, s: int) -> int:
    """The score of up to seven cards, given the ranks held in each suit."""
    anything = c | d | h | s
    flush = 0
    for suit in (c, d, h, s):
        if COUNT[suit] >= 5:
            run = _straight(suit)
            if run:
                return (STRAIGHT_FLUSH << SECOND) | run
            flush = _top(suit, 5)
    four = c & d & h & s
    if four:
        return (QUADS << SECOND) | (four << FIRST) | int(HIGHEST[anything ^ four])
    three = (c & d & (h | s)) | (h & s & (c | d))
    two = (c & d) | (h & s) | ((c | d) & (h | s))
    trips = int(HIGHEST[three])
    if trips and two ^ trips:
        return (FULL_HOUSE << SECOND) | (trips << FIRST) | int(HIGHEST[two ^ trips])
    if flush:
        return (FLUSH << SECOND) | flush
    run = _straight(anything)
    if run:
        return (STRAIGHT << SECOND) | run
    if trips:
        return (TRIPS << SECOND) | (trips << FIRST) | _top(anything ^ trips, 2)
    if two:
        pairs = _top(two, 2)
        category = TWO_PAIRS if COUNT[pairs] == 2 else PAIR
        return (category << SECOND) | (pairs << FIRST) | _top(anything ^ pairs, 5 - 2 * int(COUNT[pairs]))
    return _top(anything, 5)


@numba.njit(cache=True)
def _add(masks: Cards, card: int) -> None:
    masks[card & 3] |= 1 << (card >> 2)


@numba.njit(cache=True)
def _masks(cards: Cards) -> Cards:
    masks = np.zeros(4, dtype=np.int64)
    for card in cards:
        _add(masks, card)
    return masks


@numba.njit(cache=True)
def _joint_score(one: Cards, two: Cards) -> int:
    return score_of_masks(one[0] | two[0], one[1] | two[1], one[2] | two[2], one[3] | two[3])


@numba.njit(cache=True)
def hand_score(cards: Cards) -> int:
    """The score of five to seven cards; higher is better, equal scores split."""
    return _joint_score(_masks(cards), np.zeros(4, dtype=np.int64))


@numba.njit(cache=True)
def _next(state: np.uint64) -> np.uint64:
    """One step of a xorshift generator: small, and the same on every machine."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@numba.njit(cache=True)
def _below(state: np.uint64, bound: int) -> int:
    return int((state >> np.uint64(33)) % np.uint64(bound))


@numba.njit(cache=True)
def _share(holes: Cards, board: Cards, shares: FloatArray) -> None:
    """Add what each seat gets of one chip at the showdown, for every set of seats still in."""
    seats = len(holes)
    scores = np.empty(seats, dtype=np.int64)
    for seat in range(seats):
        scores[seat] = _joint_score(holes[seat], board)
    for still_in in range(1, 1 << seats):
        best, winners = -1, 0
        for seat in range(seats):
            if still_in >> seat & 1:
                if scores[seat] > best:
                    best, winners = scores[seat], 1
                elif scores[seat] == best:
                    winners += 1
        for seat in range(seats):
            if still_in >> seat & 1 and scores[seat] == best:
                shares[still_in, seat] += 1.0 / winners


@numba.njit(cache=True)
def _known(cards: Cards) -> tuple[Cards, Cards]:
    """The masks of cards, and what is left in the deck."""
    seen = np.zeros(52, dtype=np.bool_)
    seen[cards] = True
    return _masks(cards), np.flatnonzero(~seen).astype(np.int64)


@numba.njit(cache=True)
def _exact(holes: Cards, known: Cards, board: Cards, shares: FloatArray) -> None:
    """Average over every way to complete a board of three cards or more."""
    masks = _masks(board)
    rest = _known(known)[1]
    missing, boards = 5 - len(board), 0
    for i in range(len(rest) if missing > 0 else 1):
        for j in range(i + 1 if missing == 2 else 0, len(rest) if missing == 2 else 1):
            full = masks.copy()
            if missing > 0:
                _add(full, rest[i])
            if missing == 2:
                _add(full, rest[j])
            _share(holes, full, shares)
            boards += 1
    shares /= max(boards, 1)


@numba.njit(cache=True)
def _sampled(holes: Cards, known: Cards, samples: int, seed: np.uint64, shares: FloatArray) -> None:
    """Average over random boards: unbiased, whatever their number."""
    rest = _known(known)[1]
    for _ in range(samples):
        full = np.zeros(4, dtype=np.int64)
        for place in range(5):
            seed = _next(seed)
            other = place + _below(seed, len(rest) - place)
            rest[place], rest[other] = rest[other], rest[place]
            _add(full, rest[place])
        _share(holes, full, shares)
    shares /= samples


@numba.njit(cache=True)
def showdown_shares(deals: Cards, seats: int, samples: int, seeds: npt.NDArray[np.uint64]) -> FloatArray:
    """What each seat gets of the pot on average if nobody folds any more (deals x streets x sets of seats x seats).

    A deal is the two cards of each seat in turn, then the board. Before the flop the average is over ``samples`` random
    boards, from the flop on over all. A set of seats is a mask of those still in.
    """
    out = np.zeros((len(deals), 4, 1 << seats, seats))
    for at in range(len(deals)):
        cards = deals[at]
        known = cards[: 2 * seats]
        holes = np.zeros((seats, 4), dtype=np.int64)
        for seat in range(seats):
            holes[seat] = _masks(cards[2 * seat : 2 * seat + 2])
        _sampled(holes, known, samples, seeds[at], out[at, 0])
        for street in range(1, 4):
            seen = cards[: 2 * seats + 2 + street]
            _exact(holes, seen, seen[2 * seats :], out[at, street])
    return out


@numba.njit(cache=True)
def strength_by_sampling(hole: Cards, board: Cards, samples: int, seed: np.uint64) -> float:
    """The chance to beat one random hand, the board completed at random (a tie counts half)."""
    known = np.concatenate((hole, board))
    rest = _known(known)[1]
    mine, missing, total = _masks(hole), 5 - len(board), 0.0
    shown = _masks(board)
    for _ in range(samples):
        theirs, full = np.zeros(4, dtype=np.int64), shown.copy()
        for place in range(2 + missing):
            seed = _next(seed)
            other = place + _below(seed, len(rest) - place)
            rest[place], rest[other] = rest[other], rest[place]
            _add(theirs if place < 2 else full, rest[place])
        one, two = _joint_score(mine, full), _joint_score(theirs, full)
        total += 1.0 if one > two else 0.5 if one == two else 0.0
    return total / samples


@numba.njit(cache=True)
def win_chances(hole: Cards, board: Cards) -> float:
    """The chance to beat one random hand on a full board, exactly (a tie counts half)."""
    known = np.concatenate((hole, board))
    rest = _known(known)[1]
    shown = _masks(board)
    mine, total, hands = _joint_score(_masks(hole), shown), 0.0, 0
    for i in range(len(rest)):
        for j in range(i + 1, len(rest)):
            theirs = shown.copy()
            _add(theirs, rest[i])
            _add(theirs, rest[j])
            score = _joint_score(theirs, shown)
            total += 1.0 if mine > score else 0.5 if mine == score else 0.0
            hands += 1
    return total / hands
