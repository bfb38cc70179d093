import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

import equipoise as eq
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.runners.messages import Done, Job, LoadRequest, Ready, Refused, Setup
from equipoise.runners.worker import Worker


def setup(game, warm=16, **options):
    return Setup(f"python:tests.runners.bots:{game}", options, warm, 1, 0.1)


def job(*players, number=1, block=1):
    return Job(number, 1, block, tuple(players), None, 5)


def named(*names):
    return tuple(eq.PlayerSpec(name=name) for name in names)


def nothing():
    """Nobody listens."""


def remembering(tmp_path, *names):
    return tuple(
        eq.PlayerSpec(name=name, bot="python:tests.runners.bots:Remembers", options={"log": str(tmp_path / name)})
        for name in names
    )


def test_an_outcome_carries_seconds_and_the_load_of_the_machine():
    done = Worker(setup("strength")).work(job(*named("a", "b")), nothing)
    assert isinstance(done, Done)
    assert done.outcome.scores == (0.0, 1.0)
    assert done.outcome.costs["seconds"] >= 0.0
    assert done.outcome.costs["load"] >= 0.0


def test_what_the_game_counts_itself_stays():
    with closing(Worker(setup("asks_a_server", seconds=0.0))) as worker:
        done = worker.work(job(*named("a", "b")), nothing)
    assert done.outcome.costs["tokens"] == 12.0
    assert done.outcome.costs["ended"] >= done.outcome.costs["begun"]


def test_an_asynchronous_game_is_played_where_a_loop_runs_already_as_in_a_notebook():
    async def notebook():
        with closing(Worker(setup("asks_a_server", seconds=0.0))) as worker:
            return worker.work(job(*named("a", "b")), nothing)

    # In a thread of its own: a browser of other tests may have a loop running in this one.
    with ThreadPoolExecutor(max_workers=1) as thread:
        done = thread.submit(lambda: asyncio.run(notebook())).result()
    assert done.outcome.costs["tokens"] == 12.0


@pytest.mark.parametrize(("game", "words"), [("fails", "server is down"), ("leaves", "SystemExit")])
def test_what_is_raised_is_the_workers_fault(game, words):
    done = Worker(setup(game)).work(job(*named("a", "b")), nothing)
    assert done.outcome is None
    assert isinstance(done.fault, WorkerFault)
    assert words in done.fault.message


def test_a_players_fault_keeps_its_seat_transcript_and_costs():
    fault = Worker(setup("gives_up")).work(job(*named("a", "b")), nothing).fault
    assert isinstance(fault, PlayerFault)
    assert (fault.seat, fault.transcript, fault.costs) == (0, "1. f3", {"tokens": 3.0})


def test_players_are_reset_between_blocks_and_not_within(tmp_path):
    worker = Worker(setup("asks_bots"))
    players = remembering(tmp_path, "a", "b")
    for number, block in [(1, 1), (2, 1), (3, 2)]:
        worker.work(job(*players, number=number, block=block), nothing)
    worker.close()
    assert (tmp_path / "a").read_text().split() == ["made", "asked", "asked", "reset", "asked", "closed"]


def test_players_beyond_the_warm_ones_are_closed_the_longest_unused_first(tmp_path):
    worker = Worker(setup("asks_bots", warm=2))
    a, b, c = remembering(tmp_path, "a", "b", "c")
    worker.work(job(a, b), nothing)
    worker.work(job(a, c, number=2), nothing)
    logs = {name: (tmp_path / name).read_text().split()[-1] for name in "abc"}
    assert logs == {"a": "asked", "b": "closed", "c": "asked"}
    done = worker.work(job(a, b, number=3), nothing)
    assert list(done.versions) == ["b"]


def test_a_table_with_more_seats_than_warm_players_is_served(tmp_path):
    done = Worker(setup("asks_bots", warm=1)).work(job(*remembering(tmp_path, "a", "b", "c")), nothing)
    assert done.outcome.scores == (0.5, 0.5, 0.5)


def test_a_check_tells_versions_and_counts_players_as_progress():
    ticks = []
    ready = Worker(setup("strength")).work(LoadRequest(named("a", "b"), 2), lambda: ticks.append(1))
    assert isinstance(ready, Ready)
    assert list(ready.versions) == ["a", "b"]
    assert len(ticks) == 2


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (LoadRequest((eq.PlayerSpec(name="a", bot="python:tests.runners.bots:nobody"),), 2), 'no "nobody"'),
        (Job(1, 1, 1, (eq.PlayerSpec(name="a", bot="ucy:x"),), None, 0), 'no kind of player "ucy"'),
        (LoadRequest((), 40), "seats = 40"),
    ],
)
def test_what_cannot_be_loaded_is_refused_not_tried_again(work, words):
    refused = Worker(setup("strength")).work(work, nothing)
    assert isinstance(refused, Refused)
    assert words in str(refused.error)


def test_a_changed_spec_of_a_warm_player_loads_it_anew(tmp_path):
    worker = Worker(setup("asks_bots"))
    a, b = remembering(tmp_path, "a", "b")
    worker.work(job(a, b), nothing)
    other = eq.PlayerSpec(name="a", bot=a.bot, options={"log": str(tmp_path / "other")})
    worker.work(job(other, b, number=2), nothing)
    assert (tmp_path / "a").read_text().split()[-1] == "closed"
    assert (tmp_path / "other").read_text().split() == ["made", "asked"]
