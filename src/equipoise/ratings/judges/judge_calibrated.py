r"""A judge that is a model, calibrated on people: prediction-powered ratings, right whatever the judge does.

Of each pair, with n people's votes Y, the judge's f on the same prompts, and its f on N others,

.. math::
    m = \bar Y_n + \lambda (\bar f_N - \bar f_n), \qquad
    \lambda = \frac{\mathrm{Cov}(Y, f)}{(1 + n / N)\, \mathrm{Var} f},

with :math:`\lambda` from the other folds of prompts (cross-fitted). Ratings solve the score equations of Bradley-Terry
with m in the place of the mean vote; errors are clustered by prompt and voter. A judge that knows nothing has
:math:`\lambda` near 0 and changes nothing; where people's votes are a random part of what the judge saw, a biased one
does not bias the ratings.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.errors import DataError
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT
from equipoise.core.wording import counted
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.tastes import WEAK, laplacian, strengths
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES, found_column

FOLDS, FEWEST, FEWEST_OF_PAIR = 5, 20, 30
"""Folds of prompts; people's votes that the judge saw, at least; and those of a pair with a coefficient of its own."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CalibratedJudge(Result):
    """People's ratings with the help of a judge, beside those of people alone; ratings in log-odds.

    Attributes
    ----------
    agents
        In the order of people's matches.
    rating, low, high
        By both.
    people, people_low, people_high
        By people's votes alone, with errors of the same kind.
    pairs
        First and second agent, people's mean vote, the judge's on the same prompts and on others, and the calibrated.
    agreement
        Share of people's votes with a winner on which the judge has the same.
    correlation
        Between people's votes and the judge's, within pairs.
    votes, others
        People's votes that the judge saw, and what it judged besides.
    worth
        People's votes that the judge's are worth; at most the squared correlation times ``others``.
    """

    rows_name: ClassVar[str] = "agents"
    main: ClassVar[str] = "rating"

    agents: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    high: FloatArray
    people: FloatArray
    people_low: FloatArray
    people_high: FloatArray
    pairs: tuple[tuple[str, str, float, float, float, float], ...]
    agreement: float
    correlation: float
    votes: int
    others: int
    worth: float
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, in Elo points."""
        names = ("rating", "low", "high", "people", "people_low", "people_high")
        columns = {name: getattr(self, name) / ELO_POINT for name in names}
        return pl.DataFrame({"agent": list(self.agents), **columns}).sort("rating", descending=True)

    def summary(self) -> dict[str, object]:
        """Give agreement, correlation, and what the judge is worth."""
        return {name: getattr(self, name) for name in ("agreement", "correlation", "votes", "others", "worth")}

    @property
    def answer(self) -> tuple[str, ...]:
        """What the judge's votes are worth, and how far it agrees."""
        return (
            f"{counted(self.others, 'judge vote')} {'is' if self.others == 1 else 'are'} worth "
            f"{counted(round(self.worth), 'vote')} of people here, beside {self.votes:,} that people gave.",
            f"Where both voted, the judge agrees with {self.agreement:.0%} of people's votes with a winner "
            f"(correlation within pairs {self.correlation:.2f}).",
        )


@dataclass(frozen=True, slots=True, eq=False)
class BothVoted:
    """Votes as pairs in one order: people's with the judge's beside them, and what else the judge judged.

    ``prompts`` are the names behind the codes.
    """

    pair: IntArray
    vote: FloatArray
    seen: FloatArray
    prompt: IntArray
    voter: IntArray
    other_pair: IntArray
    other: FloatArray
    other_prompt: IntArray
    first: IntArray
    second: IntArray
    prompts: tuple[str, ...]


