"""What an arena says of itself: in which state it is, what is decided, and what no longer is."""

import re

import numpy as np
import pytest

import equipoise as eq
from equipoise.report.render.page_questions import questions
from equipoise.report.views.arena import arena_view

STRENGTH = {"a": 3.0, "b": 0.0, "c": -3.0}


def made(path, **more):
    spec = {"name": "x", "game": "python:x:y", "players": list("abc"), "goal": "best", "budget": 600, **more}
    return eq.Arena.create(path / "x.db", eq.ArenaSpec(**spec))


def by_strength(first, second, rng):
    return float(rng.random() < 1 / (1 + np.exp(STRENGTH[second] - STRENGTH[first])))


def in_a_ring(first, second, _):
    return float((first, second) in {("a", "b"), ("b", "c"), ("c", "a")})


def evenly(*_):
    return 0.5


def play(arena, won=by_strength, most=10**6):
    rng = np.random.default_rng(0)
    while most > 0 and (leases := arena.ask(n=2)):
        for lease in leases:
            share = won(*lease.trial.players, rng)
            arena.tell(lease, (share, 1 - share))
            most -= 1


def sentences(arena):
    return arena_view(arena.standings(verdict=False)).sentences


def test_before_the_first_game_it_is_not_started(tmp_path):
    with made(tmp_path) as arena:
        (said,) = sentences(arena)
        assert said.startswith("x: not started. 3 players, up to 600 games; expect about ")
        assert re.search(r"about [\d,]+ \([\d,]+ to [\d,]+\)\.$", said)


def test_a_page_asks_for_the_goal_and_has_its_headings_once(tmp_path):
    with made(tmp_path, name="Cup") as arena:
        play(arena, most=60)
        view = arena_view(arena.standings(verdict=False))
    card = view.card()
    assert card.question == "Which player is best?"
    assert card.counts["players"] == 3
    assert "Cup" not in " ".join(card.sentences)
    asked = questions(view, first=True)
    assert next(one.title for one in asked if not one.folded) == "Standings"
    titles = [one.title for one in asked]
    assert len(set(titles)) == len(titles)
    assert "Ratings" not in titles  # a report has a section of that name


def test_while_it_plays_it_is_running_or_paused_by_command(tmp_path):
    with made(tmp_path) as arena:
        play(arena, most=4)
        assert sentences(arena)[0] == "x: 4 of at most 600 games; 0 of 3 pairs are decided."
        arena.pause()
        assert sentences(arena)[0] == "x: paused by command: 4 of at most 600 games; 0 of 3 pairs are decided."
        arena.stop()
        assert sentences(arena)[0] == "x: stopped by command: 4 of at most 600 games; 0 of 3 pairs are decided."


def test_a_forecast_beyond_the_budget_says_so(tmp_path):
    with made(tmp_path, goal="order", budget=40) as arena:
        play(arena, evenly, most=20)
        said = sentences(arena)[1]
        assert re.match(r"About [\d,]+ more expected \(.* against .\): more than the budget\.$", said)


def test_an_answer_names_the_best_its_games_and_its_error(tmp_path):
    with made(tmp_path) as arena:
        play(arena)
        count = arena.standings(verdict=False).counted
        assert sentences(arena)[0] == f"x: answered after {count:,} games: a is the best player (error at most 5%)."
        assert sentences(arena)[1].startswith("A round-robin of fixed length would take about ")


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("order", ", without an answer. The order of all 3 players was asked for; 0 of 3 pairs are decided."),
        ("top:2", ", without an answer. The best 2 of 3 players were asked for; 0 of 3 pairs are decided."),
        ("budget", ". 0 of 3 pairs are decided."),
        ("profile", ", without an answer. The response graph of 3 players was asked for; 0 of 3 pairs are decided."),
    ],
)
def test_a_budget_that_is_used_up_leaves_no_answer_where_one_was_asked_for(tmp_path, goal, said):
    with made(tmp_path, goal=goal, budget=12) as arena:
        play(arena, evenly)
        assert sentences(arena)[0] == f"x: budget used up after 12 games{said}"


def test_a_budget_that_no_pair_of_games_fits_into_is_used_up_too(tmp_path):
    with made(tmp_path, goal="order", budget=13) as arena:
        play(arena, evenly)
        assert sentences(arena)[0].startswith("x: budget used up after 12 games, without an answer. ")


def test_a_cycle_cannot_be_ordered(tmp_path):
    with made(tmp_path, goal="order") as arena:
        play(arena, in_a_ring)
        said = sentences(arena)[0]
    assert said.startswith("x: cannot be answered after ")
    assert any(f"{ring} are decided." in said for ring in ("a > b > c > a", "b > c > a > b", "c > a > b > c"))


def test_a_decision_that_loses_its_games_is_withdrawn_and_says_why(tmp_path):
    with made(tmp_path) as arena:
        play(arena)
        for trial in range(1, arena.standings(verdict=False).counted, 2):
            if arena.state == "answered":
                arena.void(trial, "the clock was wrong")
        standings = arena.standings(verdict=False)
    (gone,) = [note.message for note in standings.diagnostics if note.code == "withdrawn"]
    assert gone.startswith("Withdrawn: a > ")
    assert "because 2 games were voided (set " in gone
    shown = arena_view(standings).tables[1]
    status = shown.columns[1].cell
    assert {status(row) for row in shown.rows} <= {"stands", "withdrawn", "post hoc"}


def test_a_journal_that_an_earlier_version_worded_otherwise_verifies(tmp_path, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr("equipoise.arena.contests.pair_ledger.counted", lambda number, _: f"{number} blocks")
        earlier.setattr("equipoise.arena.engine.state.SNAPSHOT_FORMAT", 2)
        with made(tmp_path) as arena:
            play(arena)
            assert any("blocks" in one.sentence for one in arena.standings(verdict=False).decisions)
    with eq.Arena.open(tmp_path / "x.db") as arena:
        assert arena.verify().ok
        assert not any("blocks" in one.sentence for one in arena.standings(verdict=False).decisions)
