"""Classes and functions that views and charts name by text are there, and only what is shown is loaded."""

import subprocess
import sys
from importlib import import_module

import pytest
from equipoise.report.views.by_class import written_for

from equipoise.catalogue import catalogue, section_methods
from equipoise.core.results import Result
from equipoise.report.charts.registry import CHARTS_FOR
from equipoise.report.views.registry import VIEWS_FOR, WHOLE


def named(place):
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


@pytest.mark.parametrize("kind", [*CHARTS_FOR, *VIEWS_FOR, *WHOLE])
def test_a_class_stands_under_its_own_name(kind):
    found = named(kind)
    assert issubclass(found, Result)
    assert f"{found.__module__}.{found.__qualname__}" == kind


@pytest.mark.parametrize("table", [CHARTS_FOR, VIEWS_FOR, WHOLE], ids=["charts", "views", "whole"])
def test_every_function_is_there(table):
    for kind, place in table.items():
        assert written_for(named(kind), table) is named(place)


def test_a_class_without_a_line_has_what_its_base_has():
    class Special(named("equipoise.ratings.online.elo.Elo")):
        pass

    assert written_for(Special, VIEWS_FOR) is named("equipoise.report.views.leaderboard.rating_view")
    assert written_for(int, VIEWS_FOR) is None


def test_only_methods_with_a_section_are_listed_as_such():
    assert section_methods() == tuple(method for method in catalogue() if method.declared.section)


def test_a_page_of_scores_loads_no_ratings(tmp_path):
    table = tmp_path / "answers.csv"
    rows = ["a,1,1,1,0", "b,1,0,0,1", "c,0,1,0,0", "d,0,0,1,1"]
    table.write_text("agent,one,two,three,four\n" + "\n".join(rows) + "\n")
    code = (
        "import sys; from equipoise.cli.main import main;"
        f"assert main(['report', {str(table)!r}, '-o', {str(tmp_path / 'page.html')!r}]) == 0;"
        "print([name for name in sys.modules if name.startswith(('equipoise.ratings.', 'equipoise.alpharank.'))])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "[]"