def judge_calibrated(
    people: Matches, judge: Matches, *, voter: str | None = None, item: str | None = None, level: float = 0.95
) -> CalibratedJudge:
    """Rate agents by people's votes with the help of a judge that saw more.

    Parameters
    ----------
    people, judge
        Votes, each with what was judged; several of the judge on one item and pair (both orders) are averaged.
    voter, item
        Labels that say who voted and on what; by default those with usual names, or the task.
    level
        Of the intervals.

    Fails when
        the judge saw fewer than 20 of people's votes, or nothing besides.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference.

    Examples
    --------
    >>> import equipoise as eq
    >>> task = [f"q{k}" for k in range(60)]
    >>> judge = eq.Matches.from_columns("x" * 60, "y" * 60, [1, 1, 0] * 20, task=task)
    >>> people = eq.Matches.from_columns("x" * 24, "y" * 24, [1, 0, 0] * 8, task=task[:24])
    >>> found = eq.judge_calibrated(people, judge)
    >>> round(found.agreement, 2), found.votes, found.others
    (0.67, 24, 36)
    """
    both = both_voted(people, judge, voter, item)
    n, pairs = len(both.pair), len(both.first)
    zero = np.zeros((FOLDS, pairs))
    fold = both.prompt % FOLDS
    weights = _coefficients(both, fold)
    ours, plain = _PairFit(both, fold, weights, len(people.agents)), _PairFit(both, fold, zero, len(people.agents))
    degrees = max(min(len(np.unique(both.prompt)), len(np.unique(both.voter))) - 1, 1)
    z = float(scipy.stats.t.ppf(0.5 + level / 2.0, degrees))
    residual = both.vote - _pair_means(both.pair, both.vote, pairs)[both.pair]
    judged = both.seen - _pair_means(both.pair, both.seen, pairs)[both.pair]
    spread = np.sqrt((residual**2).sum() * (judged**2).sum())
    rho = float((residual * judged).sum() / spread) if spread > 0 else 0.0
    won = (both.vote != 0.5) & (both.seen != 0.5)
    agreement = (
        float((np.sign(both.vote - 0.5) == np.sign(both.seen - 0.5))[both.vote != 0.5].mean()) if won.any() else 0.0
    )
    gain = n * (float((plain.error**2).sum()) / max(float((ours.error**2).sum()), 1e-12) - 1.0)
    means = zip(
        both.first, both.second, _pair_means(both.pair, both.vote, pairs), _pair_means(both.pair, both.seen, pairs),
        _pair_means(both.other_pair, both.other, pairs), ours.mean, strict=True,
    )  # fmt: skip
    return CalibratedJudge(
        agents=people.agents, rating=frozen(ours.rating), low=frozen(ours.rating - z * ours.error),
        high=frozen(ours.rating + z * ours.error), people=frozen(plain.rating),
        people_low=frozen(plain.rating - z * plain.error), people_high=frozen(plain.rating + z * plain.error),
        pairs=tuple((people.agents[i], people.agents[j], *map(float, rest)) for i, j, *rest in means),
        agreement=agreement, correlation=rho, votes=n, others=len(both.other),
        worth=min(max(gain, 0.0), rho**2 * len(both.other)), interval=Interval("cluster-robust", level),
        params=frozen_params(voter=voter, item=item, level=level),
    )  # fmt: skip


def both_voted(people: Matches, judge: Matches, voter: str | None = None, item: str | None = None) -> BothVoted:
    """Put the judge's votes beside people's on the same answers.

    Fails when
        the judge saw fewer than 20 of people's votes, or nothing besides.
    """
    who = found_column(people, "voter", voter, JUDGES) or Factor.of([str(k) for k in range(len(people))])
    what, theirs = (found_column(one, "item", item, ITEMS) or one.task for one in (people, judge))
    if what is None or theirs is None:
        raise DataError("nothing says on what people and the judge voted: give them a column such as prompt")
    place = {name: k for k, name in enumerate(people.agents)}
    judged: dict[tuple[int, int, str], list[float]] = {}
    for k in range(len(judge)):
        a, b = place.get(judge.agents[judge.a[k]]), place.get(judge.agents[judge.b[k]])
        if a is not None and b is not None:
            score = float(judge.outcome[k])
            key = min(a, b), max(a, b), theirs.labels[theirs.codes[k]]
            judged.setdefault(key, []).append(score if a < b else 1.0 - score)
    prompts: dict[str, int] = {}
    numbers: dict[tuple[int, int], int] = {}
    rows, used = [], set()
    for k in range(len(people)):
        a, b, name = int(people.a[k]), int(people.b[k]), what.labels[what.codes[k]]
        key = min(a, b), max(a, b), name
        if key in judged:
            used.add(key)
            score = float(people.outcome[k])
            at = numbers.setdefault(key[:2], len(numbers)), prompts.setdefault(name, len(prompts))
            rows.append((at[0], score if a < b else 1.0 - score, float(np.mean(judged[key])), at[1], int(who.codes[k])))
    others = [
        (numbers[key[:2]], float(np.mean(scores)), prompts.setdefault(key[2], len(prompts)))
        for key, scores in judged.items() if key not in used and key[:2] in numbers
    ]  # fmt: skip
    if len(rows) < FEWEST or not others:
        raise DataError(
            f"a judge is calibrated on {FEWEST} of people's votes that it saw, and something besides: there are "
            f"{len(rows)} and {len(others)}"
        )
    pair, vote, seen, prompt, voters = (np.array(column) for column in zip(*rows, strict=True))
    other_pair, other, other_prompt = (np.array(column) for column in zip(*others, strict=True))
    first, second = np.array([*numbers]).T
    return BothVoted(pair, vote, seen, prompt, voters, other_pair, other, other_prompt, first, second, tuple(prompts))


