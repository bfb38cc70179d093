"""What an operator sees: who plays, why games fail, who forfeits, and each game once nothing can be learnt from it."""

import json
import os

import pytest

from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.arena import Arena
from equipoise.cli.main import main
from equipoise.core.errors import DataError
from equipoise.report.pages.files import write_report
from equipoise.report.views.arena import arena_view
from equipoise.report.views.arena_accounts import account_view
from tests.arena.playing import finish, outcome_of, small


@pytest.fixture
def arena(place):
    """Give an arena of six sets of two games."""
    with Arena.create(place, small()) as made:
        yield made


def tell(arena, lease, scores, **more):
    return arena.tell(lease, scores, **more)


def test_who_plays_and_since_when_nobody_does(arena, later):
    assert arena.activity().answer == ("Nobody is playing.",)
    one, two, three = arena.ask(n=2, worker="left") + arena.ask(worker="right")
    assert arena.activity().answer == ("2 workers play 3 games; there is no result yet.",)
    for lease in (one, two):
        tell(arena, lease, (1.0, 0.0))
    seen = arena.activity()
    assert [(worker.worker, worker.playing, worker.results) for worker in seen.workers] == [
        ("right", 1, 0),
        ("left", 0, 2),
    ]
    assert seen.answer[0].startswith("1 worker plays 1 game; the last result came ")
    tell(arena, three, (0.5, 0.5))
    if not arena.store.shared:  # the clock of PostgreSQL is the server's own
        later(6.0)
        assert arena.activity().answer == ("Nobody has played for 6.0 s.",)
        later(120.0)
        assert arena.activity().answer == ("Nobody has played for 2 min.",)


def test_a_lease_that_ran_out_and_a_play_that_died_do_not_play(arena, later):
    arena.ask(worker="gone for long")
    later(100.0)
    dead = os.fork()
    if not dead:
        os._exit(0)
    os.waitpid(dead, 0)
    arena.ask(worker=f"play@{os.uname().nodename[:60]}:{dead}")
    if not arena.store.shared:
        assert arena.activity().playing == 0


def test_why_games_fail_is_said_by_player_the_last_first(arena, later):
    for reason in ("one", "two", "three", "four"):
        lease = arena.ask(worker="w")[0]
        arena.fail(lease, "player", seat=0, message=reason)
        faulty = lease.trial.players[0]
    lease = arena.ask()[0]
    arena.fail(lease, "worker", message="the disk is full")
    mishaps = arena.activity().mishaps
    assert (mishaps[0][0], mishaps[0][1].reason) == (", ".join(lease.trial.players), "the disk is full")
    assert (mishaps[1][0], mishaps[1][1].reason, mishaps[1][1].what) == (faulty, "four", "forfeit")
    (note,) = [one for one in arena_view(arena.standings(), arena.activity()).diagnostics if one.code == "failed-games"]
    assert f"game {lease.trial.number}, {', '.join(lease.trial.players)}: the disk is full; game" in note.message
    assert sum(arena.standings().forfeits) == 4
    before = arena.activity().to_dict() | {"seconds": None, "workers": None}
    again = arena.look(lambda state: type(state).from_snapshot(state.snapshot()).record.state() == state.record.state())
    assert again
    assert json.loads(json.dumps(before)) == before


def test_wins_draws_and_losses_are_those_of_the_games_and_a_void_takes_them_back(arena):
    finish(arena)
    won, drawn = {}, {}
    for event in arena.events():
        if event.kind == "result":
            (a, b), (s, t) = event.content()["players"], event.content()["scores"]
            if s == t:
                drawn[a, b] = drawn.get((a, b), 0) + 1
            else:
                pair = (a, b) if s > t else (b, a)
                won[pair] = won.get(pair, 0) + 1
    standings = arena.standings()
    names = standings.agents
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert standings.won[i, j] == won.get((a, b), 0)
            assert standings.drawn[i, j] == drawn.get((a, b), 0) + drawn.get((b, a), 0)
    rows = standings.frame().to_dicts()
    assert all(row["won"] + row["drawn"] + row["lost"] == row["trials"] for row in rows)
    arena.void(1, "the clock was wrong")
    assert standings.won.sum() + standings.drawn.sum() / 2 == 12
    left = arena.standings()
    assert left.won.sum() + left.drawn.sum() / 2 == 10


def test_one_seat_wins_a_set_against_the_other_on_the_same_task(tmp_path):
    with Arena.create(tmp_path / "a.db", small(seats=1, tasks=["t", "u"])) as arena:
        while leases := arena.ask(n=2):
            for lease in leases:
                arena.tell(lease, (1.0 if lease.trial.players == ("a",) else 0.0,))
        row = next(row for row in arena.standings().frame().to_dicts() if row["agent"] == "a")
        assert (row["lost"], row["drawn"]) == (0, 0)
        assert row["won"] == row["trials"]


