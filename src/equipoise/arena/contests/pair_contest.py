"""The contest between players who meet: orders, the best, the top, a place, or what a budget can show."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Self

import numpy as np

from equipoise.arena.contests.contest import POST_HOC, BlockProposal, ContestOptions, ContestProgress, Decision, Status
from equipoise.arena.contests.goals import pair_goal
from equipoise.arena.contests.pair_counts import pair_number, pair_players
from equipoise.arena.contests.pair_ledger import PairLedger, Shares
from equipoise.arena.contests.pair_policies import IN_TURN, ChosenPlayers, PairMoment, choose_players, pairs_of
from equipoise.arena.contests.pair_progress import pair_progress
from equipoise.arena.contests.pair_standing import BoolArray, DecidedPairs, Standing
from equipoise.core.errors import ParameterError
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Option, counted
from equipoise.inference.threads import one_thread
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR
from equipoise.schedule.leaving import BearableLeaving
from equipoise.schedule.policies import rating_of_points
from equipoise.schedule.running_worth import RunningWorth


class PairContest:
    """Play pairs until the goal is reached.

    Decisions about pairs are frozen when their evidence, block by block in the order of their numbers, first reaches
    the threshold. How many comparisons share alpha, and why, stands in :mod:`~equipoise.arena.contests.goals`.
    """

    def __init__(self, names: Sequence[str], options: ContestOptions) -> None:
        self._options = options
        self._goal = pair_goal(options.goal, names, options.open_)
        self._shares = Shares(options.alpha, self._goal.comparisons, options.open_)
        self._ledger = PairLedger(names, options.margin, self._shares, options.trials_per_block)
        self._rating: FloatArray = np.zeros(len(names))
        self._worth: RunningWorth | None = None
        self._standing: Standing | None = None
        self._asked: tuple[Standing, tuple[IntArray, IntArray]] | None = None
        self._needed_at: int | None = None  # decisions when pairs were last seen to be missing
        self._conclusions: list[Decision] = []

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the players."""
        return tuple(self._ledger.names)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Everything decided so far, also what was withdrawn."""
        return (*self._ledger.decisions, *self._conclusions)

    def propose(
        self, number: int, without: Collection[str] = (), barred: Collection[tuple[str, str]] = ()
    ) -> BlockProposal | None:
        """Propose the block of a number, none of ``barred`` pairs; None if there is nothing to ask now."""
        if self._budget_used_up() or not self._goes_on():
            return None
        options, ledger = self._options, self._ledger
        in_turn = ledger.size == 1 or (
            options.policy == "round-robin" and options.seats <= 2 and not without and not barred
        )
        # Making a generator takes longer than a turn, which draws nothing.
        rng = None if in_turn and not options.tasks else np.random.default_rng([options.seed, number])
        if without and ledger.size - len(without) < (1 if ledger.size == 1 else max(options.seats, 2)):
            return None
        if ledger.size == 1:
            return BlockProposal(tuple(ledger.names), self._task(rng), "the only player")
        choice = (
            ChosenPlayers(ledger.next_in_turn(), IN_TURN)
            if rng is None or in_turn
            else self._choice(rng, without, barred)
        )
        if choice is None:
            return None
        names = tuple(ledger.names[i] for i in choice.players)
        return BlockProposal(names, self._task(rng), f"{choice.why}; {self._record(choice.players)}")

    def _choice(
        self, rng: np.random.Generator, without: Collection[str], barred: Collection[tuple[str, str]]
    ) -> ChosenPlayers | None:
        options, counts = self._options, self._ledger.counts
        with one_thread(self._ledger.size):
            standing = self._look(newest=False)
            here = np.array([name not in without for name in self._ledger.names])
            now = PairMoment(
                counts.games, lambda: counts.table(counts.pending), lambda: counts.table(self._ledger.evidence.void),
                here, self._rating, self._worth_of_pairs, self._focus,
                None if not barred else self._allowed(barred),
            )  # fmt: skip
            return choose_players(options.policy, standing, now, max(options.seats, 2), rng)

    def _allowed(self, barred: Collection[tuple[str, str]]) -> BoolArray:
        allowed = np.ones((self._ledger.size, self._ledger.size), dtype=bool)
        for one, other in barred:
            i, j = self._ledger.place(one), self._ledger.place(other)
            allowed[i, j] = allowed[j, i] = False
        return allowed

    def _focus(self, standing: Standing) -> tuple[IntArray, IntArray]:
        """Give the pairs that get on fastest: found once for as long as the standing stays."""
        if self._asked is None or self._asked[0] is not standing:
            self._asked = standing, pairs_of(standing.focus)
        return self._asked[1]

    def _worth_of_pairs(self) -> RunningWorth:
        """Give what a block of each pair is worth: brought forward since the last look at all players."""
        if self._worth is None or self._worth.is_old:
            counts, self._worth = self._ledger.counts, None  # before the next one is made: both are large
            self._worth = RunningWorth(self._rating, counts.table(counts.count + counts.pending), WEAK_PRIOR)
        return self._worth

    def _goes_on(self) -> bool:
        """Whether the goal is not reached. While pairs are missing, only a decision can reach it: no need to look."""
        if self._needed_at == len(self._ledger.decisions):
            return True
        return self._look(newest=False).ending is None

    def _budget_used_up(self) -> bool:
        options, ledger = self._options, self._ledger
        blocks = ledger.complete + ledger.blocks_pending
        return options.budget is not None and blocks * options.trials_per_block >= options.budget

    def _task(self, rng: np.random.Generator | None) -> str | None:
        tasks = self._options.tasks
        return None if rng is None or not tasks else tasks[int(rng.integers(len(tasks)))]

    def _record(self, players: Sequence[int]) -> str:
        """Say what the first two have played."""
        i, j = players[:2]
        counts, pair = self._ledger.counts, pair_number(i, j)
        blocks = counts.count[pair]
        if not blocks:
            return "never met"
        mean = counts.total[pair] / blocks
        games = counted(int(blocks) * self._options.trials_per_block, "game")
        return f"{self._ledger.names[i]} against {self._ledger.names[j]}: {games}, mean score {mean:.3g}"

    def opened(self, block: int, players: tuple[str, ...], task: str | None = None) -> None:  # noqa: ARG002  # protocol
        """Take note that a block is played."""
        self._ledger.opened(block, players)
        if self._worth is not None:
            for i, j in combinations(map(self._ledger.place, players), 2):
                self._worth.opened(i, j)

    def closed(self, block: int, scores: Mapping[str, float] | None) -> tuple[Decision, ...]:
        """Take a block's scores, or None if it is void; give what it decided."""
        made = self._ledger.closed(block, scores)
        if self._worth is not None and scores is not None:
            for one, other in combinations(scores, 2):
                pair = self._ledger.place(one), self._ledger.place(other)
                self._worth.scored(*pair, (1.0 + scores[one] - scores[other]) / 2.0)
        return (*made, *self._conclude()) if made else ()

    def voided(
        self,
        block: int,
        players: tuple[str, ...],
        task: str | None,  # noqa: ARG002  # tasks do not matter to pairs
        scores_before: Mapping[str, float] | None,
    ) -> tuple[Decision, ...]:
        """Make a complete block void; give what is withdrawn and what is decided by that."""
        withdrawn, made = self._ledger.voided(block, players, scores_before)
        self._worth = self._needed_at = None
        gone = self._withdraw_conclusions(withdrawn)
        return (*withdrawn, *gone, *made, *(self._conclude() if withdrawn or made else ()))

    def restored(self, block: int, players: tuple[str, ...], scores: Mapping[str, float]) -> tuple[Decision, ...]:
        """Count a block again that was made void; what that decides is decided after the fact."""
        made = self._ledger.restored(block, players, scores)
        self._worth = self._needed_at = None
        return (*made, *(self._conclude() if made else ()))

    def added(self, player: str) -> None:
        """Take a newcomer, as a generation of its own."""
        if not self._options.open_:
            raise ParameterError(f'"{player}" cannot join: that is a new question unless ', Option("open", True))
        if not self._goal.newcomers:
            raise ParameterError(f'"{player}" cannot join: ', Option("goal", self._options.goal), " knows its players")
        self._ledger.added(player)
        self._rating = np.append(self._rating, 0.0)
        self._worth = self._needed_at = None

    def _look(self, *, newest: bool = True) -> Standing:
        """Give how far the goal is; worked out again when something changed.

        With many players that takes long. Who only asks for the next pair (not the ``newest``) waits for that no more
        often than ratings are looked at, and where pairs are decided, goes by the ratings brought forward till then.
        """
        ledger, worth = self._ledger, self._worth
        if not newest and worth is not None and not worth.is_old and self._needed_at is not None:
            if self._needed_at != len(ledger.decisions):
                self._stand(worth.rating)
            if self._standing is not None and self._needed_at is not None:
                return self._standing
        if self._standing is None or ledger.changed:
            with one_thread(ledger.size):
                self._rate()
                self._stand(self._rating)
            ledger.changed = False
        assert self._standing is not None
        return self._standing

    def _rate(self) -> None:
        """Rate the players anew."""
        counts = self._ledger.counts
        if self._ledger.size > 1:
            start = self._rating if self._worth is None else self._worth.rating
            self._rating = rating_of_points(counts.points(), counts.games(), WEAK_PRIOR, start)
        if self._worth is not None:
            self._worth.rating = self._rating

    def _stand(self, rating: FloatArray) -> None:
        """Work out how far the goal is, and note whether pairs are missing."""
        self._standing = self._goal.standing(self._view(rating))
        self._needed_at = len(self._ledger.decisions) if self._standing.needed.any() else None

    def _view(self, rating: FloatArray) -> DecidedPairs:
        """Lay everything out for the goal."""
        ledger, counts = self._ledger, self._ledger.counts
        points = counts.points()
        lead = points - points.T - counts.table(ledger.evidence.void)
        return DecidedPairs(
            ledger.better, ledger.equal, ledger.above, rating, counts.games(), lead, self._options.check
        )  # fmt: skip

    def _conclude(self) -> list[Decision]:
        """Add the decision about a cycle or a place where the pairs' decisions make one."""
        standing = self._look(newest=False)
        if standing.ending is None or any(one.status != "withdrawn" for one in self._conclusions):
            return []
        names = self._ledger.names
        if standing.ending == "cyclic":
            around = tuple(names[i] for i in standing.cycle)
            words = " > ".join((*around, around[0]))
            text = f"There is no order: {words} are decided. The goal profile gives the response graph."
            return [self._concluded("cycle", around[0], around, text)]
        conclusion = None if standing.answer is None else self._goal.conclusion(names, standing.answer)
        if conclusion is not None:
            kind, first, players, text = conclusion
            return [self._concluded(kind, first, players, text)]
        return []

    def _concluded(self, kind: str, first: str, players: tuple[str, ...], sentence: str) -> Decision:
        """Add a decision that follows from those about pairs; it is as sure as they are, and as late as the last."""
        standing = (one for one in self._ledger.decisions if one.status != "withdrawn")
        behind = [one for one in standing if _rests_on(kind, players, first, one)]
        last = max(behind, key=lambda one: one.block)
        status: Status = "post hoc" if any(one.status == "post hoc" for one in behind) else "holds"
        text = f"{sentence} ({POST_HOC})" if status == "post hoc" else sentence
        made = replace(last, kind=kind, first=first, second=None, players=players, sentence=text, status=status)
        self._conclusions.append(made)
        return made

    def _withdraw_conclusions(self, withdrawn: Sequence[Decision]) -> list[Decision]:
        """Withdraw what rested on decisions that were withdrawn."""
        gone = []
        for place, one in enumerate(self._conclusions):
            rests = any(_rests_on(one.kind, one.players, one.first, other) for other in withdrawn)
            if one.status != "withdrawn" and rests:
                self._conclusions[place] = replace(one, status="withdrawn", sentence=f"Withdrawn: {one.sentence}")
                gone.append(self._conclusions[place])
        return gone

    def bearable(self, left: Mapping[tuple[str, str], Sequence[int]]) -> dict[tuple[str, str], BearableLeaving]:
        """Say how much leaving each decision bears; ``left`` are the blocks of each pair that a voter left."""
        return self._ledger.bearable(left)

    def waits(self, block: int, players: Sequence[str]) -> bool:
        """Whether a block of two is closed, but not counted yet: an earlier one of the pair is open."""
        return self._ledger.waits(block, players)

    def evidence(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Give the log evidence of the likelier claim about each pair that met, and what it must reach."""
        ledger = self._ledger
        met = np.flatnonzero(ledger.evidence.games)
        reached = ledger.evidence.log_evidence(met)
        best = np.maximum(
            reached[:, :2].max(axis=1), reached[:, 2:].min(axis=1, initial=np.inf) if reached.shape[1] > 2 else -np.inf
        )
        pairs = (pair_players(int(pair)) for pair in met)
        rows = zip(pairs, best.tolist(), ledger.threshold[met].tolist(), strict=True)
        return {(ledger.names[i], ledger.names[j]): (got, needs) for (i, j), got, needs in rows}

    @property
    def answered(self) -> bool:
        """Whether the goal is reached, or cannot be."""
        return not self._goes_on()

    def progress(self) -> ContestProgress:
        """Say how far it is."""
        standing = self._look()
        view = self._view(self._rating)
        return pair_progress(self._ledger, standing, view, self._options, self._goal, self._budget_used_up())

    def state(self) -> dict[str, Any]:
        """Give everything needed to go on later, as strict JSON."""
        return {
            "kind": "pairs", "options": self._options.to_dict(), "first": self._shares.first,
            "rating": self._rating.tolist(), "fitted": not self._ledger.changed,
            "conclusions": [one.to_dict() for one in self._conclusions], "ledger": self._ledger.state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`; the same proposals and decisions follow."""
        saved = json.loads(json.dumps(state))
        new = cls(saved["ledger"]["names"], ContestOptions.from_dict(saved["options"]))
        new._shares = replace(new._shares, first=saved["first"])
        new._ledger = PairLedger.from_state(saved["ledger"], new._shares, new._options.trials_per_block)
        new._ledger.changed = not saved["fitted"]
        new._rating = np.array(saved["rating"])
        new._conclusions = [Decision.from_dict(one) for one in saved["conclusions"]]
        return new


def _rests_on(kind: str, players: Sequence[str], first: str, decision: Decision) -> bool:
    """Whether a cycle or a place follows from a decision about a pair."""
    if kind == "place":
        return first in (decision.first, decision.second)
    return any(
        pair == (decision.first, decision.second) for pair in zip(players, (*players[1:], players[0]), strict=True)
    )
