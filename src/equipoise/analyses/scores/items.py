"""How hard is each item, how able each agent? Answers to an item response fit, or abilities by a saved calibration."""

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from equipoise.analyses.analysis import refuse_idle
from equipoise.analyses.source import Opened, open_source
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import EquipoiseError, ParameterError
from equipoise.core.former import options_in_one
from equipoise.core.results import Later, frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.items import fit as fitting
from equipoise.items.generality.generality import Generality, generality
from equipoise.items.marginal.item_step import ItemPrior
from equipoise.items.models.models import Model
from equipoise.items.result import IRT
from equipoise.items.scoring.ability import Estimator
from equipoise.items.scoring.calibration import Calibration, Scored, load_calibration

if TYPE_CHECKING:
    from equipoise.items.generality.duality import Duality


@dataclass(frozen=True, slots=True, kw_only=True)
class IRTOptions:
    """What is asked of an item response fit seldom.

    Attributes
    ----------
    max_discrimination, unit_variance
        Bound on the size of discriminations, and whether abilities of ``rasch`` keep unit variance, as in
        :func:`equipoise.methods.irt`.
    indicators
        Bootstrap samples for the four indicators (:func:`duality`); 0 leaves them out.
    """

    max_discrimination: float = 100.0
    unit_variance: bool = False
    indicators: int = 0


@former_reading
@options_in_one(IRTOptions)
def irt(
    data: Source,
    *,
    model: Model | None = None,
    method: Literal["mml", "jml", "pooled"] | None = None,
    threshold: float | None = None,
    trials: int | None = None,
    prior: Literal["none", "weak"] | ItemPrior | None = "none",
    estimator: Estimator = "eap",
    starts: int | None = None,
    save: str | Path | None = None,
    calibration: str | Path | Calibration | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
    executor: Executor | None = None,
    options: IRTOptions | None = None,
) -> IRT | Scored:
    """How hard is each item, how well does it discriminate between agents, and how able is each agent?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, or scores.
    model, method, threshold, estimator, starts
        As in :func:`equipoise.methods.irt`, which takes data alone.
    trials
        Cells are counts of successes (or rates) in so many trials.
    prior
        ``weak`` priors on item parameters, ``none``, or an :class:`equipoise.methods.ItemPrior`.
    save
        Write the items' calibration to this file, as JSON.
    calibration
        Score agents with this calibration, or the file that it was saved to; items are not fitted.
    level
        Of the intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.
    executor
        Who computes the bootstrap samples behind generality and indicators, as in :func:`bootstrap`; the answer is the
        same.
    options
        What is asked for seldom: bounds of item parameters, the four indicators.

    Returns
    -------
    IRT or Scored
        The fit; its ``generality`` is worked out when somebody asks. With ``calibration`` the agents' abilities alone.

    Fails when
        options do not go together (``trials`` and ``threshold``, ``save`` and ``calibration``); as
        :func:`equipoise.methods.irt` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.irt("lsat", model="rasch").difficulty.round(2).tolist()
    [-2.73, -1.0, -0.24, -1.31, -2.1]
    """
    rare = options or IRTOptions()
    if trials is not None and threshold is not None:
        raise ParameterError(
            Option("trials"), " and ", Option("threshold"), " do not go together: counts are used as they are"
        )
    if save is not None and calibration is not None:
        raise ParameterError(
            Option("save"), " and ", Option("calibration"), " do not go together: nothing is fitted"
        )  # fmt: skip
    if calibration is not None:
        fitted_only = {
            "model": (model, None), "method": (method, None), "prior": (prior or "none", "none"),
            "starts": (starts, None), "options": (rare, IRTOptions()),
        }  # fmt: skip
        refuse_idle(fitted_only, Option("calibration"), ": nothing is fitted")
    opened = open_source(data, ("scores",), read, asked_by="irt")
    answers = opened.data if trials is None else _counted(opened.data, trials)
    opened = replace(opened, data=answers)
    if calibration is not None:
        bank = calibration if isinstance(calibration, Calibration) else load_calibration(calibration)
        name = None if isinstance(calibration, Calibration) else Path(calibration).name
        scored = bank.score(answers, estimator=estimator, threshold=threshold, level=level)
        return opened.behind(replace(scored, params=frozen_params(calibration=name, **scored.params)))
    how = _ItemFitting(
        model, method, threshold, None if prior == "none" else prior, estimator, starts, level, rng, rare
    )
    fitted = how.of(opened, executor)
    if save is not None:
        save_calibration(fitted, Path(save))
    return fitted


