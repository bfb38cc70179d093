"""How a block is opened: who plays, on what, with which seed, within the budget.

And when play ends: the question is answered, or the budget is used up.
"""

from collections.abc import Collection, Sequence

import numpy as np

from equipoise.arena.contests.contest import BUDGET_USED_UP
from equipoise.arena.contests.make import block_size
from equipoise.arena.contests.pair_contest import PairContest
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.blocks import OpenBlock, block_seed, seatings, set_seed
from equipoise.arena.engine.state import MOST_BROKEN, ArenaState
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.spec.votes import GAME, prompts_of
from equipoise.core.errors import some_of

NOTHING_PLAYED = "nothing can be played"


def fits_budget(state: ArenaState) -> bool:
    """Say whether one more block fits beside what counts and what is being played."""
    budget = state.spec.budget
    return budget is None or state.counted + state.outstanding + block_size(state.spec) <= budget


def absent(state: ArenaState) -> tuple[str, ...]:
    """Name the players who are not asked: those at fault too often, and models that were withdrawn from a vote."""
    if state.votes is None:
        return state.out
    known = state.votes.accounts
    gone = (name for name in state.admission.excluded if name in state.players and name not in known)
    return (*state.out, *gone)


def open_block(batch: Batch, barred: Collection[tuple[str, str]] = ()) -> bool:
    """Open the next block, if there is one to play that is not of a ``barred`` pair."""
    state = batch.state
    if state.phase != "running" or not fits_budget(state):
        return False
    number = state.last_block + 1
    contest = state.contest
    if barred and isinstance(contest, PairContest):
        proposal = contest.propose(number, absent(state), barred)
    else:
        proposal = contest.propose(number, absent(state))
    if proposal is None:
        return False
    spec = state.spec
    index = state.times_met.get(tuple(sorted(proposal.players)), 0)
    seed = block_seed(spec.seed, proposal.players, index)
    task = proposal.task
    if task is None and spec.tasks:
        task = spec.tasks[block_seed(seed, ("task",), 0) % len(spec.tasks)]
    twice = spec.antithetic and not spec.question.alone
    task, set_tasks = _prompts(spec, proposal.players, seed) if spec.game == GAME else (task, ())
    seed = set_seed(seed, proposal.players, 0, twice)
    first = state.last_trial + 1
    seeds = (set_seed(seed, proposal.players, index, twice) for index in range(spec.session))
    sets = (seatings(proposal.players, spec.seats, spec.mirrored, one) for one in seeds)
    trials = dict(enumerate((who for one in sets for who in (one + one if twice else one)), start=first))
    block = OpenBlock(
        number, proposal.players, task, seed, proposal.reason, trials, coefficient=_coefficient(state),
        antithetic=twice, sets=spec.session, set_tasks=set_tasks,
    )  # fmt: skip
    batch.emit("open", {**block.to_dict(), "trial": first})
    return True


def _prompts(spec: ArenaSpec, players: Sequence[str], seed: int) -> tuple[str | None, tuple[str, ...]]:
    """Draw a prompt that both models have answered: one for a panel, else one for each vote of the block."""
    known = prompts_of(spec.tasks, spec.options.get("missing", {}), players[0], players[1])
    drawn = np.random.default_rng([seed, 1]).permutation(len(known))
    if spec.session == 1 or "panel" in spec.options:
        return known[drawn[0]], ()
    return None, tuple(known[drawn[at % len(known)]] for at in range(spec.session))


def _coefficient(state: ArenaState) -> float | None:
    """What a unit of control will take off the scores of the next block, fixed before it is played."""
    luck = state.spec.luck
    if luck is None or not luck.decide:
        return None
    return state.control.coefficient if luck.coefficient == "fitted" else float(luck.coefficient)


def ended_by(batch: Batch, *, decided: bool = False) -> None:
    """Say that play has ended, if it has.

    That is asked after a decision, and whenever nothing is being played: the last blocks that an answer waits for need
    not decide anything themselves. Only an end is put into words: what a result leaves open is said when somebody asks.
    The budget is used up once no block fits and nothing is being played.
    """
    state = batch.state
    if state.phase != "running":
        return
    if (decided or not state.outstanding) and state.contest.answered:
        progress = state.contest.progress()
        ending = {"state": "answered", "ending": progress.ending or "decided", "words": progress.sentence}
        batch.emit("state", ending)
        return
    if state.outstanding:
        return
    if not fits_budget(state):
        batch.emit("state", {"state": "spent", "ending": BUDGET_USED_UP})
    elif (gone := absent(state)) and state.contest.propose(state.last_block + 1, gone) is None:
        why = f"whose faults made {MOST_BROKEN} sets of paired games in a row void" if state.out else "withdrawn"
        words = f"nothing is left to play without {some_of(gone)}, {why}"
        batch.emit("state", {"state": "stopped", "ending": NOTHING_PLAYED, "words": words})
