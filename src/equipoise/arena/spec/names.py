"""Names of players, tasks and arenas: one clear error for those that nobody could distinguish or read."""

from collections.abc import Iterable

from equipoise.core.errors import DataError, some_of
from equipoise.core.options import shown

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
        raise DataError(f"the name of a {kind} contains control characters: {some_of([trimmed])}")
    return trimmed


def escaped(text: str, *, lines: bool = False) -> str:
    r"""Show what somebody else wrote: what a terminal would obey, or nobody would see, stands there in writing.

    ``lines`` leaves line ends and tabs as they are, for transcripts.

    >>> print(escaped("\x1b[2Jgone"), escaped("a\u202eb"))
    \x1b[2Jgone a\u202eb
    """
    if text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(one if one.isprintable() or one in kept else ascii(one)[1:-1] for one in text)


def checked_text(text: object, what: str, longest: int | None = None) -> str:
    r"""Give a text that every database keeps as it is, or refuse it.

    >>> checked_text("1. e4 e5", "a transcript")
    '1. e4 e5'
    """
    if not isinstance(text, str) or not text:
        raise DataError(f"{what} is a text, not {shown(text)}")
    if longest is not None and len(text) > longest:
        raise DataError(f"{what} has {len(text):,} characters; at most {longest} fit: {some_of([text])}")
    if "\x00" in text or not _encodable(text):
        raise DataError(f"{what} contains characters that no text can contain: a zero, or half of a pair of surrogates")
    return text


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def checked_names(names: Iterable[object], kind: str) -> tuple[str, ...]:
    """Give names that differ, or name those that do not."""
    trimmed = tuple(checked_name(name, kind) for name in names)
    twice = (
        [name for name in dict.fromkeys(trimmed) if trimmed.count(name) > 1] if len(set(trimmed)) < len(trimmed) else []
    )
    if twice:
        raise DataError(f"{kind}s need names that differ: {some_of(twice)} stands twice")
    return trimmed
