"""Charts of awkward data: one test for each way in which a drawing could not be read."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from equipoise.report.charts.boards.forest import Forest, RankSpan, RankStrip, Span
from equipoise.report.charts.boards.head_to_head import HeadToHead
from equipoise.report.charts.drawing.canvas import CATEGORIES, SHAPES, ChartView
from equipoise.report.charts.drawing.domains import domain_of
from equipoise.report.charts.drawing.images import inline_svg, spec, to_png, to_svg
from equipoise.report.charts.drawing.lettering import fitted, text_width
from equipoise.report.charts.games.games_results import Place
from equipoise.report.charts.games.nash_averages import Averages, NashAgents, NashTasks
from equipoise.report.charts.games.response_graph import ResponseGraphChart, layered
from equipoise.report.charts.items.items_results import (
    AgentCurve,
    AgentCurvesChart,
    Curve,
    ItemCurves,
    ItemMap,
    ItemPlace,
)
from equipoise.report.charts.items.spread import GeneralityMap
from equipoise.report.charts.scores.aggregates import AggregateRow, AggregatesChart
from equipoise.report.charts.scores.scores_results import LatentMap, PerformanceProfiles, RunLine
from tests.report.boxes import overlapping, texts
from tests.report.samples import SAMPLES

EMOJI = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}"
LONG = [f"meta-llama/Llama-3.{k}-Instruct-Turbo-{EMOJI}-{k:03d}" for k in range(40)]
RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(80, 2)).tolist()
RATES = [[None if i == j else 0.5 + (j - i) / 100 for j in range(40)] for i in range(40)]
AWKWARD: dict[str, ChartView] = {
    view.name: view
    for view in (
        Forest([Span(name, 40.0 - k, 30.0 - k, 50.0 - k) for k, name in enumerate(LONG)], "rating", "95% interval"),
        HeadToHead(LONG, RATES),
        RankStrip([RankSpan(name, k + 1, max(1, k - 2), k + 4) for k, name in enumerate(LONG)], 0.95),
        NashAgents([Averages(name, -0.1 * k, -0.2 * k, float(k == 0)) for k, name in enumerate(LONG)], "payoff"),
        LatentMap(
            [Place(name, *point) for name, point in zip(LONG, POINTS[:40], strict=True)],
            [Place(f"task {k}", *point) for k, point in enumerate(POINTS[40:])],
            0.5,
        ),
        ItemMap([ItemPlace(name, *point) for name, point in zip(LONG, POINTS, strict=False)]),
        GeneralityMap([Place(name, *point) for name, point in zip(LONG, POINTS, strict=False)]),
        ResponseGraphChart(LONG, [(j, i) for i in range(40) for j in range(i + 1, 40)], [0, *[None] * 39]),
        PerformanceProfiles([0.0, 0.5, 1.0], [RunLine(name, [1.0, 0.5, 0.0]) for name in LONG], "min-max"),
        AggregatesChart(
            [
                AggregateRow(name, dict.fromkeys(("iqm", "median", "mean", "optimality_gap"), (0.5, 0.4, 0.7)))
                for name in LONG[:9]
            ],
            "min-max",
            "95% interval",
        ),
    )
}


def rows_of(view: ChartView) -> list[dict[str, object]]:
    """Give all rows that a drawing holds."""
    return [row for rows in spec(view)["datasets"].values() for row in rows]


both_widths = pytest.mark.parametrize("width", [326, 900])


@both_widths
@pytest.mark.parametrize("view", [*SAMPLES.values(), *AWKWARD.values()], ids=[*SAMPLES, *(f"odd {n}" for n in AWKWARD)])
def test_texts_neither_cover_each_other_nor_leave_the_drawing(view, width):
    found, wide, high = texts(view, width)
    assert overlapping(found) == []
    for text in found:
        assert min(text.box.left, text.box.top) >= -1, text
        assert text.box.right <= wide + 1, text
        assert text.box.bottom <= high + 1, text


def test_an_emoji_in_a_long_name_does_not_stop_a_drawing():
    view = Forest([Span(f"{'x' * k}{EMOJI * 12}", float(k)) for k in range(24)], "rating")
    for width in (326, 900):
        assert inline_svg(view, width).startswith("<svg")
    assert to_png(view).startswith(b"\x89PNG")


def test_a_cut_leaves_joined_emoji_whole():
    for pixels in range(30, 160, 7):
        cut = fitted(f"model {EMOJI} {EMOJI} turbo {EMOJI}", pixels)
        assert text_width(cut) <= pixels
        assert cut.count("\N{ZERO WIDTH JOINER}") == cut.count(EMOJI)


def test_an_item_far_out_is_put_at_the_edge_marked_and_said():
    items = [ItemPlace(f"q{k}", x, 1.0 + abs(y)) for k, (x, y) in enumerate(POINTS)]
    view = ItemMap([*items, ItemPlace("far", -23.0, 1.0)])
    scale = json.dumps(spec(view, 900))
    assert domain_of([*(x for x, _ in POINTS), -23.0]).low > -6
    assert "One item lies beyond the axis" in view.caption()
    assert "triangle-left" in scale
    assert "far: difficulty -23.00" in scale
    assert "lies beyond it" in scale


def test_numbers_close_together_are_all_on_the_axis():
    assert domain_of([float(k) for k in range(30)]).beyond == 0
    assert domain_of([1.0, 1.0, 1.0]).low < 1.0 < domain_of([1.0, 1.0, 1.0]).high


def test_ribbons_of_shares_stay_between_0_and_1():
    view = AgentCurvesChart([-1.0, 1.0], [AgentCurve("ada", [0.9, 0.1], [0.2, 0.2])])
    rows = [row for row in rows_of(view) if "low" in row]
    assert rows
    assert all(0 <= row["low"] <= row["high"] <= 1 for row in rows)


@pytest.mark.parametrize("view", SAMPLES.values(), ids=SAMPLES)
def test_every_chart_has_a_key(view):
    assert any("key" in row for row in rows_of(view))


@pytest.mark.parametrize("view", SAMPLES.values(), ids=SAMPLES)
def test_a_picture_that_stands_alone_has_its_title_and_its_numbers(view):
    root = ElementTree.fromstring(to_svg(view))
    words = " ".join(text for text in root.itertext())
    assert view.heading() in words
    assert any(element.tag.endswith("title") and element.text for element in root.iter())


def test_a_response_graph_of_forty_in_one_order_is_a_column():
    layout = layered(14, [(j, i) for i in range(14) for j in range(i + 1, 14)], 600)
    assert [(arrow.source, arrow.target) for arrow in layout.arrows] == [(k + 1, k) for k in range(13)]
    assert (
        "14 of 40 are drawn (sinks first); of the other 26, none belongs to a sink component."
        in AWKWARD["response-graph"].caption()
    )


def test_agents_that_chase_each_other_stand_on_a_ring():
    layout = layered(4, [(0, 1), (1, 2), (2, 0), (3, 0)], 600)
    assert len(layout.arrows) == 4
    assert layout.places[3][1] > max(y for _, y in layout.places[:3])


def test_one_dominant_agent_leaves_plain_averages_of_tasks():
    view = NashTasks([Averages(f"task {k}", 0.01 * k, -1.0, 1 / 60) for k in range(60)], "difficulty")
    assert "is the same, -1, and is not drawn" in view.caption()
    assert not any(layer["mark"]["type"] == "rule" for layer in spec(view)["layer"])


def test_sixty_bars_alike_are_a_sentence():
    view = RankStrip([RankSpan(f"agent {k}", k + 1, 1, 60) for k in range(60)], 0.95)
    found, _, high = texts(view, 900)
    assert " ".join(text.words for text in found).startswith("Each of the 60 may have any rank from 1 to 60")
    assert high < 80


def test_many_rows_alike_are_one():
    view = Forest([Span("best", 9.0), *(Span(f"agent {k}", 1.0) for k in range(40))], "rating")
    assert "40 alike: agent 0 to agent 39" in {text.words for text in texts(view, 900)[0]}


def test_a_colour_never_stands_alone():
    assert len(set(SHAPES)) == len(CATEGORIES)
    shapes = {
        encoding["scale"]["range"][1]
        for layer in spec(SAMPLES["alpha-sweep"])["layer"]
        if (encoding := layer["encoding"].get("shape"))
    }
    assert shapes == {"square"}


def test_a_heat_map_on_a_telephone_keeps_its_numbers():
    found, _, _ = texts(AWKWARD["head-to-head"], 326)
    assert sum(text.words.isdigit() for text in found) >= 42
    assert "on a telephone the best" in AWKWARD["head-to-head"].caption()


def test_columns_of_a_matrix_are_named_whole_or_by_the_number_of_their_row():
    names = ["Falcon Instruct (40B)", "GPT 4", "a name of which no column could be the heading"]
    drawn = inline_svg(HeadToHead(names, [[None, 0.9, 0.6], [0.1, None, 0.5], [0.4, 0.5, None]]), 900)
    texts = re.findall(r">([^<>]+)</text>", drawn)
    assert texts.count("Falcon Instruct (40B)") == 1
    assert {"GPT 4", "3", "1 Falcon Instruct (40B)", "2 GPT 4"} <= set(texts)


def test_every_item_has_its_name_where_curves_are_apart_somewhere():
    abilities = np.linspace(-4, 4, 33)
    curves = [Curve(f"item {k}", (1 / (1 + np.exp(-2 * (abilities - k)))).tolist()) for k in range(-2, 3)]
    drawn = inline_svg(ItemCurves(abilities.tolist(), curves), 900)
    assert all(drawn.count(f">item {k}</text>") == 1 for k in range(-2, 3))
