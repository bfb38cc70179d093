"""The tutorial "an arena for my team in five minutes", performed from the file to the ranking; a model that judges."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.errors import DataError, ParameterError
from equipoise.runners.judging import judge_votes
from equipoise.web.pages.drawn import draw_template
from equipoise.web.votes.ballots import read_words
from equipoise.web.votes.board import VoteBoards, board_document
from equipoise.web.votes.opening import open_votes
from tests.arena.voting import crowd, vote_arena
from tests.web.served import Server

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "votes.md"


def test_from_a_file_of_answers_to_a_ranking(chromium, tmp_path, monkeypatch, capsys):
    text = PAGE.read_text(encoding="utf-8")
    ((name, body),) = re.findall(r"`([\w.]+)`\n\n```csv\n(.*?)```", text, re.DOTALL)
    (tmp_path / name).write_text(body, encoding="utf-8")
    serve, *others = (line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": f"{Path(eq.__file__).parents[1]}"}

    def command(line):
        own = line.replace("8000", str(port)).replace("equipoise ", f"{sys.executable} -m equipoise ", 1)
        return {"args": own, "shell": True, "cwd": tmp_path, "env": env, "text": True, "stdout": subprocess.PIPE}

    serving = subprocess.Popen(**command(f"exec {serve}"))
    try:
        said = "".join(serving.stdout.readline() for _ in range(5))
        link = re.search(r"http://\S+/vote\n", said)[0].strip()
        shown_first, votes = set(), 0
        while len(shown_first) < 2 and votes < 40:  # until both orders were shown: sides are drawn at random
            page = chromium.new_context().new_page()
            page.goto(link)
            expect(page.locator(".md").first).to_be_visible()
            a, b = (page.locator(f"#{side} .md").inner_text() for side in "ab")
            shown_first.add("long" if len(a) > len(b) else "short")
            page.keyboard.press("ae"[votes % 2])
            page.keyboard.press("Enter")
            expect(page.locator("h1")).to_have_text("Thank you")
            page.context.close()
            votes += 1
    finally:
        serving.send_signal(signal.SIGINT)
        serving.communicate(timeout=30)
    monkeypatch.chdir(tmp_path)
    shown = []
    for line in others:
        assert main(shlex.split(line)[1:]) == 0
        shown.append(capsys.readouterr().out)
    assert "long" in shown[1]
    assert "everything agrees" in shown[3]
    with eq.Arena.look_at(tmp_path / "votes.db") as arena:
        assert arena.look(lambda state: state.counted) == votes


def test_other_answers_under_the_same_name_are_refused(tmp_path):
    answers = tmp_path / "answers.csv"
    answers.write_text("prompt,model,answer\np,x,1\np,y,2\n")
    said = []
    for _ in range(2):
        open_votes([str(answers)], str(tmp_path / "v.db"), {"goal": "best"}, panel=False, invited=0, say=said.append)
    assert "2 models, 1 prompt, 2 answers" in said[0]
    assert "goes on" in said[1]
    answers.write_text("prompt,model,answer\np,x,1\np,y,3\n")
    with pytest.raises(DataError, match="not those"):
        open_votes([str(answers)], str(tmp_path / "v.db"), {"goal": "best"}, panel=False, invited=0, say=said.append)
    with pytest.raises(ParameterError, match="invited"):
        open_votes([str(answers)], str(tmp_path / "w.db"), {}, panel=True, invited=1, say=said.append)


async def longer(_prompt, a, b):
    """Prefer the longer answer."""
    return "a" if len(a) > len(b) else "b"


async def lost(_prompt, _a, _b):
    """Say what is no vote."""
    return "perhaps"


def test_the_board_has_voters_judges_and_what_is_left_out(tmp_path):
    models = {"acme/x": 1.5, "acme/y": 0.0, "z": -1.5}
    goal = {"goal": "budget", "budget": 120, "policy": "round-robin"}
    with vote_arena(tmp_path, models=models, prompts=30, **goal) as arena:
        crowd(arena, 40, models=models)
        assert judge_votes(arena, "python:tests.web.test_votes_tutorial:longer", most=70) == 70
        assert judge_votes(arena, "python:tests.web.test_votes_tutorial:longer", most=80) == 10
        counted = arena.look(lambda state: state.counted)
        with pytest.raises(DataError, match='"a", "b", "tie"'):
            judge_votes(arena, "python:tests.web.test_votes_tutorial:lost")
        with pytest.raises(ParameterError, match="asynchronous"):
            judge_votes(arena, "python:math:sqrt")
        assert arena.look(lambda state: state.counted) == counted == 120
        arena.exclude("voter 3", "clicks")
        server = Server(arena)
        try:
            document = board_document(arena, server_table(arena))
            page = server.ask("GET", "/arenas/ladder/board", server.token("viewer", "v"))
        finally:
            server.close()
    assert document["votes"] == 117
    assert document["out"] == 3
    assert document["rows"][0]["agent"] == "acme/x"
    assert all(row["low"] < row["rating"] < row["high"] for row in document["rows"])
    (judge,) = document["judges"]
    assert "judge vote" in judge["sentences"][0]
    assert document["variants"][0].startswith("acme entered 2 variants")
    assert page.status == 200, page.body
    for words in ("acme/x", "Krippendorff", "voter 3", "worth", "without"):
        assert words in page.body.decode()


def test_boards_of_categories_groups_and_one_voter_lean_on_all_votes(tmp_path):
    models = {"x": 1.0, "y": 0.0, "z": -1.0}
    goal = {"goal": "budget", "budget": 150, "policy": "round-robin", "voters": "link"}
    with vote_arena(tmp_path, models=models, prompts=30, **goal) as arena:
        for k in range(20):
            arena.make_token("voter", f"voter {k}", labels=["cooks"])
        crowd(arena, 50, models=models)
        table = server_table(arena)
        table.categories.update(dict.fromkeys(list(table.categories)[::2], "maps"))
        boards = VoteBoards(arena, table)
        document, own = boards.now(), boards.own("voter 3")
        assert boards.own("nobody") == []
        page = draw_template("vote_board.html.jinja", base="", title="v", **document)
        words = read_words("de")
        told = {
            "own_board": own,
            "words": words,
            "rows": (),
            "base": "",
            "form_token": "",
            "phase": "running",
            "whose": None,
            "done": 3,
            "finished": True,
            "standings": (),
        }
        shown = [draw_template(f"vote_{name}.html.jinja", **told, last=None) for name in ("mine", "end")]
    for part, names in (("categories", ("maps", "sums")), ("groups", ("cooks", "everybody else"))):
        assert sorted(document[part]["names"]) == sorted(names)
        for row in document[part]["rows"]:
            assert all(cell["low"] < cell["rating"] < cell["high"] for cell in row["cells"].values())
    assert "By group of voters" in page
    assert "cooks" in page
    assert sorted(row["agent"] for row in own) == ["x", "y", "z"]
    assert all(row["low"] < row["others"] < row["high"] for row in own), "three votes move nobody far"
    assert any(row["rating"] != row["others"] for row in own)
    assert sum(row["points"] is not None for row in own) == 3
    assert all(words["own_others"] in text for text in shown)


def test_an_alarm_rings_where_the_share_of_excluded_votes_rises(tmp_path):
    with vote_arena(tmp_path, goal="budget", budget=120, policy="round-robin", prompts=30) as arena:
        crowd(arena, 40)
        calm = board_document(arena, server_table(arena))["jump"]
        for k in range(2):
            arena.exclude(f"voter {k}", "clicks")
        early = board_document(arena, server_table(arena))["jump"]
        for k in range(36, 39):
            arena.exclude(f"voter {k}", "clicks")
        late = board_document(arena, server_table(arena))
    assert calm is None
    assert early is None
    assert late["jump"] == "30% of the newest 30 votes are of excluded voters, 7% of those before."
    assert "has jumped" in draw_template("vote_board.html.jinja", base="", title="v", **late)


def server_table(arena):
    from equipoise.logs.votes.answers import AnswerTable

    with arena.store.read() as transaction:
        return AnswerTable.from_text(transaction.transcript(arena.spec.options["answers"]))
