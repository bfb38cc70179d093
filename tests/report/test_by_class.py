"""Views and charts are found by the class of a result, and only what is shown is loaded."""

import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pkgutil import walk_packages

import pytest

import equipoise
import equipoise.alpharank.dynamics
import equipoise.report.charts
import equipoise.report.views
from equipoise.catalogue import catalogue, section_methods
from equipoise.core.results import Result
from equipoise.report.charts import registry as charts
from equipoise.report.views import registry as views


def tables(package, name):
    """Give the modules of a room that show classes of results, each with its table."""
    modules = [import_module(found.name) for found in walk_packages(package.__path__, f"{package.__name__}.")]
    return {module: getattr(module, name) for module in modules if hasattr(module, name) and name in vars(module)}


VIEWS = tables(equipoise.report.views, "VIEWS")
CHARTS = {
    module: table
    for module, table in tables(equipoise.report.charts, "CHARTS").items()
    if module.__name__ != "equipoise.report.charts.names"
}


def every_result(kind=Result):
    for each in kind.__subclasses__():
        if each.__module__.startswith("equipoise."):
            yield each
        yield from every_result(each)


@pytest.mark.parametrize(
    ("found", "table", "find"),
    [
        pytest.param(VIEWS, "VIEWS", views._shown_in, id="views"),
        pytest.param(CHARTS, "CHARTS", charts._drawn_in, id="charts"),
    ],
)
def test_the_registry_knows_every_class_that_a_module_shows_and_no_other(found, table, find):
    assert found
    [getattr(equipoise, name) for name in equipoise.__all__]  # all classes of results are loaded
    classes = {each.__name__ for each in every_result()}
    for module, shown in found.items():
        for name, function in shown.items():
            assert name in classes, f"{module.__name__}.{table} names no class of results: {name}"
            assert find(name) is module
            assert callable(function)
    assert find("Nonsense") is None


def test_a_class_without_an_entry_has_what_its_base_has():
    games = equipoise.Matches.from_columns("aab", "bcc", [1, 0, 1])
    elo = equipoise.elo(games)

    class Special(type(elo)):
        pass

    special = Special(**{field.name: getattr(elo, field.name) for field in fields(elo) if field.init})
    assert views.view_of(special).tables[0].rows == views.view_of(elo).tables[0].rows


def test_a_class_of_another_package_is_not_taken_for_ours_of_the_same_name():
    class Elo(Result):
        def frame(self):
            import polars as pl

            return pl.DataFrame({"agent": ["x"], "rating": [1.0]})

    assert views.view_of(Elo()).method == "Elo."


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
