"""What results give by methods of their own: charts of a size, tables for papers, files by their suffix."""

import json
import re
from functools import cache
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.report.forms import COMMANDS
from equipoise.report.render.schema import schema_of

jsonschema = pytest.importorskip("jsonschema")

GAMES = eq.Matches.from_columns("aabbcc" * 10, "bcacab" * 10, [1, 1, 0, 1, 0, 1] * 10, task="st" * 30)

BANK = eq.results.Calibration.from_parameters(map(str, range(20)), difficulty=np.linspace(-2, 2, 20))
PART = eq.Scores.from_matrix([[1.0] * 6 + [0.0] * 6], tasks=[str(k) for k in range(0, 20, 2)] + ["1", "3"])
VOTES = pl.DataFrame(
    {
        "model_a": ["new"] * 60,
        "model_b": ["old"] * 60,
        "winner": ["a", "b", "b"] * 20,
        "length_a": [300 + 40 * (k % 7) for k in range(60)],
        "length_b": [400] * 60,
    }
)


@cache
def board() -> eq.results.Standings:
    return eq.rank(GAMES)


def size(path) -> tuple[float, float]:
    root = ElementTree.fromstring(path.read_text())
    return float(root.get("width")), float(root.get("height"))


STARTS = {
    ".json": '{\n  "schema"', ".csv": "agent,", ".tex": r"\begin{table}", ".md": "## Cup", ".txt": "",
    ".html": "<!doctype html>", ".svg": "<svg", ".png": "\x89PNG", ".pdf": "%PDF",
}  # fmt: skip


@pytest.mark.parametrize("suffix", STARTS)
def test_a_result_is_saved_in_the_form_of_the_suffix(tmp_path, suffix):
    path = tmp_path / f"board{suffix}"
    assert board().save(path, title="Cup", caption="All games.") == path
    content = path.read_bytes().decode("latin-1")
    assert content.lower().startswith(STARTS[suffix].lower())
    if suffix in (".tex", ".md", ".svg"):
        assert "All games." in content
    if suffix == ".txt":
        assert content.splitlines()[0] == board().answer[0]
    if suffix == ".csv":
        assert pl.read_csv(path)["agent"].to_list() == board().table["agent"].to_list()


def test_a_saved_board_is_a_board_for_later_ones(tmp_path):
    path = board().save(str(tmp_path / "old.json"))
    assert eq.changes(path, board()).agents == tuple(board().table["agent"])


SAVED = {
    "rank": board,
    "compare": lambda: eq.compare(GAMES, "a", "b"),
    "categories": lambda: eq.categories(GAMES, "task"),
    "plan": lambda: eq.plan(GAMES),
    "irt": lambda: eq.irt("lsat", model="rasch"),
    "tasks": lambda: eq.tasks(eq.Scores.from_matrix([[0.1, 0.5, 0.9], [0.2, 0.4, 0.1]]), n=20),
    "changes": lambda: eq.changes(board(), board()),
    "judges": lambda: eq.judges(GAMES),
    "metagame": lambda: eq.metagame(eq.MetaGame.symmetric([[0, 2, -1], [-2, 0, 3], [1, -3, 0]], ["r", "s", "p"])),
    "predict": lambda: eq.predict(PART, BANK),
    "length": lambda: eq.length_control(VOTES, baseline="old"),
    "luck": lambda: eq.remove_luck("hands-kuhn2", control="honest"),
}


@pytest.mark.parametrize("command", SAVED)
def test_a_saved_document_is_one_of_its_command(tmp_path, command):
    result = SAVED[command]()
    assert COMMANDS[type(result).__name__] == command
    document = json.loads(result.save(tmp_path / "a.json").read_text())
    assert document["command"] == command
    jsonschema.validate(document, schema_of(command))


