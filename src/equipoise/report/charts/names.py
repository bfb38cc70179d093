"""All charts by name."""

from equipoise.report.charts.boards.forest import Forest, RankStrip
from equipoise.report.charts.boards.head_to_head import Crosstable, HeadToHead, RatingError
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.games_results import AlphaSweepChart, Disc, Split
from equipoise.report.charts.games.masses import AlphaBounds, Dynamics, LogitDynamics, NashMasses
from equipoise.report.charts.games.nash_averages import NashAgents, NashTasks
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.charts.items.items_results import AgentCurvesChart, ItemCurves, ItemMap
from equipoise.report.charts.items.spread import GeneralityMap, MeanVariance
from equipoise.report.charts.play.play_results import Progress, SampleSizeMap, VarianceReduction
from equipoise.report.charts.scores.aggregates import AggregatesChart
from equipoise.report.charts.scores.improvement import ProbabilityOfImprovement
from equipoise.report.charts.scores.scores_results import LatentMap, LearningCurvesChart, PerformanceProfiles

CHARTS: dict[str, type[ChartView]] = {
    chart.name: chart
    for chart in (
        Forest,
        HeadToHead,
        Crosstable,
        RatingError,
        RankStrip,
        Split,
        Disc,
        ResponseGraphChart,
        AlphaSweepChart,
        AlphaBounds,
        Dynamics,
        LogitDynamics,
        SampleSizeMap,
        NashAgents,
        NashTasks,
        NashMasses,
        LatentMap,
        AggregatesChart,
        PerformanceProfiles,
        ProbabilityOfImprovement,
        LearningCurvesChart,
        ItemCurves,
        AgentCurvesChart,
        ItemMap,
        GeneralityMap,
        MeanVariance,
        VarianceReduction,
        Progress,
    )
}
"""In the order in which the command line lists them."""
ASKED: dict[str, tuple[str, ...]] = {
    "ranking": ("forest", "aggregates"),
    "pairs": ("head-to-head",),
    "profile": ("performance-profile",),
    "tasks": ("nash-tasks",),
    "items": ("item-map",),
    "curves": ("learning-curves", "item-curves", "agent-curves"),
}
"""What a result's ``plot`` takes besides: words for what a chart is asked for, the first of these that there is."""
