"""Words for the two sides of a match that only the names of their columns explain: H and A, L and R, response_1."""

import re
from collections.abc import Iterable, Mapping

SIDES = (("home", "away"), ("home", "visitor"), ("left", "right"))
"""Sides whose first letters stand for them: elsewhere A is the first side, and L a loss."""
OTHERWISE = {"a", "b", "w", "l"}
"""Letters that mean something where sides are not called by their first letters."""
WHAT = re.compile(r"_?(models?|names?|ids?|teams?|players?|usernames?|agents?)$|^(model|player|team)_(?=[a-z])")
"""Parts of a column's name that say what its cells are, and not which side."""


def letters_of(pair: tuple[str, str], words: Iterable[str]) -> Mapping[str, float]:
    """Give the first side's score by the letters that stand for sides in a column of outcomes.

    ``pair`` are the columns of the two sides in their plainest form. Where other letters of outcomes are among the
    words, letters mean what they mean everywhere.

    >>> letters_of(("hometeam", "awayteam"), ["H", "D", "A"]), letters_of(("home", "away"), ["a", "b"])
    ({'h': 1.0, 'a': 0.0}, {})
    """
    for first, second in SIDES:
        if first in pair[0] and second in pair[1]:
            letters = {first[0]: 1.0, second[0]: 0.0}
            single = {word.strip().lower() for word in words} & OTHERWISE
            return letters if single <= set(letters) else {}
    return {}


def side_of(word: str, pair: tuple[str, str]) -> float | None:
    """Give the first side's score where a word is the name of a side's column, or of the side in it.

    >>> side_of("response_2", ("response_1_model", "response_2_model")), side_of("left", ("left_model", "right_model"))
    (0.0, 1.0)
    """
    if not word or pair[0] == pair[1]:
        return None
    bare = WHAT.sub("", pair[0]), WHAT.sub("", pair[1])
    for first, second in (pair, bare):
        if first != second and word in (first, second):
            return 1.0 if word == first else 0.0
    return None
