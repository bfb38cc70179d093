"""What is drawn is what was computed: the channels of each mark in the spec against the numbers of the result."""

import math
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import equipoise as eq
from equipoise.alpharank.dynamics import replicator
from equipoise.inference.sample_size import response_graph_sample_sizes
from equipoise.logs.read import recognise
from equipoise.report.charts.boards.head_to_head import LIKELY, SURE, HeadToHead
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.images import spec
from equipoise.report.charts.drawing.lines import SAYING
from equipoise.report.charts.games.games_results import crosstable
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.charts.names import CHARTS
from equipoise.report.charts.scores.scores_results import LearningCurvesChart, RunLine
from equipoise.report.pages.files import CHARTS_OF, _sections_with
from equipoise.report.views.registry import section_view, view_of

NAMES = ["ada", "bea", "cyd", "dov"]


def drawn(chart: ChartView, mark: str) -> list[dict[str, Any]]:
    """Give what each mark of a kind shows, by channel (x, y, colour ...), in the order drawn."""
    whole = spec(chart, 640)
    shown = []
    for layer in whole["layer"]:
        if layer["mark"]["type"] != mark:
            continue
        fields = {channel: encoding["field"] for channel, encoding in layer["encoding"].items() if "field" in encoding}
        if not {"x", "y"} & set(fields):
            continue  # an entry of the key
        data = layer.get("data") or whole["data"]
        rows = whole["datasets"][data["name"]] if "name" in data else data["values"]
        shown += [{channel: row.get(field) for channel, field in fields.items()} for row in rows]
    return shown


def chart(result: eq.results.Result, name: str) -> ChartView:
    (found,) = [one for one in view_of(result).charts() if one.name == name]
    return found


@cache
def board() -> eq.results.Standings:
    rng = np.random.default_rng(4)
    a, b = rng.integers(4, size=(2, 900))
    a, b = a[a != b], b[a != b]
    strength = np.array([0.9, 0.2, -0.3, -0.8])
    outcome = rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a] - 0.2))
    return eq.rank(eq.Matches.from_columns([NAMES[i] for i in a], [NAMES[j] for j in b], outcome))


@cache
def scores() -> eq.results.Benchmark:
    rng = np.random.default_rng(2)
    runs = rng.normal(size=(4, 5, 3)) + np.linspace(1, -1, 4)[:, None, None]
    return eq.tasks(eq.Scores.from_matrix(runs, NAMES, ["maze", "pong", "go", "chess", "cards"]))


@cache
def items() -> eq.results.IRT:
    rng = np.random.default_rng(3)
    ability, difficulty = rng.normal(size=(60, 1)), np.linspace(-1.5, 1.5, 12)
    answers = rng.random((60, 12)) < 1 / (1 + np.exp(difficulty - 1.3 * ability))
    result = eq.irt(eq.Scores.from_matrix(answers.astype(float)))
    assert isinstance(result, eq.results.IRT)
    return result


@cache
def luck() -> eq.results.HandsWithoutLuck:
    return eq.remove_luck("hands-kuhn2", control="honest")


@cache
def game() -> eq.MetaGame:
    return eq.MetaGame.symmetric([[0, 2, -1], [-2, 0, 3], [1, -3, 0]], ["rock", "scissors", "paper"])


def test_forest_draws_ratings_and_both_ends_of_their_intervals():
    found = chart(board(), "forest")
    rows = board().frame().to_dicts()
    points = drawn(found, "point")
    assert [point["y"] for point in points] == [row["agent"] for row in rows]
    assert [point["x"] for point in points] == pytest.approx([row["rating"] for row in rows])
    lines = [line for line in drawn(found, "rule") if "x2" in line]
    assert [line["x"] for line in lines] == pytest.approx([row["low"] for row in rows])
    assert [line["x2"] for line in lines] == pytest.approx([row["high"] for row in rows])


