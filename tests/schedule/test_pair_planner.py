"""Planning pairs: policies against their definitions, batches, budgets, saved states, plans."""

import json
import pickle

import numpy as np
import polars as pl
import pytest
import scipy

import equipoise as eq
from equipoise.schedule.policies import (
    Belief,
    pair_worth,
    rating_covariance,
    rating_of_points,
    with_one_more_game,
)
from tests.schedule.penalised_fit import PairView, belief


def view(seed: int = 0, n: int = 5) -> PairView:
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 6, (n, n)).astype(float)
    np.fill_diagonal(wins, 0.0)
    ties = np.triu(rng.integers(0, 3, (n, n)), 1).astype(float)
    return PairView(wins, ties + ties.T)


def test_the_belief_is_the_penalised_bradley_terry_fit() -> None:
    seen = view()
    now = belief(seen, prior=2.0)
    columns = [(i, j, seen.wins[i, j], seen.wins[j, i], seen.ties[i, j]) for i in range(5) for j in range(i + 1, 5)]
    i, j, w, l, t = (np.array(column) for column in zip(*columns, strict=True))
    table = eq.PairTable.from_counts(tuple("abcde"), i, j, w, l, t)
    np.testing.assert_allclose(now.rating, eq.bradley_terry(table, prior=2.0).rating, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_ratings_of_points_are_those_of_the_belief_from_any_start(seed: int) -> None:
    seen = view(seed, 6)
    now = belief(seen, prior=3.0)
    games = seen.wins + seen.wins.T + seen.ties
    start = np.random.default_rng(seed).normal(size=6) * 2 * seed
    rating = rating_of_points(seen.wins + seen.ties / 2, games, 3.0, start)
    np.testing.assert_allclose(rating, now.rating, atol=1e-7)
    np.testing.assert_allclose(rating_covariance(rating, games, 3.0), now.covariance, atol=1e-7)


def test_without_games_ratings_are_zero_and_as_uncertain_as_the_prior() -> None:
    nothing = np.zeros((3, 3))
    rating = rating_of_points(nothing, nothing, 2.0, np.ones(3))
    np.testing.assert_allclose(rating, 0.0, atol=1e-12)
    np.testing.assert_allclose(rating_covariance(rating, nothing, 2.0), 4.0 * np.eye(3))


def test_scores_between_win_tie_and_loss_decide_as_the_rule_says() -> None:
    rule = eq.StoppingRule(0.05, 3, 0.2)
    planner = eq.PairPlanner("abc", stopping=rule, policy="uniform")
    scores: list[float] = []
    for score in [0.75, 1.0, 0.6, 0.5, 0.9] * 20:
        planner.tell(("b", "a"), score)
        scores.append(score)
        said = planner.verdicts()["a", "b"]
        assert said == {"first": "second", "second": "first"}.get(word := rule.score_verdict(scores), word)
        if said != "undecided":
            break
    assert said == "second"
    assert planner.ask().games < len(scores)


def test_scores_between_go_into_the_belief_as_shares_of_a_win_and_into_the_state() -> None:
    one, two = (eq.PairPlanner("abc", stopping=eq.StoppingRule(0.05, 3), rng=3) for _ in range(2))
    for _ in range(4):
        one.tell(("a", "b"), 0.25)
    two.tell(("a", "b"), 1.0)
    two.tell(("a", "b"), 0.0, games=3)
    asked, other = one.ask(), two.ask()
    assert (asked.first, asked.second) == (other.first, other.second)
    assert asked.worth == pytest.approx(other.worth)
    again = eq.PairPlanner.from_state(json.loads(json.dumps(one.state(), allow_nan=False)))
    assert again.state() == one.state()
    assert again.ask() == one.ask()
    assert set(one.state()) - set(two.state()) == {"parts", "evidence"}


def test_the_worth_for_the_ranking_equals_its_formula_term_by_term() -> None:
    now = belief(view(), prior=3.0)
    n = now.rating.size
    worth = pair_worth("ranking", now)
    for i in range(n):
        for j in range(n):
            if i == j:
                assert worth[i, j] == 0.0
                continue
            a = np.eye(n)[i] - np.eye(n)[j]
            v = a @ now.covariance @ a
            p = 1 / (1 + np.exp(now.rating[j] - now.rating[i]))
            w = p * (1 - p)
            total = 0.0
            for k in range(n):
                for l in range(k + 1, n):
                    b = np.eye(n)[k] - np.eye(n)[l]
                    vkl = b @ now.covariance @ b
                    z = (now.rating[k] - now.rating[l]) / np.sqrt(vkl)
                    total += 4 * scipy.special.ndtr(z) * scipy.special.ndtr(-z) * (b @ now.covariance @ a) ** 2 / vkl
            assert worth[i, j] == pytest.approx(w / (1 + w * v) * total, rel=1e-9)


def test_one_more_game_adds_its_information() -> None:
    now = belief(view(), prior=3.0)
    after = with_one_more_game(now, 1, 3)
    a = np.eye(5)[1] - np.eye(5)[3]
    p = 1 / (1 + np.exp(now.rating[3] - now.rating[1]))
    expected = np.linalg.inv(np.linalg.inv(now.covariance) + p * (1 - p) * np.outer(a, a))
    np.testing.assert_allclose(after.covariance, expected, atol=1e-10)


def test_settled_pairs_are_worth_little_and_close_ones_much() -> None:
    rating = np.array([3.0, 0.05, 0.0])
    worth = pair_worth("ranking", Belief(rating, np.eye(3) * 0.1))
    assert worth[1, 2] > worth[0, 1]
    assert worth[1, 2] > worth[0, 2]


def test_uniform_keeps_the_pairs_even() -> None:
    planner = eq.PairPlanner("abcd", policy="uniform", budget=60)
    while not planner.done:
        game = planner.ask()
        planner.tell(game, 1.0)
    played = planner._wins + planner._wins.T
    assert set(played[np.triu_indices(4, 1)]) == {10.0}


@pytest.mark.parametrize("policy", ["uniform", "uncertainty", "ranking"])
def test_a_batch_spreads_and_a_saved_state_goes_on(policy: str) -> None:
    one = eq.PairPlanner("abcd", policy=policy, stopping=eq.StoppingRule(0.05, 6), budget=100, rng=4)  # type: ignore[arg-type]
    batch = one.ask(12)
    assert len({(p.first, p.second) for p in batch}) >= 4
    for p in batch:
        one.tell(p, 0.5)
    two = eq.PairPlanner.from_state(json.loads(json.dumps(one.state(), allow_nan=False)))
    three = pickle.loads(pickle.dumps(one))  # ours, just written
    for _ in range(10):
        games = {(g.first, g.second) for g in (planner.ask() for planner in (one, two, three))}
        assert len(games) == 1
        first, second = games.pop()
        for planner in (one, two, three):
            planner.tell((first, second), 1.0)


def test_decided_pairs_are_left_alone_and_verdicts_given() -> None:
    planner = eq.PairPlanner("abc", policy="uniform", stopping=eq.StoppingRule(0.05, 3))
    planner.tell(("a", "b"), 1.0, games=40)
    assert planner.verdicts()["a", "b"] == "first"
    assert all({p.first, p.second} != {"a", "b"} for p in planner.ask(30))
    for pair in (("a", "c"), ("b", "c")):
        planner.tell(pair, 0.0, games=40)
    assert planner.done
    assert planner.verdicts()["b", "c"] == "second"


def test_information_orders_agents_with_fewer_games_than_uniform() -> None:
    strength = np.linspace(1.5, -1.5, 8)
    names = [f"p{i}" for i in range(8)]

    def error(policy: str, seed: int) -> float:
        rng = np.random.default_rng(seed)
        planner = eq.PairPlanner(names, policy=policy, budget=200, rng=seed)  # type: ignore[arg-type]
        while not planner.done:
            for g in planner.ask(20):
                gap = strength[names.index(g.first)] - strength[names.index(g.second)]
                planner.tell(g, float(rng.random() < 1 / (1 + np.exp(-gap))))
        now = belief(PairView(planner._wins, planner._ties), 3.0)
        return eq.kendall_distance(now.rating, strength)

    seeds = range(12)
    assert np.mean([error("ranking", s) for s in seeds]) < np.mean([error("uniform", s) for s in seeds])


MATCHES = eq.Matches.from_columns("aaaabbbbcc" * 6, "bbbbccccaa" * 6, [1, 1, 0, 1, 1, 0, 1, 0.5, 0, 1] * 6)


@pytest.mark.parametrize("goal", ["best", "top:2", "order", "profile"])
def test_a_plan_spends_the_budget(goal: str) -> None:
    result = eq.plan(MATCHES, budget=37, goal=goal)
    assert result.play.sum() == 37
    assert result.frame()["play"].to_list() == sorted(result.play, reverse=True)
    assert json.dumps(result.to_dict(), allow_nan=False)
    assert result.sizes[0].games > 0


def ladder(clear: str, games: int = 60) -> eq.Matches:
    """Agents a to f: who stands in ``clear`` lost all games against a and b, all others are even."""
    rows = [(a, b, 1) for b in clear for a in "ab"] * games + [("a", "b", k % 2) for k in range(4)]
    rows += [(a, b, k % 2) for a, b in zip("abcde", "bcdef", strict=True) for k in range(2)]
    return eq.Matches.from_columns(*zip(*rows, strict=True))


@pytest.mark.parametrize(("goal", "clear", "left"), [("best", "cdef", "ab"), ("best", "ef", "abcd"),
                                                     ("top:2", "ef", "abcd")])  # fmt: skip
def test_those_who_are_surely_in_or_out_get_no_games(goal, clear, left):
    planned = eq.plan(ladder(clear), budget=40, goal=goal).frame().filter(pl.col("play") > 0)
    assert set(planned["first"]) | set(planned["second"]) <= set(left)
    assert planned["play"].sum() == 40


def test_the_best_two_are_known_once_all_others_lost_to_both():
    result = eq.plan(ladder("cdef"), budget=10, goal="top:2")
    assert result.play.sum() == 0
    assert eq.plan(ladder("cdef"), budget=10, goal="order").play.sum() == 10


@pytest.mark.parametrize("goal", ["best", "top:2"])
def test_where_decided_pairs_form_a_cycle_there_is_no_best(goal):
    cycle = eq.Matches.from_columns("abc" * 60, "bca" * 60, [1] * 180)
    result = eq.plan(cycle, budget=10, goal=goal)
    assert result.play.sum() == 0
    assert [note.code for note in result.diagnostics] == ["cyclic"]


def test_games_for_the_top_go_to_its_border():
    table = eq.PairTable.from_counts("abcd", [0, 1, 2, 0], [1, 2, 3, 3], [9, 6, 9, 9], [3, 6, 3, 0], [0, 0, 0, 0])
    planned = eq.plan(table, budget=20, goal="top:2").frame().to_dicts()
    assert sum(row["play"] for row in planned if {row["first"], row["second"]} == {"b", "c"}) > 10


@pytest.mark.parametrize(("old", "now"), [("ranking", "order"), ("response-graph", "profile")])
def test_a_former_goal_warns_and_gives_the_same(old, now):
    with pytest.warns(DeprecationWarning, match=f"goal='{old}'.*goal='{now}'"):
        former = eq.plan(MATCHES, budget=20, goal=old)
    assert former.frame().equals(eq.plan(MATCHES, budget=20, goal=now).frame(), null_equal=True)
    assert former.goal == now


def test_a_planner_for_the_top_goes_on_from_its_state():
    planner = eq.PairPlanner("abcd", top=1, stopping=eq.StoppingRule(0.05, 3), rng=3)
    planner.tell_table(eq.PairTable.from_counts("abcd", [0, 0], [2, 3], [60, 60], [0, 0], [0, 0]))
    again = eq.PairPlanner.from_state(planner.state())
    assert planner.ask(5) == again.ask(5)
    assert {agent for game in again.ask(5) for agent in (game.first, game.second)} == {"a", "b"}


def test_a_plan_leaves_decided_pairs_alone() -> None:
    m = eq.Matches.from_columns("a" * 60 + "bbcc", "b" * 60 + "ccaa", [1] * 60 + [1, 0, 0.5, 1])
    for goal in ("best", "order", "profile"):
        result = eq.plan(m, budget=50, goal=goal)
        decided = np.array([v != "undecided" for v in result.verdict])
        assert decided.sum() == 1
        assert result.play[decided].sum() == 0
        assert result.needed[decided].sum() == 0


@pytest.mark.parametrize(("win", "tie"), [(0.6, 0.0), (0.35, 0.5), (0.7, 0.0)])
def test_the_games_still_needed_are_about_those_that_it_takes(win: float, tie: float) -> None:
    known = eq.PairTable.from_counts(("a", "b"), [0], [1], [win], [1 - win - tie], [tie])
    said = float(eq.plan(known, budget=1).needed[0])
    rule = eq.StoppingRule(0.05)
    took = []
    for seed in range(60):
        u = np.random.default_rng(seed).random(1500)
        wins, losses = np.cumsum(u < win), np.cumsum(u >= win + tie)
        looks = (t + 1 for t in range(1500) if rule.verdict(wins[t], t + 1 - wins[t] - losses[t], losses[t]) == "first")
        took.append(next(looks, 1500))
    assert 0.7 * np.median(took) < said < 1.5 * np.median(took)


def test_a_plan_with_nothing_left_to_do_says_so() -> None:
    m = eq.Matches.from_columns("a" * 60, "b" * 60, [1] * 60)
    result = eq.plan(m, budget=5)
    assert result.play.sum() == 0
    assert "all-decided" in {note.code for note in result.diagnostics}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: eq.PairPlanner(["solo"]), "two agents"),
        (lambda: eq.PairPlanner("ab", policy="greedy"), "policy"),  # type: ignore[arg-type]
        (lambda: eq.PairPlanner("ab", budget=0), "budget"),
        (lambda: eq.PairPlanner("ab").tell(("a", "x"), 1.0), "no agent"),
        (lambda: eq.PairPlanner("ab").tell(("a", "a"), 1.0), "itself"),
        (lambda: eq.PairPlanner("ab").tell(("a", "b"), 1.7), "score"),
        (lambda: eq.PairPlanner("ab").tell("ab", 1.0), "two names"),
        (lambda: eq.plan(MATCHES, budget=0), "budget"),
        (lambda: eq.plan(MATCHES, goal="win"), "goal is best, top:K"),
        (lambda: eq.plan(MATCHES, goal="top:3"), "K from 1 to 2"),
        (lambda: eq.PairPlanner("ab", top=2), "top is below the number of agents"),
        (lambda: eq.plan(eq.PairTable.from_matrix([[0.5, 0.6], [0.4, 0.5]])), "number with games"),
    ],
)
def test_bad_input_gets_one_clear_line(call: object, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words) as error:
        call()  # type: ignore[operator]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"policy": "rankin"}, 'policy is uniform, uncertainty or ranking, not "rankin" \\(did you mean "ranking"'),
        ({"budget": 2.5}, "budget is a whole number of at least 1, not 2.5"),
        ({"prior": "a"}, 'prior is a number above 0, not "a"'),
        ({"prior": 0.0}, "prior is a number above 0, not 0.0"),
        ({"rng": -1}, "rng is a seed"),
        ({"rng": "a"}, "rng is a seed"),
        ({"stopping": 0.05}, "stopping is a StoppingRule or None, not 0.05"),
    ],
)
def test_options_are_checked_with_the_wording_of_the_methods(options: dict, words: str) -> None:
    with pytest.raises(eq.ParameterError, match=words):
        eq.PairPlanner("abc", **options)


