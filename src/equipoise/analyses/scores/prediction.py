"""What would an agent score on the whole benchmark? From answers to a random part of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from equipoise.analyses.source import open_source
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.items.fit import irt
from equipoise.items.scoring import predict_score
from equipoise.items.scoring.anchors import Chosen
from equipoise.items.scoring.calibration import Calibration, load_calibration
from equipoise.items.scoring.predict_score import Predicted

FEWEST = 5
"""Agents that answered everything, from which on items can be calibrated on them."""
OTHERS = (
    Advice("name a table of agents that did with ", Option("reference")),
    Advice("name a saved calibration with ", Option("calibration")),
)


@former_reading
def predict(
    data: Source,
    calibration: str | Path | Calibration | None = None,
    *,
    reference: Source | None = None,
    threshold: float | None = None,
    chosen: Chosen = "random",
    folds: int = 10,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> Predicted:
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
    chosen
        How the part was chosen: ``random``, or by :func:`anchor_items`, ``stratified`` or by ``information``.
    folds
        Parts for cross-fitting, as in :func:`predict`.
    level
        Of the intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.

    Returns
    -------
    Predicted
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
    >>> found = eq.predict(eq.Scores.from_matrix(part, digits.agents, digits.tasks))
    >>> bool(found.low[0] <= digits.values[0].mean() <= found.high[0])
    True
    """
    if calibration is not None and reference is not None:
        raise ParameterError(
            Option("calibration"), " and ", Option("reference"), " do not go together: items are calibrated once"
        )
    opened = open_source(data, ("scores",), read, asked_by="predict")
    answers = opened.data
    fitted, on = None, "a calibration"
    if calibration is not None:
        bank = load_calibration(calibration) if isinstance(calibration, str | Path) else calibration
        on = f"others, saved in {Path(calibration).name}" if isinstance(calibration, str | Path) else on
        part = answers
    else:
        if reference is not None:
            others = open_source(reference, ("scores",), None if read is None else read.all_rows, asked_by="predict")
            whole, name = others.data, others.origin.name
            part, on = answers, f"{len(whole.agents):,} agents{'' if name is None else f' of {name}'}"
        else:
            whole, part = _apart(answers)
            on = f"the {len(whole.agents):,} agents that answered everything"
        fitted = irt(whole, threshold=threshold, rng=rng)
        bank = fitted.calibration()
    found = predict_score.predict(part, bank, threshold=threshold, chosen=chosen, folds=folds, level=level, rng=rng)
    # Gaps are what this is about; only what else there is to know is said.
    notes = tuple(note for note in found.diagnostics if note.code != "missing-cells")
    fit = None if fitted is None else fitted.fit
    return opened.behind(replace(found, calibrated=fitted, calibrated_on=on, diagnostics=notes, fit=fit))


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
