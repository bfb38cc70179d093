import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.runners import driver
from equipoise.runners.ending import descendants
from tests.runners.ended import has_ended

ROOT = Path(__file__).parents[2]


def spec(game="strength", players=("a", "b", "c"), **options):
    given = {"goal": "budget", "policy": "round-robin", "budget": 12, "seed": 3, **options}
    return eq.ArenaSpec(name="test", game=f"python:tests.runners.bots:{game}", players=players, **given)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # where the bots are found
    return tmp_path / "arena.db"


def results(arena):
    return [event.content() for event in arena.events() if event.kind == "result"]


def test_processes_play_to_the_end_and_everything_adds_up(place):
    with eq.Arena.create(place, spec()) as arena:
        played = eq.play(arena, workers=2)
        assert (played.state, played.trials, played.failures) == ("spent", 12, 0)
        assert not played.interrupted
        assert arena.verify().ok
        assert all({"seconds", "load"} <= set(one["costs"]) for one in results(arena))
        assert arena.look(lambda state: set(state.versions)) == {"a", "b", "c"}
        assert played.standings.frame()["agent"].to_list() == ["c", "b", "a"]


def test_threads_and_processes_give_the_same_results(place, tmp_path):
    told = []
    for engine in ("threads", "processes"):
        with eq.Arena.create(tmp_path / f"{engine}.db", spec()) as arena:
            eq.play(arena, workers=2, engine=engine)
            by_trial = {one["trial"]: (one["players"], one["seed"], one["scores"]) for one in results(arena)}
            told.append((by_trial, arena.standings(verdict=False).frame().to_dicts()))
    assert told[0] == told[1]


def test_a_spec_is_played_in_a_temporary_arena(place):
    played = eq.play(spec(), engine="threads", workers=1)
    assert played.state == "spent"
    assert played.standings.counted == 12


def test_a_spec_goes_on_where_its_arena_is(place):
    stop = threading.Event()
    stop.set()
    first = eq.play(spec(), engine="threads", to=place, stop=stop)
    assert (first.trials, first.interrupted, first.state) == (0, True, "running")
    assert eq.play(spec(), engine="threads", to=place).trials == 12
    again = eq.play(place)
    assert again.trials == 0
    assert again.notes == ("Nothing was played: the arena is spent.",)
    with pytest.raises(eq.ParameterError, match="another spec"):
        eq.play(spec(budget=14), engine="threads", to=place)


