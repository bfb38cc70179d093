"""How hard is each item, how able each agent? Answers to an item response fit, or abilities by a saved calibration."""

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from equipoise.analyses.analysis import Analysis, refuse_idle
from equipoise.analyses.source import open_source
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import EquipoiseError, ParameterError
from equipoise.core.results import frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.items.fit import irt
from equipoise.items.generality.generality import Generality, generality
from equipoise.items.models.models import Model
from equipoise.items.result import IRT
from equipoise.items.scoring.ability import Estimator
from equipoise.items.scoring.calibration import Scored, load_calibration

if TYPE_CHECKING:
    import polars as pl

    from equipoise.items.generality.duality import Duality


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class FittedItems(Analysis):
    """Items and agents from one table of answers.

    Attributes
    ----------
    items
        The item response fit.
    generality
        Who fails on hard items only, and who in pockets; None where there are too few items to tell.
    indicators
        The four indicators side by side with bootstrap intervals, where asked for.
    """

    main: ClassVar[str] = "items"

    items: IRT
    generality: Generality | None
    indicators: "Duality | None"

    @property
    def words(self) -> tuple[str, ...]:
        """What the fit says, then who is the most general."""
        return (*self.items.words, *(self.generality.words if self.generality else ()))

    def frame(self) -> "pl.DataFrame":
        """Give the agents, ablest first."""
        return self.items.frame()

    def item_frame(self) -> "pl.DataFrame":
        """Give the items, hardest first."""
        return self.items.item_frame()

    def summary(self) -> dict[str, object]:
        """Give what the fit says beside its tables."""
        return self.items.summary()


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ScoredAgents(Analysis):
    """Agents measured with items that were calibrated before.

    Attributes
    ----------
    scored
        Their abilities.
    """

    main: ClassVar[str] = "scored"

    scored: Scored

    @property
    def words(self) -> tuple[str, ...]:
        """What the scoring says."""
        return self.scored.words

    def frame(self) -> "pl.DataFrame":
        """Give the agents, ablest first."""
        return self.scored.frame()

    def summary(self) -> dict[str, object]:
        """Give the kind of interval."""
        return {"interval": self.scored.interval}


@former_reading
def fit_items(
    data: Source,
    *,
    model: Model | None = None,
    method: Literal["mml", "jml", "pooled"] | None = None,
    threshold: float | None = None,
    trials: int | None = None,
    prior: Literal["none", "weak"] = "none",
    estimator: Estimator = "eap",
    starts: int | None = None,
    indicators: int = 0,
    save: str | Path | None = None,
    calibration: str | Path | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
    executor: Executor | None = None,
) -> FittedItems | ScoredAgents:
    """How hard is each item, how well does it tell agents apart, and how able is each agent?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, or scores.
    model, method, threshold, estimator, starts
        As in :func:`irt`.
    trials
        Cells are counts of successes (or rates) in so many trials.
    prior
        ``weak`` priors on item parameters, or ``none``.
    indicators
        Bootstrap resamples for the four indicators (:func:`duality`); 0 leaves them out.
    save
        Write the items' calibration to this file, as JSON.
    calibration
        Score agents with this saved calibration; items are not fitted.
    level
        Of the intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.
    executor
        Who computes the resamples behind generality and indicators, as in :func:`bootstrap`; the answer is the same.

    Returns
    -------
    FittedItems or ScoredAgents
        The fit, with generality where there are items enough; with ``calibration`` the agents' abilities alone.

    Fails when
        options do not go together (``trials`` and ``threshold``, ``save`` and ``calibration``); as :func:`irt` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.fit_items("lsat", model="rasch").items.difficulty.round(2).tolist()
    [-2.73, -1.0, -0.24, -1.31, -2.1]
    """
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
            "model": (model, None), "method": (method, None), "prior": (prior, "none"), "starts": (starts, None),
            "indicators": (indicators, 0),
        }  # fmt: skip
        refuse_idle(fitted_only, Option("calibration"), ": nothing is fitted")
    opened = open_source(data, ("scores",), read, asked_by="fit_items")
    scores, origin = opened.data, opened.origin
    answers = scores if trials is None else _counted(scores, trials)
    if calibration is not None:
        scored = load_calibration(calibration).score(answers, estimator=estimator, threshold=threshold, level=level)
        return ScoredAgents(
            data=answers, origin=origin, scored=scored, diagnostics=scored.diagnostics,
            params=frozen_params(calibration=Path(calibration).name, **scored.params),
        )  # fmt: skip
    fitted = irt(
        answers, model=model, method=method, threshold=threshold, estimator=estimator,
        prior="weak" if prior == "weak" else None, starts=starts, level=level, rng=rng,
    )  # fmt: skip
    if save is not None:
        _save(fitted, Path(save))
    general, notes = _generality(answers, fitted, threshold, level, rng, executor)
    return FittedItems(
        data=answers, origin=origin, items=fitted, generality=general, fit=fitted.fit,
        indicators=_indicators(answers, fitted, indicators, level, rng, executor),
        diagnostics=(*fitted.diagnostics, *notes), params=fitted.params,
    )  # fmt: skip


def _indicators(
    answers: Scores, fitted: IRT, n: int, level: float, rng: int | np.random.Generator, executor: Executor | None
) -> "Duality | None":
    if not n:
        return None
    from equipoise.items.generality.duality import duality

    return duality(answers, fitted, n=n, level=level, rng=rng, executor=executor)


def _counted(scores: Scores, trials: int) -> Scores:
    if scores.repeats is not None:
        raise ParameterError(Option("trials"), " is for tables of counts; this one has single trials in its rows")
    counted = Scores.from_matrix(scores.values, scores.agents, scores.tasks, trials)
    return replace(counted, diagnostics=scores.diagnostics)


def _save(fitted: IRT, path: Path) -> None:
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
