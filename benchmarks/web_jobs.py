"""An arena over HTTP: games asked for and reported by workers on the same machine, beside a bare server.

64 and 256 workers, over both stores, while pages watch: ``make bench-web``.
"""

from collections.abc import Callable

from benchmarks.arena_jobs import same_count
from benchmarks.job import Answer, Job, Side
from benchmarks.web_load import drive
from benchmarks.web_served import Served

__all__ = ["JOBS"]

WORKERS = 16


def reported(together: int) -> Callable[[tuple[Served, int]], Answer]:
    """Report and ask in turns until so many results count."""

    def run(prepared: tuple[Served, int]) -> Answer:
        served, results = prepared
        # The last answers come together.
        return {"counted": min(drive(served, WORKERS, together, results=results).counted, results)}

    return run


def job(together: int) -> Job:
    sides = (
        Side(
            "equipoise", reported(together), lambda results: (Served("ours"), results),
            "reported and asked for in a turn",
        ),
        Side("bare FastAPI", reported(1), lambda results: (Served("bare"), results), "a row and a durable commit each"),
    )  # fmt: skip
    sizes = (512, 1_024, 2_048)
    words = f"results over HTTP, {WORKERS} workers" + ("" if together == 1 else f", {together} at once")
    return Job(words, int, sides, sizes, sizes[:2], lambda n: f"{n:,} results", same_count, grows=False)


JOBS = (job(1), job(8))
