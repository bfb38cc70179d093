"""A hundred thousand tables with planted faults: no traceback, no hang, no lost row without a note.

Workers read case after case; beside them the parent watches that none is stuck. What one of them finds is printed with
the number of the case, which makes it again: ``python -m tests.faults.mutated NUMBER``.
"""

import multiprocessing
import os
import time
import warnings

from tests.faults.mutated import LIMIT, attempt

CASES, SEED = 100_000, 0
MINUTES = 5.5
"""The box, in a worker's own time: when it is over, the worker stops."""
BATCH = 250
WORKERS = min(2, os.cpu_count() or 1)


def work(taken, done, current, found):
    """Take batches of cases until there are none left, or time is over."""
    warnings.simplefilter("error")
    while time.process_time() < MINUTES * 60:
        with taken.get_lock():
            start = taken.value
            taken.value += BATCH
        if start >= CASES:
            return
        for number in range(start, min(start + BATCH, CASES)):
            current[0], current[1] = number, time.monotonic()
            try:
                attempt(number, SEED)
            except BaseException as error:  # panics of polars are no ordinary exceptions
                found.put((number, f"{type(error).__name__}: {error}"[:300]))
            with done.get_lock():
                done.value += 1
    current[1] = 0.0


def test_no_table_breaks_a_reader():
    os.environ["POLARS_MAX_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    taken, done, found = context.Value("q", 0), context.Value("q", 0), context.Queue()
    places = [context.Array("d", [-1.0, 0.0], lock=False) for _ in range(WORKERS)]
    workers = [context.Process(target=work, args=(taken, done, places[n], found), daemon=True) for n in range(WORKERS)]
    for worker in workers:
        worker.start()
    stuck = watch(workers, places)
    faults = []
    while not found.empty():
        faults.append(found.get())
    died = [int(place[0]) for worker, place in zip(workers, places, strict=True) if worker.exitcode not in (0, None)]
    assert (faults, stuck, died) == ([], [], [])
    assert done.value == CASES, f"only {done.value:,} cases in {MINUTES} minutes"


def watch(workers, places):
    """Wait for the workers; give the cases in which one of them hangs, after ending it."""
    stuck = []
    while any(worker.is_alive() for worker in workers):
        time.sleep(0.2)
        for worker, (number, since) in zip(workers, places, strict=True):
            # Five seconds are for a machine of one's own: a case may be unlucky, so it gets a little more here.
            if worker.is_alive() and since and time.monotonic() - since > 3 * LIMIT:
                stuck.append(int(number))
                worker.kill()
        for worker in workers:
            worker.join(0)
    return stuck
