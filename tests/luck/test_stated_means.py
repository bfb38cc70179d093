"""A control's stated mean is held against its own values; logs without a control get plain means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq


def one_seat_a_deal(seed, offset=0.0, deals=400, **given):
    """Two agents alternate; the control is on one side of each deal only, so nobody can add it up over the seats."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(size=deals) * 10
    columns = {"seat": rng.permutation(np.arange(deals) % 2), "controls": {"bot": luck + offset}}
    return eq.Episodes.from_columns(["x", "y"] * (deals // 2), np.arange(deals), luck + 5, **columns | given)


def test_a_mean_that_the_control_refutes_is_refused_with_what_to_do():
    with pytest.raises(
        eq.DataError, match=r'control "bot" averages .* standard errors from its stated mean 0'
    ) as error:
        eq.baseline(one_seat_a_deal(1, offset=60), control="bot")
    assert "mean" in str(error.value)
    assert "estimate" in str(error.value)
    found = eq.baseline(one_seat_a_deal(1, offset=60), control="bot", mean=60)
    np.testing.assert_allclose(found.estimate, 5, atol=0.1)


@pytest.mark.parametrize("mean", [3.0, {"0": 8.0, "1": -8.0}])
def test_a_stated_number_or_one_for_each_seat_is_held_against_the_values_too(mean):
    with pytest.raises(eq.DataError, match="standard errors from its stated mean"):
        eq.baseline(one_seat_a_deal(2), control="bot", mean=mean)


def test_few_or_skewed_deals_are_only_doubted():
    few = eq.baseline(one_seat_a_deal(3, offset=100, deals=20), control="bot")
    assert "control-mean" in [note.code for note in few.diagnostics]


def test_control_variates_refuse_a_wrong_mean_and_allow_for_an_estimated_one():
    rng = np.random.default_rng(4)
    y = rng.normal(size=500) + 1
    x = y + rng.normal(size=500)
    with pytest.raises(eq.DataError, match=r"the control averages 1.* over 500 samples"):
        eq.control_variates(x, y)
    assert eq.control_variates(x, y, mean_stderr=0.5).diagnostics == ()
    assert eq.control_variates(x, y, mean=1).diagnostics == ()


@given(st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 5), st.integers(-9, 9)), min_size=2, max_size=30))
def test_plain_means_agree_with_their_formula(rows):
    agent, deal, utility = zip(*rows, strict=True)
    hands = eq.Episodes.from_columns(agent, deal, np.array(utility, float), seat=[0] * len(rows), hand=range(len(rows)))
    own = {a: [(d, u) for b, d, u in rows if a == b] for a in hands.agents}
    if any(len({d for d, _ in mine}) < 2 for mine in own.values()):
        with pytest.raises(eq.DataError, match="at least 2"):
            eq.methods.plain_mean(hands)
        return
    table = eq.methods.plain_mean(hands)
    for name, mean, stderr in zip(table.agents, table.estimate, table.stderr, strict=True):
        mine = own[name]
        expected = sum(u for _, u in mine) / len(mine)
        deals = {d for d, _ in mine}
        squares = sum(sum(u - expected for e, u in mine if e == d) ** 2 for d in deals)
        assert mean == pytest.approx(expected)
        assert stderr == pytest.approx(np.sqrt(len(deals) / (len(deals) - 1) * squares) / len(mine), abs=1e-12)


def test_a_log_without_control_or_duplicates_gets_its_plain_means(tmp_path):
    log = tmp_path / "hands.csv"
    log.write_text("hand,agent,utility,aivat\n" + "".join(f"{k},{'xy'[k % 2]},{k % 5},{k % 3}\n" for k in range(40)))
    hands = eq.remove_luck(log)
    assert hands.method == "plain"
    assert "plain-mean" in [note.code for note in hands.diagnostics]
    assert "wins most" in hands.answer[0]
    adjusted = eq.remove_luck(log, read=eq.ReadOptions(score="aivat"), method="plain")
    assert adjusted.means.estimate.tolist() == pytest.approx(
        [np.mean([k % 3 for k in range(p, 40, 2)]) for p in (0, 1)]
    )
    assert "plain-mean" not in [note.code for note in adjusted.diagnostics]
    with pytest.raises(eq.ParameterError, match="does not go with"):
        eq.remove_luck(log, control="x", method="plain")
