"""An arena behind a server has the contract of an arena here."""

import json
import threading

import numpy as np
import pytest

import equipoise as eq
from equipoise.arena.remote.arena import RemoteArena
from equipoise.cli.main import main
from equipoise.core.errors import DataError, LeaseError, ParameterError, StoreError
from equipoise.runners.trust import read_commands, refusals
from equipoise.runners.work import work
from tests.web.killing import HOWS, kill_again_and_again
from tests.web.served import scores_of, served, spec_of


@pytest.fixture
def far(server, tokens):
    """Give the arena as a worker far away sees it."""
    with eq.Arena.open(server.url, token=tokens["worker"]) as arena:
        yield arena


def play_some(arena, games):
    for _ in range(games):
        (lease,) = arena.ask()
        arena.tell(
            lease, scores_of(list(lease.trial.players)), transcript=f"game {lease.trial.number}", costs={"seconds": 1.0}
        )


def test_what_is_read_far_away_is_what_is_read_here(server, far):
    play_some(far, 24)
    here = server.arena
    assert far.state == here.state
    assert far.matches().pairs().agents == here.matches().pairs().agents
    np.testing.assert_array_equal(far.matches().outcome, here.matches().outcome)
    assert far.standings().to_dict() == here.standings().to_dict()
    assert far.progress() == here.progress()
    assert [one.to_dict() for one in far.decisions()] == [one.to_dict() for one in here.decisions()]
    assert far.verify() == here.verify()
    assert far.transcript(3) == here.transcript(3) == "game 3"
    assert [event.kind for event in far.events()] == [event.kind for event in here.events()]


def test_one_game_is_told_with_its_moves_and_without_its_seed(server, tokens):
    server.play(tokens["worker"], 2)
    with eq.Arena.open(server.url, token=tokens["worker"]) as far:
        play_some(far, 2)
        assert far.game(3).transcript == "game 3"
        assert (far.game(1).transcript, far.game(3).seed) == (None, None)
        assert far.game(3).scores == server.arena.game(3).scores
    with eq.Arena.open(server.url, token=tokens["organiser"]) as far:
        assert far.game(3) == server.arena.game(3)


def test_commands_read_an_arena_by_its_address_as_they_read_its_file(server, tokens, tmp_path, monkeypatch, capsys):
    server.play(tokens["worker"], 12)
    monkeypatch.setenv("EQUIPOISE_TOKEN", tokens["viewer"])
    answers = []
    for place in (server.url, str(tmp_path / "ladder.db")):
        assert main(["rank", place, "--format", "json"]) == 0
        answers.append(json.loads(capsys.readouterr().out)["agents"])
    assert answers[0] == answers[1]
    page = tmp_path / "page.html"
    assert main(["report", server.url, "-o", str(page)]) == 0
    assert "ada" in page.read_text()
    monkeypatch.setenv("EQUIPOISE_TOKEN", "eq_viewer_0_0")
    assert main(["rank", f"{server.url}?again"]) == 2
    assert "token of this arena is needed" in capsys.readouterr().err


def test_the_copy_fetches_what_is_new(server, far):
    play_some(far, 4)
    assert len(far.matches().outcome) == 4
    play_some(far, 2)
    assert len(far.matches().outcome) == 6


def test_refusals_are_the_errors_of_an_arena(server, far, tokens):
    (lease,) = far.ask()
    with pytest.raises(DataError, match="one number for each of 2 seats"):
        far.tell(lease, [1.0])
    far.tell(lease, [1.0, 0.0])
    with pytest.raises(DataError, match="another result"):
        far.tell(lease, [0.0, 1.0])
    assert far.tell(lease, [1.0, 0.0]).duplicate
    with pytest.raises(ParameterError, match="role worker may not"):
        far.pause()
    with (
        eq.Arena.open(server.url, token=server.token("worker", "other")) as other,
        pytest.raises(LeaseError, match="not this worker"),
    ):
        other.tell(lease, [1.0, 0.0])


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://127.0.0.1:1/arenas/ladder", "cannot be reached"), ("http://127.0.0.1:1/ladder", "has an address like"),
    ],
)  # fmt: skip
def test_a_wrong_address_is_one_line(url, message):
    with pytest.raises((StoreError, ParameterError), match=message):
        eq.Arena.open(url, token="eq_viewer_0_0")


def test_a_wrong_token_is_one_line(server):
    with pytest.raises(ParameterError, match="token of this arena is needed"):
        eq.Arena.open(server.url, token="eq_viewer_0_0")


def test_an_organiser_far_away_does_what_one_here_does(server, tokens):
    with eq.Arena.open(server.url, token=tokens["organiser"]) as arena:
        arena.pause()
        assert server.arena.state == "paused"
        arena.resume()
        made = arena.make_token("viewer", "ann")
        assert made.startswith("eq_viewer_")
        arena.revoke(made.split("_")[2])
        assert "ann" not in [one["name"] for one in arena.tokens()]
        with pytest.raises(DataError, match="no game 5"):
            arena.void(5, "a reason")
        lines = arena.journal_lines()
    assert json.loads(lines[-1])["end"] == server.arena.look(lambda state: state.seq)


def test_machines_that_work_for_a_server_play_it_to_its_end(tmp_path):
    players = ["honest", "rock", "bluffer"]
    spec = eq.ArenaSpec(name="Leduc", game="leduc", players=players, budget=60, goal="budget", score_range=(-13, 13))
    with served(tmp_path, spec) as server:
        did = []

        def machine(name):
            did.append(work(server.url, server.token("worker", name), 1, "threads"))

        machines = [threading.Thread(target=machine, args=(f"machine {number}",)) for number in range(2)]
        for one in machines:
            one.start()
        for one in machines:
            one.join(120)
        assert [one.state for one in did] == ["spent", "spent"]
        assert sum(one.games for one in did) == 60
        assert server.arena.look(lambda state: state.counted) == 60
        assert server.arena.verify().ok


