"""Every block of the docs runs, Python and shell, in the order of the page; Python blocks share one namespace.

Shell blocks fenced as ``bash`` hold one ``equipoise`` command a line. Blocks fenced as ``sh`` install things, or name
files that only their reader has. The README is tried in a clone of its own (test_readme.py).
"""

import re
import shlex
from pathlib import Path

import pytest

from equipoise.cli.main import main
from tools.site_hooks import menu

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS_DATA = "<!-- needs EQUIPOISE_DATA -->"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, request, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if NEEDS_DATA in text:
        request.getfixturevalue("equipoise_data")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(compile(block, str(page), "exec"), names)
            continue
        for line in block.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "equipoise"
            assert main(arguments) == 0, line


def test_the_page_of_methods_lists_every_method():
    listed = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8")
    names = [page for group in menu(listed) for pages in group.values() for page in pages]
    assert sorted(names) == sorted(
        f"methods/{page.name}" for page in PAGES if page.parent.name == "methods" and page.stem != "index"
    )
