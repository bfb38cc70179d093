"""Schedules of the simulated arena for two and a half minutes, a thousand at least."""

import time

from tests.arena.simulation.schedule import simulate
from tests.arena.simulation.test_schedules import MOST

LEAST, SECONDS = 1_000, 150.0


def test_nothing_that_is_promised_breaks_in_minutes_of_schedules():
    began, seed, results, hours = time.monotonic(), MOST, 0, 0.0
    while seed < MOST + LEAST or time.monotonic() - began < SECONDS:
        played = simulate(seed)
        results, hours, seed = results + played.seen["results"], hours + played.seconds / 3600, seed + 1
    took = time.monotonic() - began
    print(f"{seed - MOST:,} schedules, {results:,} results, {hours:,.0f} simulated hours in {took:.0f} s")
    assert results > 5 * LEAST
