"""All charts by name."""

from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.forest import Forest
from equipoise.report.charts.head_to_head import HeadToHead
from equipoise.report.charts.rank_strip import RankStrip
from equipoise.report.charts.variance_reduction import VarianceReduction

__all__ = ["CHARTS"]

CHARTS: dict[str, type[ChartView]] = {chart.name: chart for chart in (Forest, HeadToHead, RankStrip, VarianceReduction)}
