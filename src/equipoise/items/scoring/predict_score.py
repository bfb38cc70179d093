"""Predict the whole from a part: a benchmark's score from answers to some of its items."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.scores import Scores
from equipoise.items.models.models import Items, probability
from equipoise.items.models.prepare import to_responses
from equipoise.items.models.responses import from_counts
from equipoise.items.result import IRT
from equipoise.items.scoring.ability import estimate_abilities
from equipoise.items.scoring.anchors import CHOSEN, Chosen, predict_chosen
from equipoise.items.scoring.calibration import FINITE, Calibration

KINDS = {
    "random": "cross-fitted control variate", "stratified": "stratified difference",
    "information": "model (given the calibration)",
}  # fmt: skip
"""What intervals are, by how items were chosen."""
_LEAST_ANSWERS = 10
_FAR_OUT = 4.5
"""Standard errors that a random part's mean difficulty is not off the whole's."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Predicted(Result):
    """Score on the whole benchmark, from a random part of it.

    Attributes
    ----------
    score, stderr, low, high
        Estimated share of all items solved, with its interval.
    plain, plain_stderr
        The same without the model: the share of the answered items solved.
    answered
        How many items each agent answered.
    saving
        How many times as many answers the plain share would need for the same error.
    n_items
        How many items the whole benchmark has.
    calibrated
        The fit of the items, where they were fitted for it; None where a calibration was given.
    calibrated_on
        Whose answers the items were calibrated on, in words; None where nobody says.
    """

    main: ClassVar[str] = "score"
    in_summary: ClassVar[tuple[str, ...]] = ("n_items", "interval", "calibrated_on")

    agents: tuple[str, ...]
    score: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    plain: FloatArray
    plain_stderr: FloatArray
    answered: FloatArray
    saving: FloatArray
    n_items: int
    interval: Interval
    calibrated: IRT | None = None
    calibrated_on: str | None = None

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first."""
        names = ("score", "stderr", "low", "high", "plain", "plain_stderr", "answered", "saving")
        table = pl.DataFrame({"agent": list(self.agents)} | {name: getattr(self, name) for name in names})
        return table.sort(pl.col("score").fill_nan(None), descending=True, nulls_last=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who would score best and how sure that is, then what was answered and what the model is worth."""
        known = ~np.isnan(self.score)
        if not known.any():
            return ()
        return (self._best(np.flatnonzero(known)), *self._worth(known))

    def _best(self, known: npt.NDArray[np.intp]) -> str:
        best = int(known[np.argmax(self.score[known])])
        ends = f"{100 * self.interval.level:g}% interval {self.low[best]:.1%} to {self.high[best]:.1%}"
        said = f"{self.agents[best]} would solve {self.score[best]:.1%} of all {self.n_items:,} items ({ends})"
        if len(known) == 1:
            return f"{said}."
        near = int((self.high[known] >= self.low[best]).sum()) - 1
        others = f"the best of {len(known)} agents"
        close = {0: "no other interval reaches up to it", 1: "the interval of one other overlaps with it"}
        return f"{said}, {others}; {close.get(near, f'the intervals of {near} others overlap with it')}."

    def _worth(self, known: npt.NDArray[np.bool_]) -> tuple[str, ...]:
        part = f"{np.median(self.answered[known]):g} of {self.n_items} items were answered (median agent)."
        saving = self.saving[known & np.isfinite(self.saving)]
        if not len(saving):
            return (part,)
        times = float(np.median(saving))
        worth = f"For the same error without the model it would take {times:.2f} times as many answers (median agent)."
        return (part, worth if times > 1.0 else "The model does not help: plain shares are as precise.")


