"""The results of an arena as data for every method of the package.

Only complete blocks that are not void count, as in the standings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.events import Event
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.spec.votes import GAME
from equipoise.arena.store.store import Store
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Rankings
from equipoise.data.types.scores import Scores

# What recounting, rating and exporting need of an arena: its database, and its state at one moment.

_Answer = TypeVar("_Answer")


class Readable(Protocol):
    """An arena that can be read."""

    @property
    def id(self) -> str:
        """Identity of the arena."""

    @property
    def spec(self) -> ArenaSpec:
        """What is played; players that joined later included."""

    @property
    def store(self) -> Store:
        """The database behind it."""

    def events(self, after: int = 0, most: int | None = None, kinds: Sequence[str] | None = None) -> Iterator[Event]:
        """Give the journal in order."""

    def look(self, function: Callable[[ArenaState], _Answer]) -> _Answer:
        """Run a function on the state as it is on disk; it must not change it."""


def counted_results(arena: Readable) -> list[dict[str, Any]]:
    """Give the results of complete blocks that are not void, by trial, each with its time."""
    return list(counted(arena.events(kinds=["result", "void", "vote"])))


def counted(events: Iterator[Event]) -> Iterator[dict[str, Any]]:
    """Choose the results that count among results and voids."""
    results, void, finished = [], set(), dict[int, int]()
    for event in events:
        body = event.content()
        if event.kind == "void" or (event.kind == "vote" and body["do"] == "withheld"):
            void.add(body["block"])
        elif event.kind == "vote" and body["do"] == "restored":
            void.discard(body["block"])
        elif event.kind == "result":
            results.append({**body, "time": event.time})
            finished[body["block"]] = finished.get(body["block"], 0) + 1
    results.sort(key=lambda body: int(body["trial"]))
    return (body for body in results if body["block"] not in void and finished[body["block"]] == body["of"])


def matches_of(arena: Readable) -> Matches:
    """Give games of two as matches; the first side's score is (1 + s - t) / 2 of the normalised scores."""
    results = [body for body in _some(arena) if len(body["players"]) == 2]
    if not results:
        raise DataError("matches have two seats; this arena has games of another kind: ask for scores or episodes")
    if arena.spec.game == GAME:
        return votes_as_matches(results)
    outcome = [(1.0 + body["normalised"][0] - body["normalised"][1]) / 2.0 for body in results]
    task = [body["task"] for body in results]
    return Matches.from_columns(
        [body["players"][0] for body in results],
        [body["players"][1] for body in results],
        outcome,
        task=None if None in task else task,
        group=[str(body["block"]) for body in results],
        time=[body["time"] for body in results],
    )


def rankings_of(arena: Readable) -> Rankings:
    """Give games of several as places: a higher score is a better place, equal ones share it; blocks are clusters."""
    results = [body for body in _some(arena) if len(body["players"]) > 1]
    if not results:
        raise DataError("places need games with two seats or more; this arena has one: ask for scores")
    met = [body for body in results if len(set(body["players"])) == len(body["players"])]  # itself says nothing
    if not met:
        raise DataError("in all games a player met itself: there are no places")
    rows = [
        (f"game {body['trial']}", player, score)
        for body in met
        for player, score in zip(body["players"], body["normalised"], strict=True)
    ]
    game, player, place = zip(*rows, strict=True)
    races = Rankings.from_columns(game, player, place, points=True)
    return replace(races, group=Factor.of([str(body["block"]) for body in met]))


def votes_as_matches(results: Sequence[Mapping[str, Any]]) -> Matches:
    """Give votes, each with its voter and its prompt: those are the clusters of their errors."""
    first, second = ([body["players"][seat] for body in results] for seat in (0, 1))
    times = [body["time"] for body in results]
    rows = Matches.from_columns(first, second, [body["scores"][0] for body in results], time=times)
    column = {"voter": "worker", "prompt": "task", "choice": "choice"}
    labels = {name: Factor.of([body[key] for body in results]) for name, key in column.items()}
    return replace(rows, labels=labels, group=labels["voter"], crossed={"prompt": labels["prompt"]})


