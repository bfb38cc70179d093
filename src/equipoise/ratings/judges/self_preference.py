r"""Do judges prefer answers of their own organisation?

The indicator :math:`z = [\text{org}(a) = \text{org}(judge)] - [\text{org}(b) = \text{org}(judge)]` joins a
Bradley-Terry model as a covariate, as it is. Its coefficient compares judges with each other: by how much more a judge
favours answers of its organisation than judges from elsewhere do. One judge alone, or judges all of one house, cannot
tell it from strength.

References
----------
Panickssery, Bowman and Feng (2024), LLM evaluators recognize and favor their own generations.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ConvergenceError, DataError, ParameterError, some_of
from equipoise.core.results import Estimate, FloatArray, frozen
from equipoise.core.units import estimate_words, in_points
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.inference.confidence import holm
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.result import BradleyTerry

SIDES = ("organisation_a", "organisation_b")
JUDGE = ("organisation_judge", "judge_organisation", "organisation")
MOST_JUDGES = 100
"""Judges up to which each has a coefficient of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class SelfPreference:
    """Self-preference of judges for their organisation, in log-odds.

    Attributes
    ----------
    pooled
        The same for all judges.
    judges, votes
        Judges with votes on their own organisation against another, and how many.
    preference, stderr, low, high
        Of each of them; intervals one by one.
    p_value, flagged
        Of no preference, one by one; whom that singles out, all of them together at the level (Holm).
    """

    pooled: Estimate
    judges: tuple[str, ...]
    votes: FloatArray
    preference: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    flagged: np.ndarray

    def rows(self) -> list[dict[str, object]]:
        """Give a row for each judge, the largest preference first, in Elo points."""
        shown = {key: in_points(getattr(self, key)) for key in ("preference", "stderr", "low", "high")}
        numbers = {"votes": self.votes, **shown, "p_value": self.p_value}
        rows = [
            {
                "judge": name,
                **{key: float(values[k]) for key, values in numbers.items()},
                "flagged": bool(self.flagged[k]),
            }
            for k, name in enumerate(self.judges)
        ]
        return sorted(rows, key=lambda row: -float(str(row["preference"])))

    @property
    def words(self) -> tuple[str, ...]:
        """Whether there is self-preference, and whose."""
        found = self.pooled
        says = "" if found.low > 0 else "negative " if found.high < 0 else "not significant, "
        named = [name for name, flagged in zip(self.judges, self.flagged, strict=True) if flagged]
        who = f" Significant by judge, Holm-adjusted: {some_of(named)}." if named else ""
        return (f"Self-preference of judges for their own organisation: {says}{estimate_words(found)}.{who}",)


def own_side(matches: Matches, judge: Factor, organisation: Mapping[str, str] | None) -> FloatArray | None:
    """Give +1 where only the first side is of the judge's organisation, -1 where only the second is, else 0.

    Organisations are given by name for agents and judges, or stand in labels of the matches; None where they do not.
    """
    if organisation is not None:
        _refuse_unknown(matches, judge, organisation)
        house = np.array([organisation.get(name, f"\0agent {name}") for name in matches.agents])
        of_judge = np.array([organisation.get(name, f"\0judge {name}") for name in judge.labels])[judge.codes]
        return np.asarray((house[matches.a] == of_judge).astype(float) - (house[matches.b] == of_judge))
    at = next((name for name in JUDGE if name in matches.labels), None)
    if at is None or not all(name in matches.labels for name in SIDES):
        return None
    first, second, own = (_texts(matches.labels[name]) for name in (*SIDES, at))
    known = own != ""
    return np.asarray((known & (first == own)).astype(float) - (known & (second == own)))


def _refuse_unknown(matches: Matches, judge: Factor, organisation: Mapping[str, str]) -> None:
    for names, what in ((matches.agents, "agents"), (judge.labels, "judges")):
        if not any(name in organisation for name in names):
            raise ParameterError(
                Option("organisation"), f" names the organisation of none of the {what}, which are {some_of(names)}"
            )


def _texts(column: Factor) -> "np.ndarray":
    return np.array(column.labels)[column.codes]


def self_preference(
    matches: Matches, judge: Factor, z: FloatArray, *, side: bool, level: float
) -> tuple[SelfPreference | None, tuple[Diagnostic, ...]]:
    """Fit the pooled coefficient, then one for each judge; say where the votes cannot tell one."""
    if not z.any():
        return None, (info("no-own-answers", "No judge saw an answer of its own organisation against another's."),)
    try:
        pooled = _fitted(matches, {"own organisation": z}, side, level)
    except (DataError, ConvergenceError) as error:
        return None, (warning("self-preference-unknown", ("Self-preference cannot be estimated: ", *error.words, ".")),)
    found = np.bincount(judge.codes, matches.weights * (z != 0), len(judge.labels))
    with_own = np.flatnonzero(found > 0)
    coefficients = pooled.coefficients
    assert coefficients is not None  # covariates were asked for
    value = [float(part[0]) for part in (coefficients.value, coefficients.stderr, coefficients.low, coefficients.high)]
    notes: tuple[Diagnostic, ...] = ()
    each, degrees = np.full((4, 0), np.nan), np.inf
    if len(with_own) > MOST_JUDGES:
        message = f"{len(with_own):,} judges saw answers of their own organisation: only the pooled one is given."
        notes, with_own = (info("many-judges", message),), with_own[:0]
    elif len(with_own) == 1 and len(judge.labels) > 1:
        each, degrees = np.array(value)[:, None], _degrees(pooled)
    else:
        columns = {judge.labels[k]: z * (judge.codes == k) for k in with_own}
        try:
            apart = _fitted(matches, columns, side, level)
            own = apart.coefficients
            assert own is not None
            each, degrees = np.stack([own.value, own.stderr, own.low, own.high]), _degrees(apart)
        except (DataError, ConvergenceError):
            message = "The votes do not tell a preference for each judge: only the pooled one is given."
            advice = [Advice("judges of further organisations on the same answers would tell")]
            notes, with_own = (warning("no-preference-by-judge", message, advice=advice),), with_own[:0]
    ratio = np.abs(each[0]) / np.where(each[1] > 0, each[1], np.inf)
    p = np.asarray(2 * (scipy.special.ndtr(-ratio) if np.isinf(degrees) else scipy.special.stdtr(degrees, -ratio)))
    parts = (found[with_own], *each, p, holm(p) <= 1 - level)
    names = tuple(judge.labels[k] for k in with_own)
    return SelfPreference(Estimate(*value), names, *map(frozen, parts)), notes


def _fitted(matches: Matches, columns: Mapping[str, FloatArray], side: bool, level: float) -> BradleyTerry:
    return bradley_terry(matches, side=side, covariates=dict(columns), level=level)


def _degrees(fit: BradleyTerry) -> float:
    return float(np.min(fit.degrees))
