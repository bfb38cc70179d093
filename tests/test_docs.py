"""Every block of the docs runs, Python and shell, in the order of the page; Python blocks share one namespace.

Shell blocks fenced as ``bash`` hold one ``equipoise`` command a line; the files that the README's reader would have are
made first. The one block fenced as ``sh`` holds the commands of make, which CI runs.
"""

import re
import shlex
from pathlib import Path

import pytest

from equipoise.cli.main import main
from tests.contract.cases import columns

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS_DATA = "<!-- needs EQUIPOISE_DATA -->"


def make_a_users_files(folder: Path) -> None:
    rows = [",".join(map(str, row)) for row in zip(*columns(), strict=True)]
    (folder / "battles.csv").write_text("\n".join(["a,b,outcome", *rows]))
    (folder / "scores.csv").write_text("agent,sums,words,maps\nada,3,1,2\nbea,2,2,1\ncyd,1,3,3\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, request, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if NEEDS_DATA in text:
        request.getfixturevalue("equipoise_data")
    monkeypatch.chdir(tmp_path)
    if page.name == "README.md":
        make_a_users_files(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(compile(block, str(page), "exec"), names)
            continue
        for line in block.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "equipoise"
            assert main(arguments) == 0, line
