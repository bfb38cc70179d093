"""The mean of paired differences: its interval, by hand and by what it must hold."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from equipoise.aggregates.paired_mean import paired_mean


def slow_ends(values, level, scale):
    """The interval as the module's first lines say it, one task at a time."""
    n, tail = len(values), (1 - level) / 2
    mean = sum(values) / n
    largest = max(abs(v) for v in values) or scale
    more = [*values, largest, -largest]
    centre = sum(more) / (n + 2)
    error = (sum((v - centre) ** 2 for v in more) / (n + 2) / (n + 2)) ** 0.5
    half = scipy.stats.t.isf(tail, n - 1) * error
    up = down = 0.0
    if n > 2 and len({*values}) > 1:
        skewness = n / ((n - 1) * (n - 2)) * sum(((v - mean) / np.std(values, ddof=1)) ** 3 for v in values)
        unsure = 0.5 * (6 * n / ((n - 1) * (n - 2))) ** 0.5
        up, down = (min(max(sign * skewness + unsure, 0.0), 2.0) / n**0.5 for sign in (1, -1))
    low, high = mean * n / (n + 2) - (1 + 2 * down) * half, mean * n / (n + 2) + (1 + 2 * up) * half

    def unseen(numbers):
        lost = [-v for v in numbers if v < 0]
        most = 1.0 if len(lost) == n else scipy.stats.beta.ppf(1 - tail, len(lost) + 1, n - len(lost))
        return (most - len(lost) / n) * (sum(lost) / len(lost) if lost else scale)

    return min(low, mean - unseen(values)), max(high, mean + unseen([-v for v in values]))


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.25, 1.0]), min_size=3, max_size=40))
def test_the_interval_is_what_its_description_says(values):
    found = paired_mean(np.array(values), 0.9, scale=1.0)
    assert (found.low, found.high) == pytest.approx(slow_ends(values, 0.9, 1.0), abs=1e-9)
    assert found.estimate == pytest.approx(np.mean(values))
    assert found.low <= found.estimate <= found.high


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_the_other_way_round_is_the_mirror_image(values):
    one, other = paired_mean(np.array(values), 0.95), paired_mean(-np.array(values), 0.95)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)


def test_tasks_that_did_not_change_leave_room_for_those_that_were_not_seen():
    nothing = paired_mean(np.zeros(60), 0.95)
    assert nothing.low <= -(1 - 0.025 ** (1 / 60))


def test_a_task_counted_five_times_in_one_group_says_no_more_than_once():
    rng = np.random.default_rng(1)
    single = rng.normal(size=30)
    groups = np.repeat(np.arange(30), 5)
    once, five = paired_mean(single, 0.95), paired_mean(np.repeat(single, 5), 0.95, clusters=groups)
    assert (five.low, five.high) == pytest.approx((once.low, once.high))


def test_what_tasks_do_not_show_widens_the_interval():
    values = np.random.default_rng(2).normal(size=50)
    plain, more = paired_mean(values, 0.95), paired_mean(values, 0.95, further=(0.05, 4.0))
    assert more.stderr == pytest.approx((plain.stderr**2 + 0.05) ** 0.5)
    assert more.high - more.low > 1.5 * (plain.high - plain.low)


def test_rare_losses_of_all_that_there_is_are_within_the_interval():
    values = np.random.default_rng(3).normal(0.0, 0.01, size=15)
    assert paired_mean(values, 0.95).low > -0.05
    assert paired_mean(values, 0.95, rare=(0.5, 0.5)).low < -0.1
