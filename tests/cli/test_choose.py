"""The command ``choose``."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main

VOTES = "# ALTERNATIVE NAME 1: ann\n# ALTERNATIVE NAME 2: bob\n# ALTERNATIVE NAME 3: cy\n5: 1,2,3\n4: 2,3,1\n3: 3,1,2\n"


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.soc"
    path.write_text(VOTES)
    return str(path)


def test_one_screen_says_who_is_chosen_and_how_sure_that_is(votes, capsys):
    assert main(["choose", votes]) == 0
    shown = capsys.readouterr().out
    assert "No majority order exists" in shown
    assert "bootstrap samples of ballots" in shown
    assert "bootstrap range, no confidence interval" in shown


def test_json_has_the_orders_of_all_rules_and_the_duels(votes, capsys):
    assert main(["choose", votes, "--rule", "schulze", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["agents"][0]["agent"] == "ann"
    assert printed["smith"] == ["ann", "bob", "cy"]
    assert printed["orders"]["kemeny"][0] == ["ann"]
    assert {row["rule"] for row in printed["rules"]} >= {"schulze", "borda", "plurality"}
    assert printed["pairs"][0].keys() >= {"votes", "against", "holm_p"}


def test_csv_has_the_agents_in_order(votes, capsys):
    assert main(["choose", votes, "--rule", "borda", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("agent,rank_low,rank_high,score")
    assert lines[1].startswith("ann,1,2,13.0")


def test_those_who_tie_for_the_first_place_are_counted_together():
    answer = " ".join(eq.choose(eq.Scores.from_matrix(np.ones((3, 4)))).answer)
    assert "one of these 3 is first in 100% of 200 bootstrap samples of tasks" in answer


def test_a_table_for_a_paper_takes_tied_places_for_no_intervals(votes, capsys):
    assert main(["choose", votes, "--rule", "borda", "--format", "latex"]) == 0
    assert "% bold: first, or tied for it" in capsys.readouterr().out


def test_a_page_is_written(votes, tmp_path, capsys):
    page = tmp_path / "votes.html"
    assert main(["choose", votes, "--page", str(page)]) == 0
    assert "What each rule says" in page.read_text()


def test_wrong_rules_are_one_line(votes, capsys):
    assert main(["choose", votes, "--rule", "coin"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) <= 6
