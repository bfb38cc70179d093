"""Fixtures of leagues, and tables in Markdown."""

import json

import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code

SEASON = {
    "name": "League 2024/25",
    "matches": [
        {"date": "2024-08-01", "team1": "Ajax", "team2": "PSV", "score": {"ht": [0, 1], "ft": [2, 1]}},
        {"date": "2024-08-08", "team1": "PSV", "team2": "Ajax", "score": {"ft": [0, 0]}},
        {"date": "2024-08-15", "team1": "Ajax", "team2": "Twente", "score": {"ft": [0, 3]}},
        {"date": "2024-08-22", "team1": "Twente", "team2": "PSV", "score": {}, "status": "CANCELLED"},
        {"date": "2024-08-29", "team1": "PSV", "team2": "Twente"},
    ],
}


def test_full_time_is_the_result_and_what_was_not_played_is_no_draw(tmp_path):
    (tmp_path / "nl.1.json").write_text(json.dumps(SEASON))
    games = eq.read(tmp_path / "nl.1.json", format="fixtures")
    assert games.agents == ("Ajax", "PSV", "Twente")
    assert games.outcome.tolist() == [1.0, 0.5, 0.0]
    assert (games.time[1] - games.time[0]) == 7
    assert dict(games.account.dropped) == {
        "that were not played (cancelled)": 1,
        "that were not played (no score)": 1,
    }
    assert has_code(games.diagnostics, "matches-not-played")
    assert eq.read(tmp_path).games.sum() == 3


def test_older_files_have_rounds_and_teams_with_codes(tmp_path):
    match = {"team1": {"name": "Ajax", "code": "AJA"}, "team2": {"name": "PSV"}, "score1": 1, "score2": 4}
    (tmp_path / "old.json").write_text(json.dumps({"rounds": [{"matches": [match]}]}))
    games = eq.read(tmp_path / "old.json", format="fixtures")
    assert (games.agents, games.outcome.tolist()) == (("Ajax", "PSV"), [0.0])


def test_a_score_that_is_no_two_numbers_is_refused_or_counted(tmp_path):
    wrong = {"team1": "Ajax", "team2": "PSV", "score": {"ft": [1, "x"]}}
    (tmp_path / "x.json").write_text(json.dumps({"matches": [wrong, SEASON["matches"][0]]}))
    with pytest.raises(eq.DataError, match="match 1: the score is no two numbers"):
        eq.read(tmp_path / "x.json")
    assert eq.read(tmp_path / "x.json", read=eq.ReadOptions(on_error="skip")).games.sum() == 1


PAGE = """# Agents

Some words | with a line in them.

|  algo  |env_id    |mean_reward|n_timesteps|
|--------|----------|----------:|-----------|
|**a2c** |`Pong-v4` |     -1.5  |500k       |
|[ppo](https://x)|Pong-v4|  20  |1M         |
| a2c    |Cart\\|Pole|     500  |1M         |

The end.
"""


def test_a_table_in_a_page_of_text(tmp_path):
    path = tmp_path / "benchmark.md"
    path.write_text(PAGE)
    scores = eq.read(path)
    assert (scores.agents, scores.tasks) == (("a2c", "ppo"), ("Pong-v4", "Cart|Pole"))
    assert scores.values[:, 0].tolist() == [-1.5, 20]
    assert scores.account.columns == ("algo", "env_id", "mean_reward")


def test_of_several_tables_one_is_chosen_by_its_heading(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE + "\n## Games\n\na | b | winner\n--|--|--\nx | y | a\n")
    with pytest.raises(eq.DataError, match='2 tables: Agents, Games; say which with table="Agents"'):
        eq.read(path)
    assert eq.read(path, read=eq.ReadOptions(table="Games")).games.sum() == 1


def test_a_page_without_a_table_is_refused_and_in_a_folder_passed_over(tmp_path):
    (tmp_path / "README.md").write_text("# About\n\nOnly words | and a line.\n")
    with pytest.raises(eq.ReadError, match="has no table in it"):
        eq.read(tmp_path / "README.md")
    (tmp_path / "games.csv").write_text("a,b,winner\nx,y,a\n")
    assert eq.read(tmp_path).games.sum() == 1


def test_means_with_margins_in_markdown_are_read_as_from_a_table(tmp_path):
    path = tmp_path / "means.md"
    path.write_text("| | one ({}) | two ({}) |\n|:--|:--|:--|\n| Pong-v4 | 1.5 ± 0.2 | 2.5 ± 0.1 |\n")
    scores = eq.read(path)
    assert (scores.agents, scores.tasks) == (("one", "two"), ("Pong-v4",))
    assert scores.values.tolist() == [[1.5], [2.5]]
