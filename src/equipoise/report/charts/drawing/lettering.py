"""Names as wide as there is room for: their width in pixels, and cuts that leave no half of a sign behind."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

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
HEADING = 180
"""Room for the name above a column, in pixels."""
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
    """Cut names to a width so that the parts in which they differ stay: words that all share go first.

    Where that cannot be, a name is its number in the list.

    >>> fitted_names(["abcdefghijk", "abcdexghijk", "x"], 50)
    ['…fghi…k', '…xgh…k', 'x']
    >>> fitted_names(["meta-llama/Llama-3-8B-Instruct", "meta-llama/Llama-3-70B-Instruct"], 60)
    ['8B', '70B']
    """
    given = list(names)
    whole = [harmless(name, 400) or "(no name)" for name in given]
    if all(text_width(name, size) <= pixels for name in whole):
        return _numbered(whole, pixels, size)
    if not any(isinstance(name, PairName) for name in given):
        given = whole = _without_shared_words(whole)
    shown = []
    for name, text in zip(given, whole, strict=True):
        if isinstance(name, PairName) or text_width(text, size) <= pixels:
            shown.append(_fitted_name(name, pixels, size))
        else:
            shown.append(_told_apart(text, [other for other in whole if other != text], pixels, size))
    return _numbered(shown, pixels, size)


def column_names(names: Sequence[str]) -> list[str]:
    """Name the columns of a matrix whose rows are named in full: without the words that all share, else by number.

    >>> column_names(["Falcon Instruct (40B)", "a name of which no column could be the heading"])
    ['Falcon Instruct (40B)', '2']
    """
    whole = [harmless(name, 400) or "(no name)" for name in names]
    if any(text_width(name) > HEADING for name in whole):
        whole = _without_shared_words(whole)
    return [name if text_width(name) <= HEADING else str(k) for k, name in enumerate(whole, 1)]


def _numbered(shown: Sequence[str], pixels: float, size: float) -> list[str]:
    """Put the number in the list before names that look like an earlier one."""
    seen: set[str] = set()
    different = []
    for k, text in enumerate(shown, 1):
        mark = f"{k} "
        once = text if text not in seen else mark + fitted(text, max(20.0, pixels - text_width(mark, size)), size)
        seen.add(once)
        different.append(once)
    return different


WORDS = re.compile(r"[\s/_:-]+")
"""What stands between the words of a name."""


def _without_shared_words(names: Sequence[str]) -> list[str]:
    """Leave out the first and last words that all names share; every name keeps a word."""
    if len(set(names)) < 2:
        return list(names)
    first, last = (_shared([_signs_of_words(name)[::way] for name in names]) for way in (1, -1))
    kept = [_signs_of_words(name) for name in names]
    return ["".join(words[first : len(words) - last]).strip(" /_:-") or name
            for name, words in zip(names, kept, strict=True)]  # fmt: skip


def _signs_of_words(name: str) -> list[str]:
    """Part a name into its words, each with the mark before it."""
    starts = [0, *(found.start() for found in WORDS.finditer(name) if found.start() > 0), len(name)]
    return [name[i:j] for i, j in pairwise(starts)]


def _shared(words: Sequence[Sequence[str]]) -> int:
    """Count the words that all names begin with, the marks before them aside; at least one is left of each."""
    most = min(map(len, words)) - 1
    return next((k for k in range(most) if len({WORDS.sub("", name[k]) for name in words}) > 1), most)


def _same(text: str, other: str) -> int:
    """Count the signs with which both begin."""
    return next((k for k, (one, two) in enumerate(zip(text, other, strict=False)) if one != two), len(other))


def _told_apart(text: str, others: Sequence[str], pixels: float, size: float) -> str:
    """Cut a name to a width so that no other name could be meant; in its middle where that is enough."""
    signs = _signs(text)
    count = len(signs)
    for kept in range(count - 1, 1, -1):
        for head in sorted(range(kept + 1), key=lambda head: abs(2 * head - kept - 1)):
            start, end = "".join(signs[:head]), "".join(signs[count - kept + head :])
            if text_width(f"{start}…{end}", size) > pixels:
                break
            if not any(other.startswith(start) and other.endswith(end) for other in others):
                return f"{start}…{end}"
    balanced = fitted(text, pixels, size)
    start, _, end = balanced.partition("…")
    alike = [other for other in others if other.startswith(start) and other.endswith(end)]
    same = max((_same(text, other) for other in alike), default=0)
    for long in range(count, 0, -1):
        middle = "".join(signs[same : same + long])
        for head in range(3, -1, -1):
            cut = f"{''.join(signs[:head])}…{middle}…{signs[-1]}"
            if same > head and same + long < count and text_width(cut, size) <= pixels:
                return cut
    return balanced


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
