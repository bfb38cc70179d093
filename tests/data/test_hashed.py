"""A table of hashes numbers values as a dictionary does, or says that it cannot."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data import hashed
from equipoise.data.hashed import codes_of_strings, codes_of_text

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
