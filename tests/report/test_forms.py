"""What results give by methods of their own: charts of a size, tables for papers, files by their suffix."""

import json
import re
import struct
from functools import cache
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.report.charts.drawing.lettering import text_width
from equipoise.report.forms import COMMANDS
from equipoise.report.render.paper import to_latex
from equipoise.report.render.schema import schema_of
from equipoise.report.views import cells
from equipoise.report.views.registry import view_of
from equipoise.report.views.view import Column, TableView, View

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
    ".json": '{\n  "schema"', ".csv": "agent,", ".tex": "% equipoise ", ".md": "## Cup", ".txt": "",
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
    assert "\n\\begin{table}\n\\centering\n\\caption{Wins \\& losses}\n" in board().to_latex(caption="Wins & losses")
    assert board().to_markdown(caption="All games.").endswith("\nAll games.\n")


def paper_of(rows, digits=1):
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("rating", cells.decimal("rating", digits)),
        Column("interval", cells.ends(cells.signed, "", digits), right=False),
        Column("Nash", cells.decimal("rating"), aside=True),
    ]
    return to_latex(View((TableView("agents", rows, columns),))).splitlines()


def ranked(agent, rating, low, high, first):
    return {"agent": agent, "rating": rating, "low": low, "high": high, "rank_low": first, "rank_high": 3}


def test_who_cannot_be_ruled_out_as_best_is_bold():
    lines = paper_of(
        [ranked("a", 9.0, 1.0, 17.0, 1), ranked("b", 8.0, 0.5, 9.0, 1), ranked("c", -100.0, -104.5, -9.0, 3)]
    )
    assert lines[0].startswith("% bold: cannot be ruled out as best")
    assert lines[5:8] == [
        r"\textbf{a} & \textbf{9.0} & \phantom{10}+1.0 to +17.0 \\",
        r"\textbf{b} & \textbf{8.0} & \phantom{10}+0.5 to \phantom{1}+9.0 \\",
        r"c & $-$100.0 & $-$104.5 to \phantom{1}$-$9.0 \\",
    ]


def test_provisional_agents_are_named_and_never_bold():
    games = [("a", "b", k % 5 > 0) for k in range(60)] + [("b", "c", k % 3 > 0) for k in range(60)] + [("new", "a", 1)]
    first, second, score = zip(*games, strict=True)
    lines = eq.rank(eq.Matches.from_columns(first, second, [float(one) for one in score])).to_latex().split("\n")
    assert "% provisional, so last and outside the others' ranks: new" in lines
    assert [line.count("textbf") > 0 for line in lines if " & a & " in line.replace(r"\textbf{a}", "a")] == [True]
    assert [line.count("textbf") > 0 for line in lines if " & new & " in line] == [False]


def test_nobody_is_bold_where_nobody_can_be_ruled_out():
    assert "textbf" not in "".join(paper_of([ranked("a", 9.0, 1.0, 17.0, 1), ranked("b", 8.0, 0.5, 9.0, 1)]))


def test_without_intervals_what_prints_like_the_highest_is_bold():
    rows = [{"agent": name, "rating": rating} for name, rating in (("a", 1.04), ("b", 1.01), ("c", 0.9))]
    assert [r"\textbf" in line for line in paper_of(rows)[5:8]] == [True, True, False]


def test_names_with_numbers_are_not_padded():
    rows = [{"agent": f"person {k}", "rating": -float(k)} for k in (7, 700)]
    assert not any("phantom" in line for line in paper_of(rows))


def test_a_table_for_a_paper_leaves_out_what_the_first_screen_does():
    assert "Nash" not in "".join(paper_of([{"agent": "a", "rating": 1.0}]))


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


CHART_NAMES = [chart.name for chart in view_of(eq.rank(GAMES), whole=True).charts()]


