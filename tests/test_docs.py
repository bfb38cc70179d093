"""Every Python block of the docs and the README runs; the blocks of a page share one namespace."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS_DATA = "<!-- needs EQUIPOISE_DATA -->"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, request, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if NEEDS_DATA in text:
        request.getfixturevalue("equipoise_data")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for block in BLOCK.findall(text):
        exec(compile(block, str(page), "exec"), names)
