"""Voting rules on ballots, tasks and games: one result for all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from equipoise.choice import ballot_rules, majority
from equipoise.choice.kemeny import kemeny
from equipoise.choice.lotteries import lottery_levels, maximal_lottery
from equipoise.choice.majority import Layers
from equipoise.choice.tally import ChoiceData, DuelTally, Margins, tally_of
from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import positive, whole
from equipoise.core.results import FloatArray, IntArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option

Rule = Literal[
    "kemeny", "schulze", "ranked-pairs", "copeland", "borda", "plurality", "approval", "runoff", "maximal-lottery"
]
"""How votes become an order."""
FEW_UNMET = 0.10
"""Share of pairs that no ballot compares above which sets and chances picture the gaps."""
MOST_BY_KEMENY = 60
"""Agents in one cycle up to which an exact order is looked for by itself."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SocialChoice(Result):
    """What voters, tasks or games choose.

    Attributes
    ----------
    rule
        How votes became an order.
    score
        What the rule counts for each agent; its place for rules that only give an order.
    layers
        The order with its ties: groups of names, best first.
    order
        One order, best first: within a group in the data's order.
    first
        Who comes first: several where the rule ties them, for Kemeny's rule who is first in some optimal order.
    p
        Chances of a maximal lottery; None for other rules.
    value, bound
        For Kemeny's rule the sum of margins of the order, and what no order exceeds; None for other rules.
    margins
        Agents x agents: what i has over j, in the unit of ``params["margins"]``.
    condorcet
        The agent that beats every other one; None where there is none.
    smith, schwartz, uncovered
        Names: the smallest set that beats everybody outside; the union of the smallest sets that nobody outside beats;
        those that nobody covers.
    """

    main: ClassVar[str] = "score"

    agents: tuple[str, ...]
    rule: Rule
    score: FloatArray
    layers: tuple[tuple[str, ...], ...]
    order: tuple[str, ...]
    first: tuple[str, ...]
    p: FloatArray | None
    value: float | None
    bound: float | None
    margins: FloatArray
    condorcet: str | None
    smith: tuple[str, ...]
    schwartz: tuple[str, ...]
    uncovered: tuple[str, ...]

    @property
    def winners(self) -> tuple[str, ...]:
        """Who comes first: several where the rule ties them."""
        return self.first

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, with the places that they share."""
        before = np.cumsum([0, *(len(layer) for layer in self.layers)])
        at = {name: k for k, name in enumerate(self.agents)}
        beats = (self.margins > 0).sum(axis=1)
        rows = [
            {
                "agent": name,
                "rank_low": int(before[k]) + 1,
                "rank_high": int(before[k + 1]),
                "score": float(self.score[at[name]]),
                "beats": int(beats[at[name]]),
                "smith": name in self.smith,
            }
            for k, layer in enumerate(self.layers)
            for name in layer
        ]
        return pl.DataFrame(rows)

    def summary(self) -> dict[str, object]:
        """Give the sets, and how good the order is."""
        return {
            "rule": self.rule, "layers": [list(layer) for layer in self.layers], "condorcet": self.condorcet,
            "smith": list(self.smith), "schwartz": list(self.schwartz), "uncovered": list(self.uncovered),
            "value": self.value, "bound": self.bound,
        }  # fmt: skip

    @property
    def answer(self) -> tuple[str, ...]:
        """Who beats everybody, or the smallest set that does; who is first by the rule."""
        return (majority_words(self), self._first())

    def _first(self) -> str:
        name, first = RULES[self.rule].title, self.winners
        if self.rule == "maximal-lottery" and self.p is not None and len(first) > 1:
            chances = sorted(((p, a) for p, a in zip(self.p, self.agents, strict=True) if p > 0), reverse=True)
            return f"No lottery beats this one: {some_of((f'{a} ({p:.0%})' for p, a in chances), 6)}."
        if len(first) == 1:
            return f"{first[0]} is first by {name}."
        return f"{len(first)} agents are tied for first by {name}: {some_of(first, 6)}."


def majority_words(choice: SocialChoice) -> str:
    """Say who beats everybody else, or which set does; nothing of the kind where most of that would be gaps."""
    n = len(choice.agents)
    if any(note.code == "incomplete-pairs" and note.severity == "warning" for note in choice.diagnostics):
        return "Too many pairs were never compared for majorities to name a winner."
    if choice.condorcet is not None:
        return f"{choice.condorcet} beats every other agent in more votes than not (Condorcet winner)."
    if len(choice.smith) == n:
        return "No majority order exists: every agent is in one cycle or tie with all others (Smith set of all)."
    return (
        f"No agent beats every other one; these {len(choice.smith)} beat all outside (Smith set):"
        f" {some_of(choice.smith, 6)}."
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """What single rules need to know."""

    margins: FloatArray
    approve: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a rule makes of votes, by positions."""

    layers: Layers
    score: FloatArray | None = None
    order: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    p: FloatArray | None = None
    value: float | None = None
    bound: float | None = None
    notes: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleKind:
    """A rule: how it is called in a sentence, what its score is, and how it chooses."""

    title: str
    score: str
    choose: Callable[[DuelTally, RuleOptions], Chosen] = field(repr=False)


