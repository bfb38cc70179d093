"""All charts by name."""

from equipoise.report.charts.agent_curves import AgentCurvesChart
from equipoise.report.charts.aggregates import AggregatesChart
from equipoise.report.charts.alpha_sweep import AlphaSweepChart
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.disc import Disc
from equipoise.report.charts.forest import Forest
from equipoise.report.charts.generality_map import GeneralityMap
from equipoise.report.charts.head_to_head import HeadToHead
from equipoise.report.charts.improvement import ProbabilityOfImprovement
from equipoise.report.charts.item_curves import ItemCurves
from equipoise.report.charts.item_map import ItemMap
from equipoise.report.charts.latent_map import LatentMap
from equipoise.report.charts.nash_averages import NashAgents, NashTasks
from equipoise.report.charts.progress import Progress
from equipoise.report.charts.rank_strip import RankStrip
from equipoise.report.charts.response_graph import ResponseGraphChart
from equipoise.report.charts.run_lines import LearningCurves, PerformanceProfiles
from equipoise.report.charts.split import Split
from equipoise.report.charts.variance_reduction import VarianceReduction

__all__ = ["CHARTS"]

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
        LearningCurves,
        ItemCurves,
        AgentCurvesChart,
        ItemMap,
        GeneralityMap,
        VarianceReduction,
        Progress,
    )
}
"""In the order in which the command line lists them."""
