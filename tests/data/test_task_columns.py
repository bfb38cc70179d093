"""Real leaderboards: what is a task and what is not; long tables are never taken for wide ones."""

import io
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq

RNG = np.random.default_rng(3)
SCORES = RNG.uniform(20, 90, (12, 4)).round(2)


def board(**more):
    """A leaderboard of twelve models on four tasks with further columns."""
    columns = {"model": [f"m{row}" for row in range(12)]}
    columns |= {f"task {place}": SCORES[:, place] for place in range(4)}
    return written(columns | more)


def written(columns):
    rows = zip(*(list(map(str, values)) for values in columns.values()), strict=True)
    return "\n".join([",".join(columns), *(",".join(row) for row in rows)]) + "\n"


def read(text, **options):
    return eq.read_scores(io.BytesIO(text.encode()), **options)


TASKS = ("task 0", "task 1", "task 2", "task 3")
NOT_TASKS = {
    "Average ⬆️": SCORES.mean(axis=1),
    "avg": SCORES.mean(axis=1).round(1),
    "overall": SCORES.mean(axis=1).round(2),
    "reasoning": SCORES[:, :2].mean(axis=1),
    "licence": ["mit"] * 12,
    "#Params (B)": RNG.integers(1, 70, 12),
    "size": [f"{number}B" for number in range(12)],
    "Size (GB)": RNG.uniform(1, 70, 12),
    "release date": ["2024-05-01"] * 12,
    "date": [20240501 + row for row in range(12)],
    "cutoff": [20240501 + row for row in range(12)],
    "year": [2024] * 12,
    "rank": range(1, 13),
    "votes": RNG.integers(100, 900, 12),
    "n_samples": [500] * 12,
    "std_error": RNG.uniform(0, 1, 12),
    "task 1 stderr": RNG.uniform(0, 1, 12),
    "avg_tokens": RNG.integers(100, 900, 12),
    "open": ["True", "False"] * 6,
    "task 2 Raw": (SCORES[:, 2] / 100).round(4),
    "CO₂ cost (kg)": RNG.uniform(0, 9, 12),
    "likes": RNG.integers(0, 900, 12),
}


@pytest.mark.parametrize(("name", "values"), NOT_TASKS.items(), ids=NOT_TASKS)
def test_what_is_no_task_is_left_out_and_named(name, values):
    scores = read(board(**{name: values}))
    assert scores.tasks == TASKS
    (note,) = [note for note in scores.diagnostics if note.code == "columns-left-out"]
    assert note.subjects == (name,)
    assert name in scores.account.unused


def test_all_of_them_at_once():
    scores = read(board(**NOT_TASKS))
    assert scores.tasks == TASKS
    np.testing.assert_allclose(scores.values, SCORES)


def test_the_mean_of_some_columns_says_that_these_are_the_tasks():
    scores = read(board(average=SCORES[:, [0, 2]].mean(axis=1)))
    assert scores.tasks == ("task 0", "task 2")
    assert "not in the mean that is average: task 1, task 3" in scores.diagnostics[0].message


def test_the_user_chooses_tasks():
    text = board(average=SCORES.mean(axis=1), size=range(1, 13))
    assert read(text, tasks="average,task 1").tasks == ("average", "task 1")
    assert read(text, tasks=["size"]).tasks == ("size",)
    assert read(text, not_tasks="task 0").tasks == ("task 1", "task 2", "task 3")
    with pytest.raises(eq.ColumnError, match=r'tasks: no column "tsk 1" .did you mean "task 1"'):
        read(text, tasks="tsk 1")
    with pytest.raises(eq.DataError, match="not a number"):
        read(board(licence=["mit"] * 12), tasks="licence")
    long = "agent,task,score\nx,t,1\nx,u,2\ny,t,3\ny,u,4\n"
    assert read(long, tasks="u").tasks == read(long, not_tasks=["t"]).tasks == ("u",)
    assert read(long, tasks="u").account.used == 2
    assert read("game,x,y\nt,1,2\nu,3,4\n", transpose=True, not_tasks="t").tasks == ("u",)


