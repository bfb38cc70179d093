"""Checks on voters: fans of one agent, always one side, against everybody, at random, too fast, copies, gold questions.

Each check has its share of ``1 - level``, and within it all voters together (Holm), so that the chance of accusing
anybody who votes by ordinary taste is at most ``1 - level``. Who has too few votes for a check *could not be checked*
by it: no votes that they could have cast would have been found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy

from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Result, frozen_params
from equipoise.core.wording import counted
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.inference.confidence import holm
from equipoise.ratings.judges.tastes import MEDIAN, VoterTastes, VoterVotes, all_won, averaged_tail, voter_tastes
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES, found_column

CHECKS: Mapping[str, str] = {
    "fan": "votes for one agent", "side": "votes for one side", "against": "votes against everybody",
    "random": "votes without regard to strength", "fast": "votes too fast", "copy": "votes as somebody else does",
    "gold": "fails questions whose answer is known",
}  # fmt: skip
"""Checks, and what they are about."""
FAST = 3.0
"""Seconds below which most votes of somebody are too fast for reading two answers."""
FEWEST_COMMON, ALIKE = 10, 0.9
"""Items that two voters must have in common to be called copies, and the share of equal votes from which they are."""
GUESS = 0.05
"""Least share of wrong answers to gold questions that is ordinary: a slip of the finger."""
State = Literal["ok", "flagged", "unchecked"]


@dataclass(frozen=True, slots=True)
class VoterCheck:
    """One check of one voter.

    Attributes
    ----------
    voter, check
        Who, and one of :data:`CHECKS`.
    state
        ``flagged``, ``ok``, or ``unchecked`` where nothing could have been found.
    p_value
        One by one; of the agent (the other voter) that stands out most.
    adjusted
        All voters of this check together (Holm).
    about
        The agent, the side or the other voter.
    """

    voter: str
    check: str
    state: State
    p_value: float
    adjusted: float
    about: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class VoterChecks(Result):
    """What the checks say of each voter.

    Attributes
    ----------
    checks
        Each check of each voter.
    taste
        Standard deviation of ordinary taste between voters, in log-odds.
    voters
        Their names.
    """

    rows_name: ClassVar[str] = "checks"
    main: ClassVar[str] = "adjusted"

    checks: tuple[VoterCheck, ...]
    taste: float
    voters: tuple[str, ...]

    @property
    def flagged(self) -> tuple[VoterCheck, ...]:
        """What stands out, the surest first."""
        return tuple(sorted((one for one in self.checks if one.state == "flagged"), key=lambda one: one.adjusted))

    def unchecked(self) -> dict[str, int]:
        """Count the voters whom each check could not check."""
        return {kind: sum(one.check == kind and one.state == "unchecked" for one in self.checks) for kind in CHECKS}

    def frame(self) -> "pl.DataFrame":
        """Give one row for each check of each voter."""
        columns = ("voter", "check", "state", "p_value", "adjusted", "about")
        return pl.DataFrame({name: [getattr(one, name) for one in self.checks] for name in columns})

    def summary(self) -> dict[str, object]:
        """Give the spread of taste, and counts."""
        return {"taste": self.taste, "voters": len(self.voters), "flagged": len(self.flagged)}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who stands out, and who could not be checked for what."""
        said = [
            f"{one.voter} {CHECKS[one.check]}{f' ({one.about})' if one.about else ''}, p = {one.adjusted:.2g}"
            for one in self.flagged
        ]
        known = {one.check for one in self.checks}
        first = f"Of {counted(len(self.voters), 'voter')}, these stand out (Holm-adjusted): {some_of(said)}."
        none = (
            f"None of {counted(len(self.voters), 'voter')} stands out; ordinary taste has a spread of {self.taste:.2f}."
        )
        left = [f"{kind}: {n:,}" for kind, n in self.unchecked().items() if n and kind in known]
        few = f"Too few votes to be checked, by check: {', '.join(left)}; that says nothing against anybody."
        return (first if said else none, *((few,) if left else ()))


def voter_checks(
    matches: Matches,
    *,
    voter: str | None = None,
    item: str | None = None,
    seconds: FloatArray | None = None,
    gold: Mapping[str, tuple[int, int]] | None = None,
    level: float = 0.95,
) -> VoterChecks:
    """Which voters stand out from what ordinary taste explains?

    Parameters
    ----------
    matches
        Votes, one row each.
    voter, item
        Labels that say who voted and on what; by default those with usual names.
    seconds
        How long each vote took.
    gold
        Right answers and questions of each voter who was asked questions whose answer is known.
    level
        Probability that nobody is accused who votes by ordinary taste.

    Fails when
        nothing says who voted.
    """
    who = found_column(matches, "voter", voter, JUDGES)
    if who is None:
        raise DataError("nothing says who voted")
    what = found_column(matches, "item", item, ITEMS)
    tastes = voter_tastes(matches, who)
    found: dict[str, list[tuple[str, float, float, str]]] = {
        "fan": _fans(matches, tastes), "side": _sides(matches, tastes), **_agreeing(tastes, matches),
    }  # fmt: skip
    if seconds is not None:
        found["fast"] = _fast(who, np.asarray(seconds, dtype=np.float64))
    if what is not None:
        found["copy"] = _copies(matches, who, what)
    if gold:
        found["gold"] = _gold(gold)
    alpha = (1.0 - level) / len(found)
    checks = [one for kind, rows in found.items() for one in _judged(kind, rows, alpha)]
    return VoterChecks(
        checks=tuple(checks), taste=float(np.sqrt(tastes.variance)), voters=who.labels,
        params=frozen_params(voter=voter, item=item, level=level),
    )  # fmt: skip


