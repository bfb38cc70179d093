"""Replays of kaggle-environments: who played, what each got, and whether somebody forfeited.

``keep`` may be ``fair``: replays in which an agent failed (error, timeout, no legal move) are left out, for that is no
loss by play; or ``all``: they count as losses. Reading fails when no replay counts.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from equipoise.core.diagnostics import warning
from equipoise.core.errors import DataError
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.matches import Games, refuse_without_games

FAILED = frozenset({"ERROR", "TIMEOUT", "INVALID"})
FORFEITS = "forfeited (an agent failed)"
COUNT_THEM = Advice("count them with ", Option("keep", "all"))


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:
    """Read replays: the higher reward wins; of more than two players each two are a match, in one group."""
    notes.mapped("info.TeamNames (a and b)", "rewards (outcome)", "statuses", "name (task)")
    games, crowded, nameless = Games(), 0, 0
    for path in files:
        replay = whole_object(path)
        last = replay["steps"][-1] if replay.get("steps") else []
        rewards = replay.get("rewards") or [seat.get("reward") for seat in last]
        statuses = replay.get("statuses") or [seat.get("status") for seat in last]
        if len(rewards) != len(statuses) or len(rewards) < 2:
            raise DataError(f"{path}: a replay of at least two players is expected, not of {len(rewards)}")
        names, named = _names(replay, len(rewards))
        nameless += not named
        failed = any(status in FAILED for status in statuses) or any(_gave_up(seat) for seat in last)
        if failed and how.more.get("keep") != "all":
            notes.drop(FORFEITS)
            continue
        values = [number_of(reward) for reward in rewards]
        values = [-float("inf") if s in FAILED else v for v, s in zip(values, statuses, strict=True)]
        if None in values:
            notes.drop("without rewards")
            continue
        if len(set(names)) == 1:
            notes.drop("of a team against itself")
            continue
        notes.use(1)
        crowded += len(names) > 2
        group = str(replay.get("id") or path.name)
        for i, j in combinations(range(len(names)), 2):
            if names[i] != names[j]:
                gap = (values[i] > values[j]) - (values[i] < values[j])  # type: ignore[operator]
                games.add(names[i], names[j], (gap + 1) / 2, str(replay.get("name") or ""), group)
    lost = notes.dropped.get(FORFEITS, 0)
    if lost:
        sentence = f"{lost:,} replays are left out: an agent failed, which is no loss by play."
        notes.said.append(warning("forfeits", sentence, advice=[COUNT_THEM]))
    if crowded:
        notes.info("players-as-pairs", f"{crowded:,} replays have more than two players: each two are a match.")
    if nameless:
        notes.warning("teams-without-names", f"{nameless:,} replays name no teams; seats stand for them.")
    refuse_without_games(len(games.first), "replays", notes, [COUNT_THEM] if lost else [])
    return games.matches(ordered=False)


def _names(replay: Mapping[str, Any], players: int) -> tuple[list[str], bool]:
    given = (replay.get("info") or {}).get("TeamNames")
    if isinstance(given, list) and len(given) == players and all(given):
        return [str(name) for name in given], True
    return [f"seat {seat + 1}" for seat in range(players)], False


def _gave_up(seat: Mapping[str, Any]) -> bool:
    """Say whether an agent gave no legal move: games of OpenSpiel end with the status DONE even so."""
    action = seat.get("action")
    return isinstance(action, dict) and (
        action.get("actionString") == "<illegal>" or "forfeit" in str(action.get("status") or "").lower()
    )
