"""What was played between whom, what that is evidence for, and which pairs are decided."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, log
from typing import Any, Self

import numpy as np

from equipoise.arena.contests.block_queue import BlockQueue, Value, player_numbers
from equipoise.arena.contests.contest import POST_HOC, Decision, withdrawn_words
from equipoise.arena.contests.pair_counts import PairSums, PairTurns, pair_number, pair_players, pair_values
from equipoise.arena.contests.pair_standing import above_by_chains, extend_chains
from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import counted
from equipoise.schedule.leaving import BearableLeaving, bearable_leaving
from equipoise.schedule.pair_evidence import EQUAL, SECOND, PairEvidence, decided, packed, unpacked


@dataclass(frozen=True, slots=True)
class Shares:
    """How many comparisons share alpha.

    Where players may be added, generation g (the first players are generation 0) has alpha / 2^(g + 1); these add up to
    at most alpha, however many come. Else the first players have all of it.

    Attributes
    ----------
    alpha
        Probability of any wrong answer.
    first
        Comparisons among the first players that can make the answer wrong.
    open_
        Whether players may be added; a newcomer's comparisons are those with everybody who is there.
    """

    alpha: float
    first: int
    open_: bool

    def threshold(self, generation: int, comparisons: int) -> float:
        """Log evidence that each claim about a pair of this generation must reach."""
        alpha = self.alpha / 2.0 ** (generation + 1) if self.open_ else self.alpha
        return log(2.0 * comparisons / alpha)


class PairLedger:
    """Scores, evidence and decisions of all pairs.

    Attributes
    ----------
    names
        The players.
    counts
        How pairs scored.
    evidence, threshold, settled
        Betting evidence of each pair, what it must reach, and what is decided (0 is nothing).
    better, equal, above
        The same as tables: directly better, equal within the margin, above by chains of decisions.
    decisions
        All that were made, in order.
    complete
        Blocks that were played and are not void.
    changed
        Whether scores came since somebody put this to False.
    """

    def __init__(self, names: Sequence[str], margin: float | None, shares: Shares, games_per_block: int = 1) -> None:
        self._shares = shares
        self._games_per_block = games_per_block
        n = len(names)
        self.names = list(names)
        self._places = {name: k for k, name in enumerate(names)}
        self._generation = 0
        self.counts = PairSums(n)
        self.evidence = PairEvidence(n * (n - 1) // 2, margin)
        self.threshold: FloatArray = np.full(n * (n - 1) // 2, shares.threshold(0, shares.first))
        self.settled: IntArray = np.zeros(n * (n - 1) // 2, dtype=np.int64)
        self.better, self.equal, self.above = (np.zeros((n, n), dtype=bool) for _ in range(3))
        self.decisions: list[Decision] = []
        self.complete = 0
        self.changed = True
        self._queue = BlockQueue()
        self._open: dict[int, tuple[int, ...]] = {}
        self._turns: PairTurns | None = None
        self._standing: dict[int, tuple[int, FloatArray]] = {}  # pair: place of its decision, growth when it was frozen
        self._excluded: set[int] = set()
        self._latest: dict[int, int] = {}  # pair: number of the last block that counted

    @property
    def size(self) -> int:
        """How many players there are."""
        return len(self.names)

    @property
    def blocks_pending(self) -> int:
        """How many blocks are open."""
        return len(self._open)

    def place(self, name: str) -> int:
        """Give the number of a player."""
        return self._places[name]

    def added(self, player: str) -> None:
        """Take a newcomer: a generation of its own."""
        if player in self._places:
            raise DataError(f'there is a player "{player}" already')
        n = self.size
        self._generation += 1
        self._places[player] = n
        self.names.append(player)
        self.counts.more()
        self.evidence.more(n)
        self.threshold = np.concatenate([self.threshold, np.full(n, self._shares.threshold(self._generation, n))])
        self.settled = np.concatenate([self.settled, np.zeros(n, dtype=np.int64)])
        self.better, self.equal, self.above = (np.pad(t, (0, 1)) for t in (self.better, self.equal, self.above))
        self.changed = True

    def times_opened(self, i: int, j: int) -> int:
        """How many blocks of a pair were opened, whatever became of them."""
        pair = pair_number(i, j)
        return int(self.counts.count[pair] + self.counts.pending[pair]) + int(self.evidence.void[pair])

    def next_in_turn(self) -> tuple[int, int]:
        """Give the pair that was opened least often, the first of several."""
        if self._turns is None or self._turns.players != self.size:
            self._turns = PairTurns(self.size, self.times_opened)
        return self._turns.next()

    def opened(self, block: int, players: Sequence[str]) -> None:
        """Take note of a block that is played."""
        numbers = player_numbers(block, players, self._places)
        pairs = tuple(pair_number(i, j) for i, j in combinations(numbers, 2))
        self._queue.opened(block, pairs)
        self._open[block] = numbers
        for pair in pairs:
            self.counts.pending[pair] += 1.0

    def closed(self, block: int, scores: Mapping[str, float] | None) -> list[Decision]:
        """Take a block's scores; give what they decided."""
        if block not in self._open:
            raise DataError(f"block {block} is not open")
        values = pair_values(block, self._open[block], self.names, scores)
        del self._open[block]
        self.complete += scores is not None
        made: list[Decision] = []
        for pair, number, value in self._queue.closed(block, values):
            made += self._count(pair, number, value)
        return made

    def _count(self, pair: int, block: int, value: Value) -> Iterator[Decision]:
        """Count the next block of a pair, and look whether that decides it."""
        self.counts.pending[pair] -= 1.0
        if isinstance(value, str):
            self.evidence.add_void(pair)
        else:
            self.evidence.add(pair, value)
            self.counts.add(pair, value)
        self.changed = True
        self._latest[pair] = block
        if not self.settled[pair]:
            yield from self._decide(pair)

    def _decide(self, pair: int) -> Iterator[Decision]:
        if not self.evidence.reaches(pair, self.threshold[pair]):
            return
        evidence = self.evidence.log_evidence(pair)
        claim = int(decided(evidence, self.threshold[pair]))
        if not claim:
            return
        i, j = pair_players(pair) if claim != SECOND else pair_players(pair)[::-1]
        reached = evidence[2:].min() if claim == EQUAL else evidence[claim - 1]
        decision = self._decision(pair, (i, j), claim == EQUAL, float(reached))
        self.settled[pair] = claim
        self._standing[pair] = (len(self.decisions), self.evidence.growth[pair].copy())
        self.decisions.append(decision)
        if claim == EQUAL:
            self.equal[i, j] = self.equal[j, i] = True
        else:
            self.better[i, j] = True
            self.above = extend_chains(self.above, i, j)
        yield decision

    def _decision(self, pair: int, who: tuple[int, int], equal: bool, evidence: float) -> Decision:
        first, second = self.names[who[0]], self.names[who[1]]
        blocks, threshold = int(self.evidence.games[pair]), float(self.threshold[pair])
        margin = self.evidence.margin
        claim = f"{first} and {second} are equal within {margin:g}" if equal else f"{first} is better than {second}"
        post_hoc = pair in self._excluded
        sure = POST_HOC if post_hoc else f"wrong with probability at most {2.0 * exp(-threshold):.2g}"
        return Decision(
            "equal" if equal else "better", first, second, self._latest[pair], blocks, evidence, threshold,
            "post hoc" if post_hoc else "holds",
            f"{claim}, after {counted(blocks * self._games_per_block, 'game')} ({sure}).",
        )  # fmt: skip

    def voided(
        self, block: int, players: Sequence[str], scores: Mapping[str, float] | None
    ) -> tuple[list[Decision], list[Decision]]:
        """Make a complete block void: its evidence becomes the worst; give what is withdrawn, and what is decided.

        A block that was void already has nothing to take back.
        """
        if block in self._open:
            raise DataError(f"block {block} is still open: close it as void instead")
        numbers = player_numbers(block, players, self._places)
        withdrawn: list[Decision] = []
        made: list[Decision] = []
        if scores is None:
            return withdrawn, made
        self.complete -= 1
        for pair, value in pair_values(block, numbers, self.names, scores).items():
            self._excluded.add(pair)
            if self._queue.waits(pair, block):
                self._queue.make_void(pair, block)
            elif not isinstance(value, str):
                withdrawn += self._take_back(pair, block, value)
                made += () if self.settled[pair] else self._decide(pair)
        return withdrawn, made

    def bearable(self, left: Mapping[tuple[str, str], Sequence[int]]) -> dict[tuple[str, str], BearableLeaving]:
        """Say how much leaving each standing decision bears, of the blocks opened before it."""
        found = {}
        for pair, (place, growth) in self._standing.items():
            one = self.decisions[place]
            names = self.names[pair_players(pair)[0]], self.names[pair_players(pair)[1]]
            times = sum(block <= one.block for block in left.get((min(names), max(names)), ()))
            claim, needs = int(self.settled[pair]), float(self.threshold[pair])
            found[one.first, one.second or ""] = bearable_leaving(growth, claim, needs, times, self.evidence.margin)
        return found

    def waits(self, block: int, players: Sequence[str]) -> bool:
        """Whether a block of two is closed, but waits for an earlier one."""
        i, j = player_numbers(block, players, self._places)
        return self._queue.waits(pair_number(i, j), block)

    def restored(self, block: int, players: Sequence[str], scores: Mapping[str, float]) -> list[Decision]:
        """Count a block again that was complete and then made void."""
        numbers = player_numbers(block, players, self._places)
        self.complete += 1
        made: list[Decision] = []
        for pair, value in pair_values(block, numbers, self.names, scores).items():
            if self._queue.waits(pair, block):
                self._queue.put_back(pair, block, value)
            elif not isinstance(value, str):
                self.evidence.make_counted(pair, value)
                self.counts.add(pair, value)
                self.changed = True
                made += () if self.settled[pair] else self._decide(pair)
        return made

    def _take_back(self, pair: int, block: int, score: float) -> list[Decision]:
        """Take a counted score back, and the pair's decision if the blocks up to it do not support it without it."""
        self.evidence.make_void(pair, score)
        self.counts.add(pair, score, -1.0)
        self.changed = True
        place, growth = self._standing.get(pair, (-1, np.empty(0)))
        if place < 0 or block > self.decisions[place].block:
            return []
        frozen = PairEvidence(1, self.evidence.margin)
        frozen.growth[0] = growth
        frozen.make_void(0, score)
        if int(decided(frozen.log_evidence(0), self.threshold[pair])) == self.settled[pair]:
            self._standing[pair] = (place, frozen.growth[0])
            return []
        was = self.decisions[place]
        gone = replace(was, status="withdrawn", sentence=withdrawn_words(was, block, self._games_per_block))
        self.decisions[place] = gone
        del self._standing[pair]
        self.settled[pair] = 0
        self._mark_again()
        return [gone]

    def _mark_again(self) -> None:
        """Lay the decisions out as tables."""
        n = self.size
        self.better, self.equal = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
        for pair in np.flatnonzero(self.settled).tolist():
            i, j = pair_players(pair) if self.settled[pair] != SECOND else pair_players(pair)[::-1]
            if self.settled[pair] == EQUAL:
                self.equal[i, j] = self.equal[j, i] = True
            else:
                self.better[i, j] = True
        self.above = above_by_chains(self.better)

    def state(self) -> dict[str, Any]:
        """Give everything as strict JSON."""
        pairs = np.flatnonzero(self.settled)
        return {
            "names": list(self.names), "generation": self._generation,
            "thresholds": [[float(t), int(n)] for t, n in _runs(self.threshold)],
            "counts": self.counts.state(), "evidence": self.evidence.state(), "complete": self.complete,
            "settled": [[int(pair), int(self.settled[pair])] for pair in pairs],
            "decisions": [decision.to_dict() for decision in self.decisions],
            "standing": [[pair, place, packed(growth)] for pair, (place, growth) in self._standing.items()],
            "excluded": sorted(self._excluded), "latest": [list(entry) for entry in self._latest.items()],
            "open": [[block, list(who)] for block, who in self._open.items()],
            "queue": self._queue.state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any], shares: Shares, games_per_block: int = 1) -> Self:
        """Go on from :meth:`state`."""
        new = cls(state["names"], state["evidence"]["margin"], shares, games_per_block)
        new._generation, new.complete = state["generation"], state["complete"]
        new.threshold = np.concatenate([np.full(n, t) for t, n in state["thresholds"]] or [np.empty(0)])
        new.counts = PairSums.from_state(state["counts"])
        new.evidence = PairEvidence.from_state(state["evidence"])
        for pair, claim in state["settled"]:
            new.settled[pair] = claim
        new._mark_again()
        new.decisions = [Decision.from_dict(saved) for saved in state["decisions"]]
        shape = new.evidence.growth.shape[1:]
        new._standing = {pair: (place, unpacked(text).reshape(shape)) for pair, place, text in state["standing"]}
        new._excluded, new._open = set(state["excluded"]), {block: tuple(who) for block, who in state["open"]}
        new._latest = dict(state["latest"])
        new._queue = BlockQueue.from_state(state["queue"])
        return new


def _runs(values: FloatArray) -> Iterator[tuple[float, int]]:
    """Give equal numbers that stand side by side as a number and how often."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if values.size else np.empty(0, int)
    yield from zip(values[starts].tolist(), np.diff([*starts.tolist(), values.size]).tolist(), strict=True)
