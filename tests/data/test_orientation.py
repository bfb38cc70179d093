"""Where agents stand in a wide table: told by the header, by names or by scales; or asked. Never guessed."""

import io
import json
from collections import Counter

import pytest

import equipoise as eq
from equipoise.cli.main import main
from tests.faults.orientations import answer, made

GAMES = "{},zorba,quell\n{},10,20\n{},300,100\n{},5,4\n"


def read(text, **options):
    return eq.read_scores(io.BytesIO(text.encode()), read=eq.ReadOptions(**options))


def said(scores):
    return [note.message for note in scores.diagnostics if note.code == "orientation"]


@pytest.mark.parametrize("header", ["game", "Game", "env", "env_id", "Environment", "task", "dataset", "Atari games"])
def test_a_header_that_names_tasks_has_tasks_in_rows(header):
    scores = read(GAMES.format(header, "u", "v", "w"))
    assert (scores.agents, scores.tasks) == (("zorba", "quell"), ("u", "v", "w"))
    assert said(scores) == [f'Read with tasks in rows (column "{header}"). Wrong? agents_in="rows".']


@pytest.mark.parametrize("header", ["agent", "Model", "algo", "player", "Algorithm name", "system"])
def test_a_header_that_names_agents_has_agents_in_rows(header):
    scores = read(GAMES.format(header, "Pong", "Qbert", "Alien"))
    assert (scores.agents, said(scores)) == (("Pong", "Qbert", "Alien"), [])


@pytest.mark.parametrize(
    "names",
    [
        ("atlantis", "pong", "private_eye"),
        ("QbertNoFrameskip-v4", "PongNoFrameskip-v4", "ALE/Alien-v5"),
        ("Cheetah", "Walker", "Hopper"),
        ("starpilot", "bossfight", "bigfish"),
        ("walker_run", "finger_spin", "cup_catch"),
        ("MMLU", "GSM8K (8-shot)", "ARC-Challenge"),
        ("CIFAR-10", "ImageNet", "mnist"),
    ],
)
def test_known_environments_and_data_sets_are_tasks_wherever_they_stand(names):
    rows = [line.split(",") for line in GAMES.format("", *names).splitlines()]
    for table in (rows, zip(*rows, strict=True)):
        scores = read("\n".join(",".join(row) for row in table) + "\n")
        assert set(scores.tasks) == set(names)
        assert names[0] in said(scores)[0]


def test_known_agents_tell_as_well():
    assert read(",gpt-4o,claude-v1\nzix,1,2\nwex,3,4\n").agents == ("gpt-4o", "claude-v1")
    assert read(",zix,wex\nPPO,1,2\nDQN,3,4\n").agents == ("PPO", "DQN")


@pytest.mark.parametrize(
    ("names", "agents"),
    [
        (("ModelA", "ModelB"), True),
        (("Agent X", "Agent Y"), True),
        (("bot_a", "bot_b"), True),
        (("Task A", "Task B"), False),
        (("env_x", "env_y"), False),
    ],
)
def test_a_word_and_a_letter_are_a_known_name(names, agents):
    scores = read("Subject,{},{}\nAlgebra,1,2\nPoetry,3,4\n".format(*names))
    assert (scores.agents if agents else scores.tasks) == names


def test_subjects_may_be_people_or_what_is_taught():
    with pytest.raises(eq.EquipoiseError, match='neither the header "Subject"'):
        read("Subject,zix,wex\nAlgebra,1,2\nPoetry,3,4\n")


def test_a_column_that_is_called_so_names_the_rows_wherever_it_stands():
    card = "kind,metric,benchmark,zorba,quell\nfacts,acc,u,5,6\nfacts,acc,v,6,5\ncode,pass,w,7,8\n"
    scores = read(card)
    assert (scores.agents, scores.tasks) == (("zorba", "quell"), ("u", "v", "w"))
    assert read("T,Model,Pong,Qbert\nx,u,5,6\nx,v,6,5\ny,w,7,8\n").agents == ("u", "v", "w")
    assert read("row,task,zorba,quell\n1,u,5,6\n2,v,6,5\n").agents == ("zorba", "quell")


def test_a_column_of_tasks_is_named_as_in_long_tables():
    text = "x,what,zix,wex\np,u,5,6\np,v,6,5\n"
    assert read(text, task="what").agents == ("zix", "wex")
    assert read(text, task="x,what").tasks == ("p/u", "p/v")
    with pytest.raises(eq.ColumnError, match="task has no effect"):
        read(text, task="what", agents_in="rows")
    with pytest.raises(eq.ColumnError, match='"Benchmark" names tasks, as it is called; say so with task="Benchmark"'):
        read("x,Benchmark,zix,wex\np,u,5,6\np,v,6,5\n", agent="Benchmark")
    assert read("x,Benchmark,z\np,u,5\np,v,6\n", agent="Benchmark", agents_in="rows").agents == ("u", "v")


def test_a_word_like_eval_does_not_decide_against_known_names():
    with pytest.raises(eq.EquipoiseError, match="agents_in"):
        read("eval_name,MMLU,GSM8K,zix\ngpt-4o,1,2,3\nclaude-3,2,3,1\nllama-2,3,2,1\n")
    assert read("eval_name,zix,wex\nu,1,2\nv,3,4\n").agents == ("zix", "wex")


RUNS = "env,seed,zix,wex\nu,1,5,6\nv,1,50,60\nu,2,7,8\nv,2,70,80\n"


