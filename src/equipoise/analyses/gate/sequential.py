"""A gate that may be looked at after every result: samples in random order, counted in the order of their schedule.

A bettor stakes on "the mean difference is above the limit", another on "below"; each starts with one unit, and the
probability that it ever reaches 2 / (1 - level) although its claim is false is at most (1 - level) / 2
(:mod:`~equipoise.schedule.stopping`). What arrives counts in the order of the schedule, and up to the first task whose
result is still out: results that take longer where answers are wrong would otherwise bend the decision.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from equipoise.analyses.analysis import Origin
from equipoise.analyses.gate.result import Direction, GateResult, GateVerdict
from equipoise.analyses.source import open_source
from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, ParameterError, ReadError, did_you_mean, some_of
from equipoise.core.options import LEVEL, check, choice, generator, number
from equipoise.core.results import FloatArray, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.schedule.stopping import SHARES, log_capital

FORMAT = "equipoise-gate-1"
"""The first key of a state that was saved."""
STEPS = 40
"""Halvings that find an end of the interval."""
Errored = Literal["zero", "void"]


class Gate:
    """Run a new agent task by task, in random order, until it is known to be better or worse than the base.

    Parameters
    ----------
    base
        Scores of the base: a file, a log, a frame, or scores.
    margin, direction, level
        As in :func:`gate`; the margin is in units of the scores.
    base_agent
        Which agent is the base, where there are several.
    score_range
        The least and the greatest score that there can be.
    errored
        What a sample counts that ended in an error: ``zero`` (the least score), or ``void`` (as if it had not been
        scheduled, which is only right where errors have nothing to do with the answer).
    seed
        Of the order in which tasks are scheduled.
    schedule
        Tasks of the base in an order that was drawn at random elsewhere, such as that of a data set that was shuffled;
        drawn here if None.
    read
        Columns, rows and agents of the base's file.

    Examples
    --------
    >>> import equipoise as eq
    >>> base = eq.Scores.from_matrix([[1.0, 0.0] * 100], ["base"])
    >>> gate = eq.Gate(base, margin=0.1)
    >>> while gate.verdict == "undecided" and (tasks := gate.ask(10)):
    ...     for task in tasks:
    ...         gate.tell(task, base.values[0, base.tasks.index(task)])
    >>> gate.verdict, gate.counted < 200
    ('pass', True)
    """

    def __init__(
        self,
        base: Source,
        *,
        margin: float = 0.0,
        direction: Direction = "not-worse",
        level: float = 0.95,
        base_agent: str | None = None,
        score_range: tuple[float, float] = (0.0, 1.0),
        errored: Errored = "zero",
        seed: int = 0,
        schedule: Sequence[str] | None = None,
        read: ReadOptions | None = None,
    ) -> None:
        check(LEVEL, "level", level)
        check(choice("not-worse", "better"), "direction", direction)
        check(choice("zero", "void"), "errored", errored)
        check(number(0.0), "margin", margin)
        scores = open_source(base, ("scores",), read, asked_by="Gate").data
        name = _only_agent(scores, base_agent)
        row = scores.agents.index(name)
        known = {scores.tasks[j]: float(scores.values[row, j]) for j in np.flatnonzero(~scores.missing[row])}
        there = list(known)
        order = [there[k] for k in generator(seed).permutation(len(there))] if schedule is None else list(schedule)
        if unknown := [task for task in order if task not in known]:
            raise DataError(f"{name} has no score of {some_of(unknown, 3)}{did_you_mean(unknown[0], there)}")
        self._take(
            name, {task: known[task] for task in order},
            {
                "margin": margin, "direction": direction, "level": level, "score_range": list(score_range),
                "errored": errored,
            },
        )  # fmt: skip

    def _take(self, base: str, expected: Mapping[str, float], options: Mapping[str, Any]) -> None:
        self.base = base
        self.margin, self.level = float(options["margin"]), float(options["level"])
        self.direction: Direction = options["direction"]
        self.errored: Errored = options["errored"]
        self.score_range: tuple[float, float] = (float(options["score_range"][0]), float(options["score_range"][1]))
        least, most = self.score_range
        if not (math.isfinite(least) and math.isfinite(most) and least < most):
            raise ParameterError(Option("score_range"), " is the least and the greatest score, in this order")
        outside = [task for task, score in expected.items() if not least <= score <= most]
        if outside:
            raise DataError(
                f"{base} has scores outside of {least:g} to {most:g}: {some_of(outside, 3)}",
                advice=[Advice("say what the least and the greatest score are with ", Option("score_range"))],
            )
        if self.direction == "not-worse" and not 0.0 < self.margin < most - least:
            raise ParameterError(
                Option("margin"), f" lies between 0 and {most - least:g}; without one ask whether the new agent is",
                " better, with ", Option("direction", "better"),
            )  # fmt: skip
        self._expected = dict(expected)
        self._told: dict[str, float | None] = {}
        self._asked = 0
        self._passed = 0
        self._games: list[float] = []
        limit = self._limit
        self._bets = [_Bet(limit), _Bet(1.0 - limit)]
        self._decided: GateVerdict = "undecided"

    @property
    def schedule(self) -> tuple[str, ...]:
        """All tasks, in the order in which they count."""
        return tuple(self._expected)

    def ask(self, n: int = 1) -> list[str]:
        """Give the next tasks to run; none once it is decided, or no task is left."""
        if self.verdict != "undecided":
            return []
        waiting = [task for task in self.schedule[self._asked :] if task not in self._told]
        given = waiting[:n]
        if given:
            self._asked = self.schedule.index(given[-1]) + 1
        return given

    def tell(self, task: str, score: float | None) -> None:
        """Say what the new agent scored on a task; None where it ended in an error.

        Fails when
            the base has no such task, the score is out of range, or another score was given before.
        """
        if task not in self._expected:
            raise DataError(f'{self.base} has no task "{task}"{did_you_mean(task, self.schedule)}')
        least, most = self.score_range
        if score is not None and not (math.isfinite(score) and least <= score <= most):
            raise DataError(f"{task}: a score of {score:g} is outside of {least:g} to {most:g}")
        if task in self._told and self._told[task] != score:
            raise DataError(f"{task} was given before with another score")
        self._told[task] = score
        self._count()

    def _count(self) -> None:
        """Let all results count that none before them in the schedule is missing for; a decision stays."""
        schedule, needed = self.schedule, -math.log((1.0 - self.level) / 2.0)
        while self._passed < len(schedule) and schedule[self._passed] in self._told:
            game = self._game(schedule[self._passed])
            self._passed += 1
            if game is None:
                continue
            self._games.append(game)
            for bet, score, claim in zip(self._bets, (game, 1.0 - game), ("pass", "fail"), strict=True):
                if bet.taken(score) >= needed and self._decided == "undecided":
                    self._decided = claim  # type: ignore[assignment]  # one of three words

    def _game(self, task: str) -> float | None:
        """The difference on a task as the score of a game, between 0 and 1; 1/2 is no difference."""
        score, (least, most) = self._told[task], self.score_range
        if score is None and self.errored == "void":
            return None
        return (1.0 + ((least if score is None else score) - self._expected[task]) / (most - least)) / 2.0

    def tell_scores(self, new: Source, *, new_agent: str | None = None, read: ReadOptions | None = None) -> None:
        """Take all that a log, a table or scores hold of the new agent."""
        scores = open_source(new, ("scores",), read, asked_by="Gate").data
        row = scores.agents.index(_only_agent(scores, new_agent))
        for j, task in enumerate(scores.tasks):
            if not scores.missing[row, j] and task in self._expected:
                self.tell(task, float(scores.values[row, j]))

    @property
    def counted(self) -> int:
        """How many results count so far: those before the first that is still out."""
        return len(self._games)

    @property
    def waiting(self) -> int:
        """How many results are there that wait for an earlier one of the schedule."""
        return len(self._told) - self._passed

    @property
    def _limit(self) -> float:
        """The score of a game that stands for a difference at the limit."""
        least, most = self.score_range
        return (1.0 - (self.margin / (most - least) if self.direction == "not-worse" else 0.0)) / 2.0

    @property
    def verdict(self) -> GateVerdict:
        """``pass``, ``fail`` or ``undecided``, by what counts so far; valid however often one looks, and it stays."""
        return self._decided

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence sequence of the mean difference: it holds at all looks together."""
        scores, games = _counted(np.array(self._games))
        needed = -math.log((1.0 - self.level) / 2.0)
        least, most = self.score_range
        low, high = _lower_end(scores, games, needed), 1.0 - _lower_end(1.0 - scores, games, needed)
        return (2.0 * low - 1.0) * (most - least), (2.0 * high - 1.0) * (most - least)

    @property
    def difference(self) -> float:
        """The mean difference of what counts so far; NaN before anything does."""
        least, most = self.score_range
        return (2.0 * float(np.mean(self._games)) - 1.0) * (most - least) if self._games else math.nan

    @property
    def answer(self) -> tuple[str, ...]:
        """The decision so far, its interval, and what is still out."""
        return self.result().answer

    def result(self, following: Sequence[str] = ()) -> GateResult:
        """Give what counts so far in the form of :func:`gate`, its interval a confidence sequence.

        Parameters
        ----------
        following
            The tasks to run next, as :meth:`ask` gave them.
        """
        least, most = self.score_range
        counted = [task for task in self.schedule[: self._passed] if self._game(task) is not None]
        base = np.array([self._expected[task] for task in counted])
        new = base + (2.0 * np.array(self._games) - 1.0) * (most - least)
        low, high = self.interval
        names = (self.base, f"{self.base} (new)")
        notes = () if counted else (info("nothing-counted", "No result counts yet, so there is no difference."),)
        return GateResult(
            data=Scores.from_matrix(np.stack([base, new]), names, counted) if counted else self._scheduled(),
            origin=Origin(), base=self.base, new="the new agent", tasks=tuple(counted), base_score=frozen(base),
            new_score=frozen(new), difference=self.difference, low=low, high=high,
            stderr=float(np.std(new - base, ddof=1) / math.sqrt(len(base))) if len(base) > 1 else math.nan,
            margin=self.margin, direction=self.direction, verdict=self.verdict, runs=1, over="schedule",
            level=self.level, scheduled=len(self._expected), waiting=self.waiting, following=tuple(following),
            params=frozen_params(margin=self.margin, direction=self.direction, level=self.level), diagnostics=notes,
        )  # fmt: skip

    def _scheduled(self) -> Scores:
        return Scores.from_matrix([list(self._expected.values())], [self.base], self._expected)

    def to_dict(self) -> dict[str, Any]:
        """Give the state, to go on later."""
        options = {name: getattr(self, name) for name in ("margin", "direction", "level", "score_range", "errored")}
        told = [{"task": task, "score": score} for task, score in self._told.items()]
        tasks = [{"task": task, "base": score} for task, score in self._expected.items()]
        return {"format": FORMAT, "base": self.base, "options": options, "schedule": tasks, "told": told}

    def save(self, path: str | Path) -> None:
        """Write the state to a file."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "Gate":
        """Go on from a file that ``save`` wrote.

        Fails when
            it is no such file.
        """
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
            if state["format"] != FORMAT:
                raise KeyError(state["format"])
            made = cls.__new__(cls)
            made._take(state["base"], {row["task"]: row["base"] for row in state["schedule"]}, state["options"])
            for row in state["told"]:
                made.tell(row["task"], row["score"])
        except OSError as error:
            raise ReadError(f"cannot read {path}: {error.strerror}") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ReadError(f"{path} is no state of a gate that was saved") from error
        return made


class _Bet:
    """The capital of one bettor, result by result: what :func:`log_capital` gives for all of them."""

    def __init__(self, mean: float) -> None:
        self._mean = mean
        self._stakes = SHARES / mean
        self._growth = np.zeros(SHARES.size)

    def taken(self, score: float) -> float:
        """Take one more score, and give the logarithm of the capital."""
        self._growth += np.log1p(self._stakes * (score - self._mean))
        return float(np.logaddexp.reduce(self._growth) - math.log(SHARES.size))


def _only_agent(scores: Scores, name: str | None) -> str:
    if name is None and len(scores.agents) > 1:
        raise DataError(
            f"there are {len(scores.agents):,} agents here: {some_of(scores.agents)}",
            advice=[Advice("name the one that is meant with ", Option("base_agent"))],
        )
    if name is not None and name not in scores.agents:
        raise DataError(f'no agent is called "{name}"{did_you_mean(name, scores.agents)}')
    return name or scores.agents[0]


def _counted(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distinct scores, and how many games had each."""
    values, games = np.unique(scores, return_counts=True)
    return values, games.astype(np.float64)


def _lower_end(scores: FloatArray, games: FloatArray, needed: float) -> float:
    """The smallest mean that the bets do not refute: the capital falls as the mean that is bet against rises."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if log_capital(scores, games, middle) >= needed else (low, middle)
    return low