@pytest.mark.parametrize("name", ["board.doc", "board", "board.xlsx"])
def test_another_suffix_is_refused(tmp_path, name):
    with pytest.raises(eq.ParameterError, match=r"a result is saved as \.json, .*\.pdf, not"):
        board().save(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("suffix", STARTS)
def test_a_folder_that_is_not_there_is_an_error_in_one_line(tmp_path, suffix):
    with pytest.raises(eq.ParameterError, match="cannot write"):
        board().save(tmp_path / "nowhere" / f"a{suffix}")


def test_a_caption_makes_a_float():
    assert (
        board().to_latex(caption="Wins & losses").startswith("\\begin{table}\n\\centering\n\\caption{Wins \\& losses}")
    )
    assert board().to_markdown(caption="All games.").endswith("\nAll games.\n")


def test_the_main_chart_comes_first_and_others_by_name():
    assert board().plot().name == "forest"
    assert board().plot("head-to-head").name == board().plot("pairs").name == "head-to-head"
    with pytest.raises(
        eq.ParameterError, match=r'no chart "forst" \(did you mean "forest"\?\); charts: forest, .*head-to-head'
    ):
        board().plot("forst")


def test_a_benchmark_has_its_profile():
    values = [[[0.1, 0.2], [0.5, 0.6]], [[0.7, 0.8], [0.9, 0.8]]]
    assert eq.tasks(eq.Scores.from_matrix(values), n=20).plot("profile").name == "performance-profile"


def test_a_result_without_a_chart_says_so():
    with pytest.raises(eq.ParameterError, match="Reader has no chart"):
        Reader().plot()


class Reader(eq.results.Result):
    __slots__ = ()

    def frame(self):
        return pl.DataFrame({"name": ["x"]})


@pytest.mark.parametrize(
    ("width", "pixels"), [(500, 500), ("500px", 500), ("5in", 480), ("127mm", 480), ("12.7 cm", 480), ("page", 648)]
)
def test_widths_are_lengths(tmp_path, width, pixels):
    assert size(board().plot(width=width).save(tmp_path / "a.svg"))[0] == pytest.approx(pixels, abs=1)


def test_a_picture_for_a_column_is_as_wide_as_one(tmp_path):
    path = board().plot(width="3.25in", theme="paper").save(tmp_path / "a.pdf")
    assert re.search(rb"MediaBox ?\[0 0 234 ", path.read_bytes()), "3.25 inches are 234 points"


def test_a_picture_is_no_higher_than_asked(tmp_path):
    plain = size(board().plot().save(tmp_path / "a.svg"))
    low = size(board().plot(height=120).save(tmp_path / "b.svg"))
    assert low[1] == pytest.approx(120)
    assert low[0] / low[1] == pytest.approx(plain[0] / plain[1], rel=1e-3)
    assert size(board().plot(height=5000).save(tmp_path / "c.svg")) == plain


def test_themes_say_where_a_picture_is_for(tmp_path):
    screen, paper = (board().plot(theme=theme).save(tmp_path / f"{theme}.svg") for theme in ("screen", "paper"))
    heading = board().plot().chart.heading()
    assert f">{heading}</text>" in screen.read_text()
    assert f">{heading}</text>" not in paper.read_text()
    assert size(paper)[1] < size(screen)[1]
    slides = board().plot(theme="slides", width=960).save(tmp_path / "slides.svg")
    assert size(slides)[0] == pytest.approx(960, abs=2)
    assert 'viewBox="0 0 640 ' in slides.read_text(), "letters are half as large again"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width": "3 miles"}, "width is 72 pixels or more"),
        ({"width": 0}, "width is 72 pixels or more"),
        ({"height": float("nan")}, "height is 72 pixels or more"),
        ({"theme": "dark"}, "theme is one of screen, paper, slides, not 'dark'"),
    ],
)
def test_sizes_and_themes_that_make_no_sense_are_refused(options, said):
    with pytest.raises(eq.ParameterError, match=said):
        board().plot(**options)


def test_a_notebook_shows_a_plot():
    assert board().plot()._repr_html_().startswith("<svg")


def test_without_the_metadata_of_the_package_it_is_said(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    with pytest.raises(eq.MissingDependencyError, match="install equipoise"):
        board().to_latex()