def _judged(kind: str, rows: list[tuple[str, float, float, str]], alpha: float) -> list[VoterCheck]:
    """Adjust all p-values of a check together; each voter's state is that of what stands out most.

    A row is a voter, a p-value, the least p-value that their votes could have had, and what it is about.
    """
    if not rows:
        return []
    adjusted = holm(np.array([p for _, p, _, _ in rows]))
    by_voter: dict[str, VoterCheck] = {}
    for (name, p, least, about), together in zip(rows, adjusted.tolist(), strict=True):
        state: State = "flagged" if together <= alpha else "ok" if least * len(rows) <= alpha else "unchecked"
        mine = VoterCheck(name, kind, state, p, together, about if state == "flagged" else "")
        by_voter[name] = min(by_voter.get(name, mine), mine, key=_urgency)
    return list(by_voter.values())


def _urgency(one: VoterCheck) -> tuple[int, float]:
    return ("flagged", "ok", "unchecked").index(one.state), one.adjusted


def _fans(matches: Matches, tastes: VoterTastes) -> list[tuple[str, float, float, str]]:
    rows = []
    for name, one in zip(tastes.voter.labels, tastes.each, strict=True):
        a, b, score = matches.a[one.rows], matches.b[one.rows], matches.outcome[one.rows]
        for agent in np.flatnonzero(one.information > 1.0):
            mine, theirs = a == agent, b == agent
            p = np.concatenate([one.expected[mine], 1.0 - one.expected[theirs]])
            won = score[mine].sum() + (1.0 - score[theirs]).sum()
            p_value, least = _tails(p, won, one, tastes.variance, int(agent))
            rows.append((name, p_value, least, matches.agents[agent]))
    return rows


def _tails(p: FloatArray, won: float, one: VoterVotes, variance: float, agent: int) -> tuple[float, float]:
    """Give the tail of so many wins, and of winning everything; ties count for less than a win, which is cautious."""
    shift = variance * (1.0 + 1.0 / max(int(one.opponents[agent]), 1))
    shift += float(one.unsure[agent]) / max(float(one.information[agent]) ** 2, 1e-12)
    p = np.clip(p, 1e-9, 1.0 - 1e-9)
    least = all_won(p, shift)
    return _upper(p, won, shift), least


def _sides(matches: Matches, tastes: VoterTastes) -> list[tuple[str, float, float, str]]:
    """Compare each voter's votes for the first side with everybody's, ordinary habits of sides estimated."""
    residual = np.concatenate([matches.outcome[one.rows] - one.expected for one in tastes.each])
    q = np.concatenate([one.expected * (1.0 - one.expected) for one in tastes.each])
    common = float(residual.sum() / q.sum())
    each = [
        (float((matches.outcome[one.rows] - one.expected - common * v).sum()), float(v.sum()))
        for one in tastes.each if (v := one.expected * (1.0 - one.expected)) is not None
    ]  # fmt: skip
    variance = _habit(np.array([s for s, _ in each]), np.array([v for _, v in each]))
    rows = []
    for name, one in zip(tastes.voter.labels, tastes.each, strict=True):
        first = np.clip(_shifted(one.expected, common), 1e-9, 1.0 - 1e-9)
        won, n = float(matches.outcome[one.rows].sum()), len(one.rows)
        up, down = (_upper(p, k, variance) for p, k in ((first, won), (1.0 - first, n - won)))
        least = min(all_won(first, variance), all_won(1.0 - first, variance))
        rows.append((name, min(1.0, 2.0 * min(up, down)), min(1.0, 2.0 * least), "first" if up < down else "second"))
    return rows


def _upper(p: FloatArray, won: float, variance: float) -> float:
    """Give the tail of so many wins where they are more than a standard deviation beyond what is expected."""
    q = float((p * (1.0 - p)).sum())
    if won <= p.sum() + np.sqrt(q + variance * q**2):
        return 1.0
    return averaged_tail(p, int(np.floor(won)), variance)


def _shifted(p: FloatArray, by: float) -> FloatArray:
    odds = p / (1.0 - p) * np.exp(by)
    return np.asarray(odds / (1.0 + odds))


