"""Outcomes of matches: the words people write for them, and columns of them as scores of the first-named side."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Option
from equipoise.data.encode.arrays import as_list, number_column
from equipoise.data.encode.distinct import Distinct, distinct, holds_text, series_of
from equipoise.data.encode.labels import Codes, Factor, encode, refuse_nameless

_WON = "a model_a left white home first player1 player_1 p1 win won w true 1-0 1:0 > a>b a>>b assistant_a model_1"
_LOST = (
    "b model_b right black away visitor second player2 player_2 p2 loss lose lost l false 0-1 0:1 < b>a b>>a a<b a<<b"
    " assistant_b model_2"
)
_TIED = "tie tied draw drawn d both_bad bothbad tie_bothbad equal even = a=b b=a 1/2-1/2 ½-½ 0.5-0.5 1/2 ½"

OUTCOME_WORDS: Mapping[str, float] = {
    **dict.fromkeys(_WON.split(), 1.0),
    **dict.fromkeys(_LOST.split(), 0.0),
    **dict.fromkeys(_TIED.split(), 0.5),
    "tie (bothbad)": 0.5,
    "tie (both bad)": 0.5,
    "both bad": 0.5,
    "model a": 1.0,
    "model b": 0.0,
}
GOALS = re.compile(r"(\d{1,3})\s*[-:\u2013]\s*(\d{1,3})")
"""A result in goals or points of both sides, such as 2-1."""
BOTH_BAD = ("both_bad", "bothbad", "tie_bothbad", "tie(bothbad)")
"""Words for a tie in which neither side was good, without spaces."""


def outcome_score(word: str) -> float | None:
    """Give the first-named agent's score in [0, 1], or None for a word nobody knows.

    >>> outcome_score("Draw"), outcome_score("0.25"), outcome_score("2:1"), outcome_score("maybe")
    (0.5, 0.25, 1.0, None)
    """
    plain = word.strip().removeprefix("[[").removesuffix("]]").lower()
    for spelt in (plain, plain.replace(" ", "")):
        if spelt in OUTCOME_WORDS:
            return OUTCOME_WORDS[spelt]
    if goals := GOALS.fullmatch(plain):
        first, second = int(goals[1]), int(goals[2])
        return 0.5 if first == second else float(first > second)
    try:
        score = float(plain)
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None


CODES: Mapping[str, Mapping[float, float]] = {
    "index": {0: 1.0, 1: 0.0, 2: 0.5, 0.5: 0.5},
    "index-from-1": {1: 1.0, 2: 0.0, 0: 0.5, 1.5: 0.5},
    "sign": {1: 1.0, -1: 0.0, 0: 0.5},
}
"""What whole numbers mean where they are codes: the first side's score."""


GRADES: Mapping[str, float] = {
    "a>>b": 1.0, "a>b": 0.75, "a=b": 0.5, "b=a": 0.5, "b>a": 0.25, "b>>a": 0.0, "b<<a": 1.0, "b<a": 0.75, "a<b": 0.25,
    "a<<b": 0.0,
}  # fmt: skip
"""Judgments with a strength: one vote each, as a score of the first side."""


def graded_score(word: str) -> float | None:
    """Give the first side's score of a judgment with a strength; a plain tie is one half, and other words are none.

    >>> graded_score("[[A>>B]]"), graded_score("B>A"), graded_score("tie"), graded_score("A")
    (1.0, 0.25, 0.5, None)
    """
    plain = "".join(word.split()).removeprefix("[[").removesuffix("]]").lower()
    tied = as_number(word) is None and outcome_score(word) == 0.5
    return GRADES.get(plain, 0.5 if tied else None)


