"""Answers that are words: right and wrong, passed and failed; and words of which a user says what they count."""

from collections.abc import Mapping
from math import isfinite

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ParameterError
from equipoise.core.results import FrozenMap
from equipoise.core.wording import Option

ANSWERS = {
    **dict.fromkeys(
        ("y", "yes", "correct", "right", "pass", "passed", "success", "solved", "resolved", "t", "✓", "✔", "✅"), 1.0
    ),
    **dict.fromkeys(
        ("n", "no", "incorrect", "wrong", "fail", "failed", "failure", "unsolved", "unresolved", "f", "✗", "✘", "❌"),
        0.0,
    ),
}  # fmt: skip
"""Words of a column of scores, as numbers; true and false are numbers already."""
NO_WORDS: Mapping[str, float] = FrozenMap({})


def word_scores(given: str | None) -> Mapping[str, float]:
    """Give what words count, as a user says it; none where nothing of words is said.

    >>> dict(word_scores("good=1, Poor = 0")), dict(word_scores("graded"))
    ({'good': 1.0, 'poor': 0.0}, {})
    """
    if given is None or "=" not in given:
        return NO_WORDS
    counted: dict[str, float] = {}
    for part in given.split(","):
        word, _, number = (side.strip() for side in part.rpartition("="))
        try:
            counted[word.lower()] = float(number)
        except ValueError:
            counted[word.lower()] = float("nan")
        if not word or not isfinite(counted[word.lower()]):
            raise ParameterError(
                Option("score_means"), f' says what words count, such as good=1,poor=0; not "{part.strip()}"'
            )
    return counted


def with_answers(number: pl.Series, text: pl.Series, words: Mapping[str, float] = NO_WORDS) -> pl.Series:
    """Give numbers in which words of success and failure are 1 and 0, and words count what was said of them."""
    left = number.is_null() & text.is_not_null()
    if not words and not left.any():
        return number
    spelt = text.str.to_lowercase()
    counted = spelt.replace_strict({**ANSWERS, **words}, default=None, return_dtype=pl.Float64)
    said = spelt.is_in(list(words)) if words else left
    return counted.zip_with(counted.is_not_null() & (said | left), number).alias(number.name)


def answer_notes(
    written: pl.Series, column: str | None, words: Mapping[str, float] = NO_WORDS
) -> tuple[Diagnostic, ...]:
    """Say which words were taken for success and failure, and what others count."""
    counted = {**ANSWERS, **words}
    there = sorted(word for word in written.drop_nulls().unique().to_list() if word.lower() in counted)
    if not there:
        return ()
    said = ", ".join(f'"{word}" is {counted[word.lower()]:g}' for word in there[:6])
    where = "Words" if column is None else f'Words in column "{column}"'
    return (info("answers-as-words", f"{where} are answers: {said}.", () if column is None else [column]),)
