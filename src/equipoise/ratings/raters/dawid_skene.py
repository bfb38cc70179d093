r"""What is true of each item, and how each rater errs (Dawid and Skene 1979).

.. math:: P(\text{votes of item } i) = \sum_k \pi_k \prod_{w} C_w[k, l_{wi}]

An item has one true class; rater w answers l where it is k with probability :math:`C_w[k, l]`. A third of an answer
is added to every cell, without which estimates stick at zeros, and estimates start from shares of votes. Every
permutation of the classes has the same likelihood: the one is taken in which raters are right most often, and where
another is nearly as good there is no answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ConvergenceError, DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Fit, FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.data.types.matches import Matches
from equipoise.data.types.scores import Scores
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.judges.agreement import votes_of

PSEUDO = 1.0 / 3.0
"""Answers that are added to every cell of a rater's table."""
ENOUGH, MOST_STEPS = 1e-9, 20_000
"""Change of every share and chance below which a step has changed nothing, and steps up to which that is waited for."""
MOST_CELLS = 4_000
"""Cells of all raters' tables up to which errors are computed."""
CLEAR = 0.05
"""By how much of all votes the classes must fit their labels better than any other way to name them."""
FEW_VOTES = 10
MOST_CLASSES = 20
SIDES = {0.0: "second", 0.5: "tie", 1.0: "first"}
"""What votes on pairs say, by the score of the side that an item's first vote puts first."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class DawidSkene(Result):
    """True classes and errors of raters.

    Attributes
    ----------
    raters, votes
        Their names, and the votes of each.
    accuracy, low, high
        How often each rater is right about items like these, with intervals one by one.
    classes, share, share_low, share_high
        What can be true, in how many items it is, and the intervals of that.
    confusion
        Raters x true class x answer.
    items, probability
        Positions of the items in the order of their first columns, and how probable each class is for each.
    log_likelihood
        Of the votes, without what is added to the cells.
    margin
        By how much of all votes the classes fit their labels better than the next best way to name them.
    """

    rows_name: ClassVar[str] = "raters"
    main: ClassVar[str] = "accuracy"
    units: ClassVar[Mapping[str, str]] = {"votes": "votes"}
    in_summary: ClassVar[tuple[str, ...]] = ("log_likelihood", "margin", "interval")

    raters: tuple[str, ...]
    votes: FloatArray
    accuracy: FloatArray
    low: FloatArray
    high: FloatArray
    interval: Interval
    classes: tuple[str, ...]
    share: FloatArray
    share_low: FloatArray
    share_high: FloatArray
    confusion: FloatArray
    items: IntArray
    probability: FloatArray
    log_likelihood: float
    margin: float

    def frame(self) -> "pl.DataFrame":
        """Give the raters, those who are right least often first."""
        columns = {"rater": list(self.raters), "votes": self.votes, "accuracy": self.accuracy}
        return pl.DataFrame(columns | {"low": self.low, "high": self.high}).sort("accuracy", maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """How often raters are right, who is worse than chance, and what is true how often."""
        mean = float(self.accuracy @ self.votes / self.votes.sum())
        chance = 1.0 / len(self.classes)
        poor = [name for name, high in zip(self.raters, self.high, strict=True) if high < chance]
        shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(self.classes, self.share, strict=True))
        said = f"{mean:.0%} of the votes name what is probably true of their item; true are: {shares}."
        if not poor:
            return (said,)
        verb = "is" if len(poor) == 1 else "are"
        return (
            said,
            f"{len(poor)} of {len(self.raters)} raters {verb} right less often than by chance: {some_of(poor)}.",
        )


@method(
    takes=("matches", "scores", "array"),
    answers="What is true of each item where raters disagree, and how often is each rater right?",
    reference="Dawid and Skene (1979)",
    resampled="its intervals are in closed form, and its rows are raters",
)
def dawid_skene(
    data: Matches | Scores | npt.ArrayLike,
    *,
    rater: str | None = None,
    item: str | None = None,
    level: float = 0.95,
) -> DawidSkene:
    r"""What is true of each item where raters disagree, and how often is each rater right?

    .. math:: P(\text{votes of item } i) = \sum_k \pi_k \prod_{w} C_w[k, l_{wi}]

    Parameters
    ----------
    data
        A table of raters by items with a grade each (NaN where nobody voted): an array, or scores whose agents are
        raters; or votes on pairs, where the classes are the first side, the second and a tie.
    rater, item
        As in :func:`agreement`.
    level
        Of the intervals, one by one.

    Returns
    -------
    DawidSkene
        Classes of items, tables of errors of raters, and how often each is right.

    Fails when
        all votes are the same or no item has two; there are more than 20 grades; or other names of the classes fit
        nearly as well, so that nothing says which class is which.

    References
    ----------
    Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm.

    Examples
    --------
    >>> import numpy as np, equipoise as eq
    >>> truth = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0, 1.0])
    >>> votes = np.array([truth, truth, truth, 1 - truth])
    >>> eq.methods.dawid_skene(votes).accuracy.round(1).tolist()
    [0.9, 0.9, 0.9, 0.1]
    """
    names, who, on, value = votes_of(data, rater, item)
    values, label = np.unique(value, return_inverse=True)
    items, at = np.unique(on, return_inverse=True)
    _refuse(values, at)
    there, by = np.unique(who, return_inverse=True)
    answers = _Answers(by, at, label, len(there), len(items), len(values))
    state, steps, gain = _climb(answers)
    state, margin = _named(answers, state)
    share, confusion, probability, likelihood = state
    accuracy, spread, share_spread = _spread(answers, state)
    q = two_sided_quantile(level, np.inf)
    low, high = (scipy.special.expit(scipy.special.logit(accuracy) + sign * q * spread) for sign in (-1, 1))
    ends = [scipy.special.expit(scipy.special.logit(share) + sign * q * share_spread) for sign in (-1, 1)]
    votes = np.bincount(by).astype(float)
    classes = tuple(SIDES.get(v, f"{v:g}") if isinstance(data, Matches) else f"{v:g}" for v in values.tolist())
    raters = tuple(names[k] for k in there)
    return DawidSkene(
        raters=raters, votes=frozen(votes), accuracy=frozen(accuracy), low=frozen(low), high=frozen(high),
        interval=Interval("one-by-one", level), classes=classes, share=frozen(share), share_low=frozen(ends[0]),
        share_high=frozen(ends[1]), confusion=frozen(confusion), items=frozen(items, np.int64),
        probability=frozen(probability), log_likelihood=likelihood, margin=margin,
        fit=Fit(converged=True, iterations=steps, residual=gain), diagnostics=_notes(raters, votes, spread),
        params=frozen_params(rater=rater, item=item, level=level),
    )  # fmt: skip


def _refuse(values: FloatArray, at: IntArray) -> None:
    if len(values) < 2:
        raise DataError("all votes are the same: nothing tells raters apart")
    if len(values) > MOST_CLASSES:
        raise DataError(f"{len(values):,} different grades are too many for classes (up to {MOST_CLASSES})")
    if np.bincount(at).max() < 2:
        raise DataError("no item has votes of two raters: nothing says who is right")


def _notes(raters: tuple[str, ...], votes: FloatArray, spread: FloatArray) -> tuple[Diagnostic, ...]:
    notes = []
    if np.isnan(spread).any():
        notes.append(info("no-errors", f"No intervals of so many raters and classes (up to {MOST_CELLS:,} cells)."))
    few = [name for name, count in zip(raters, votes, strict=True) if count < FEW_VOTES]
    message = (
        f"{len(few):,} raters have fewer than {FEW_VOTES} votes: their tables are mostly what was added to the cells."
    )
    notes += [info("few-votes", message, few)] if few else []
    return tuple(notes)


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Votes as codes: by whom, on what, and which class they name."""

    rater: IntArray
    item: IntArray
    label: IntArray
    raters: int
    items: int
    classes: int

    def counts(self, probability: FloatArray) -> FloatArray:
        """Count answers of each rater by the true class, as probable as it is: raters x class x answer."""
        cell = self.rater * self.classes + self.label
        of = [np.bincount(cell, probability[self.item, k], self.raters * self.classes) for k in range(self.classes)]
        return np.array(of, dtype=float).reshape(self.classes, self.raters, self.classes).transpose(1, 0, 2)

    def by_item(self, log_chance: FloatArray) -> FloatArray:
        """Add up the logarithms of the chances of an item's votes, for each class."""
        of = log_chance[self.rater, :, self.label]
        return np.column_stack([np.bincount(self.item, of[:, k], self.items) for k in range(self.classes)])


