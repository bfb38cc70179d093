"""The page as text: what it holds, in which order, and what it must never hold."""

import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

import equipoise as eq
from equipoise.analyses.reports import everything
from equipoise.core.diagnostics import warning
from equipoise.report.render.html import Part, to_html
from equipoise.report.render.terminal import print_view
from equipoise.report.views import cells
from equipoise.report.views.games import masses_view
from equipoise.report.views.leaderboard import leaderboard
from equipoise.report.views.view import Card, Column, TableView, View
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


def test_it_opens_with_the_answer_then_the_board_what_carries_it_and_folds_the_rest(page):
    marks = [
        "600 games", 'class="asked">Which agent is best?', 'class="headline"', "<h3>Ranking</h3>", 'id="table-1-1"',
        "<h3>Head to head</h3>", 'class="matrix"', "<h3>More</h3>", "Does a single rating describe these games?</b>",
        "<b>Method</b>", "Notes on these results", "Data and methods",
    ]  # fmt: skip
    body = page[page.index("<body>") :]
    places = [body.index(mark) for mark in marks]
    assert places == sorted(places)


def test_there_is_one_board_with_its_intervals_in_its_rows_and_no_heading_twice(page):
    assert page.count("sortable board") == 1
    board = page[page.index('id="table-1-1"') : page.index("</table>")]
    assert len(re.findall(r'<td class="p"><i style="--l:[\d.]+%;--w:[\d.]+%;--m:[\d.]+%;--a:', board)) == 3
    assert 'data-chart="forest"' not in page
    headings = re.findall(r"<(?:h\d|summary)[^>]*>(.*?)(?:</h\d|</b>)", page)
    assert len(headings) == len(set(headings))


def test_a_long_headline_ends_at_its_colon():
    said = ("IQN and Rainbow are tied for first: IQN has the higher IQM, 0.85 against 0.83, but that is noise.",)
    view = View((), said, card=lambda: Card("Which agent is best?", said))
    page = to_html("Runs", [Part("runs.csv", [view])], version="1")
    assert ">IQN and Rainbow are tied for first.</h2>" in page
    assert "<p>IQN has the higher IQM, 0.85 against 0.83, but that is noise.</p>" in page


def test_at_most_three_warnings_stand_open():
    notes = tuple(warning(f"kind-{k}", f"Warned {k}.") for k in range(5))
    page = to_html("Games", [Part("log.csv", [View((), ("Said.",), notes)])], version="1")
    open_, folded = page[page.index('class="against"') :].split("2 more warnings</summary>")
    assert [f"Warned {k}." in open_ for k in range(5)] == [True, True, True, False, False]
    assert "Warned 4." in folded


def test_what_a_view_does_not_lead_with_is_folded():
    column = [Column("agent", cells.text("agent"), right=False)]
    tables = tuple(TableView(name, [{"agent": "ada"}], column, name.title()) for name in ("agents", "nash", "tasks"))
    view = View(tables, ("Said.",), leads=("tasks",))
    page = to_html("Runs", [Part("runs.csv", [view])], version="1")
    assert re.findall(r"<h3>(\w+)</h3>", page) == ["Agents", "Tasks", "More"]
    assert "<summary><b>Nash</b>" in page


def test_the_card_says_three_sentences_at_most_and_what_contradicts_it_follows():
    beware = warning("no-loops", "Nothing could show a cycle.")
    said = ("One.", "Two.", "Three.", "Four.")
    card = Card("Which agent is best?", said, ("Ratings mislead.",), {"games": 1200})
    agents = TableView("agents", [{"agent": "ada"}], [Column("agent", cells.text("agent"), right=False)])
    view = View((agents,), said, (beware,), title="Ratings", card=lambda: card)
    page = to_html("Games", [Part("log.csv", [view])], version="1")
    shown = page[page.index('class="card"') : page.index('class="against"')]
    assert [shown.count(f">{word}.</") for word in ("One", "Two", "Three", "Four")] == [1, 1, 1, 0]
    assert "<span>1,200 games</span>" in page
    against = page[page.index('class="against"') : page.index("<h3>")]
    assert "Ratings mislead." in against
    assert "Nothing could show a cycle." in against
    assert page.count("Four.") == 1


def test_a_card_calls_nobody_tied_where_nobody_counted_games():
    card = page_of("alphago").partition('class="card"')[2].partition("</div>")[0]
    assert "highest rating; without numbers of games there is no interval" in card
    assert "tied" not in card


def test_notes_of_one_kind_are_one_line_with_a_count():
    notes = tuple(warning("misfit", f"Item {k} misfits.") for k in range(60))
    page = to_html("Items", [Part("items.csv", [View((), ("Said.",), notes)])], version="1")
    assert page.count('<li class="warning">') == 1
    assert "57 more of this kind" in page


def test_the_foot_names_command_file_rows_hash_and_version(page):
    part = Part("log.csv", [View(())], seed=0, command="equipoise rank log.csv", facts={"rows": 7, "sha256": "abc"})
    foot = to_html("Games", [part], version="1.2")
    foot = foot[foot.index("Data and methods") :]
    for told in ("<code>equipoise rank log.csv</code>", "<dd>7</dd>", "<dd>abc</dd>", "<dd>1.2</dd>"):
        assert told in foot


def test_rows_have_bars_on_one_axis_that_a_wild_interval_does_not_flatten():
    ends = [(k / 10, k / 10 + 0.5, k / 10 + 1) for k in range(20)] + [(-1000.0, 0.0, 1000.0), (None, 1.0, None)]
    rows = [{"low": low, "rating": at, "high": high} for low, at, high in ends]
    view = View(
        (
            TableView(
                "agents", rows, [Column("interval", cells.text("low"), right=False, bar=("low", "rating", "high"))]
            ),
        )
    )
    page = to_html("Bars", [Part("bars", [view])], version="1")
    widths = [float(width) for width in re.findall(r'<i style="--l:[\d.]+%;--w:([\d.]+)%', page)]
    assert len(widths) == 21
    assert widths[0] > 4
    assert widths[-1] == 100  # cut at both ends of the axis


def test_a_page_of_two_hundred_agents_stays_under_two_megabytes():
    names = [f"organisation/model-{k:03d}-instruct-2024-08-06" for k in range(200)]
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(200, 1)
    wins = rng.binomial(20, 1 / (1 + np.exp((first - second) / 60))).astype(float)
    table = eq.PairTable.from_counts(names, first, second, wins, 20 - wins)
    assert len(to_html("Many", [Part("many", [leaderboard(eq.rank(table))])], version="1").encode()) < 2_000_000


def test_it_says_method_parameters_seed_version_and_citation(page):
    told = page[page.index("Data and methods") :]
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
    assert hostile.count("<script") == 2  # names are text, so that these are the page's own
    assert hostile.count('<script type="application/json" class="details">') == 1
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
    view = View((TableView("agents", rows, [Column("agent", cells.text("agent"), right=False)]),))
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
    view = View((TableView("t", [{"x": 1}], [Column(name, cells.text("x"))]),))
    page = to_html("Heads", [Part("heads", [view])], version="1")
    assert "&lt;b&gt;[red]\N{REPLACEMENT CHARACTER}x" in page
    shown = io.StringIO()
    print_view(view, Console(file=shown, width=80))
    assert "<b>[red]\N{REPLACEMENT CHARACTER}x" in shown.getvalue()


def test_the_same_data_give_the_same_page(page):
    again = to_html("Games", [Part("log.csv", views_of(games(["ada", "bea", "cyd"]).pairs()), seed=0)], version="1.2")
    assert again == page
