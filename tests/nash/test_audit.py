"""The audit: what carries a benchmark, what repeats, and how firmly its top stands."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.nash.audit import audit_words
from equipoise.nash.task_structure import latent_skills, redundant_pairs

SUITE = eq.Scores.from_matrix(
    [[89, 93, 76, 77], [85, 85, 85, 84], [79, 74, 99, 98]],
    agents=["A", "B", "C"],
    tasks=["one", "two", "three", "three again"],
)


def random_scores(agents=6, tasks=8, seed=0):
    return eq.Scores.from_matrix(np.random.default_rng(seed).random((agents, tasks)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("whole", [True, False])
def test_an_agent_that_changes_nothing_is_left_out_without_another_solution(seed, whole, monkeypatch):
    values = np.random.default_rng(seed).random((12, 9))
    scores = eq.Scores.from_matrix(np.round(2 * values) / 2 if whole else values)
    quick = eq.audit(scores).without_agent
    monkeypatch.setattr("equipoise.nash.audit._idle", lambda *_: False)
    slow = eq.audit(scores).without_agent
    for one, other in zip(quick, slow, strict=True):
        assert (one.name, one.top, one.joined, one.left) == (other.name, other.top, other.joined, other.left)
        assert one.value == pytest.approx(other.value, abs=1e-9)


def test_core_and_idle_tasks_share_out_all_tasks():
    found = eq.audit(random_scores())
    assert set(found.core_tasks) | set(found.idle_tasks) == set(found.tasks)
    assert not set(found.core_tasks) & set(found.idle_tasks)
    masses = dict(zip(found.nash.tasks, found.nash.task_p, strict=True))
    assert all(masses[name] > 0 for name in found.core_tasks)


def test_duplicates_are_named_with_the_task_they_repeat():
    pairs = {(pair.one, pair.other) for pair in eq.audit(SUITE).redundant}
    assert ("three", "three again") in pairs
    assert ("one", "three") not in pairs


def test_redundancy_is_the_correlation_over_agents():
    values = np.random.default_rng(0).random((9, 5))
    values[:, 3] = 2 * values[:, 1] + 0.01 * values[:, 0]
    tasks = tuple("abcde")
    (pair,) = redundant_pairs(tasks, values, 0.99)
    assert (pair.one, pair.other) == ("b", "d")
    assert pair.correlation == pytest.approx(np.corrcoef(values[:, 1], values[:, 3])[0, 1])


def test_two_agents_say_nothing_about_redundancy():
    assert eq.audit(eq.Scores.from_matrix([[1.0, 2.0, 3.0], [2.0, 1.0, 5.0]])).redundant == ()


@pytest.mark.parametrize("seed", range(4))
def test_leaving_out_a_task_gives_the_top_of_the_smaller_table(seed):
    scores = random_scores(seed=seed)
    found = eq.audit(scores)
    assert [without.name for without in found.without_task] == list(scores.tasks)
    for j, without in enumerate(found.without_task):
        rest = eq.nash_average(scores.take(tasks=np.arange(8) != j))
        top = {rest.agents[i] for i in np.flatnonzero(rest.skill > rest.value - 1e-9)}
        assert set(without.top) == top
        assert without.value == pytest.approx(rest.value)


@pytest.mark.parametrize("seed", range(4))
def test_leaving_out_an_agent_gives_the_top_of_the_smaller_table(seed):
    scores = random_scores(seed=seed)
    for i, without in enumerate(eq.audit(scores).without_agent):
        rest = eq.nash_average(scores.take(agents=np.arange(6) != i))
        assert set(without.top) == {rest.agents[k] for k in np.flatnonzero(rest.skill > rest.value - 1e-9)}
        assert without.name not in without.left


def test_a_top_that_hangs_on_one_task_is_told():
    scores = eq.Scores.from_matrix(
        [[10, 10, 0], [9, 9, 10], [0, 0, 9]], agents=["fast", "steady", "odd"], tasks=["run", "jump", "sing"]
    )
    found = eq.audit(scores)
    changed = {without.name for without in found.without_task if without.changed}
    assert changed == {"sing"}
    assert any("Without sing, " in sentence for sentence in found.answer)


def test_words_say_where_plain_averages_and_nash_differ():
    values = np.full((3, 10), 0.5)
    values[0, :8], values[0, 8:] = 1.0, 0.0
    values[1, :8], values[1, 8:] = 0.9, 0.6
    values[2, :8], values[2, 8:] = 0.0, 1.0
    found = eq.audit(eq.Scores.from_matrix(values + 0.001 * np.arange(10) * np.arange(3)[:, None], agents="xyz"))
    assert isinstance(found.answer[2], str)
    plain_leader = found.agents[int(found.nash.uniform_skill.argmax())]
    assert plain_leader in found.answer[2]


def test_latent_skills_are_what_averages_leave():
    agents, tasks = tuple("abcd"), tuple("uvwxyz")
    taste = np.array([1.0, 1.0, -1.0, -1.0])
    kind = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    values = np.array([0.0, 1.0, 0.0, 1.0])[:, None] + np.outer(taste, kind) * 0.3
    found = latent_skills(agents, tasks, values)
    assert found.share.tolist() == pytest.approx([1.0])
    assert found.average_share == pytest.approx(0.25 / (0.25 + 0.09))
    np.testing.assert_allclose(np.outer(found.agents[:, 0], found.tasks[:, 0]), np.outer(taste, kind) * 0.3, atol=1e-12)
    assert set(found.ends[0]["tasks_high"]) in ({"u", "v", "w"}, {"x", "y", "z"})


def test_a_table_that_averages_explain_says_so():
    found = eq.audit(eq.Scores.from_matrix(np.add.outer([0.0, 1.0, 2.0], [0.0, 3.0])), units="none")
    assert any("a single number describes them" in sentence for sentence in found.answer)


def test_one_task_is_audited():
    found = eq.audit(eq.Scores.from_matrix([[1.0], [2.0], [3.0]]))
    assert found.without_task == ()
    assert any("one task only" in sentence for sentence in found.answer)


def test_json_is_strict_and_rows_are_tasks():
    document = eq.audit(SUITE).to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert {row["task"] for row in document["tasks"]} == set(SUITE.tasks)


def test_a_similarity_that_is_no_correlation_is_refused():
    with pytest.raises(eq.ParameterError, match="similarity is a number from -1 to 1"):
        eq.audit(SUITE, similarity=2.0)


def test_gaps_are_refused_or_dealt_with():
    values = np.random.default_rng(0).random((5, 6))
    values[0, 0] = np.nan
    with pytest.raises(eq.DataError, match="no score"):
        eq.audit(eq.Scores.from_matrix(values))
    assert len(eq.audit(eq.Scores.from_matrix(values), missing="drop-tasks").tasks) == 5


def test_words_count_the_tasks_that_change_the_top():
    def stability(changes):
        found = eq.audit(SUITE)
        return audit_words(found.nash, (), changes)[-1]

    one, two, three = ((name, ("X",), ()) for name in ("run", "jump", "sing"))
    assert stability([one]) == "Without run, X leads too."
    assert stability([one, two]).endswith("Without run, X leads too; 1 other task changes the leader too.")
    assert stability([one, two, three]).endswith("2 other tasks change the leader too.")
    assert "X, Y lead and Z no longer leads." in stability([("run", ("X", "Y"), ("Z",))])


def test_the_words_of_an_audit_begin_with_those_of_its_nash_average():
    found = eq.audit(SUITE)
    assert found.answer[:2] == found.nash.answer
    assert found.to_dict()["words"] == list(found.answer)


def test_an_audit_says_why_it_is_not_resampled():
    assert "nash_average" in eq.audit.declaration.resampled
