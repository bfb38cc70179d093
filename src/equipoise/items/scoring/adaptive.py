"""Adaptive testing: ask the item that tells most about this agent, until enough is known."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import check, check_options, choice, generator, number, positive, whole
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option
from equipoise.items.models.models import information, log_probabilities
from equipoise.items.models.responses import from_counts
from equipoise.items.scoring.ability import scoring_grid
from equipoise.items.scoring.calibration import Calibration
from equipoise.items.scoring.uncertainty import variance_from_items

_LIMITS = {
    "stderr": positive(none=True),
    "length": whole(1, none=True),
    "least": whole(1),
    "better_than": number(strictly=True, none=True),
    "better_than_se": number(0.0),
    "level": number(0.5, 1.0, strictly=True),
}


@dataclass(frozen=True, slots=True)
class Question:
    """The item to ask next, and why."""

    item: str
    why: str


@dataclass(frozen=True, slots=True)
class TestLimits:
    """When enough is known and an adaptive test ends; whichever comes first.

    Parameters
    ----------
    stderr
        Stop when the ability's standard error is at most this.
    length
        Stop after so many answers.
    least
        Ask at least so many.
    better_than
        Decide whether the agent is abler than this ability ...
    better_than_se
        ... which is itself known up to this standard error (0 for a fixed bar) ...
    level
        ... with this posterior probability.
    """

    stderr: float | None = None
    length: int | None = None
    least: int = 1
    better_than: float | None = None
    better_than_se: float = 0.0
    level: float = 0.95

    # pytest takes a class whose name begins with Test for one of tests, and warns that it has a constructor.
    __test__: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_options(_LIMITS, asdict(self))


class AdaptiveTest:
    """Propose items and take answers; never run the agent.

    Parameters
    ----------
    calibration
        Items with known parameters.
    stop
        When to stop; by default at a standard error of 0.3.
    select
        ``information``: the item with the most information at the current estimate. ``balanced``: the same
        within the content group that is furthest behind its share of the bank. ``random``: any item, for comparison.
    content
        Item to content group, for ``balanced``.
    rng
        Seed or generator, for ``random``.

    Notes
    -----
    The estimate is the posterior mean under N(0, 1), or the spread that the calibration gives (``ability_sd``). What is
    not known of the items is in the error and the decision where the calibration has it. A posterior may be looked at
    after every answer: its probabilities mean the same whenever one stops, given that prior.

    Examples
    --------
    >>> from equipoise.items.scoring.calibration import Calibration
    >>> bank = Calibration.from_parameters(["easy", "middle", "hard"], difficulty=[-2, 0, 2], discrimination=1.5)
    >>> test = AdaptiveTest(bank, stop=TestLimits(length=2))
    >>> test.ask().item
    'middle'
    >>> test.tell("middle", 1)
    >>> test.ask().item, round(test.ability, 2)
    ('hard', 0.53)
    """

    def __init__(
        self,
        calibration: Calibration,
        *,
        stop: TestLimits | None = None,
        select: Literal["information", "balanced", "random"] = "information",
        content: Mapping[str, str] | None = None,
        rng: int | np.random.Generator = 0,
    ) -> None:
        if not isinstance(calibration, Calibration):
            kind = type(calibration).__name__
            raise DataError(
                f"an adaptive test takes a calibration (irt(...).calibration(), load_calibration), not {kind}"
            )
        check(choice("information", "balanced", "random"), "select", select)
        self.calibration = calibration
        self.stop = TestLimits(stderr=0.3) if stop is None else stop
        self._select = select
        self._groups = _content_groups(calibration, content, select)
        self._rng = generator(rng)
        self._items = calibration.parameters
        self._guessing = bool(self._items.guessing.any())
        spread = calibration.ability_sd
        grid = scoring_grid(self._items._replace(slope=self._items.slope * spread))
        self._nodes = spread * grid.nodes
        self._counts = np.zeros((2, len(calibration.items)))  # successes and trials so far
        self._from_items = 0.0
        self._log_posterior: FloatArray = grid.log_weights.copy()
        self._left: NDArray[np.bool_] = np.ones(len(calibration.items), dtype=bool)
        self._log: list[dict[str, object]] = []
        self._pending: tuple[Question, int] | None = None
        self._update()

    @property
    def ability(self) -> float:
        """Posterior mean."""
        return self._ability

    @property
    def stderr(self) -> float:
        """Posterior deviation, with what is not known of the items."""
        return self._stderr

    @property
    def answered(self) -> int:
        """How many answers were given."""
        return len(self._log)

    @property
    def decision(self) -> float | None:
        """Posterior probability that the agent is abler than ``better_than``; None if none was given."""
        bar = self.stop.better_than
        if bar is None:
            return None
        blur = float(np.hypot(self.stop.better_than_se, self._from_items))
        if blur == 0:
            above = (self._nodes > bar) + 0.5 * (self._nodes == bar)
        else:
            above = scipy.special.ndtr((self._nodes - bar) / blur)
        return float(self._posterior @ above)

    @property
    def reason(self) -> str | None:
        """Why the test is over; None while it is not."""
        stop = self.stop
        if not self._left.any():
            return "no items left"
        if self.answered < stop.least:
            return None
        if stop.length is not None and self.answered >= stop.length:
            return f"{self.answered} answers given"
        if stop.stderr is not None and self.stderr <= stop.stderr:
            return f"standard error {self.stderr:.3f} is at most {stop.stderr:g}"
        chance = self.decision
        if chance is not None and max(chance, 1 - chance) >= stop.level:
            side = "above" if chance > 0.5 else "below"
            return f"ability is {side} {stop.better_than:g} with probability {max(chance, 1 - chance):.3f}"
        return None

    @property
    def done(self) -> bool:
        """Whether the test is over."""
        return self.reason is not None

    def ask(self) -> Question:
        """Propose the next item (the same one until it is answered).

        Fails when
            the test is over and no item is left.
        """
        if self._pending is None:
            if not self._left.any():
                raise DataError("no items left to ask")
            self._pending = self._choose()
        return self._pending[0]

    def skip(self, item: str) -> None:
        """Leave an item out that cannot be asked, or whose answer was lost; it says nothing about the agent.

        Fails when
            the item is unknown or was answered before.
        """
        self._left[self._open(item)] = False
        self._pending = None

    def is_open(self, item: str) -> bool:
        """Whether an item was neither answered nor left out; False for one that is no item."""
        return item in self.calibration.items and bool(self._left[self.calibration.items.index(item)])

    def tell(self, item: str, outcome: float, trials: int = 1) -> None:
        """Record an answer: 1 or 0, or the number of successes in ``trials``; any item of the bank may be answered.

        Fails when
            the item is unknown or was answered before, or there are more successes than trials.
        """
        place, why = self._open(item), "answered without being asked"
        if self._pending is not None and self._pending[0].item == item:
            why = self._pending[0].why
        check(whole(1), "trials", trials)
        if outcome not in range(trials + 1):
            raise DataError(f"an outcome is 0 or 1, or a count of at most {trials} successes, not {outcome}")
        success, failure = log_probabilities(self._nodes, self._items.take(slice(place, place + 1)))
        self._log_posterior += outcome * success[0] + (trials - outcome) * failure[0]
        self._counts[:, place] = outcome, trials
        self._left[place] = False
        self._pending = None
        self._update()
        entry = {"item": item, "outcome": float(outcome), "why": why}
        self._log.append(entry | {"ability": self._ability, "stderr": self._stderr})

    def _open(self, item: str) -> int:
        """Give the place of an item that can still be answered."""
        if self._pending is not None and self._pending[0].item == item:
            return self._pending[1]
        if item not in self.calibration.items:
            raise ParameterError(f'no item "{item}" in the calibration{did_you_mean(item, self.calibration.items)}')
        place = self.calibration.items.index(item)
        if not self._left[place]:
            raise ParameterError(f'item "{item}" was answered before')
        return place

    def history(self) -> "pl.DataFrame":
        """Give the answers in order, with the estimate after each and why it was asked."""
        columns = ("item", "outcome", "ability", "stderr", "why")
        return pl.DataFrame({name: [entry[name] for entry in self._log] for name in columns})

    def _update(self) -> None:
        """Renew what is known of the ability: once an answer, since it is looked at several times."""
        weights: FloatArray = np.exp(self._log_posterior - self._log_posterior.max())
        weights /= weights.sum()
        self._posterior = weights
        self._ability = float(weights @ self._nodes)
        variance = float(weights @ (self._nodes - self._ability) ** 2)
        if self.calibration.uncertainty is not None:
            answers = from_counts(self._counts[:1], self._counts[1:])
            here, known = np.array([self._ability]), np.array([variance])
            more = variance_from_items(answers, self._items, here, known, self.calibration.uncertainty)
            self._from_items = float(np.sqrt(more[0]))
        self._stderr = float(np.hypot(np.sqrt(variance), self._from_items))

    def _choose(self) -> tuple[Question, int]:
        """Return the next question and the item's place in the bank."""
        items = self.calibration.items
        if self._select == "random":
            drawn = int(self._rng.choice(np.flatnonzero(self._left)))
            return Question(items[drawn], "drawn at random"), drawn
        allowed, note = (self._left, "") if self._groups is None else self._behind()
        gain = self._gain()
        gain[~allowed] = -1.0
        best = int(gain.argmax())
        why = f"most information ({gain[best]:.3f}) at ability {self._ability:.2f}; difficulty"
        return Question(items[best], f"{why} {self.calibration.difficulty[best]:.2f}{note}"), best

    def _gain(self) -> FloatArray:
        """Return every item's information at the current estimate."""
        if self._guessing:
            return information(np.array([self._ability]), self._items)[:, 0]
        e = np.exp(-np.abs(self._items.slope * self._ability + self._items.intercept))
        gain: FloatArray = e * (self._items.slope / (1.0 + e)) ** 2  # a^2 P (1 - P)
        return gain

    def _behind(self) -> tuple[NDArray[np.bool_], str]:
        """Return which items are open in the content group that is furthest behind its share of the bank."""
        assert self._groups is not None
        names = sorted(set(self._groups))
        code = np.array([names.index(group) for group in self._groups])
        share = np.bincount(code, minlength=len(names)) / len(code)
        asked = np.bincount(code[~self._left], minlength=len(names))
        lag = share * (self.answered + 1) - asked
        lag[np.bincount(code[self._left], minlength=len(names)) == 0] = -np.inf
        group = int(np.argmax(lag))
        note = f"; content {names[group]} ({asked[group]} of {self.answered} so far, {share[group]:.0%} of the bank)"
        return self._left & (code == group), note


def _content_groups(calibration: Calibration, content: Mapping[str, str] | None, select: str) -> tuple[str, ...] | None:
    if select != "balanced":
        if content is not None:
            raise ParameterError(Option("content"), " is used with ", Option("select", "balanced"), " only")
        return None
    if content is None:
        mapping = ": a mapping of item to content group"
        raise ParameterError(Option("select", "balanced"), " needs ", Option("content"), mapping)
    missing = [item for item in calibration.items if item not in content]
    if missing:
        raise DataError(f"no content group for {some_of(missing)}")
    return tuple(str(content[item]) for item in calibration.items)
