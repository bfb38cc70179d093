"""Length-controlled win rates: what models would win against a baseline, had both answers always been equally long."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.options import generator
from equipoise.core.results import Fit, FloatArray, FrozenMap, IntArray, Interval, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.types.matches import Matches
from equipoise.inference.ranks import Ranks, rank_intervals, two_sided_quantiles
from equipoise.ratings.length.model import Difficulty, LengthFit, LengthMatches, fit_length, length_matches
from equipoise.ratings.length.question_difficulty import estimate_difficulty
from equipoise.ratings.length.result import LengthControlled

FEWEST = 20
"""Questions below which no rate is given: intervals of so few would not keep their word."""
FEW_DECIDED = 10
"""Wins or losses below which intervals are known to be rough."""
LEAST_TOGETHER = 3
"""Models from which difficulties can be estimated: two say only what their coefficients make together."""


@method(
    takes="matches",
    answers="What would each model win against the baseline, had both answers always been equally long?",
    reference="Dubois, Galambosi, Liang and Hashimoto (2024)",
)
def length_control(
    data: Matches,
    *,
    baseline: str | None = None,
    length: str = "length",
    difficulty: Difficulty = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> LengthControlled:
    r"""What would each model win against the baseline, had both answers always been equally long?

    For each model, without a penalty,

    .. math:: \operatorname{logit} y_i = \phi \tanh(D_i / s) + \psi d_i + \theta, \qquad
        \mathrm{LC} = \frac{1}{n} \sum_i \sigma(\psi d_i + \theta)

    with :math:`y_i` the model's score on question i (a judge's probability, or its choice), :math:`D_i` by how much
    the baseline's answer is longer, s the standard deviation of D, and :math:`d_i` the question's difficulty. Errors
    hold for questions that are a sample: they have the coefficients' part, that of s, and the spread of
    :math:`\sigma(\psi d_i + \theta)` over questions. Models judged on the same questions are correlated, which
    ``covariance``, ``difference`` and the ranks know.

    Parameters
    ----------
    data
        Matches with the lengths of both answers as a covariate (``read_matches(..., covariates="length")``), best with
        their questions as ``task`` or ``group``.
    baseline
        The model that all others were compared with; None takes the one that is in every match.
    length
        The covariate that holds the lengths.
    difficulty
        None counts questions alike. The name of a label of the matches (``labels=["difficulty"]``) or numbers by
        question say how hard each is. ``estimated`` estimates :math:`d_i` of all models together, as a normal variable
        of mean 0 and standard deviation 1 that is integrated over (with a weak prior on psi, of standard deviation
        3); its sign is such that psi is positive on average, so that questions with a large d are hard for the
        baseline.
    level
        Of the intervals.
    rng
        Seed or generator for the ranks.

    Returns
    -------
    LengthControlled
        Rates in per cent, plain and controlled, with errors, coefficients and ranks.

    Fails when
        no baseline is in all matches and none is named; there are no lengths; a question has no difficulty;
        difficulties of fewer than three models are to be estimated (two say only what both of theirs make together). A
        model that won or lost everything, whose lengths never differ, or with fewer than 20 questions has no rate, and
        a diagnostic says so. Where answers are longer (or shorter) throughout, a rate at equal length is read off
        outside the data, which a diagnostic says too.

    References
    ----------
    Dubois, Galambosi, Liang and Hashimoto (2024), Length-controlled AlpacaEval: a simple way to debias automatic
    evaluators.

    Examples
    --------
    >>> import equipoise as eq, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> sizes = rng.integers(200, 900, (2, 400))
    >>> won = rng.random(400) < 1 / (1 + np.exp((sizes[1] - sizes[0]) / 300))
    >>> m = eq.Matches.from_columns(["new"] * 400, ["old"] * 400, won).with_covariates({"length": tuple(sizes)})
    >>> eq.length_control(m, baseline="old").lc_win_rate.round(1).tolist()
    [48.6]
    """
    games, notes = length_matches(data, baseline, length, difficulty)
    draws = generator(rng)
    fitted, fit_notes = _apart(games)
    if difficulty == "estimated":
        fitted = _together(games, fitted.known)
    known, size = fitted.known, len(games.models)
    units = games.units_of_models()
    degrees = np.maximum(units - (2 if difficulty is None else 3), 1.0)
    grown = np.sqrt(units / degrees)
    covariance = 1e4 * _filled_square(fitted.covariance, known, size) * np.outer(grown, grown)
    rate, stderr = _filled(100 * fitted.rate, known, size), np.sqrt(np.diag(covariance))
    low, high = _ends(rate, stderr, level, degrees)
    phi, psi, theta = (_filled(column, known, size) for column in fitted.coefficients.T)
    return LengthControlled(
        agents=games.models,
        baseline=games.baseline,
        win_rate=frozen(100 * games.win_rates()),
        lc_win_rate=frozen(rate),
        stderr=frozen(stderr),
        low=frozen(low),
        high=frozen(high),
        ranks=Ranks(lambda: _ranks(rate, covariance, known, level, draws, degrees)),
        phi=frozen(phi),
        phi_stderr=frozen(grown * np.sqrt(_filled(fitted.phi_variance, known, size))),
        psi=frozen(psi),
        theta=frozen(theta),
        spread=frozen(_filled(fitted.spread, known, size)),
        games=frozen(games.games()),
        interval=Interval("sandwich", level),
        covariance=frozen(covariance),
        degrees=frozen(degrees),
        difficulty=FrozenMap(fitted.difficulty),
        params=frozen_params(
            baseline=games.baseline, length=length, level=level,
            difficulty=difficulty if difficulty is None or isinstance(difficulty, str) else "by question",
        ),
        fit=Fit(True, fitted.steps, 0.0),
        diagnostics=(*data.diagnostics, *notes, *fit_notes, *_beware(games, known)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _FittedRate:
    """What is known of the models that have a fit: which they are, coefficients, rates and how sure these are."""

    known: IntArray
    coefficients: FloatArray
    rate: FloatArray
    spread: FloatArray
    covariance: FloatArray
    phi_variance: FloatArray
    steps: int
    difficulty: Mapping[str, float]


def _apart(games: LengthMatches) -> tuple[_FittedRate, tuple[Diagnostic, ...]]:
    """Fit each model by itself; a note says which cannot be fitted, and why.

    Fails when
        no model can be fitted.
    """
    units = games.units_of_models()
    fits: dict[int, LengthFit] = {}
    reasons: dict[str, list[str]] = {}
    for k, name in enumerate(games.models):
        try:
            if units[k] < FEWEST:
                raise DataError(f"fewer than {FEWEST} questions")
            fits[k] = fit_length(games.of(k))
        except DataError as error:
            reasons.setdefault(str(error), []).append(name)
    if not fits:
        reason, names = next(iter(reasons.items()))
        raise DataError(f"no model has a length-controlled win rate: {reason} ({some_of(names)})")
    known, found = np.array(list(fits), dtype=np.int64), list(fits.values())
    notes = tuple(
        warning("no-controlled-rate", f"No length-controlled win rate of {some_of(names)}: {reason}.", names)
        for reason, names in reasons.items()
    )
    return _FittedRate(
        known,
        np.array([fit.coefficients for fit in found]),
        np.array([fit.rate for fit in found]),
        np.array([fit.spread for fit in found]),
        games.covariance(known, [fit.rate_influence for fit in found]),
        np.diag(games.covariance(known, [fit.phi_influence for fit in found])),
        max(fit.steps for fit in found),
        {},
    ), notes


def _together(games: LengthMatches, known: IntArray) -> _FittedRate:
    """Fit again the models that can be fitted, all together with the difficulties of their questions."""
    if len(known) < LEAST_TOGETHER:
        raise ParameterError(
            Option("difficulty", "estimated"),
            f" needs at least {LEAST_TOGETHER} models, these are {len(known)}: give difficulties, or leave it out",
        )
    if games.question is None:
        raise ParameterError(Option("difficulty", "estimated"), " needs to know which question each match was on")
    asked = [games.questions_of(int(k)) for k in known]
    present, codes = np.unique(np.concatenate(asked), return_inverse=True)
    cuts = np.cumsum([len(each) for each in asked])[:-1]
    joint = estimate_difficulty([games.of(int(k)) for k in known], np.split(codes, cuts))
    names = [games.question.labels[k] for k in present]
    return _FittedRate(
        known,
        joint.coefficients,
        joint.rate,
        joint.spread,
        joint.rate_influence.T @ joint.rate_influence,
        (joint.phi_influence**2).sum(axis=0),
        joint.steps,
        dict(zip(names, joint.difficulty.tolist(), strict=True)),
    )


def _beware(games: LengthMatches, known: IntArray) -> tuple[Diagnostic, ...]:
    """Say where rates at equal length are read off outside the data, and where intervals are rough."""
    longer, shorter, few = [], [], []
    for k in known:
        judged = games.of(int(k))
        longer += [games.models[k]] * bool((judged.longer < 0).all())
        shorter += [games.models[k]] * bool((judged.longer > 0).all())
        won = float(judged.weight @ judged.score)
        few += [games.models[k]] * (min(won, float(judged.weight.sum()) - won) < FEW_DECIDED)
    outside = "so what would happen at equal length is read off outside the data."
    notes = [
        warning("never-equal-length", f"Answers of {some_of(names)} are {what} throughout, {outside}", names)
        for names, what in ((longer, "longer"), (shorter, "shorter"))
        if names
    ]
    if few:
        rough = f"Intervals are rough where fewer than {FEW_DECIDED} matches were won or lost: {some_of(few)}."
        notes.append(warning("few-decided", rough, few))
    return tuple(notes)


def _filled(values: FloatArray, known: IntArray, size: int) -> FloatArray:
    whole = np.full(size, np.nan)
    whole[known] = values
    return whole


def _filled_square(values: FloatArray, known: IntArray, size: int) -> FloatArray:
    whole = np.full((size, size), np.nan)
    whole[np.ix_(known, known)] = values
    return whole


def _ends(rate: FloatArray, stderr: FloatArray, level: float, degrees: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give intervals that are symmetric in log-odds: rates near 0 or 100 stay between them."""
    share = rate / 100
    odds = np.log(share / (1 - share))
    reach = two_sided_quantiles(level, degrees) * stderr / 100 / (share * (1 - share))
    low, high = (100 / (1 + np.exp(-(odds + side * reach))) for side in (-1, 1))
    return low, high


def _ranks(
    rate: FloatArray,
    covariance: FloatArray,
    known: IntArray,
    level: float,
    rng: np.random.Generator,
    degrees: FloatArray,
) -> tuple[IntArray, IntArray]:
    """Give ranks of the models that have a rate; the others may have any."""
    low, high = np.ones(len(rate), dtype=np.int64), np.full(len(rate), len(rate), dtype=np.int64)
    square = covariance[np.ix_(known, known)]
    low[known], best = rank_intervals(rate[known], square, level, None, rng, degrees[known])
    high[known] = best + len(rate) - len(known)
    return low, high