@method(
    takes="scores",
    answers="What would an agent score on the whole benchmark, given its answers to a random part?",
    reference="Cochran (1977), difference estimation; Wager et al. (2016), cross-fitting",
    checks={"threshold": FINITE, "folds": whole(2), "chosen": CHOSEN},
    resampled="its interval is that of a random part of the items already",
)
def predict(
    data: Scores,
    calibration: Calibration,
    *,
    threshold: float | None = None,
    chosen: Chosen = "random",
    folds: int = 10,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Predicted:
    r"""What would this agent score on all items, given its answers to a random part of them?

    The model's prediction is used as a control variate, not believed: with :math:`g_i` the predicted chance
    on item i,

    .. math:: \hat\mu = \frac1M\sum_{i=1}^{M} g_i + \frac1m\sum_{i \in S} (x_i - g_i)

    which is right on average whatever g is, because S is a random part of the whole, and whose error is that
    of the residuals x - g rather than of x. The ability behind g is fitted on other answers than those it is
    compared with (``folds``), or the prediction would have peeked. The error is that of the residuals, or what the
    model admits, whichever is larger.

    Parameters
    ----------
    data
        Answers; NaN where an item was not given to the agent. The items an agent got must be a simple random
        sample of the calibration's items: easy ones first would mislead.
    calibration
        All the items of the benchmark, calibrated on other agents; also those that all of them solved or failed
        (``Calibration.constant``).
    threshold
        As for :func:`irt`; by default the calibration's.
    chosen
        How the items that agents answered were chosen: ``random``, or as :func:`anchor_items` chooses.
    folds
        Parts for cross-fitting.
    level
        Of the t interval, with the finite-population correction.
    rng
        Seed or generator for the folds.

    Fails when
        an agent answered fewer than ten items, or cells hold several trials.

    References
    ----------
    Cochran (1977), Sampling Techniques, chapter 7; Wager, Du, Taylor and Tibshirani (2016), PNAS 113.

    Examples
    --------
    >>> import numpy as np
    >>> from equipoise import Scores
    >>> from equipoise.items.scoring.calibration import Calibration
    >>> names = [f"item {k}" for k in range(100)]
    >>> bank = Calibration.from_parameters(names, difficulty=np.linspace(-2, 2, 100), discrimination=3.0)
    >>> truth = bank.probability(0.5) > 0.5
    >>> part = np.where(np.random.default_rng(1).permutation(100) < 40, truth.astype(float), np.nan)
    >>> whole = predict(Scores.from_matrix([part], tasks=names), bank)
    >>> bool(whole.low[0] <= truth.mean() <= whole.high[0]), bool(whole.stderr[0] < whole.plain_stderr[0])
    (True, True)
    """
    if not isinstance(calibration, Calibration):
        made = " is a Calibration (irt(...).calibration(), load_calibration), not "
        raise ParameterError(Option("calibration"), f"{made}{type(calibration).__name__}")
    calibration = calibration.whole
    matched, notes = calibration.match(data)
    cut = calibration.threshold if threshold is None else threshold
    responses = to_responses(matched, cut)
    if responses.trials is not None and int(responses.trials.max()) > 1:
        raise DataError("predicting the whole needs one trial per cell; average the trials' predictions instead")
    place = {item: k for k, item in enumerate(calibration.items)}
    where = np.array([place[task] for task in matched.tasks])
    given, items, draws = ~matched.missing, calibration.parameters, generator(rng)
    rows = [
        _predict_one(responses.successes[j].astype(np.float64)[given[j]], where[given[j]], items, chosen, folds, draws)
        for j in range(len(data.agents))
    ]
    score, stderr, plain, plain_stderr, answered, degrees = np.array(rows).T
    notes += _few_notes(data, answered) + (
        _part_notes(data, given, where, items) if chosen == "random" else _chosen_notes(chosen)
    )
    half = scipy.special.stdtrit(np.maximum(degrees, 1.0), 0.5 + level / 2) * stderr
    with np.errstate(invalid="ignore", divide="ignore"):
        saving = (plain_stderr / stderr) ** 2
    return Predicted(
        agents=data.agents, score=frozen(score), stderr=frozen(stderr),
        low=frozen(np.clip(score - half, 0.0, 1.0)), high=frozen(np.clip(score + half, 0.0, 1.0)),
        plain=frozen(plain), plain_stderr=frozen(plain_stderr), answered=frozen(answered),
        saving=frozen(saving), n_items=len(calibration.items),
        interval=Interval(KINDS[chosen], level),
        params=frozen_params(chosen=chosen, folds=folds, threshold=cut, level=level),
        diagnostics=(*data.diagnostics, *notes),
    )  # fmt: skip


def _few_notes(data: Scores, answered: FloatArray) -> list[Diagnostic]:
    few = [data.agents[j] for j in np.flatnonzero(answered < _LEAST_ANSWERS)]
    if not few:
        return []
    text = f"Fewer than {_LEAST_ANSWERS} answers from {some_of(few)}: no score is predicted."
    return [warning("few-answers", text, few)]


def _chosen_notes(chosen: Chosen) -> list[Diagnostic]:
    """Warn of what the model alone says: items that were never asked may differ from what it expects."""
    if chosen != "information":
        return []
    text = (
        "The interval holds only as far as the calibration fits: of agents of a real benchmark that were held back such"
        " intervals covered 68% instead of 95%."
    )
    advice = [Advice("choose items by strata, which are as precise, with ", Option("chosen", "stratified"))]
    return [warning("chosen-by-information", text, advice=advice)]


def _part_notes(data: Scores, given: npt.NDArray[np.bool_], where: FloatArray, items: Items) -> list[Diagnostic]:
    """Name agents whose items are easier or harder than a random part of the whole would ever be.

    The mean rank of difficulty in a random part is nearly normal; so far out it is once in 100,000 agents.
    """
    whole = len(items.slope)
    rank = scipy.stats.rankdata(-probability(np.zeros(1), items)[:, 0])[where]
    count = given.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = (given @ rank / count - (whole + 1) / 2) / np.sqrt((whole + 1) * (whole - count) / (12.0 * count))
    off[(count < _LEAST_ANSWERS) | (count == whole)] = 0.0
    notes = []
    for than, names in (("easier", np.flatnonzero(off < -_FAR_OUT)), ("harder", np.flatnonzero(off > _FAR_OUT))):
        who = [data.agents[j] for j in names]
        if who:
            text = (
                f"The items that {some_of(who)} answered are {than} than a random part of all items: their predictions"
            )
            notes.append(warning("not-a-random-part", f"{text} may be off by more than the intervals say.", who))
    return notes


def _predict_one(
    answers: FloatArray, where: FloatArray, items: Items, chosen: Chosen, folds: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Return (score, stderr, plain share, its stderr, answers, degrees of freedom) of one agent."""
    m, whole = len(answers), len(items.slope)
    if m < _LEAST_ANSWERS:
        return np.nan, np.nan, np.nan, np.nan, float(m), np.nan
    shrink = max(0.0, 1.0 - m / whole)
    plain_error = float(np.sqrt(shrink * np.var(answers, ddof=1) / m))
    if chosen != "random":
        score, error, degrees = predict_chosen(answers, where.astype(np.intp), items, chosen)
        return score, error, float(answers.mean()), plain_error, float(m), degrees
    fold = rng.permutation(m) % min(folds, m)
    estimates, promised, residuals = [], [], np.empty(m)
    for k in range(int(fold.max()) + 1):
        inside, outside = fold == k, fold != k
        chance = _prediction(answers[outside], where[outside], items)
        residuals[inside] = answers[inside] - chance[where[inside]]
        # Given the other folds, this one is a random sample of the items those did not use.
        unused = np.ones(whole, dtype=bool)
        unused[where[outside]] = False
        rest = chance[unused].mean() + residuals[inside].mean()
        promised.append(float(np.mean(chance[unused] * (1.0 - chance[unused]))))
        estimates.append((answers[outside].sum() + unused.sum() * rest) / whole)
    # A few answers may all be as predicted; the error is then taken to be what the model itself admits.
    spread = float(np.sqrt(max(np.mean(residuals**2) * m / (m - 1.0), np.mean(promised))))
    share = float(answers.mean())
    return float(np.mean(estimates)), float(np.sqrt(shrink / m)) * spread, share, plain_error, float(m), m - 1.0


def _prediction(answers: FloatArray, where: FloatArray, items: Items) -> FloatArray:
    """Return every item's predicted chance at the ability these answers suggest."""
    known = items.take(where.astype(np.intp))
    ability = estimate_abilities(from_counts(answers[None, :]), known).estimate
    return probability(ability, items)[:, 0]
