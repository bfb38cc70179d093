"""The column of CONTRIBUTING is added to a copy of the source: its function and its line in the list of columns."""

import json
from html.parser import HTMLParser
from itertools import takewhile

import pytest

from tests.contract.test_contributing import COLUMN_TESTS as TESTS
from tests.contract.test_contributing import COLUMNS, FILES, ROOT, SOURCE, link_all, output_of, python

LISTED = "COLUMNS: tuple[BoardColumn, ...] = ()"


def with_behind(columns: str) -> str:
    """Put what the page shows in the place of the list, with what it imports."""
    assert LISTED in columns
    imported = "import numpy as np\n\nfrom equipoise.core.results import FloatArray\n"
    pairs = "from equipoise.data.types.pairs import PairTable\n"
    units = f"from equipoise.core.units import DIFFERENCE\n{pairs}"
    made = columns.replace("from equipoise.core.results import FloatArray\n", imported).replace(pairs, units)
    return made.replace(LISTED, FILES[COLUMNS].strip())


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    root = tmp_path_factory.mktemp("house_with_a_column")
    package = root / "src" / "equipoise"
    link_all(SOURCE, package)
    for inner in ("analyses", "analyses/boards"):
        (package / inner).unlink()
        link_all(SOURCE / inner, package / inner)
    (root / COLUMNS).unlink()
    (root / COLUMNS).write_text(with_behind((ROOT / COLUMNS).read_text(encoding="utf-8")), encoding="utf-8")
    (root / "tests" / "analyses").mkdir(parents=True)
    (root / TESTS).write_text(FILES[TESTS], encoding="utf-8")
    (root / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    return root


def test_the_tests_of_a_new_column_pass(house):
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS, path=house / "src", cwd=house)
    assert "2 passed" in done.stdout, done.stdout[-3000:]


COMMAND = "from equipoise.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
NOTEBOOK = "import equipoise as eq; print(eq.rank('classifiers')._repr_html_())"


@pytest.fixture(scope="module")
def expected(house, tmp_path_factory):
    """What people should read in the column, by agent: Elo points behind the leader, from the ratings in JSON."""
    printed = output_of(
        "-c",
        COMMAND,
        "rank",
        "classifiers",
        "--format",
        "json",
        path=house / "src",
        cwd=tmp_path_factory.mktemp("json"),
    )
    rating = {row["agent"]: row["rating"] for row in json.loads(printed)["agents"]}
    assert max(rating.values()) - min(rating.values()) > 100  # log-odds would be 174 times less
    return {agent: f"{max(rating.values()) - at:+.0f}" for agent, at in rating.items()}


def cells(rows: list[list[str]]) -> dict[str, str]:
    """Give the column by agent, from the first table that has it: its heading's row, then the others; no axis."""
    start = next(k for k, row in enumerate(rows) if "behind" in row)
    agent, behind = rows[start].index("agent"), rows[start].index("behind")
    table = list(takewhile(bool, rows[start + 1 :]))
    assert {len(row) for row in table} == {len(rows[start])}
    return {row[agent]: row[behind] for row in table if row[agent]}


class Rows(HTMLParser):
    """The texts of all cells by row; an empty row ends a table. End tags of rows and cells may be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        self.inside = tag in ("td", "th") or (self.inside and tag != "tr")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th", "tr", "table")
        if tag == "table":
            self.rows.append([])

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data.strip()


def rows_of_html(text: str) -> list[list[str]]:
    parser = Rows()
    parser.feed(text)
    return parser.rows


def test_the_terminal_shows_a_new_column_in_elo_points(house, tmp_path, expected):
    printed = output_of("-c", COMMAND, "rank", "classifiers", "--rows", "all", path=house / "src", cwd=tmp_path)
    lines = printed.splitlines()
    start = next(k for k, line in enumerate(lines) if " behind" in line)
    end = lines[start].index(" behind") + len(" behind")  # numbers stand to the right
    shown = {agent: line[:end].split()[-1] for line in lines[start:] for agent in expected if f" {agent} " in line}
    assert shown == expected


def test_a_page_shows_a_new_column_in_elo_points(house, tmp_path, expected):
    page = tmp_path / "board.html"
    output_of("-c", COMMAND, "rank", "classifiers", "--page", str(page), path=house / "src", cwd=tmp_path)
    assert cells(rows_of_html(page.read_text(encoding="utf-8"))) == expected


def test_a_notebook_shows_a_new_column_in_elo_points(house, tmp_path, expected):
    shown = cells(rows_of_html(output_of("-c", NOTEBOOK, path=house / "src", cwd=tmp_path)))
    assert shown == {agent: expected[agent] for agent in shown}
    assert len(shown) >= 10


def test_a_new_column_is_tidy(house):
    assert output_of("-m", "ruff", "check", "--quiet", COLUMNS, TESTS, path=house / "src", cwd=house) == ""
    output_of("-m", "ruff", "format", "--check", COLUMNS, TESTS, path=house / "src", cwd=house)