_State = tuple[FloatArray, FloatArray, FloatArray, float]
"""Shares, tables, how probable the classes of items are, and the log-likelihood."""


def _maximised(answers: _Answers, probability: FloatArray) -> _State:
    """Give shares and tables for these classes, then classes for those: one step."""
    share = probability.mean(axis=0)
    counts = answers.counts(probability) + PSEUDO
    confusion = counts / counts.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        joint = answers.by_item(np.log(confusion)) + np.log(share)
    whole = scipy.special.logsumexp(joint, axis=1)
    return share, confusion, np.exp(joint - whole[:, None]), float(whole.sum())


def _climb(answers: _Answers) -> tuple[_State, int, float]:
    """Take turns, from shares of votes, until the objective stands still."""
    cell = answers.item * answers.classes + answers.label
    votes = np.bincount(cell, minlength=answers.items * answers.classes).reshape(-1, answers.classes)
    state = _maximised(answers, votes / votes.sum(axis=1, keepdims=True))
    for step in range(1, MOST_STEPS):
        after = _maximised(answers, state[2])
        change = max(float(np.abs(one - other).max()) for one, other in zip(after[:2], state[:2], strict=True))
        state = after
        if change < ENOUGH:
            return state, step, change
    raise ConvergenceError(f"classes of items did not settle in {MOST_STEPS:,} steps")


