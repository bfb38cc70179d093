"""One line on a terminal while a command takes its time: what it does, how far it is, and how long still.

It stands on standard error, comes when the command has taken a second, and goes before anything is printed. Where
standard error is no terminal there is none.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any

from equipoise.cli.options.invocation import here
from equipoise.core.progress import listening

if TYPE_CHECKING:
    from rich.text import Text


SHORT = 1.0
"""Seconds that a command may take without a word."""
GLANCE = 0.1
"""Seconds of work, once a command has taken longer, for which no line is worth showing."""
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
LONGEST = 28
"""Letters of a file's name that the line shows."""
TURNS = 8.0
"""Pictures of the spinner a second."""


@dataclass(slots=True)
class _Work:
    began: float
    done: int
    total: int | None


@dataclass(slots=True)
class Line:
    """What the line says: the command's own words, and the work that was listed of and is not done.

    >>> ticks = iter([0.0, 0.0, 5.0])
    >>> line = Line("Ranking games.csv", now=lambda: next(ticks))
    >>> line("bootstrap samples", 0, 2000)
    >>> line("bootstrap samples", 500, 2000)
    >>> line.words()
    'Ranking games.csv: bootstrap samples 500 of 2,000, about 15 s left'
    """

    what: str
    now: Callable[[], float] = monotonic
    began: float = field(init=False)
    _works: dict[str, _Work] = field(init=False, default_factory=dict)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        self.began = self.now()

    def __call__(self, work: str, done: int, total: int | None) -> None:
        """Hear how far some work is."""
        with self._lock:
            if total is not None and done >= total:
                self._works.pop(work, None)
            elif work in self._works:
                self._works[work].done, self._works[work].total = done, total
            else:
                self._works[work] = _Work(self.now(), done, total)

    def words(self) -> str:
        """Say all in one line: the outermost work and the innermost one that knows its end."""
        now = self.now()
        with self._lock:
            works = list(self._works.items())
        listed = [(name, work) for name, work in works if work.total is not None] or works[-1:]
        listed = listed if len(listed) < 3 else [listed[0], listed[-1]]
        shown = [f"{name} {work.done:,}{'' if work.total is None else f' of {work.total:,}'}" for name, work in listed]
        if not listed or listed[-1][1].total is None:
            return f"{': '.join([self.what, *shown])}, {_span(now - self.began)} so far"
        last = listed[-1][1]
        left = (now - last.began) / last.done * ((last.total or 0) - last.done) if last.done else None
        return f"{self.what}: {', '.join(shown)}{'' if left is None else f', about {_span(left)} left'}"

    def text(self) -> "Text":
        """Give the line as rich prints it."""
        from rich.text import Text

        turn = SPINNER[int(monotonic() * TURNS) % len(SPINNER)]
        return Text(f"{turn} {self.words()}", style="dim", no_wrap=True, overflow="ellipsis")


def _span(seconds: float) -> str:
    """Give a time in the unit in which it is a number of one or two digits.

    >>> _span(0.4), _span(80), _span(200), _span(9000)
    ('1 s', '80 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def short(file: str | list[str]) -> str:
    """Name a file in few letters, so that how far the work is stays in sight: without its folder, cut in the middle.

    >>> short("/data/battles.csv"), short("-"), short("results_2024-12-23T14-45-44.695233_all.json")
    ('battles.csv', 'standard input', 'results_2024-…5233_all.json')
    """
    if not isinstance(file, str):
        return short(file[0]) if len(file) == 1 else f"{len(file):,} files"
    name = "standard input" if file == "-" else Path(file).name or file
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 + 1 :]}"


class _ShownBar:
    """A line that appears after a while, if nobody was done before."""

    def __init__(self, line: Line, after: float) -> None:
        self._line, self._over, self._lock = line, False, Lock()
        self._live: Any = None
        self._timer = Timer(after, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.live import Live

        with self._lock:
            if not self._over:
                self._live = Live(
                    console=Console(stderr=True), get_renderable=self._line.text, refresh_per_second=TURNS,
                    transient=True, redirect_stdout=False, redirect_stderr=False,
                )  # fmt: skip
                self._live.start(refresh=True)

    def vanish(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._live is not None:
                self._live.stop()


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is being done on a terminal, once the command has taken a second; nothing in a pipe."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    line = Line(what)
    shown = _ShownBar(line, max(GLANCE, SHORT - (monotonic() - here().began)))
    try:
        with listening(line):
            yield
    finally:
        shown.vanish()
