"""Columns coded in bulk say what columns coded one by one say."""

from enum import Enum

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.core.errors import DataError
from equipoise.data.encode import distinct as module
from equipoise.data.encode.distinct import distinct
from equipoise.data.encode.labels import encode
from equipoise.data.encode.outcomes import _score

TEXT = st.text(alphabet=" ab\x1c\u00a0é1", max_size=3)


class Side(str, Enum):  # noqa: UP042  # a StrEnum is written as what it is equal to
    """A text that is written differently from what it is equal to."""

    LEFT = "left"


def slow(columns):
    """Code row by row, as anyone would write it."""
    lists = [["" if value is None else str(value).strip() for value in column] for column in columns]
    order = {}
    for row in zip(*lists, strict=True):
        for name in row:
            order.setdefault(name, len(order))
    return tuple(order), [[order[name] for name in names] for names in lists]


def coded(columns):
    labels, codes = encode([distinct(column, "a") for column in columns])
    return labels, [code.tolist() for code in codes]


@pytest.fixture(autouse=True)
def _in_bulk(monkeypatch):
    monkeypatch.setattr(module, "MANY", 1)


@given(st.lists(st.tuples(st.none() | TEXT, st.none() | TEXT), min_size=1))
def test_text(rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    assert coded(columns) == slow(columns)
    assert coded([pl.Series(column, dtype=pl.String) for column in columns]) == slow(columns)


@given(st.lists(st.one_of(st.integers(-3, 3), st.booleans(), st.floats(-1, 1), TEXT, st.none()), min_size=1))
def test_mixed(values):
    assert coded([values]) == slow([values])


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("far", [False, True])
def test_whole_numbers(kind, far):
    info = np.iinfo(kind)
    column = np.array([info.max, info.min, 5, info.max, 5] if far else [7, 3, 7, 4, 3], dtype=kind)
    for given_as in (column, column.tolist(), pl.Series(column)):
        assert coded([given_as]) == slow([column.tolist()])


@pytest.mark.parametrize(
    "column",
    [
        np.array(["x", "y ", "x"]),
        np.array(["x", 1, None], dtype=object),
        pl.Series(["x", None, "y"], dtype=pl.Categorical),
        pl.Series(["x", "y"], dtype=pl.Enum(["y", "x"])),
        pl.Series([3, None, 3]),
        pl.Series([], dtype=pl.Int64),
        ["x", "\ud800", "x"],
        [Side.LEFT, "left"],
        [10**30, 1],
        [1, True, 1.0],
        ("x", "y"),
        (name for name in "xyx"),
    ],
    ids=[
        "text", "objects", "categories", "enum", "numbers", "no-numbers", "surrogate", "string-enum", "large", "mixed",
        "tuple", "generator",
    ],
)  # fmt: skip
def test_other_columns(column):
    kept = list(column)
    given_again = iter(kept) if not hasattr(column, "__len__") else column
    assert coded([given_again]) == slow([kept])


def test_outcomes_read_once_are_those_read_row_by_row():
    rng = np.random.default_rng(3)
    a, b = rng.choice(list("xyz"), size=(2, 400))
    b = np.where(a == b, "v", b)
    words = rng.choice(["a", "[[B]]", "tie", " 0.25", "1"], size=400).tolist()
    winner = np.where(rng.random(400) < 0.5, a, b).tolist()
    numbers = [0, 1, 0.5, True] * 100
    for outcome in (words, winner, numbers, words[:200] + numbers[:200], np.array(words), pl.Series(winner)):
        found = eq.Matches.from_columns(a, b, outcome)
        each = [_score(one, other, value, 0) for one, other, value in zip(a, b, list(outcome), strict=True)]
        np.testing.assert_array_equal(found.outcome, each)
        assert [found.agents[code] for code in found.a] == a.tolist()


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (["a", "b", "who"], "row 3: unknown outcome"),
        (["a", "b", {}], "row 3: an outcome is a number or a word, not a dict"),
        (["a", "b", None], "outcome missing or outside"),
        (["a", "a"], "differ in length: 3, 3, 2"),
    ],
)
def test_strange_outcomes_are_named(outcome, message):
    with pytest.raises(DataError, match=message):
        eq.Matches.from_columns("xxy", "yzz", outcome)


def test_a_word_that_is_also_a_name_is_refused():
    with pytest.raises(DataError, match=r'row 2: outcome "b" is both'):
        eq.Matches.from_columns(["x", "b"], ["y", "a"], ["a", "b"])


NAMES = st.sampled_from(["", "\0", "a\0", "a", "twelve bytes", "twelve bytes!", "twelve bytes?", "é", "e\u0301", None])


@given(values=st.lists(NAMES, min_size=1, max_size=30))
def test_long_lists_are_coded_as_short_ones(values):
    expected = distinct(values, "a")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY", 1)
        patch.setattr(module, "LONG", 1)
        found = distinct(values, "a")
    assert list(found.values) == list(expected.values)
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.places().tolist() == expected.places().tolist()


def test_matches_share_nothing_with_the_columns_they_were_made_of():
    score, weight = np.array([1.0, 0.5, 0.0]), np.array([1.0, 2.0, 3.0])
    matches = eq.Matches.from_columns(["x", "y", "z"], ["y", "z", "x"], score, weight)
    score[:], weight[:] = 0.25, 7.0
    assert matches.outcome.tolist() == [1.0, 0.5, 0.0]
    assert matches.weights.tolist() == [1.0, 2.0, 3.0]
    assert not any(part.flags.writeable for part in (matches.a, matches.b, matches.outcome, matches.weights))


def test_outcomes_in_an_array_of_another_kind_become_plain_ones():
    masked = np.ma.masked_array([1.0, 0.0], mask=[False, False])
    assert type(eq.Matches.from_columns("xy", "yz", masked).outcome) is np.ndarray