def test_rows_of_one_task_are_its_runs():
    scores = read(RUNS)
    assert (scores.agents, scores.tasks) == (("zix", "wex"), ("u", "v"))
    assert scores.repeats.tolist() == [[[5, 7], [50, 70]], [[6, 8], [60, 80]]]
    assert scores.run_labels == (("1", "2"), ("1", "2"))
    assert "Rows of one task are its runs" in " ".join(note.message for note in scores.diagnostics)
    with pytest.raises(eq.EquipoiseError, match="agents_in"):
        read(RUNS.replace("env", "x").replace("50,60", "5,6").replace("70,80", "7,8"))


def test_tasks_that_come_again_are_asked_back_kept_or_dropped():
    text = RUNS.replace("seed", "split").replace(",1,", ",dev,").replace(",2,", ",test,")
    with pytest.raises(eq.ColumnError, match=r'names tasks more than once.*task="env,split".*duplicates="keep"'):
        read(text)
    assert read(text, task="env,split").tasks == ("u/dev", "v/dev", "u/test", "v/test")
    assert read(text, run="split").repeats.shape == (2, 2, 2)
    assert read(text, duplicates="keep").values.tolist() == [[6, 60], [7, 70]]
    assert read(text, duplicates="drop").values.tolist() == [[5, 50], [6, 60]]


@pytest.mark.parametrize(
    "header", ["task_id,reward,trial", "env,seed,return", "question_id,attempt,correct", "level,run,success"]
)
def test_runs_of_one_agent_on_tasks_have_no_agent(header):
    rows = "".join(f"t{task},{run},{run}\n" for task in range(4) for run in range(3))
    with pytest.raises(eq.EquipoiseError, match="names tasks, and no column an agent"):
        read(f"{header}\n{rows}")


def test_scores_of_one_task_share_a_scale():
    text = "x,u,v,w\n" + "".join(f"{name},{a},{b},{c}\n" for name, a, b, c in [
        ("zix", 5, 812, 40000), ("wex", 6, 700, 51000), ("yor", 4, 950, 38000), ("kul", 5, 640, 45500)])  # fmt: skip
    assert read(text).tasks == ("u", "v", "w")
    rows = zip(*(line.split(",") for line in text.split()), strict=True)
    turned = read("\n".join(",".join(row) for row in rows) + "\n")
    assert turned.tasks == ("u", "v", "w")
    assert "the scales of rows differ tenfold" in said(turned)[0]


@pytest.mark.parametrize("text", ["x,u,v\nzix,0.5,0.6\nwex,0.7,0.1\n", ",u,v\nzix,1,0\nwex,0,1\n"])
def test_where_nothing_tells_the_user_is_asked_in_one_line(text):
    with pytest.raises(eq.EquipoiseError, match='say agents_in="rows" or agents_in="columns"') as asked:
        read(text)
    assert "\n" not in str(asked.value)
    assert read(text, agents_in="rows").agents == ("zix", "wex")
    assert read(text, agents_in="columns").agents == ("u", "v")


def test_a_weak_agent_does_not_make_percentages_scales():
    with pytest.raises(eq.EquipoiseError, match="agents_in"):
        read("x,u,v,w,r\nzix,60,70,80,65\nwex,55,75,77,60\nyor,2,3,2.5,1.8\n")


def test_a_table_of_tasks_and_measures_has_no_agents():
    with pytest.raises(eq.EquipoiseError, match='column "task" names tasks, and no column an agent: accuracy'):
        read("task,accuracy,stderr\nmmlu,0.5,0.1\narc,0.6,0.1\n")


def test_beside_agents_in_columns_text_averages_and_sums_are_left_out():
    scores = read("game,category,zorba,quell,average\nu,easy,1,2,1.5\nv,hard,3,5,4\nMean,,2,3.5,2.75\n")
    assert (scores.agents, scores.tasks) == (("zorba", "quell"), ("u", "v"))
    assert {note.code for note in scores.diagnostics} >= {"orientation", "columns-left-out", "rows-left-out"}


def test_tasks_that_are_named_say_where_they_stand():
    text = "x,u,v\nzix,0.5,0.6\nwex,0.7,0.1\n"
    assert read(text, tasks="u,v").agents == ("zix", "wex")
    assert read(text, not_tasks="wex").agents == ("u", "v")


def test_commands_reports_and_charts_read_alike(tmp_path, capsys):
    games = tmp_path / "games.csv"
    games.write_text(GAMES.format("game", "u", "v", "w"))
    unclear = tmp_path / "unclear.csv"
    unclear.write_text("x,u,v\nzix,0.5,0.6\nwex,0.7,0.1\nyor,0.2,0.3\n")
    assert main(["tasks", str(games), "--format", "json"]) == 0
    assert {row["agent"] for row in json.loads(capsys.readouterr().out)["agents"]} == {"zorba", "quell"}
    page, chart = str(tmp_path / "page.html"), str(tmp_path / "c.svg")
    for command, more in (("tasks", []), ("report", ["-o", page]), ("chart", ["-o", chart])):
        given = [command, *(["nash-agents"] if command == "chart" else []), str(unclear), *more]
        assert main(given) == 2
        assert "--agents-in rows or --agents-in columns" in " ".join(capsys.readouterr().err.split())
        assert main([*given, "--agents-in", "columns"]) == 0, capsys.readouterr().err
        capsys.readouterr()
    with pytest.raises(eq.EquipoiseError, match="agents_in"):
        eq.tasks(str(unclear))


def test_two_hundred_tables_of_which_none_is_read_the_wrong_way_round():
    answers = Counter((table.sign, answer(table)) for table in map(made, range(200)))
    assert {what for _, what in answers} <= {"right", "asked"}
    assert answers["none", "right"] == 0
    assert answers["header", "asked"] == answers["long", "asked"] == 0
    assert answers["scale", "right"] > 9 * answers["scale", "asked"]
