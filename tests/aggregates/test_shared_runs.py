"""Runs that share something over tasks: the rule against plain loops, where it applies, and what it says."""

import numpy as np
import polars as pl
import pytest
import scipy

import equipoise as eq
from equipoise.aggregates.shared_runs import RunSums, run_component
from equipoise.core.errors import DataError


def slow_sums(v, w):
    """One agent by loops: variance of whole runs, of the rest, and its degrees of freedom."""
    tasks, n = v.shape
    u = [sum(w[t] * v[t, r] for t in range(tasks)) for r in range(n)]
    whole = np.var(u, ddof=1) / n
    d = v - v.mean(axis=1, keepdims=True)
    g = [sum(w[t] * d[t, r] for t in range(tasks)) / w.sum() for r in range(n)]
    kept = 1 - (w**2).sum() / w.sum() ** 2
    each = [w[t] ** 2 * sum((d[t, r] - g[r]) ** 2 for r in range(n)) for t in range(tasks)]
    parts = [one / ((n - 1) * n) for one in each]
    degrees = sum(parts) ** 2 / sum(part**2 / (n - 1) for part in parts) * kept
    plain = sum(w[t] ** 2 * v[t].var(ddof=1) / n for t in range(tasks))
    return plain, whole, max(sum(parts) / kept, 0.05 * plain), degrees


def slow_rule(values, weights):
    """The rule of the page, agent by agent."""
    n = values.shape[2]
    rows = [slow_sums(v, w) for v, w in zip(values, weights, strict=True)]
    k, d1 = len(rows), len(rows) * (n - 1)
    ratio = np.mean([whole / rest * ((dfe - 2) / dfe if dfe > 4 else 0.5) for _, whole, rest, dfe in rows])
    p = scipy.stats.f.sf(ratio, d1, sum(row[3] for row in rows))
    answers = []
    for (plain, whole, rest, dfe), v, w in zip(rows, values, weights, strict=True):
        parts = w**2 * v.var(axis=1, ddof=1) / n
        variance, degrees = plain, plain**2 / sum(parts**2 / (n - 1))
        if p < (0.4 if k <= 2 else 0.2):
            variance, degrees = rest * ratio, 1 / (1 / d1 + (1 - 1 / k) / dfe)
        own = scipy.stats.t.ppf(0.975, n - 1) * np.sqrt(whole)
        odd = n >= 3 and scipy.stats.f.sf(whole / rest, n - 1, dfe) < 0.05
        if n >= 10 or (odd and own > scipy.stats.t.ppf(0.975, degrees) * np.sqrt(variance)):
            variance, degrees = whole, n - 1
        answers.append((variance, degrees))
    return np.array(answers).T, p


@pytest.mark.parametrize("agents", [1, 2, 4])
@pytest.mark.parametrize("runs", [2, 3, 6, 11])
def test_the_rule_is_that_of_plain_loops(agents, runs):
    rng = np.random.default_rng(10 * agents + runs)
    for effect in (0.0, 0.4, 1.5):
        values = rng.normal(size=(agents, 7, runs)) + effect * rng.normal(size=(agents, 1, runs))
        weights = rng.uniform(0.05, 0.3, size=(agents, 7))
        parts = weights**2 * values.var(axis=2, ddof=1) / runs
        degrees = parts.sum(axis=1) ** 2 / (parts**2 / (runs - 1)).sum(axis=1)
        sums = RunSums.of(values, weights, parts, np.ones(agents, dtype=bool))
        found = run_component(sums, degrees, None)
        (variance, freedom), p = slow_rule(values, weights)
        assert found.p == pytest.approx(p)
        assert found.variance == pytest.approx(variance)
        assert found.degrees == pytest.approx(freedom)


def test_shared_runs_are_students_t_over_their_means():
    values = np.random.default_rng(1).normal(size=(2, 9, 4))
    result = eq.aggregate(eq.Scores.from_matrix(values), runs="shared")
    of_runs = values.mean(axis=1)
    narrow = scipy.stats.t.ppf(0.975, 3) * of_runs.std(axis=1, ddof=1) / 2
    assert (result.mean_high - result.mean >= narrow).all()
    assert (result.mean_high - result.mean <= 1.6 * narrow).all()


