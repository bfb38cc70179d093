"""Whom do tasks, voters or games choose? One voting rule, what the others say, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, get_args

import numpy as np

from equipoise.analyses.analysis import Analysis, each_once
from equipoise.analyses.source import is_data, open_source
from equipoise.choice import majority
from equipoise.choice.certainty import (
    Outcome,
    Stability,
    independent_votes,
    pair_p_values,
    resampled,
    stability,
    winner_p_values,
)
from equipoise.choice.social_choice import RULES, Rule, RuleOptions, SocialChoice, majority_words, social_choice
from equipoise.choice.tally import DuelTally, Margins, tally_of
from equipoise.core.diagnostics import info
from equipoise.core.errors import EquipoiseError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import LEVEL, check, choice, generator, positive, whole
from equipoise.core.results import FloatArray, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.readers.recognise import recognise, recognise_frame
from equipoise.data.types.orders import Ballots, Unnamed
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

SAMPLES = 200
"""Bootstrap samples where nobody says how many."""
QUICK = {"kemeny": 12, "runoff": 12, "maximal-lottery": 40, "ranked-pairs": 40, "schulze": 200}
"""Agents up to which a rule is computed again in every sample without being asked to; other rules always are."""
COMPARED = 16
"""Agents in one cycle up to which Kemeny's order is found beside another rule."""
PASSES, MOST_CELLS = 20, 1e7
"""How often a bootstrap sample goes through the table of pairs, and how many cells it may look at unasked."""
NOT_UNASKED = info(
    "no-samples", "Bootstrap samples would take long here, and none are drawn unasked.",
    advice=[Advice("ask for some with ", Option("n"))],
)  # fmt: skip
"""Said where so many agents or votes have no bootstrap range."""
UNITS = {"scores": "tasks", "ballots": "ballots", "rankings": "races"}
"""What is drawn again, by the kind of data; games otherwise."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class VotingBoard(Analysis):
    """Who is chosen, by which rules, and how sure that is.

    Attributes
    ----------
    chosen
        The choice of the rule that was asked for.
    others
        Choices of the other rules that fit such data, by name.
    tally
        Votes of each pair.
    p_values
        P-values of the test that an agent beats every other one; None where votes are no independent draws.
    stability
        What bootstrap samples choose; None where they would take too long.
    level
        Of the bands.
    """

    main: ClassVar[str] = "chosen"

    chosen: SocialChoice
    others: Mapping[str, SocialChoice]
    tally: DuelTally
    p_values: FloatArray | None
    stability: Stability | None
    level: float

    @property
    def agents(self) -> tuple[str, ...]:
        """Names, in the data's order."""
        return self.chosen.agents

    @property
    def order(self) -> tuple[str, ...]:
        """One order, best first."""
        return self.chosen.order

    @property
    def layers(self) -> tuple[tuple[str, ...], ...]:
        """The order with its ties."""
        return self.chosen.layers

    @property
    def p(self) -> FloatArray | None:
        """Chances of a maximal lottery."""
        return self.chosen.p

    @property
    def margins(self) -> FloatArray:
        """What each agent has over each other one."""
        return self.chosen.margins

    @property
    def condorcet(self) -> str | None:
        """Who beats every other agent."""
        return self.chosen.condorcet

    @property
    def smith(self) -> tuple[str, ...]:
        """The smallest set that beats everybody outside."""
        return self.chosen.smith

    @property
    def rules(self) -> Mapping[str, SocialChoice]:
        """All rules that were computed, the one that was asked for first."""
        return {self.chosen.rule: self.chosen, **self.others}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who beats everybody, where rules agree and disagree, and how sure that is."""
        return (majority_words(self.chosen), self._rules_words(), *self._sure())

    def _rules_words(self) -> str:
        """Group the rules by whom they put first."""
        if not self.others:
            return self.chosen.answer[-1]
        by_first: dict[tuple[str, ...], list[str]] = {}
        for name, result in self.rules.items():
            by_first.setdefault(tuple(sorted(result.winners)), []).append(RULES[_rule(name)].title)
        if len(by_first) == 1:
            (first,) = by_first
            who = first[0] if len(first) == 1 else f"a tie of {some_of(first)}"
            return f"All {len(self.rules)} rules put {who} first."
        said = [f"{' and '.join(first) if len(first) < 4 else f'{len(first)} agents'} by {_listed(rules)}"
                for first, rules in by_first.items()]  # fmt: skip
        return f"Rules disagree on who is first: {'; '.join(said)}."

    def _sure(self) -> tuple[str, ...]:
        winner = self.chosen.condorcet
        said = ""
        if winner is not None and self.p_values is not None:
            p = self.p_values[self.agents.index(winner)]
            sure = "is significant" if p <= 1 - self.level else "is not significant"
            shown = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
            said = f"That {winner} beats every other one {sure} ({shown}, sign tests)"
        if self.stability is None:
            return (f"{said}.",) if said else ()
        tied, shares = self.chosen.winners, self.stability.first
        first = [self.agents.index(name) for name in tied] if len(tied) > 1 else [int(np.argmax(shares))]
        who = f"one of these {len(tied)}" if len(tied) > 1 else self.agents[first[0]]
        often = (
            f"{who} is first in {shares[first].sum():.0%} of {self.stability.samples:,}"
            f" bootstrap samples of {UNITS.get(self.data.kind, 'games')}"
        )
        return (f"{said}; {often}." if said else f"{often}.",)

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, with their mean share of votes and what bootstrap samples choose."""
        shares = vote_shares(self.tally)
        further: dict[str, FloatArray] = {"vote_share": shares}
        if self.stability is not None:
            band = self.stability
            further |= {"first": band.first, "in_smith": band.in_smith, "place_low": band.low, "place_high": band.high}
        if self.p_values is not None:
            further["winner_p"] = self.p_values
        more = pl.DataFrame({"agent": list(self.agents), **further})
        return self.chosen.frame().join(more, on="agent", how="left", maintain_order="left")

    def rule_frame(self) -> "pl.DataFrame":
        """Give each rule with who is first and its whole order; ties are joined by =."""
        return pl.DataFrame([
            {"rule": name, "first": " = ".join(result.winners), "order": " > ".join(map(" = ".join, result.layers))}
            for name, result in self.rules.items()
        ])  # fmt: skip

    def pair_frame(self) -> "pl.DataFrame":
        """Give each pair with its votes, the winner first, the largest share first, with sign tests where they hold."""
        above, tied = self.tally.above, self.tally.tied
        i, j = np.triu_indices(len(above), 1)
        swap = above[j, i] > above[i, j]
        upper, lower = np.where(swap, j, i), np.where(swap, i, j)
        columns: dict[str, Any] = {
            "agent": [self.agents[k] for k in upper], "other": [self.agents[k] for k in lower],
            "votes": above[upper, lower], "against": above[lower, upper], "tied": tied[i, j],
            "margin": self.chosen.margins[upper, lower],
        }  # fmt: skip
        if self.p_values is not None:
            columns["p_value"], columns["holm_p"] = pair_p_values(above)
        table = pl.DataFrame(columns).filter(pl.col("votes") + pl.col("against") + pl.col("tied") > 0)
        return table.sort("margin", descending=True, maintain_order=True)

    @property
    def tables(self) -> "Mapping[str, pl.DataFrame]":
        """All tables by name, the one of the answer first."""
        return {"agents": self.frame(), "rules": self.rule_frame(), "pairs": self.pair_frame()}

    def summary(self) -> dict[str, object]:
        """Give the sets, the order of each rule, and how many bootstrap samples there were."""
        orders = {name: [list(layer) for layer in result.layers] for name, result in self.rules.items()}
        samples = None if self.stability is None else self.stability.samples
        return {**self.chosen.summary(), "orders": orders, "samples": samples}


