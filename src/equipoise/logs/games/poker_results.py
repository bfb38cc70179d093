"""Who won a hand of the poker hand history that does not say so: by its own accounting, or played out by pokerkit.

A hand that ends by folding needs no rules but those of betting: everybody loses what he put in, and who is left wins
it. A hand that ends in a showdown is played out by pokerkit, which knows the rules. Money is decimal, so that sums are
exact, and stacks may be unknown (``inf``). ``winnings`` in such files is what was taken from the pot, or zeros; it is
no result.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from equipoise.core.errors import DataError

PLENTY, MOST = Decimal(10) ** 9, Decimal(10) ** 15
"""A stack that nobody bets all of, where the file does not say how large one is; and more than anybody has."""
FIELDS = frozenset({
    "variant", "ante_trimming_status", "antes", "blinds_or_straddles", "bring_in", "small_bet", "big_bet", "min_bet",
    "starting_stacks", "actions",
})  # fmt: skip
"""What pokerkit needs of a hand."""
BETS = "cbr", "cc", "f", "pb"


def can_play_out() -> bool:
    """Say whether the library that knows the rules is installed."""
    return find_spec("pokerkit") is not None


def net_of(hand: Mapping[str, Any], where: str) -> list[float] | None:
    """Give what each player won or lost; None where the hand is not finished, or nobody here knows the rules.

    Fails when
        an action is none, or the hand cannot be played as it is written.
    """
    folded = _by_folding(hand, where)
    if folded is not None:
        return folded
    return _played_out(hand, where) if can_play_out() else None


def _amount(value: object, where: str) -> Decimal:
    try:
        amount = Decimal(str(value).replace(",", ""))
    except InvalidOperation as error:
        raise DataError(f'{where}: "{value}" is no amount of money') from error
    if amount.is_nan() or amount < 0 or (amount.is_finite() and amount > MOST):
        raise DataError(f'{where}: "{value}" is no amount of money')
    return amount


def _posted(hand: Mapping[str, Any], where: str) -> tuple[list[Decimal], list[Decimal]] | None:
    """Give antes and blinds of each seat; of two players the second posts the first of the blinds.

    A blind below 0 is one that a newcomer posts out of turn.
    """
    players = len(hand.get("starting_stacks") or [])
    antes, blinds = hand.get("antes") or [0] * players, hand.get("blinds_or_straddles") or [0] * players
    if not players or not isinstance(antes, list) or not isinstance(blinds, list):
        return None
    if not len(antes) == len(blinds) == players:
        raise DataError(f"{where}: antes, blinds_or_straddles and starting_stacks must be as long as each other")
    blinds = blinds[::-1] if players == 2 else blinds
    return [_amount(ante, where) for ante in antes], [_amount(str(blind).lstrip("-"), where) for blind in blinds]


def _by_folding(hand: Mapping[str, Any], where: str) -> list[float] | None:
    """Settle a hand in which all players but one folded; None for any other.

    Everybody stakes what is asked of him and has; a hand with a bring-in is left to pokerkit, which knows who posts it.
    """
    posted = _posted(hand, where)
    if posted is None or hand.get("bring_in"):
        return None
    antes, street = posted
    stacks = [_amount(stack, where) for stack in hand["starting_stacks"]]
    paid = [min(ante, stack) for ante, stack in zip(antes, stacks, strict=True)]
    street = [min(blind, stack - ante) for blind, stack, ante in zip(street, stacks, paid, strict=True)]
    inside = set(range(len(stacks)))
    for action in hand.get("actions") or []:
        words = str(action).partition("#")[0].split()
        if len(words) > 1 and words[0] == "d" and words[1] == "db":
            paid, street = [a + b for a, b in zip(paid, street, strict=True)], [Decimal(0)] * len(stacks)
        if len(words) < 2 or words[1] not in BETS:
            continue
        seat = _seat(words[0], len(stacks), where)
        if words[1] == "f":
            inside.discard(seat)
        elif words[1] == "cbr" and len(words) > 2:
            street[seat] = min(_amount(words[2], where), stacks[seat] - paid[seat])
        elif words[1] == "cc":
            street[seat] = max(street[seat], min(max(street), stacks[seat] - paid[seat]))
    if len(inside) != 1:
        return None
    paid = [a + b for a, b in zip(paid, street, strict=True)]
    (winner,) = inside
    return [float(sum(paid) - paid[winner] if seat == winner else -paid[seat]) for seat in range(len(stacks))]


def _seat(word: str, players: int, where: str) -> int:
    number = int(word[1:]) if word[:1] == "p" and word[1:].isdecimal() else 0
    if not 1 <= number <= players:
        raise DataError(f'{where}: "{word}" is none of {players} players')
    return number - 1


def _played_out(hand: Mapping[str, Any], where: str) -> list[float] | None:
    """Play the actions of a hand; None where they do not end it."""
    pokerkit = import_module("pokerkit")
    stacks = [_finite(_amount(stack, where)) for stack in hand.get("starting_stacks") or []]
    known = {key: value for key, value in hand.items() if key in FIELDS} | {"starting_stacks": stacks}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what pokerkit warns of does not say who won
            *_, end = pokerkit.HandHistory(**known)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{where}: the hand cannot be played out: {error}") from error
    if end.status:
        return None
    return [float(after - before) for after, before in zip(end.stacks, stacks, strict=True)]


def _finite(stack: Decimal) -> Decimal:
    return stack if stack.is_finite() else PLENTY


def hands_of(whole: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the hands of a file by their keys: a file of several has a table for each."""
    several: Sequence[tuple[str, Any]] = [(key, value) for key, value in whole.items() if isinstance(value, dict)]
    yield from several if several and "variant" not in whole else [("", whole)]
