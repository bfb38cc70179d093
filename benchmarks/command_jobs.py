"""The command line at the sizes people start with: from the key to the answer on the terminal."""

import atexit
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.command import command_sides, started_floor
from benchmarks.job import Job, Side

__all__ = ["JOBS", "folder"]


def folder() -> Path:
    """Give a folder that is gone when the process ends."""
    place = Path(tempfile.mkdtemp(prefix="bench-"))
    atexit.register(shutil.rmtree, place, True)
    return place


def battles(path: Path) -> None:
    """A thousand matches of six agents, with ties."""
    rng = random.Random(0)
    rows = []
    for _ in range(1_000):
        a, b = rng.sample(range(6), 2)
        words = ("model_a", "model_b", "tie")
        rows.append(f"model-{a},model-{b},{rng.choices(words, (3 + b, 3 + a, 1))[0]}\n")
    path.write_text("model_a,model_b,winner\n" + "".join(rows), encoding="utf-8")


def runs(path: Path) -> None:
    """Eighteen agents on eighteen tasks, five runs each."""
    rng = random.Random(1)
    skill = {(a, t): rng.gauss(a / 10, 1) for a in range(18) for t in range(18)}
    rows = [
        f"agent-{a:02d},task-{t:02d},{run},{skill[a, t] + rng.gauss(0, 0.5):.4f}\n"
        for a in range(18)
        for t in range(18)
        for run in range(5)
    ]
    path.write_text("agent,task,trial,score\n" + "".join(rows), encoding="utf-8")


def answers(path: Path) -> None:
    """Eighty agents on four hundred items, right or wrong."""
    from math import exp

    rng = random.Random(2)
    items = [(rng.lognormvariate(0, 0.3), rng.gauss(0, 1)) for _ in range(400)]
    lines = ["agent," + ",".join(f"item-{j:03d}" for j in range(400))]
    for k in range(80):
        ability = rng.gauss(0, 1)
        right = (int(rng.random() < 1 / (1 + exp(-a * (ability - b)))) for a, b in items)
        lines.append(f"agent-{k:02d}," + ",".join(map(str, right)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


CASES: tuple[tuple[str, tuple[str, ...], Callable[[Path], None] | None], ...] = (
    ("--version", ("--version",), None),
    ("--help", ("--help",), None),
    ("rank: 1,000 rows, 6 agents", ("rank", "{file}"), battles),
    ("tasks: 18 x 18 x 5", ("tasks", "{file}"), runs),
    ("irt: 80 x 400", ("irt", "{file}"), answers),
    ("report: 1,000 rows, 6 agents", ("report", "{file}", "-o", "{page}"), battles),
    ("report: 18 x 18 x 5", ("report", "{file}", "-o", "{page}"), runs),
    ("report: 80 x 400", ("report", "{file}", "-o", "{page}"), answers),
)
"""What is typed, and who writes the file that it reads."""


def typed(case: int) -> list[str]:
    """Give the arguments of a case, its file written."""
    _, words, write = CASES[case - 1]
    place = folder()
    if write is not None:
        write(place / "table.csv")
    return [word.format(file=place / "table.csv", page=place / "page.html") for word in words]


def _no_answer(*_: Any) -> tuple[bool, str]:
    return True, ""


START = Side("python", started_floor, note="start Python, do nothing")
IRT = "of irt, imports take half, the fit a third, intervals of generality (500 bootstrap samples of the items) a tenth"
REPORT = "of 80 x 400, charts take half (a JavaScript engine starts, and draws each for two widths), imports a fifth"
JOBS = (
    Job(
        "the command line",
        typed,
        (*command_sides(lambda words: words, cold=True, note=IRT), START),
        (1, 2, 3, 4, 5),
        (1, 2, 3, 4),
        lambda case: CASES[case - 1][0],
        _no_answer,
        floor="python",
        grows=False,
    ),
    Job(
        "the command line: a page with charts",
        typed,
        (*command_sides(lambda words: words, note=REPORT), START),
        (6, 7, 8),
        (6, 7),
        lambda case: CASES[case - 1][0],
        _no_answer,
        floor="python",
        grows=False,
    ),
)
