"""The contest that answers the question of a spec: made, or taken up again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from equipoise.arena.contests.ability_contest import AbilityContest
from equipoise.arena.contests.ability_options import refuse_criterion
from equipoise.arena.contests.contest import Contest, ContestOptions
from equipoise.arena.contests.goals import refuse_goal
from equipoise.arena.contests.pair_contest import PairContest
from equipoise.arena.contests.profile_contest import ProfileContest
from equipoise.arena.spec.outcome import digest
from equipoise.arena.spec.spec import CHECKS, ArenaSpec
from equipoise.arena.spec.votes import GAME
from equipoise.core.errors import ParameterError
from equipoise.core.options import check_options, switch, whole
from equipoise.core.wording import Option
from equipoise.data.encode.labels import unique_names
from equipoise.items.scoring.calibration import Calibration, calibration_from_dict, load_calibration
from equipoise.logs.votes.answers import AnswerTable, read_answers

_CHECKS = {
    **{name: CHECKS[name] for name in ("policy", "level", "margin", "check", "seed", "seats", "budget")},
    "trials_per_block": whole(1),
    "open_": switch(),
}


def make_contest(names: Sequence[str], options: ContestOptions, *, calibration: Calibration | None = None) -> Contest:
    """Make the contest for a goal.

    Parameters
    ----------
    names
        The players; for ``place:NAME`` the others stand in their known order, best first.
    options
        What is asked, how sure the answer must be, and who plays next.
    calibration
        For ``ability``: the items.

    Fails when
        the goal is unknown or does not fit the players, or an option makes no sense.
    """
    check_options(_CHECKS, {name: getattr(options, name) for name in _CHECKS})
    players = unique_names(names, "player")
    kind = refuse_goal(options.goal, players, options.seats).contest
    if kind == "ability":
        if not isinstance(calibration, Calibration) or not options.criterion:
            needed = Option("calibration"), " and ", Option("criterion")
            raise ParameterError(Option("goal", options.goal), " needs ", *needed)
        refuse_criterion(options.criterion, players)
        return AbilityContest(players, calibration, options)
    return ProfileContest(players, options) if kind == "profile" else PairContest(players, options)


def contest_from_state(state: dict[str, Any], calibration: Calibration | None = None) -> Contest:
    """Take a contest up again from what its ``state`` gave; one of abilities needs its calibration."""
    if state["kind"] == "ability":
        if calibration is None:
            raise ParameterError(Option("goal", "ability"), " needs ", Option("calibration"))
        return AbilityContest.from_state(state, calibration)
    return ProfileContest.from_state(state) if state["kind"] == "profile" else PairContest.from_state(state)


def block_size(spec: ArenaSpec) -> int:
    """Trials of a block: both orders of a pair, the rotations of more, one for each player where one sits alone.

    Antithetic ones are played twice, and a session has as many such sets as the spec says.
    """
    if spec.question.alone:
        return 1
    seatings = min(2, len(spec.players)) if spec.seats == 1 else spec.seats if spec.mirrored else 1
    return (2 * seatings if spec.antithetic else seatings) * spec.session


def contest_of(spec: ArenaSpec) -> Contest:
    """Make the contest of a spec, before anything is played."""
    options = ContestOptions(
        goal=spec.goal, policy=spec.policy, level=spec.level, margin=spec.margin, check=spec.check, seed=spec.seed,
        tasks=spec.tasks, trials_per_block=block_size(spec), seats=spec.seats, budget=spec.budget, open_=spec.open,
        criterion=spec.criterion or "",
    )  # fmt: skip
    return make_contest(spec.names, options, calibration=_calibration(spec))


def contest_again(spec: ArenaSpec, state: Mapping[str, Any]) -> Contest:
    """Take the contest of a spec up again."""
    return contest_from_state(dict(state), _calibration(spec))


def self_contained(spec: ArenaSpec) -> ArenaSpec:
    """Put the content of the calibration in the place of its file, so that a journal needs nothing else.

    Of answers that people compare it is their hash; :func:`texts_of` has them.
    """
    if spec.game == GAME:
        return _with_answers(spec)
    if not isinstance(spec.calibration, str):
        return spec
    return replace(spec, calibration=load_calibration(spec.calibration).to_dict())


def _with_answers(spec: ArenaSpec) -> ArenaSpec:
    text = next(iter(texts_of(spec).values()))
    table = AnswerTable.from_text(text)
    unknown = [name for name in spec.names if name not in table.models]
    if unknown:
        raise ParameterError(f"{unknown[0]} has no answers in {spec.options['answers']}")
    if spec.question.contest != "pairs":
        raise ParameterError(Option("goal", spec.goal), " is not for votes: ask for the best, the top, or an order")
    return replace(spec, options={**spec.options, "answers": digest(text)})


def texts_of(spec: ArenaSpec) -> dict[str, str]:
    """Give the texts that an arena keeps from its beginning, by their hash: the answers that people compare."""
    if spec.game != GAME:
        return {}
    text = read_answers(spec.options["answers"]).text()
    return {digest(text): text}


def _calibration(spec: ArenaSpec) -> Calibration | None:
    if isinstance(spec.calibration, Mapping):
        return calibration_from_dict(dict(spec.calibration))
    return None if spec.calibration is None else load_calibration(spec.calibration)
