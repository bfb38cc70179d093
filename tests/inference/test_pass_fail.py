"""Tables with the margins of another, and what they say of pass/fail scores."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

import equipoise as eq
from equipoise.inference.pass_fail import rasch_null, repeated_columns, same_margins


def test_trades_keep_both_margins():
    table = np.random.default_rng(0).random((7, 13)) < 0.4
    drawn = same_margins(table, 50, np.random.default_rng(1))
    assert (drawn.sum(axis=1) == table.sum(axis=0)).all()
    assert (drawn.sum(axis=2) == table.sum(axis=1)).all()
    assert len({one.tobytes() for one in drawn}) > 45


@pytest.mark.parametrize("flip", [False, True])
def test_all_tables_with_these_margins_are_equally_likely(flip):
    rows, columns = (2, 1, 1), (2, 1, 1)
    every = [
        np.array(cells).reshape(3, 3)
        for cells in product([False, True], repeat=9)
        if tuple(np.array(cells).reshape(3, 3).sum(axis=1)) == rows
        and tuple(np.array(cells).reshape(3, 3).sum(axis=0)) == columns
    ]
    start = every[-1] if flip else every[0]
    drawn = Counter(one.tobytes() for one in same_margins(start, 5000, np.random.default_rng(2)))
    assert set(drawn) == {one.tobytes() for one in every}
    expected = 5000 / len(every)
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 20.5  # chi-square, 4 degrees: 0.0004


def test_repeated_columns_are_counted_once_each():
    table = np.array([[1, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1], [1, 1, 0, 1, 0, 1]], dtype=bool)
    slow = sum(any((table[:, j] == table[:, i]).all() for i in range(j)) for j in range(4))
    assert repeated_columns(table) == slow == 2  # constant columns do not count


def test_the_statistic_is_that_of_singular_values():
    rng = np.random.default_rng(3)
    table = (rng.random((6, 20)) < 0.5).astype(float)
    null, rng = rasch_null(table, np.random.default_rng(4)), np.random.default_rng(4)
    drawn = same_margins(same_margins(table > 0.5, 1, rng)[0], 199, rng)

    def slow(one):
        rest = one - one.mean(axis=0) - one.mean(axis=1, keepdims=True) + one.mean()
        return (np.linalg.svd(rest, compute_uv=False) ** 4).sum()

    assert null is not None
    assert null.p_value == (1 + sum(slow(one) >= slow(table) - 1e-9 for one in drawn)) / 200


def test_a_table_is_one_of_those_drawn_even_where_chains_hardly_move(monkeypatch):
    monkeypatch.setattr("equipoise.inference.pass_fail.TRADES", 1)
    rng, p_values = np.random.default_rng(8), []
    for _ in range(200):
        logits = rng.normal(size=(6, 1)) - rng.normal(size=12)
        table = (rng.random((6, 12)) < 1 / (1 + np.exp(-logits))).astype(float)
        null = rasch_null(table, rng)
        p_values.append(null.p_value)
    # At most uniform at every level: ties count against a small p-value.
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p_values) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 200)


def rasch(seed, agents=12, tasks=30):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(agents, 1)) - rng.normal(size=tasks)
    return (rng.random((agents, tasks)) < 1 / (1 + np.exp(-logits))).astype(float)


def test_a_rasch_table_is_no_reason_to_distrust_averages_and_two_abilities_are():
    result = eq.methods.additivity(eq.Scores.from_matrix(rasch(5)))
    assert result.p_value > 0.05
    assert result.text.startswith("Averages explain this pass/fail table as far as it shows: an ability for each agent")
    assert not [note for note in result.diagnostics if note.code == "no-trials"]
    two = np.kron(np.eye(2), np.ones((8, 15)))
    two = np.where(np.random.default_rng(6).random(two.shape) < 0.1, 1 - two, two)
    result = eq.methods.additivity(eq.Scores.from_matrix(two))
    assert result.p_value == 1 / 200
    assert result.text.startswith("More than averages is in this pass/fail table")
    assert "task 1" in result.text


def test_redundant_tasks_come_with_what_chance_gives():
    table = rasch(7, agents=6, tasks=40)
    found = eq.audit(eq.Scores.from_matrix(table))
    assert found.redundant_by_chance is not None
    mean, most = found.redundant_by_chance
    assert 5 < mean < 25
    assert most >= mean
    said = next(text for text in found.answer if "repeat" in text)
    tasks = len(found.tasks)
    assert f"chance alone gives about {mean:.0f} (up to {most}) in a table of 6 agents and {tasks} tasks." in said
    scores = np.random.default_rng(8).normal(size=(12, 20))
    copied = eq.audit(eq.Scores.from_matrix(np.concatenate([scores, scores[:, :1]], axis=1)))
    said = next(text for text in copied.answer if "nearly the same results" in text)
    assert said.startswith("task 1 and task 21 give nearly the same results (correlation 1.000); one may be dropped; ")
    assert "chance alone gives hardly any (up to 0)" in said
    assert eq.audit(eq.Scores.from_matrix(scores)).redundant_by_chance is None
