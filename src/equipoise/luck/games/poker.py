"""Rules of the small poker games: Kuhn for two or three seats, Leduc for two.

Both games are one family: an ante of one chip, a private card for each seat, one or more rounds of
betting with a fixed raise and a cap on raises, and a public card before every round after the first.
A position is an immutable :class:`PokerState`; the rules are pure functions of it, so that a whole game can be
enumerated, and any hand replayed from its history.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeVar

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, whole

CHANCE: Final = -1
TERMINAL: Final = -2

FOLD: Final = "f"
CALL: Final = "c"
RAISE: Final = "r"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PokerState:
    """A position of a hand: its history, and what follows from it.

    ``history`` holds every card and every move in order ("JKcrf": seat 0 was dealt the jack, seat 1 the
    king, then check, bet, fold). ``waiting`` are the seats that still act in this round, in order.
    """

    history: str
    cards: str
    public: str
    paid: tuple[int, ...]
    folded: tuple[bool, ...]
    raises: int
    waiting: tuple[int, ...]

    @property
    def active(self) -> tuple[int, ...]:
        """The seats that have not folded."""
        return tuple(seat for seat, out in enumerate(self.folded) if not out)


@dataclass(frozen=True, slots=True)
class PokerSituation:
    """What the acting seat knows: an information set, in a form in which bots can read it.

    ``betting`` are the moves and public cards so far; ``deck`` are all cards of the game, lowest first.
    """

    seat: int
    card: str
    public: str
    betting: str
    moves: tuple[str, ...]
    deck: str

    @property
    def facing(self) -> bool:
        """Whether there is a bet to answer."""
        return FOLD in self.moves

    @property
    def strength(self) -> float:
        """The chance to hold the better hand against one card drawn from the rest (a tie counts half).

        Before the public card is known, it is averaged over.
        """
        return _strength(self.card, self.public, self.deck)


@dataclass(frozen=True, slots=True)
class Poker:
    """A small poker game: the deck (lowest card first), the raise of each round, the cap on raises.

    Examples
    --------
    >>> game = kuhn()
    >>> state = game.replay("JKcr")
    >>> game.actor(state), game.moves(state)
    (0, ('f', 'c'))
    >>> game.utilities(game.replay("JKcrc"))
    (-2.0, 2.0)
    """

    name: str
    seats: int
    deck: str
    bets: tuple[int, ...]
    cap: int

    def start(self) -> PokerState:
        """The position before the deal."""
        return PokerState("", "", "", (1,) * self.seats, (False,) * self.seats, 0, ())

    def actor(self, state: PokerState) -> int:
        """Who moves: a seat, ``CHANCE`` or ``TERMINAL``."""
        if len(state.cards) < self.seats:
            return CHANCE
        if state.waiting:
            return state.waiting[0]
        if len(state.active) > 1 and len(state.public) < len(self.bets) - 1:
            return CHANCE
        return TERMINAL

    def moves(self, state: PokerState) -> tuple[str, ...]:
        """The legal moves of a seat, or the cards that chance may deal (each rank once)."""
        actor = self.actor(state)
        if actor == CHANCE:
            return tuple(dict.fromkeys(_without(self.deck, state.cards + state.public)))
        if actor == TERMINAL:
            return ()
        fold = (FOLD,) if state.paid[actor] < max(state.paid) else ()
        raises = (RAISE,) if state.raises < self.cap else ()
        return (*fold, CALL, *raises)

    def chances(self, state: PokerState) -> tuple[float, ...]:
        """The probabilities of the cards in :meth:`moves` at a chance node."""
        rest = Counter(_without(self.deck, state.cards + state.public))
        return tuple(count / rest.total() for count in rest.values())

    def after(self, state: PokerState, move: str) -> PokerState:
        """The position after a move or a card."""
        actor = self.actor(state)
        if move not in self.moves(state):
            possible = ", ".join(self.moves(state)) or "none, the hand is over"
            raise ParameterError(
                f"{self.name}: {move!r} is not possible after {state.history!r} (possible: {possible})"
            )
        state = replace(state, history=state.history + move)
        return self._dealt(state, move) if actor == CHANCE else self._acted(state, actor, move)

    def _dealt(self, state: PokerState, card: str) -> PokerState:
        if len(state.cards) == self.seats:
            return replace(state, public=state.public + card, raises=0, waiting=state.active)
        state = replace(state, cards=state.cards + card)
        return replace(state, waiting=state.active) if len(state.cards) == self.seats else state

    def _acted(self, state: PokerState, seat: int, move: str) -> PokerState:
        waiting = state.waiting[1:]
        if move == FOLD:
            folded = _set(state.folded, seat, True)
            # The last one left wins without acting.
            return replace(state, folded=folded, waiting=waiting if folded.count(False) > 1 else ())
        price = max(state.paid)
        if move == CALL:
            return replace(state, paid=_set(state.paid, seat, price), waiting=waiting)
        bet = self.bets[len(state.public)]
        answer = tuple((seat + step) % self.seats for step in range(1, self.seats))
        return replace(
            state,
            paid=_set(state.paid, seat, price + bet),
            raises=state.raises + 1,
            waiting=tuple(other for other in answer if not state.folded[other]),
        )

    def replay(self, history: str) -> PokerState:
        """The position after a history."""
        return self.path(history)[-1]

    def path(self, history: str) -> list[PokerState]:
        """Every position of a history, the start first."""
        states = [self.start()]
        for move in history:
            states.append(self.after(states[-1], move))
        return states

    def situation(self, state: PokerState) -> PokerSituation:
        """What the acting seat knows."""
        seat = self.actor(state)
        betting = state.history[self.seats :]
        return PokerSituation(seat, state.cards[seat], state.public, betting, self.moves(state), self.deck)

    def utilities(self, state: PokerState) -> tuple[float, ...]:
        """What each seat wins at the end of a hand; the sum is zero."""
        if self.actor(state) != TERMINAL:
            raise ParameterError(f"{self.name}: the hand {state.history!r} is not over")
        ranks = {seat: _rank(state.cards[seat], state.public, self.deck) for seat in state.active}
        best = max(ranks.values())
        winners = [seat for seat, rank in ranks.items() if rank == best]
        share = sum(state.paid) / len(winners)
        return tuple((share if seat in winners else 0.0) - paid for seat, paid in enumerate(state.paid))


def kuhn(seats: int = 2) -> Poker:
    """Kuhn poker: one card each from a deck of ``seats + 1``, one bet of one chip.

    References
    ----------
    H. W. Kuhn (1950), A simplified two-person poker.
    """
    check(whole(2, 3), "seats", seats)
    return Poker(f"kuhn{seats}", seats, "TJQK"[3 - seats :], bets=(1,), cap=1)


def leduc() -> Poker:
    """Leduc hold'em: six cards in three ranks, two rounds with raises of 2 and 4, a public card between.

    References
    ----------
    F. Southey et al. (2005), Bayes' bluff: opponent modelling in poker.
    """
    return Poker("leduc", 2, "JJQQKK", bets=(2, 4), cap=2)


def _set(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _without(deck: str, cards: str) -> str:
    for card in cards:
        deck = deck.replace(card, "", 1)
    return deck


@cache
def _strength(card: str, public: str, deck: str) -> float:
    rest = _without(deck, card + public)
    if public or len(set(deck)) == len(deck):
        return sum(_beats(card, other, public, deck) for other in rest) / len(rest)
    boards = [(board, _without(rest, board)) for board in rest]
    wins = [sum(_beats(card, other, board, deck) for other in others) / len(others) for board, others in boards]
    return sum(wins) / len(boards)


def _rank(card: str, public: str, deck: str) -> tuple[bool, int]:
    return card in public, deck.index(card)


def _beats(card: str, other: str, public: str, deck: str) -> float:
    mine, theirs = _rank(card, public, deck), _rank(other, public, deck)
    return 0.5 if mine == theirs else float(mine > theirs)
