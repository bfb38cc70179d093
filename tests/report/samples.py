"""A small view model of every chart with a hostile name in it; ``python -m tests.report.samples`` writes the specs."""

import json
from pathlib import Path
from typing import Any

from equipoise.report.charts.boards.forest import Forest, RankSpan, RankStrip, Span
from equipoise.report.charts.boards.head_to_head import Crosstable, HeadToHead, RatingError, RatingWidth, Record
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.images import spec
from equipoise.report.charts.games.games_results import AlphaSweepChart, Disc, Place, Split
from equipoise.report.charts.games.masses import AlphaBounds, Bounded, Dynamics, LogitDynamics, Mass, NashMasses
from equipoise.report.charts.games.nash_averages import Averages, NashAgents, NashTasks
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.charts.items.items_results import (
    AgentCurve,
    AgentCurvesChart,
    Curve,
    ItemCurves,
    ItemMap,
    ItemPlace,
)
from equipoise.report.charts.items.spread import GeneralityMap, MeanVariance
from equipoise.report.charts.play.play_results import PairGames, Progress, Reduction, SampleSizeMap, VarianceReduction
from equipoise.report.charts.scores.aggregates import AggregateRow, AggregatesChart
from equipoise.report.charts.scores.improvement import Chance, ProbabilityOfImprovement
from equipoise.report.charts.scores.scores_results import LatentMap, LearningCurvesChart, PerformanceProfiles, RunLine

SPECS = Path(__file__).parent / "specs"
HOSTILE = "<script>alert(1)</script>"

