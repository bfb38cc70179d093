"""Baseline on tables of hands: controls as columns and as rows, seats, teams, pairs, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.luck.games import BLUFFER, HONEST, MANIAC, ROCK, Bot, Poker, kuhn, leduc, play


def hands(
    bots: list[Bot],
    *,
    game: Poker,
    deals: int,
    control: Bot = HONEST,
    repeats: int = 1,
    swap: bool = True,
    first: int = 0,
) -> pl.DataFrame:
    """Single deals, seats drawn by turns, with the control as a column and as self-play rows."""
    rows = []
    for seed in range(first, first + deals):
        turn = seed % game.seats if swap else 0
        table = bots[turn:] + bots[:turn]
        plays = [play(game, [control] * game.seats, seed, repeat=r + 1).utilities for r in range(repeats)]
        own = np.mean(plays, axis=0)
        won = play(game, table, seed).utilities
        rows += [(seed, f"{seed}-0", s, bot.name, won[s], own[s]) for s, bot in enumerate(table)]
        rows += [
            (seed, f"{seed}-{r + 1}", s, control.name, plays[r][s], own[s])
            for r in range(repeats)
            for s in range(game.seats)
        ]
    return pl.DataFrame(rows, schema=["deal", "hand", "seat", "agent", "utility", "column"], orient="row")


def episodes(table: pl.DataFrame, *, hand: bool = True) -> eq.Episodes:
    columns = {"seat": table["seat"], "controls": {"column": table["column"]}}
    if hand:
        columns["hand"] = table["hand"]
    return eq.Episodes.from_columns(table["agent"], table["deal"], table["utility"], **columns)


@pytest.fixture(scope="module")
def leduc_hands() -> pl.DataFrame:
    return hands([ROCK, MANIAC], game=leduc(), deals=300, control=BLUFFER, repeats=3)


def test_the_estimate_is_that_of_control_variates(leduc_hands: pl.DataFrame) -> None:
    result = eq.baseline(episodes(leduc_hands), control="column")
    mine = leduc_hands.filter(pl.col("agent") == "rock")
    direct = eq.control_variates(mine["utility"].to_numpy(), mine["column"].to_numpy())
    row = result.agents.index("rock")
    for name in ("estimate", "stderr", "low", "high", "reduction", "multiplier", "mean"):
        assert getattr(result, name)[row] == pytest.approx(getattr(direct, name), rel=1e-12), name
    assert result.coefficient[row, 0] == pytest.approx(direct.coefficient, rel=1e-12)


@pytest.mark.parametrize("hand", [True, False], ids=["hands given", "hands inferred"])
def test_controls_as_rows_and_as_a_column_are_the_same(leduc_hands: pl.DataFrame, hand: bool) -> None:
    e = episodes(leduc_hands, hand=hand)
    by_rows = eq.baseline(e, control="bluffer")
    played = episodes(leduc_hands.filter(pl.col("agent") != "bluffer"), hand=hand)
    by_column = eq.baseline(played, control="column")
    assert by_rows.agents == by_column.agents == ("rock", "maniac")
    np.testing.assert_allclose(by_rows.estimate, by_column.estimate, rtol=1e-12)
    np.testing.assert_allclose(by_rows.stderr, by_column.stderr, rtol=1e-12)


def test_a_control_that_also_competes_gives_only_its_self_play() -> None:
    table = hands([HONEST, MANIAC], game=kuhn(), deals=100, control=HONEST)
    e = episodes(table)
    result = eq.baseline(e, control="honest", coefficient=-1.0)
    assert result.agents == ("honest", "maniac")
    assert result.hands.tolist() == [100, 100]
    np.testing.assert_allclose(result.estimate, eq.baseline(e, control="column", coefficient=-1.0).estimate, rtol=1e-12)


def test_two_players_estimates_mirror_each_other(leduc_hands: pl.DataFrame) -> None:
    result = eq.baseline(episodes(leduc_hands), control="bluffer")
    assert result.estimate[0] == pytest.approx(-result.estimate[1], abs=1e-12)
    assert result.stderr[0] == pytest.approx(result.stderr[1], abs=1e-12)


def test_pairs_name_both_and_count_their_hands_once() -> None:
    one = hands([ROCK, MANIAC], game=kuhn(), deals=60)
    two = hands([ROCK, BLUFFER], game=kuhn(), deals=40, first=60)
    result = eq.baseline(episodes(pl.concat([one, two])), control="honest", by="pair")
    assert result.agents == ("rock vs maniac", "rock vs bluffer")
    assert result.hands.tolist() == [60, 40]


def test_three_players_have_ordered_pairs() -> None:
    table = hands([ROCK, MANIAC, BLUFFER], game=kuhn(3), deals=60)
    result = eq.baseline(episodes(table), control="honest", by="pair")
    assert len(result.agents) == 6
    assert "maniac vs rock" in result.agents
    assert "rock vs maniac" in result.agents


def test_a_team_pools_its_members() -> None:
    one = hands([ROCK, MANIAC], game=kuhn(), deals=60)
    two = hands([BLUFFER, MANIAC], game=kuhn(), deals=40, first=60)
    e = episodes(pl.concat([one, two]))
    teams = {"rock": "humans", "bluffer": "humans", "maniac": "machine"}
    result = eq.baseline(e, control="honest", by="team", teams=teams)
    assert result.agents == ("humans", "machine")
    assert result.hands.tolist() == [100, 100]
    assert result.mean[0] == pytest.approx(-result.mean[1])


def test_hands_of_a_deal_are_one_cluster(leduc_hands: pl.DataFrame) -> None:
    copies = pl.concat([leduc_hands, leduc_hands.with_columns(pl.col("hand") + "again")])
    once, twice = (eq.baseline(episodes(t), control="column") for t in (leduc_hands, copies))
    np.testing.assert_allclose(twice.estimate, once.estimate, rtol=1e-9)
    np.testing.assert_allclose(twice.stderr, once.stderr, rtol=1e-9)
    apart = eq.baseline(episodes(copies), control="column", cluster=False)
    assert (apart.stderr < 0.8 * twice.stderr).all()
    assert any(d.code == "deals-shared" for d in twice.diagnostics)


def test_deals_played_in_every_seat_leave_nothing_to_the_control() -> None:
    e = eq.load("hands-kuhn2")
    rows = np.flatnonzero(np.char.startswith(np.array(e.deal.labels)[e.deal.codes], "d"))
    table = pl.DataFrame(
        {
            "deal": np.array(e.deal.labels)[e.deal.codes[rows]],
            "hand": np.array(e.hand.labels)[e.hand.codes[rows]],
            "seat": e.seat.codes[rows],
            "agent": np.array(e.agents)[e.agent.codes[rows]],
            "utility": e.utility[rows],
            "column": e.controls["honest"][rows],
        }
    )
    result = eq.baseline(episodes(table), control="column")
    same = eq.duplicate(episodes(table))
    assert any(d.code == "control-cancels" for d in result.diagnostics)
    np.testing.assert_allclose(result.estimate, same.estimate, atol=1e-12)


def test_a_value_for_each_seat_needs_no_swapping() -> None:
    table = hands([ROCK, MANIAC], game=kuhn(), deals=200, swap=False)
    e = episodes(table)
    with pytest.raises(eq.DataError, match="never swapped"):
        eq.baseline(e, control="column")
    # Honest against honest in Kuhn is a fair game for both seats.
    result = eq.baseline(e, control="column", mean={"0": 0.0, "1": 0.0})
    assert result.hands.tolist() == [200, 200]
    given = eq.baseline(e, control="column", mean=0.0)
    np.testing.assert_allclose(result.estimate, given.estimate)


def test_an_expectation_estimated_from_spare_deals_adds_its_variance() -> None:
    table = hands([ROCK, MANIAC], game=kuhn(), deals=100, control=BLUFFER, swap=False)
    spare = hands([ROCK, MANIAC], game=kuhn(), deals=400, control=BLUFFER, first=100).filter(
        pl.col("agent") == "bluffer"
    )
    e = episodes(pl.concat([table, spare]))
    result = eq.baseline(e, control="bluffer", mean="estimate", coefficient=-1.0)
    known = eq.baseline(e, control="bluffer", mean={"0": -0.03, "1": 0.03}, coefficient=-1.0)
    own = spare.filter(pl.col("seat") == 0)["utility"].to_numpy()
    extra = own.var(ddof=1) / len(own)
    assert result.stderr[0] ** 2 == pytest.approx(known.stderr[0] ** 2 + extra, rel=1e-9)
    assert [d.code for d in result.diagnostics] == ["estimated-mean"]
    with pytest.raises(eq.DataError, match="deals that nobody else played"):
        eq.baseline(episodes(table), control="bluffer", mean="estimate")


def test_each_of_several_controls_is_expected_to_do_as_on_its_own_spare_deals() -> None:
    rng = np.random.default_rng(2)
    rows, spare = [], {"p": [], "q": []}
    edge = {"p": 1.0, "q": -0.5}  # of seat 0, in self-play
    adjusted = []
    own: dict[tuple[int, str], float] = {}
    for deal in range(120):
        who = ("p", "q") if deal < 60 else ("p" if deal < 85 else "q",)
        for name in who:
            own[deal, name] = edge[name] + rng.normal()
            rows += [(deal, f"{deal}{name}", seat, name, sign * own[deal, name]) for seat, sign in ((0, 1), (1, -1))]
        if deal >= 60:
            spare[who[0]].append(own[deal, who[0]])
            continue
        won, turn = own[deal, "p"] + 0.5 * own[deal, "q"] + rng.normal(), deal % 3 == 0
        rows += [(deal, f"{deal}x", int(turn), "x", won), (deal, f"{deal}x", int(not turn), "y", -won)]
    for deal, _, seat, name, won in rows:
        if name == "x":
            sign = 1 - 2 * seat
            away = {each: sign * (own[deal, each] - np.mean(spare[each])) for each in "pq"}
            adjusted.append(won - away["p"] - 0.5 * away["q"])
    deal, hand, seat, agent, utility = zip(*rows, strict=True)
    table = eq.Episodes.from_columns(agent, deal, utility, seat=seat, hand=hand)
    result = eq.baseline(table, control=["p", "q"], mean="estimate", coefficient=[-1.0, -0.5])
    at = result.agents.index("x")
    assert result.estimate[at] == pytest.approx(np.mean(adjusted), rel=1e-9)
    # x sat in seat 0 on two deals of three: a third of an error is left. The errors of p and q may agree.
    errors = [np.std(spare[name], ddof=1) / np.sqrt(len(spare[name])) / 3 for name in "pq"]
    within = np.var(adjusted, ddof=1) / len(adjusted)
    assert result.stderr[at] ** 2 == pytest.approx(within + (errors[0] + 0.5 * errors[1]) ** 2, rel=1e-9)


def test_a_game_that_is_not_zero_sum_is_refused_or_centred() -> None:
    table = hands([ROCK, MANIAC], game=kuhn(), deals=100).with_columns(pl.col("column") + 1.0, pl.col("utility") + 1.0)
    e = episodes(table)
    with pytest.raises(eq.DataError, match="does not add up to zero"):
        eq.baseline(e, control="column")
    plain = episodes(hands([ROCK, MANIAC], game=kuhn(), deals=100))
    centred = eq.baseline(eq.methods.zero_sum(e), control="column")
    np.testing.assert_allclose(centred.estimate, eq.baseline(plain, control="column").estimate, atol=1e-12)


def test_utilities_that_do_not_add_up_are_a_warning_where_the_control_does() -> None:
    table = hands([ROCK, MANIAC], game=kuhn(), deals=50).with_columns(pl.col("utility") + 0.5)
    result = eq.baseline(episodes(table), control="column")
    assert "not-zero-sum" in [d.code for d in result.diagnostics]


def test_one_agents_hands_on_duplicate_deals_are_not_taken_for_its_self_play() -> None:
    e = eq.Episodes.from_columns(["x"] * 8, [1, 1, 2, 2, 3, 3, 4, 4], [3, -1, 2, 0, 1, 4, -2, 2], seat=[0, 1] * 4)
    result = eq.duplicate(e)
    assert result.hands.tolist() == [8]


def test_a_control_that_hurts_is_named() -> None:
    table = hands([ROCK, MANIAC], game=kuhn(), deals=100)
    noisy = table.with_columns(
        column=pl.when(pl.col("seat") == 0).then(1.0).otherwise(-1.0) * (pl.col("deal") % 7 - 3) * 9
    )
    result = eq.baseline(episodes(noisy), control="column", coefficient=-1.0)
    assert "control-hurts" in [d.code for d in result.diagnostics]
    assert (result.reduction < 0).all()


def test_the_result_is_sorted_in_its_frame_and_strict_json(leduc_hands: pl.DataFrame) -> None:
    result = eq.baseline(episodes(leduc_hands), control=["column"])
    frame = result.frame()
    assert frame["estimate"].is_sorted(descending=True)
    body = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert {"agents", "params", "diagnostics", "coefficient", "interval"} <= set(body)
    with pytest.raises(ValueError, match="read-only"):
        result.estimate[0] = 0.0


def test_relabelling_changes_nothing_but_labels(leduc_hands: pl.DataFrame) -> None:
    one = eq.baseline(episodes(leduc_hands), control="column")
    two = eq.baseline(
        episodes(leduc_hands.with_columns("x" + pl.col("agent"), pl.col("deal") + 1000)), control="column"
    )
    np.testing.assert_array_equal(one.estimate, two.estimate)
    np.testing.assert_array_equal(one.stderr, two.stderr)


KUHN = hands([ROCK, MANIAC], game=kuhn(), deals=30)


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({}, {"control": "colum"}, 'did you mean "column"'),
        ({}, {"control": []}, "at least one control"),
        ({}, {"control": "rock"}, "never plays against itself"),
        ({"column": pl.lit(1.5)}, {"control": "column", "mean": 1.5}, "no variance"),
        (
            {"column": pl.when(pl.col("deal") == 7).then(None).otherwise(pl.col("column"))},
            {"control": "column"},
            "deals: 7",
        ),
        ({"seat": pl.lit(0)}, {"control": "column"}, "never swapped"),
        ({}, {"control": "column", "by": "team"}, 'by="team" and teams'),
        ({}, {"control": "column", "by": "team", "teams": {"roc": "A"}}, 'did you mean "rock"'),
        ({}, {"control": "column", "by": "seat"}, "by is agent, pair or team, not"),
        ({}, {"control": "column", "mean": {"0": 1.0}}, "no value for seat 1"),
        ({}, {"control": "column", "mean": "guess"}, "estimate"),
        ({}, {"control": "column", "mean": float("nan")}, "mean is a number or a mapping, or estimate, not nan"),
        ({}, {"control": "column", "level": 0.0}, "level"),
        ({}, {"control": "column", "coefficient": "best"}, "cross-fitted"),
    ],
)
def test_bad_input_is_answered_in_one_line(change: dict, options: dict, words: str) -> None:
    table = KUHN.with_columns(**change)
    with pytest.raises(eq.EquipoiseError, match=words) as caught:
        eq.baseline(episodes(table), **options)
    assert "\n" not in str(caught.value)


def test_seats_that_are_never_swapped_are_refused_however_few_the_hands() -> None:
    table = hands([ROCK, MANIAC], game=leduc(), deals=4, swap=False)
    with pytest.raises(eq.DataError, match="never swapped"):
        eq.baseline(episodes(table), control="column")


def test_seats_that_are_hardly_ever_swapped_are_refused() -> None:
    often = hands([ROCK, MANIAC], game=leduc(), deals=60, swap=False)
    seldom = hands([MANIAC, ROCK], game=leduc(), deals=10, swap=False, first=60)
    with pytest.raises(eq.DataError, match='rock sat in seat "0" in 60 of 70 hands'):
        eq.baseline(episodes(pl.concat([often, seldom])), control="column")


def test_uneven_seats_are_doubted() -> None:
    table = pl.concat(
        [
            hands([ROCK, MANIAC], game=leduc(), deals=10, swap=False),
            hands([MANIAC, ROCK], game=leduc(), deals=1, swap=False, first=10),
        ]
    )
    result = eq.baseline(episodes(table), control="column")
    assert "seats-uneven" in [d.code for d in result.diagnostics]


def test_one_side_of_each_hand_is_not_taken_for_self_play() -> None:
    e = eq.Episodes.from_columns(
        ["x"] * 8, [1, 1, 2, 2, 3, 3, 4, 4], [3, -1, 2, 0, 1, 4, -2, 2], seat=[0, 1] * 4, hand=[1, 1, 2, 2, 3, 3, 4, 4]
    )
    assert eq.duplicate(e).hands.tolist() == [8]


def test_a_general_sum_auction_of_eight_is_measured_against_its_table() -> None:
    # Like the paper's ad auction: specialisations are dealt, the market varies, payoffs do not add up to zero.
    rng = np.random.default_rng(4)
    skill = np.linspace(-1, 1, 8)
    rows = []
    for match in range(200):
        luck, market = rng.normal(0, 3, 8), rng.gamma(5, 2)
        order = rng.permutation(8)
        won = market + luck + skill[order] + rng.normal(0, 1, 8)
        own = market + luck + rng.normal(0, 1, 8)
        rows += [(match, seat, f"agent {order[seat]}", won[seat], own[seat]) for seat in range(8)]
    match, seat, agent, won, own = zip(*rows, strict=True)
    e = eq.Episodes.from_columns(agent, match, won, seat=seat, controls={"bot": own})
    with pytest.raises(eq.DataError, match="does not add up to zero"):
        eq.baseline(e, control="bot")
    result = eq.baseline(eq.methods.zero_sum(e), control="bot")
    true = np.array([skill[int(name.split()[1])] for name in result.agents])
    assert (np.abs(result.estimate - true) < 4 * result.stderr).all()
    assert (result.reduction > 40).all()
    assert "centred-tables" in [d.code for d in result.diagnostics]


def test_other_kinds_of_data_are_refused() -> None:
    m = eq.Matches.from_columns("ab", "ba", [1, 1])
    for method in (eq.duplicate, eq.methods.zero_sum, lambda e: eq.baseline(e, control="x")):
        with pytest.raises(eq.DataError, match="not Matches"):
            method(m)


@st.composite
def any_table(draw: st.DrawFn) -> eq.Episodes:
    """Small tables of all sorts: few deals, odd seats, repeated rows, controls with holes."""
    n = draw(st.integers(1, 14))
    few = st.integers(0, 2)
    utility = draw(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1e9]), min_size=n, max_size=n))
    own = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0, float("nan")]), min_size=n, max_size=n))
    columns = {name: draw(st.lists(few, min_size=n, max_size=n)) for name in ("agent", "deal", "seat", "hand")}
    kept = {name: columns[name] for name in ("seat", "hand") if draw(st.booleans())}
    return eq.Episodes.from_columns(columns["agent"], columns["deal"], utility, controls={"bot": own}, **kept)


@given(
    any_table(),
    st.sampled_from(["agent", "pair", "team"]),
    st.sampled_from(["fitted", "cross-fitted", -1.0]),
    st.data(),
)
def test_any_table_gives_finite_estimates_or_an_answer_in_words(
    e: eq.Episodes, by: str, coefficient: object, data: st.DataObject
) -> None:
    teams = {"0": "x", "1": "x"} if by == "team" and {"0", "1"} <= set(e.agents) else None
    calls = [
        lambda: eq.baseline(e, control="bot", by=by, teams=teams, coefficient=coefficient, mean=data.draw(MEANS)),
        lambda: eq.baseline(e, control="0", by=by, teams=teams, coefficient=coefficient),
        lambda: eq.duplicate(
            e, by=by, teams=teams, permutations=data.draw(st.sampled_from(["any", "full", "balanced"]))
        ),
        lambda: eq.duplicate(eq.methods.zero_sum(e)),
    ]
    try:
        result = data.draw(st.sampled_from(calls))()
    except eq.EquipoiseError:
        return
    assert np.isfinite(result.estimate).all()
    assert np.isfinite(result.stderr).all()
    assert (result.low <= result.estimate).all()
    assert (result.estimate <= result.high).all()
    json.dumps(result.to_dict(), allow_nan=False)


MEANS = st.sampled_from([None, 0.0, "estimate", {"0": 0.0, "1": 0.5, "2": 0.0}, {"0": float("nan")}])


def test_without_seats_the_expectation_must_be_given() -> None:
    mine = KUHN.filter(pl.col("agent") == "rock")
    e = eq.Episodes.from_columns(mine["agent"], mine["deal"], mine["utility"], controls={"bot": mine["column"]})
    with pytest.raises(eq.DataError, match="no seats to check"):
        eq.baseline(e, control="bot")
    assert eq.baseline(e, control="bot", mean=0.0).agents == ("rock",)


def test_too_few_deals_give_no_interval() -> None:
    with pytest.raises(eq.DataError, match="needs at least 3"):
        eq.baseline(episodes(KUHN.filter(pl.col("deal") < 2)), control="column")
