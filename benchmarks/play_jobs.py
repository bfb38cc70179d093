"""An arena played by two workers, here and on Ray: what asking, telling and carrying add to the trials themselves."""

import time
from collections.abc import Sequence
from typing import Any

from benchmarks.command_jobs import folder
from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS", "referee"]

CASES = ((2_000, 0.0), (400, 0.01), (12, 1.0))
"""Trials, and the seconds that each takes."""
QUICK = (1, 2)
WORKERS = 2


def label(case: int) -> str:
    trials, seconds = CASES[case - 1]
    length = "no length" if not seconds else f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"
    return f"{trials:,} trials of {length}"


def referee(players: Sequence[Any], options: Any) -> list[float]:
    """Take a while; the name decides."""
    if options["seconds"]:
        time.sleep(options["seconds"])
    return [float(players[0].name < players[1].name), float(players[1].name < players[0].name)]


def spec(case: int) -> Any:
    import equipoise as eq

    trials, seconds = CASES[case - 1]
    return eq.ArenaSpec(
        name="bench", game="python:benchmarks.play_jobs:referee", players=["a", "b", "c"], goal="budget",
        policy="round-robin", budget=trials, options={"seconds": seconds},
    )  # fmt: skip


def played(case: int, engine: str) -> Answer:
    """Play, and measure from the first result on: starting workers is done once."""
    import equipoise as eq

    trials, seconds = CASES[case - 1]
    with eq.Arena.create(folder() / "arena.db", spec(case)) as arena:
        begun = time.time()
        eq.play(arena, WORKERS, engine)  # type: ignore[arg-type]
        told = [event for event in arena.events() if event.kind == "result"]
    moments = [event.time for event in told]
    # The workers' first trials are over when the clock starts.
    each = WORKERS * (moments[-1] - moments[0]) / (trials - WORKERS) - seconds
    scores = {event.content()["trial"]: event.content()["scores"][0] for event in told}
    return {"scores": [scores[number] for number in sorted(scores)], "each": each, "start": moments[0] - begun}


def processes(case: int) -> Answer:
    return played(case, "processes")


def on_ray(case: int) -> Answer:
    return played(case, "ray")


def with_ray(case: int) -> int:
    """Start Ray; that is not timed."""
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    return case


def alone_floor(case: int) -> Answer:
    """Nothing but the time of the trials, two at a time."""
    trials, seconds = CASES[case - 1]
    time.sleep(trials * seconds / WORKERS)
    return {}


def agree(ours: Answer, theirs: Answer) -> Agreement:
    """Say what a trial costs beyond itself, on each side."""
    if ours["scores"] != theirs["scores"]:
        return False, "results differ"
    here, there = (f"{1000 * one['each']:.1f} ms beside each trial" for one in (ours, theirs))
    first = f"the first result after {ours['start']:.1f} s and {theirs['start']:.1f} s"
    return True, f"{here}, on Ray {there}; {first}"


JOBS = (
    Job(
        "an arena with two workers",
        lambda case: case,
        (
            Side("equipoise", processes),
            Side("equipoise, on Ray", on_ray, with_ray, note="a cluster of this machine alone"),
            Side("the trials alone", alone_floor),
        ),
        sizes=tuple(range(1, len(CASES) + 1)),
        quick=QUICK,
        label=label,
        agree=agree,
        floor="the trials alone",
        grows=False,
    ),
)
