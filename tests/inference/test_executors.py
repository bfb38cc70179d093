"""The same seed gives the same answer, whoever does the work; what goes wrong at a worker is one clear line."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.inference.executors import blocks, in_blocks, streams
from equipoise.inference.executors import processes as pool_of


def processes(count):
    # As a fresh process starts everywhere: nothing is inherited from the tests.
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


def draws(size, rng):
    return rng.random(size).tolist()


def dies(size, rng):
    os._exit(3)


@pytest.fixture(scope="module")
def pool():
    with processes(2) as executor:
        yield executor


@pytest.fixture(scope="module")
def games():
    rng = np.random.default_rng(3)
    a, b = rng.integers(5, size=300), rng.integers(5, size=300)
    keep = a != b
    names = np.array(list("abcde"))
    return eq.Matches.from_columns(names[a[keep]], names[b[keep]], rng.choice([0, 0.5, 1], size=int(keep.sum())))


def test_blocks_hold_every_replicate_once():
    assert [sum(blocks(count)) for count in range(100)] == list(range(100))
    assert blocks(0) == []
    assert max(blocks(1000)) == 16


def test_streams_are_different_and_come_again():
    first, second = ([stream.random() for stream in streams(np.random.default_rng(seed), 50)] for seed in (7, 7))
    assert first == second
    assert len(set(first)) == 50
    assert first[:20] == [stream.random() for stream in streams(np.random.default_rng(7), 20)]


def test_a_generator_goes_on():
    rng = np.random.default_rng(0)
    assert [list(in_blocks(draws, [2], rng)) for _ in range(2)] != [list(in_blocks(draws, [2], rng)) for _ in range(2)]


def test_every_executor_gives_the_same(pool):
    alone = list(in_blocks(draws, blocks(50), np.random.default_rng(1)))
    with ThreadPoolExecutor(3) as threads:
        assert list(in_blocks(draws, blocks(50), np.random.default_rng(1), threads)) == alone
    assert list(in_blocks(draws, blocks(50), np.random.default_rng(1), pool)) == alone


@pytest.mark.parametrize(
    "method", [eq.bradley_terry, partial(eq.elo, k=8.0), partial(eq.bradley_terry, ties="davidson")]
)
def test_a_bootstrap_is_the_same_on_processes(method, games, pool):
    alone = eq.bootstrap(method, games, n=40, rng=5)
    spread = eq.bootstrap(method, games, n=40, rng=5, executor=pool)
    np.testing.assert_array_equal(spread.replicates, alone.replicates)


def test_more_replicates_begin_with_the_same(games):
    few, many = (eq.bootstrap(eq.bradley_terry, games, n=n, rng=5).replicates for n in (32, 64))
    np.testing.assert_array_equal(many[:32], few)


def test_a_method_that_cannot_be_sent_is_named(games, pool):
    with pytest.raises(eq.ParameterError, match="executor sends the work to other processes"):
        eq.bootstrap(lambda data: eq.bradley_terry(data, side=True), games, n=20, executor=pool)


def test_an_error_of_the_method_is_its_own(games, pool):
    with pytest.raises(TypeError, match="unexpected keyword"):
        list(in_blocks(partial(draws, nonsense=1), [2], np.random.default_rng(0), pool))


def test_a_dead_worker_is_one_line():
    with processes(1) as executor, pytest.raises(eq.WorkerError, match="a worker died"):
        list(in_blocks(dies, blocks(40), np.random.default_rng(0), executor))


class Slow(Executor):
    """Answers the first piece of work and leaves the rest waiting."""

    def __init__(self):
        self.handed = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        if not self.handed:
            future.set_result(fn(*args, **kwargs))
        self.handed.append(future)
        return future


def test_who_stops_listening_calls_off_the_rest():
    executor = Slow()
    answers = in_blocks(draws, blocks(160), np.random.default_rng(0), executor)
    assert len(next(answers)) == 16
    answers.close()
    assert [future.cancelled() for future in executor.handed] == [False] + [True] * 9


def test_an_executor_that_was_shut_down_is_named():
    executor = Slow()
    answers = in_blocks(draws, blocks(32), np.random.default_rng(0), executor)
    next(answers)
    executor.handed[1].cancel()
    with pytest.raises(eq.WorkerError, match="shut down"):
        next(answers)


def test_dask(games):
    distributed = pytest.importorskip("distributed")
    alone = eq.bootstrap(eq.bradley_terry, games, n=40, rng=5)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        spread = eq.bootstrap(eq.bradley_terry, games, n=40, rng=5, executor=client.get_executor())
    np.testing.assert_array_equal(spread.replicates, alone.replicates)


def all_pairs(agents=40, seed=5):
    """Everybody met everybody, in so many pairs that the verdict simulates tables in several parts."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=agents)
    chance = 1 / (1 + np.exp(strength - strength[:, None]))
    wins = rng.binomial(6, np.triu(chance, 1)).astype(float)
    wins += np.triu(6 - wins, 1).T
    return eq.PairTable.from_wins(wins, [f"agent {i}" for i in range(agents)])


