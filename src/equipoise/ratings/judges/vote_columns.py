"""Who voted on what: the columns of matches that say it."""

from collections.abc import Sequence

import numpy as np

from equipoise.core.errors import ParameterError, did_you_mean, some_of
from equipoise.core.wording import Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches

JUDGES = ("judge", "rater", "worker", "voter", "annotator", "judge_hash", "user_id", "user", "evaluator")
"""Names that columns of judges go by."""
ITEMS = ("item", "item_id", "question_id", "prompt_id", "instruction_id", "id", "question", "prompt", "instruction")
"""Names that columns of what was judged go by, the narrower first."""


def found_column(matches: Matches, option: str, name: str | None, usual: Sequence[str]) -> Factor | None:
    """Give the column that was named, or the first label with a usual name; None where there is none."""
    if name is not None:
        return named_column(matches, option, name)
    return next((_complete(matches, option, each) for each in usual if each in matches.labels), None)


def named_column(matches: Matches, option: str, name: str) -> Factor:
    """Give a label by its name, or the matches' own task or group.

    Fails when
        the matches have no such column.
    """
    if name in matches.labels:
        return _complete(matches, option, name)
    own = {"task": matches.task, "group": matches.group}.get(name)
    if own is None:
        there = [*matches.labels, *(key for key in ("task", "group") if getattr(matches, key) is not None)]
        listed = f"; there are: {some_of(there)}" if there else "; keep it with read_matches(..., labels=[...])"
        raise ParameterError(
            Option(option), f' "{name}" is no label of these matches{did_you_mean(name, there)}{listed}'
        )
    return own


def _complete(matches: Matches, option: str, name: str) -> Factor:
    """Refuse a column in which names are missing."""
    column = matches.labels[name]
    empty = [k for k, label in enumerate(column.labels) if not label.strip()]
    rows = np.flatnonzero(np.isin(column.codes, empty)) + 1
    if len(rows):
        raise ParameterError(Option(option), f' "{name}" is empty in rows {some_of(rows)}')
    return column
