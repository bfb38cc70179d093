"""Standings that are valid at every look: ranks from decisions only, rating intervals only where they are valid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from equipoise.analyses.boards.standings import Standings, rank
from equipoise.analyses.play.hands import HandsWithoutLuck, remove_luck
from equipoise.arena.contests.contest import ContestProgress, Decision
from equipoise.arena.engine.proposing import absent
from equipoise.arena.engine.state import MOST_BROKEN, ArenaState, Phase
from equipoise.arena.journal.results import Readable, episodes_of, rankings_of
from equipoise.arena.journal.votes import with_leaving
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.spec.votes import GAME
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import EquipoiseError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import POINTS, in_declared_units
from equipoise.core.wording import counted
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.bradley_terry import Pairing, bradley_terry
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.places.plackett_luce import PlackettLuce, plackett_luce

PLAIN_POLICIES = ("uniform", "round-robin")
"""Policies whose pairs do not depend on results."""
SHOWN_WITHDRAWN = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ArenaStandings(Result):
    """Who stands where, after so many trials.

    Attributes
    ----------
    agents
        Names of the players.
    rating, low, high
        Log-odds with their interval (``frame`` has Elo points); NaN where there is none, and a diagnostic says why.
    interval
        What kind of interval it is; None where there is none.
    rank_low, rank_high
        From frozen decisions alone: 1 + how many are decided to be better, and n - how many are decided to be worse.
        For goals that guarantee their answer only (the best, the top, a place), from the answer.
    score, trials
        Mean normalised score, and trials that count.
    mean
        Mean score in the game's own units (payoffs, chips), where the spec has a range; else as ``score``.
    won, drawn
        Games of each player (by row) against each other (by column) that it won, and that both drew: who scored more.
    forfeits
        How often each player's own fault cost it a game.
    adjusted, adjusted_low, adjusted_high
        Mean score with the luck taken out, in the units of the scores; NaN where workers send no controls.
    phase, counted
        Whether play goes on, and how many trials count.
    progress
        How far the goal is.
    decisions
        What is decided.
    board
        The leaderboard of ``rank`` on the same counts, with the test of transitivity; None before it can be made, or
        where it was not asked for.
    luck
        The table behind ``adjusted``.
    """

    units: ClassVar[Mapping[str, str]] = dict.fromkeys(("rating", "low", "high"), POINTS)

    agents: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    high: FloatArray
    interval: Interval | None
    rank_low: IntArray
    rank_high: IntArray
    score: FloatArray
    trials: IntArray
    mean: FloatArray
    won: IntArray
    drawn: IntArray
    forfeits: IntArray
    adjusted: FloatArray
    adjusted_low: FloatArray
    adjusted_high: FloatArray
    name: str
    phase: Phase
    counted: int
    progress: ContestProgress
    decisions: tuple[Decision, ...]
    board: Standings | None
    luck: HandsWithoutLuck | None

    def frame(self) -> "pl.DataFrame":
        """Give the standings, best first: by decided ranks, then by rating or mean score."""
        columns: dict[str, Any] = {"agent": list(self.agents)}
        columns |= {name: getattr(self, name) for name in COLUMNS}
        columns |= {
            "won": self.won.sum(axis=1), "drawn": self.drawn.sum(axis=1), "lost": self.won.sum(axis=0),
            "forfeits": self.forfeits,
        }  # fmt: skip
        if np.isnan(self.adjusted).all():
            columns = {name: values for name, values in columns.items() if not name.startswith("adjusted")}
        return in_declared_units(pl.DataFrame(columns), self.units)[list(self.best_first)]

    @property
    def best_first(self) -> tuple[int, ...]:
        """Places of the players: by decided ranks, then by rating or mean score."""
        return tuple(_best_first(self))

    def summary(self) -> dict[str, object]:
        """Give the state of play, how far the goal is, what is decided, and whether one rating describes the games."""
        verdict = None if self.board is None else {**self.board.transitivity.verdict(), "after": self.counted}
        return {
            "name": self.name, "state": self.phase, "counted": self.counted, "progress": self.progress.to_dict(),
            "decisions": [decision.to_dict() for decision in self.decisions], "interval": self.interval,
            "verdict": verdict, "luck": None if self.luck is None else self.luck.summary(),
        }  # fmt: skip

    @property
    def answer(self) -> tuple[str, ...]:
        """How far the goal is, and whether a single rating describes the games."""
        verdict = () if self.board is None else self.board.transitivity.answer
        return (self.progress.sentence, *verdict)


COLUMNS = (
    "rating",
    "low",
    "high",
    "rank_low",
    "rank_high",
    "score",
    "mean",
    "trials",
    "adjusted",
    "adjusted_low",
    "adjusted_high",
)


def _best_first(standings: ArenaStandings) -> list[int]:
    """Order by the answer where there is one, then by rating, then by mean score."""
    groups = standings.progress.answer or ()
    place = {name: at for at, group in enumerate(groups) for name in group}
    worth = np.where(np.isnan(standings.rating), standings.score, standings.rating)
    worth = np.where(np.isnan(worth), -np.inf, worth)
    keys = [(place.get(name, len(groups)), -value) for name, value in zip(standings.agents, worth, strict=True)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def standings_of(arena: Readable, *, verdict: bool = True) -> ArenaStandings:
    """Rate the players of an arena with what has been committed."""
    look = arena.look(_seen)
    ratings, board, notes = _rated(look, verdict) if look.spec.seats <= 2 else _by_places(arena, look)
    luck, luck_notes = _without_luck(arena, look.spec)
    n = len(look.names)
    none = np.full(n, np.nan)
    by_name = None if luck is None else {row["agent"]: row for row in luck.means.frame().to_dicts()}
    adjusted = [
        none if by_name is None else np.array([by_name.get(name, {}).get(column, np.nan) for name in look.names], float)
        for column in ("estimate", "low", "high")
    ]
    low, high = _ranks(look.names, look.progress, look.decisions)
    interval = None if ratings is None or ratings.low is None else ratings.interval
    ends = [None, None, None] if ratings is None else [ratings.rating, ratings.low, ratings.high]
    rating, below, above = (none if end is None else _for_names(end, ratings, look.names) for end in ends)
    return ArenaStandings(
        agents=look.names, name=look.spec.name, phase=look.phase, counted=look.counted, progress=look.progress,
        decisions=with_leaving(arena, look.decisions) if look.spec.game == GAME else look.decisions,
        board=board, luck=luck, interval=interval, rating=frozen(rating), low=frozen(below),
        high=frozen(above), rank_low=frozen(low), rank_high=frozen(high), score=frozen(look.score),
        trials=frozen(look.trials), mean=frozen(_in_units(look.spec, look.score)), won=frozen(look.won),
        drawn=frozen(look.drawn), forfeits=frozen(look.forfeited), adjusted=frozen(adjusted[0]),
        adjusted_low=frozen(adjusted[1]),
        adjusted_high=frozen(adjusted[2]), fit=None if ratings is None else ratings.fit,
        params=frozen_params(
            goal=look.spec.goal, policy=look.spec.policy, level=look.spec.level, budget=look.spec.budget,
            game=look.spec.game, score_range=look.spec.score_range,
        ),
        diagnostics=(*notes, *luck_notes, *_about(look)),
    )  # fmt: skip


def _in_units(spec: ArenaSpec, score: FloatArray) -> FloatArray:
    """Give normalised scores in the units of the game."""
    low, high = spec.score_range or (0.0, 1.0)
    return np.asarray(low + score * (high - low))


def _by_places(arena: Readable, look: "_StandingsInput") -> tuple[PlackettLuce | None, None, tuple[Diagnostic, ...]]:
    """Rate by the places in games of several players; None where no rating exists, with the reason."""
    try:
        fit = plackett_luce(rankings_of(arena), level=look.spec.level)
    except EquipoiseError as error:
        return None, None, (info("no-ratings", f"There are no ratings yet: {error}."),)
    return fit, None, fit.diagnostics


def _for_names(values: FloatArray, fit: BradleyTerry | PlackettLuce | None, names: Sequence[str]) -> FloatArray:
    """Bring numbers into the order of the players; NaN for those who have no rating yet."""
    rated = {} if fit is None else dict(zip(fit.agents, values.tolist(), strict=True))
    return np.array([rated.get(name, np.nan) for name in names])


@dataclass(frozen=True, slots=True)
class _StandingsInput:
    """What standings need of a state, at one moment."""

    names: tuple[str, ...]
    spec: ArenaSpec
    phase: Phase
    counted: int
    progress: ContestProgress
    decisions: tuple[Decision, ...]
    pairs: PairTable | None
    score: FloatArray
    trials: IntArray
    won: IntArray
    drawn: IntArray
    forfeited: IntArray
    voids: int
    forfeits: int
    why: str
    changed: tuple[str, ...]
    out: tuple[str, ...]
    withdrawn: tuple[str, ...]


def _seen(state: ArenaState) -> _StandingsInput:
    return _StandingsInput(
        tuple(state.players), state.spec, state.phase, state.counted, state.contest.progress(),
        state.contest.decisions, state.tally.pairs(), state.tally.mean_scores, state.tally.trials, state.tally.won,
        state.tally.drawn, np.array([state.record.forfeits.get(name, 0) for name in state.players], np.int64),
        state.voids,
        state.forfeits, state.why, tuple(sorted(state.changed)), state.out,
        absent(state)[len(state.out) :],
    )  # fmt: skip


def _pairing(spec: ArenaSpec) -> Pairing:
    """Whether pairs, or the end of play, may depend on results."""
    return "fixed" if not spec.question.decides and spec.policy in PLAIN_POLICIES else "adaptive"


def _rated(
    look: _StandingsInput, verdict: bool
) -> tuple[BradleyTerry | None, Standings | None, tuple[Diagnostic, ...]]:
    """Rate by the composition of ``rank``, or by its rating alone; None where no rating exists, with the reason."""
    if look.pairs is None:
        return None, None, (info("no-complete-block", "No set of paired games is complete yet: there are no ratings."),)
    pairing, level = _pairing(look.spec), look.spec.level
    try:
        if not verdict:
            fit = bradley_terry(look.pairs, pairing=pairing, level=level)
            return fit, None, fit.diagnostics
        board = rank(look.pairs, pairing=pairing, level=level)
    except EquipoiseError as error:
        note = info("no-ratings", f"There are no ratings yet: {error}.")
        return None, None, (note,)
    return board.rated, board, board.diagnostics


def _ranks(names: Sequence[str], progress: ContestProgress, decisions: Sequence[Decision]) -> tuple[IntArray, IntArray]:
    """Give the ranks that are still possible.

    Where all decisions are right at once: 1 + the number decided better, n - the number decided worse. Once the
    question is answered, chains of decisions count too: the answer assumes that the players have an order. Where only
    the answer is guaranteed, as for the best, ranks come from the answer alone.
    """
    if not progress.together:
        return _answered_ranks(names, progress.answer or ())
    at = {name: index for index, name in enumerate(names)}
    beaten = np.zeros((len(names), len(names)), dtype=bool)
    for one in decisions:
        if one.kind in ("better", "edge") and one.status == "holds" and one.second in at:
            beaten[at[one.second], at[one.first]] = True
    for _ in names if progress.ending == "decided" else ():
        beaten |= (beaten.astype(np.int64) @ beaten.astype(np.int64)) > 0
    return 1 + beaten.sum(axis=1), len(names) - beaten.sum(axis=0)


def _answered_ranks(names: Sequence[str], groups: Sequence[Sequence[str]]) -> tuple[IntArray, IntArray]:
    """Give the ranks that an answer leaves open: its groups best first, then everybody else."""
    low, high = np.ones(len(names), dtype=np.int64), np.full(len(names), len(names))
    rest = [name for name in names if not any(name in group for group in groups)]
    above = 0
    for group in (*groups, rest) if groups else ():
        members = [at for at, name in enumerate(names) if name in group]
        low[members], high[members] = above + 1, above + len(group)
        above += len(group)
    return low, high


def _without_luck(arena: Readable, spec: ArenaSpec) -> tuple[HandsWithoutLuck | None, tuple[Diagnostic, ...]]:
    """Take the luck out with the controls that the spec names."""
    luck = spec.luck
    if luck is None:
        return None, ()
    try:
        hands = episodes_of(arena)
        names = list(luck.controls) or list(hands.controls)
        if not names:
            return remove_luck(hands, level=spec.level), ()
        weight = luck.coefficient if luck.coefficient == "fitted" else -float(luck.coefficient)
        return remove_luck(hands, control=names, mean=luck.mean, coefficient=weight, level=spec.level), ()
    except EquipoiseError as error:
        return None, (warning("no-adjusted-scores", f"Luck cannot be taken out yet: {error}."),)


def _about(look: _StandingsInput) -> tuple[Diagnostic, ...]:
    """Say what was void or forfeited, and what was withdrawn."""
    notes = []
    if look.phase == "stopped" and look.why:
        notes.append(warning("stopped", f"Play was stopped: {look.why}."))
    if look.voids:
        text = f"{counted(look.voids, 'set')} of paired games {'is' if look.voids == 1 else 'are'} void; each counts"
        notes.append(warning("void-blocks", f"{text} against every claim."))
    if look.forfeits:
        text = f"{counted(look.forfeits, 'game')} {'was' if look.forfeits == 1 else 'were'} forfeited."
        notes.append(info("forfeits", text))
    if look.progress.ending == "decided":
        notes.append(info("guarantee", f"{look.progress.guarantee[0].upper()}{look.progress.guarantee[1:]}."))
    if look.out:
        text = f"Not asked any more, since their own faults made {MOST_BROKEN} sets of paired games in a row void"
        notes.append(warning("players-out", f"{text}: {some_of(look.out)}.", look.out))
    if look.withdrawn:
        text = f"Withdrawn from the vote, and not shown any more: {some_of(look.withdrawn)}."
        notes.append(info("models-withdrawn", text, look.withdrawn))
    if look.changed:
        text = f"Players changed while they played, and results of both versions count: {some_of(look.changed)}."
        notes.append(warning("new-versions", text, look.changed))
    gone = [one.sentence for one in look.decisions if one.status == "withdrawn"]
    if gone:
        more = f" {counted(len(gone) - SHOWN_WITHDRAWN, 'more decision')} withdrawn." if gone[SHOWN_WITHDRAWN:] else ""
        notes.append(warning("withdrawn", f"{' '.join(gone[:SHOWN_WITHDRAWN])}{more}"))
    return tuple(notes)