SAMPLES: dict[str, ChartView] = {
    view.name: view
    for view in (
        Forest(
            [Span("ada", 30.0, 10.0, 50.0), Span(HOSTILE, -12.0, -40.0, 16.0), Span("bea", -18.0)], "rating", "95% t"
        ),
        HeadToHead(["ada", HOSTILE, "bea"], [[0.5, 0.75, 0.2], [0.25, 0.5, None], [0.8, None, 0.5]], [[0, 4, 5]] * 3),
        Crosstable(["ada", HOSTILE], [[None, None]] * 2, None, [[None, Record(7, 2, 1)], [Record(1, 2, 7), None]]),
        RatingError(
            [RatingWidth("ada", 400, 30.0), RatingWidth(HOSTILE, 90, 70.0), RatingWidth("bea", 30, 130.0)],
            "Elo points",
            "95% t",
        ),
        RankStrip([RankSpan("ada", 1, 1, 1), RankSpan(HOSTILE, 2, 2, 3), RankSpan("bea", 3, 2, 3)], 0.95),
        Split(0.3, 0.2, 0.4, rest=f"is intransitive ({HOSTILE})"),
        Disc([Place("ada", 1.0, 0.0), Place(HOSTILE, -0.5, 0.8), Place("bea", -0.5, -0.8)], 0.9),
        ResponseGraphChart(
            ["ada", HOSTILE, "bea", "cyd"], [(0, 1), (1, 2), (2, 0), (3, 0)], [0, 0, 0, None], [0.4, 0.3, 0.3, 0]
        ),
        AlphaSweepChart(["ada", HOSTILE], [0.1, 1.0, 10.0], [[0.5, 0.7, 1.0], [0.5, 0.3, 0.0]]),
        AlphaBounds([Bounded("ada", 0.2, 1.0, "certainly"), Bounded(HOSTILE, 0.0, 0.4, "possibly")], 1, 3),
        Dynamics(
            ["ada", HOSTILE, "bea"], [[(0.2, 0.3, 0.5), (0.1, 0.4, 0.5), (0.05, 0.4, 0.55)]], [(1 / 3, 1 / 3, 1 / 3)], 2
        ),
        LogitDynamics(
            ["ada", HOSTILE],
            [[(0.2, 0.8, 0.0), (0.4, 0.6, 0.0)], [(0.9, 0.1, 0.0), (0.6, 0.4, 0.0)]],
            [(0.5, 0.5, 0.0)],
            0,
            [(0.6, 0.4, 0.0)],
        ),
        SampleSizeMap(f"3 strategies ({HOSTILE})", [0.1, 0.2], [0.05, 0.1], [[4517.0, 3831.0], [1130.0, 958.0]]),
        NashAgents(
            [Averages("ada", 0.2, 0.0, 0.7), Averages(HOSTILE, 0.3, 0.0, 0.3), Averages("bea", -0.1, -0.4, 0)],
            "log-odds",
        ),
        NashTasks([Averages("chess", 0.2, 0.5, 1.0), Averages(HOSTILE, 0.3, 0.1, 0.0)], "difficulty"),
        NashMasses([Mass("ada", 0.7, 0.2, 0.9), Mass(HOSTILE, 0.3), Mass("chess", 1.0, task=True)]),
        LatentMap([Place("ada", 0.5, 0.1), Place(HOSTILE, -0.5, 0.2)], [Place("chess", 0.4, 0.0)], 0.8),
        AggregatesChart(
            [
                AggregateRow(name, dict.fromkeys(("iqm", "median", "mean", "optimality_gap"), span))
                for name, span in (("ada", (0.8, 0.7, 0.9)), (HOSTILE, (0.4, 0.2, 0.5)), ("bea", (0.3, None, None)))
            ],
            "min-max",
            "95% t",
        ),
        PerformanceProfiles(
            [0.0, 0.5, 1.0],
            [RunLine("ada", [1.0, 0.7, 0.1], [0.9, 0.5, 0.0], [1.0, 0.8, 0.2]), RunLine(HOSTILE, [0.9, 0.3, 0.0])],
            "min-max",
            "95% interval",
        ),
        ProbabilityOfImprovement(
            [Chance(f"{HOSTILE} over ada", 0.9, 0.8, 0.97), Chance("ada over bea", 0.6, 0.4, 0.8)], "95% interval"
        ),
        LearningCurvesChart(
            [0.0, 1e5, 2e5], [RunLine("ada", [1.0, 5.0, 9.0]), RunLine(HOSTILE, [0.0, None, 4.0])], "return"
        ),
        ItemCurves([-2.0, 0.0, 2.0], [Curve("one", [0.1, 0.5, 0.9]), Curve(HOSTILE, [0.6, 0.5, 0.4], negative=True)]),
        AgentCurvesChart(
            [-1.0, 0.0, 1.0],
            [
                AgentCurve("ada", [0.9, 0.5, 0.1], [0.01, 0.1, 0.02], [0.8, 0.5, 0.2]),
                AgentCurve(HOSTILE, [0.6, None, 0.4], [0.2, None, 0.2]),
            ],
        ),
        ItemMap([ItemPlace("one", 0.2, 1.4), ItemPlace(HOSTILE, -0.4, -0.6)]),
        GeneralityMap([Place("ada", 1.0, 8.0), Place(HOSTILE, -0.3, 3.0)], infinite=1),
        MeanVariance([Place("ada", 0.8, 0.15), Place(HOSTILE, 0.4, 0.1)]),
        VarianceReduction([Reduction("ada", 50.0, 4.0), Reduction(HOSTILE, -5.0, 0.9), Reduction("bea", None, None)]),
        Progress([PairGames("ada vs bea", 20, 30), PairGames(HOSTILE, 50, 0, decided=True)]),
    )
}


def told(view: ChartView) -> dict[str, Any]:
    """Give what differs from chart to chart: not the schema's address, nor the house style."""
    whole = spec(view, 640)
    return {key: value for key, value in whole.items() if key not in ("$schema", "config")}


def write() -> None:
    SPECS.mkdir(exist_ok=True)
    for name, view in SAMPLES.items():
        text = json.dumps(told(view), indent=1, ensure_ascii=False, sort_keys=True)
        (SPECS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
