"""Several processes give the answer of one."""

import json

import numpy as np
import pytest

from equipoise.cli.main import main


@pytest.fixture
def games(tmp_path):
    rng = np.random.default_rng(3)
    a = rng.integers(5, size=300)
    b = (a + rng.integers(1, 5, size=300)) % 5
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n" + "".join(f"{i},{j},{k}\n" for i, j, k in zip(a, b, a > b, strict=True)))
    return str(path)


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(4)
    right = rng.random((12, 20)) < 1 / (1 + np.exp(rng.normal(size=20) - rng.normal(size=(12, 1))))
    head = ",".join(["agent", *(f"t{j}" for j in range(20))])
    path = tmp_path / "answers.csv"
    path.write_text(
        head + "\n" + "".join(f"m{i},{','.join(map(str, row))}\n" for i, row in enumerate(right.astype(int)))
    )
    return str(path)


@pytest.mark.parametrize("command", [["rank", "games", "--bootstrap", "40"], ["tasks", "answers"], ["irt", "answers"]])
def test_a_command_answers_the_same_with_two_processes(command, request, capsys):
    name, data, *options = command
    printed = []
    for jobs in ("1", "2"):
        assert main([name, request.getfixturevalue(data), *options, "--format", "json", "--jobs", jobs]) == 0
        printed.append(json.loads(capsys.readouterr().out))
    assert repr(printed[0]) == repr(printed[1])
    assert "jobs" not in json.dumps(printed[0])


def test_a_page_is_the_same_with_two_processes(games, tmp_path):
    pages = []
    for jobs in ("1", "2"):
        page = tmp_path / "page.html"
        assert main(["report", games, "-o", str(page), "--jobs", jobs]) == 0
        pages.append(page.read_text(encoding="utf-8"))
    assert pages[0] == pages[1]


@pytest.mark.parametrize("jobs", ["0", "many"])
def test_a_number_of_processes_without_sense_is_one_line(jobs, games, capsys):
    assert main(["rank", games, "--jobs", jobs]) == 2
    assert "--jobs" in capsys.readouterr().err
