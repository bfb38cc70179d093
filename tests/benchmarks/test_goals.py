"""Goals are held against measurements, and two runs against each other."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import MODULES, read
from benchmarks.change import changes, drift, page_of_changes
from benchmarks.goals import GOALS, Goal, judge
from benchmarks.measure import Record
from benchmarks.page import document, goals

ROOT = Path(__file__).parents[2]
JOBS = {job.name: job for module in MODULES for job in import_module(module).JOBS}


def run_of(*entries, **machine):
    """Give a run of one job: side, times of the clock, times of the processor."""
    records = [Record("a job", 10, "10 things", side, "", warm=warm, cpu=cpu) for side, warm, cpu in entries]
    where = {"cores": "2", "load at the start": "0.5", **machine}
    return document(where, [(records, "floor", True)]) | {"quick": False, "limits": {"minutes": 20, "call": 40}}


def verdict(goal, run):
    judged = judge(goal, run["records"])
    return judged.met, judged.measured


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.job} {goal.size} {goal.unit} {goal.side}")
def test_every_goal_is_about_something_that_is_measured(goal):
    job = JOBS[goal.job]
    sides = {side.name for side in job.sides}
    assert goal.size in job.sizes
    assert goal.side in sides
    assert not goal.against or goal.against in sides
    assert goal.words


def test_other_work_on_the_machine_does_not_spoil_a_goal():
    run = run_of(("equipoise", [9.0, 8.0], [1.9, 2.5]))
    assert verdict(Goal("a job", 10, 2.0, ""), run) == (True, "1.90 s")
    assert verdict(Goal("a job", 10, 1.5, ""), run) == (False, "1.90 s")
    assert verdict(Goal("a job", 10, 2.0, "", "cpu"), run) == (True, "1.90 s")
    two_threads = run_of(("equipoise", [1.0], [1.9]))
    assert verdict(Goal("a job", 10, 1.5, ""), two_threads) == (True, "1.00 s")
    assert verdict(Goal("a job", 10, 1.5, "", "cpu"), two_threads) == (False, "1.90 s")
    assert verdict(Goal("a job", 10, 0.1, "", "each"), two_threads) == (True, "100.00 ms each")


def test_peers_floors_and_first_runs_are_compared_with():
    run = run_of(
        ("equipoise", [1.0], [2.0]), ("peer", [4.0], [3.0]), ("floor", [0.1], [0.1]), ("equipoise, x", [3.0], [2.3])
    )
    assert verdict(Goal("a job", 10, 3.0, "", "peer", against="peer"), run) == (True, "4 x")
    assert verdict(Goal("a job", 10, 5.0, "", "peer", against="peer"), run) == (False, "4 x")
    assert verdict(Goal("a job", 10, 10.0, "", "floor", against="floor"), run) == (False, "20.0 x")
    assert verdict(Goal("a job", 10, 0.5, "", "extra", "equipoise, x", "equipoise"), run) == (True, "+0.30 s")
    assert verdict(Goal("a job", 10, 3.0, "", "peer", "equipoise, x", "peer"), run) == (False, "1.3 x")


def test_what_was_not_measured_is_neither_met_nor_missed():
    run = run_of(("equipoise", [1.0], [1.0]))
    assert verdict(Goal("another job", 10, 2.0, ""), run) == (None, "not in this run")
    assert verdict(Goal("a job", 10, 2.0, "", "peer", against="peer"), run) == (None, "no time of peer to compare with")
    assert verdict(Goal("a job", 10, 2.0, "", "memory"), run)[0] is None
    assert verdict(Goal("a job", 10, 2.0, "", "growth"), run)[0] is None
    run["records"][0] |= {"failure": "given up after 40 s"}
    assert verdict(Goal("a job", 10, 2.0, ""), run) == (None, "given up after 40 s")


def test_goals_that_are_not_met_stand_first_on_the_page():
    rows = [line for line in goals(read(ROOT / "benchmarks" / "results.json")).split("\n") if line.startswith("| ")][1:]
    ends = [row.split("|")[-2].strip() for row in rows]
    assert len(ends) == len(GOALS)
    assert ends == sorted(ends, key=["**no**", "not known", "yes"].index)


def test_a_slower_commit_is_seen():
    then = run_of(("equipoise", [1.0, 1.1], [1.0, 1.1]), ("peer", [3.0], [3.0]), commit="aaa")
    now = run_of(("equipoise", [1.5, 1.6], [1.5, 1.6]), ("peer", [3.0], [3.0]), commit="bbb")
    found = changes(then, now)
    assert [(change.verdict, change.ratio) for change in found] == [("slower", 1.5)]
    assert [change.verdict for change in changes(now, then)] == ["faster"]
    shown = page_of_changes(then, now)
    assert "commit bbb" in shown.split("commit aaa")[0]
    assert "## Slower\n\n| job |" in shown
    assert "| a job | 10 things | equipoise | 1.00 s | 1.50 s | 1.50 |" in shown
    assert "Nothing faster." in shown


def test_noise_is_not_a_change():
    """Repeats that overlap, a change of a tenth, and a single call that is a third longer."""
    cases = (([1.0, 2.0], [1.5, 1.6]), ([1.0, 1.01], [1.1, 1.12]), ([1.0], [1.35]))
    for then, now in cases:
        found = changes(run_of(("equipoise", then, then)), run_of(("equipoise", now, now)))
        assert [change.verdict for change in found] == [""]


def test_a_slower_machine_is_not_a_slower_commit():
    then = run_of(("equipoise", [1.0, 1.1], [1.0, 1.1]), ("peer", [3.0], [3.0]), ("floor", [1.0], [1.0]))
    now = run_of(("equipoise", [2.0, 2.1], [2.0, 2.1]), ("peer", [6.0], [6.0]), ("floor", [2.0], [2.0]))
    assert drift(then, now) == pytest.approx(2.0)
    (change,) = changes(then, now)
    assert change.ratio == pytest.approx(1.0)
    assert change.now == pytest.approx(2.0)
    assert change.verdict == ""


def test_runs_before_processor_times_are_compared_by_the_clock():
    then = run_of(("equipoise", [1.0, 1.1], []))
    (change,) = changes(then, run_of(("equipoise", [2.0, 2.1], [9.0, 9.1])))
    assert (change.then, change.now, change.verdict) == (1.0, 2.0, "slower")


def test_one_run_has_nothing_to_compare_with():
    assert "only one run" in page_of_changes(None, run_of(("equipoise", [1.0], [1.0])))


def test_the_page_of_changes_is_that_of_the_last_two_runs():
    then, now = (read(ROOT / "benchmarks" / name) for name in ("previous.json", "results.json"))
    assert (ROOT / "docs" / "benchmarks-change.md").read_text(encoding="utf-8") == page_of_changes(then, now)
