"""Which summary answers which question, what each is insensitive to, and where those of the data at hand disagree."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis
from equipoise.analyses.source import open_source
from equipoise.analyses.votes.choosing import read_votes
from equipoise.choice.social_choice import Rule, majority_words, social_choice
from equipoise.core.errors import DataError, EquipoiseError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.matches import Matches
from equipoise.data.types.normalisation import TaskScale

PROPERTIES: Mapping[str, str] = {
    "copies": "a copy of an agent changes nothing among the others",
    "tasks": "a task that is entered twice changes nothing",
    "dominance": "who is worse than another on every task is not first",
    "offset": "what is added to all scores of a task changes nothing",
    "monotone": "another scale of a task (a logarithm, say) changes nothing",
    "continuous": "a small change of the data changes the numbers little",
}
"""What a summary may be insensitive to, in words."""
NEAR = 1e-9
"""Numbers within this of the largest are tied with it."""
MOST_AGENTS = 40
"""Agents up to which the order that contradicts the fewest votes is looked for."""

Firsts = Callable[[Any], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Summary:
    """One way to put agents in order.

    Attributes
    ----------
    name
        What it is called.
    asks
        What it answers.
    holds
        Which of :data:`PROPERTIES` it has, on tables of scores or on games.
    first
        Gives who is first, by the kind of data.
    certainty
        What says how sure it is: an interval, or the range of bootstrap samples where it jumps.
    """

    name: str
    asks: str
    holds: tuple[str, ...]
    first: Mapping[str, Firsts]
    certainty: str


def _top(agents: tuple[str, ...], score: FloatArray) -> tuple[str, ...]:
    scale = max(1.0, float(np.abs(score).max()))
    return tuple(name for name, value in zip(agents, score, strict=True) if value >= score.max() - NEAR * scale)


def _mean(data: Any) -> tuple[str, ...]:
    scale = TaskScale.of(data.values, "min-max")
    scores = scale.scaled(data.values)[:, ~scale.without_unit]
    if np.isnan(scores).any() or not scores.size:
        raise DataError("some agents have no score on some tasks")
    return _top(data.agents, scores.mean(axis=1))


def _rule(rule: Rule) -> Firsts:
    def first(data: Any) -> tuple[str, ...]:
        if rule == "kemeny" and len(data.agents) > MOST_AGENTS:
            raise DataError("too many agents")
        return social_choice(data, rule=rule).winners

    return first


def _smith(data: Any) -> tuple[str, ...]:
    return social_choice(data, rule="copeland").smith


def _nash_of_tasks(data: Any) -> tuple[str, ...]:
    from equipoise.nash.average import nash_average

    found = nash_average(data, n=0)
    return _top(found.agents, found.skill)


def _nash_of_games(data: Any) -> tuple[str, ...]:
    from equipoise.nash.average import nash_average

    if not data.complete:
        raise DataError("some pairs never met")
    found = nash_average(data.unordered(), n=0)
    return _top(found.agents, found.average)


def _deviation(data: Any) -> tuple[str, ...]:
    from equipoise.choice.deviation import deviation_ratings

    return deviation_ratings(data).best()


def _ratings(data: Any) -> tuple[str, ...]:
    from equipoise.ratings.paired.bradley_terry import bradley_terry

    found = bradley_terry(data)
    return _top(found.agents, found.rating)


def _places(data: Any) -> tuple[str, ...]:
    from equipoise.ratings.places.plackett_luce import plackett_luce

    found = plackett_luce(data)
    return _top(found.agents, found.rating)


def _mean_place(data: Any) -> tuple[str, ...]:
    from equipoise.ratings.places.plackett_luce import plackett_luce

    found = plackett_luce(data)
    return _top(found.agents, -found.place)


def _alpha(data: Any) -> tuple[str, ...]:
    from equipoise.alpharank.alpha_rank import alpha_rank

    return alpha_rank(data.unordered() if data.kind == "pairs" else data).ranking()[0]


def _of(kinds: str, first: Firsts) -> dict[str, Firsts]:
    return dict.fromkeys(kinds.split(), first)


VOTES = "scores ballots rankings pairs"
SUMMARIES: tuple[Summary, ...] = (
    Summary("mean score", "most points, tasks stretched to 0-1",
            ("copies", "dominance", "offset", "continuous"), _of("scores", _mean), "interval"),
    Summary("Bradley-Terry", "one number that predicts who wins", ("dominance", "continuous"),
            _of("pairs", _ratings), "interval"),
    Summary("Plackett-Luce", "one number that predicts places",
            ("dominance", "continuous"), _of("rankings ballots", _places), "interval"),
    Summary("mean place", "in front on average, whoever raced", ("dominance",),
            _of("rankings", _mean_place), "interval"),
    Summary("Borda", "beats the most others, on average", ("dominance", "offset", "monotone"),
            _of(VOTES, _rule("borda")), "interval"),
    Summary("Smith set", "beats everybody outside the set",
            ("copies", "offset", "monotone"), _of(VOTES, _smith), "bootstrap range"),
    Summary("Kemeny", "contradicts the fewest comparisons", ("dominance", "offset", "monotone"),
            _of(VOTES, _rule("kemeny")), "bootstrap range"),
    Summary("maximal lottery", "the mixture that nobody beats", ("copies", "dominance", "offset", "monotone"),
            _of(VOTES, _rule("maximal-lottery")), "bootstrap range"),
    Summary("Nash average", "best against the hardest mixture",
            ("copies", "tasks", "dominance", "offset"),
            _of("scores", _nash_of_tasks) | _of("pairs", _nash_of_games), "bootstrap range"),
    Summary("deviation rating", "whom nobody regrets not playing", ("copies", "tasks", "dominance", "offset"),
            _of("scores pairs metagame", _deviation), "bootstrap range"),
    Summary("alpha-Rank", "where copying winners leads", (), _of("pairs metagame", _alpha),
            "bootstrap range"),
)  # fmt: skip
"""In the order in which they are read."""
MEANINGS: tuple[tuple[str, str, str], ...] = (
    ("mean score", "Smith set", "the means rest on large differences on a few tasks; most tasks say otherwise"),
    ("mean score", "Kemeny", "the means rest on large differences on a few tasks; most tasks say otherwise"),
    ("Kemeny", "Borda", "somebody wins duels narrowly, but is placed low where it loses"),
    (
        "Smith set",
        "Nash average",
        "Nash averaging looks at the few tasks that separate the strongest; votes count alike",
    ),
    ("Nash average", "deviation rating", "several equilibria: one is the most even mixture, the other the harshest"),
    ("deviation rating", "alpha-Rank", "no regret is one question, drift another; copies change only the second"),
    ("Bradley-Terry", "Smith set", "the leader wins by much against the weak, and loses a direct comparison"),
    ("Plackett-Luce", "mean place", "mean place forgets who was in the race"),
    ("Plackett-Luce", "Smith set", "places against the field and direct comparisons differ"),
)
"""What it means when two summaries have different agents first, the most telling first."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Explanation(Analysis):
    """What each summary says of the data at hand.

    Attributes
    ----------
    first
        Who is first, by the name of each summary that fits.
    missing
        Why a summary that fits such data cannot be computed, by its name.
    majority
        What direct comparisons say, in a sentence; nothing where there are none.
    """

    rows_name: ClassVar[str] = "summaries"

    first: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, str]
    majority: str

    def frame(self) -> "pl.DataFrame":
        """Give one row for each summary: who is first, what it asks, and what changes nothing."""
        there = [one for one in SUMMARIES if one.name in self.first or one.name in self.missing]
        return pl.DataFrame({
            "summary": [one.name for one in there],
            "first": [self._first_words(one.name) if one.name in self.first else None for one in there],
            "asks": [one.asks for one in there],
            **{name: [name in one.holds for one in there] for name in PROPERTIES},
            "certainty": [one.certainty for one in there],
            "missing": [self.missing.get(one.name) for one in there],
        }, schema_overrides={"first": pl.String, "missing": pl.String})  # fmt: skip

    def _first_words(self, name: str) -> str:
        """Name who is first by a summary; a Smith set of everybody is not worth a list."""
        return some_of(self.first[name], 2) if name in self._telling else f"all {len(self.first[name]):,} agents"

    @property
    def _telling(self) -> Mapping[str, tuple[str, ...]]:
        """Who is first by each summary that puts somebody first: a Smith set of everybody does not."""
        everybody = len(getattr(self.data, "agents", ()))
        return {name: who for name, who in self.first.items() if name != "Smith set" or len(who) < everybody}

    @property
    def meanings(self) -> tuple[str, ...]:
        """What the disagreements mean, the most telling first."""
        found: dict[str, str] = {}
        for one, other, meaning in MEANINGS:
            both = self._telling.get(one), self._telling.get(other)
            if None not in both and set(both[0] or ()) != set(both[1] or ()):
                found.setdefault(meaning, f"{one} ({some_of(both[0] or (), 2)}) against {other}"
                                          f" ({some_of(both[1] or (), 2)}): {meaning}.")  # fmt: skip
        return tuple(found.values())

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether all agree on who is first, and if not, what that means."""
        if not self.first:
            return ("No summary can be computed of these data.",)
        groups: dict[tuple[str, ...], list[str]] = {}
        for name, who in self._telling.items():
            groups.setdefault(tuple(sorted(who)), []).append(name)
        who, count = max(groups, key=lambda key: len(groups[key]), default=()), len(self._telling)
        if not count:
            said = "No summary says who is first."
        elif count == 1:
            said = f"Only one summary says who is first, {groups[who][0]}: {some_of(who, 3)}."
        elif len(groups) == 1:
            said = f"All {count} summaries put {some_of(who, 3)} first: read any."
        else:
            said = f"Summaries disagree on who is first: {some_of(who, 3)} by {len(groups[who])} of {count}."
        return (said, *((self.majority,) if self.majority else ()), *self.meanings[:2])


@former_reading
def explain(data: Source, *, read: ReadOptions | None = None) -> Explanation:
    """Which summary should I read: what does each answer, who is first by it, and what do disagreements mean?

    Parameters
    ----------
    data
        A file of scores, games, ballots, races or payoffs, a frame, a bundled set's name, or such data.
    read
        Columns and rows of a file.

    Returns
    -------
    Explanation
        Who is first by each summary, what changes nothing for it, and what it means where two disagree.

    Fails when
        the data are dealt hands, of one agent only, or cannot be read.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.explain("alphago").first["Nash average"]
    ('rvp',)
    """
    takes = ("matches", "pairs", "scores", "metagame", "rankings", "ballots")
    opened = open_source(data, takes, read, asked_by="explain", reader=read_votes)  # type: ignore[arg-type]
    known = opened.data.pairs() if isinstance(opened.data, Matches) else opened.data
    if known.kind not in takes:
        raise DataError("explain takes scores, games, ballots, races or payoffs; dealt hands go to `equipoise luck`")
    if known.kind != "metagame" and len(known.agents) == 1:
        raise DataError(f"one agent only ({known.agents[0]}): there is nothing to compare it with")
    first: dict[str, tuple[str, ...]] = {}
    missing: dict[str, str] = {}
    for one in SUMMARIES:
        if known.kind in one.first:
            try:
                first[one.name] = one.first[known.kind](known)
            except EquipoiseError as error:
                missing[one.name] = str(error).partition(";")[0]
    majority = ""
    if "Smith set" in first:
        majority = majority_words(social_choice(known, rule="copeland"))
    return Explanation(
        data=known, origin=opened.origin, first=first, missing=missing, majority=majority,
        diagnostics=known.diagnostics,
    )  # fmt: skip
