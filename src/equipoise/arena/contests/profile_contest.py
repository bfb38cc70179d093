"""The contest for a profile: the response graph, decided pair by pair without assuming an order."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Self

import numpy as np

from equipoise.arena.contests import contest
from equipoise.arena.contests.block_queue import BlockQueue, player_numbers
from equipoise.arena.contests.pair_counts import PairSums, pair_number, pair_players, pair_values
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import IntArray
from equipoise.core.wording import Option, counted
from equipoise.schedule.payoff_cells import payoff_cells
from equipoise.schedule.payoff_evidence import HoeffdingEvidence, UcbOptions

_MOST = 10_000_000


class ProfileContest:
    """Play every pair until the confidence interval of its mean score leaves 1/2.

    That is :class:`~equipoise.ResponseGraphUCB` in its guaranteed form: Hoeffding's intervals with a delta that shrinks
    with the games of the pair and is shared by all pairs, and nothing relaxed. The pair opened least often plays next.
    A void block is a win for the other side in every claim. Pairs of equal strength never end: give a budget.
    """

    def __init__(self, names: Sequence[str], options: contest.ContestOptions) -> None:
        self._options = options
        self.names = list(names)
        self._places = {name: k for k, name in enumerate(names)}
        form = UcbOptions(delta=1.0 - options.level, union_bound=True, time_dependent=True, constant_sum=1.0)
        self._guarantee = form.guarantee
        # The union bound counts all pairs of players; the cell at hand is that of one pair.
        self._bound = HoeffdingEvidence(1, (len(names),), form)
        self._edge = payoff_cells((2,), symmetric=False, constant_sum=1.0).edges[0]
        self.counts = PairSums(len(names))
        self._void: IntArray = np.zeros(self.counts.count.size, dtype=np.int64)
        self._queue = BlockQueue()
        self._open: dict[int, tuple[int, ...]] = {}
        self._decisions: list[contest.Decision] = []
        self._standing: dict[
            int, tuple[int, int, float, int]
        ] = {}  # pair: place, games, total, void when it was frozen
        self._excluded: set[int] = set()
        self._latest: dict[int, int] = {}
        self._complete = 0

    @property
    def decisions(self) -> tuple[contest.Decision, ...]:
        """Everything decided so far, also what was withdrawn."""
        return tuple(self._decisions)

    def propose(self, number: int, without: Collection[str] = ()) -> contest.BlockProposal | None:
        """Propose a block; None if there is nothing to ask now."""
        options = self._options
        blocks = self._complete + len(self._open)
        undecided = np.setdiff1d(np.arange(self._void.size), list(self._standing))
        out = [k for k, name in enumerate(self.names) if name in without]
        if out:
            if len(self.names) - len(out) < options.seats:
                return None
            undecided = np.array([one for one in undecided if not set(pair_players(int(one))) & set(out)], dtype=int)
        if not undecided.size or (options.budget is not None and blocks * options.trials_per_block >= options.budget):
            return None
        rng = np.random.default_rng([options.seed, number])
        opened = self.counts.count + self._void + self.counts.pending
        least = undecided[opened[undecided] == opened[undecided].min()]
        players = list(pair_players(int(least[rng.integers(least.size)])))
        while len(players) < options.seats:
            meetings = self.counts.table(opened)[:, players].sum(axis=1)
            meetings[players + out] = np.inf
            players.append(int(meetings.argmin()))
        task = options.tasks[int(rng.integers(len(options.tasks)))] if options.tasks else None
        return contest.BlockProposal(tuple(self.names[k] for k in sorted(players)), task, "open, and met least often")

    def opened(self, block: int, players: tuple[str, ...], task: str | None = None) -> None:  # noqa: ARG002  # protocol
        """Take note that a block is played."""
        numbers = player_numbers(block, players, self._places)
        pairs = tuple(pair_number(i, j) for i, j in combinations(numbers, 2))
        self._queue.opened(block, pairs)
        self._open[block] = numbers
        self.counts.pending[list(pairs)] += 1.0

    def closed(self, block: int, scores: Mapping[str, float] | None) -> tuple[contest.Decision, ...]:
        """Take a block's scores, or None if it is void; give what it decided."""
        if block not in self._open:
            raise DataError(f"block {block} is not open")
        values = pair_values(block, self._open[block], self.names, scores)
        del self._open[block]
        self._complete += scores is not None
        made: list[contest.Decision] = []
        for pair, number, value in self._queue.closed(block, values):
            self.counts.pending[pair] -= 1.0
            self._latest[pair] = number
            if isinstance(value, str):
                self._void[pair] += 1
            else:
                self.counts.add(pair, value)
            made += self._decide(pair)
        return tuple(made)

    def _resolved(self, games: float, total: float, void: float) -> int:
        """Say who is better: 1 the first, -1 the second, 0 nobody yet; void blocks count against each claim."""
        if games + void <= 0:
            return 0
        for sign, points in ((1, total), (-1, total + void)):
            self._bound.restore([games + void], [points])
            overlap, gap = self._bound.overlap(self._edge)
            # The edge leads from the first to the second: a gain of moving means that the second is better.
            if overlap < 0.0 and gap * sign < 0.0:
                return sign
        return 0

    def _decide(self, pair: int) -> list[contest.Decision]:
        if pair in self._standing:
            return []
        games, total, void = self.counts.count[pair], self.counts.total[pair], int(self._void[pair])
        better = self._resolved(games, total, void)
        if not better:
            return []
        i, j = pair_players(pair)[::better]
        post_hoc, blocks = pair in self._excluded, int(games) + void
        sure = (
            contest.POST_HOC if post_hoc else f"together with all others right with probability {self._options.level:g}"
        )
        overlap, _ = self._bound.overlap(self._edge)
        games_behind = counted(blocks * self._options.trials_per_block, "game")
        made = contest.Decision(
            "edge", self.names[i], self.names[j], self._latest[pair], blocks, -overlap, 0.0,
            "post hoc" if post_hoc else "holds",
            f"{self.names[i]} beats {self.names[j]}, after {games_behind} ({sure}).",
        )  # fmt: skip
        self._standing[pair] = (len(self._decisions), int(games), float(total), void)
        self._decisions.append(made)
        return [made]

    def voided(
        self,
        block: int,
        players: tuple[str, ...],
        task: str | None,  # noqa: ARG002  # tasks do not matter to pairs
        scores_before: Mapping[str, float] | None,
    ) -> tuple[contest.Decision, ...]:
        """Make a complete block void; give what is withdrawn and what is decided by that."""
        if block in self._open:
            raise DataError(f"block {block} is still open: close it as void instead")
        numbers = player_numbers(block, players, self._places)
        if scores_before is None:
            return ()
        self._complete -= 1
        changed: list[contest.Decision] = []
        for pair, value in pair_values(block, numbers, self.names, scores_before).items():
            self._excluded.add(pair)
            if self._queue.waits(pair, block):
                self._queue.make_void(pair, block)
            elif not isinstance(value, str):
                self.counts.add(pair, value, -1.0)
                self._void[pair] += 1
                changed += self._take_back(pair, block, value)
                changed += self._decide(pair)
        return tuple(changed)

    def _take_back(self, pair: int, block: int, score: float) -> list[contest.Decision]:
        if pair not in self._standing:
            return []
        place, games, total, void = self._standing[pair]
        was = self._decisions[place]
        if block > was.block:
            return []
        self._standing[pair] = (place, games - 1, total - score, void + 1)
        if self._resolved(games - 1, total - score, void + 1):
            return []
        text = contest.withdrawn_words(was, block, self._options.trials_per_block)
        self._decisions[place] = replace(was, status="withdrawn", sentence=text)
        del self._standing[pair]
        return [self._decisions[place]]

    def added(self, player: str) -> None:
        """Refuse: the bound counts the pairs there are."""
        raise ParameterError(f'"{player}" cannot join: ', Option("goal", "profile"), " knows its players; ask anew")

    @property
    def answered(self) -> bool:
        """Whether every pair is decided."""
        return len(self._standing) == self._void.size

    def progress(self) -> contest.ContestProgress:
        """Say how far it is."""
        options, pairs = self._options, self._void.size
        done, trials = len(self._standing), self._complete * options.trials_per_block
        used_up = options.budget is not None and trials >= options.budget and not self._open
        ending = "decided" if self.answered else contest.BUDGET_USED_UP if used_up else None
        forecast, bottleneck = (None, None) if ending else self._forecast()
        said = f"{done} of {pairs} pairs decided"
        if ending is not None:
            said = f"{contest.ended(ending, trials, 'game')}: {said}"
        elif forecast is not None and bottleneck is not None:
            said = f"{said}; {forecast.words}, mostly {bottleneck[0]} against {bottleneck[1]}"
        return contest.ContestProgress(
            self.answered, ending, f"{said}.", forecast, bottleneck, trials, self._round_robin(), None,
            self._guarantee,
        )  # fmt: skip

    def _needed(self, pair: int, mean: float) -> float:
        """Blocks after which a pair is decided if its mean score stays what it is."""
        void = float(self._void[pair])
        blocks = 1.0
        while blocks < _MOST and not self._resolved(blocks, blocks * mean, void):
            blocks *= 1.1
        return blocks

    def _forecast(self) -> tuple[contest.Forecast | None, tuple[str, str] | None]:
        counts = self.counts
        rows = []
        for pair in range(self._void.size):
            if pair in self._standing:
                continue
            games = counts.count[pair]
            offset = (counts.total[pair] + 2.0) / (games + 4.0) - 0.5
            error = 0.5 / np.sqrt(games + 4.0)
            sizes = (max(abs(offset), error / 2.0), abs(offset) + error, max(abs(offset) - error, error / 4.0))
            rows.append([max(self._needed(pair, 0.5 + min(size, 0.5)) - games, 1.0) for size in sizes] + [pair])
        expected, low, high = (sum(row[k] for row in rows) * self._options.trials_per_block for k in range(3))
        worst = max(rows, key=lambda row: row[0])
        who = tuple(self.names[k] for k in pair_players(int(worst[3])))
        if expected > _MOST:
            return None, None
        rounded = [int(float(f"{min(x, _MOST):.2g}")) for x in (expected, low, high)]
        return contest.Forecast(*rounded), (who[0], who[1])

    def _round_robin(self) -> int | None:
        """Trials if every pair played as often as the one that needs most."""
        played = [pair for pair in range(self._void.size) if self.counts.count[pair] > 0]
        if not played:
            return None
        means = [self.counts.total[pair] / self.counts.count[pair] for pair in played]
        most = max(self._needed(pair, mean) for pair, mean in zip(played, means, strict=True))
        total = most * self._void.size * self._options.trials_per_block
        return int(float(f"{total:.3g}")) if most < _MOST else None

    def state(self) -> dict[str, Any]:
        """Give everything needed to go on later, as strict JSON."""
        return {
            "kind": "profile", "names": list(self.names), "options": self._options.to_dict(),
            "counts": self.counts.state(), "void": self._void.tolist(), "complete": self._complete,
            "decisions": [one.to_dict() for one in self._decisions],
            "standing": [[pair, *kept] for pair, kept in self._standing.items()], "excluded": sorted(self._excluded),
            "latest": [list(entry) for entry in self._latest.items()],
            "open": [[block, list(who)] for block, who in self._open.items()], "queue": self._queue.state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`; the same proposals and decisions follow."""
        saved = json.loads(json.dumps(state))
        new = cls(saved["names"], contest.ContestOptions.from_dict(saved["options"]))
        new.counts, new._void = PairSums.from_state(saved["counts"]), np.array(saved["void"], dtype=np.int64)
        new._decisions = [contest.Decision.from_dict(one) for one in saved["decisions"]]
        new._standing = {pair: tuple(kept) for pair, *kept in saved["standing"]}
        new._excluded, new._latest = set(saved["excluded"]), dict(saved["latest"])
        new._open = {block: tuple(who) for block, who in saved["open"]}
        new._queue, new._complete = BlockQueue.from_state(saved["queue"]), saved["complete"]
        return new
