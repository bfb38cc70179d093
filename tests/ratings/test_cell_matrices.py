"""Small matrices are kept whole, large ones sparse: the same numbers either way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.ratings.paired import model as paired_model
from equipoise.ratings.paired.model import (
    PairedModel,
    by_unknown,
    incidence,
    laplacian,
    one_cell_each,
    pairs_of_cells,
    scaled_rows,
    whole,
    with_column,
)


@st.composite
def models(draw):
    agents = draw(st.integers(2, 7))
    sided = st.tuples(st.integers(0, agents - 1), st.integers(1, agents - 1))
    met = draw(st.lists(sided.map(lambda pair: (pair[0], (pair[0] + pair[1]) % agents)), min_size=1, unique=True))
    first, second = (np.array(side, dtype=np.int32) for side in zip(*met, strict=True))
    return PairedModel(agents, first, second, "half", draw(st.booleans()), np.zeros(agents, dtype=np.int64))


def either(model):
    """Everything about a model that the two kinds of matrices share."""
    weight = np.arange(1.0, len(model.first) + 1)
    cells, pairs = incidence(model), pairs_of_cells(model)
    return [
        whole(cells), whole(pairs), whole(laplacian(model, weight)), one_cell_each(pairs), whole(by_unknown(cells)),
        whole(scaled_rows(weight, cells)), whole(with_column(cells, weight)), abs(pairs) @ weight,
    ]  # fmt: skip


@given(models())
def test_whole_and_sparse_matrices_are_the_same(model):
    with pytest.MonkeyPatch.context() as patch:
        small = either(model)
        patch.setattr(paired_model, "SMALL", 0)
        assert not isinstance(incidence(model), np.ndarray)
        large = either(model)
    for one, other in zip(small, large, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("group", [None, np.arange(120) % 9])
def test_a_verdict_does_not_depend_on_the_kind(side, group, monkeypatch):
    rng = np.random.default_rng(2)
    a = rng.integers(6, size=120)
    b = (a + rng.integers(1, 6, size=120)) % 6
    games = eq.Matches.from_columns(a.astype(str), b.astype(str), rng.choice([0, 0.5, 1], size=120), group=group)
    small = eq.transitivity(games, side=side, rng=1)
    monkeypatch.setattr(paired_model, "SMALL", 0)
    large = eq.transitivity(games, side=side, rng=1)
    assert small.text == large.text
    assert (small.p_value, small.pearson) == pytest.approx((large.p_value, large.pearson))
    np.testing.assert_allclose(small.misfit, large.misfit)
