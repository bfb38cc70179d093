"""The page as a person sees it: headless Chromium, network off, on a desk and on a telephone."""

import pytest

from equipoise.report.html import Part, to_html
from equipoise.report.view import View
from tests.report.conftest import browser_path
from tests.report.pages import HOSTILE_NAMES, hostile_page, page_of
from tests.report.samples import SAMPLES


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page_of("alphago", "hands-kuhn2"), encoding="utf-8")
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
    down = [float(cell.replace("−", "-")) for cell in column(page, "#table-1-1", 3)]
    assert down == sorted(down, reverse=True)
    rating.click()
    assert [float(cell.replace("−", "-")) for cell in column(page, "#table-1-1", 3)] == down[::-1]
    page.locator("#table-1-1 thead button", has_text="agent").click()
    names = column(page, "#table-1-1", 2)
    assert names == sorted(names, key=str.lower)


def test_filters_filter_and_count(opened, address):
    page = opened(address)
    page.fill("#table-1-1-filter", "zen")
    assert column(page, "#table-1-1", 2) == ["Zen"]
    assert page.inner_text("#table-1-1-count") == "1 of 8 rows"
    page.fill("#table-1-1-filter", "")
    assert len(column(page, "#table-1-1", 2)) == 8


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


@pytest.mark.parametrize("width", [360, 800, 1000, 1440])
def test_the_layout_holds(opened, address, width):
    page = opened(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for drawing in page.locator(".drawing:visible svg").all():
        box = drawing.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [360, 1000, 1440])
def test_every_chart_fits(opened, every_chart, width):
    page = opened(every_chart, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.locator("figure .drawing:visible svg")
    assert drawn.count() == len(SAMPLES)
    assert all(box["x"] + box["width"] <= width for box in (drawing.bounding_box() for drawing in drawn.all()))


def test_a_telephone_gets_drawings_of_its_own(opened, address):
    desk, phone = opened(address), opened(address, width=360)
    assert desk.locator(".drawing:visible svg").count() == phone.locator(".drawing:visible svg").count()
    assert phone.locator(".drawing.wide:not(.only):visible").count() == 0


def test_marks_say_what_they_are(opened, address):
    page = opened(address)
    page.locator("#chart-1-1 .wide [data-tip]").last.hover()
    assert page.inner_text("#tip").startswith("r: ")


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
