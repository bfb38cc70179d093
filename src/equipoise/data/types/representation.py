"""Data as Python prints them: counts, the first names, and what is there; never the rows."""

from collections.abc import Iterable, Mapping

from equipoise.core.errors import some_of

__all__ = ["shown"]


def shown(kind: str, facts: Iterable[str], names: Iterable[str], there: Mapping[str, object] | None = None) -> str:
    """Give one line; of ``there`` the names of what is not None.

    >>> shown("Matches", ["5 games", "4 agents"], "abcd", {"tasks": None, "groups": "voters"})
    '<Matches: 5 games, 4 agents (a, b, c and 1 more); with groups>'
    """
    more = [name for name, value in (there or {}).items() if value is not None]
    extra = f"; with {', '.join(more)}" if more else ""
    return f"<{kind}: {', '.join(facts)} ({some_of(names)}){extra}>"