def test_head_to_head_prints_shares_and_games_and_colours_what_exact_intervals_say():
    data, cells = board().data, drawn(chart(board(), "head-to-head"), "rect")
    share = data.probabilities()
    place = {name: k for k, name in enumerate(data.agents)}
    games = Counter()
    for i, j, played in zip(data.first, data.second, data.wins + data.losses + data.ties, strict=True):
        games[frozenset((data.agents[i], data.agents[j]))] += played
    assert len(cells) == 12
    texts = {(text["y"], text["x"]): text["text"] for text in drawn(chart(board(), "head-to-head"), "text")}
    for cell in cells:
        rate, played = share[place[cell["y"]], place[cell["x"]]], games[frozenset((cell["x"], cell["y"]))]
        assert cell["description"].startswith(f"{cell['y']} beats {cell['x']} {rate:.0%} of the time")
        assert texts[cell["y"], cell["x"]] == f"{100 * rate:.0f}\n{played:.0f}"
        test = scipy.stats.binomtest(round(rate * played), round(played))
        low, high = test.proportion_ci(0.95, "exact")
        wide_low, wide_high = test.proportion_ci(0.8, "exact")
        expected = SURE if not low <= 0.5 <= high else LIKELY if not wide_low <= 0.5 <= wide_high else 0.0
        assert cell["fillOpacity"] == expected
    assert any(cell["fillOpacity"] for cell in cells)


def test_two_games_of_two_are_no_evidence_and_a_star_is_rays():
    few = HeadToHead(["ada", "bea", "cyd"], [[None, 1.0, 0.6], [0.0, None, 0.5], [0.4, 0.5, None]],
                     [[0, 2, 40], [2, 0, 40], [40, 40, 0]])  # fmt: skip
    assert few.evidence[0][1] == 0.0
    star = HeadToHead(["ada", "bea", "cyd"], [[None, 0.9, 0.6], [0.1, None, None], [0.4, None, None]],
                      [[0, 50, 40], [50, 0, 0], [40, 0, 0]])  # fmt: skip
    assert star.hub == 0
    assert {point["y"]: point["x"] for point in drawn(star, "point")} == pytest.approx({"bea": 0.1, "cyd": 0.4})
    assert "whom all games were against" in star.caption()


def test_ranks_are_those_of_the_standings():
    rows = board().frame().to_dicts()
    bars = drawn(chart(board(), "ranks"), "bar")
    assert [bar["y"] for bar in bars] == [row["agent"] for row in rows]
    middle = [(bar["x"] + bar["x2"]) / 2 for bar in bars]
    assert middle == pytest.approx([(row["rank_low"] + row["rank_high"]) / 2 for row in rows])
    width = [bar["x2"] - bar["x"] for bar in bars]
    assert np.diff(width).tolist() == pytest.approx(
        np.diff([row["rank_high"] - row["rank_low"] for row in rows]).tolist()
    )


def test_split_divides_at_the_cyclic_share():
    verdict = board().transitivity
    bars = drawn(chart(board(), "split"), "bar")
    assert sum(bar["x2"] - bar["x"] for bar in bars) == pytest.approx(1.0)
    assert bars[-1]["x2"] - bars[-1]["x"] == pytest.approx(verdict.cyclic_share)
    (line,) = drawn(chart(board(), "split"), "rule")
    assert sorted((1 - line["x"], 1 - line["x2"])) == pytest.approx([verdict.low, verdict.high])


def test_disc_places_agents_where_the_schur_form_does():
    result = eq.schur(board().data)
    named = {
        row["description"].split(":")[0]: row for row in drawn(chart(result, "disc"), "point") if "description" in row
    }
    for row in result.frame().to_dicts():
        assert (named[row["agent"]]["x"], named[row["agent"]]["y"]) == pytest.approx((row["x"], row["y"]))


def test_response_graph_draws_each_edge_from_the_worse_to_the_better():
    result = eq.response_graph(game())
    arrows = drawn(chart(result, "response-graph"), "rule")
    assert len(arrows) == len(result.source) == 3
    told = {arrow["description"] for arrow in arrows}
    expected = {(result.profiles[u], result.profiles[v]) for u, v in zip(result.source, result.target, strict=True)}
    for worse, better in expected:
        assert any(text.index(worse) < text.index(better) for text in told if worse in text and better in text)
    sized = drawn(chart(eq.alpha_rank(game()), "response-graph"), "point")
    masses = dict(zip(*(getattr(eq.alpha_rank(game()), name) for name in ("agents", "pi")), strict=True))
    for point in [point for point in sized if point.get("description")]:
        name = next(name for name in masses if name in point["description"])
        assert f"{masses[name]:.1%}" in point["description"] or f"{masses[name]:.3g}" in point["description"]