def frame(label, agents=("x", "y", "z"), tasks=6, runs=3):
    """Rows of agents whose runs share nearly everything; ``label`` names the run."""
    rng = np.random.default_rng(2)
    level = dict(zip(agents, rng.normal(size=(len(agents), runs)), strict=True))
    rows = [(a, f"t{t}", r) for a in agents for t in range(tasks) for r in rng.permutation(runs).tolist()]
    scores = [level[a][r] + 0.1 * rng.normal() for a, _, r in rows]
    columns = {"agent": [a for a, _, _ in rows], "task": [t for _, t, _ in rows], "score": scores}
    return pl.DataFrame(columns | ({} if label is None else {"seed": [label(t, r) for _, t, r in rows]}))


def codes(result):
    return {note.code for note in result.diagnostics}


def test_a_column_of_runs_is_used_whatever_the_order_of_rows():
    scores = eq.read_scores(frame(lambda _, r: f"s{r}"))
    assert scores.run_labels is not None
    assert [sorted(labels) for labels in scores.run_labels] == [["s0", "s1", "s2"]] * 3
    result = eq.aggregate(scores)
    assert "shared-runs" in codes(result)
    said = next(note.message for note in result.diagnostics if note.code == "shared-runs")
    assert said.startswith("Runs rise and fall together over tasks (run s")
    assert "everywhere): intervals take whole runs as the sample." in said
    plain = eq.aggregate(scores, runs="independent")
    assert ((result.mean_high - result.mean_low) > 2 * (plain.mean_high - plain.mean_low)).all()
    assert "shared-runs" not in codes(plain)
    assert result.mean.tolist() == plain.mean.tolist()


def test_without_names_or_with_names_that_do_not_recur_runs_are_independent():
    numbered = eq.read_scores(frame(None), read=eq.ReadOptions(duplicates="keep"))
    unique = eq.read_scores(frame(lambda t, r: f"{t}-{r}"))
    uneven = eq.read_scores(frame(lambda t, r: r if t != "t0" else r + 1))
    for scores in (numbered, unique, uneven):
        assert "shared-runs" not in codes(eq.aggregate(scores))
        with pytest.raises(DataError, match="same runs on every task"):
            eq.aggregate(scores, runs="shared")


def test_one_agent_with_a_run_missing_leaves_the_others_tested():
    values = np.random.default_rng(3).normal(size=(4, 8, 4)) + 2 * np.random.default_rng(4).normal(size=(4, 1, 4))
    values[0, 0, 1] = np.nan
    result, plain = (eq.aggregate(eq.Scores.from_matrix(values), runs=how) for how in (None, "independent"))
    wider = (result.mean_high - result.mean_low) / (plain.mean_high - plain.mean_low)
    assert wider[0] == pytest.approx(1.0)
    assert (wider[1:] > 1.5).all()


def test_one_task_is_left_as_it_is():
    scores = eq.Scores.from_matrix(np.random.default_rng(5).normal(size=(3, 1, 4)))
    one, other = (eq.probability_of_improvement(scores, statistic="mean", runs=how) for how in (None, "independent"))
    assert one.difference_low == pytest.approx(other.difference_low)
    assert one.improvement_low == pytest.approx(other.improvement_low)
    assert "shared-runs" not in codes(one)


def test_two_or_three_runs_of_one_agent_say_what_they_cannot():
    said = []
    for runs in (2, 3):
        for seed in range(5):
            values = np.random.default_rng(seed).normal(size=(1, 20, runs))
            said += [note.message for note in eq.aggregate(eq.Scores.from_matrix(values), n=50).diagnostics]
    two = "Two runs cannot tell whether a run is good or bad on all tasks at once; if so, intervals would be about four"
    assert any(text.startswith(two) for text in said)
    assert any(text.startswith("Three runs cannot tell") for text in said)
    assert any(text.startswith("Runs may rise and fall together over tasks (p = 0.") for text in said)


def test_chances_of_improvement_and_ranks_know_what_runs_share():
    values = 0.1 * np.random.default_rng(6).normal(size=(4, 10, 5))
    values += np.random.default_rng(7).normal(size=(4, 1, 5))
    one, other = (
        eq.probability_of_improvement(eq.Scores.from_matrix(values), runs=how) for how in (None, "independent")
    )
    assert len(set(other.group)) > 1
    assert len(set(one.group)) == 1
    i, j = np.triu_indices(4, 1)
    wide = [(part.improvement_high - part.improvement_low)[i, j].mean() for part in (one, other)]
    assert wide[0] > 1.3 * wide[1]
