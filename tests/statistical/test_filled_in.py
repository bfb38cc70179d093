"""Do intervals over completions hold what the missing scores would have said?"""

import numpy as np

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee

AGENTS, TASKS = 6, 10


def tables(rng, worlds):
    """Scores that averages explain but for noise, with three of ten cells hidden; the whole table is the truth."""
    for _ in range(worlds):
        whole = 0.5 * rng.normal(size=(AGENTS, 1)) + 0.5 * rng.normal(size=(1, TASKS))
        whole = whole + 0.4 * rng.normal(size=(AGENTS, TASKS))
        hidden = rng.random((AGENTS, TASKS)) < 0.3
        hidden[:, hidden.sum(axis=0) > AGENTS - 3] = False
        hidden[hidden.sum(axis=1) > TASKS / 2] = False
        if hidden.any():
            yield eq.Scores.from_matrix(whole), eq.Scores.from_matrix(np.where(hidden, np.nan, whole))


def test_skills_and_masses_of_filled_in_tables_hold_those_of_the_whole():
    rng = np.random.default_rng(31)
    skill, missed, naive = Coverage(what="Nash skill over completions"), [], []
    for run, (whole, seen) in enumerate(tables(rng, 110)):
        truth = eq.nash_average(whole, units="none")
        found = eq.nash_average(seen, units="none", missing="complete", n=80, rng=run)
        skill.add(found.skill_low, found.skill_high, truth.skill, found.skill)
        tiny = 1e-9
        out = (found.agent_p_low > truth.agent_p + tiny) | (found.agent_p_high < truth.agent_p - tiny)
        missed += out.tolist()
        # As if the filled-in cells were scores.
        naive += (np.abs(found.agent_p - truth.agent_p) > tiny).tolist()
    skill.check(slack=0.015, over=None)
    check_guarantee(missed, 0.05, naive=naive, what="Nash masses over completions")


def test_an_agent_is_rarely_called_first_on_filled_in_cells_when_it_is_not():
    """The headline names one leader only if nearly all completions do."""
    rng = np.random.default_rng(32)
    wrong, naive = [], []
    for run, (whole, seen) in enumerate(tables(rng, 110)):
        top = eq.nash_average(whole, units="none").top
        found = eq.nash_average(seen, units="none", missing="complete", n=60, rng=run)
        sure = [name for name, share in zip(found.agents, found.first, strict=True) if share >= 0.9]
        wrong += [name not in top for name in sure]
        naive += [name not in top for name in found.top]
    check_guarantee(wrong, 0.1, naive=naive, what="first in nearly all completions")
