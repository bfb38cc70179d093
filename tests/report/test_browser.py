"""The page as a person sees it: headless Chromium, network off, on a desk and on a telephone."""

import re
import time

import pytest

import equipoise as eq
from equipoise.report.render.html import Part, to_html
from equipoise.report.views.registry import view_of
from equipoise.report.views.view import View
from tests.browsing import browser_path
from tests.report.pages import HOSTILE_NAMES, games, hostile_page, page_of
from tests.report.samples import SAMPLES


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page_of("alphago", "hands-kuhn2"), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def board_address(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("board") / "board.html"
    view = view_of(eq.rank(games([f"agent {k}" for k in range(40)])))
    path.write_text(to_html("Games", [Part("log.csv", [view])], version="0"), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def every_chart(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("charts") / "charts.html"
    view = View((), ("All charts.",), charts=lambda: tuple(SAMPLES.values()))
    path.write_text(to_html("Charts", [Part("charts", [view])], version="0"), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(chromium, request):
    """Open pages that must not ask the network for anything nor complain."""
    contexts, complaints = [], []

    def open_page(address, *, width=1440, scheme="light", bypass_csp=False):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True, bypass_csp=bypass_csp
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda asked: complaints.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None,
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def column(page, table, k):
    return page.locator(f"{table} tbody tr:visible td:nth-child({k})").all_text_contents()


def test_tables_sort_both_ways_by_number_and_by_name(opened, address):
    page = opened(address)
    rating = page.locator("#table-1-1 thead button", has_text="rating")
    rating.click()
    assert page.locator("#table-1-1 th", has_text="rating").get_attribute("aria-sort") == "descending"
    down = [float(cell.replace("−", "-")) for cell in column(page, "#table-1-1", 4)]
    assert down == sorted(down, reverse=True)
    rating.click()
    assert [float(cell.replace("−", "-")) for cell in column(page, "#table-1-1", 4)] == down[::-1]
    page.locator("#table-1-1 thead button", has_text="agent").click()
    names = column(page, "#table-1-1", 2)
    assert names == sorted(names, key=str.lower)


def test_a_long_board_begins_with_its_first_rows_and_a_search_looks_at_all(opened, board_address):
    page = opened(board_address)
    assert len(column(page, "#table-1-1", 2)) == 30
    page.fill("#table-1-1-filter", "agent 39")
    assert column(page, "#table-1-1", 2) == ["agent 39"]
    assert page.inner_text("#table-1-1-count") == "1 of 40 rows"
    page.fill("#table-1-1-filter", "")
    assert len(column(page, "#table-1-1", 2)) == 30
    page.click('[data-all="table-1-1"]')
    assert len(column(page, "#table-1-1", 2)) == 40


def test_a_telephone_shows_two_lines_a_row_and_paper_all_rows(opened, board_address):
    page = opened(board_address, width=390)
    assert len(column(page, "#table-1-1", 2)) == 20
    row = page.locator("#table-1-1 tbody tr").first
    name, rank, plot = (row.locator(cell).bounding_box() for cell in (".a", ".k", ".p"))
    assert rank["y"] >= name["y"] + name["height"] - 1
    assert abs(rank["y"] - plot["y"]) < 2
    page.emulate_media(media="print")
    assert len(column(page, "#table-1-1", 2)) == 40


def test_bars_become_ranks_and_a_first_click_sorts_best_first(opened, board_address):
    page = opened(board_address)
    bar = page.locator("#table-1-1 tbody tr .p i").first
    before = bar.evaluate("bar => getComputedStyle(bar, '::before').width")
    page.click('[data-bars="ranks"]')
    assert bar.evaluate("bar => getComputedStyle(bar, '::before').width") != before
    page.locator("#table-1-1 thead button", has_text="agent").click()
    page.locator("#table-1-1 thead button", has_text="rank").click()
    low = [int(cell.split("–")[0]) for cell in column(page, "#table-1-1", 1)]
    assert low == sorted(low)


def test_opponents_of_an_agent_have_exact_intervals(opened, board_address):
    page = opened(board_address)
    assert page.locator(".opponents tbody tr:not(.axis)").count() == 12
    page.select_option(".opponents select", label="agent 7")
    page.click(".opponents .all button")
    rows = page.locator(".opponents tbody tr:not(.axis)").all_text_contents()
    assert len(rows) > 12
    assert all(re.search(r"\d+%\d+% to \d+%\d+ games$", row) for row in rows)


def becomes_true(page, script):
    """Wait until a script is true: asked from outside, for the page's own policy lets nothing evaluate a text."""
    until = time.monotonic() + 10.0
    while not page.evaluate(script):
        assert time.monotonic() < until, script
        page.wait_for_timeout(20)


def test_the_keyboard_reaches_the_sort_buttons(opened, address):
    page = opened(address)
    page.locator("#table-1-1 thead button").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator("#table-1-1 th").nth(1).get_attribute("aria-sort") == "ascending"


def colour(page, selector="body", what="backgroundColor"):
    return page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")


def test_dark_mode_follows_the_system_and_the_button(opened, address):
    light, dark = opened(address), opened(address, scheme="dark")
    assert colour(light) != colour(dark)
    text = "figure .wide svg text"
    assert colour(light, text, "fill") != colour(dark, text, "fill")
    dark.click("#theme")
    assert colour(dark) == colour(light)
    light.click("#theme")
    assert light.inner_text("#theme") == "Light"


@pytest.mark.parametrize("width", [360, 390, 800, 1000, 1440])
def test_the_layout_holds(opened, address, width):
    page = opened(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for drawing in page.locator(".drawing:not(.only):visible svg").all():
        box = drawing.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [360, 1000, 1440])
def test_every_chart_fits(opened, every_chart, width):
    page = opened(every_chart, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.locator("figure .drawing:visible")
    assert drawn.count() == len([chart for chart in SAMPLES.values() if not chart.aside])
    assert all(box["x"] + box["width"] <= width for box in (drawing.bounding_box() for drawing in drawn.all()))


def test_a_telephone_gets_drawings_of_its_own(opened, address):
    desk, phone = opened(address), opened(address, width=360)
    assert desk.locator(".drawing:visible svg").count() == phone.locator(".drawing:visible svg").count()
    assert phone.locator(".drawing.wide:not(.only):visible").count() == 0


def test_marks_say_what_they_are(opened, address):
    page = opened(address)
    page.locator("#chart-2-1 .wide [data-tip]").last.hover()
    assert re.match(r"\w+: -?[\d.]+% ", page.inner_text("#tip"))


def test_the_keyboard_steps_through_marks_and_opens_them(opened, address):
    page = opened(address)
    page.locator("#chart-2-1 .drawing.wide").focus()
    page.keyboard.press("ArrowRight")
    first = page.inner_text("#tip")
    page.keyboard.press("ArrowRight")
    second = page.inner_text("#tip")
    assert first.partition(":")[0] != second.partition(":")[0]
    page.keyboard.press("Enter")
    assert page.inner_text("#about-title") == second.partition(":")[0]
    page.keyboard.press("Escape")
    assert page.locator("#about").is_hidden()


def test_a_tap_shows_a_marks_numbers(chromium, address):
    context = chromium.new_context(viewport={"width": 390, "height": 800}, has_touch=True, offline=True)
    page = context.new_page()
    page.goto(address)
    page.locator("#chart-2-1 .narrow [data-tip]").last.tap()
    assert ": " in page.inner_text("#about p >> nth=0")
    context.close()


def test_a_click_on_an_agent_opens_its_row_its_opponents_and_theirs(opened, address):
    page = opened(address)
    page.locator("#table-1-1 button.agent", has_text="Zen").click()
    about = page.inner_text("#about")
    assert page.inner_text("#about-title") == "Zen"
    assert "rating" in about
    assert "Opponents, worst first (7)" in about
    scores = page.locator("#about table tbody td:nth-child(2)").all_text_contents()
    assert scores == sorted(scores, key=lambda share: int(share.rstrip("%")))
    page.locator("#about table button.agent").first.click()
    assert page.inner_text("#about-title") != "Zen"
    page.click("#about-close")
    assert page.locator("#about").is_hidden()


def test_a_click_on_a_cell_of_the_head_to_head_opens_its_games(opened, tmp_path):
    path = tmp_path / "games.html"
    view = view_of(eq.rank(games(["ada", "bea", "cyd"])))
    path.write_text(to_html("Games", [Part("log.csv", [view])], version="0"), encoding="utf-8")
    page = opened(path.as_uri())
    page.locator(".matrix summary").click()
    cell = page.locator(".pairs tbody td:not(.no)").first
    played = cell.locator("small").inner_text()
    cell.click()
    assert page.inner_text("#about-title") == "ada against bea"
    assert page.locator("#about table tbody td").first.inner_text() == played


def test_a_click_on_an_agent_of_a_benchmark_opens_its_tasks(opened, tmp_path):
    scores = eq.Scores.from_matrix([[1.0, 5.0], [2.0, 4.0], [0.5, 4.5]], ["ada", "bea", "cyd"], ["chess", "go"])
    path = tmp_path / "tasks.html"
    view = view_of(eq.tasks(scores, n=0))
    path.write_text(to_html("Tasks", [Part("tasks.csv", [view])], version="0"), encoding="utf-8")
    page = opened(path.as_uri())
    page.locator("#table-1-1 button.agent", has_text="bea").click()
    assert page.locator("#about table tbody tr").all_text_contents() == ["chess21 of 3", "go43 of 3"]


def test_tables_and_figures_can_be_taken_along(opened, address):
    page = opened(address)
    with page.expect_download() as saved:
        page.click('[data-csv="table-1-1"]')
    lines = saved.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("rank,agent,rating") or lines[0].startswith("agent,rating")
    assert len(lines) == 9
    for form, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("csv", b"\xef\xbb\xbfname,")):
        with page.expect_download() as saved:
            page.locator(f"#chart-2-1 > .tools [data-{form}]").click()
        assert saved.value.suggested_filename.endswith(f".{form}")
        assert saved.value.path().read_bytes().startswith(begins)


def test_a_table_can_be_copied(chromium, address):
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"], offline=True)
    page = context.new_page()
    page.goto(address)
    page.click('[data-copy="table-1-1"]')
    becomes_true(page, "document.querySelector('[data-copy]').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()").count("\n") == 8
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_contents_stay_in_sight_and_mark_what_is_read(opened, board_address, width):
    page = opened(board_address, width=width)
    page.locator(".contents a", has_text="Head to head").click()
    assert page.locator(".contents").bounding_box()["y"] <= 1
    becomes_true(page, "document.querySelector('.contents [aria-current]')?.textContent === 'Head to head'")
    top = page.locator("h3", has_text="Head to head").first.bounding_box()["y"]
    assert 0 <= top < 400


def test_what_is_wider_than_a_telephone_scrolls_inside_and_says_so(opened, board_address):
    page = opened(board_address, width=390)
    page.locator(".matrix summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    becomes_true(page, "document.querySelector('.pairs').closest('.sheet').classList.contains('goes-on')")
    page.locator(".matrix .scroll").evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    becomes_true(page, "!document.querySelector('.pairs').closest('.sheet').classList.contains('goes-on')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_axe_finds_no_serious_fault(opened, address, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    # Axe itself is injected as a script, which the page's own policy forbids.
    page = opened(address, scheme=scheme, width=width, bypass_csp=True)
    faults = Axe().run(page).response["violations"]
    serious = [
        (fault["id"], [node["html"][:120] for node in fault["nodes"][:3]])
        for fault in faults
        if fault["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_hostile_names_do_nothing(opened, tmp_path):
    path = tmp_path / "hostile.html"
    path.write_text(hostile_page(), encoding="utf-8")
    page = opened(path.as_uri(), width=360)
    assert page.title() == HOSTILE_NAMES[0]
    assert HOSTILE_NAMES[0] in column(page, "#table-1-1", 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_it_prints_on_light_paper_without_controls(opened, address):
    page = opened(address, scheme="dark")
    page.emulate_media(media="print")
    assert colour(page) == "rgb(255, 255, 255)"
    assert page.locator("#theme").is_hidden()
    assert page.pdf().startswith(b"%PDF")


def test_a_missing_browser_skips_at_home_and_fails_in_ci(monkeypatch):
    monkeypatch.delenv("EQUIPOISE_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no Chromium found"):
        browser_path()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no Chromium found"):
        browser_path()
