"""The script about calibrated uncertainty runs simulations, in this process or in others."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from equipoise.inference.executors import processes
from tools.honesty import observed

SMALL = [
    "test_honesty.py::test_right_intervals_pass_alone_or_together",
    "test_honesty.py::test_a_broken_promise_fails_and_so_do_data_that_prove_nothing",
]


def test_the_shares_are_the_same_whoever_runs_the_simulations():
    alone = observed(SMALL)
    assert alone["test_honesty.py::test_right_intervals_pass_alone_or_together"][0]
    with processes(2) as pool, ThreadPoolExecutor(2) as threads:
        assert observed(SMALL, pool) == observed(SMALL, threads) == alone


def test_a_simulation_that_fails_is_not_quoted():
    with pytest.raises(RuntimeError, match="there_is_none does not pass"):
        observed(["test_honesty.py::there_is_none"])