@pytest.mark.parametrize("theme", ["screen", "paper", "slides"])
@pytest.mark.parametrize("kind", CHART_NAMES)
@pytest.mark.parametrize(("width", "height"), [("3.25in", "2in"), ("5in", "9in")])
def test_a_picture_is_of_the_size_on_paper_that_was_asked_for(tmp_path, kind, theme, width, height):
    plot = board().plot(kind, width=width, height=height, theme=theme, font_size=8)
    inches = [float(side.removesuffix("in")) for side in (width, height)]
    assert size(plot.save(tmp_path / "a.svg")) == pytest.approx([96 * side for side in inches])
    box = re.search(rb"MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", plot.save(tmp_path / "a.pdf").read_bytes())
    assert [float(side) for side in box.groups()] == pytest.approx([72 * side for side in inches])
    picture = plot.save(tmp_path / "a.png").read_bytes()
    assert struct.unpack(">II", picture[16:24]) == tuple(round(192 * side) for side in inches)
    dots = struct.unpack(">I", picture[picture.index(b"pHYs") + 4 :][:4])[0]
    assert dots * 0.0254 == pytest.approx(192, abs=0.1), "a picture knows how large it is"


@pytest.mark.parametrize("kind", CHART_NAMES)
@pytest.mark.parametrize("height", [None, "2in", "9in"])
def test_nothing_that_is_written_is_cut_off(tmp_path, kind, height):
    text = board().plot(kind, width="column", height=height, caption="caption " * 50).save(tmp_path / "a.svg")
    root = ElementTree.fromstring(text.read_text())
    x, y, across, down = map(float, root.get("viewBox").split())
    lines = [(words, at) for words, at in placed(root) if words.startswith("caption")]
    assert len(lines) > 3
    for words, (left, baseline) in lines:
        assert x <= left
        assert left + text_width(words) <= x + across
        assert y <= baseline - 9
        assert baseline + 3 <= y + down


def placed(element, x=0.0, y=0.0):
    """Give the texts of a drawing, each with where it begins."""
    moved = re.search(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
    x, y = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
    if element.tag.endswith("text"):
        yield "".join(element.itertext()), (x, y)
    for child in element:
        yield from placed(child, x, y)


def test_letters_are_as_large_as_asked_for(tmp_path):
    drawn = board().plot(width="page", font_size=18).save(tmp_path / "a.svg").read_text()
    assert f'viewBox="0 0 {648 / 2:g} ' in drawn, "letters of 9 points are twice as large"


def test_a_caption_says_which_estimator_and_which_data(tmp_path):
    path = tmp_path / "cup.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\ny,z,1\nz,x,0.5\ny,x,1\n" * 9)
    plot = eq.rank(path).plot()
    told = "Bradley-Terry in Elo points, 0 is the average opponent, ties: half. Data: cup.csv, 3 agents."
    assert plot.caption.endswith(f" {told}")
    assert "cup.csv, 3 agents." in " ".join(plot.save(tmp_path / "a.svg").read_text().split())
    assert eq.rank(path).plot("pairs").caption.endswith(" Observed win rates. Data: cup.csv, 3 agents.")
    eq.chart("ranking", path, tmp_path / "b.svg")
    assert told in (tmp_path / "b.svg").read_text()


def test_a_paper_has_the_title_and_the_caption_that_it_asks_for(tmp_path):
    drawn = board().plot(theme="paper", caption="All games.").save(tmp_path / "a.svg").read_text()
    assert ">All games.</text>" in drawn
    assert f">{board().plot().chart.heading()}</text>" not in drawn


def names_in(path) -> set[str]:
    return {text for text, _ in placed(ElementTree.fromstring(path.read_text())) if text in ("a", "b", "c")}


@pytest.mark.parametrize("kind", ["ranking", "ranks", "pairs"])
def test_some_agents_are_drawn_alone(tmp_path, kind):
    assert names_in(board().plot(kind).save(tmp_path / "a.svg")) == {"a", "b", "c"}
    some = board().plot(kind, agents_shown="a, c")
    assert names_in(some.save(tmp_path / "b.svg")) == {"a", "c"}
    assert "Only 2 of 3 agents are drawn." in some.caption
    assert names_in(board().plot(kind, agents_shown=["c", "a"]).save(tmp_path / "c.svg")) == {"a", "c"}


def test_pairs_of_agents_are_drawn_alone():
    runs = [[[0.1 + k, 0.2], [0.5, 0.6 + k]] for k in range(3)]
    suite = eq.tasks(eq.Scores.from_matrix(runs, agents=["a", "b", "c"]), n=20)
    chart = suite.plot("improvement").chart
    assert len(chart.pairs) == 3
    assert [pair.name for pair in chart.only(["a", "b"]).pairs] == ["b over a"]
    with pytest.raises(eq.ParameterError, match="name two or more"):
        suite.plot("improvement", agents_shown="a")


