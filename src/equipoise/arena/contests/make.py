"""The contest for a goal, made or taken up again."""

import math
from collections.abc import Sequence
from typing import Any

from equipoise.arena.contests.ability_contest import AbilityContest
from equipoise.arena.contests.ability_options import AbilityOptions
from equipoise.arena.contests.contest import Contest
from equipoise.arena.contests.pair_contest import PairContest
from equipoise.arena.contests.pair_options import PairOptions
from equipoise.arena.contests.pair_policies import POLICIES, PairPolicy
from equipoise.arena.contests.profile_contest import ProfileContest, ProfileOptions
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.options import LEVEL, check_options, choice, number, switch, whole
from equipoise.core.wording import Option
from equipoise.data.encode.labels import unique_names
from equipoise.items.scoring.calibration import Calibration

__all__ = ["GOALS", "contest_from_state", "make_contest"]

GOALS = ("order", "best", "top:K", "place:NAME", "profile", "ability", "budget")
_CHECKS = {
    "policy": choice(*POLICIES),
    "level": LEVEL,
    "margin": number(0.0, 0.5, strictly=True, none=True),
    "check": whole(1),
    "seed": whole(0),
    "trials_per_block": whole(1),
    "seats": whole(1),
    "budget": whole(1, none=True),
    "open_": switch(),
}


def make_contest(
    names: Sequence[str],
    *,
    goal: str = "order",
    policy: PairPolicy = "ranking",
    level: float = 0.95,
    margin: float | None = None,
    check: int = 20,
    seed: int = 0,
    tasks: Sequence[str] = (),
    trials_per_block: int = 1,
    seats: int = 2,
    budget: int | None = None,
    open_: bool = False,
    calibration: Calibration | None = None,
    criterion: str | None = None,
) -> Contest:
    """Make the contest for a goal.

    Parameters
    ----------
    names
        The players; for ``place:NAME`` the others stand in their known order, best first.
    goal
        ``order``, ``best``, ``top:K``, ``place:NAME``, ``profile``, ``ability``, ``budget``.
    policy
        Which pair is played next: ``ranking``, ``uncertainty``, ``uniform`` or ``round-robin``.
    level
        Probability that the answer is right, whenever one looks.
    margin
        Mean scores within 1/2 +- margin count as equal; None never ends a pair of equals.
    check
        Blocks that pairs play which the answer takes for granted.
    seed
        Of everything drawn.
    tasks
        Drawn anew for each block.
    trials_per_block
        Trials that a block is made of; forecasts and the budget are in trials.
    seats
        Players of a block: two, or all seats of a game for more.
    budget
        Most trials of complete blocks.
    open_
        Whether players may be added; half of alpha is kept for them.
    calibration, criterion
        For ``ability``: the items, and ``pass:BAR``, ``better:NAME`` or ``error:E``.

    Fails when
        the goal is unknown or does not fit the players, or an option makes no sense.
    """
    given = {
        "policy": policy, "level": level, "margin": margin, "check": check, "seed": seed, "seats": seats,
        "trials_per_block": trials_per_block, "budget": budget, "open_": open_,
    }  # fmt: skip
    check_options(_CHECKS, given)
    players = unique_names(names, "player")
    _refuse_goal(goal, players, seats)
    if goal == "ability":
        return _ability(players, calibration, criterion, level, seed, budget)
    if goal == "profile":
        profile = ProfileOptions(
            level=level, seed=seed, budget=budget, tasks=tuple(tasks), trials_per_block=trials_per_block, seats=seats
        )
        return ProfileContest(players, profile)
    options = PairOptions(
        goal=goal, policy=policy, level=level, margin=margin, check=check, seed=seed, tasks=tuple(tasks),
        trials_per_block=trials_per_block, seats=seats, budget=budget, open_=open_,
    )  # fmt: skip
    return PairContest(players, options)


def contest_from_state(state: dict[str, Any], calibration: Calibration | None = None) -> Contest:
    """Take a contest up again from what its ``state`` gave; one of abilities needs its calibration."""
    if state["kind"] == "ability":
        if calibration is None:
            raise ParameterError(Option("goal", "ability"), " needs ", Option("calibration"))
        return AbilityContest.from_state(state, calibration)
    return ProfileContest.from_state(state) if state["kind"] == "profile" else PairContest.from_state(state)


def _ability(
    players: Sequence[str],
    calibration: Calibration | None,
    criterion: str | None,
    level: float,
    seed: int,
    budget: int | None,
) -> AbilityContest:
    """Make the contest about abilities; refuse a criterion that cannot be read."""
    if not isinstance(calibration, Calibration) or criterion is None:
        raise ParameterError(Option("goal", "ability"), " needs ", Option("calibration"), " and ", Option("criterion"))
    head, _, rest = str(criterion).partition(":")
    if head == "better":
        if rest not in players or len(players) < 2:
            near = did_you_mean(rest, players)
            raise ParameterError(Option("criterion"), f' compares with "{rest}", who is no other player{near}')
    elif not (head in ("pass", "error") and _is_number(rest) and (head == "pass" or float(rest) > 0.0)):
        raise ParameterError(Option("criterion"), f" is pass:BAR, better:NAME or error:E, not {criterion!r}")
    return AbilityContest(
        players, calibration, AbilityOptions(criterion=criterion, level=level, seed=seed, budget=budget)
    )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _refuse_goal(goal: object, players: Sequence[str], seats: int) -> None:
    head, colon, rest = str(goal).partition(":")
    known = [name.partition(":")[0] for name in GOALS]
    if head not in known or bool(colon) != (head in ("top", "place")):
        raise ParameterError(Option("goal"), f" is one of {', '.join(GOALS)}, not {goal!r}{did_you_mean(head, known)}")
    n = len(players)
    if n < (1 if head == "ability" or (head == "budget" and seats == 1) else max(seats, 2)):
        raise ParameterError(f"a contest with {seats} seats needs more than {n} players")
    if head == "top" and not (rest.isdecimal() and 1 <= int(rest) < n):
        raise ParameterError(Option("goal"), f" top:K takes a number from 1 to {n - 1}, not {rest!r}")
    if head == "place" and rest not in players:
        raise ParameterError(Option("goal"), f' places "{rest}", who is no player{did_you_mean(rest, players)}')