def _by_scores(score: FloatArray) -> Chosen:
    return Chosen(majority.by_score(score), score)


def _kemeny(_: DuelTally, options: RuleOptions) -> Chosen:
    best = kemeny(options.margins, options.seconds)
    notes: tuple[Diagnostic, ...] = ()
    if not best.proved:
        text = (
            f"The Kemeny order is not proved best: its sum of margins is {best.value:.6g}, and none exceeds"
            f" {best.bound:.6g}."
        )
        notes = (warning("kemeny-gap", text, advice=[Advice("give it more time with ", Option("seconds"))]),)
    elif best.optima is not None and best.optima > 1:
        notes = (
            info("kemeny-ties", f"{best.optima:,} orders are equally good; agents that change places share a rank."),
        )
    elif best.optima is None:
        text = "No order is better than this one; whether others are as good is not known in a cycle of so many agents."
        notes = (info("kemeny-one-order", text),)
    return Chosen(best.layers, None, best.order, best.first, None, best.value, best.bound, notes)


def _ranked_pairs(tally: DuelTally, options: RuleOptions) -> Chosen:
    locked = majority.ranked_pairs(options.margins, ballot_rules.tie_breaking_order(tally))
    notes: tuple[Diagnostic, ...] = ()
    if locked.winners is None:
        text = "Too many margins are equal to try every order of locking them: another order may have another winner."
        notes = (warning("margin-tie", text),)
    elif set(locked.winners) != {locked.order[0]}:
        names = [tally.agents[i] for i in locked.winners]
        text = f"Equal margins decide who wins; in another order of locking them the winner is any of {some_of(names)}."
        notes = (warning("margin-tie", text, names),)
    return Chosen(tuple((i,) for i in locked.order), None, locked.order, notes=notes)


def _runoff(tally: DuelTally, _: RuleOptions) -> Chosen:
    run = ballot_rules.instant_runoff(ballot_rules.usable_ballots(tally, "an instant runoff"))
    if run.order is not None:
        return Chosen(tuple((i,) for i in run.order), None, run.order)
    rest = tuple(i for i in range(len(tally.agents)) if i not in run.winners)
    names = [tally.agents[i] for i in run.winners]
    text = f"Ties for the last place decide; under some way of breaking them each of these wins: {some_of(names)}."
    return Chosen((run.winners, rest) if rest else (run.winners,), notes=(info("runoff-ties", text, names),))


def _lottery(_: DuelTally, options: RuleOptions) -> Chosen:
    p = maximal_lottery(options.margins).p
    return Chosen(lottery_levels(options.margins), p, p=p)


RULES: Mapping[Rule, RuleKind] = {
    "kemeny": RuleKind("the Kemeny order", "place", _kemeny),
    "schulze": RuleKind("Schulze's rule", "place", lambda _, o: Chosen(majority.schulze(o.margins))),
    "ranked-pairs": RuleKind("ranked pairs", "place", _ranked_pairs),
    "copeland": RuleKind("Copeland's rule", "wins", lambda _, o: _by_scores(majority.copeland(o.margins))),
    "borda": RuleKind("Borda's rule", "points", lambda t, _: _by_scores(ballot_rules.borda(t))),
    "plurality": RuleKind(
        "plurality", "first votes",
        lambda t, _: _by_scores(ballot_rules.approval(ballot_rules.usable_ballots(t, "plurality"), 1)),
    ),
    "approval": RuleKind(
        "approval", "votes",
        lambda t, o: _by_scores(ballot_rules.approval(ballot_rules.usable_ballots(t, "approval"), o.approve)),
    ),
    "runoff": RuleKind("instant runoff", "place", _runoff),
    "maximal-lottery": RuleKind("the maximal lottery", "chance", _lottery),
}  # fmt: skip
"""All rules."""