@pytest.mark.parametrize(
    ("kind", "agents", "said"),
    [
        ("ranking", "a,x", 'agents_shown: the forest chart has no "x"'),
        ("split", "a", "the split chart does not draw agents one by one"),
        ("pairs", "a", "name two or more"),
    ],
)
def test_agents_that_a_chart_does_not_have_are_refused(kind, agents, said):
    with pytest.raises(eq.ParameterError, match=said):
        board().plot(kind, agents_shown=agents)


@pytest.mark.parametrize("legend", ["off", False])
@pytest.mark.parametrize("kind", CHART_NAMES)
def test_without_a_legend_there_is_no_key_and_no_room_for_it(tmp_path, kind, legend):
    with_key = board().plot(kind, theme="paper")
    drawn = with_key.chart.draw(720)
    keys = [row["key"] for rows in drawn["datasets"].values() for row in rows if "key" in row]
    without = board().plot(kind, theme="paper", legend=legend).save(tmp_path / "b.svg")
    assert size(without)[1] < size(with_key.save(tmp_path / "a.svg"))[1]
    texts = [text for text, _ in placed(ElementTree.fromstring(without.read_text()))]
    assert keys
    assert not set(keys) & set(texts)


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
        ({"font_size": 0}, "font_size is 4 to 48 points"),
        ({"legend": "below"}, "legend is on or off"),
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


def test_a_chart_is_a_page_that_needs_nothing_else(tmp_path):
    page = board().plot("forest", title="Cup <1>").save(tmp_path / "board.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<title>Cup &lt;1&gt;</title>" in page
    assert "default-src 'none'" in page
    assert re.findall(r"(?:src|href)=", page) == []
    assert page.count("<svg") == 1


def test_agents_have_the_colours_that_are_asked_for(tmp_path):
    drawn = board().plot("forest", colours={"b": "#12ab34"}).save(tmp_path / "one.svg").read_text()
    assert "#12ab34" in drawn
    assert "#12ab34" not in board().plot("forest").save(tmp_path / "other.svg").read_text()
    runs = eq.Scores.from_matrix(np.random.default_rng(0).random((3, 4, 3)), agents=["a", "b", "c"])
    profile = eq.performance_profile(runs, n=20).plot(colours="c=#12ab34,a=gold").save(tmp_path / "p.json")
    spec = json.loads(profile.read_text())
    ranges = [layer["encoding"]["color"]["scale"]["range"] for layer in spec["layer"] if "color" in layer["encoding"]]
    assert all({"gold", "#12ab34"} < set(colours) for colours in ranges)
    keys = [layer["mark"].get("color") for layer in spec["layer"] if layer["mark"]["type"] == "point"]
    assert {"gold", "#12ab34"} <= set(keys)


@pytest.mark.parametrize(
    ("colours", "said"), [({"bb": "red"}, 'has no "bb"'), ("b", "AGENT=#rrggbb"), ({"b": "#12"}, "AGENT=#rrggbb")]
)
def test_colours_of_nobody_and_no_colours_are_refused(colours, said):
    with pytest.raises(eq.ParameterError, match=said):
        board().plot("forest", colours=colours)


def test_a_title_and_a_caption_can_be_left_out(tmp_path):
    with_both, bare = (
        size(board().plot("forest", title=title, caption=caption).save(tmp_path / "b.svg"))
        for title, caption in ((None, None), ("", ""))
    )
    assert bare[0] == with_both[0]
    assert bare[1] < with_both[1] - 20


def test_titles_and_captions_fit_where_another_font_stands_in(tmp_path):
    words = "Every word of a caption that is longer than one line stays within the picture. " * 4
    drawn = board().plot("forest", title=words[:78], caption=words).save(tmp_path / "long.svg")
    root = ElementTree.fromstring(drawn.read_text())
    said = [text for text in root.iter("{http://www.w3.org/2000/svg}text") if (text.text or "") in words]
    assert len([text for text in said if len(text.text) > 40]) >= 3
    for text in said:
        em = float(text.get("font-size").removesuffix("px"))
        assert 1.17 * text_width(text.text) * em / 12 <= size(drawn)[0] - 10
