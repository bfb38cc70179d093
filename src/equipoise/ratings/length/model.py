"""The logistic model behind length-controlled win rates: its fit for one model, and what each match adds to the answer.

``logit y = phi tanh(D / s) + psi d + theta``: D is by how much the baseline's answer is longer, s its standard
deviation, d the question's difficulty. The controlled rate is the mean of ``sigma(psi d + theta)``: what the model
would have won, had both answers always been equally long.

Questions are a sample, so everything moves with them: the coefficients, the standard deviation s in which lengths are
measured, and the mean over difficulties. The influence of a match is the sum of the three (the coefficients' part is
the sandwich of a quasi-likelihood, which is right for probabilities as for hard choices).

Matches of models against one baseline, from the models' side: scores, lengths, difficulties, questions.

References
----------
Dubois, Galambosi, Liang and Hashimoto (2024), Length-controlled AlpacaEval.
Newey and McFadden (1994), Large sample estimation and hypothesis testing (estimates in steps).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.ratings.damped_newton import NewtonPoint, damped_newton

STEPS = 100
TOLERANCE, ROUGH = 1e-11, 1e-6
"""Largest last step of a fit that has converged, and of one that rounding stopped close enough."""
FAR = 20.0
"""Log-odds beyond which a fit may be on its way to infinity: whether it is gets checked."""
SEPARATED = "no finite fit exists: it won or lost everything, or did so wherever its answers were longer"
ALIKE = 1e-9
"""Share of a column's spread that the others leave, below which nothing can be said about its coefficient."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The matches of one model against the baseline: its score, how much longer the baseline's answer is, how often.

    ``difficulty`` is None where questions count alike.
    """

    score: FloatArray
    longer: FloatArray
    weight: FloatArray
    difficulty: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LengthFit:
    """Coefficients (phi, psi, theta; psi is NaN without difficulties), rates, and the influence of each match on them.

    Influences are of a match that happened once: an estimate less the truth is their weighted mean.
    """

    coefficients: FloatArray
    rate: float
    plain: float
    rate_influence: FloatArray
    phi_influence: FloatArray
    spread: float
    steps: int


def lengths_in_units(longer: FloatArray, weight: FloatArray) -> tuple[FloatArray, float, FloatArray]:
    """Give differences of length in their standard deviation, that deviation, and each match's influence on it.

    Fails when
        all differences are the same.
    """
    total = float(weight.sum())
    if total <= 1 or not np.ptp(longer[weight > 0]):
        raise DataError("the difference of length is the same in all its matches")
    centred = longer - weight @ longer / total
    variance = float(weight @ centred**2 / (total - 1))
    spread = float(np.sqrt(variance))
    return longer / spread, spread, (centred**2 - variance) / (2 * spread) * total / (total - 1)


def fit_length(judged: Judged) -> LengthFit:
    """Fit one model and find the influence of each match.

    Fails when
        no finite coefficients exist, or they cannot be told apart; the error says why, without the model's name.
    """
    units, spread, by_spread = lengths_in_units(judged.longer, judged.weight)
    squashed = np.tanh(units)
    columns = [squashed, *([] if judged.difficulty is None else [judged.difficulty]), np.ones_like(squashed)]
    x, y = np.column_stack(columns), judged.score
    share = judged.weight / judged.weight.sum()
    _refuse_alike(x, share)
    beta, steps = _newton(x, y, share)
    p, equal = scipy.special.expit(x @ beta), scipy.special.expit(x[:, 1:] @ beta[1:])
    bread = np.linalg.inv((x * (share * p * (1 - p))[:, None]).T @ x)
    # How the equations of the fit move with the unit of lengths: through the column, and through what it predicts.
    moved = -(1 - squashed**2) * units / spread
    by_unit = -x.T @ (share * p * (1 - p) * beta[0] * moved)
    by_unit[0] += (share * (y - p)) @ moved
    scores = (y - p)[:, None] * x + by_spread[:, None] * by_unit
    influence = scores @ bread
    rate = float(share @ equal)
    slope = x[:, 1:].T @ (share * equal * (1 - equal))
    psi = np.nan if judged.difficulty is None else beta[1]
    return LengthFit(
        coefficients=np.array([beta[0], psi, beta[-1]]),
        rate=rate,
        plain=float(share @ y),
        rate_influence=equal - rate + influence[:, 1:] @ slope,
        phi_influence=influence[:, 0],
        spread=spread,
        steps=steps,
    )


def _refuse_alike(x: FloatArray, share: FloatArray) -> None:
    """Refuse columns of which one is a sum of the others."""
    rows = x * np.sqrt(share)[:, None]
    size = np.sqrt((rows**2).sum(axis=0))
    if not size.all() or np.linalg.svd(rows / size, compute_uv=False)[-1] ** 2 < ALIKE:
        raise DataError("length, difficulty and strength cannot be told apart in its matches")


@dataclass(frozen=True, eq=False)
class _LengthPoint(NewtonPoint):
    """Coefficients of a logistic quasi-likelihood: its columns, scores, and shares of the matches."""

    columns: FloatArray
    score: FloatArray
    share: FloatArray
    x: FloatArray

    @cached_property
    def log_odds(self) -> FloatArray:
        return np.asarray(self.columns @ self.x)

    @cached_property
    def value(self) -> float:
        return float(self.share @ (self.score * self.log_odds - np.logaddexp(0.0, self.log_odds)))

    def newton_step(self) -> tuple[FloatArray, float]:
        p = scipy.special.expit(self.log_odds)
        gradient = self.columns.T @ (self.share * (self.score - p))
        curvature = (self.columns * (self.share * p * (1 - p))[:, None]).T @ self.columns
        step = np.asarray(np.linalg.solve(curvature, gradient), dtype=np.float64)
        return step, float(gradient @ step)

    def rises(self, end: "_LengthPoint", slope: float, scale: float) -> bool:
        if np.abs(end.log_odds).max() > FAR and _separated(self.columns, self.score, self.share):
            raise DataError(SEPARATED)
        return super().rises(end, slope, scale)


def _newton(x: FloatArray, y: FloatArray, share: FloatArray) -> tuple[FloatArray, int]:
    """Maximise the logistic quasi-likelihood."""
    try:
        reached = damped_newton(_LengthPoint(x, y, share, np.zeros(x.shape[1])), range(STEPS), TOLERANCE)
    except np.linalg.LinAlgError:
        reached = None
    if reached is None or not (reached.converged or (reached.stalled and reached.residual < ROUGH)):
        raise DataError(SEPARATED if _separated(x, y, share) else "the fit does not converge")
    return reached.point.x, reached.steps + 1


def _separated(x: FloatArray, y: FloatArray, share: FloatArray) -> bool:
    """Whether some direction makes no match less likely and some more: then no finite optimum exists.

    Wins may only move up, losses down, probabilities between must stay (Albert and Anderson, 1984).
    """
    counts = share > 0
    x, sign = x[counts], np.where(y == 1, 1.0, np.where(y == 0, -1.0, 0.0))[counts]
    decided = sign != 0
    if not decided.any():
        return False
    toward = x[decided] * sign[decided, None]
    program = scipy.optimize.linprog(
        -toward.sum(axis=0) / len(toward),
        A_ub=-toward, b_ub=np.zeros(len(toward)),
        A_eq=None if decided.all() else x[~decided], b_eq=None if decided.all() else np.zeros(int((~decided).sum())),
        bounds=(-1, 1),
    )  # fmt: skip
    return bool(program.success and -program.fun > 1e-9)


Difficulty: TypeAlias = str | Mapping[str, float] | None
"""A label of the matches, numbers by question, or the word ``estimated``."""


@dataclass(frozen=True, slots=True, eq=False)
class LengthMatches:
    """Matches with the baseline, from the models' side.

    ``question`` says what was asked. ``unit`` says what was drawn independently: groups where there are some, else
    questions, else None for the matches themselves.
    """

    models: tuple[str, ...]
    baseline: str
    model: IntArray
    judged: Judged
    question: Factor | None
    unit: Factor | None

    def _places(self, k: int) -> IntArray:
        return np.flatnonzero(self.model == k)

    def of(self, k: int) -> Judged:
        """Give one model's matches."""
        at, every = self._places(k), self.judged
        hard = None if every.difficulty is None else every.difficulty[at]
        return Judged(every.score[at], every.longer[at], every.weight[at], hard)

    def questions_of(self, k: int) -> IntArray:
        """Give the questions of one model's matches, as numbers."""
        assert self.question is not None
        return self.question.codes[self._places(k)].astype(np.int64)

    def games(self) -> FloatArray:
        """Count the matches of each model."""
        return np.bincount(self.model, self.judged.weight, len(self.models)).astype(np.float64)

    def win_rates(self) -> FloatArray:
        """Give the mean score of each model."""
        return np.bincount(self.model, self.judged.weight * self.judged.score, len(self.models)) / self.games()

    def units_of_models(self) -> FloatArray:
        """Count what was drawn independently for each model."""
        if self.unit is None:
            return self.games()
        pairs = np.unique(np.stack([self.model, self.unit.codes.astype(np.int64)]), axis=1)
        return np.bincount(pairs[0], minlength=len(self.models)).astype(np.float64)

    def covariance(self, known: IntArray, influence: Sequence[FloatArray]) -> FloatArray:
        """Give the covariance of estimates of these models from the influence of each of their matches.

        Influences of one unit are summed, over all models that it was drawn for; units are independent.
        """
        games = self.games()
        if self.unit is None:
            parts = zip(known, influence, strict=True)
            return np.diag([self.of(int(k)).weight @ each**2 / games[k] ** 2 for k, each in parts])
        sums = np.empty((len(self.unit.labels), len(known)))
        for column, (k, each) in enumerate(zip(known, influence, strict=True)):
            at = self._places(int(k))
            shares = self.judged.weight[at] * each / games[k]
            sums[:, column] = np.bincount(self.unit.codes[at], shares, len(sums))
        return np.asarray(sums.T @ sums)