def preference_scale(numbers: Collection[float]) -> tuple[float, float] | None:
    """Give the ends of a scale of preferences that numbers come from: 1 to 3, 5, 7 or 9, 0 to 4, 6, 8 or 10, -2 to 2.

    >>> preference_scale({1, 2, 5}), preference_scale({-2, 0, 1}), preference_scale({0, 3}), preference_scale({0.5, 3})
    ((1, 5), (-2, 2), (0, 4), None)
    """
    if not numbers or not all(abs(number) <= 10 and number == round(number) for number in numbers):
        return None
    low, high = min(numbers), max(numbers)
    if low >= 1:
        return next(((1, top) for top in (3, 5, 7, 9) if 2 < high <= top), None)
    if low == 0 and high > 2:  # 0, 1 and 2 may be codes
        return next((0, top) for top in (4, 6, 8, 10) if high <= top)
    far = max(-low, high)
    return (-far, far) if low < 0 and 2 <= far <= 4 else None


def coded_score(word: str, means: str, scale: tuple[float, float] | None = None) -> float | None:
    """Give the first side's score behind a number that means what the user said; words keep their meaning.

    With ``first-score`` a number is the first side's score, with ``second-score`` the other's. As an ``index`` 0 is the
    first side, 1 the second, 2 a tie; ``index-from-1``: 1 the first, 2 the second, 0 or 1.5 a tie, and what lies
    between 1 and 2 a share. As a ``sign`` 1 is the first side, -1 the second, 0 a tie. ``graded`` judgments (A>>B, A>B,
    A=B, B>A, B>>A) are 1, 3/4, 1/2, 1/4 and 0; numbers on a ``scale`` go from 1 at its first end to 0 at its last, with
    a tie in the middle; ``graded-reversed``: the other way round.

    >>> (
    ...     coded_score("1", "index"),
    ...     coded_score("1", "sign"),
    ...     coded_score("1.25", "index-from-1"),
    ...     coded_score("a", "sign"),
    ... )
    (0.0, 1.0, 0.75, 1.0)
    """
    number = as_number(word)
    if means.startswith("graded"):
        if number is None or scale is None:
            return graded_score(word)
        share = (number - scale[0]) / (scale[1] - scale[0])
        return share if means == "graded-reversed" else 1 - share
    if number is None:
        return outcome_score(word)
    if means in ("first-score", "second-score"):
        inside = 0 <= number <= 1
        return (number if means == "first-score" else 1 - number) if inside else None
    if means == "index-from-1" and 1 < number < 2:
        return 2 - number
    return CODES[means].get(number)


def as_number(word: str) -> float | None:
    """Give the number that a word is; true and false are 1 and 0, and a word is None.

    >>> as_number(" 1.0"), as_number("True"), as_number("tie")
    (1.0, 1.0, None)
    """
    plain = word.strip().lower()
    try:
        return {"true": 1.0, "false": 0.0}[plain] if plain in ("true", "false") else float(plain)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Counts:
    """Columns that count the results of each row's pair, as a user gives them."""

    wins: Iterable[float] | None = None
    losses: Iterable[float] | None = None
    ties: Iterable[float] | None = None

    def __bool__(self) -> bool:
        return not (self.wins is None and self.losses is None and self.ties is None)


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeRows:
    """Columns of matches, coded and checked.

    Attributes
    ----------
    agents, first, second
        Names in order of first appearance, and the two sides as codes into them.
    score
        Of the first side, in [0, 1].
    weight
        How often the row happened; None for once each.
    row
        The user's row that each row comes from; None where they are the same.
    given
        How many rows the user gave.
    """

    agents: tuple[str, ...]
    first: Codes
    second: Codes
    score: FloatArray
    weight: FloatArray | None
    row: IntArray | None
    given: int

    @classmethod
    def from_columns(
        cls,
        a: Iterable[object],
        b: Iterable[object],
        outcome: Iterable[object] | None,
        weight: Iterable[float] | None,
        counts: Counts,
    ) -> "OutcomeRows":
        """Take two columns of names, and either outcomes (with weights, where rows count more than once) or counts."""
        _check_given(outcome, weight, counts)
        sides = [distinct(a, "a"), distinct(b, "b")]
        if len(sides[0]) != len(sides[1]):
            raise DataError(f"a and b differ in length: {len(sides[0])}, {len(sides[1])}")
        refuse_nameless({"a": sides[0], "b": sides[1]})
        agents, (first, second) = encode(sides)
        given = len(first)
        if counts:
            row, score, count = _counted(counts, given)
            return cls(agents, first[row], second[row], score, count, row, given)
        assert outcome is not None
        score = _scores(agents, first, second, outcome)
        weights = None if weight is None else number_column(weight, "weight", given)
        return cls(agents, first, second, score, weights, None, given)

    def factor(self, column: Iterable[object] | None, what: str, *, needed: bool = False) -> Factor | None:
        """Code another column of the user's rows; every row ``needed`` to have a value."""
        if column is None:
            return None
        values = distinct(column, what)
        if len(values) != self.given:
            raise DataError(f"{what} has {len(values):,} rows, the matches have {self.given:,}")
        if needed:
            refuse_nameless({what: values})
        coded = Factor.of(values)
        return coded if self.row is None else Factor(coded.labels, coded.codes[self.row])

    def times(self, column: Iterable[object] | None) -> npt.NDArray[np.generic] | None:
        """Give a column of times that can be put in order."""
        if column is None:
            return None
        values = np.asarray(as_list(column, "time"))
        if values.shape != (self.given,):
            raise DataError(f"time has {len(values):,} rows, the matches have {self.given:,}")
        try:
            values.argsort()
        except TypeError as error:
            raise DataError("times must be numbers or dates, all of one kind and none missing") from error
        return values if self.row is None else values[self.row]