def _rule(name: str) -> Rule:
    return next(rule for rule in RULES if rule == name)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def vote_shares(tally: DuelTally) -> FloatArray:
    """Give the mean over opponents of the share of votes against each; a tie is half a vote."""
    points, compared = tally.above + tally.tied / 2, tally.compared
    met = compared > 0
    share = np.where(met, points / np.where(met, compared, 1.0), 0.0).sum(axis=1)
    return np.asarray(np.where(met.any(axis=1), share / np.maximum(met.sum(axis=1), 1), np.nan))


@former_reading
def choose(
    data: Source,
    *,
    rule: Rule | None = None,
    margins: Margins | None = None,
    unnamed: Unnamed | None = None,
    approve: int = 3,
    seconds: float = 30.0,
    n: int | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> VotingBoard:
    r"""Whom do most tasks, voters or games choose, do voting rules agree, and how sure is that?

    Parameters
    ----------
    data
        A file of scores, ballots (also PrefLib's), races or games, a frame, a bundled set's name, or such data. Each
        task, voter, race or game is a ballot.
    rule, margins, approve, seconds
        As in :func:`equipoise.methods.social_choice`; the other rules are reported beside it.
    unnamed
        For ballots: an agent that one does not name is not compared there (``apart``, the default) or below all that it
        names (``last``).
    n
        Bootstrap samples; 0 for none, None for 200 where the rule takes no time.
    level
        Of the bands, and of what counts as significant.
    rng
        Seed or generator.
    read
        Columns and rows of a file: its players or candidates are ``agent``, its races or voters ``task``, its places
        ``score``.

    Returns
    -------
    VotingBoard
        ``order`` (best first), ``layers`` (ties), ``p`` (chances of a lottery), ``margins``, ``condorcet``, ``smith``,
        what other rules choose, sign tests and bootstrap ranges.

    Fails when
        as :func:`equipoise.methods.social_choice` does. Bands are no confidence intervals: an order jumps.

    Examples
    --------
    >>> import equipoise as eq
    >>> votes = eq.Ballots.from_orders(["MNCK", "NCKM", "CKNM", "KCNM"], weights=[42, 26, 15, 17])
    >>> print(*eq.choose(votes, rule="schulze", n=0).answer[:2], sep="\n")
    N beats every other agent in more votes than not (Condorcet winner).
    Rules disagree on who is first: N by Schulze's rule, the Kemeny order, ranked pairs, Copeland's rule, Borda's rule and the maximal lottery; M by plurality; K by instant runoff.
    """  # noqa: E501  # a sentence that is printed
    check(LEVEL, "level", level)
    check(choice(*get_args(Rule), none=True), "rule", rule)
    check(choice(*get_args(Margins), none=True), "margins", margins)
    check(choice(*get_args(Unnamed), none=True), "unnamed", unnamed)
    check(whole(0, none=True), "n", n)
    check(whole(1), "approve", approve)
    check(positive(), "seconds", seconds)
    takes = ("matches", "pairs", "scores", "rankings", "ballots")
    opened = open_source(data, takes, read, asked_by="choose", reader=read_votes)  # type: ignore[arg-type]
    votes = opened.data
    if unnamed is not None:
        if not isinstance(votes, Ballots):
            raise ParameterError(Option("unnamed"), " has no effect: these data are no ballots")
        partial_notes = tuple(note for note in votes.diagnostics if note.code != "partial-ballots")
        votes = replace(votes, unnamed=unnamed, diagnostics=partial_notes)
    tally = tally_of(votes)
    chosen = social_choice(votes, rule=rule, margins=margins, approve=approve, seconds=seconds)
    table = tally.margins(margins)
    others = {} if _much(tally) else _others(votes, chosen, margins, approve, table)
    few = len(tally.agents) <= QUICK.get(chosen.rule, len(tally.agents)) and _light(votes, tally)
    samples = n if n is not None else (SAMPLES if few else 0)
    again = partial(_again, chosen.rule, margins, RuleOptions(table, approve, seconds))
    counted = not isinstance(votes, PairTable) or votes.counted
    band = None
    left_out = (NOT_UNASKED,) if n is None and not samples and counted else ()
    if samples and counted:
        drawn = resampled(tally, votes, samples, generator(rng))
        band = stability(drawn, again, len(tally.agents), level)
    return VotingBoard(
        data=votes, origin=opened.origin, chosen=chosen, others=others, tally=tally, level=level, stability=band,
        p_values=winner_p_values(tally.above) if independent_votes(tally, votes) and not _much(tally) else None,
        params=frozen_params(**chosen.params, n=samples, level=level),
        diagnostics=each_once(chosen.diagnostics, left_out),
    )  # fmt: skip


def _much(tally: DuelTally) -> bool:
    """Tell whether so many pairs never met that what rules say of them is about the gaps."""
    n = len(tally.agents)
    return bool(tally.unmet.sum() > 0.1 * n * (n - 1))


def _light(votes: Any, tally: DuelTally) -> bool:
    """Tell whether counting the pairs once more and looking through them takes little."""
    table = len(tally.agents) ** 2
    if tally.ballots is None:
        counted = 0.0
    elif isinstance(votes, Scores):
        counted = float(table * votes.values.shape[1])
    else:
        counted = float((votes.sizes**2).sum())
    return counted + PASSES * table <= MOST_CELLS


def _others(
    votes: Any, chosen: SocialChoice, margins: Margins | None, approve: int, table: FloatArray
) -> dict[str, SocialChoice]:
    """Compute the other rules that fit such data, those that would take long left out."""
    long = max(map(len, majority.components(table))) > COMPARED
    found: dict[str, SocialChoice] = {}
    for rule in RULES:
        if rule in (chosen.rule, "approval") or (long and rule in ("kemeny", "ranked-pairs")):
            continue
        try:
            found[rule] = social_choice(votes, rule=rule, margins=margins, approve=approve)
        except EquipoiseError:  # rules on whole ballots, of games of two
            continue
    return found


def _again(rule: Rule, margins: Margins | None, options: RuleOptions, tally: DuelTally) -> Outcome:
    table = tally.margins(margins)
    layers = RULES[rule].choose(tally, replace(options, margins=table)).layers
    place, before = np.empty(len(table)), 0
    for layer in layers:
        place[list(layer)] = before + 1
        before += len(layer)
    return place, majority.smith_set(table)


def read_votes(source: Any, options: ReadOptions) -> Any:
    """Read a file or a frame as what it is, as long as that puts agents in order."""
    if is_data(source):
        return source
    if isinstance(source, str) or hasattr(source, "suffix"):
        return recognise(source, options).data
    return recognise_frame(source, "the data frame", options).data
