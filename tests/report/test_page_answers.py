"""What a page draws and says of runs, of dates and of earlier boards; and whom its marks are of."""

import re
from importlib.resources import files

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ACCENT, ARROW, CATEGORIES, GRID, INK, MUTED, PALE, WARM
from equipoise.report.charts.drawing.images import inline_svg
from equipoise.report.charts.drawing.lettering import PairName, fitted_names, text_width
from equipoise.report.charts.items.items_results import AgentCurve, AgentCurvesChart
from equipoise.report.render.html import Part, to_html
from equipoise.report.views.benchmark import benchmark_view
from equipoise.report.views.leaderboard import leaderboard
from equipoise.report.views.registry import view_of

TASKS = ("asterix", "pong", "qbert")
LONG = [f"meta-llama/Llama-3.{k}-405B-Instruct-Turbo-with-a-suffix-{k:03d}" for k in range(12)]


@pytest.fixture(scope="module")
def runs():
    """Learning curves of three agents, in units in which a human scores 1."""
    rng = np.random.default_rng(2)
    rows = [
        {"agent": a, "task": t, "seed": s, "frames": f, "score": speed * f * (k + 1) + rng.normal()}
        for a, speed in (("slow", 1.0), ("fast", 2.0), ("faster", 2.5))
        for k, t in enumerate(TASKS)
        for s in range(4)
        for f in (0, 20, 40)
    ]
    human = pl.DataFrame({"task": TASKS, "random": [0.0] * 3, "human": [50.0, 100.0, 150.0]})
    return eq.tasks(pl.DataFrame(rows), step="frames", normalise=human, n=0)


def page_of(*views):
    return to_html("Runs", [Part("runs.csv", views)], version="1")


def test_profiles_and_learning_curves_are_drawn_once_and_in_the_users_units(runs):
    page = page_of(benchmark_view(runs))
    for name in ("performance-profile", "learning-curves", "improvement", "aggregates"):
        assert page.count(f'data-chart="{name}"') == 1
    assert "interquartile mean (normalised units)" in page
    assert "score asked for (normalised units)" in page
    assert "none units" not in page


def test_a_report_draws_profiles_once():
    titles = [section.title for section in eq.analyse("classifiers", only=["Benchmark", "Performance profiles"])]
    assert titles == ["Benchmark"]


def test_the_table_of_a_profile_is_short(runs):
    table = view_of(runs.profile).tables[0]
    assert len(table.rows) == 3
    assert len(table.columns) == 6


def test_the_card_says_when_games_were_played(tmp_path):
    log = tmp_path / "games.csv"
    rows = [f"{a},{b},{a},2024-0{1 + k % 9}-11" for k in range(40) for a, b in (("ada", "bob"), ("bob", "cy"))]
    rows += ["cy,ada,cy,2024-02-03", "bob,ada,bob,2024-12-24"]
    log.write_text("\n".join(["a,b,winner,date", *rows]) + "\n", encoding="utf-8")
    card = leaderboard(eq.rank(log)).card()
    assert card.counts["dates"] == "2024-01-11 to 2024-12-24"


def test_every_colour_of_charts_has_one_for_the_dark():
    style = (files("equipoise.report") / "assets" / "page.css").read_text(encoding="utf-8")
    for colour in (INK, MUTED, GRID, ACCENT, WARM, PALE, ARROW, *CATEGORIES):
        assert re.search(rf'svg \[fill="{colour}"\] {{ fill: var\(--\w+\); }}', style), colour
        assert re.search(rf'svg \[stroke="{colour}"\] {{ stroke: var\(--\w+\); }}', style), colour


def test_marks_carry_whole_names_however_short_their_labels_are():
    view = Forest([Span(name, 1.0 * k) for k, name in enumerate(LONG)], "rating")
    marked = re.findall(r'data-agent="([^"]+)"', inline_svg(view, 326))
    assert set(marked) == set(LONG)


def test_a_pair_that_is_cut_still_names_both():
    shown = fitted_names([PairName(LONG[0], "vs", LONG[1]), PairName("ada", "vs", LONG[2])], 200)
    assert shown[0].startswith("meta-l")
    assert "000 vs meta-l" in shown[0]
    assert shown[1].startswith("ada vs meta-llama/L")
    assert all(text_width(name) <= 201 for name in shown)


def test_one_difficulty_far_out_does_not_squeeze_agents_curves():
    places = [*(k / 10 for k in range(20)), 49.0]
    view = AgentCurvesChart(places, [AgentCurve("ada", [0.5] * 21, [0.1] * 21)])
    assert "One difficulty lies far" in view.caption()
    assert "at difficulty 49" not in inline_svg(view, 900)


def test_one_page_has_one_order_of_agents_and_says_by_what_the_first_are_drawn():
    found = eq.tasks("classifiers", n=0)
    order = found.table["agent"].to_list()
    profile, improvement = found.plot("profile"), found.plot("improvement")
    assert [line.name for line in profile.chart.lines] == order
    assert "The first 8 of 18 agents by IQM are drawn." in profile.caption
    assert improvement.chart.ordered() == order
    alone = eq.performance_profile(eq.load("classifiers"), n=2).plot()
    assert "by the area under their lines are drawn" in alone.caption
    assert len(repr(profile)) < 200


def test_a_page_of_a_choice_opens_with_a_sentence_and_places_are_no_intervals():
    page = page_of(view_of(eq.choose("classifiers", rule="borda")))
    headline = re.search(r'class="headline">(.*?)</h2>', page, re.DOTALL)
    assert headline is not None
    assert "beats every other agent" in headline[1]
    assert "not significantly different" not in page


def test_agents_that_nowhere_differ_have_no_table_of_differences():
    rows = {"one": [1.0, 3.0, 2.0], "two": [1.0, 3.0, 2.0], "three": [0.0, 1.0, 2.0]}
    alike = eq.Scores.from_matrix(np.array(list(rows.values())), agents=list(rows), tasks=TASKS)
    assert eq.tasks(alike, n=0).board.by_task is None
    apart = eq.Scores.from_matrix(alike.values[1:], agents=["two", "three"], tasks=TASKS)
    assert eq.tasks(apart, n=0).board.by_task is not None


@pytest.mark.parametrize(("count", "ends"), [(10, ["bottom"]), (30, ["bottom", "top"])])
def test_the_axis_of_a_long_chart_stands_above_as_well(count, ends):
    spans = [Span(f"agent {k}", float(-k), -k - 1.0, -k + 1.0) for k in range(count)]
    layers = Forest(spans, "rating", "95% interval").draw(720)["layer"]
    axes = [layer["encoding"]["x"].get("axis", {}) for layer in layers if "field" in layer["encoding"].get("x", {})]
    if count < 25:
        assert not any("orient" in axis for axis in axes)
    else:
        drawn = [axis for axis in axes if axis is not None]
        assert [axis.get("orient", "bottom") for axis in drawn] == ends
        assert layers[0]["encoding"]["x"]["field"]


def test_a_star_says_how_many_of_its_rays_are_drawn():
    names = ["hub", *(f"agent {k}" for k in range(40))]
    games = eq.Matches.from_columns(a=["hub"] * 120, b=names[1:] * 3, outcome=[1.0, 0.0, 0.5] * 40)
    (star,) = [chart for chart in view_of(eq.rank(games)).charts() if chart.name == "head-to-head"]
    assert "highest rated of 40 are drawn" in star.caption()
