"""The page as text: what it holds, in which order, and what it must never hold."""

import io
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

import equipoise as eq
from equipoise.analyses import everything
from equipoise.report.games import masses_view
from equipoise.report.html import Part, to_html
from equipoise.report.terminal import print_view
from equipoise.report.view import Column, TableView, View, text
from tests.report.pages import HOSTILE_NAMES, games, hostile_page, page_of, views_of


@pytest.fixture(scope="module")
def page() -> str:
    return to_html("Games", [Part("log.csv", views_of(games(["ada", "bea", "cyd"]).pairs()), seed=0)], version="1.2")


@pytest.fixture(scope="module")
def hostile() -> str:
    return hostile_page()


class Tags(HTMLParser):
    """Collects elements, their attributes and the text outside of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        if self.tags[-1:] not in (["style"], ["script"]):
            self.words.append(data)


def test_it_opens_with_the_answer_then_charts_tables_warnings_and_how(page):
    marks = ['class="answer"', "<h3>Charts</h3>", "<h3>Tables</h3>", "What to know", "How each figure was computed"]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)


def test_it_says_method_parameters_seed_version_and_citation(page):
    told = page[page.index("How each figure") :]
    for word in ("Bradley-Terry", "ties = half", "<dt>seed</dt><dd>0</dd>", "<dd>1.2</dd>", "Bradley and Terry (1952)"):
        assert word in told


def test_an_infinite_parameter_is_called_infinite():
    view = masses_view(eq.alpha_rank(eq.MetaGame.symmetric([[0, 1], [-1, 0]])))
    assert "<dd>alpha = inf, m = 50," in to_html("Game", [Part("game.json", [view])], version="1.2")


def test_every_chart_has_a_caption(page):
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert len(captions) == page.count("<figure ") >= 3
    assert all(len(caption) > 60 for caption in captions)


def test_there_is_no_address_of_another_place_in_it(page):
    assert not re.search(r"https?:|url\((?!#)|@import", page)
    assert not [value for name, value in Tags(page).attributes if name in ("src", "srcset", "action")]


def test_hostile_names_are_only_text(hostile):
    tags = Tags(hostile)
    assert tags.tags.count("script") == 1
    assert "img" not in tags.tags
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    words = "".join(tags.words)
    for name in (
        HOSTILE_NAMES[0],
        HOSTILE_NAMES[1],
        HOSTILE_NAMES[2],
        HOSTILE_NAMES[5],
        HOSTILE_NAMES[6],
        HOSTILE_NAMES[7],
    ):
        assert name in words
    assert "49" not in re.findall(r"<bdi>(.*?)</bdi>", hostile)


def test_marks_that_turn_text_around_are_shown_as_signs(hostile):
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in hostile
    assert "\N{REPLACEMENT CHARACTER}gnp.exe" in hostile


def test_a_name_of_ten_thousand_characters_is_cut(hostile):
    assert "x" * 150 in hostile
    assert "x" * 300 not in hostile


def test_a_table_of_many_rows_is_cut_and_says_so():
    rows = [{"agent": f"agent {k}"} for k in range(1200)]
    view = View((TableView("agents", rows, [Column("agent", text("agent"), right=False)]),))
    page = to_html("Many", [Part("many", [view])], version="1")
    assert "The first 1,000 rows" in page
    assert len(page) < 3_000_000


def test_pages_of_bundled_data_stay_under_three_megabytes():
    assert len(page_of("alphago", "hands-kuhn2").encode()) < 3_000_000


def test_an_analysis_that_fails_is_told_and_does_not_stop_the_rest(monkeypatch):
    def fails(*_):
        raise eq.DataError("no two of them met")

    broken = everything.Kind("Feuds", ("pairs",), fails)
    monkeypatch.setattr(everything, "SECTIONS", (broken, everything.SECTIONS[0]))
    views = views_of(games(["ada", "bea"]).pairs())
    assert [view.title for view in views] == ["Feuds", "Ratings"]
    page = to_html("Games", [Part("log.csv", views)], version="1")
    assert "Feuds could not be computed: no two of them met." in page


def test_a_heading_that_is_a_users_name_is_only_text():
    name = "<b>[red]\N{RIGHT-TO-LEFT OVERRIDE}x"
    view = View((TableView("t", [{"x": 1}], [Column(name, text("x"))]),))
    page = to_html("Heads", [Part("heads", [view])], version="1")
    assert "&lt;b&gt;[red]\N{REPLACEMENT CHARACTER}x" in page
    shown = io.StringIO()
    print_view(view, Console(file=shown, width=80))
    assert "<b>[red]\N{REPLACEMENT CHARACTER}x" in shown.getvalue()


def test_the_same_data_give_the_same_page(page):
    again = to_html("Games", [Part("log.csv", views_of(games(["ada", "bea", "cyd"]).pairs()), seed=0)], version="1.2")
    assert again == page
