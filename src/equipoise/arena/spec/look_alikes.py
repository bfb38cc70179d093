"""Names that people would take for one another: in other letters, in capitals, with blanks that nobody sees."""

import unicodedata
from collections.abc import Iterable, Sequence

from equipoise.core.errors import DataError

_LETTERS = {
    "a": "аαɑ", "b": "ЬƄ", "c": "сϲ", "d": "ԁ", "e": "еҽ", "g": "ɡ", "h": "һ", "i": "іιɩı", "j": "јϳ", "k": "κк",
    "l": "1I|ӏǀІΙ", "m": "м", "n": "ո", "o": "оοσօ", "p": "рρ", "q": "ԛ", "r": "г", "s": "ѕ", "t": "τт", "u": "υս",
    "v": "νѵ", "w": "ԝѡ", "x": "хχ", "y": "уγү", "z": "ᴢ",
    "A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "G": "Ԍ", "H": "НΗ", "J": "Ј", "K": "КΚ", "M": "МΜ",
    "N": "Ν", "O": "ОΟ0", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ",
    "-": "‐‑‒–—―−ー", "'": "’‘ʼ`´", '"': "“”",
    ".": "․", "/": "⁄∕", ":": "ː∶", "": "\u3164\u115f\u1160\uffa0\u2800\u034f",
}  # fmt: skip
_LIKE = str.maketrans({other: letter for letter, others in _LETTERS.items() for other in others})


def skeletons(name: str) -> tuple[str, str]:
    """Give what remains of a name for an eye that looks briefly: by the shapes of its letters, and without capitals.

    >>> skeletons("Bot-1")[0] == skeletons("Воt–l")[0], skeletons("Bot")[1] == skeletons("bOT")[1]
    (True, True)
    """
    plain = unicodedata.normalize("NFKC", "".join(one for one in name if not _is_selector(one)))
    shapes = " ".join(plain.translate(_LIKE).split())
    without_ones = {ord(letter): letter for letter in "1I|0"}
    lower = " ".join(plain.translate({**_LIKE, **without_ones}).casefold().split())
    return shapes, lower


def refuse_look_alikes(names: Iterable[str], others: Sequence[str] = ()) -> None:
    """Refuse players whose names look the same in a table, also from others who are there.

    Fails when
        two names differ only in capitals, in letters of other scripts that look the same, or in what is not seen.
    """
    seen = {(at, form): other for other in others for at, form in enumerate(skeletons(other))}
    for name in names:
        for key in enumerate(skeletons(name)):
            other = seen.setdefault(key, name)
            if other != name:
                raise DataError(
                    f"players need names that look different: {_spelled(other)} and {_spelled(name)} do not"
                )


def _is_selector(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def _spelled(name: str) -> str:
    """Write a name so that the difference is seen."""
    return f'"{name}"' if name.isascii() else f'"{name}" ({ascii(name)[1:-1]})'
