"""The same seed gives the same answer, whoever does the work; what goes wrong at a worker is one clear line."""

import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

import equipoise as eq
from equipoise.inference.executors import blocks, in_blocks, streams


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
