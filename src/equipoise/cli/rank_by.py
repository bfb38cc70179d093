"""``equipoise rank --by``: a board for each category."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.cli.output import Form, source_of, write_view
from equipoise.cli.waiting import short, working
from equipoise.errors import ParameterError
from equipoise.wording import Option

__all__ = ["rank_by"]


def rank_by(
    file: Any,
    by: str,
    options: Mapping[str, Any],
    scale: Any,
    idle: Mapping[str, tuple[object, object]],
    where_to: tuple[Form | None, Path | None, Path | None],
) -> None:
    """Rate agents in each category and write the boards; ``idle`` are options, with their defaults, that do nothing."""
    for name, (value, usual) in idle.items():
        if value != usual:
            raise ParameterError(Option(name), " does not go with ", Option("by"))
    with working(f"Ranking {short(file)} by {by}"):
        from equipoise.analyses.category_boards import rank_by_category
        from equipoise.report.category_boards import ranked_by_category_view
        from equipoise.report.leaderboard import Scale

        found = rank_by_category(source_of(file), by, **options)
    write_view(ranked_by_category_view(found, Scale(*scale)), *where_to)