def scores_of(arena: Readable) -> Scores:
    """Give a table of players, tasks and trials; without tasks there is one, called ``all``."""
    results = _some(arena)
    cells: dict[tuple[str, str], list[float]] = {}
    for body in results:
        task = body["task"] if body["task"] is not None else "all"
        for player, score in zip(body["players"], body["scores"], strict=True):
            cells.setdefault((player, task), []).append(score)
    agents = [name for name in arena.spec.names if any(name == player for player, _ in cells)]
    tasks = list(dict.fromkeys(task for _, task in cells))
    longest = max(len(scores) for scores in cells.values())
    values = np.full((len(agents), len(tasks), longest), np.nan)
    for (player, task), scores in cells.items():
        values[agents.index(player), tasks.index(task), : len(scores)] = scores
    return Scores.from_matrix(values, agents=agents, tasks=tasks)


def metagame_of(arena: Readable) -> MetaGame:
    """Give the mean payoff of each profile: a symmetric game where sides were mirrored, else one player a seat."""
    results = _some(arena)
    seats = len(results[0]["players"])
    if seats < 2:
        raise DataError("a meta-game needs games with two seats or more; this arena has one: ask for scores")
    names = [name for name in arena.spec.names if any(name in body["players"] for body in results)]
    at = {name: index for index, name in enumerate(names)}
    total: FloatArray = np.zeros((seats, *[len(names)] * seats))
    times: FloatArray = np.zeros([len(names)] * seats)
    for body in results:
        profile = tuple(at[name] for name in body["players"])
        times[profile] += 1
        for seat, score in enumerate(body["scores"]):
            total[(seat, *profile)] += score
    if seats == 2 and arena.spec.mirrored:
        return _symmetric(total, times, names)
    unplayed = [" ".join(names[i] for i in profile) for profile in np.argwhere(times == 0)]
    if unplayed:
        raise DataError(f"profiles that were never played: {some_of(unplayed)}")
    return MetaGame.from_payoffs(list(total / times), strategies=[names] * seats)


def _symmetric(total: FloatArray, times: FloatArray, names: list[str]) -> MetaGame:
    """Average both orders of each pair; a player against itself is even."""
    won, games = total[0] + total[1].T, times + times.T
    off = ~np.eye(len(names), dtype=bool)
    unplayed = [f"{names[i]} against {names[j]}" for i, j in np.argwhere(np.triu((games == 0) & off))]
    if unplayed:
        raise DataError(f"pairs that never met: {some_of(unplayed)}")
    payoff = np.where(off, won / np.where(games > 0, games, 1.0), 0.0)
    np.fill_diagonal(payoff, ((payoff + payoff.T) / 2)[off].mean())
    return MetaGame.symmetric(payoff, strategies=names)


def episodes_of(arena: Readable) -> Episodes:
    """Give what each player won in each seat: a block is a deal, a trial is a hand, controls are columns."""
    rows = [(body, seat) for body in _some(arena) for seat in range(len(body["players"]))]
    names = list(dict.fromkeys(name for body, _ in rows for name in body.get("controls", {})))
    controls = {
        name: np.array(
            [body["controls"][name][seat] if name in body.get("controls", {}) else np.nan for body, seat in rows]
        )
        for name in names
    }
    return Episodes.from_columns(
        [body["players"][seat] for body, seat in rows],
        [str(body["block"]) for body, _ in rows],
        [body["scores"][seat] for body, seat in rows],
        seat=[str(seat) for _, seat in rows],
        hand=[str(body["trial"]) for body, _ in rows],
        controls=controls,
    )


def _some(arena: Readable) -> list[dict[str, Any]]:
    results = counted_results(arena)
    if not results:
        raise DataError("the arena has no complete set of paired games yet: nothing to analyse")
    return results