COPIES = st.integers(2, 4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 8), COPIES)
def test_tasks_that_are_no_means_all_stay(seed, tasks, copies):
    """Copies of a task, and random ones, are tasks; a mean of some of them is found among them."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0, 100, (20, tasks)).round(1)
    columns = {"model": [f"m{row}" for row in range(20)]} | {f"t{place}": values[:, place] for place in range(tasks)}
    same = {f"copy {copy}": values[:, 0] for copy in range(copies)}
    assert len(read(written(columns | same)).tasks) == tasks + copies
    parts = rng.choice(tasks, size=rng.integers(2, tasks + 1), replace=False)
    mean = {"all of it": values[:, parts].mean(axis=1).round(int(rng.integers(2, 6)))}
    assert "all of it" not in read(written(columns | mean)).tasks


def test_items_with_any_names_are_tasks_where_all_are_answers():
    text = "student,q1,q2,q3\na,True,False,True\nb,False,False,True\n"
    scores = read(text)
    assert scores.tasks == ("q1", "q2", "q3")
    assert scores.values.tolist() == [[1, 0, 1], [0, 0, 1]]


def test_a_column_with_numbers_and_words_is_no_text_column():
    with pytest.raises(eq.DataError, match=r'not a number: "oops".*not_tasks="t2"'):
        read("agent,t1,t2\nx,1,oops\ny,2,3\n")


def test_an_index_before_the_names_is_not_taken_for_names():
    scores = read(",model,a,b\n0,x,1,2\n1,y,3,4\n")
    assert (scores.agents, scores.tasks) == (("x", "y"), ("a", "b"))


def test_names_that_repeat_are_asked_back_with_a_column_that_tells_them_apart():
    text = "model,run,t1\n" + "".join(f"m{row},r{row},{row}\n" for row in range(6)) + "m0,r9,1\n"
    with pytest.raises(eq.ColumnError, match=r'names agents more than once: m0 2 times.*agent="run"'):
        read(text)


@pytest.mark.parametrize("agent", ["model_name", "llm", "subject", "student", "user", "respondent", "participant"])
@pytest.mark.parametrize(
    "task", ["question_id", "item_id", "doc_id", "instance_id", "prompt_id", "example", "test", "id"]
)
def test_names_of_agents_and_items_that_people_use_make_a_long_table(agent, task):
    scores = read(f"{task},{agent},is_correct\n1,x,1\n2,x,0\n1,y,1\n")
    assert (scores.agents, scores.tasks) == (("x", "y"), ("1", "2"))


@pytest.mark.parametrize(
    "score", ["acc", "win", "won", "success", "passed", "pass", "is_correct", "exact_match", "outcome", "response"]
)
def test_names_of_scores_that_people_use_are_known(score):
    scores = read(f"model,item,{score}\nx,1,true\nx,2,False\ny,1,1\ny,2,0.5\n")
    assert scores.values.tolist() == [[1, 0], [1, 0.5]]


def test_a_text_that_bears_the_name_of_a_score_gives_way_to_numbers():
    scores = read("model,item,response,acc\nx,1,because,1\nx,2,so,0\n")
    assert scores.values.tolist() == [[1, 0]]


def test_a_wide_table_with_a_task_called_test_stays_wide():
    assert read("model,test,accuracy\nx,0.5,0.7\ny,0.6,0.8\n").tasks == ("test", "accuracy")


def test_a_long_table_without_known_names_is_asked_back_in_time():
    rows = "".join(f"m{row % 40},{row // 40},{row % 7}\n" for row in range(28_000))
    start = time.perf_counter()
    with pytest.raises(
        eq.ColumnError, match=r"more than once: m\d+ 700 times; if this is a long table.*name its columns"
    ):
        read(f"model,which,how_well\n{rows}")
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("agent", ["player", "bot", "agent"])
def test_hands_know_their_players(agent):
    text = f"deal,{agent},winnings,seat\n1,x,3,n\n1,y,-3,s\n"
    hands = eq.read_episodes(io.BytesIO(text.encode()))
    assert hands.agents == ("x", "y")
    assert hands.utility.tolist() == [3, -3]


def test_a_missing_column_of_hands_names_the_option():
    for text, role in (("deal,who,utility\n1,x,3\n", "agent"), ("deal,agent,gain\n1,x,3\n", "utility")):
        with pytest.raises(eq.ColumnError, match=f'no column "{role}".*name it with {role}$'):
            eq.read_episodes(io.BytesIO(text.encode()))
