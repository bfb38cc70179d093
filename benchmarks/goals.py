"""What we want to be quick at, as data: which measurement each goal is about, and how much is enough."""

from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.job import OURS

__all__ = ["GOALS", "Goal", "Judged", "judge", "quiet"]

Entry = dict[str, Any]


@dataclass(frozen=True)
class Goal:
    """A limit on one measurement.

    Attributes
    ----------
    unit
        ``cpu``: seconds of processor. ``time``: seconds on a quiet machine, for which the smaller of the clock and the
        processor stands. ``each``: the same, divided by the size. ``peer``: how many times as long a peer takes by the
        clock, at least. ``floor``: how many times the floor's processor time we take, at most. ``growth``: exponent of
        the cost. ``memory``: MiB. ``extra``: seconds of processor more than another side. ``rate``: how many of the
        size are done in a second by the clock, at least: waiting for a disk takes no processor.
    before
        What it took when the goal was set.
    """

    job: str
    size: int
    limit: float
    before: str
    unit: Literal["cpu", "time", "each", "peer", "floor", "growth", "memory", "extra", "rate"] = "time"
    side: str = OURS
    against: str = ""

    @property
    def words(self) -> str:
        """The limit in words."""
        if self.unit == "peer":
            return f"at least {self.limit:.2g} x {self.against}"
        return {
            "cpu": f"under {self.limit:g} s of processor",
            "time": f"under {self.limit:g} s",
            "each": f"under {1000 * self.limit:g} ms each",
            "floor": f"under {self.limit:g} x the floor",
            "growth": f"growth at most size^{self.limit:g}",
            "extra": f"at most {self.limit:g} s more than later runs",
            "memory": f"under {self.limit:,.0f} MiB",
            "rate": f"at least {self.limit:,.0f} a second",
        }[self.unit]


@dataclass(frozen=True)
class Judged:
    """A goal beside what was measured; ``met`` is None where nothing was."""

    goal: Goal
    label: str
    measured: str
    met: bool | None


LINE, LISTS, FRAME = "the command line", "Bradley-Terry from columns", "Bradley-Terry with intervals"
NUMPY, POLARS, MARGINAL = "equipoise, NumPy text", "equipoise, polars columns", "equipoise, marginal likelihood"
FIRST, PAGE = "equipoise, first run", "the command line: a page with charts"
GOALS = (
    Goal(LINE, 1, 0.25, "1.4 s", "cpu"),
    Goal(LINE, 2, 0.25, "1.4 s", "cpu"),
    Goal(LINE, 3, 1.0, "2.5 s", "cpu"),
    Goal(LINE, 4, 1.0, "4.3 s", "cpu"),
    Goal(LINE, 5, 1.5, "3.7 s", "cpu"),
    Goal(PAGE, 6, 5.0, "17 s", "cpu"),
    Goal(PAGE, 7, 5.0, "17 s", "cpu"),
    Goal(PAGE, 8, 5.0, "17 s", "cpu"),
    *(Goal(LINE, case, 0.5, "+3 s for compiling", "extra", FIRST, OURS) for case in (3, 4, 5)),
    *(
        Goal(job, 1_000_000, 3.0, before, "peer", side, "evalica")
        for job, before in ((LISTS, "0.2 x"), ("online Elo from columns", "0.3 x"))
        for side in (OURS, NUMPY, POLARS)
    ),
    Goal(FRAME, 10_000, 1 / 3, "0.03 x", "peer", against="evalica"),
    Goal(FRAME, 100_000, 1.0, "0.24 x", "peer", against="evalica"),
    Goal(FRAME, 1_000_000, 1.0, "1.6 x", "peer", against="evalica"),
    Goal("bootstrap of Bradley-Terry", 1_000, 0.0025, "11 to 13 ms", "each"),
    Goal("bootstrap of Bradley-Terry", 100, 50.0, "11 x", "peer", against="evalica"),
    Goal("rank --side of Go programs", 26_000, 3.0, "20 s"),
    Goal("rank --components each", 2_049, 10.0, "407 s"),
    Goal("rank --method melo --k auto", 43, 5.0, "59 s"),
    Goal("rank --group", 5_000_000, 15.0, "109 s"),
    Goal("rank --group", 5_000_000, 1_200.0, "1,200 MiB", "memory"),
    Goal("few agents, many items", 320, 2.0, "–"),
    Goal("few agents, many items", 15_000, 2.0, "over 240 s"),
    Goal("few agents, many items", 28_175, 2.0, "over 500 s"),
    Goal("few agents, many items", 5_000, 2.0, "97 s", side=MARGINAL),
    Goal("few agents, many items", 10_000, 2.0, "114 s", side=MARGINAL),
    Goal("few agents, many items", 15_000, 2.0, "over 240 s", side=MARGINAL),
    Goal("few agents, many items", 28_175, 2.0, "over 500 s", side=MARGINAL),
    Goal("long table with odd headers, refused", 28_000, 1.0, "26 s"),
    Goal("long table whose rows share nothing, refused", 28_000, 1.0, "26 s"),
    Goal("Hodge decomposition of a sparse table", 5_000, 2.0, "25 s"),
    Goal("Hodge decomposition of a sparse table", 5_000, 1.2, "2.65", "growth"),
    Goal("sparse Bradley-Terry", 1_000_000, 15.0, "73 s"),
    Goal("alpha-Rank, one population", 5_000, 4.0, "12 s"),
    Goal("Bradley-Terry of many agents with exact errors", 3_000, 5.0, "over 30 s"),
    Goal("chess games by their headers", 1_000_000, 15.0, "10 s"),
    Goal("chess games by their headers", 1_000_000, 200.0, "–", "memory"),
    Goal("samples of lm-evaluation-harness", 1_000_000, 8.0, "10 s"),
    Goal("samples of lm-evaluation-harness", 1_000_000, 300.0, "–", "memory"),
    Goal("a folder of Inspect archives", 2_000, 1.0, "–"),
    Goal("a folder of Inspect archives", 2_000, 100.0, "–", "memory"),
    Goal("duplicate", 10_000_000, 10.0, "46 x", "floor", against="one scan"),
    Goal("baseline", 10_000_000, 10.0, "108 x", "floor", against="one scan"),
    *(
        Goal(job, size, a_second, before, "rate", side)
        for side in (OURS, "equipoise, PostgreSQL")
        for job, size, a_second, before in (
            ("results reported, 64 threads", 2_048, 3_000, "1,600 commits a second"),
            ("results reported, 8 threads, 64 at once", 4_096, 9_000, "1,600 commits a second"),
            ("durable results, 64 threads", 2_048, 3_000, "1,400 a second"),
        )
    ),
    Goal("50 requests and results", 1_000_000, 50 * 0.005, "9 ms an ask", "time"),
    Goal("results over HTTP, 16 workers", 2_048, 3.5, "2.3 to 5.4 x, a prototype", "peer", against="bare FastAPI"),
    Goal("results over HTTP, 16 workers, 8 at once", 2_048, 6.0, "6.3 to 7.5 x", "peer", against="bare FastAPI"),
    Goal("300 requests and results under ranking", 1_000, 300 * 0.0085, "170 ms an ask", "time"),
    Goal("open an arena", 1_000_000, 2.0, "", "time"),
    Goal("ratings after one more result", 1_000_000, 0.05, "0.14 s", "time"),
)