def _named(answers: _Answers, state: _State) -> tuple[_State, float]:
    """Give each class the label with which raters are right most often; refuse where other names fit as well."""
    share, confusion, probability, likelihood = state
    right = answers.counts(probability).sum(axis=0) / len(answers.label)  # class x answer, over all votes
    row, best = scipy.optimize.linear_sum_assignment(right, maximize=True)
    other = -np.inf
    for k in range(answers.classes):  # the next best differs from the best somewhere
        barred = right.copy()
        barred[row[k], best[k]] = -1e6
        rows, named = scipy.optimize.linear_sum_assignment(barred, maximize=True)
        other = max(other, float(barred[rows, named].sum()))
    margin = float(right[row, best].sum()) - other
    if margin < CLEAR:
        raise DataError(
            f"other names of the classes fit nearly as well ({margin:.1%} of the votes fewer):"
            " nothing says which class is which"
        )
    at = np.argsort(best)
    return (share[at], confusion[:, at], probability[:, at], likelihood), margin


def _spread(answers: _Answers, state: _State) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give how often each rater is right, the standard error of its logit, and those of the shares' logits.

    The information is what known classes would give, less what is lost by not knowing them (Louis 1982).
    """
    share, confusion, probability, _ = state
    raters, classes = answers.raters, answers.classes
    size = classes * classes
    whole = raters * size + classes
    if whole > MOST_CELLS:
        return np.einsum("k,wkk->w", share, confusion), np.full(raters, np.nan), np.full(classes, np.nan)
    count = answers.counts(probability).sum(axis=2) + classes * PSEUDO
    # Logits of a row are known up to a constant, which nothing depends on: ones hold it.
    known = scipy.sparse.block_diag([
        *(count[w, k] * (np.diag(confusion[w, k]) - np.outer(confusion[w, k], confusion[w, k]) + 1.0)
          for w in range(raters) for k in range(classes)),
        answers.items * (np.diag(share) - np.outer(share, share) + 1.0),
    ]).toarray()  # fmt: skip
    accuracy = np.einsum("k,wkk->w", share, confusion)
    slope = np.zeros((whole, raters + classes))
    for w in range(raters):
        for k in range(classes):
            at = w * size + k * classes
            slope[at : at + classes, w] = share[k] * confusion[w, k, k] * (np.eye(classes)[k] - confusion[w, k])
        slope[-classes:, w] = share * (np.diag(confusion[w]) - accuracy[w])
    slope[-classes:, raters:] = np.diag(share) - np.outer(share, share)
    factor = scipy.linalg.cho_factor(known - _lost(answers, state, whole))
    error = np.sqrt((slope * scipy.linalg.cho_solve(factor, slope)).sum(axis=0))
    logit = error / np.concatenate([accuracy * (1 - accuracy), share * (1 - share)])
    return accuracy, logit[:raters], logit[raters:]


def _lost(answers: _Answers, state: _State, whole: int) -> FloatArray:
    """Add up over items the variance of the score over the classes an item may be of."""
    share, confusion, probability, _ = state
    raters, classes = answers.raters, answers.classes
    rows, columns, values = [], [], []
    for k in range(classes):
        score = np.eye(classes)[answers.label] - confusion[answers.rater, k]
        start = answers.rater * classes * classes + k * classes
        rows += [np.repeat(answers.item * classes + k, classes)]
        columns += [(start[:, None] + np.arange(classes)).ravel()]
        values += [score.ravel()]
        rows += [np.repeat(np.arange(answers.items) * classes + k, classes)]
        columns += [np.tile(raters * classes * classes + np.arange(classes), answers.items)]
        values += [np.tile(np.eye(classes)[k] - share, answers.items)]
    made = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    scores = scipy.sparse.csr_array(made, shape=(answers.items * classes, whole))
    weight = scipy.sparse.dia_array((probability.ravel()[None], [0]), shape=(len(scores.indptr) - 1,) * 2)
    of_item = scipy.sparse.csr_array(
        (np.ones(answers.items * classes), np.arange(answers.items * classes), np.arange(answers.items + 1) * classes)
    )
    mean = of_item @ (weight @ scores)
    lost: FloatArray = (scores.T @ (weight @ scores) - mean.T @ mean).toarray()
    return lost
