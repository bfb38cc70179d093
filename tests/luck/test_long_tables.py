"""Long tables go through compiled loops: the same answers as short ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.luck import baseline as baseline_module
from equipoise.luck import controls, seating
from equipoise.luck import duplicate as duplicate_module

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
        for module in (seating, duplicate_module):
            patched.setattr(module, "LONG", 0)
        quick = eq.duplicate(data)
    for name in COLUMNS:
        np.testing.assert_allclose(getattr(quick, name), getattr(plain, name), rtol=1e-10, atol=1e-12, err_msg=name)
    assert quick.diagnostics == plain.diagnostics


@given(st.integers(0, 10_000), st.integers(4, 20), st.sampled_from(["fitted", "cross-fitted", -0.7]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_baseline_of_a_long_table(seed: int, deals: int, coefficient: object, cluster: bool) -> None:
    rng = np.random.default_rng(seed)
    deal, agent = np.repeat(np.arange(deals), 4).astype(np.int32), np.tile([0, 1, 1, 0], deals).astype(np.int32)
    seat = np.tile([0, 1], 2 * deals).astype(np.int32)
    side = np.where(seat == 0, 1.0, -1.0)
    luck = rng.normal(size=deals)[deal] * side
    data = eq.Episodes.from_factors(
        Factor(("x", "y"), agent),
        Factor(tuple(map(str, range(deals))), deal),
        luck + rng.normal(size=4 * deals) * (seed % 2) + np.repeat(rng.normal(size=2 * deals), 2) * side,
        seat=Factor(("0", "1"), seat),
        controls={"bot": luck + 0.1 * rng.normal(size=deals)[deal] * side},
    )
    options = {"control": "bot", "coefficient": coefficient, "folds": 2, "cluster": cluster}
    plain = eq.baseline(data, **options)
    with pytest.MonkeyPatch.context() as patched:
        for module in (seating, controls, baseline_module):
            patched.setattr(module, "LONG", 0)
        quick = eq.baseline(data, **options)
    for name in (*COLUMNS, "coefficient", "multiplier"):
        np.testing.assert_allclose(getattr(quick, name), getattr(plain, name), rtol=1e-7, atol=1e-9, err_msg=name)
    assert [note.code for note in quick.diagnostics] == [note.code for note in plain.diagnostics]


@pytest.mark.parametrize("coefficient", ["fitted", -0.7])
def test_a_stated_mean_is_taken_off_once_from_deals_of_unequal_numbers_of_hands(coefficient: object) -> None:
    rng = np.random.default_rng(4)
    deal = np.repeat(np.arange(30), rng.integers(1, 5, size=30)).astype(np.int32)
    luck = rng.normal(size=30)[deal]
    data = eq.Episodes.from_factors(
        Factor(("x",), np.zeros(len(deal), dtype=np.int32)),
        Factor(tuple(map(str, range(30))), deal),
        luck + rng.normal(size=len(deal)),
        seat=Factor(("0",), np.zeros(len(deal), dtype=np.int32)),
        controls={"bot": 60.0 + luck},
    )
    plain = eq.baseline(data, control="bot", mean=60.0, coefficient=coefficient)
    with pytest.MonkeyPatch.context() as patched:
        for module in (seating, controls, baseline_module):
            patched.setattr(module, "LONG", 0)
        quick = eq.baseline(data, control="bot", mean=60.0, coefficient=coefficient)
    for name in COLUMNS:
        np.testing.assert_allclose(getattr(quick, name), getattr(plain, name), rtol=1e-7, atol=1e-9, err_msg=name)


@given(st.integers(0, 10_000), st.integers(2, 12), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_hands_that_do_not_add_up_in_a_long_table(seed: int, hands: int, named: bool, mixed: bool, off: bool) -> None:
    """Written hand by hand or in any order, with self-play among them."""
    rng = np.random.default_rng(seed)
    deal = np.repeat(rng.integers(0, 3, hands), 2).astype(np.int32)
    seat = np.tile([0, 1], hands).astype(np.int32)
    agent, won = rng.integers(0, 2, 2 * hands).astype(np.int32), rng.normal(size=hands)
    utility = np.stack([won, off * rng.normal(size=hands) - won], axis=1).ravel()
    order = rng.permutation(2 * hands) if mixed else np.arange(2 * hands)
    hand = Factor(tuple(map(str, range(hands))), np.repeat(np.arange(hands), 2).astype(np.int32)[order])
    data = eq.Episodes.from_factors(
        Factor(("x", "y"), agent[order]),
        Factor(("a", "b", "c"), deal[order]),
        utility[order],
        seat=Factor(("0", "1"), seat[order]),
        hand=hand if named else None,
    )
    plain = controls.unbalanced_hands(data)
    with pytest.MonkeyPatch.context() as patched:
        for module in (seating, controls):
            patched.setattr(module, "LONG", 0)
        assert controls.unbalanced_hands(data) == plain
