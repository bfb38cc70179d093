"""Users' texts made harmless to show: agents, tasks and cells may be called anything."""

import unicodedata
from collections.abc import Iterable

JOINER = "\N{ZERO WIDTH JOINER}"
"""Holds emoji such as families together; it hides nothing and turns nothing around."""


def harmless(value: str, longest: int) -> str:
    r"""Show control and direction marks as a replacement sign, and cut what is too long.

    >>> harmless("a\x1b[31m b\u202ec", 20)
    'a�[31m b�c'
    """
    head = value[: longest + 1]
    shown = head if head.isprintable() else "".join(map(_shown, head))
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _shown(char: str) -> str:
    return char if char == JOINER or unicodedata.category(char)[0] != "C" else "\ufffd"


def short_names(names: Iterable[str], longest: int = 40) -> list[str]:
    """Cut names for a chart and keep them different: two that look the same get a number.

    >>> short_names(["abcdef", "abcdeg", "x"], 4)
    ['abc…', 'abc… (2)', 'x']
    """
    seen: dict[str, int] = {}
    shown = []
    for name in names:
        text = harmless(name, longest) or "(no name)"
        seen[text] = seen.get(text, 0) + 1
        shown.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return shown
