"""Are pass/fail tables left alone where Rasch explains them, and are redundant tasks what chance gives?"""

import numpy as np
import pytest

from equipoise.inference.pass_fail import rasch_null, repeated_columns
from tests.statistical.honesty import SIGMAS, check_guarantee, check_unbiased, record
from tests.statistical.unseen.pass_fail_worlds import NULL, SIZES, copied, specialists

REPEATS = 80


@pytest.mark.parametrize("world", NULL)
def test_rasch_tables_are_seldom_said_to_hold_more_than_averages(world):
    rng = np.random.default_rng(11)
    alarms, off = [], []
    for agents, tasks in SIZES:
        for _ in range(REPEATS):
            table = NULL[world](rng, agents, tasks)
            null = rasch_null(table, rng)
            alarms.append(null.p_value <= 0.05)
            seen = repeated_columns(table > 0.5)
            off.append((seen - null.repeated.mean()) / np.sqrt(1.0 + null.repeated.var()))
    check_guarantee(alarms, 0.05, what=f"Rasch refused, {world}")
    check_unbiased(off, 0.0, what=f"columns that repeat by chance, {world}")


def test_specialists_and_copies_are_noticed():
    rng = np.random.default_rng(12)
    found = [rasch_null(specialists(rng, 15, 40), rng).p_value <= 0.05 for _ in range(60)]
    record("specialists noticed", "more than 90%", round(float(np.mean(found)), 3))
    assert np.mean(found) > 0.9
    more = []
    for _ in range(60):
        table = copied(rng, 15, 60, 8)
        null = rasch_null(table, rng)
        more.append(repeated_columns(table > 0.5) > np.quantile(null.repeated, 0.95))
    record("copies beyond chance", "more than 80%", round(float(np.mean(more)), 3))
    assert np.mean(more) > 0.8 - SIGMAS * np.sqrt(0.16 / 60)