def answers(agents=14, items=24):
    rng = np.random.default_rng(6)
    chance = 1 / (1 + np.exp(rng.normal(size=items) - rng.normal(size=(agents, 1))))
    return eq.Scores.from_matrix((rng.random((agents, items)) < chance).astype(float))


def scores(trials=False):
    rng = np.random.default_rng(7)
    shape = (8, 9, 3) if trials else (8, 9)
    return eq.Scores.from_matrix(rng.normal(size=shape) + rng.normal(size=shape[:2]).reshape(8, 9, *[1] * trials))


def with_gaps():
    values = np.array(scores().values)
    values[0, 1] = values[3, 4] = np.nan
    return eq.Scores.from_matrix(values)


def rasch(executor):
    data = answers()
    return eq.methods.duality(data, eq.irt(data, model="rasch", method="mml"), n=36, executor=executor)


LOOPS = {
    "verdict": lambda executor: eq.transitivity(all_pairs(), n=1500, executor=executor),
    "verdict by group": lambda executor: eq.transitivity(grouped(), n=1500, executor=executor),
    "Nash averages of games": lambda executor: eq.nash_average(all_pairs(8), n=40, executor=executor),
    "Nash averages over tasks": lambda executor: eq.nash_average(scores(), n=40, executor=executor),
    "Nash averages over runs": lambda executor: eq.nash_average(
        scores(trials=True), n=40, over="runs", executor=executor
    ),
    "completions": lambda executor: eq.nash_average(with_gaps(), missing="complete", executor=executor),
    "generality": lambda executor: eq.generality(answers(), np.linspace(-1, 1, 24), n=40, executor=executor),
    "indicators": rasch,
    "melo": lambda executor: eq.melo(all_pairs(8), n=36, executor=executor),
    "leaderboard": lambda executor: eq.rank(all_pairs(8), options=eq.RankOptions(n=40), executor=executor),
    "leaderboard of discs": lambda executor: eq.rank(
        all_pairs(8), method="melo", options=eq.RankOptions(n=36), executor=executor
    ),
    "benchmark": lambda executor: eq.tasks(scores(trials=True), n=40, executor=executor),
    "items": lambda executor: eq.irt(answers(), executor=executor).generality,
    "report": lambda executor: eq.analyse(all_pairs(6), only=["Ratings"], executor=executor)[0].result,
}
"""Whatever takes an executor, with loops of more than one piece of work."""


def grouped():
    rng = np.random.default_rng(8)
    a = rng.integers(60, size=4000)
    b = (a + rng.integers(1, 60, size=4000)) % 60
    return eq.Matches.from_columns(a.astype(str), b.astype(str), rng.integers(2, size=4000), group=a % 30)


class Counting(ThreadPoolExecutor):
    handed = 0

    def submit(self, fn, /, *args, **kwargs):
        self.handed += 1
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_long_loop_hands_its_work_out(loop):
    with Counting(1) as executor:
        LOOPS[loop](executor)
    assert executor.handed >= 2


def test_a_verdict_that_is_clear_early_stops_early_whoever_simulates():
    table = all_pairs(60, seed=2)
    with Counting(1) as executor:
        found = eq.transitivity(table, n=3000, executor=executor)
    assert found.verdict() == eq.transitivity(table, n=3000).verdict()
    assert "p about" in found.text


def test_one_job_needs_no_other_process():
    with pool_of(1) as executor:
        assert executor is None
    with pytest.raises(eq.ParameterError, match="jobs is a whole number of at least 1"), pool_of(0):
        pass


def test_one_piece_of_work_stays_here():
    with Counting(1) as executor:
        assert len(list(in_blocks(draws, [5], np.random.default_rng(0), executor))) == 1
    assert executor.handed == 0


def state_of_a_worker():
    from threadpoolctl import threadpool_info

    threads = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN, threads


def test_workers_leave_interruptions_to_the_program_and_do_linear_algebra_on_one_thread():
    with pool_of(2) as workers:
        assert workers.submit(state_of_a_worker).result() == (True, {1})


ORPHANS = """
import os, time
from equipoise.inference.executors import processes
if __name__ == "__main__":
    with processes(2) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        os._exit(1)
"""


def test_workers_end_with_a_program_that_was_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(ORPHANS)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=120)
    worker = int(done.stdout)
    for _ in range(200):
        if not running(worker):
            return
        time.sleep(0.1)
    raise AssertionError("a worker waits for work that nobody will give")


def running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # Without anybody to collect it, a process that has ended keeps its place.
    return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