def test_a_function_that_hangs_is_killed_with_what_it_started_and_the_trial_is_tried_again(place, tmp_path):
    hanging = spec("sleeps_once", stall_after=1.0, options={"folder": str(tmp_path)})
    with eq.Arena.create(place, hanging) as arena:
        played = eq.play(arena, workers=1)
        failed = [event.content() for event in arena.events() if event.kind == "failed"]
        assert (played.state, played.trials, played.failures) == ("spent", 12, 1)
        assert [one["message"] for one in failed] == ["no progress in 1 s: its worker was killed"]
        assert {one["attempt"] for one in results(arena) if one["trial"] == failed[0]["trial"]} == {2}
        assert arena.verify().ok
    assert has_ended(int((tmp_path / "sleeper").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to a process that asks for them")
def test_what_a_game_leaves_behind_by_forking_twice_ends_with_its_worker_also_if_that_dies(place, tmp_path):
    forking = spec("leaves_orphans", players=("a", "b"), budget=2, options={"folder": str(tmp_path)})
    with eq.Arena.create(place, forking) as arena:
        played = eq.play(arena, workers=1)
        failed = [event.content()["message"] for event in arena.events() if event.kind == "failed"]
    assert (played.trials, failed) == (2, ["the worker process was killed by signal 9"])
    orphans = [int(path.name.removeprefix("orphan-")) for path in tmp_path.glob("orphan-*")]
    assert len(orphans) == 3
    assert all(has_ended(pid) for pid in orphans)


def test_a_worker_that_dies_is_replaced_and_its_trial_tried_again(place, tmp_path):
    with eq.Arena.create(place, spec("dies_once", options={"folder": str(tmp_path)})) as arena:
        played = eq.play(arena, workers=1)
        failed = [event.content() for event in arena.events() if event.kind == "failed"]
        assert (played.trials, played.failures) == (12, 1)
        assert failed[0]["message"] == "the worker process ended with exit code 7"


def test_progress_keeps_a_long_trial_alive(place):
    slow = spec("ticks", players=("a", "b"), budget=2, lease=0.4, stall_after=0.4)
    with eq.Arena.create(
        place, eq.ArenaSpec.from_dict({**slow.to_dict(), "options": {"ticks": 8, "seconds": 0.1}})
    ) as arena:
        played = eq.play(arena, workers=2, engine="threads")
        assert (played.trials, played.failures) == (2, 0)
        assert {one["attempt"] for one in results(arena)} == {1}


def test_a_players_fault_is_a_forfeit(place):
    with eq.Arena.create(place, spec("gives_up", players=("a", "b"), budget=2)) as arena:
        played = eq.play(arena, workers=1, engine="threads")
        assert (played.trials, played.forfeits, played.failures) == (2, 1, 0)
        forfeit = next(one for one in results(arena) if "forfeit" in one)
        assert forfeit["forfeit"]["message"] == "a gives up"
        assert forfeit["costs"] == {"tokens": 3.0}


@pytest.mark.parametrize(
    ("game", "words"), [("fails", "server is down"), ("out_of_range", "a score of 7 lies outside")]
)
def test_play_is_given_up_when_every_trial_fails(place, monkeypatch, game, words):
    monkeypatch.setattr(driver, "FIRST_PAUSE", 1e-5)
    failing = spec(game, score_range=(0.0, 1.0))
    with eq.Arena.create(place, failing) as arena:
        with pytest.raises(eq.WorkerError, match=f"10 games in a row failed.*{words}"):
            eq.play(arena, workers=1, engine="threads")
        assert arena.state == "running"
        assert arena.look(lambda state: not state.held)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_what_cannot_be_loaded_is_said_before_anything_is_leased(place, engine):
    with eq.Arena.create(place, spec("nothing_of_that_name")) as arena:
        with pytest.raises(eq.ParameterError, match='no "nothing_of_that_name"'):
            eq.play(arena, workers=1, engine=engine)
        assert [event.kind for event in arena.events()] == ["created"]


def test_scores_that_the_spec_does_not_expect_are_said_before_play(place):
    poker = eq.ArenaSpec(name="poker", game="leduc", players=["caller", "rock"], budget=20)
    with pytest.raises(eq.ParameterError, match=r"scores from -13 to 13.*score_range=\[-13"):
        eq.play(poker, engine="threads")


def test_a_changed_player_does_not_go_on_silently(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"bots_{os.getpid()}_changing"
    source = tmp_path / f"{name}.py"
    source.write_text("def play(players): return [player() for player in players]\ndef bot(): return 0.5\n")
    players = [eq.PlayerSpec(name=name_, bot=f"python:{name}:bot") for name_ in "ab"]
    changing = eq.ArenaSpec(name="c", game=f"python:{name}:play", players=players, goal="budget", budget=4)
    with eq.Arena.create(tmp_path / "arena.db", changing) as arena:
        stop = threading.Event()
        eq.play(arena, workers=1, on_change=lambda _: stop.set(), stop=stop)
        source.write_text(source.read_text().replace("0.5", "0.25"))
        with pytest.raises(eq.DataError, match=r'player "a" is not the one that played before.*new_versions=True'):
            eq.play(arena, workers=1)
        played = eq.play(arena, workers=1, new_versions=True)
        assert played.state == "spent"
        versions = [event.content()["player"] for event in arena.events() if event.kind == "version"]
        assert versions == ["a", "b", "a", "b"]
        assert [note.code for note in played.standings.diagnostics if note.code == "new-versions"] == ["new-versions"]


def test_a_listener_sees_how_play_goes(place):
    seen = []
    with eq.Arena.create(place, spec("waits", options={"seconds": 0.3})) as arena:
        eq.play(arena, workers=2, engine="threads", on_change=seen.append)
    assert seen[-1].state == "spent"
    assert seen[-1].counted == seen[-1].played == 12
    assert seen[-1].standings.counted == 12
    assert any(one.in_play and one.workers == 2 for one in seen)
    assert all(a.counted <= b.counted for a, b in pairwise(seen))
    assert len(seen) <= 2 + seen[-1].seconds / 0.25


def test_a_worker_plays_several_trials_at_once_within_the_limits_of_the_players(place):
    waiting = spec("asks_a_server", budget=24, options={"seconds": 0.1})
    limited = {**waiting.to_dict(), "players": [{"name": "a", "concurrency": 2}, {"name": "b"}, {"name": "c"}]}
    with eq.Arena.create(place, eq.ArenaSpec.from_dict(limited)) as arena:
        played = eq.play(arena, workers=1, at_once=6)
        assert played.trials == 24
        told = results(arena)
    assert most_at_once(told) > 2
    assert most_at_once([one for one in told if "a" in one["players"]]) == 2
    assert all(one["costs"]["tokens"] == 12.0 for one in told)


def most_at_once(told):
    moments = [(one["costs"]["begun"], 1) for one in told] + [(one["costs"]["ended"], -1) for one in told]
    now, most = 0, 0
    for _, step in sorted(moments):
        now += step
        most = max(most, now)
    return most


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not pin processes to cores")
def test_processes_keep_to_a_core_of_their_own_and_are_never_more_than_cores(place):
    with eq.Arena.create(place, spec("where")) as arena:
        played = eq.play(arena, workers=500)
        cores = len(os.sched_getaffinity(0))
        told = [one["costs"] for one in results(arena)]
    assert {one["cores"] for one in told} == {1}
    assert len({one["pid"] for one in told}) <= cores
    assert "not 500" in played.notes[0]


def test_players_that_need_what_no_worker_has_are_left_to_others(place):
    labelled = [{"name": "a"}, {"name": "b"}, {"name": "c", "labels": ["gpu"], "bot": "python:no_such_module:bot"}]
    with eq.Arena.create(place, eq.ArenaSpec.from_dict({**spec().to_dict(), "players": labelled})) as arena:
        stop, seen = threading.Event(), []

        def listen(snapshot):
            seen.append(snapshot)
            if snapshot.note:
                stop.set()

        eq.play(arena, workers=1, engine="threads", labels=[], on_change=listen, stop=stop)
        assert seen[-1].note == "nothing can be played now"
        assert {name for one in results(arena) for name in one["players"]} == {"a", "b"}


def test_a_player_that_joins_is_played_too(place):
    with eq.Arena.create(place, spec("waits", players=("a", "b"), open=True, options={"seconds": 0.05})) as arena:

        def listen(snapshot):
            if len(snapshot.standings.agents) == 2:
                arena.add_player("c")

        eq.play(arena, workers=1, engine="threads", on_change=listen)
        assert {name for one in results(arena) for name in one["players"]} == {"a", "b", "c"}
        assert arena.look(lambda state: "c" in state.versions)


def test_an_arena_that_is_paused_waits_and_goes_on(place):
    with eq.Arena.create(place, spec("waits", options={"seconds": 0.05})) as arena:
        notes = []

        def listen(snapshot):
            notes.append(snapshot.note)
            if snapshot.counted < 3 and snapshot.state == "running":
                arena.pause()
            elif snapshot.note == "the arena is paused":
                arena.resume()

        played = eq.play(arena, workers=1, engine="threads", on_change=listen)
        assert "the arena is paused" in notes
        assert (played.state, played.trials) == ("spent", 12)
        arena.stop()
        assert eq.play(arena).notes == ("Nothing was played: the arena is stopped.",)


SCRIPT = """
import sys
import equipoise as eq

def show(snapshot):
    print(snapshot.counted, len(snapshot.in_play), flush=True)

played = eq.play(sys.argv[1], workers=2, on_change=show)
print("ended", played.state, played.trials, played.interrupted, flush=True)
"""


@pytest.fixture
def running(place):
    """A script that plays, in a process that can be interrupted and killed."""
    started = []

    def start(arena_spec):
        if arena_spec is not None:
            eq.Arena.create(place, arena_spec).close()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(place)], stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.stdout.close()
        process.wait()


def wait_until_playing(process):
    for line in process.stdout:
        _, in_play = line.split()
        if int(in_play) == 2:
            return
    raise AssertionError("it never played")


def held(place):
    with eq.Arena.look_at(place) as arena:
        return arena.look(lambda state: sorted(state.held))


def test_one_interrupt_finishes_what_is_played_and_playing_again_goes_on(running, place):
    process = running(spec("waits", options={"seconds": 0.7}, budget=8))
    wait_until_playing(process)
    process.send_signal(signal.SIGINT)
    last = process.stdout.read().splitlines()[-1].split()
    assert process.wait() == 0
    assert last[:2] == ["ended", "running"]
    assert last[3] == "True"
    with eq.Arena.open(place) as arena:
        told = results(arena)
        assert 2 <= len(told) < 8
        assert {one["attempt"] for one in told} == {1}
        assert arena.look(lambda state: not state.held)


def test_two_interrupts_stop_now_and_give_the_leases_back(running, place):
    process = running(spec("waits", options={"seconds": 60.0}))
    wait_until_playing(process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    assert held(place) == []


def test_an_operators_stop_costs_no_attempt_and_voids_nothing(running, place):
    for round_ in range(3):
        process = running(spec("waits", options={"seconds": 60.0}, attempts=2, budget=4) if not round_ else None)
        wait_until_playing(process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    with eq.Arena.open(place) as arena:
        assert arena.look(lambda state: (state.voids, state.last_trial, state.phase)) == (0, 2, "running")
        assert arena.verify().ok
        (lease, *_) = arena.ask()
        arena.fail(lease, "worker", message="now it is the worker")
        assert arena.look(lambda state: state.voids) == 0
        (lease, *_) = arena.ask()
        arena.fail(lease, "worker", message="and again")
        assert arena.look(lambda state: state.voids) == 1  # stops took none of the two attempts, and gave none more


def test_a_play_that_is_killed_takes_its_workers_along_and_its_leases_are_taken_over(running, place):
    process = running(spec("waits", options={"seconds": 0.5}, budget=8, lease=600.0, stall_after=600.0))
    wait_until_playing(process)
    workers = descendants(process.pid)
    process.kill()
    process.wait()
    left = held(place)
    assert left
    assert all(has_ended(pid) for pid in workers)
    with eq.Arena.open(place) as arena:
        played = eq.play(arena, workers=2)  # ends long before the leases of the dead one
        assert played.state == "spent"
        told = results(arena)
        assert sorted(one["trial"] for one in told) == list(range(1, 9))
        assert {one["attempt"] for one in told} == {1}
        assert arena.verify().ok


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"workers": 0}, "workers"),
        ({"engine": "rai"}, "engine"),
        ({"engine": "threads", "at_once": 2}, "at_once is for processes"),
        ({"address": "auto"}, 'address is for engine="ray"'),
        ({"start_seconds": 0.0}, "start_seconds"),
        ({"new_versions": 1}, "new_versions"),
    ],
)
def test_options_that_make_no_sense_are_refused(given, words):
    with pytest.raises(eq.ParameterError, match=words):
        eq.play(spec(), **given)


def test_what_is_no_arena_is_refused(tmp_path):
    with pytest.raises(eq.ParameterError, match="arena is an Arena, where one is kept, or a spec, not 7"):
        eq.play(7)
    with pytest.raises(eq.ReadError, match="no arena"):
        eq.play(tmp_path / "missing.db")
    with pytest.raises(eq.ParameterError, match="to is for a spec"):
        eq.play(tmp_path / "missing.db", to=tmp_path / "other.db")
