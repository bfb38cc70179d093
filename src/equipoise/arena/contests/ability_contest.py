"""The contest of agents with calibrated items: who passes, who is better, or how able somebody is."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log
from typing import Any, Self

import numpy as np

from equipoise.arena.contests.ability_options import ItemsAhead, fixed_items, items_left
from equipoise.arena.contests.block_queue import VOID, BlockQueue, Value, checked_scores, player_numbers
from equipoise.arena.contests.contest import (
    BUDGET_USED_UP,
    POST_HOC,
    BlockProposal,
    ContestOptions,
    ContestProgress,
    Decision,
    ended,
)
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option
from equipoise.items.models.models import information
from equipoise.items.scoring.ability_evidence import AbilityEvidence, AbilityGrid, Limits
from equipoise.items.scoring.calibration import Calibration


@dataclass(slots=True)
class _Sitting:
    """One agent's answers; ``frozen`` is what they said when its decision was made."""

    evidence: AbilityEvidence
    asked: set[int]
    latest: int = -1
    excluded: bool = False
    frozen: AbilityEvidence | None = None
    decision: int | None = None


class AbilityContest:
    """Ask items until it is decided, given the calibration, for every agent.

    Each agent has limits of its ability that are valid at every look
    (:mod:`~equipoise.items.scoring.ability_evidence`), all agents together with the level's probability: they share
    alpha. An agent passes once its lower limit is at the bar or above, and fails once its upper limit is at the bar or
    below; it is better than another once its lower limit is at least the other's upper one. An item is asked once of an
    agent.
    """

    def __init__(self, names: Sequence[str], calibration: Calibration, options: ContestOptions) -> None:
        self._options = options
        self.names = list(names)
        self._places = {name: k for k, name in enumerate(names)}
        self._calibration = calibration
        self._items = calibration.parameters
        self._numbers = {item: k for k, item in enumerate(calibration.items)}
        bar = float(options.rest) if options.kind == "pass" else None
        self._grid = AbilityGrid(self._items, calibration.ability_sd, bar)
        self._sittings = [_Sitting(AbilityEvidence(self._grid), set()) for _ in names]
        self._threshold = log(2.0 * len(names) / (1.0 - options.level))
        self._queue = BlockQueue()
        self._open: dict[int, tuple[tuple[int, ...], int]] = {}
        self._decisions: list[Decision] = []
        self._complete = 0
        self._tasks: dict[tuple[int, int], int] = {}  # (player, block): item, until it is counted

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Everything decided so far, also what was withdrawn."""
        return tuple(self._decisions)

    def _wanted(self) -> list[int]:
        """Agents about whom something is open."""
        still = [k for k, one in enumerate(self._sittings) if one.decision is None]
        if self._options.kind == "better":
            other = self._places[self._options.rest]
            others = [k for k in still if k != other]
            return [*others, other] if others else []
        return still

    def propose(self, number: int, without: Collection[str] = ()) -> BlockProposal | None:
        """Propose an item for the agent that was asked least; None if there is nothing to ask now."""
        spent = self._options.budget is not None and self._complete + len(self._open) >= self._options.budget
        able = [k for k in self._wanted() if len(self._sittings[k].asked) < len(self._numbers)]
        able = [k for k in able if self.names[k] not in without]
        if spent or not able:
            return None
        least = min(len(self._sittings[k].asked) for k in able)
        able = [k for k in able if len(self._sittings[k].asked) == least]
        rng = np.random.default_rng([self._options.seed, number])
        player = able[int(rng.integers(len(able)))]
        sitting = self._sittings[player]
        ability, _ = sitting.evidence.estimate()
        gain = self._information(ability)
        gain[list(sitting.asked)] = -1.0
        item = int(gain.argmax())
        why = f"most information ({gain[item]:.3f}) at ability {ability:.2f}"
        return BlockProposal((self.names[player],), self._calibration.items[item], why)

    def _information(self, ability: float) -> FloatArray:
        return information(np.array([ability]), self._items)[:, 0]

    def opened(self, block: int, players: tuple[str, ...], task: str | None = None) -> None:
        """Take note that an item is asked."""
        numbers = player_numbers(block, players, self._places)
        item = self._item(block, task)
        self._queue.opened(block, numbers)
        self._open[block] = numbers, item
        for player in numbers:
            self._sittings[player].asked.add(item)
            self._tasks[player, block] = item

    def _item(self, block: int, task: str | None) -> int:
        if task not in self._numbers:
            near = did_you_mean(str(task), list(self._numbers))
            raise DataError(f'block {block}: no item "{task}" in the calibration{near}')
        return self._numbers[task]

    def closed(self, block: int, scores: Mapping[str, float] | None) -> tuple[Decision, ...]:
        """Take an answer: the share of success, or None if it is void."""
        if block not in self._open:
            raise DataError(f"block {block} is not open")
        players, _ = self._open[block]
        values: dict[int, Value] = dict.fromkeys(players, VOID)
        if scores is not None:
            known = checked_scores(block, [self.names[k] for k in players], scores)
            values = {k: known[self.names[k]] for k in players}
        del self._open[block]
        self._complete += scores is not None
        made: list[Decision] = []
        for player, number, value in self._queue.closed(block, values):
            self._count(player, number, value)
            made += self._decide()
        return tuple(made)

    def _count(self, player: int, block: int, value: Value) -> None:
        sitting, item = self._sittings[player], self._tasks.pop((player, block))
        sitting.latest = block
        if isinstance(value, str):
            sitting.evidence.add_void(item)
        else:
            sitting.evidence.add(item, value)

    def _decide(self) -> list[Decision]:
        """Freeze what the limits say now of agents about whom nothing is decided."""
        made = []
        for player in self._wanted():
            sitting = self._sittings[player]
            sentence = (
                None if sitting.decision is not None else self._claim(player, [s.evidence for s in self._sittings])
            )
            if sentence is None:
                continue
            sitting.frozen, sitting.decision = sitting.evidence.copy(), len(self._decisions)
            self._decisions.append(self._decision(player, sentence))
            made.append(self._decisions[-1])
        return made

    def _claim(self, player: int, evidence: Sequence[AbilityEvidence]) -> str | None:
        """What may be said of an agent; nothing where it is open."""
        mine, name, rest = evidence[player].limits(self._threshold), self.names[player], self._options.rest
        if self._options.kind == "pass":
            bar = float(rest)
            return f"{name} passes {rest}" if mine.low >= bar else f"{name} fails {rest}" if mine.high <= bar else None
        if self._options.kind == "error":
            ability, error = evidence[player].estimate()
            within = f"{name} has ability {ability:.2f}, with a standard error of {error:.2f}"
            return f"{within}{_between(mine)}" if error <= float(rest) else None
        if name == rest:
            return None
        theirs = evidence[self._places[rest]].limits(self._threshold)
        if mine.low >= theirs.high:
            return f"{name} is better than {rest}"
        return f"{rest} is better than {name}" if theirs.low >= mine.high else None

    def _decision(self, player: int, sentence: str) -> Decision:
        sitting, kind = self._sittings[player], self._options.kind
        behind = [sitting] if kind != "better" else [sitting, self._sittings[self._places[self._options.rest]]]
        post_hoc = any(one.excluded for one in behind)
        first, second = self.names[player], self._options.rest if kind == "better" else None
        if second is not None and sentence.startswith(f"{second} is better"):
            first, second = second, first
        sure = POST_HOC if post_hoc else f"wrong with probability at most {2.0 * exp(-self._threshold):.2g}"
        return Decision(
            "better" if kind == "better" else "ability", first, second, max(one.latest for one in behind),
            sum(one.evidence.answers for one in behind), self._reached(player), self._threshold,
            "post hoc" if post_hoc else "holds", f"{sentence}, given the calibration ({sure}).",
        )  # fmt: skip

    def _reached(self, player: int) -> float:
        """Log evidence at the bar, on the side that is decided; at the estimate where there is no bar."""
        evidence = self._sittings[player].evidence
        at = float(self._options.rest) if self._options.kind == "pass" else evidence.estimate()[0]
        place = int(np.abs(self._grid.nodes - at).argmin())
        low, high = evidence.log_evidence()
        return float(max(low[place], high[place]))

    def voided(
        self, block: int, players: tuple[str, ...], task: str | None, scores_before: Mapping[str, float] | None
    ) -> tuple[Decision, ...]:
        """Make a complete answer void: it becomes the worst for every claim."""
        if block in self._open:
            raise DataError(f"block {block} is still open: close it as void instead")
        numbers, item = player_numbers(block, players, self._places), self._item(block, task)
        if scores_before is None:
            return ()
        known = checked_scores(block, [self.names[k] for k in numbers], scores_before)
        self._complete -= 1
        for player in numbers:
            sitting = self._sittings[player]
            sitting.excluded = True
            if self._queue.waits(player, block):
                self._queue.make_void(player, block)
                continue
            score = known[self.names[player]]
            sitting.evidence.make_void(item, score)
            if sitting.frozen is not None and block <= self._decisions[sitting.decision or 0].block:
                sitting.frozen.make_void(item, score)
        withdrawn = self._withdraw(block)
        return (*withdrawn, *self._decide())

    def _withdraw(self, block: int) -> list[Decision]:
        """Withdraw decisions that what they rested on no longer supports."""
        gone = []
        for player, sitting in enumerate(self._sittings):
            if sitting.decision is None:
                continue
            now = [one.frozen if one.frozen is not None else one.evidence for one in self._sittings]
            was = self._decisions[sitting.decision]
            still = self._claim(player, now)
            if still is not None and (self._options.kind == "error" or was.sentence.startswith(still)):
                continue
            text = f"Withdrawn, because answer {block} was voided: {was.sentence}"
            self._decisions[sitting.decision] = replace(was, status="withdrawn", sentence=text)
            gone.append(self._decisions[sitting.decision])
            sitting.decision, sitting.frozen = None, None
        return gone

    def added(self, player: str) -> None:
        """Refuse: the agents share alpha, and another would change what is promised."""
        raise ParameterError(f'"{player}" cannot join: ', Option("goal", "ability"), " knows its agents; ask anew")

    def limits(self, name: str) -> Limits:
        """Give the limits of an agent's ability, valid at every look."""
        return self._sittings[self._places[name]].evidence.limits(self._threshold)

    @property
    def answered(self) -> bool:
        """Whether everything is decided, or nothing is left to ask."""
        return self._ending() in ("decided", "no items left")

    def _ending(self) -> str | None:
        """In which way it has ended."""
        wanted, budget = self._wanted(), self._options.budget
        if not wanted:
            return "decided"
        if self._open:
            return None
        if budget is not None and self._complete >= budget:
            return BUDGET_USED_UP
        more = any(len(self._sittings[k].asked) < len(self._numbers) for k in wanted)
        return None if more else "no items left"

    def progress(self) -> ContestProgress:
        """Say how far it is."""
        options, wanted, ending = self._options, self._wanted(), self._ending()
        compared = self._places[options.rest] if options.kind == "better" else -1
        agents = [k for k in range(len(self.names)) if k != compared]
        done = sum(self._sittings[k].decision is not None for k in agents)
        forecast = None if ending else items_left([self._tasks_ahead(k) for k in wanted if k != compared])
        fixed = fixed_items([self._tasks_ahead(k) for k in agents]) if self._complete else None
        said = f"{done} of {len(agents)} agents decided"
        if ending is not None:
            said = f"{ended(ending, self._complete, 'item')}: {said}"
        elif forecast is not None:
            said = f"{said}; {forecast.words.replace('games', 'items')}"
        right = f"all decisions are right with probability at least {options.level:g}, given the calibration"
        return ContestProgress(self.answered, ending, f"{said}.", forecast, None, self._complete, fixed, None, right)

    def _tasks_ahead(self, player: int) -> ItemsAhead:
        """Give what a forecast needs to know of an agent."""
        ability, error = self._sittings[player].evidence.estimate()
        options = self._options
        distance = None
        if options.kind == "pass":
            distance = abs(ability - float(options.rest))
        elif options.kind == "better":
            distance = abs(ability - self._sittings[self._places[options.rest]].evidence.estimate()[0])
        goal = float(options.rest) if options.kind == "error" else None
        return ItemsAhead(self._information(ability), error, distance, self._threshold, self._reached(player), goal)

    def state(self) -> dict[str, Any]:
        """Give everything needed to go on later, but for the calibration, as strict JSON."""
        sittings = [
            {
                "evidence": one.evidence.state(), "asked": sorted(one.asked), "latest": one.latest,
                "excluded": one.excluded, "decision": one.decision,
                "frozen": None if one.frozen is None else one.frozen.state(),
            }
            for one in self._sittings
        ]  # fmt: skip
        return {
            "kind": "ability", "names": list(self.names), "options": self._options.to_dict(), "sittings": sittings,
            "decisions": [one.to_dict() for one in self._decisions], "complete": self._complete,
            "open": [[block, list(players), item] for block, (players, item) in self._open.items()],
            "tasks": [[player, block, item] for (player, block), item in self._tasks.items()],
            "queue": self._queue.state(),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any], calibration: Calibration) -> Self:
        """Go on from :meth:`state`, with the same calibration."""
        saved = json.loads(json.dumps(state))
        new = cls(saved["names"], calibration, ContestOptions.from_dict(saved["options"]))
        for one, kept in zip(new._sittings, saved["sittings"], strict=True):
            one.evidence = AbilityEvidence.from_state(new._grid, kept["evidence"])
            one.asked, one.latest, one.excluded = set(kept["asked"]), kept["latest"], kept["excluded"]
            one.decision = kept["decision"]
            one.frozen = None if kept["frozen"] is None else AbilityEvidence.from_state(new._grid, kept["frozen"])
        new._decisions = [Decision.from_dict(one) for one in saved["decisions"]]
        new._complete = saved["complete"]
        new._open = {block: (tuple(players), item) for block, players, item in saved["open"]}
        new._tasks = {(player, block): item for player, block, item in saved["tasks"]}
        new._queue = BlockQueue.from_state(saved["queue"])
        return new


def _between(limits: Limits) -> str:
    """Say limits in words; those without an end are left out."""
    if limits.low == -inf or limits.high == inf:
        return ""
    return f" (between {limits.low:.2f} and {limits.high:.2f} at every look)"
