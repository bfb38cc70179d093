"""The site of the docs from disk: built whole, formulas set, every page reached, search without a server."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urldefrag

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r'(?:href|src)="?([^"\s>]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def local_links(page: Path) -> set[Path]:
    found = (urldefrag(link)[0] for link in LINK.findall(page.read_text(encoding="utf-8")))
    return {(page.parent / link).resolve() for link in found if link and not re.match(r"[a-z]+:|/", link)}


def test_every_page_is_reached_from_the_first_and_no_link_leads_nowhere(site):
    reached, todo = set(), {(site / "index.html").resolve()}
    while todo:
        page = todo.pop()
        reached.add(page)
        todo |= {link for link in local_links(page) if link.suffix == ".html"} - reached
        assert [link for link in local_links(page) if not link.exists()] == [], page
    assert {path.resolve() for path in site.rglob("*.html")} - reached - {(site / "404.html").resolve()} == set()


def test_formulas_are_set_while_the_site_is_built(site):
    assert "<mfrac>" in (site / "methods" / "irt.html").read_text(encoding="utf-8")
    assert [page for page in site.rglob("*.html") if 'class="arithmatex"' in page.read_text(encoding="utf-8")] == []
    # An ampersand or a bare command in a formula is one that the converter did not understand.
    formulas = [
        text for page in site.rglob("*.html") for text in re.findall(r"<math.*?</math>", page.read_text("utf-8"))
    ]
    assert [formula for formula in formulas if re.search(r"<mi>(\\|&amp;|&#x00026;)", formula)] == []


def test_the_front_page_installs_shows_a_picture_and_leads_to_the_tutorial(site):
    front = (site / "index.html").read_text(encoding="utf-8")
    words = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", front)))
    assert re.search(r"From a checkout, .* make demo .* \. \.venv/bin/activate ", words)
    assert "pip install" not in words
    assert (site / "images" / "leaderboard.png").resolve() in local_links(site / "index.html")
    assert (site / "tutorial.html").resolve() in local_links(site / "index.html")


def test_search_works_from_disk(site, chromium):
    context = chromium.new_context(offline=True)
    page = context.new_page()
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.click(".md-search__input")
    page.keyboard.type("guessing")
    page.wait_for_selector(".md-search-result__item", timeout=60_000)
    assert "Item response models" in page.inner_text(".md-search-result__list")
    assert failed == []
    context.close()
