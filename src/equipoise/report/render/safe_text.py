"""Users' texts made harmless to show: agents, tasks and cells may be called anything."""

import unicodedata

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
