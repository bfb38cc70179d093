"""An arena played on two Ray nodes of this machine; what dies in the middle of a game loses and doubles nothing."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import equipoise as eq

os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # stay on loopback, as Ray does on those systems
ray = pytest.importorskip("ray", reason="Ray is an extra: make test-faults installs it")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.filterwarnings("default")  # Ray opens files and sockets that it leaves to the interpreter
ROOT = Path(__file__).parents[2]
TRIALS = 16
PATIENCE = 40.0
"""Seconds that a game waits for slow machines to start their workers; less than stall_after."""


def timed(players, seed, options):
    """Say who plays, and where, and wait for as many others as shall have played; the name decides."""
    folder = Path(options["folder"])
    (folder / f"{os.getpid()}-{ray.get_runtime_context().get_node_id()}").touch()
    until = time.monotonic() + PATIENCE
    while len(marks(folder)) < int((folder.parent / "wanted").read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(options["seconds"])
    return instant(players, seed)


def instant(players, seed):
    return [float(player.name > other.name) for player, other in zip(players, reversed(players), strict=True)]


def spec(game="timed", **options):
    return eq.ArenaSpec(
        name="cluster", game=f"python:tests.faults.test_ray_arena:{game}", players=["a", "b", "c"], goal="budget",
        policy="round-robin", budget=TRIALS, seed=5, lease=60.0, stall_after=60.0, options=options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def nodes():
    arguments = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "include_dashboard": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=arguments)
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    yield cluster
    cluster.shutdown()


@pytest.fixture
def cluster(nodes, monkeypatch):
    monkeypatch.chdir(ROOT)  # where the referee is found
    if len(nodes.worker_nodes) < 1:
        nodes.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    nodes.wait_for_nodes()
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes
    ray.shutdown()


@pytest.fixture
def folder(tmp_path):
    """Where workers leave their marks: their process and their node."""
    (tmp_path / "wanted").write_text("2")
    place = tmp_path / "marks"
    place.mkdir()
    return place


def marks(folder):
    return [tuple(path.name.split("-")) for path in folder.iterdir()]


def told(arena):
    found = [event.content() for event in arena.events() if event.kind == "result"]
    return {one["trial"]: (one["players"], one["seed"], one["scores"]) for one in found}, len(found)


def assert_as_at_home(arena, tmp_path):
    """Every trial once, with the result it has anywhere; the same standings; everything can be recounted."""
    with eq.Arena.create(tmp_path / "home.db", spec("instant")) as home:
        eq.play(home, engine="threads", workers=1)
        results, count = told(arena)
        assert count == len(results) == TRIALS
        assert results == told(home)[0]
        ours, theirs = (one.standings(verdict=False) for one in (arena, home))
        assert ours.frame().to_dicts() == theirs.frame().to_dicts()
    assert arena.verify().ok


def when_playing(folder, act):
    """Give a listener that does something once, in the middle of the games of two workers."""
    done = threading.Event()

    def listen(snapshot):
        if not done.is_set() and len(snapshot.in_play) == 2 and snapshot.played >= 2 and len(marks(folder)) >= 2:
            done.set()
            act()
            (folder.parent / "wanted").write_text("3")

    listen.done = done
    return listen


def test_an_actor_that_dies_in_a_game_is_replaced_and_its_trial_tried_again(cluster, tmp_path, folder):
    listener = when_playing(folder, lambda: os.kill(int(marks(folder)[0][0]), signal.SIGKILL))
    with eq.Arena.create(tmp_path / "arena.db", spec(folder=str(folder), seconds=0.7)) as arena:
        played = eq.play(arena, workers=2, engine="ray", on_change=listener)
        assert listener.done.is_set()
        assert (played.state, played.failures) == ("spent", 1)
        assert len({pid for pid, _ in marks(folder)}) == 3
        assert_as_at_home(arena, tmp_path)


def test_a_node_that_dies_in_a_game_loses_nothing_and_one_that_joins_plays(cluster, tmp_path, folder):

    def exchange():
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
        cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1", wait=False)

    listener = when_playing(folder, exchange)
    with eq.Arena.create(tmp_path / "arena.db", spec(folder=str(folder), seconds=0.7)) as arena:
        played = eq.play(arena, engine="ray", on_change=listener)
        assert listener.done.is_set()
        assert (played.state, played.failures) == ("spent", 1)
        assert len({node for _, node in marks(folder)}) == 3
        assert_as_at_home(arena, tmp_path)


DRIVER = """
import sys, ray, equipoise as eq
ray.init(address=sys.argv[2], log_to_driver=False, logging_level="ERROR")
eq.play(sys.argv[1], workers=2, engine="ray", on_change=lambda seen: print(seen.played, len(seen.in_play), flush=True))
"""


def test_a_driver_that_dies_in_a_game_is_followed_by_another(cluster, tmp_path, folder):
    where = tmp_path / "arena.db"
    eq.Arena.create(where, spec(folder=str(folder), seconds=0.7)).close()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(where), cluster.address],
        stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT,
    )  # fmt: skip
    for line in driver.stdout:
        played, in_play = map(int, line.split())
        if played >= 4 and in_play == 2:
            break
    driver.kill()
    driver.wait()
    driver.stdout.close()
    with eq.Arena.open(where) as arena:
        assert 4 <= told(arena)[1] < TRIALS
        assert arena.look(lambda state: state.held)
        played = eq.play(arena, workers=2, engine="ray")  # ends long before the leases of the dead one
        assert played.state == "spent"
        attempts = {event.content()["attempt"] for event in arena.events() if event.kind == "result"}
        assert attempts == {1}
        assert_as_at_home(arena, tmp_path)


def test_an_actor_that_hangs_is_killed(cluster, tmp_path, folder):
    (tmp_path / "wanted").write_text("1")
    hanging = {**spec(folder=str(folder), seconds=600.0).to_dict(), "stall_after": 2.0, "attempts": 1, "budget": 2}
    with eq.Arena.create(tmp_path / "arena.db", eq.ArenaSpec.from_dict(hanging)) as arena:
        stop = threading.Event()

        def listen(snapshot):
            if snapshot.voids:
                stop.set()

        played = eq.play(arena, workers=1, engine="ray", on_change=listen, stop=stop)
        assert played.failures >= 1
        reasons = [event.content()["reason"] for event in arena.events() if event.kind == "void"]
        assert "no progress in 2 s" in reasons[0]


@pytest.mark.parametrize("resources", [{"CPU": 1.5}, {"CPU": 1, "referee": 1}])
def test_resources_that_no_node_has_are_said_in_one_line(cluster, tmp_path, resources):
    with (
        eq.Arena.create(tmp_path / "arena.db", spec("instant")) as arena,
        pytest.raises(eq.WorkerError, match=r"no room for a worker: each claims CPU = 1.* free \(see resources\)"),
    ):
        eq.play(arena, workers=1, engine="ray", resources=resources, start_seconds=2.0)


def test_an_address_where_nobody_listens_is_said_in_one_line(tmp_path):
    with pytest.raises(eq.WorkerError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: "):
        eq.play(spec("instant"), engine="ray", address="127.0.0.1:1")


def test_resources_that_make_no_sense_are_refused(tmp_path):
    with pytest.raises(eq.ParameterError, match="resources are names and amounts"):
        eq.play(spec("instant"), engine="ray", resources={"CPU": "one"})