def test_only_what_is_installed_or_allowed_is_run():
    players = [
        {"name": "a", "bot": "program:touch mark"},
        {"name": "b", "bot": "uci:stockfish", "options": {"sandbox": "off"}},
        {"name": "c", "bot": "python:os:system"}, "d", {"name": "e", "bot": "uci:other", "labels": ["gpu"]},
    ]  # fmt: skip
    spec = spec_of(players=players, game="chess")
    assert [text.partition(",")[0] for text in refusals(spec, ["cpu"], [])] == ["a", "b", "c"]
    assert [text.partition(",")[0] for text in refusals(spec, None, ["uci:*", "program:*"])] == ["b", "c"]
    assert 'sandbox = "off"' in next(iter(refusals(spec, [], ["uci:stockfish", "program:*", "python:*"])))


def test_a_server_cannot_make_a_worker_run_what_it_names(tmp_path):
    mark = tmp_path / "mark"
    spec = spec_of(
        game="leduc", players=[{"name": "a", "bot": f"program:touch {mark}"}, "honest"], score_range=(-13, 13)
    )
    with served(tmp_path, spec) as server:
        with pytest.raises(ParameterError, match="does not run what the server names unasked: a, program:touch"):
            work(server.url, server.token("worker", "w"), 1, "threads")
        assert not mark.exists()


def test_nothing_is_lost_or_counted_twice_when_the_server_is_killed(tmp_path):
    deaths = kill_again_and_again(str(tmp_path / "ladder.db"), 20, seed=1)
    assert deaths["acknowledged"] > 20
    assert min(deaths[how] for how in HOWS) >= 3, deaths


def test_a_remote_arena_is_read_by_its_address(server, tokens, monkeypatch):
    monkeypatch.setenv("EQUIPOISE_TOKEN", tokens["viewer"])
    server.play(tokens["worker"], 6)
    with eq.Arena.look_at(server.url) as arena:
        assert isinstance(arena, RemoteArena)
        assert arena.standings(verdict=False).counted == 6


def leduc(**more):
    return spec_of(game="leduc", score_range=(-13, 13), budget=12, **more)


@pytest.mark.parametrize("by_address", [True, False])
def test_an_arena_far_away_is_played_like_one_here(tmp_path, monkeypatch, by_address):
    bots = [{"name": "a", "bot": "python:tests.web.test_remote:Folds"}, "honest"]
    with served(tmp_path, leduc(players=bots)) as server:
        monkeypatch.setenv("EQUIPOISE_TOKEN", server.token("worker", "w"))
        with eq.Arena.open(server.url, token=None) as far:
            arena = server.url if by_address else far
            with pytest.raises(ParameterError, match=r"unasked: a, python:tests"):
                eq.play(arena, 1, "threads")
            played = eq.play(arena, 1, "threads", allow=("python:tests.*",))
        assert (played.state, played.trials) == ("spent", 12)
        assert server.arena.look(lambda state: state.counted) == 12


def test_what_does_not_go_with_an_arena_behind_a_server_is_said(tmp_path, server, tokens, capsys):
    with eq.Arena.open(server.url, token=tokens["worker"]) as far, pytest.raises(ParameterError, match="to is for"):
        eq.play(far, to=tmp_path / "x.db")
    with pytest.raises(ParameterError, match="allow is for an arena behind a server"):
        eq.play(server.arena, allow=("uci:*",))
    with pytest.raises(ParameterError, match="allow is a list"):
        eq.play(server.url, allow="uci:*")
    with pytest.raises(TypeError, match="adress"):
        eq.play(server.arena, adress="ray://x")
    assert main(["arena", "run", "-d", server.url]) == 2
    assert f"equipoise arena work {server.url} plays for it" in capsys.readouterr().err


class Folds:
    """A player of poker that folds."""

    def reset(self):
        """Have nothing to forget."""

    def act(self, seen):
        return seen["legal"][0]


def test_a_worker_says_itself_what_plays_under_a_name(tmp_path, capsys, monkeypatch):
    mark, file = tmp_path / "mark", tmp_path / "commands.toml"
    file.write_text('a = "python:tests.web.test_remote:Folds"\n')
    with served(tmp_path, leduc(players=[{"name": "a", "bot": f"program:touch {mark}"}, "honest"])) as server:
        monkeypatch.setenv("EQUIPOISE_TOKEN", server.token("worker", "w"))
        assert main(["arena", "work", server.url, "--workers", "1", "--threads", "--commands", str(file)]) == 0
        assert "12 games" in capsys.readouterr().out
        assert server.arena.look(lambda state: state.counted) == 12
    assert not mark.exists()


def test_an_own_command_does_not_leave_its_sandbox_because_a_server_says_so():
    players = [{"name": "a", "bot": "uci:mine", "options": {"sandbox": "off"}}, "b"]
    spec = spec_of(players=players, game="chess")
    assert [text.partition(",")[0] for text in refusals(spec, None, [], {"a": "uci:mine"})] == ["a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [('a = "usi:stockfish"', 'no kind of player "usi"'), ("a = 5", "is a text"), ("a =", "cannot be read as TOML")],
)
def test_a_wrong_file_of_commands_is_one_line(tmp_path, text, message):
    (tmp_path / "commands.toml").write_text(text)
    with pytest.raises(ParameterError, match=message):
        read_commands(tmp_path / "commands.toml")
