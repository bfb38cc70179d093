"""Columns of a match log that may be covariates: the same amount on each side, or a difference."""

import re
from collections.abc import Mapping, Sequence

from equipoise.core.errors import ColumnError, did_you_mean, some_of
from equipoise.data.readers.columns import by_plain_name, named, plain

SIDES = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
"""Parts of column names that say of which side an amount is."""
USUAL = {
    "length": ("len", "tokens", "n_tokens", "token_count", "chars", "n_chars", "num_chars", "words", "n_words",
               "output_length", "answer_length", "response_length", "sum_assistant_tokens"),
    "headers": ("header", "header_count", "n_headers", "headings"),
    "bold": ("bold_count", "n_bold", "bolds"),
    "lists": ("list", "list_count", "n_lists", "list_items"),
}  # fmt: skip
"""Covariates by the names that people ask for, and other names that their columns go by."""


def paired_columns(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Find columns that differ only in the side they are of, by the name that is left without it.

    >>> paired_columns(["model_a", "model_b", "length_a", "length_b", "winner"])
    {'model': ('model_a', 'model_b'), 'length': ('length_a', 'length_b')}
    """
    by_name = by_plain_name(tuple(columns))
    found: dict[str, tuple[str, str]] = {}
    for name in reversed(by_name):
        parts = name.split("_")
        for at, part in enumerate(parts):
            other = dict(SIDES).get(part)
            twin = None if other is None else by_name.get("_".join([*parts[:at], other, *parts[at + 1 :]]))
            left = "_".join([*parts[:at], *parts[at + 1 :]])
            if twin is not None and left:
                found.setdefault(left, (by_name[name], twin))
    return found


def usual_style(columns: Sequence[str]) -> list[str]:
    """Find pairs of columns that say how long or how richly set the two answers are, by their usual names.

    >>> usual_style(["model_a", "model_b", "token_count_a", "token_count_b", "bold_a", "bold_b"])
    ['token_count', 'bold']
    """
    pairs = paired_columns(columns)
    found = (next((name for name in (usual, *others) if name in pairs), None) for usual, others in USUAL.items())
    return [name for name in found if name is not None]


def covariate_columns(columns: Sequence[str], asked: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Give the columns behind each covariate asked for: one for each side, or one that is a difference.

    Fails when
        no such columns are there.
    """
    pairs = paired_columns(columns)
    return {name: _columns_of(name, columns, pairs) for name in dict.fromkeys(map(str.strip, asked))}


def _columns_of(name: str, columns: Sequence[str], pairs: Mapping[str, tuple[str, str]]) -> tuple[str, ...]:
    wanted = plain(name)
    alike = {wanted, re.sub(r"s$", "", wanted), f"{wanted}s"}
    for usual, others in USUAL.items():
        if alike & {usual, *others}:
            alike |= {usual, *others}
    exact = pairs.get(wanted)
    found = [pairs[each] for each in pairs if each in alike]
    if exact is not None:
        return exact
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        listed = some_of([f"{a}/{b}" for a, b in found])
        raise ColumnError(f'several pairs of columns may be the covariate "{name}": {listed}; name one of them')
    if name in columns:
        return (named(columns, name, "covariates"),)
    there = [each for each in pairs if each not in ("model", "player", "agent", "team", "winner")]
    raise ColumnError(
        f'no columns for the covariate "{name}"{did_you_mean(wanted, [*there, *USUAL])}: there is neither {name}_a with'
        f" {name}_b nor a column {name}; pairs of columns found: {some_of(there, 12) if there else 'none'}",
    )
