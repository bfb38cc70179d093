"""A table of hashes numbers values as a dictionary does, or says that it cannot."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode import distinct as hashed  # its table of hashes
from equipoise.data.encode.distinct import codes_of_text

TEXT = st.text(alphabet=" aé1\U0001f600", max_size=5)


def slow(values):
    order = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return list(order), [order[value] for value in values], [values.index(value) for value in order]


def told(found):
    return found and (found.values, found.codes.tolist(), found.places().tolist())


@pytest.mark.parametrize("bits", [20, 2])
@given(values=st.lists(TEXT, min_size=1, max_size=30))
def test_as_a_dictionary(bits, values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashed, "BITS", bits)
        found = told(codes_of_text(np.array(values)))
    assert found == slow(values)


def test_a_late_name_and_many_names():
    late = np.array(["x", "y"] * 30_000 + ["z"])
    assert told(codes_of_text(late))[0] == ["x", "y", "z"]
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
        "", " ", "twelve bytes", "twelve bytes!", "twelve bytes?", "thirteen byte", "model-001-chat", "model-001-chaT",
        "model-010-chat", "é" * 6, "é" * 6 + "e", "e\u0301", "\U0001f600" * 3,
    ]
)  # fmt: skip
"""Names that begin alike."""


@pytest.mark.parametrize(("bits", "rows"), [(20, 1), (20, 3), (1, 3), (4, 100)])
@given(values=st.lists(ALIKE, min_size=1, max_size=40))
def test_names_that_are_much_alike_stay_apart_whatever_is_looked_at_together(bits, rows, values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashed, "BITS", bits)
        patch.setattr(hashed, "PIECE", rows)
        found = told(codes_of_text(np.array(values)))
    assert found == slow(values)


@given(values=st.lists(ALIKE, min_size=2, max_size=20))
def test_values_of_equal_hashes_are_not_made_one(values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "matmul", lambda *_, out: out.fill(12345))
        found = codes_of_text(np.array(values))
    assert (found is not None) == (len(set(values)) == 1)