@method(
    takes=("scores", "ballots", "rankings", "matches", "pairs"),
    answers="Which agent, or which order, do most tasks, voters or games prefer, by a voting rule?",
    reference="Young and Levenglick (1978); Schulze (2011); Tideman (1987); Brandl, Brandt and Seedig (2016)",
    checks={"approve": whole(1), "seconds": positive()},
    resampled="an order jumps; equipoise.choose resamples votes and says how often each agent is first",
)
def social_choice(
    data: ChoiceData,
    *,
    rule: Rule | None = None,
    margins: Margins | None = None,
    approve: int = 3,
    seconds: float = 30.0,
) -> SocialChoice:
    r"""Which agent, or which order, do most tasks, voters or games prefer?

    Every task of a score table is a ballot (a higher mean score is above, equal scores tie), and so is a voter's
    ranking, a race, or a game of two. Rules on pairs go by margins

    .. math:: M_{ij} = N_{ij} - N_{ji}, \qquad N_{ij} = \text{ballots with } i \text{ strictly above } j.

    Parameters
    ----------
    data
        Scores, ballots, rankings, matches or pair counts.
    rule
        ``kemeny`` (the order with the largest sum of margins, exactly), ``schulze``, ``ranked-pairs``, ``copeland``,
        ``borda``, ``plurality``, ``approval``, ``runoff`` (instant runoff: single transferable vote, one seat) or
        ``maximal-lottery``. By itself ``kemeny`` where no cycle has more than 60 agents, else ``borda``.
    margins
        ``count`` votes, their ``share`` of the votes of the pair, or only the ``sign``. By itself ``count`` where all
        pairs have equally many votes, else ``share``.
    approve
        How many first places of a ballot count for ``approval``.
    seconds
        Time for the Kemeny order of a large cycle; after it the best order so far is given with a bound.

    Returns
    -------
    SocialChoice
        Order, ties, chances, margins, and the sets that majorities define.

    Fails when
        there is one agent; no two are compared; a rule on whole ballots is asked of games of two. Pairs that nobody
        compares have a margin of 0, which reads as a tie: a diagnostic says how many, and where they are too many no
        lottery is given, for it would picture the gaps.

    References
    ----------
    Young and Levenglick (1978), A consistent extension of Condorcet's election principle. Schulze (2011), A new
    monotonic and clone-independent single-winner election method. Tideman (1987), Independence of clones as a
    criterion for voting rules. Brandl, Brandt and Seedig (2016), Consistent probabilistic social choice.

    Examples
    --------
    >>> import equipoise as eq
    >>> votes = eq.Ballots.from_orders(["MNCK", "NCKM", "CKNM", "KCNM"], weights=[42, 26, 15, 17])
    >>> eq.methods.social_choice(votes).order, eq.methods.social_choice(votes, rule="plurality").winners
    (('N', 'C', 'K', 'M'), ('M',))
    """
    tally = tally_of(data)
    table = tally.margins(margins)
    used = rule or default_rule(table)
    notes = (*data.diagnostics, *gap_notes(tally, used))
    chosen = RULES[used].choose(tally, RuleOptions(table, approve, seconds))
    order = chosen.order or tuple(i for layer in chosen.layers for i in layer)
    names = tally.agents
    winner = majority.condorcet_winner(table)
    kind = margins or ("count" if tally.even else "share")
    given = {"approve": approve} if used == "approval" else {}

    def named(positions: IntArray) -> tuple[str, ...]:
        return tuple(names[i] for i in positions)

    return SocialChoice(
        agents=names, rule=used, layers=tuple(tuple(names[i] for i in layer) for layer in chosen.layers),
        score=frozen(_places(chosen.layers) if chosen.score is None else chosen.score),
        order=tuple(names[i] for i in order), first=tuple(names[i] for i in chosen.first or chosen.layers[0]),
        p=None if chosen.p is None else frozen(chosen.p),
        value=chosen.value, bound=chosen.bound, margins=frozen(table),
        condorcet=None if winner is None else names[winner],
        smith=named(majority.smith_set(table)), schwartz=named(majority.schwartz_set(table)),
        uncovered=named(majority.uncovered_set(table)),
        params=frozen_params(rule=used, margins=kind, **given), diagnostics=(*notes, *chosen.notes),
    )  # fmt: skip


def default_rule(margins: FloatArray) -> Rule:
    """Kemeny's order where it can be expected to be proved, else the one that follows from mean shares."""
    return "kemeny" if max(map(len, majority.components(margins))) <= MOST_BY_KEMENY else "borda"


def _places(layers: Layers) -> FloatArray:
    """Give the mean of the places that each agent's group shares."""
    place = np.empty(sum(map(len, layers)))
    before = 0
    for layer in layers:
        place[list(layer)] = before + (len(layer) + 1) / 2
        before += len(layer)
    return place


def gap_notes(tally: DuelTally, rule: Rule) -> tuple[Diagnostic, ...]:
    """Say how many pairs nobody compares, and refuse a lottery where they are too many."""
    n, unmet = len(tally.agents), int(tally.unmet.sum()) // 2
    if not unmet:
        return ()
    pairs = n * (n - 1) // 2
    text = f"{unmet:,} of {pairs:,} pairs are compared nowhere and count as ties"
    if unmet <= FEW_UNMET * pairs:
        return (info("incomplete-pairs", f"{text}."),)
    if rule == "maximal-lottery":
        raise DataError(
            f"{text}: a maximal lottery of so many gaps would be a picture of the gaps",
            advice=[Advice("take ", Option("rule", "kemeny"), " or rate agents by Bradley-Terry, which bear gaps")],
        )
    bears = "" if rule in ("kemeny", "borda") else f"; {RULES[rule].title} does not bear that"
    return (
        warning(
            "incomplete-pairs", f"{text}: Condorcet winners and Smith sets say little of such data{bears}.",
            advice=[Advice("rate the agents (`equipoise rank`): Bradley-Terry bears gaps")],
        ),
    )  # fmt: skip
