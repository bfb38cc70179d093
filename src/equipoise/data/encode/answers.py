"""Answers that are words: right and wrong, yes and no, passed and failed."""

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info

ANSWERS = {
    **dict.fromkeys(("y", "yes", "correct", "right", "pass", "passed", "success", "solved", "resolved", "t"), 1.0),
    **dict.fromkeys(
        ("n", "no", "incorrect", "wrong", "fail", "failed", "failure", "unsolved", "unresolved", "f"), 0.0
    ),
}  # fmt: skip
"""Words of a column of scores, as numbers; true and false are numbers already."""


def with_answers(number: pl.Expr, text: pl.Expr) -> pl.Expr:
    """Give a column of scores whose words of success and failure are 1 and 0."""
    words = text.str.to_lowercase().replace_strict(ANSWERS, default=None, return_dtype=pl.Float64)
    return pl.coalesce(number, words)


def answer_notes(written: pl.Series, column: str) -> tuple[Diagnostic, ...]:
    """Say which words were taken for success and failure."""
    words = sorted(word for word in written.drop_nulls().unique().to_list() if word.lower() in ANSWERS)
    if not words:
        return ()
    said = ", ".join(f'"{word}" is {ANSWERS[word.lower()]:g}' for word in words[:6])
    return (info("answers-as-words", f'Words in column "{column}" are answers: {said}.', [column]),)