def test_alpha_sweep_draws_the_masses():
    result = eq.methods.alpha_sweep(game())
    points = {(point["color"], point["x"]): point["y"] for point in drawn(chart(result, "alpha-sweep"), "point")}
    for i, agent in enumerate(result.agents):
        for k, alpha in enumerate(result.alphas):
            assert points[agent, alpha] == pytest.approx(result.pi[k, i])


def test_nash_averages_of_agents():
    rows = board().nash.frame().to_dicts()
    lines = drawn(chart(board().nash, "nash-agents"), "rule")
    assert [line["y"] for line in lines] == [row["agent"] for row in rows]
    assert [line["x"] for line in lines] == pytest.approx([row["uniform"] for row in rows])
    assert [line["x2"] for line in lines] == pytest.approx([row["average"] for row in rows])


def test_nash_averages_of_the_agents_of_a_benchmark():
    frame = scores().nash.frame()
    lines = drawn(chart(scores(), "nash-agents"), "rule")
    assert [line["y"] for line in lines] == frame["agent"].to_list()
    assert [line["x"] for line in lines] == pytest.approx(frame["uniform_skill"].to_list())
    assert [line["x2"] for line in lines] == pytest.approx(frame["skill"].to_list())


def test_difficulties_of_tasks_are_what_agents_lack_of_a_full_score():
    nash = scores().nash
    frame = nash.task_frame()
    rings = drawn(chart(scores(), "nash-tasks"), "point")  # the team finds all of these tasks equally hard: rings alone
    assert [ring["y"] for ring in rings] == frame["task"].to_list()
    assert [ring["x"] for ring in rings] == pytest.approx((nash.full + frame["uniform_difficulty"]).to_list())
    assert min(ring["x"] for ring in rings) >= 0


def test_latent_skills_keep_their_proportions():
    audit = scores().audit
    points = {
        p["description"].split(":")[0]: (p["x"], p["y"]) for p in drawn(chart(scores(), "latent-skills"), "point")
    }
    for kind, names, places in (
        ("agent", audit.agents, audit.latent.agents), ("task", audit.tasks, audit.latent.tasks)
    ):  # fmt: skip
        reach = np.abs(places[:, :2]).max()
        for name, place in zip(names, places, strict=True):
            assert points[f"{kind} {name}"] == pytest.approx(tuple(place[:2] / reach))


def test_ranks_over_runs_are_those_of_the_comparison():
    rows = scores().comparison.frame().to_dicts()
    bars = drawn(chart(scores(), "ranks"), "bar")
    assert [bar["y"] for bar in bars] == [row["agent"] for row in rows]
    assert [(bar["x"] + bar["x2"]) / 2 for bar in bars] == pytest.approx(
        [(row["rank_low"] + row["rank_high"]) / 2 for row in rows]
    )


def test_split_of_scores_divides_at_the_residual_share():
    bars = drawn(chart(scores(), "split"), "bar")
    assert bars[-1]["x2"] - bars[-1]["x"] == pytest.approx(scores().additivity.residual_share)


def test_item_map_places_items_by_difficulty_and_discrimination():
    points = {p["description"].split(":")[0]: (p["x"], p["y"]) for p in drawn(chart(items(), "item-map"), "point")}
    for row in items().item_frame().to_dicts():
        assert points[row["item"]] == pytest.approx((row["difficulty"], row["discrimination"]))


def test_item_curves_are_the_model():
    fit = items()
    lines = drawn(chart(items(), "item-curves"), "line")
    place = {name: k for k, name in enumerate(fit.items)}
    assert len(lines) == 33 * len(fit.items)
    ordered = sorted(fit.item_frame().to_dicts(), key=lambda row: row["discrimination"] >= 0)
    for point in lines:
        k = place[ordered[point["detail"]]["item"]]
        chance = 1 / (1 + np.exp(-fit.discrimination[k] * (point["x"] - fit.difficulty[k])))
        assert point["y"] == pytest.approx(chance)