def _check_given(outcome: object, weight: object, counts: Counts) -> None:
    wins, losses = Option("wins"), Option("losses")
    if outcome is None and (counts.wins is None or counts.losses is None):
        raise ParameterError("give ", Option("outcome"), ", or both ", wins, " and ", losses)
    if outcome is not None and counts:
        raise ParameterError("give either ", Option("outcome"), " or counts (", wins, ", ", losses, "), not both")
    if weight is not None and counts:
        raise ParameterError(Option("weight"), " goes with ", Option("outcome"), "; counts are weights already")


def _counted(counts: Counts, rows: int) -> tuple[IntArray, FloatArray, FloatArray]:
    columns = {name: getattr(counts, name) for name in ("wins", "losses", "ties")}
    numbers = {n: np.zeros(rows) if c is None else number_column(c, n, rows) for n, c in columns.items()}
    for name, values in numbers.items():
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if len(bad):
            raise DataError(f"{name} negative, missing or infinite in rows {some_of(bad + 1)}")
    return counts_as_outcomes(numbers["wins"], numbers["losses"], numbers["ties"])


def counts_as_outcomes(
    wins: FloatArray, losses: FloatArray, ties: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Give counts as weighted outcomes: the row each comes from, its score and its weight; empty ones are left out."""
    weight = np.concatenate([wins, ties, losses])
    row, score = np.tile(np.arange(len(wins)), 3), np.repeat([1.0, 0.5, 0.0], len(wins))
    played = weight > 0
    return row[played], score[played], weight[played]


def _scores(agents: tuple[str, ...], first: Codes, second: Codes, outcome: Iterable[object]) -> FloatArray:
    """Give the first side's scores; a strange outcome is named with its row."""
    bulk = isinstance(outcome, list | np.ndarray) or series_of(outcome) is not None
    given = outcome if bulk else as_list(outcome, "outcome")
    rows, length = len(first), len(given)  # type: ignore[arg-type]  # arrays, series and lists have one
    if length != rows:
        raise DataError(f"a, b and outcome differ in length: {rows}, {rows}, {length}")
    numbers = _numbers(given)
    return _scores_of_words(agents, first, second, distinct(given, "outcome")) if numbers is None else numbers


def _numbers(column: Iterable[object]) -> FloatArray | None:
    """Give a column that holds nothing but numbers (and gaps) as one; None for any other."""
    if isinstance(column, list):
        plain = not any(isinstance(value, str) for value in column[:1])  # so that words are not looked through twice
        plain = plain and set(map(type, column)) <= {float, int, bool, type(None)}
        return np.array(column, dtype=np.float64) if plain else None
    series = series_of(column)
    if series is not None and holds_text(series):
        return None
    array = column if series is None else series.to_numpy()
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "biuf":
        return None
    return np.array(array, dtype=np.float64)


def _scores_of_words(agents: tuple[str, ...], first: Codes, second: Codes, outcome: Distinct) -> FloatArray:
    """Read each distinct outcome once: as a side's word or a number, and as the name of an agent."""
    texts = [value.strip() if isinstance(value, str) else None for value in outcome.values]
    number = {name: code for code, name in enumerate(agents)}
    words = [None if text is None else outcome_score(text) for text in texts]
    if None not in words and number.keys().isdisjoint(texts):
        return np.array(words, dtype=np.float64).take(outcome.codes)
    named = np.array([-1 if text is None else number.get(text, -1) for text in texts], dtype=np.int32)[outcome.codes]
    known = np.array([word is not None for word in words], dtype=bool)[outcome.codes]
    score = np.array([np.nan if word is None else word for word in words])[outcome.codes]
    by_name = (named == first) | (named == second)
    winner = np.where(named == first, 1.0, 0.0)
    simple = np.array([text is not None for text in texts], dtype=bool)[outcome.codes]
    simple &= np.where(by_name, ~known | (score == winner), known)
    score = np.where(by_name, winner, score)
    for row in np.flatnonzero(~simple):
        value = outcome.values[outcome.codes[row]]
        score[row] = _score(agents[first[row]], agents[second[row]], value, int(row))
    return score


def _score(a: str, b: str, outcome: object, row: int) -> float:
    if isinstance(outcome, str):
        word = outcome.strip()
        by_name = 1.0 if word == a else 0.0 if word == b else None
        by_word = outcome_score(word)
        if by_name is not None and by_word is not None and by_name != by_word:
            raise DataError(
                f"row {row + 1}: outcome \"{word}\" is both a side's word and an agent's name; use 1, 0.5, 0"
            )
        score = by_word if by_name is None else by_name
        if score is None:
            raise DataError(f'row {row + 1}: unknown outcome "{word}"{did_you_mean(word, list(OUTCOME_WORDS))}')
        return score
    if outcome is None or isinstance(outcome, bool | np.bool_):
        return float("nan") if outcome is None else float(outcome)
    if not isinstance(outcome, int | float | np.number) or isinstance(outcome, np.complexfloating):
        raise DataError(f"row {row + 1}: an outcome is a number or a word, not a {type(outcome).__name__}")
    return float(outcome)


def check_outcomes(
    agents: tuple[str, ...], first: Codes, second: Codes, score: FloatArray, weight: FloatArray | None
) -> None:
    """Refuse rows from which nothing can be rated: none at all, self-matches, scores or weights out of range."""
    if len(first) == 0:
        raise DataError("no matches: nothing can be rated")
    selfish = np.flatnonzero(first == second)
    if len(selfish):
        who = some_of(sorted({agents[code] for code in first[selfish[:1000]]}))
        raise DataError(f"a match of an agent against itself in rows {some_of(selfish + 1)} ({who}); drop them")
    bad = np.flatnonzero(~((score >= 0) & (score <= 1)))
    if len(bad):
        raise DataError(f"outcome missing or outside [0, 1] in rows {some_of(bad + 1)}")
    if weight is None:
        return
    if len(weight) != len(first):
        raise DataError(f"weight has {len(weight):,} rows, the matches have {len(first):,}")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise DataError(f"weight negative, missing or infinite in rows {some_of(bad + 1)}; weights are frequencies")
    if not weight.any():
        raise DataError("all weights are 0: nothing can be rated")
