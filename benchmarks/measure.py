"""Run a job: every side in its process, answers compared, repeats interleaved, no more time than is given."""

import math
import multiprocessing
import os
import signal
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.job import Job, Side
from benchmarks.worker import serve

__all__ = ["Contestant", "Limits", "Record", "exponent", "left_out", "measure"]

CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Limits:
    """How long a run may take.

    Attributes
    ----------
    repeats
        Warm repeats of each side and size.
    call
        Seconds after which a call is given up; the side then sits out the larger sizes. A side that needs more at the
        next size if its cost grows on as it did is not asked.
    slow
        Seconds of one call beyond which it is not repeated.
    share
        Seconds of a whole job beyond which nothing in it is repeated.
    minutes
        Of the whole run; jobs whose turn comes later are left out, and the page says so.
    loading
        Seconds that making the data may take.
    """

    repeats: int
    call: float
    slow: float
    share: float
    minutes: float
    loading: float = 120.0


@dataclass
class Record:
    """What came of one side at one size."""

    job: str
    size: int
    label: str
    side: str
    note: str
    cold: float | None = None
    warm: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: float | None = None
    load: float | None = None
    agreement: str = ""
    agrees: bool | None = None
    failure: str = ""
    commit: str = ""

    @property
    def seconds(self) -> float | None:
        """Median of the warm times, or the single run of a slow side."""
        return statistics.median(self.warm) if self.warm else self.cold

    @property
    def processor(self) -> float | None:
        """Seconds of processor, of all threads: the least of the repeats, which other work disturbs least."""
        return min(self.cpu) if self.cpu else None


class Contestant:
    """A side in its own process."""

    def __init__(self, module: str, job: Job, side: Side, until: float = math.inf) -> None:
        self.side, self.out, self.until = side, "", until
        self.past: list[tuple[int, float]] = []
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=serve, args=(theirs, module, job.name, side.name), daemon=True)
        self.process.start()

    def ask(self, command: str, value: Any, limit: float) -> dict[str, Any]:
        """Send a command and wait for the reply; a side that fails or takes too long is out."""
        if self.out:
            return {"error": self.out}
        limit = max(0.0, min(limit, self.until - time.perf_counter()))
        try:
            self.pipe.send((command, value))
            reply = self.pipe.recv() if self.pipe.poll(limit) else {"error": f"given up after {limit:.0f} s"}
        except (EOFError, BrokenPipeError):
            reply = {"error": "the process died"}
        if "error" in reply:
            self.out = reply["error"]
            self.kill()
        return reply

    def expects(self, size: int) -> float:
        """Seconds at a larger size at the growth of the last two, at least as its root; after one size, no less."""
        if not self.past:
            return 0.0
        last, seconds = self.past[-1]
        power = 0.0
        if len(self.past) > 1:
            before, earlier = self.past[-2]
            power = max(0.5, math.log(seconds / earlier) / math.log(last / before))
        return float(seconds * (size / last) ** power)

    def leave(self) -> None:
        """End the process."""
        if self.process.is_alive() and not self.out:
            self.pipe.send(("stop", None))
        self.process.join(5)
        if self.process.is_alive():
            self.kill()

    def kill(self) -> None:
        """End the process and the commands that it runs."""
        try:
            if self.process.pid is not None:
                os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:  # it has not come as far as to have a group of its own
            self.process.kill()


def measure(module: str, job: Job, sizes: tuple[int, ...], limits: Limits, until: float = math.inf) -> list[Record]:
    """Measure all sides of a job at all sizes; ``until`` is when the whole run ends, on ``time.perf_counter``."""
    start = time.perf_counter()
    contestants = [Contestant(module, job, side, until) for side in job.sides]
    records: list[Record] = []
    try:
        for size in sizes:
            first = size == sizes[0]
            records += _at_size(job, size, contestants, limits, first, repeat_until=start + limits.share)
            if not job.grows:  # one case says nothing about the next
                contestants = [c if not c.out else Contestant(module, job, c.side, until) for c in contestants]
                for contestant in contestants:
                    contestant.past.clear()
    finally:
        for contestant in contestants:
            contestant.leave()
    return records


def left_out(job: Job, sizes: tuple[int, ...], why: str) -> list[Record]:
    """Give the records of a job that was not run."""
    return [Record(job.name, n, job.label(n), side.name, side.note, failure=why) for n in sizes for side in job.sides]


def _at_size(
    job: Job, size: int, contestants: list[Contestant], limits: Limits, first: bool, repeat_until: float
) -> list[Record]:
    load = os.getloadavg()[0]
    records = [Record(job.name, size, job.label(size), c.side.name, c.side.note, load=load) for c in contestants]
    answers: list[Any] = []
    opening: dict[str, float] = {}
    for contestant, record in zip(contestants, records, strict=True):
        if not contestant.out and contestant.expects(size) > limits.call:
            contestant.out = f"not run: about {contestant.expects(size):,.0f} s or more, to judge by the sizes before"
        loaded = contestant.ask("load", size, limits.loading)
        # The first call also imports the library and compiles.
        limit = 2 * limits.call if first else limits.call
        reply = contestant.ask("run", True, limit) if "error" not in loaded else loaded
        answers.append(reply.get("answer"))
        if "error" in reply:
            record.failure = reply["error"]
            continue
        record.cold = reply["seconds"] if first else None
        record.cpu.append(reply["cpu"])
        opening[contestant.side.name] = reply["seconds"]
        record.memory = reply["added"] / 2**20 if reply["added"] is not None else None
    for _ in range(limits.repeats):
        for contestant, record in zip(contestants, records, strict=True):
            # The first call of a size may load what smaller sizes do without: it says little about the next.
            slow = record.warm[-1] > limits.slow if record.warm else opening.get(record.side, 0.0) > 4 * limits.slow
            late = time.perf_counter() > repeat_until and bool(record.warm or not first)
            if not (record.failure or slow or contestant.side.once or late):
                reply = contestant.ask("run", False, limits.call)
                record.failure = reply.get("error", "")
                record.warm += [reply["seconds"]] if "seconds" in reply else []
                record.cpu += [reply["cpu"]] if "cpu" in reply else []
    for contestant, record in zip(contestants, records, strict=True):
        if not (first or record.warm or record.side not in opening):
            record.warm.append(opening[record.side])
        contestant.past += [] if record.seconds is None else [(size, record.seconds)]
    _compare(job, records, answers)
    return records


def _compare(job: Job, records: list[Record], answers: list[Any]) -> None:
    for record, answer in zip(records[1:], answers[1:], strict=True):
        if answer and answers[0]:  # a floor that only goes through the motions has no answer
            record.agrees, record.agreement = job.agree(answers[0], answer)


def exponent(records: list[Record], side: str) -> float | None:
    """Fit cost ~ size^e to a side's times by least squares on logarithms."""
    points = [(math.log(r.size), math.log(r.seconds)) for r in records if r.side == side and r.seconds]
    if len(points) < 2:
        return None
    x, y = zip(*points, strict=True)
    mx, my = statistics.fmean(x), statistics.fmean(y)
    spread = sum((a - mx) ** 2 for a in x)
    return sum((a - mx) * (b - my) for a, b in points) / spread if spread else None