def test_agent_curves_are_the_means_by_difficulty():
    general = items().generality
    place = {name: k for k, name in enumerate(general.agents)}
    points = drawn(chart(items(), "agent-curves"), "point")
    assert points
    for point in points:
        at = int(np.argmin(np.abs(general.curves.difficulty - point["x"])))
        assert point["y"] == pytest.approx(general.curves.mean[place[point["color"]], at])


def test_generality_map_places_agents_by_ability_and_generality():
    general, fit = items().generality, items()
    points = {
        p["description"].split(":")[0]: (p["x"], p["y"]) for p in drawn(chart(items(), "generality-map"), "point")
    }
    assert points
    for agent, value in zip(general.agents, general.generality, strict=True):
        if agent in points:
            assert points[agent] == pytest.approx((fit.ability[fit.agents.index(agent)], value))


def test_variance_reduction_draws_percents_and_its_forest_draws_estimates():
    rows = luck().frame().to_dicts()
    bars = {bar["y"]: bar["x"] for bar in drawn(chart(luck(), "variance-reduction"), "bar")}
    assert bars == pytest.approx({row["agent"]: row["reduction"] for row in rows})
    points = drawn(chart(luck(), "forest"), "point")
    assert [point["x"] for point in points] == pytest.approx([row["estimate"] for row in rows])


def test_progress_draws_games_played_and_planned():
    planned = eq.plan(board().data, budget=30)
    rows = {f"{row['first']} vs {row['second']}": row for row in planned.frame().to_dicts()}
    bars = drawn(chart(planned, "progress"), "bar")
    for pair, row in rows.items():
        lengths = [bar["x2"] - bar["x"] for bar in bars if bar["y"] == pair]
        assert sum(lengths) == pytest.approx(row["games"] + row["play"])
        assert row["play"] == 0 or any(length == pytest.approx(row["play"]) for length in lengths)


def test_aggregates_draw_the_four_statistics_with_their_ends():
    rows = {row["agent"]: row for row in scores().aggregates.frame().to_dicts()}
    shown = drawn(chart(scores(), "aggregates"), "point")
    assert len(shown) == 4 * len(rows)
    told = {point["description"] for point in shown}
    for name, row in rows.items():
        ends = f"({row['iqm_low']:.3f} to {row['iqm_high']:.3f})"
        assert f"{name}, interquartile mean: {row['iqm']:.3f} {ends}" in told


def test_performance_profiles_are_the_shares_of_runs():
    result = eq.performance_profile(scores().data, units="min-max", n=50)
    points = drawn(chart(result, "performance-profile"), "point")
    assert len(points) >= SAYING * len(result.agents)  # of many points only some say their numbers
    for point in points:
        i = result.agents.index(point["color"])
        k = int(np.argmin(np.abs(result.thresholds - point["x"])))
        assert point["y"] == pytest.approx(result.share[i, k])


def test_improvement_draws_the_chances_of_pairs():
    rows = {f"{row['agent']} over {row['other']}": row for row in scores().comparison.pair_frame().to_dicts()}
    points = drawn(chart(scores(), "improvement"), "point")
    assert {point["y"]: point["x"] for point in points} == pytest.approx(
        {name: row["improvement"] for name, row in rows.items()}
    )


def test_of_many_pairs_neighbours_come_first_then_open_ones_and_the_rest_is_counted():
    rng = np.random.default_rng(0)
    values = np.repeat(np.arange(8) / 2, 2)[:, None, None] + rng.normal(size=(16, 6, 5))
    result = eq.probability_of_improvement(eq.Scores.from_matrix(values), n=200)
    view = next(one for one in view_of(result).charts() if one.name == "improvement")
    order = {row["agent"]: place for place, row in enumerate(result.frame().to_dicts())}
    apart = [abs(order[pair.name.first] - order[pair.name.second]) for pair in view.pairs]
    assert apart[:15] == [1] * 15
    assert not any(pair.settled for pair in view.pairs[15 : view.informative])
    assert all(pair.settled for pair in view.pairs[view.informative :])
    shown = {point["y"] for point in drawn(view, "point")}
    assert len(shown) == min(30, view.informative)
    assert f"{120 - len(shown)} of 120 are left out" in view.caption()


