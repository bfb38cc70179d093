"""What would an agent score on the whole benchmark? From answers to a random part of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis
from equipoise.analyses.source import open_source
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.lazy import pl
from equipoise.core.results import frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.items.fit import irt
from equipoise.items.result import IRT
from equipoise.items.scoring.calibration import Calibration, load_calibration
from equipoise.items.scoring.predict_score import Predicted, predict_score

FEWEST = 5
"""Agents that answered everything, from which on items can be calibrated on them."""
OTHERS = (
    Advice("name a table of agents that did with ", Option("reference")),
    Advice("name a saved calibration with ", Option("calibration")),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PredictedScores(Analysis):
    """Scores on a whole benchmark, from answers to a part of it.

    Attributes
    ----------
    predicted
        The predictions, with their intervals and what the model is worth.
    calibrated
        The fit of the items; None where a saved calibration was used.
    calibrated_on
        Whose answers the items were calibrated on, in words.
    """

    main: ClassVar[str] = "predicted"

    predicted: Predicted
    calibrated: IRT | None
    calibrated_on: str

    @property
    def words(self) -> tuple[str, ...]:
        """Who would score best and how sure that is, then what was answered and what the model is worth."""
        return (*self._best(), *self.predicted.words)

    def _best(self) -> tuple[str, ...]:
        found = self.predicted
        known = np.flatnonzero(~np.isnan(found.score))
        if not len(known):
            return ()
        best = int(known[np.argmax(found.score[known])])
        ends = f"{100 * found.interval.level:g}% interval {found.low[best]:.1%} to {found.high[best]:.1%}"
        said = f"{found.agents[best]} would solve {found.score[best]:.1%} of all {found.n_items:,} items ({ends})"
        if len(known) == 1:
            return (f"{said}.",)
        near = int((found.high[known] >= found.low[best]).sum()) - 1
        others = f"the best of {len(known)} agents"
        close = {0: "no other interval reaches up to it", 1: "the interval of one other overlaps with it"}
        return (f"{said}, {others}; {close.get(near, f'the intervals of {near} others overlap with it')}.",)

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first."""
        return self.predicted.frame()

    def summary(self) -> dict[str, object]:
        """Give the number of items, the interval's kind, and whose answers calibrated the items."""
        return {**self.predicted.summary(), "calibrated_on": self.calibrated_on}


@former_reading
def predict_scores(
    data: Source,
    *,
    calibration: str | Path | Calibration | None = None,
    reference: Source | None = None,
    threshold: float | None = None,
    folds: int = 10,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> PredictedScores:
    """What would each agent score on the whole benchmark, given its answers to a random part of it?

    Items are calibrated on agents that answered all of them: those of the same table, of another (``reference``), or of
    a saved ``calibration``. Agents with gaps are predicted. The part that an agent answered must be a simple random
    sample of the items: a diagnostic says where it clearly is not (``not-a-random-part``).

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, or scores; no value where an item was not given to an
        agent.
    calibration
        Items that were calibrated before, or the file that they were saved to (``equipoise irt --save``).
    reference
        Answers of other agents to all items, read as ``data`` are; items are calibrated on them.
    threshold
        Scores of at least this are successes, as in :func:`irt`.
    folds
        Parts for cross-fitting, as in :func:`predict_score`.
    level
        Of the intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.

    Returns
    -------
    PredictedScores
        The predicted score of each agent, with its interval.

    Fails when
        nobody answered all items and no other agents are named; everybody did, so that nothing is left to predict.

    Examples
    --------
    >>> import equipoise as eq
    >>> import numpy as np
    >>> digits = eq.load("digits")
    >>> part = digits.values.copy()
    >>> unanswered = np.random.default_rng(0).permutation(400) >= 100
    >>> part[0, unanswered] = np.nan
    >>> found = eq.predict_scores(eq.Scores.from_matrix(part, digits.agents, digits.tasks))
    >>> bool(found.predicted.low[0] <= digits.values[0].mean() <= found.predicted.high[0])
    True
    """
    if calibration is not None and reference is not None:
        raise ParameterError(
            Option("calibration"), " and ", Option("reference"), " do not go together: items are calibrated once"
        )
    opened = open_source(data, ("scores",), read, asked_by="predict_scores")
    answers, origin = opened.data, opened.origin
    fitted, on = None, "a calibration"
    if calibration is not None:
        bank = calibration if isinstance(calibration, Calibration) else load_calibration(calibration)
        on = on if isinstance(calibration, Calibration) else f"others, saved in {Path(calibration).name}"
        part = answers
    else:
        if reference is not None:
            others = open_source(
                reference, ("scores",), None if read is None else read.all_rows, asked_by="predict_scores"
            )
            whole, name = others.data, others.origin.name
            part, on = answers, f"{len(whole.agents):,} agents{'' if name is None else f' of {name}'}"
        else:
            whole, part = _apart(answers)
            on = f"the {len(whole.agents):,} agents that answered everything"
        fitted = irt(whole, threshold=threshold, rng=rng)
        bank = fitted.calibration()
    found = predict_score(part, bank, threshold=threshold, folds=folds, level=level, rng=rng)
    # Gaps are what this is about; only what else there is to know is said.
    return PredictedScores(
        data=answers, origin=origin, predicted=found, calibrated=fitted, calibrated_on=on,
        diagnostics=tuple(note for note in found.diagnostics if note.code != "missing-cells"),
        fit=None if fitted is None else fitted.fit, params=frozen_params(**found.params),
    )  # fmt: skip


def _apart(answers: Scores) -> tuple[Scores, Scores]:
    """Give the agents that answered everything, and those that did not."""
    gaps = answers.missing.any(axis=1)
    if not gaps.any():
        raise DataError(
            "every agent answered every item, so that nothing is left to predict",
            advice=[Advice("name the table whose items make the whole with ", Option("reference"))],
        )
    whole = len(answers.agents) - int(gaps.sum())
    if whole < FEWEST:
        who = f"only {whole} of {len(answers.agents):,} agents" if whole else "no agent"
        raise DataError(f"{who} answered all items, and calibrating them takes at least {FEWEST}", advice=list(OTHERS))
    return answers.take(agents=np.flatnonzero(~gaps)), answers.take(agents=np.flatnonzero(gaps))
