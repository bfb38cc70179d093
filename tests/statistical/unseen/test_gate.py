"""Is a gate wrong no more often than it says, in worlds that its rules have not seen?"""

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, check_guarantee, record
from tests.statistical.unseen.gate_worlds import FAMILIES, pair, truth

REPEATS = 600
EACH = 0.025
"""What each of the two wrong decisions may cost at a level of 95%."""


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("tasks", [15, 60, 200])
def test_an_agent_at_the_margin_seldom_passes_and_seldom_fails(family, tasks):
    verdicts = []
    for k in range(REPEATS):
        values, groups = pair(np.random.default_rng([FAMILIES.index(family), tasks, k]), family, tasks)
        scores = eq.Scores.from_matrix(values, ["base", "new"])
        scores = scores if groups is None else scores.in_testlets(groups)
        verdicts.append(eq.gate(scores, base_agent="base", margin=-truth(family)).verdict)
    for wrong in ("pass", "fail"):
        share = float(np.mean([verdict == wrong for verdict in verdicts]))
        record(f"{wrong} at the margin, {tasks} tasks, {family}", "at most 2.5%", round(share, 3))
        assert share <= 0.03 + SIGMAS * np.sqrt(0.03 * 0.97 / REPEATS)


def _sequence(rng, tasks, slower):
    """Equal agents: whether each passes a task, and when the new agent's answer arrives (wrong ones come later)."""
    chance = rng.beta(2.0, 2.0, size=tasks)
    base, new = (rng.random((2, tasks)) < chance).astype(float)
    arrival = np.arange(tasks) // 20 + rng.exponential(1.0, tasks) * np.where(new == 1.0, 1.0, slower)
    return base, new, arrival


def test_a_look_after_every_sample_is_seldom_wrong_where_wrong_answers_come_late():
    wrong, by_arrival = [], []
    for k in range(300):
        rng = np.random.default_rng([77, k])
        base, new, arrival = _sequence(rng, 300, slower=6.0)
        gate = eq.Gate(eq.Scores.from_matrix([base], ["base"]), direction="better", seed=k)
        schedule = np.array([int(task.split()[1]) - 1 for task in gate.schedule])
        new_by_schedule = dict(zip(schedule.tolist(), new, strict=True))
        order = np.argsort(arrival)
        for place in order:
            gate.tell(gate.schedule[place], new_by_schedule[int(schedule[place])])
            if gate.verdict != "undecided":
                break
        wrong.append(gate.verdict != "undecided")
        by_arrival.append(_decided_by_arrival(base[schedule], new, order))
    check_guarantee(wrong, 0.05, by_arrival, "equal agents decided, looked at after every sample")


def _decided_by_arrival(base, new, order):
    """What the same bets would say if results counted as they came in."""
    from equipoise.methods import score_evalue

    games = (1.0 + new[order] - base[order]) / 2.0
    return any(
        max(score_evalue(games[:n]), score_evalue(1.0 - games[:n])) >= 2 / 0.05 for n in range(20, len(games), 5)
    )