def test_learning_curves_draw_what_they_are_given():
    view = LearningCurvesChart(
        [0.0, 10.0], [RunLine("ada", [1.0, 3.0], [0.5, 2.0], [1.5, 4.0])], "return", "95% interval"
    )
    assert view.name == "learning-curves"
    points = drawn(view, "point")
    assert [(point["x"], point["y"]) for point in points] == [(0.0, 1.0), (10.0, 3.0)]
    assert points[1]["description"] == "ada at 10: 3 (2 to 4)"


def test_a_crosstable_counts_the_games_of_each_pair():
    table = eq.PairTable.from_counts(NAMES[:2], [0], [1], [7.0], [1.0], [2.0])
    (view,) = crosstable(table, ["ada", "bea"])
    assert view.name == "crosstable"
    assert [cell["text"] for cell in drawn(view, "text")] == ["7–2–1\n98%", "1–2–7\n2%"]
    assert drawn(view, "rect")[0]["fillOpacity"] == pytest.approx(SURE * math.erf(6 / 4))


def test_errors_of_ratings_stand_at_their_games():
    view = chart(board(), "rating-error")
    rows = {row["agent"]: row for row in board().frame().to_dicts()}
    first = drawn(view, "point")[0]
    assert 10 ** first["x"] == pytest.approx(rows["ada"]["games"])
    assert [one.name for one in view.agents] == NAMES
    assert 10 ** first["y"] == pytest.approx(view.agents[0].error)


def test_masses_of_both_sides_are_those_of_the_equilibrium():
    nash = scores().nash
    bars = drawn(chart(nash, "nash-masses"), "bar")
    masses = {bar["description"].partition(":")[0]: bar["x"] for bar in bars}
    assert masses == pytest.approx(
        dict(zip((*nash.agents, *nash.tasks), (*nash.agent_p, *nash.task_p), strict=True))
    )  # fmt: skip


def test_mean_and_variance_lie_under_the_bound():
    values = (np.arange(40).reshape(4, 10) % [[2], [3], [4], [5]] == 0).astype(float)
    result = eq.generality(eq.Scores.from_matrix(values, NAMES), np.arange(10.0), bins=2, n=0)
    view = chart(result, "mean-variance")
    assert view.bounded
    assert {(round(one["x"], 9), round(one["y"], 9)) for one in drawn(view, "point")} == {
        (round(m, 9), round(m * (1 - m), 9)) for m in values.mean(axis=1)
    }


def test_bounds_are_drawn_from_the_least_to_the_greatest():
    game = eq.MetaGame.symmetric([[0, 1, -0.1], [-1, 0, 1], [0.1, -1, 0]], NAMES[:3])
    result = eq.metagame(game, show="bounds", width=0.2).result
    lines = drawn(chart(result, "alpha-bounds"), "rule")
    rows = result.frame().to_dicts()
    assert [(line["x"], line["x2"]) for line in lines] == [(row["pi_low"], row["pi_high"]) for row in rows]


def test_dynamics_rest_where_all_do_equally_well():
    game = eq.MetaGame.symmetric([[0, 1, -0.5], [-0.5, 0, 1], [1, -0.5, 0]], NAMES[:3])
    result = replicator(game)
    assert result.rest == pytest.approx([1 / 3] * 3)
    assert all(np.linalg.norm(path[-1] - 1 / 3) < np.linalg.norm(path[0] - 1 / 3) + 1e-9 for path in result.paths)
    assert all(path.sum(axis=1) == pytest.approx(1.0) for path in result.paths)
    assert chart(result, "dynamics").rest == (pytest.approx((1 / 3,) * 3),)
    with pytest.raises(eq.DataError, match="one population"):
        replicator(eq.MetaGame.from_payoffs([np.eye(3), np.eye(3)]))


