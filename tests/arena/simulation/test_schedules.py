"""Schedules in which everything goes wrong at once; and faults planted in the engine, which they must find."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.arena.simulation.planted import FAULTS
from tests.arena.simulation.schedule import simulate
from tests.arena.simulation.world import BrokenPromiseError

MOST = 200
"""Schedules within which each planted fault must be found, and that are played without one."""


def play(most):
    """Play so many schedules; give what happened in them."""
    return sum((simulate(seed).seen for seed in range(most)), Counter[str]())


def test_nothing_that_is_promised_breaks_in_two_hundred_schedules():
    seen = play(MOST)
    for what in (
        "lost messages", "doubled messages", "clock jumps", "writes refused", "workers died", "closed and opened",
        "deaths after-insert", "deaths before-commit", "deaths before-acknowledgement", "deaths in-snapshot",
        "deaths in-recovery", "hung", "refused renew",
    ):  # fmt: skip
        assert seen[what] > 0, f"nothing of this went wrong: {what}"
    assert seen["results"] > 5 * MOST


def test_a_seed_replays_exactly_in_this_process_and_in_another():
    seeds = range(0, 24, 4)
    heads = [simulate(seed).head for seed in seeds]
    assert [simulate(seed).head for seed in seeds] == heads
    assert len(set(heads)) == len(heads)
    script = f"from tests.arena.simulation.schedule import simulate\nfor s in {seeds}: print(simulate(s).head)"
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    assert other.stdout.split() == heads


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_found(fault, monkeypatch):
    fault(monkeypatch)
    with pytest.raises(BrokenPromiseError, match=r"^schedule \d+, after [\d.]+ s: "):
        play(MOST)
