"""A small view model of every chart with a hostile name in it; ``python -m tests.report.samples`` writes the specs."""

import json
from pathlib import Path
from typing import Any

from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.forest import Forest, Span
from equipoise.report.charts.head_to_head import HeadToHead
from equipoise.report.charts.images import spec
from equipoise.report.charts.rank_strip import RankSpan, RankStrip
from equipoise.report.charts.variance_reduction import Reduction, VarianceReduction

SPECS = Path(__file__).parent / "specs"
HOSTILE = "<script>alert(1)</script>"

SAMPLES: dict[str, ChartView] = {
    view.name: view
    for view in (
        Forest(
            [Span("ada", 30.0, 10.0, 50.0), Span(HOSTILE, -12.0, -40.0, 16.0), Span("bea", -18.0)], "rating", "95% t"
        ),
        HeadToHead(["ada", HOSTILE, "bea"], [[0.5, 0.75, 0.2], [0.25, 0.5, None], [0.8, None, 0.5]], [[0, 4, 5]] * 3),
        RankStrip([RankSpan("ada", 1, 1, 1), RankSpan(HOSTILE, 2, 2, 3), RankSpan("bea", 3, 2, 3)], 0.95),
        VarianceReduction([Reduction("ada", 50.0, 4.0), Reduction(HOSTILE, -5.0, 0.9), Reduction("bea", None, None)]),
    )
}


def told(view: ChartView) -> dict[str, Any]:
    """Give what we decided of a spec: what Altair adds by itself (the schema's address) may change with its version."""
    whole = spec(view, 640)
    return {key: value for key, value in whole.items() if key not in ("$schema", "config")}


def write() -> None:
    SPECS.mkdir(exist_ok=True)
    for name, view in SAMPLES.items():
        text = json.dumps(told(view), indent=1, ensure_ascii=False, sort_keys=True)
        (SPECS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