@dataclass(frozen=True, slots=True)
class _ItemFitting:
    """How items are fitted, all of them or some."""

    model: Model | None
    method: Literal["mml", "jml", "pooled"] | None
    threshold: float | None
    prior: Literal["weak"] | ItemPrior | None
    estimator: Estimator
    starts: int | None
    level: float
    rng: int | np.random.Generator
    rare: IRTOptions

    def of(self, opened: Opened, executor: Executor | None = None) -> IRT:
        """Fit the data, with what goes with a fit."""
        answers, level, rng = opened.data, self.level, self.rng
        fitted = fitting.irt(
            answers, model=self.model, method=self.method, threshold=self.threshold, estimator=self.estimator,
            prior=self.prior, starts=self.starts, max_discrimination=self.rare.max_discrimination,
            unit_variance=self.rare.unit_variance, level=level, rng=rng,
        )  # fmt: skip
        general = Later(lambda: _generality(answers, fitted, self.threshold, level, rng, executor))
        if isinstance(rng, np.random.Generator) or executor is not None:  # who draws or computes may be gone later
            general()
        found = self._indicators_of(answers, fitted, executor)
        again = partial(self.of_items, opened)
        return opened.behind(replace(fitted, general=general, indicators=found, refit=again))

    def of_items(self, opened: Opened, items: tuple[str, ...]) -> IRT:
        """Fit these items alone."""
        kept = [item in items for item in opened.data.tasks]
        return self.of(replace(opened, data=opened.data.take(tasks=kept)))

    def _indicators_of(self, answers: Scores, fitted: IRT, executor: Executor | None) -> "Duality | None":
        if not self.rare.indicators:
            return None
        from equipoise.items.generality.duality import duality

        return duality(answers, fitted, n=self.rare.indicators, level=self.level, rng=self.rng, executor=executor)


def without_flagged(fitted: IRT) -> IRT:
    """Fit again without the flagged items; where none is, that is said."""
    if fitted.flagged:
        return fitted.without(fitted.flagged)
    note = info("nothing-flagged", "No item is flagged, so none was left out.")
    return replace(fitted, diagnostics=(*fitted.diagnostics, note))


def _counted(scores: Scores, trials: int) -> Scores:
    if scores.repeats is not None:
        raise ParameterError(Option("trials"), " is for tables of counts; this one has single trials in its rows")
    counted = Scores.from_matrix(scores.values, scores.agents, scores.tasks, trials)
    return replace(counted, diagnostics=scores.diagnostics, testlets=scores.testlets)


def save_calibration(fitted: IRT, path: Path) -> None:
    """Write the items' calibration to a file.

    Fails when
        it cannot be written.
    """
    try:
        fitted.calibration().save(path)
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror}") from error


def _generality(
    scores: Scores,
    fitted: IRT,
    threshold: float | None,
    level: float,
    rng: int | np.random.Generator,
    executor: Executor | None,
) -> tuple[Generality | None, tuple[Diagnostic, ...]]:
    """Ask who is general, in the units that fit the results; too few items have no bins, which is said."""
    try:
        return generality(scores, fitted, threshold=threshold, level=level, rng=rng, executor=executor), ()
    except EquipoiseError as error:
        return None, (
            info("no-generality", ("Generality could not be computed: ", *error.words, "."), advice=error.advice),
        )
