"""The version is one place, ``equipoise.__version__``; what must repeat it agrees."""

import re
import tomllib
from datetime import date
from pathlib import Path

import equipoise

TREE = Path(__file__).parent.parent
HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$", re.MULTILINE)
"""A dated version of the changelog: ``## 0.2.0 (2026-11-16)``."""


def versions():
    """Give the dated versions of the changelog, newest first as they stand there."""
    return HEADING.findall((TREE / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_the_package_is_built_with_the_version_it_says():
    project = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert TREE / project["tool"]["hatch"]["version"]["path"] == TREE / "src" / "equipoise" / "__init__.py"


def test_the_citation_names_the_version():
    said = re.findall(r"^version: (.+)$", (TREE / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert said == [equipoise.__version__]


def test_the_newest_dated_version_of_the_changelog_is_this_one():
    assert versions(), 'the changelog has no heading such as "## 0.2.0 (2026-11-16)"'
    assert versions()[0][0] == equipoise.__version__


def test_versions_and_their_dates_descend():
    numbers = [tuple(map(int, number.split("."))) for number, _ in versions()]
    dates = [date.fromisoformat(day) for _, day in versions()]
    assert numbers == sorted(set(numbers), reverse=True)
    assert dates == sorted(dates, reverse=True)
