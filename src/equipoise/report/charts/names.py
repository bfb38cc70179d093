"""All charts by name."""

from equipoise.report.charts.boards.forest import Forest
from equipoise.report.charts.boards.head_to_head import HeadToHead
from equipoise.report.charts.boards.rank_strip import RankStrip
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.alpha_sweep import AlphaSweepChart
from equipoise.report.charts.games.disc import Disc
from equipoise.report.charts.games.nash_averages import NashAgents, NashTasks
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.charts.games.split import Split
from equipoise.report.charts.items.agent_curves import AgentCurvesChart
from equipoise.report.charts.items.generality_map import GeneralityMap
from equipoise.report.charts.items.item_curves import ItemCurves
from equipoise.report.charts.items.item_map import ItemMap
from equipoise.report.charts.play.play_results import Progress, VarianceReduction
from equipoise.report.charts.scores.aggregates import AggregatesChart
from equipoise.report.charts.scores.improvement import ProbabilityOfImprovement
from equipoise.report.charts.scores.latent_map import LatentMap
from equipoise.report.charts.scores.run_lines import LearningCurvesChart, PerformanceProfiles

CHARTS: dict[str, type[ChartView]] = {
    chart.name: chart
    for chart in (
        Forest,
        HeadToHead,
        RankStrip,
        Split,
        Disc,
        ResponseGraphChart,
        AlphaSweepChart,
        NashAgents,
        NashTasks,
        LatentMap,
        AggregatesChart,
        PerformanceProfiles,
        ProbabilityOfImprovement,
        LearningCurvesChart,
        ItemCurves,
        AgentCurvesChart,
        ItemMap,
        GeneralityMap,
        VarianceReduction,
        Progress,
    )
}
"""In the order in which the command line lists them."""
ASKED: dict[str, tuple[str, ...]] = {
    "ranking": ("forest",),
    "pairs": ("head-to-head",),
    "profile": ("performance-profile",),
    "tasks": ("nash-tasks",),
    "items": ("item-map",),
    "curves": ("learning-curves", "item-curves", "agent-curves"),
}
"""What a result's ``plot`` takes besides: words for what a chart is asked for, the first of these that there is."""
