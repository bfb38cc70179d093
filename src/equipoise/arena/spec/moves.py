"""What a player may answer: whatever else it sends with a move is its own fault, never the worker's."""

import json
import math
from collections.abc import Mapping
from numbers import Real

from equipoise.arena.spec.names import LONGEST, checked_name, checked_text
from equipoise.arena.spec.protocols import Move
from equipoise.core.errors import DataError
from equipoise.core.options import shown

MOST_COSTS = 32
"""Names of costs of one player in a game."""
MOST_COST = 1e18
"""The largest cost of a move: added up over any game it stays a number."""
LONGEST_NOTES = 10_000
"""Characters of the notes to a move, written as JSON."""
LARGEST = 2**63
"""Beyond every number of a move."""


def wrong_with(move: Move) -> str | None:
    r"""Say what is wrong with an answer, legal or not; None where nothing is.

    >>> wrong_with(Move(3, {"tokens": 512})), wrong_with(Move(3, {"tokens": float("inf")}))
    (None, 'cost "tokens": inf is no finite number')
    """
    try:
        _refuse_action(move.action)
        if move.costs:
            _refuse_costs(move.costs)
        if move.notes:
            _refuse_notes(move.notes)
    except DataError as error:
        return str(error)
    return None


def cost_name(name: str, player: str) -> str:
    """Give the name under which a player's cost is kept with the trial."""
    return f"{name} of {player}"[:LONGEST]


def _refuse_action(action: object) -> None:
    if isinstance(action, str):
        if action:
            checked_text(action, "a move")
    elif isinstance(action, bool) or not isinstance(action, int):
        raise DataError(f"a move is a number or a text, not {shown(action)}")
    elif abs(action) >= LARGEST:
        raise DataError("a move is a number of at most 63 bits")


def _refuse_costs(costs: object) -> None:
    if not isinstance(costs, Mapping):
        raise DataError(f"costs are a table of numbers, not {shown(costs)}")
    if len(costs) > MOST_COSTS:
        raise DataError(f"{len(costs):,} costs; at most {MOST_COSTS} fit")
    for name, value in costs.items():
        checked_name(name, "cost")
        if isinstance(value, bool) or not isinstance(value, Real):
            raise DataError(f"costs are a table of numbers, but {shown(name)} is {shown(value)}")
        if not (isinstance(value, int) or math.isfinite(value)):
            raise DataError(f'cost "{name}": {shown(value)} is no finite number')
        if abs(value if isinstance(value, int) else float(value)) > MOST_COST:
            raise DataError(f'cost "{name}" is beyond {MOST_COST:g}')


def _refuse_notes(notes: object) -> None:
    if not isinstance(notes, Mapping):
        raise DataError(f"notes are a table, not {shown(notes)}")
    try:
        length = len(json.dumps(dict(notes), default=str))
    except (TypeError, ValueError, RecursionError):
        raise DataError("notes are a table that JSON can say") from None
    if length > LONGEST_NOTES:
        raise DataError(f"notes of {length:,} characters; at most {LONGEST_NOTES:,} fit")
