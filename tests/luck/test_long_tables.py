"""Long tables go through compiled loops: the same answers as short ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.labels import Factor
from equipoise.luck import duplicate as duplicate_module
from equipoise.luck import seating

COLUMNS = ("hands", "deals", "mean", "mean_stderr", "estimate", "stderr", "low", "high", "reduction")


def tables(seed: int, deals: int, seats: int, spoilt: bool) -> eq.Episodes:
    """Every deal in every seat for each of two agents, rows in any order; some rows missing if ``spoilt``."""
    rng = np.random.default_rng(seed)
    deal, seat, agent = (part.ravel() for part in np.meshgrid(range(deals), range(seats), range(2), indexing="ij"))
    order = rng.permutation(len(deal))[: -1 if spoilt else None]
    return eq.Episodes.from_factors(
        Factor(("x", "y"), agent[order].astype(np.int32)),
        Factor(tuple(f"deal {k}" for k in range(deals)), deal[order].astype(np.int32)),
        rng.normal(size=len(order)),
        seat=Factor(tuple(map(str, range(seats))), seat[order].astype(np.int32)),
    )


@given(st.integers(0, 10_000), st.integers(4, 20), st.integers(2, 4), st.booleans())
@settings(max_examples=40, deadline=None)
def test_duplicate_of_a_long_table(seed: int, deals: int, seats: int, spoilt: bool) -> None:
    data = tables(seed, deals, seats, spoilt)
    plain = eq.duplicate(data)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(duplicate_module, "LONG", 0)
        quick = eq.duplicate(data)
    for name in COLUMNS:
        np.testing.assert_allclose(getattr(quick, name), getattr(plain, name), rtol=1e-10, atol=1e-12, err_msg=name)
    assert quick.diagnostics == plain.diagnostics


@given(st.integers(0, 10_000), st.integers(1, 30), st.booleans())
@settings(max_examples=60, deadline=None)
def test_hands_of_a_long_table(seed: int, rows: int, named: bool) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (4, rows)).astype(np.int32)
    names = ("a", "b", "c")
    hand = Factor(names, codes[3]) if named else None
    data = eq.Episodes.from_factors(
        Factor(names, codes[0]), Factor(names, codes[1]), rng.normal(size=rows), seat=Factor(names, codes[2]), hand=hand
    )
    plain = seating.hand_codes(data)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(seating, "LONG", 0)
        assert seating.hand_codes(data).tolist() == plain.tolist()
        alone = seating.self_play(data, plain)
    assert alone.tolist() == seating.self_play(data, plain).tolist()
