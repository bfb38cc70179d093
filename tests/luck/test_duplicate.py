"""Duplicate deals: which count, what they give, and what is refused."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.luck.games import CALLER, MANIAC, ROCK, UNIFORM, kuhn, leduc, play


def duplicate_hands(deals: int, orders: list[tuple[int, ...]]) -> eq.Episodes:
    bots = [MANIAC, ROCK, UNIFORM]
    agent, deal, utility, seat = [], [], [], []
    number = 0
    for seed in range(deals):
        for order in orders:
            number += 1
            table = [bots[who] for who in order]
            won = play(kuhn(3), table, seed, repeat=number).utilities
            agent += [bot.name for bot in table]
            deal += [seed] * 3
            utility += won
            seat += [0, 1, 2]
    return eq.Episodes.from_columns(agent, deal, utility, seat=seat)


ROTATIONS = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
ALL = [*ROTATIONS, (0, 2, 1), (2, 1, 0), (1, 0, 2)]


def test_the_estimate_is_the_mean_of_deal_means() -> None:
    e = duplicate_hands(40, ROTATIONS)
    result = eq.duplicate(e)
    mine = e.agent.codes == e.agents.index("rock")
    means = [e.utility[mine & (e.deal.codes == d)].mean() for d in range(40)]
    row = result.agents.index("rock")
    assert result.estimate[row] == pytest.approx(np.mean(means), abs=1e-12)
    assert result.stderr[row] == pytest.approx(np.std(means, ddof=1) / np.sqrt(40), rel=1e-12)
    assert result.deals[row] == 40
    assert result.hands[row] == 120


def test_rotations_are_balanced_and_all_orders_are_full() -> None:
    rotations, every = duplicate_hands(10, ROTATIONS), duplicate_hands(10, ALL)
    assert (eq.duplicate(rotations, permutations="balanced").deals == 10).all()
    assert (eq.duplicate(every, permutations="full").hands == 60).all()
    with pytest.raises(eq.DataError, match="in all orders of the players"):
        eq.duplicate(rotations, permutations="full")


def test_zero_sum_estimates_add_up_to_zero() -> None:
    result = eq.duplicate(duplicate_hands(25, ALL))
    assert result.estimate.sum() == pytest.approx(0.0, abs=1e-12)


def test_identical_players_have_no_luck_left_when_nobody_rolls_dice() -> None:
    won = [play(leduc(), [CALLER, CALLER], seed).utilities for seed in range(20)]
    utility = [u for pair in won for u in (pair[0], pair[1], pair[0], pair[1])]
    e = eq.Episodes.from_columns(["x", "y", "y", "x"] * 20, np.repeat(range(20), 4), utility, seat=[0, 1, 0, 1] * 20)
    result = eq.duplicate(e)
    np.testing.assert_allclose(result.estimate, 0.0, atol=1e-12)
    np.testing.assert_allclose(result.stderr, 0.0, atol=1e-12)
    assert np.isposinf(result.multiplier).all()
    assert result.to_dict()["agents"][0]["multiplier"] is None
    assert "no-variance-left" in [d.code for d in result.diagnostics]


def test_deals_that_appear_once_are_left_out_and_counted() -> None:
    e = eq.Episodes.from_columns(["x"] * 7, [1, 1, 2, 2, 3, 3, 9], [5, -4, -2, 3, 1, 0, 100], seat=[0, 1] * 3 + [0])
    result = eq.duplicate(e)
    assert result.estimate.tolist() == [0.5]
    assert [d.code for d in result.diagnostics if d.severity == "warning"] == ["incomplete-deals"]
    assert "1 deals" in result.diagnostics[0].message or "9" in result.diagnostics[0].message


def test_a_deal_that_hurts_is_said_to() -> None:
    e = eq.Episodes.from_columns(["x"] * 6, [1, 1, 2, 2, 3, 3], [5, 5.5, -5, -5.5, 1, 1], seat=[0, 1] * 3)
    result = eq.duplicate(e)
    assert (result.reduction < 0).all()
    assert "duplicate-hurts" in [d.code for d in result.diagnostics]


def test_a_team_shares_out_the_seats() -> None:
    # Each human sits on one side of a deal only; together they are a duplicate pair.
    e = eq.Episodes.from_columns(
        ["ann", "bob"] * 4, np.repeat(range(4), 2), [3, -2, -1, 2, 0, 1, 2, -1], seat=[0, 1] * 4
    )
    with pytest.raises(eq.DataError, match="ann: none of 4 deals"):
        eq.duplicate(e)
    result = eq.duplicate(e, by="team", teams={"ann": "humans", "bob": "humans"})
    assert result.agents == ("humans",)
    assert result.estimate.tolist() == [0.5]


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"seat": [0, 0, 0, 0]}, {}, "seats were never swapped"),
        ({}, {}, "needs a seat column"),
        ({"seat": [0, 1, 0, 1], "deal": [1, 2, 3, 4]}, {}, "4 were played once"),
        ({"deal": [1, 2, 3, 4]}, {"permutations": "any"}, "at least twice"),
        ({"seat": [0, 1, 0, 1]}, {"permutations": "some"}, "permutations is balanced, full or any, not"),
        ({"seat": [0, 1, 0, 1], "deal": [1, 1, 1, 1]}, {}, "at least 2 independent deals"),
    ],
)
def test_bad_input_is_answered_in_one_line(columns: dict, options: dict, words: str) -> None:
    given = {"deal": [1, 1, 2, 2]} | columns
    e = eq.Episodes.from_columns(["x"] * 4, given["deal"], [1.0, 2.0, 3.0, 5.0], seat=given.get("seat"))
    with pytest.raises(eq.EquipoiseError, match=words) as caught:
        eq.duplicate(e, **options)
    assert "\n" not in str(caught.value)


def test_missing_utilities_never_get_this_far() -> None:
    with pytest.raises(eq.DataError, match="rows 2"):
        eq.Episodes.from_columns(["x", "x"], [1, 1], [1.0, np.nan], seat=[0, 1])