def length_matches(
    data: Matches, baseline: str | None, length: str, difficulty: Difficulty
) -> tuple[LengthMatches, tuple[Diagnostic, ...]]:
    """Bring matches into this form; those without the baseline, or of no weight, are left out.

    Fails when
        there is no baseline, no length, or no difficulty of some question.
    """
    longer = _lengths(data, length)
    at, notes = _baseline(data, baseline)
    first = data.b == at
    kept = np.flatnonzero((first | (data.a == at)) & (data.weights > 0))
    if not len(kept):
        raise DataError(f"no match with the baseline {some_of([data.agents[at]])} has a weight above 0")
    first, score = first[kept], data.outcome[kept]
    codes = np.where(first, data.a[kept], data.b[kept])
    present = np.unique(codes)
    question = _taken(data.task or data.group, kept)
    games = LengthMatches(
        models=tuple(data.agents[k] for k in present),
        baseline=data.agents[at],
        model=np.searchsorted(present, codes),
        judged=Judged(
            score=np.where(first, score, 1 - score),
            longer=np.where(first, -longer[kept], longer[kept]),
            weight=data.weights[kept],
            difficulty=_difficulties(data, kept, question, difficulty),
        ),
        question=question,
        unit=_taken(data.group or data.task, kept),
    )
    if games.unit is None:
        text = "Nothing says which matches were on the same question: errors take all matches as independent."
        advice = Advice("name the column of questions with ", Option("group"))
        notes += (info("no-questions", text, advice=[advice]),)
    if difficulty == "estimated" and data.task is not None and data.group is not None:
        raise ParameterError(
            Option("difficulty", "estimated"), " takes questions as independent: leave ", Option("group"), " out"
        )
    return games, notes


