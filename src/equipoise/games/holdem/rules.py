"""The rules, by OpenSpiel's ``universal_poker``: legal moves, who acts, who wins; and what everybody has paid.

Chips are half big blinds: the small blind is 1, the big blind 2. Seats are those of the Annual Computer Poker
Competition. Two players: seat 1 has the small blind and acts first before the flop, seat 0 after it. Three players:
seat 0 has the small blind, seat 1 the big one, seat 2 the button. Everybody begins every hand with the same stack, so
there are no side pots.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple

from equipoise.core.errors import MissingDependencyError, ParameterError
from equipoise.core.options import check, choice, whole
from equipoise.games.holdem.cards import Board, Hole, card_names, strength

Betting = Literal["limit", "no-limit"]

FOLD: Final = 0
CALL: Final = 1
RAISE: Final = 2
"""The only raise there is with limits; without, a raise is the number of chips that the seat will have paid in all."""
BIG_BLIND: Final = 2
LIMIT_RAISES: Final = (2, 2, 4, 4)
"""Size of a raise on each street, in chips; at most 3 raises before the flop and 4 on each later street."""
LIMIT_PAID: Final = 24.0
"""Most that a seat pays in a hand with limits, in big blinds."""
POT_SHARES: Final = (0.5, 1.0)
"""The raises that bots think of without limits, in pots; going all in is the third."""
OVER: Final = -1


class HoldemSituation(NamedTuple):
    """What the acting seat knows: its cards, the board, the betting, and its moves.

    Attributes
    ----------
    seat, hole, board, street
        Street 0 is before the flop.
    opponents
        Others that are still in.
    pot, price
        Chips in the pot, and chips to pay for a call.
    raises
        Raises on this street.
    paid
        What each seat has paid in this hand.
    betting
        All moves so far, streets separated by a slash: ``f``, ``c``, and ``r`` with the chips paid in all.
    moves
        What bots choose from: ``FOLD`` if there is something to pay, ``CALL`` (or check), then raises.
    raise_from, raise_to
        Without limits, the least and the most that a raise may come to; zero if none is possible.
    """

    seat: int
    hole: Hole
    board: Board
    street: int
    opponents: int
    pot: int
    price: int
    raises: int
    paid: tuple[int, ...]
    betting: str
    moves: tuple[int, ...]
    raise_from: int = 0
    raise_to: int = 0

    @property
    def strength(self) -> float:
        """The chance to beat one random hand, as the bots estimate it."""
        return strength(self.hole, self.board)


class Reveal(NamedTuple):
    """Cards turned over: the street they open, who was still in (a mask of seats), and the pot."""

    street: int
    still_in: int
    pot: int


@dataclass(frozen=True, slots=True)
class Holdem:
    """Texas hold'em for two or three players.

    Attributes
    ----------
    players
        2 or 3.
    betting
        ``limit`` or ``no-limit``.
    stack
        Big blinds with which everybody begins a hand, without limits.

    Fails when
        an option makes no sense, or OpenSpiel is not installed (``pip install "equipoise[games]"``).
    """

    players: int = 2
    betting: Betting = "limit"
    stack: int = 100

    def __post_init__(self) -> None:
        check(whole(2, 3), "players", self.players)
        check(choice("limit", "no-limit"), "betting", self.betting)
        check(whole(2, 1000), "stack", self.stack)
        _loaded(self.players, self.betting, self.stack)

    @property
    def most_paid(self) -> float:
        """Most that a seat can lose in a hand, in big blinds."""
        return LIMIT_PAID if self.betting == "limit" else float(self.stack)

    @property
    def score_range(self) -> tuple[float, float]:
        """Ends of what a seat wins in a hand, in big blinds."""
        return -self.most_paid, self.most_paid * (self.players - 1)

    def hand(self, deal: tuple[int, ...]) -> "HoldemHand":
        """Deal a hand: two cards for each seat in turn, then the board."""
        if len(deal) != 2 * self.players + 5 or len(set(deal)) != len(deal) or not set(deal) <= set(range(52)):
            raise ParameterError(f"a deal is {2 * self.players + 5} different cards from 0 to 51, not {deal}")
        return HoldemHand(self, deal)


class HoldemHand:
    """A hand being played.

    Attributes
    ----------
    actor
        The seat to act, or ``OVER`` (-1).
    paid
        Chips that each seat has paid.
    still_in
        A mask of the seats that have not folded.
    legal
        Moves that the acting seat may make.
    reveals
        The cards turned over so far, street by street.
    """

    def __init__(self, rules: Holdem, deal: tuple[int, ...]) -> None:
        self.rules, self.deal = rules, deal
        self._state = _loaded(rules.players, rules.betting, rules.stack).new_initial_state()
        for card in deal[: 2 * rules.players]:
            self._state.apply_action(card)
        self.paid = [2, 1] if rules.players == 2 else [1, 2, 0]
        self.still_in = (1 << rules.players) - 1
        self.street = self.raises = 0
        self.betting = ""
        self.reveals: list[Reveal] = []
        self._look()

    @property
    def board(self) -> Board:
        """The cards on the table."""
        start = 2 * self.rules.players
        return self.deal[start : start + self.street + 2] if self.street else ()

    def situation(self) -> HoldemSituation:
        """What the acting seat knows."""
        seat, most = self.actor, max(self.paid)
        return HoldemSituation(
            seat,
            (self.deal[2 * seat], self.deal[2 * seat + 1]),
            self.board,
            self.street,
            self.still_in.bit_count() - 1,
            sum(self.paid),
            most - self.paid[seat],
            self.raises,
            tuple(self.paid),
            self.betting,
            *self._moves(seat, most),
        )

    def paid_after(self, move: int) -> int:
        """What the acting seat will have paid after a move."""
        if move == FOLD:
            return self.paid[self.actor]
        most = max(self.paid)
        if move == CALL:
            return most
        return most + LIMIT_RAISES[self.street] if self.rules.betting == "limit" else move

    def is_legal(self, move: int) -> bool:
        """Say whether the acting seat may make a move."""
        return move in self.legal

    def act(self, move: int) -> None:
        """Make a move of the acting seat."""
        if not self.is_legal(move):
            raise ParameterError(f"move {move} is not legal after {self.betting!r}")
        after = self.paid_after(move)
        if move == FOLD:
            self.still_in &= ~(1 << self.actor)
        elif move != CALL:
            self.raises += 1
        self.betting += "fc"[move] if move <= CALL else f"r{after}"
        self.paid[self.actor] = after
        self._state.apply_action(move)
        self._turn_over()
        self._look()

    def utilities(self) -> tuple[float, ...]:
        """What each seat won, in big blinds."""
        return tuple(chips / BIG_BLIND for chips in self._state.returns())

    def transcript(self) -> str:
        """The hand as the dealer of the Annual Computer Poker Competition writes it, without number and names."""
        start = 2 * self.rules.players
        holes = "|".join(card_names(self.deal[at : at + 2]) for at in range(0, start, 2))
        board = self.board
        shown = "".join(f"/{card_names(part)}" for part in (board[:3], board[3:4], board[4:]) if part)
        won = "|".join(f"{chips:g}" for chips in self._state.returns())
        return f"{self.betting}:{holes}{shown}:{won}"

    def _moves(self, seat: int, most: int) -> tuple[tuple[int, ...], int, int]:
        """What bots choose from, and the range of raises."""
        legal = self.legal
        if self.rules.betting == "limit":
            return tuple(legal), 0, 0
        first = 2 if legal[0] == FOLD else 1
        if len(legal) == first:
            return tuple(legal), 0, 0
        low, high = legal[first], legal[-1]
        pot = sum(self.paid) + most - self.paid[seat]
        sizes = [min(max(most + int(pot * share), low), high) for share in POT_SHARES]
        return (*legal[:first], *dict.fromkeys((*sizes, high))), low, high

    def _turn_over(self) -> None:
        """Turn over the cards of the streets that open now."""
        state, dealt = self._state, 2 * self.rules.players
        while state.is_chance_node():
            most = max(self.paid)
            dead = sum(paid for seat, paid in enumerate(self.paid) if not self.still_in >> seat & 1)
            pot = most * self.still_in.bit_count() + dead
            first = dealt + (self.street + 2 if self.street else 0)
            self.street += 1
            for card in self.deal[first : dealt + self.street + 2]:
                state.apply_action(card)
            self.raises = 0
            self.betting += "/"
            self.reveals.append(Reveal(self.street, self.still_in, pot))

    def _look(self) -> None:
        over = self._state.is_terminal()
        self.actor: int = OVER if over else self._state.current_player()
        self.legal: list[int] = [] if over else self._state.legal_actions()


@lru_cache(maxsize=16)
def _loaded(players: int, betting: Betting, stack: int) -> Any:
    """Load OpenSpiel's game."""
    try:
        pyspiel = import_module("pyspiel")
    except ImportError as error:
        raise MissingDependencyError(
            'open_spiel is needed for hold\'em; run: pip install "equipoise[games]"'
        ) from error
    if "universal_poker" not in pyspiel.registered_names():
        raise MissingDependencyError("this open_spiel was built without universal_poker, so it cannot deal hold'em")
    limits = betting == "limit"
    parameters = {
        "numPlayers": players,
        "numRounds": 4,
        "blind": "2 1" if players == 2 else "1 2 0",
        "firstPlayer": "2 1 1 1" if players == 2 else "3 1 1 1",
        "numSuits": 4,
        "numRanks": 13,
        "numHoleCards": 2,
        "numBoardCards": "0 3 1 1",
        "betting": "limit" if limits else "nolimit",
        # With limits, "fullgame" offers moves that the dealer then refuses; "fcpa" has the one raise there is.
        "bettingAbstraction": "fcpa" if limits else "fullgame",
    }
    if limits:
        parameters |= {"raiseSize": " ".join(map(str, LIMIT_RAISES)), "maxRaises": "3 4 4 4"}
    else:
        parameters |= {"stack": " ".join([str(BIG_BLIND * stack)] * players)}
    return pyspiel.load_game("universal_poker", parameters)