def _pair_means(pair: IntArray, value: FloatArray, pairs: int) -> FloatArray:
    counts = np.bincount(pair, minlength=pairs)
    return np.asarray(np.bincount(pair, value, pairs) / np.maximum(counts, 1))


def _coefficients(both: BothVoted, fold: IntArray) -> FloatArray:
    """Give the coefficient of each fold and pair from the other folds; of pairs with few votes that of all pairs."""
    pairs = len(both.first)
    counts = np.bincount(both.other_pair, minlength=pairs)
    made = np.zeros((FOLDS, pairs))
    for k in range(FOLDS):
        kept = fold != k
        pair, vote, seen = both.pair[kept], both.vote[kept], both.seen[kept]
        y = vote - _pair_means(pair, vote, pairs)[pair]
        f = seen - _pair_means(pair, seen, pairs)[pair]
        n = np.bincount(pair, minlength=pairs)
        cov, var = np.bincount(pair, y * f, pairs), np.bincount(pair, f * f, pairs)
        common = cov.sum() / var.sum() if var.sum() > 0 else 0.0
        own = np.divide(cov, var, out=np.full(pairs, common), where=var > 1e-9)
        slope = np.where(n >= FEWEST_OF_PAIR, own, common)
        # A pair of which the judge saw nothing else has nothing to gain.
        made[k] = np.where(
            counts > 0, slope / (1.0 + np.bincount(both.pair, minlength=pairs) / np.maximum(counts, 1)), 0
        )
    return np.clip(made, -2.0, 2.0)


class _PairFit:
    """Ratings with their errors, for given coefficients.

    Attributes
    ----------
    mean
        Of each pair.
    rating, error
        Of each agent around the mean of all, and its standard error.
    """

    def __init__(self, both: BothVoted, fold: IntArray, weights: FloatArray, agents: int) -> None:
        pairs = len(both.first)
        n = np.bincount(both.pair, minlength=pairs)
        other_n = np.maximum(np.bincount(both.other_pair, minlength=pairs), 1)
        own = weights[fold, both.pair]
        shared = np.bincount(both.pair, own, pairs) / n  # of the judge's other votes: the mean over folds
        other_mean = _pair_means(both.other_pair, both.other, pairs)
        self.mean = _pair_means(both.pair, both.vote - own * both.seen, pairs) + shared * other_mean
        rating = strengths(both.first, both.second, self.mean, n.astype(np.float64), agents)
        p = 1.0 / (1.0 + np.exp(rating[both.second] - rating[both.first]))
        q = np.zeros((agents, agents))
        np.add.at(q, (both.first, both.second), n * p * (1.0 - p))
        bread = np.linalg.inv(laplacian(q + q.T) + WEAK * np.eye(agents))
        mine = both.vote - own * both.seen - (p - shared * other_mean)[both.pair]
        theirs = (n * shared / other_n)[both.other_pair] * (both.other - other_mean[both.other_pair])
        score = _spread_out(both, np.concatenate([both.pair, both.other_pair]), np.concatenate([mine, theirs]), agents)
        prompts = np.concatenate([both.prompt, both.other_prompt])
        alone = both.voter.max() + 1 + np.arange(len(theirs))
        voters = np.concatenate([both.voter, alone])
        centre = (np.eye(agents) - 1.0 / agents) @ bread
        kinds = [_meat(score, prompts), _meat(score, voters)]
        crossed = np.unique(np.column_stack([prompts, voters]), axis=0, return_inverse=True)[1].ravel()
        kinds.append(kinds[0] + kinds[1] - _meat(score, crossed))
        # The subtraction is noisy: never less than by one of the two.
        variance = np.max([np.diag(centre @ meat @ centre.T) for meat in kinds], axis=0)
        self.rating = rating - rating.mean()
        self.error = np.sqrt(np.maximum(variance, 0.0))


def _spread_out(both: BothVoted, pair: IntArray, value: FloatArray, agents: int) -> FloatArray:
    score = np.zeros((len(pair), agents))
    rows = np.arange(len(pair))
    score[rows, both.first[pair]] += value
    score[rows, both.second[pair]] -= value
    return score


def _meat(score: FloatArray, group: IntArray) -> FloatArray:
    codes = np.unique(group, return_inverse=True)[1].ravel()
    groups = int(codes.max()) + 1
    sums = np.zeros((groups, score.shape[1]))
    np.add.at(sums, codes, score)
    return np.asarray(groups / max(groups - 1, 1) * sums.T @ sums)
