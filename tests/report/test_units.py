"""A column of a leaderboard is shown in the unit that it declares, on every surface."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import polars as pl
import pytest

import equipoise as eq
from equipoise.analyses.boards.standings import Standings
from equipoise.core.results import Result
from equipoise.core.units import DIFFERENCE, ELO_POINT, LOG_ODDS
from equipoise.report.notebook import drawing
from equipoise.report.render.export import to_csv, to_json
from equipoise.report.render.html import Part, to_html
from equipoise.report.views.leaderboard import leaderboard
from equipoise.report.views.registry import view_of
from equipoise.report.views.scale import Scale

GAMES = eq.Matches.from_columns("aabbcc" * 10, "bcacab" * 10, [1, 1, 0, 1, 0, 1] * 10)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WithFloor(Standings):
    """A leaderboard with two columns more: a rating that others have, and a difference."""

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]
        return {**super(WithFloor, self).units, "floor": LOG_ODDS, "lead": DIFFERENCE}

    def rows(self) -> list[dict[str, Any]]:
        return [row | {"floor": 1.0, "lead": 0.5} for row in super(WithFloor, self).rows()]


@pytest.fixture(scope="module")
def board():
    plain = eq.rank(GAMES)
    return WithFloor(**{name: getattr(plain, name) for name in [one.name for one in fields(plain)]})


def test_a_new_column_in_log_odds_is_shown_in_elo_points_in_json_and_csv(board):
    view = leaderboard(board, Scale("elo", 1000.0))
    document = json.loads(to_json(view, command="rank", parameters={}))
    first = document["agents"][0]
    assert first["floor"] == pytest.approx(1.0 / ELO_POINT + 1000.0)
    assert first["lead"] == pytest.approx(0.5 / ELO_POINT)
    units = document["tables"]["agents"]["units"]
    assert units["floor"] == units["lead"] == units["rating"] == "Elo points"
    header, line, *_ = to_csv(view).splitlines()
    row = dict(zip(header.split(","), line.split(","), strict=True))
    assert float(row["floor"]) == pytest.approx(first["floor"])
    assert float(row["lead"]) == pytest.approx(first["lead"])


def test_the_same_on_the_scale_of_log_odds(board):
    view = leaderboard(board, Scale("logit", 2.0))
    assert view.tables[0].rows[0]["floor"] == pytest.approx(3.0)
    assert view.tables[0].rows[0]["lead"] == pytest.approx(0.5)
    assert view.tables[0].units["floor"] == view.tables[0].units["lead"] == "log-odds"


def test_no_column_of_a_leaderboard_is_left_in_log_odds():
    view = leaderboard(eq.rank("classifiers"))
    assert LOG_ODDS not in view.tables[0].units.values()
    assert DIFFERENCE not in view.tables[0].units.values()


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class OfAnotherPackage(Result):
    """Ratings of a method that somebody brings, whose frame is in log-odds and says so."""

    units: ClassVar[Mapping[str, str]] = {"rating": LOG_ODDS, "apart": DIFFERENCE, "share": "share"}

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({"agent": ["a", "b"], "rating": [1.0, -1.0], "apart": [0.0, None], "share": [0.5, 0.5]})


def test_what_another_package_leaves_in_log_odds_is_shown_in_elo_points():
    table = view_of(OfAnotherPackage()).tables[0]
    assert [row["rating"] for row in table.rows] == [1.0 / ELO_POINT, -1.0 / ELO_POINT]
    assert [row["apart"] for row in table.rows] == [0.0, None]
    assert [row["share"] for row in table.rows] == [0.5, 0.5]
    assert [column.heading for column in table.columns][1:] == [
        "rating (Elo points)",
        "apart (Elo points)",
        "share (share)",
    ]


def test_terminal_page_and_notebook_show_the_rows_of_the_same_view(board):
    view = leaderboard(board)
    shown = f"{view.tables[0].rows[0]['rating']:+.0f}".replace("-", "−")
    assert shown in to_html("x", [Part("x", [view])], version="0")
    assert shown in drawing(board.rated)
