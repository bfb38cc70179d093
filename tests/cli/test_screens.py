"""The first screen of every analysis: one answer, its table, three warnings, what else there is; 80 columns."""

import ast
import csv
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.advice import TO_DO
from equipoise.core.diagnostics import warning
from equipoise.core.wording import Advice

SAYS_IT = {"near-clones", "control-hurts", "runs"}
"""Warnings whose own words end in what to do; and words that are no codes."""
LINES, COLUMNS, WARNINGS = 45, 80, 3
ARENA = """
name = "Leduc"
game = "leduc"
goal = "order"
budget = 40
score_range = [-13.0, 13.0]
[[player]]
name = "caller"
[[player]]
name = "rock"
[[player]]
name = "maniac"
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Give what each command takes, made of bundled data."""
    folder = tmp_path_factory.mktemp("screens")
    scores = eq.load("classifiers")
    rng = np.random.default_rng(0)
    rows = []
    for (i, a), (j, b) in itertools.permutations(enumerate(scores.agents), 2):
        for t, task in enumerate(scores.tasks):
            run = int(rng.integers(scores.repeats.shape[2]))
            one, other = scores.repeats[i, t, run], scores.repeats[j, t, run]
            winner = "tie" if one == other else "model_a" if one > other else "model_b"
            lengths = (len(a) * 10 + int(rng.integers(50)), len(b) * 10 + int(rng.integers(50)))
            rows.append((a, b, winner, f"judge {run}", f"{task} {run} {i * j % 5}", task[0], *lengths))
    base = scores.agents.index("logistic")
    against = [
        (a, "logistic", "model_a" if scores.repeats[i, t, run] > scores.repeats[base, t, run] else "model_b",
         f"judge {run}", f"{task} {run}", task[0], *(int(rng.integers(50, 250)) for _ in "ab"))
        for i, a in enumerate(scores.agents) if i != base
        for t, task in enumerate(scores.tasks) for run in range(scores.repeats.shape[2])
    ]  # fmt: skip
    header = ("model_a", "model_b", "winner", "judge", "prompt", "category", "length_a", "length_b")
    every = folder / "votes.csv"
    for path, chosen in (
        (every, rows),
        (folder / "early.csv", [row for row in rows if "dummy" not in row[:2]][::2]),
        (folder / "dummy.csv", [row for row in rows if "dummy" in row[:2]]),
        (folder / "against.csv", against),
    ):
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([header, *chosen])
    assert main(["rank", str(folder / "early.csv"), "--format", "json", "-o", str(folder / "board.json")]) == 0
    answers = eq.load("digits")
    given = rng.random(answers.values.shape) < np.where(np.arange(len(answers.agents)) % 4 == 0, 0.3, 1.0)[:, None]
    with (folder / "answers.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["agent", *answers.tasks])
        for name, values, known in zip(answers.agents, answers.values, given, strict=True):
            writer.writerow([name, *(int(v) if k else "" for v, k in zip(values, known, strict=True))])
    (folder / "arena.toml").write_text(ARENA)
    return folder


SCREENS = {
    "rank": "rank {votes}",
    "rank a table": "rank alphago",
    "compare": "compare {votes} svm-rbf forest",
    "categories": "categories {votes} category",
    "length": "length {against} --baseline logistic --cluster prompt",
    "place": "place {dummy} --board {board} --min-p 0",
    "changes": "changes {early} {votes} --shared none",
    "clean": "clean {votes} --steps most-per-voter:800,once-per-prompt",
    "tasks": "tasks classifiers",
    "tasks of single scores": "tasks digits",
    "tasks of few items": "tasks lsat",
    "irt": "irt digits",
    "irt of few items": "irt lsat",
    "predict": "predict {answers}",
    "luck": "luck hands",
    "luck of two": "luck hands-kuhn2",
    "luck of three": "luck hands-kuhn3",
    "luck with a control": "luck hands --control honest",
    "metagame": "metagame alphago",
    "plan": "plan {votes}",
    "plan of an order": "plan {votes} --goal order",
    "judges": "judges {votes}",
    "choose": "choose classifiers",
    "choose of games": "choose {votes}",
    "choose of a table": "choose alphago",
    "explain": "explain classifiers",
    "explain games": "explain {votes}",
    "explain a table": "explain alphago",
    "gate": "gate {answers} {answers} --base svm-rbf/600 --new svm-rbf/1200 --margin 0.05",
}


def shown(capsys, files, command):
    names = {path.stem: str(path) for path in files.iterdir()}
    assert main(command.format(**names).split()) == 0
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def usual_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def is_one_screen(out):
    lines = out.rstrip("\n").splitlines()
    assert max(map(cell_len, lines)) <= COLUMNS
    assert len(lines) <= LINES, out
    assert sum(line.startswith("!") for line in lines) <= WARNINGS
    assert not any(line.startswith("·") for line in lines)
    return lines


@pytest.mark.parametrize("name", SCREENS)
def test_the_first_screen_is_one_screen(capsys, files, name):
    lines = is_one_screen(shown(capsys, files, SCREENS[name]))
    answer = " ".join(itertools.takewhile(bool, lines))
    assert answer.endswith(".")
    assert 1 <= len(re.findall(r"[a-z0-9)%]\.(?: |$)", answer)) <= 4
    more = "".join(lines[next(k for k, line in enumerate(lines) if line.startswith("More: ")) :])
    assert "--page FILE.html" in more


def warnings_made():
    """Give the calls that make a warning: their code, where it is written out, and whether they advise something."""
    for path in sorted(Path(eq.__file__).parent.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "warning":
                codes = [one.value for one in ast.walk(call.args[0]) if isinstance(one, ast.Constant)]
                advised = any(word.arg == "advice" for word in call.keywords)
                yield from ((path.name, str(code), advised) for code in codes)


def test_every_warning_ends_in_something_to_do():
    made = list(warnings_made())
    assert len(made) > 80
    assert [one for one in made if not one[2] and one[1] not in TO_DO and one[1] not in SAYS_IT] == []
    (note,) = [note for note in eq.tasks("classifiers").warnings if note.code == "few-runs"]
    assert note.message.endswith("Add runs.")
    assert warning("few-runs", "So few.", advice=[Advice("wait")]).message == "So few. Wait."


def test_the_long_form_has_what_the_screen_leaves_out(capsys, files):
    short, long = (shown(capsys, files, f"tasks classifiers{more}") for more in ("", " --show all"))
    for heading in ("Nash averages", "Tasks, hardest first", "Probability of improvement", "Performance profile"):
        assert heading not in short
        assert heading in long


@pytest.mark.parametrize("rows", [3, 15, 40])
def test_rows_are_as_many_as_asked_for(capsys, files, rows):
    out = shown(capsys, files, f"tasks digits --rows {rows}")
    assert out.count("95%") <= 5
    assert f"{80 - rows} more: --rows all" in out


def test_an_arena_has_one_screen_in_every_state(capsys, files):
    database = str(files / "arena.db")
    assert main(["arena", "new", str(files / "arena.toml"), "-d", database]) == 0
    capsys.readouterr()
    assert main(["arena", "status", "-d", database]) == 0
    assert "not started" in "\n".join(is_one_screen(capsys.readouterr().out))
    assert main(["arena", "run", "-d", database, "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["arena", "status", "-d", database]) == 0
    is_one_screen(capsys.readouterr().out)


@pytest.mark.parametrize("data", ["classifiers", "digits", "lsat"])
def test_the_call_in_python_is_the_screen(capsys, files, data):
    out = shown(capsys, files, f"tasks {data}")
    found = eq.tasks(data)
    together = " ".join(out.split())
    for sentence in found.answer:
        assert sentence in together
    for note in found.warnings[:WARNINGS]:
        assert " ".join(note.message.split())[:60] in together
    assert len(found.answer) <= 3
    assert out.index(found.table["agent"][0]) < out.index(found.table["agent"][2])


def test_the_headline_agrees_with_the_table_and_every_other_leader_is_explained(capsys, files):
    out = shown(capsys, files, "tasks classifiers")
    board = eq.tasks("classifiers").board
    leader = board.agents[board.order[0]]
    assert out.startswith(leader)
    rows = out.partition("rank  agent")[2].splitlines()[1:19]
    assert leader in rows[0]
    for name in ("mean", "median"):
        best = board.agents[int(np.argmax(board.beside[name]))]
        assert best == leader or f"{best} has the highest {name}" in " ".join(out.split())
