"""The references of the site agree with the code."""

import re
from pathlib import Path

import equipoise as eq
from equipoise.cli.app import every_command
from equipoise.cli.main import main
from equipoise.data.files.formats import FORMATS
from equipoise.data.readers import columns
from tools.files_reference import files_reference, your_file_reference
from tools.reference import cli_reference, former_reference, python_reference

DOCS = Path(__file__).parents[1] / "docs"


HOW = "run: make exports"


def test_the_command_line_reference_is_up_to_date():
    assert (DOCS / "reference" / "cli.md").read_text(encoding="utf-8") == cli_reference(), HOW


def test_the_python_reference_is_up_to_date():
    assert (DOCS / "reference" / "api.md").read_text(encoding="utf-8") == python_reference(), HOW


def test_the_page_of_former_names_is_up_to_date():
    assert (DOCS / "reference" / "former.md").read_text(encoding="utf-8") == former_reference(), HOW


def test_the_page_of_files_is_up_to_date_and_names_what_readers_know():
    page = (DOCS / "reference" / "files.md").read_text(encoding="utf-8")
    assert page == files_reference(), HOW
    known = [
        name for names in (columns.PAIRS, columns.WINNER_AND_LOSER, columns.GAMES) for each in names for name in each
    ]
    known += [*columns.AGENTS, *columns.TASKS, *columns.SCORES, *columns.ROW_COUNTS, *columns.OUTCOMES, *FORMATS]
    assert all(f"`{name}`" in page for name in known)


def test_the_page_on_what_is_looked_at_is_up_to_date_and_names_every_column_that_is_used_unasked():
    page = (DOCS / "reference" / "your-file.md").read_text(encoding="utf-8")
    assert page == your_file_reference(), HOW
    known = [*columns.VOTERS, *columns.JUDGES, *columns.PROMPTS, *columns.ROUNDS, *columns.TIMES, *columns.SIDED]
    known += [*columns.TRIALS, *columns.TESTLETS, *columns.CATEGORIES]
    assert all(f"`{name}`" in page for name in known)


def test_every_command_and_option_of_the_help_is_in_the_reference(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    page = cli_reference()
    for name in every_command():
        section = page.split(f"## equipoise {name}\n")[1].split("\n## ")[0]
        main([name, "--help"])
        options = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help", "--help-all"}
        assert options <= set(re.findall(r"--[a-z][a-z-]*", section))


def test_every_export_is_in_the_python_reference():
    page = python_reference()
    assert sorted(re.findall(r"^::: equipoise\.(\w+)$", page, flags=re.MULTILINE)) == sorted(eq.__all__)
    for module in (eq.methods, eq.results):
        further = re.findall(rf"^::: {re.escape(module.__name__)}\.(\w+)$", page, flags=re.MULTILINE)
        assert {*further} | {*eq.__all__} >= {*module.__all__}


LATER = {
    "Ballots", "Rankings", "choose", "deviation_ratings", "plackett_luce", "read_ballots", "read_rankings",
    "explain", "judge_calibrated", "whole_history",
}  # fmt: skip
"""What new kinds of data and of questions brought, beside the ninety-five names that stood before."""


def test_the_top_level_is_small_enough_to_be_known():
    assert len(set(eq.__all__) - LATER) <= 95
    assert set(eq.__all__) > LATER
    assert sorted(dir(eq)) == sorted(eq.__all__)


def test_the_readme_shows_pictures_that_exist():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)
    assert len(pictures) >= 2
    assert all((DOCS.parent / picture).stat().st_size > 5_000 for picture in pictures)