@pytest.mark.parametrize("agents", [None, 3, ["a"], ["a", "a"], ["a", ""]])
def test_agents_that_cannot_be_paired_are_refused(agents: object) -> None:
    with pytest.raises(eq.EquipoiseError):
        eq.PairPlanner(agents)  # type: ignore[arg-type]


def lopsided() -> eq.Matches:
    """Six agents of whom each beats those after it, forty times."""
    pairs = [(a, b) for k, a in enumerate("abcdef") for b in "abcdef"[k + 1 :]]
    return eq.Matches.from_columns(
        [a for a, _ in pairs] * 40, [b for _, b in pairs] * 40, [1] * 40 * len(pairs)
    )  # fmt: skip


def test_a_plan_names_the_decided_pairs_a_few_and_a_count() -> None:
    words = eq.plan(lopsided(), budget=10).answer
    assert words[0] == "15 of 15 pairs are decided at 95%; 0 games are planned."
    assert words[1] == (
        "Decided: a is better than b, a is better than c, a is better than d, a is better than e and 11 more."
    )
    assert len(words) == 2


def test_a_plan_without_a_decision_names_none_and_one_of_equals_says_so() -> None:
    few = eq.Matches.from_columns("aabb", "bbaa", [1, 0, 1, 0])
    assert not any(sentence.startswith("Decided") for sentence in eq.plan(few, budget=4).answer)
    many = eq.Matches.from_columns(["a"] * 400, ["b"] * 400, [1, 0] * 200)
    assert eq.plan(many, budget=4, margin=0.2).answer[1] == "Decided: a and b are equal within 0.2."
    lost = eq.Matches.from_columns(["a"] * 40, ["b"] * 40, [0] * 40)
    assert eq.plan(lost, budget=4).answer[1] == "Decided: b is better than a."


def test_a_plan_of_pairs_is_that_of_their_matches() -> None:
    matches = lopsided()
    one, other = eq.plan(matches, budget=10), eq.plan(matches.pairs(), budget=10)
    assert one.to_dict() == other.to_dict()
