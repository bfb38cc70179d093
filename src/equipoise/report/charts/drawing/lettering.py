"""Names as wide as there is room for: their width in pixels, and cuts that leave no half of a sign behind."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from equipoise.report.render.safe_text import JOINER, harmless

LONGEST_TIP = 80
"""Of a name in what a mark says of itself."""
WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
)  # fmt: skip
"""Of the signs from space to tilde, in thousandths of the font's size: those of Arial, which Liberation Sans shares."""
SKIN_TONES = range(0x1F3FB, 0x1F400)


class PairName(str):
    """Two names with a word between them: where there is little room each of the two is cut, so that both are there."""

    first: str
    second: str
    word: str

    def __new__(cls, first: str, word: str, second: str) -> "PairName":
        """Join the names."""
        joined = super().__new__(cls, f"{first} {word} {second}")
        joined.first, joined.second, joined.word = first, second, word
        return joined


def text_width(text: str, size: float = 12) -> float:
    """Estimate the width of a text in pixels."""
    return sum(map(_advance, text)) * size / 1000


@cache
def _advance(sign: str) -> int:
    code = ord(sign)
    if 32 <= code < 127:
        return WIDTHS[code - 32]
    if sign == JOINER or unicodedata.category(sign).startswith("M"):
        return 0
    wide = unicodedata.east_asian_width(sign) in "WF"
    return 1000 if sign == "…" else 1300 if wide or code > 0xFFFF else 700


def _signs(text: str) -> list[str]:
    """Part a text into what a reader takes for one sign: accents and joined emoji stay whole."""
    if text.isascii():
        return list(text)
    parts: list[str] = []
    for sign in text:
        joins = sign == JOINER or unicodedata.category(sign).startswith("M") or ord(sign) in SKIN_TONES
        if parts and (joins or parts[-1].endswith(JOINER)):
            parts[-1] += sign
        else:
            parts.append(sign)
    return parts


def fitted(text: str, pixels: float, size: float = 12) -> str:
    """Cut a text in its middle until it fits: models of one family differ at the end of their names.

    >>> fitted("meta-llama/Llama-3.1-405B-Instruct", 110)
    'meta-llam…-Instruct'
    """
    if text_width(text, size) <= pixels:
        return text
    signs = _signs(text)
    for kept in range(len(signs) - 1, 1, -1):
        cut = "".join([*signs[: (kept + 1) // 2], "…", *signs[len(signs) - kept // 2 :]])
        if text_width(cut, size) <= pixels:
            return cut
    return "…"


def fitted_names(names: Iterable[str], pixels: float, size: float = 12) -> list[str]:
    """Cut names to a width and keep them different: those that look the same when cut get a number.

    >>> fitted_names(["abcdefghijk", "abcdexghijk", "x"], 50)
    ['abcd…ijk', 'ab…k (2)', 'x']
    """
    seen: set[str] = set()
    shown = []
    for name in names:
        text, count = _fitted_name(name, pixels, size), 1
        while text in seen:
            count += 1
            mark = f" ({count})"
            text = f"{_fitted_name(name, max(20.0, pixels - text_width(mark, size)), size)}{mark}"
        seen.add(text)
        shown.append(text)
    return shown


def _fitted_name(name: str, pixels: float, size: float) -> str:
    whole = harmless(name, 400) or "(no name)"
    if not isinstance(name, PairName) or text_width(whole, size) <= pixels:
        return fitted(whole, pixels, size)
    word = f" {name.word} "
    room = pixels - text_width(word, size)
    shorter = min(text_width(part, size) for part in (name.first, name.second))
    most = max(room / 2, room - shorter)  # what a short name leaves over is the other's
    return word.join(fitted(harmless(part, 400), most, size) for part in (name.first, name.second))


def tip_names(names: Iterable[str]) -> list[str]:
    """Give names for what marks say: whole unless they are very long."""
    return ["".join(_cut(_signs(harmless(name, 400)))) or "(no name)" for name in names]


def _cut(signs: list[str]) -> list[str]:
    half = LONGEST_TIP // 2
    return signs if len(signs) <= LONGEST_TIP else [*signs[:half], "…", *signs[-half:]]


def wrapped(text: str, pixels: float, size: float = 12) -> Sequence[str]:
    """Break a text into lines that fit."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= pixels:
            lines[-1] = longer
        else:
            lines.append(fitted(word, pixels, size))
    return lines
