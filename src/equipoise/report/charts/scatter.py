"""What the maps share: named points in a plane."""

from collections.abc import Sequence
from typing import Any

from equipoise.report.charts.canvas import INK, MUTED, altair, plot

__all__ = ["MOST_NAMES", "named_points", "zero_lines"]

MOST_NAMES, MOST_NAMES_NARROW = 40, 12
"""Most names written beside points; the rest say who they are when pointed at."""


def named_points(
    rows: Sequence[dict[str, Any]], x: Any, y: Any, *, width: int, colour: Any, shape: str = "circle", size: int = 60
) -> list[Any]:
    """Draw points with ``shown`` beside the first of them and ``tip`` behind all."""
    alt = altair()
    dots = plot(rows).mark_point(filled=True, size=size, shape=shape, opacity=0.9)
    dots = dots.encode(x=x, y=y, color=colour, description="tip:N")
    named = [dict(row) for row in rows[: MOST_NAMES_NARROW if width < 480 else MOST_NAMES]]
    if not named:
        return [dots]
    text = plot(named).mark_text(align="left", dx=7, fontSize=11, color=INK, limit=120, aria=False)
    return [dots, text.encode(x=x, y=y, text=alt.Text("shown:N"))]


def zero_lines(*, vertical: bool = True) -> list[Any]:
    """Draw the axes through zero."""
    lines = [plot([{"at": 0}]).mark_rule(color=MUTED, strokeDash=[2, 3], aria=False).encode(y="at:Q")]
    if vertical:
        lines.append(plot([{"at": 0}]).mark_rule(color=MUTED, strokeDash=[2, 3], aria=False).encode(x="at:Q"))
    return lines
