"""Names of players, tasks and arenas: one clear error for those that nobody could tell apart or read."""

from collections.abc import Iterable

from equipoise.errors import DataError, some_of
from equipoise.options import shown

__all__ = ["checked_name", "checked_names"]

LONGEST = 200


def checked_name(name: object, kind: str) -> str:
    """Give a name without the spaces around it, or refuse it.

    >>> checked_name(" mcts-100 ", "player")
    'mcts-100'
    """
    if not isinstance(name, str):
        raise DataError(f"the name of a {kind} is a text, not {shown(name)}")
    trimmed = name.strip()
    if not trimmed:
        raise DataError(f"a {kind} has an empty name")
    if len(trimmed) > LONGEST:
        raise DataError(
            f"the name of a {kind} has {len(trimmed):,} characters; at most {LONGEST} fit: {some_of([trimmed])}"
        )
    if not trimmed.isprintable():
        raise DataError(f"the name of a {kind} holds control characters: {some_of([trimmed])}")
    return trimmed


def checked_names(names: Iterable[object], kind: str) -> tuple[str, ...]:
    """Give names that differ, or name those that do not."""
    trimmed = tuple(checked_name(name, kind) for name in names)
    twice = (
        [name for name in dict.fromkeys(trimmed) if trimmed.count(name) > 1] if len(set(trimmed)) < len(trimmed) else []
    )
    if twice:
        raise DataError(f"{kind}s need names that differ: {some_of(twice)} stands twice")
    return trimmed