def _habit(total: FloatArray, information: FloatArray) -> float:
    """Solve for the variance of a habit between voters: median S^2 / (V + tau^2 V^2) is that of a normal."""
    kept = information > 1.0
    if kept.sum() < 2 or np.median(total[kept] ** 2 / information[kept]) <= MEDIAN:
        return 0.0
    low, high = 0.0, 25.0
    for _ in range(60):
        middle = (low + high) / 2.0
        ratio = np.median(total[kept] ** 2 / (information[kept] + middle * information[kept] ** 2))
        low, high = (middle, high) if ratio > MEDIAN else (low, middle)
    return high


def _agreeing(tastes: VoterTastes, matches: Matches) -> dict[str, list[tuple[str, float, float, str]]]:
    """Count votes against the favourite of each pair.

    More than half is against everybody, and far more than ordinary is clicking at random; habits of agreeing are
    estimated, as habits of sides are.
    """
    cells = []
    for one in tastes.each:
        x = one.rating[matches.a[one.rows]] - one.rating[matches.b[one.rows]]
        score = matches.outcome[one.rows]
        upset = np.clip(np.where(x >= 0, 1.0 - one.expected, one.expected), 1e-9, 0.5)
        cells.append((upset, float(np.where(x >= 0, 1.0 - score, score).sum())))
    q = np.array([float((upset * (1.0 - upset)).sum()) for upset, _ in cells])
    variance = _habit(np.array([won - upset.sum() for upset, won in cells]), q)
    against, by_chance = [], []
    for name, (upset, won) in zip(tastes.voter.labels, cells, strict=True):
        n, even = len(upset), np.full(len(upset), 0.5)
        against.append((name, _upper(even, won, 0.0), 0.5**n, ""))
        by_chance.append((name, _upper(upset, won, variance), _upper(upset, n / 2.0, variance), ""))
    return {"against": against, "random": by_chance}


def _fast(who: Factor, seconds: FloatArray) -> list[tuple[str, float, float, str]]:
    """Compare speeds: habits differ, so that only who is far faster than voters are, and too fast to read, is named."""
    logs = np.log(np.maximum(seconds, 0.05))
    means = np.array([np.median(logs[who.codes == code]) for code in range(len(who.labels))])
    middle = float(np.median(means))
    spread = max(1.4826 * float(np.median(np.abs(means - middle))), 0.1)
    rows = []
    for name, mean in zip(who.labels, means.tolist(), strict=True):
        p = float(scipy.stats.t.cdf((mean - middle) / spread, max(len(means) - 1, 1)))
        least = float(scipy.stats.t.cdf((np.log(0.05) - middle) / spread, max(len(means) - 1, 1)))
        rows.append((name, p if np.exp(mean) < FAST else 1.0, least, f"{np.exp(mean):.1f} s"))
    return rows


def _copies(matches: Matches, who: Factor, what: Factor) -> list[tuple[str, float, float, str]]:
    """Compare votes of two voters on the same pair and prompt with how often any two agree there."""
    votes: list[dict[tuple[int, int, int], float]] = [{} for _ in who.labels]
    for k in range(len(matches)):
        a, b = int(matches.a[k]), int(matches.b[k])
        low, score = (a < b), float(matches.outcome[k])
        votes[who.codes[k]][min(a, b), max(a, b), int(what.codes[k])] = score if low else 1.0 - score
    pairs = []
    for i, mine in enumerate(votes):
        for j in range(i):
            common = mine.keys() & votes[j].keys()
            if len(common) >= FEWEST_COMMON:
                pairs.append((i, j, len(common), sum(mine[at] == votes[j][at] for at in common)))
    if len(pairs) < 3:
        return []
    shares = np.array([same / n for _, _, n, same in pairs])
    usual, counts = float(np.median(shares)), np.array([n for _, _, n, _ in pairs])
    plain = usual * (1.0 - usual) / counts
    extra = max(float(np.median((shares - usual) ** 2 / MEDIAN - plain)), 0.0)
    rows = []
    for (i, j, n, _), share, variance in zip(pairs, shares.tolist(), (plain + extra).tolist(), strict=True):
        z, most = ((one - usual) / np.sqrt(max(variance, 1e-6)) for one in (share, 1.0))
        p = float(scipy.stats.norm.sf(z)) if share >= ALIKE else 1.0
        exact = float(scipy.stats.binom.sf(round(share * n) - 1, n, usual))
        rows.append((who.labels[i], max(p, exact), float(scipy.stats.norm.sf(most)), who.labels[j]))
    return rows


def _gold(gold: Mapping[str, tuple[int, int]]) -> list[tuple[str, float, float, str]]:
    """Compare wrong answers with those of the others, a slip now and then granted."""
    rows = []
    asked, right = sum(n for _, n in gold.values()), sum(k for k, _ in gold.values())
    for name, (k, n) in gold.items():
        usual = max((asked - n - right + k) / max(asked - n, 1), GUESS)
        rows.append((name, float(scipy.stats.binom.sf(n - k - 1, n, usual)), usual**n, f"{n - k} of {n} wrong"))
    return rows
