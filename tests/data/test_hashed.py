"""A table of hashes numbers values as a dictionary does, or says that it cannot."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode import distinct as hashed  # its table of hashes
from equipoise.data.encode.distinct import codes_of_strings, codes_of_text

TEXT = st.text(alphabet=" aé1\U0001f600", max_size=5)


def slow(values):
    order = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return list(order), [order[value] for value in values], [values.index(value) for value in order]


def told(found):
    return found and (found[0], found[1].tolist(), found[2].tolist())


@pytest.mark.parametrize(("bits", "first"), [(20, 20_000), (2, 3)])
@given(values=st.lists(TEXT, min_size=1, max_size=30))
def test_as_a_dictionary(bits, first, values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashed, "BITS", bits)
        patch.setattr(hashed, "FIRST", first)
        found = [told(codes_of_strings(pl.Series(values, dtype=pl.String))), told(codes_of_text(np.array(values)))]
    for answer in found:
        assert answer in (slow(values), None)
        if bits == 20 and any(values):
            assert answer is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashed, "MOST_VALUES", 0)
        assert codes_of_strings(pl.Series(values)) is None


def test_a_late_name_and_many_names():
    late = ["x", "y"] * 30_000 + ["z"]
    assert told(codes_of_strings(pl.Series(late)))[0] == ["x", "y", "z"]
    many = [f"agent {k % 3000}" for k in range(60_000)]
    other = [f"agent {(k + 1) % 3000}" for k in range(60_000)]
    outcome = ["a"] * 60_000
    found = [
        eq.Matches.from_columns(many, other, outcome),
        eq.Matches.from_columns(np.array(many), np.array(other), np.array(outcome)),
        eq.Matches.from_columns(pl.Series(many), pl.Series(other), pl.Series(outcome)),
    ]
    for matches in found:
        assert matches.agents == tuple(f"agent {k}" for k in range(3000))
        assert matches.a.tolist() == [k % 3000 for k in range(60_000)]


ALIKE = st.sampled_from(
    [
        "", " ", "\0", "\0\0", "a\0", "twelve bytes", "twelve bytes\0", "twelve bytes!", "twelve bytes?",
        "thirteen byte", "model-001-chat", "model-001-chaT", "model-010-chat", "é" * 6, "é" * 6 + "e", "e\u0301",
        "\U0001f600" * 3,
    ]
)  # fmt: skip
"""Names that begin alike, with lengths around those up to which a column holds them in place."""


@pytest.mark.parametrize(("bits", "rows"), [(20, 1), (20, 3), (1, 3), (4, 100)])
@given(values=st.lists(ALIKE, min_size=1, max_size=40))
def test_names_that_are_much_alike_stay_apart_whatever_is_looked_at_together(bits, rows, values):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"BITS": bits, "FIRST": 2, "HASHES": rows, "STRINGS": rows}.items():
            patch.setattr(hashed, name, value)
        found = told(codes_of_strings(pl.Series(values, dtype=pl.String)))
    assert found in (slow(values), None)
    if bits == 20:
        assert found is not None


@pytest.mark.parametrize("rows", [1, 2, 100])
@given(values=st.lists(ALIKE, min_size=2, max_size=20))
def test_values_of_equal_hashes_are_not_made_one(rows, values):
    column, equal = np.array(values, dtype=object), np.full(len(values), 12345, dtype=np.uint64)

    def agree(codes, firsts):
        return bool((column[firsts][codes] == column).all())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashed, "HASHES", rows)
        found = hashed._coded(equal, agree)
    assert (found is not None) == (len(set(values)) == 1)


def test_too_many_values_are_noticed_in_the_first_rows_and_later(monkeypatch):
    monkeypatch.setattr(hashed, "MOST_VALUES", 3)
    monkeypatch.setattr(hashed, "FIRST", 4)
    assert codes_of_strings(pl.Series(["a", "b", "c", "d"] * 3)) is None
    assert codes_of_strings(pl.Series(["a", "b", "c", "c", "d"] * 3)) is None
    assert told(codes_of_strings(pl.Series(["a", "b", "c", "c"] * 3)))[0] == ["a", "b", "c"]


def test_a_missing_name_is_left_to_others():
    assert codes_of_strings(pl.Series(["a", None, "b"])) is None
