"""The column of CONTRIBUTING is added to a copy of the source: its function and its line in the list of columns."""

import pytest

from tests.contract.test_contributing import COLUMN_TESTS as TESTS
from tests.contract.test_contributing import COLUMNS, FILES, ROOT, SOURCE, link_all, output_of, python

LISTED = "COLUMNS: tuple[BoardColumn, ...] = ()"


def with_behind(columns: str) -> str:
    """Put what the page shows in the place of the list, with what it imports."""
    assert LISTED in columns
    imported = "import numpy as np\n\nfrom equipoise.core.results import FloatArray\n"
    pairs = "from equipoise.data.types.pairs import PairTable\n"
    points = f"{pairs}from equipoise.core.units import DIFFERENCE\n"
    made = columns.replace("from equipoise.core.results import FloatArray\n", imported).replace(pairs, points)
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


def test_a_new_column_is_on_a_page(house, tmp_path):
    commands = "from equipoise.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    page = tmp_path / "board.html"
    output_of("-c", commands, "rank", "classifiers", "--page", str(page), path=house / "src", cwd=tmp_path)
    assert "behind" in page.read_text(encoding="utf-8")


def test_a_new_column_is_tidy(house):
    assert output_of("-m", "ruff", "check", "--quiet", COLUMNS, TESTS, path=house / "src", cwd=house) == ""
    output_of("-m", "ruff", "format", "--check", COLUMNS, TESTS, path=house / "src", cwd=house)