def _taken(factor: Factor | None, rows: IntArray) -> Factor | None:
    """Give these rows, with only the labels that are left."""
    if factor is None:
        return None
    present, codes = np.unique(factor.codes[rows], return_inverse=True)
    return Factor(tuple(factor.labels[k] for k in present), codes.astype(np.int32))


def _lengths(data: Matches, length: str) -> FloatArray:
    """Give by how much the first side is longer."""
    if data.covariates is None:
        raise DataError(
            "these matches hold no lengths",
            advice=[
                Advice(f'read them with read_matches(..., covariates="{length}")'),
                Advice("or add them with with_covariates"),
            ],
        )
    program = data.covariates.select([length]).differences
    if program is None:
        raise DataError(f'of the covariate "{length}" only shares are known: give the lengths of both sides')
    return program[:, 0]


def _baseline(data: Matches, asked: str | None) -> tuple[int, tuple[Diagnostic, ...]]:
    """Find the baseline: the one that is named, or the one that is in every match."""
    if asked is not None:
        if asked not in data.agents:
            raise ParameterError(
                Option("baseline"), f' "{asked}" is not among the agents{did_you_mean(asked, data.agents)}'
            )
        at = data.agents.index(asked)
        without = int(np.sum((data.a != at) & (data.b != at)))
        text = f"{without:,} matches without the baseline {asked} were left out."
        return at, (info("without-baseline", text),) if without else ()
    common = [k for k in np.unique([data.a[:1], data.b[:1]]) if ((data.a == k) | (data.b == k)).all()]
    if len(common) == 1:
        return int(common[0]), ()
    why = "no agent is in every match" if not common else "either of two agents may be the baseline"
    raise ParameterError(f"{why}: say which is the baseline with ", Option("baseline"))


def _difficulties(data: Matches, kept: IntArray, question: Factor | None, difficulty: Difficulty) -> FloatArray | None:
    """Give the difficulty of each match's question, where it is given."""
    if difficulty is None or difficulty == "estimated":
        return None
    if isinstance(difficulty, str):
        label = data.labels.get(difficulty)
        if label is None:
            near = did_you_mean(difficulty, [*data.labels, "estimated"])
            raise ParameterError(
                Option("difficulty"), f' "{difficulty}" is neither a label of these matches nor "estimated"{near}'
            )
        return _numbers(dict(zip(label.labels, label.labels, strict=True)), label.labels)[label.codes[kept]]
    if question is None:
        raise ParameterError(
            Option("difficulty"), " by question needs to know which question each match was on",
            advice=[Advice("name its column with ", Option("group"))],
        )  # fmt: skip
    given = {str(name).strip(): value for name, value in difficulty.items()}
    missing = [name for name in question.labels if name not in given]
    if missing:
        raise DataError(f"no difficulty of the questions {some_of(missing)}")
    return _numbers(given, question.labels)[question.codes]


def _numbers(given: Mapping[str, object], names: Sequence[str]) -> FloatArray:
    """Give the numbers behind names; refuse what is none."""
    numbers = np.full(len(names), np.nan)
    for k, name in enumerate(names):
        try:
            numbers[k] = float(given[name])  # type: ignore[arg-type]  # what is no number is looked at below
        except (TypeError, ValueError):
            continue
    bad = [name for name, number in zip(names, numbers, strict=True) if not np.isfinite(number)]
    if bad:
        raise DataError(f"the difficulty is no finite number for {some_of(bad)}")
    return numbers