def quiet(entry: Entry) -> float | None:
    """Give the seconds of a quiet machine, at most: other work makes the clock run on, not the processor."""
    known = [value for value in (entry["seconds"], entry.get("processor")) if value is not None]
    return min(known) if known else None


def judge(goal: Goal, entries: list[Entry]) -> Judged:
    """Hold a goal against what was measured."""
    at = {(e["job"], e["size"], e["side"]): e for e in entries}
    ours = at.get((goal.job, goal.size, goal.side))
    label = goal.job + (f" ({goal.side.split(', ')[1]})" if ", " in goal.side else "")
    if ours is None:
        return Judged(goal, label, "not in this run", None)
    label += f": {ours['label']}"
    if ours["failure"]:
        return Judged(goal, label, ours["failure"], None)
    theirs = at.get((goal.job, goal.size, goal.against))
    if goal.against and (theirs is None or theirs["failure"] or theirs["agrees"] is False):
        return Judged(goal, label, f"no time of {goal.against} to compare with", None)
    value, words = _value(goal, ours, theirs)
    if value is None:
        return Judged(goal, label, "not measured", None)
    return Judged(goal, label, words, value >= goal.limit if goal.unit in ("peer", "rate") else value <= goal.limit)


def _value(goal: Goal, ours: Entry, theirs: Entry | None) -> tuple[float | None, str]:
    if goal.unit == "peer" and theirs is not None:
        value = theirs["seconds"] / ours["seconds"]
        return value, f"{value:.2g} x"
    if goal.unit == "floor" and theirs is not None:
        value = (ours["processor"] or ours["seconds"]) / (theirs["processor"] or theirs["seconds"])
        return value, f"{value:.1f} x"
    if goal.unit == "extra" and theirs is not None:
        value = ours["processor"] - theirs["processor"]
        return value, f"{value:+.2f} s"
    if goal.unit == "growth":
        return ours["exponent"], f"size^{ours['exponent'] or 0:.2f}"
    if goal.unit == "memory":
        return ours["memory"], f"{ours['memory'] or 0:,.0f} MiB"
    if goal.unit == "rate":
        return goal.size / ours["seconds"], f"{goal.size / ours['seconds']:,.0f} a second"
    time = quiet(ours)
    if goal.unit == "each":
        return (None, "") if time is None else (time / goal.size, f"{1000 * time / goal.size:.2f} ms each")
    if goal.unit == "cpu":
        return ours["processor"], f"{ours['processor'] or 0:.2f} s"
    return time, f"{time or 0:.2f} s"