def test_perturbed_response_rests_where_its_equation_says_beside_the_equilibria():
    """Replicators go round for ever in rock, paper and scissors; the logit response comes to rest."""
    rock = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    result = replicator(eq.MetaGame.symmetric(rock, NAMES[:3]), noise=0.2)
    assert all(np.linalg.norm(path[-1] - 1 / 3) > 0.05 for path in result.paths if np.ptp(path[0]) > 0.1)
    (end,) = result.logit_rest
    assert end == pytest.approx([1 / 3] * 3)
    (nash,) = result.equilibria
    assert nash == pytest.approx([1 / 3] * 3)
    logit = chart(result, "logit-dynamics")
    assert logit.equilibria == chart(result, "dynamics").equilibria == (pytest.approx((1 / 3,) * 3),)
    assert "copies move them" in logit.caption()
    biased = np.array([[0.0, -2, 1], [2, 0, -1], [-1, 1, 0]])
    (end,) = replicator(eq.MetaGame.symmetric(biased, NAMES[:3]), noise=0.1).logit_rest
    assert end == pytest.approx(scipy.special.softmax(biased / 4 @ end / 0.1))


def test_two_strategies_have_paths_and_equilibria_too():
    chicken = eq.MetaGame.symmetric([[0, 7], [2, 6]], NAMES[:2])
    result = replicator(chicken)
    assert [share.tolist() for share in result.equilibria] == [pytest.approx([1 / 3, 2 / 3])]
    assert all(path[-1] == pytest.approx([1 / 3, 2 / 3], abs=1e-3) for path in result.paths)
    stag = replicator(eq.MetaGame.symmetric([[4, 0], [3, 3]], NAMES[:2]), noise=0.05)
    assert len(stag.equilibria) == 3
    assert len(stag.logit_rest) == 2  # the mixed one is not stable
    heights = {point["y"] for point in drawn(chart(result, "dynamics"), "line") if point.get("path") == 1}
    assert len(heights) <= 1
    with pytest.raises(eq.ParameterError, match="two or three"):
        replicator(chicken, strategies=NAMES[:1])


def test_sample_sizes_are_those_of_the_theorem():
    result = response_graph_sample_sizes((3, 3), gaps=[0.1, 0.5], deltas=[0.1])
    cells = drawn(chart(result, "sample-size"), "rect")
    assert [10 ** cell["color"] for cell in cells] == pytest.approx(
        [eq.methods.response_graph_samples((3, 3), gap=gap, delta=0.1).games for gap in (0.1, 0.5)]
    )


def test_a_profile_that_leads_to_undrawn_ones_does_not_look_final():
    names = [f"p{k}" for k in range(20)]
    edges = [(0, 19), *((k, 0) for k in range(1, 14))]
    view = ResponseGraphChart(names, edges, [None] * 19 + [0])
    assert "from p0 to profiles that are not drawn" in {one.get("description") for one in drawn(view, "rule")}
    assert "dashed arrow" in view.caption()


def test_every_chart_is_looked_at_here():
    here = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in CHARTS if f'"{name}"' not in here] == []


@pytest.mark.parametrize("source", ["alphago", "hands-kuhn2", "classifiers"])
def test_sections_make_the_charts_that_they_announce(source):
    for section in eq.analyse(source):
        made = {one.name for one in section_view(section).charts()}
        assert made <= {*CHARTS_OF[section.title], "ranks"}


def test_a_chart_by_name_is_of_the_votes_only_where_nothing_else_has_it():
    table, answers = (recognise(name) for name in ("classifiers", "lsat"))
    assert _sections_with("ranking", table, "classifiers") == ("aggregates", ["Benchmark"])
    assert _sections_with("forest", table, "classifiers") == ("forest", ["Voting rules"])
    assert _sections_with("forest", answers, "lsat") == ("forest", ["Items and abilities"])
    with pytest.raises(eq.DataError, match="gives no disc chart"):
        _sections_with("disc", table, "classifiers")


def test_a_table_builds_no_chart(monkeypatch, capsys):
    from equipoise.cli.main import main
    from equipoise.report.charts.games import games_results as games
    from equipoise.report.views import leaderboard

    def fails(*_):
        raise AssertionError("a chart was made for a table")

    monkeypatch.setattr(leaderboard, "charts_of", fails)
    monkeypatch.setattr(games, "head_to_head", fails)
    monkeypatch.setattr("equipoise.report.charts.boards.forest.Forest", fails)
    assert main(["rank", "alphago"]) == 0
    assert main(["rank", "alphago", "--format", "json"]) == 0
    assert "rvp" in capsys.readouterr().out