def test_a_transcript_and_a_seed_are_shown_when_the_whole_set_is_finished(arena):
    first, second = arena.ask(n=2)
    assert first.trial.block == second.trial.block
    tell(arena, first, (1.0, 0.0), transcript="KJ: the cards of both games")
    game = arena.game(first.trial.number)
    assert (game.state, game.complete, game.seed, game.transcript) == ("finished", False, None, None)
    shown = json.dumps(account_view(game).document) + " ".join(account_view(game).sentences)
    assert "KJ" not in shown
    assert str(first.trial.seed) not in shown
    with pytest.raises(DataError, match="when its whole set of paired games is finished"):
        arena.transcript(first.trial.number)
    tell(arena, second, (0.0, 1.0))
    game = arena.game(first.trial.number)
    assert (game.seed, game.transcript) == (first.trial.seed, "KJ: the cards of both games")
    assert arena.transcript(first.trial.number) == "KJ: the cards of both games"
    assert arena.transcript(second.trial.number) is None


def test_a_game_tells_who_tried_it_and_how_each_try_ended(arena, later):
    lease = arena.ask(worker="one")[0]
    arena.fail(lease, "worker", message="out of memory")
    again = arena.ask(worker="two")[0]
    arena.tell(again, outcome_of(again.trial), costs={"tokens": 7})
    arena.tell(lease, outcome_of(lease.trial))  # late
    game = arena.game(lease.trial.number)
    assert [(one.attempt, one.worker, one.how, one.reason) for one in game.attempts] == [
        (1, "one", "late result", ""), (2, "two", "result", ""),
    ]  # fmt: skip
    assert (game.scores, game.costs) == (outcome_of(again.trial), {"tokens": 7})
    with pytest.raises(DataError, match="there is no game 99: the last one is"):
        arena.game(99)


def test_a_transcript_is_shown_with_escapes_written_out(arena):
    for lease in arena.ask(n=2):
        arena.tell(lease, (1.0, 0.0), transcript="move\x1b[2J\nnext")
    said = account_view(arena.game(1)).sentences
    assert said[-2:] == ("move\\x1b[2J", "next")


def test_a_player_and_a_pair_agree_with_the_standings(arena):
    finish(arena)
    standings = arena.standings()
    for name in standings.agents:
        at = standings.agents.index(name)
        player = arena.player(name)
        assert player.games == standings.trials[at]
        assert sum(pair.won + pair.drawn + pair.lost for pair in player.pairs) == player.games
    one, other = arena.pair("a", "b"), arena.pair("b", "a")
    assert (one.won, one.drawn, one.lost) == (other.lost, other.drawn, other.won)
    assert [game.number for game in one.games] == [game.number for game in other.games]
    assert {frozenset(game.players) for game in one.games} == {frozenset("ab")}
    for wrong in (lambda: arena.player("aa"), lambda: arena.pair("a", "x"), lambda: arena.pair("a", "a")):
        with pytest.raises(DataError, match=r"there is no player|different players"):
            wrong()


def test_the_command_shows_games_players_and_pairs_and_refuses_the_rest(place, capsys):
    with Arena.create(place, small()) as arena:
        finish(arena)
    for what, said in ((["1"], "Game 1 (one of 2"), (["a"], "a: "), (["a", "b"], "a against b: 4 games")):
        assert main(["arena", "show", place, *what]) == 0
        assert said in capsys.readouterr().out
        assert main(["arena", "show", "-d", place, *what, "--format", "json"]) == 0
        document = json.loads(capsys.readouterr().out)
        with ArenaReader.look_at(place) as arena:
            twin = arena.pair(*what) if len(what) == 2 else arena.player("a") if what == ["a"] else arena.game(1)
        assert twin.to_dict().keys() <= document.keys()
    for wrong in (["x"], ["0"], ["13"], ["a", "b", "c"], []):
        assert main(["arena", "show", place, *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["arena", "status", place]) == 0
    assert main(["arena", "status", place, "--show", "crosstable,workers"]) == 0
    assert "Won–drawn–lost" in capsys.readouterr().out
    assert main(["arena", "status"]) == 2


def test_the_page_of_an_arena_is_about_the_tournament(tmp_path):
    file = tmp_path / "cup.db"
    with Arena.create(file, small(name="Spring Cup", goal="best", budget=400)) as arena:
        while leases := arena.ask(n=2):
            for lease in leases:
                if lease.trial.number == 1:
                    arena.fail(lease, "player", seat=1, message="crashed")
                else:
                    arena.tell(lease, (1.0, 0.0) if lease.trial.players[0] < lease.trial.players[1] else (0.0, 1.0))
    page = write_report(file, tmp_path / "cup.html").read_text(encoding="utf-8")
    for said in (
        "Spring Cup: answered after",
        "Won–drawn–lost",
        "forfeits",
        "is better than",
        "with probability at least",
    ):
        assert said in page, said
    assert "Sweep over alpha" not in page
