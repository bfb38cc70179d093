"""Loops over blocks of rows: every row once, and the same answer whatever the number of threads."""

import numpy as np
import pytest

from equipoise.inference import threads
from equipoise.inference.threads import in_blocks


def add(begin: int, end: int, values: np.ndarray, out: np.ndarray) -> float:
    out[begin:end] += values[begin:end]
    return float(values[begin:end].sum())


@pytest.mark.parametrize("rows", [0, 1, 9, 10, 11, 95])
def test_blocks_are_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(threads, "BLOCK", 10)
    values = np.random.default_rng(rows).random(rows)
    sums = []
    for number in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", number)
        out = np.zeros(rows)
        sums.append(in_blocks(rows, add, values, out))
        np.testing.assert_array_equal(out, values)
    assert sums[0] == sums[1]


def test_the_usual_setting_limits_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads._threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert 1 <= threads._threads() <= threads.MOST_THREADS
