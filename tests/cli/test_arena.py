"""The commands of the arena, as people type them."""

import json
import subprocess
import sys

import jsonschema
import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.app import ARENA, every_arena_command
from equipoise.cli.main import main
from equipoise.report.render.schema import schema_of

SPEC = """
name = "Ladder"
game = "python:bots:play"
goal = "{goal}"
budget = 400
policy = "round-robin"
{more}
[[player]]
name = "a"
[[player]]
name = "b"
[[player]]
name = "c"
"""


@pytest.fixture
def made(tmp_path, capsys):
    def make(name="ladder.db", goal="order", more=""):
        (tmp_path / "spec.toml").write_text(SPEC.format(goal=goal, more=more))
        database = str(tmp_path / name)
        assert main(["arena", "new", str(tmp_path / "spec.toml"), "-d", database]) == 0
        capsys.readouterr()
        return database

    return make


def play(database, trials=10_000):
    """The first letter wins, as often as the arena asks."""
    with eq.Arena.open(database) as arena:
        while trials > 0 and (leases := arena.ask()):
            for lease in leases:
                first, second = lease.trial.players
                arena.tell(lease, (1.0, 0.0) if first < second else (0.0, 1.0))
                trials -= 1


def said(capsys, *arguments):
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_an_arena_is_made_played_and_shown(made, capsys):
    database = made()
    play(database)
    code, out, _ = said(capsys, "arena", "status", "-d", database)
    assert code == 0
    assert "a > b > c" in out
    assert "a is better than b" in said(capsys, "arena", "status", "-d", database, "--show", "decisions")[1]
    assert "every" not in said(capsys, "arena", "status", "-d", database, "--format", "csv")[1]


def test_its_json_fits_its_schema(made, capsys):
    database = made()
    play(database)
    document = json.loads(said(capsys, "arena", "status", "-d", database, "--format", "json")[1])
    jsonschema.Draft202012Validator(schema_of("arena_status")).validate(document)
    assert document["state"] == "answered"
    assert [row["agent"] for row in document["players"]] == ["a", "b", "c"]
    assert [(row["rank_low"], row["rank_high"]) for row in document["players"]] == [(1, 1), (2, 2), (3, 3)]


def test_an_arena_that_was_not_played_has_no_ratings_and_says_so(made, capsys):
    document = json.loads(said(capsys, "arena", "status", "-d", made(), "--format", "json")[1])
    assert {row["rating"] for row in document["players"]} == {None}
    assert [note["code"] for note in document["diagnostics"]] == ["no-complete-block"]


@pytest.mark.parametrize("command", ["rank", "plan", "metagame", "luck", "tasks", "report"])
def test_commands_read_an_arena_like_any_other_file(made, capsys, command, tmp_path):
    database = made(goal="budget")
    play(database)
    more = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    code, out, err = said(capsys, command, database, *more)
    assert (code, bool(out or err)) == (0, True)


def test_pairs_that_followed_results_are_rated_as_such(made, capsys):
    database = made()
    play(database)
    document = json.loads(said(capsys, "rank", database, "--format", "json")[1])
    assert document["params"]["pairing"] == "adaptive"
    assert "adaptive-policy" in [note["code"] for note in document["diagnostics"]]
    fixed = made("fixed.db", goal="budget")
    play(fixed)
    assert json.loads(said(capsys, "rank", fixed, "--format", "json")[1])["params"]["pairing"] == "fixed"


def test_an_arena_without_a_result_is_refused_by_commands_in_one_line(made, capsys):
    code, _, err = said(capsys, "rank", made())
    assert code == 2
    assert "without a complete block" in err
    assert err.count("\n") == 1


def test_results_are_exported_in_three_forms_and_the_journal_makes_the_arena_again(made, capsys, tmp_path):
    database = made()
    play(database)
    for suffix, read in (("csv", pl.read_csv), ("parquet", pl.read_parquet), ("jsonl", pl.read_ndjson)):
        file = tmp_path / f"results.{suffix}"
        assert said(capsys, "arena", "export", "-d", database, "-o", str(file))[0] == 0
        frame = read(file)
        assert frame["score"].sum() * 2 == len(frame)
    journal, copy = str(tmp_path / "journal.jsonl"), str(tmp_path / "copy.db")
    assert said(capsys, "arena", "export", "-d", database, "--what", "journal", "-o", journal)[0] == 0
    assert said(capsys, "arena", "restore", journal, "-d", copy)[0] == 0
    first, second = (said(capsys, "arena", "verify", "-d", one, "--format", "json")[1] for one in (database, copy))
    assert json.loads(first) == json.loads(second)
    assert json.loads(first)["ok"]
    code, _, err = said(capsys, "arena", "export", "-d", database, "-o", str(tmp_path / "results.xls"))
    assert code == 2
    assert ".csv, .jsonl, .parquet" in err


def test_a_changed_journal_is_noticed(made, capsys):
    import sqlite3

    database = made()
    play(database, 4)
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE events SET body = replace(body, '[1.0,0.0]', '[0.0,1.0]') WHERE kind = 'result'")
    code, out, _ = said(capsys, "arena", "verify", "-d", database)
    assert code == 1
    assert "was changed" in out


def test_an_arena_that_stands_first_needs_no_option(made, capsys):
    database = made()
    assert main(["arena", "pause", database]) == 0
    assert main(["arena", "status", database, "--once"]) == 0
    assert "Paused" in capsys.readouterr().out
    assert main(["arena", "verify", "--format", "json", "-d", database]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]
    # Where a command takes something else, that comes first, and the arena still needs its option.
    assert main(["arena", "void", database, "--reason", "x"]) == 2
    assert main(["arena", "status", database, "other.db"]) == 2
    assert "other.db" in capsys.readouterr().err


def test_pausing_resuming_stopping_and_leaving_out(made, capsys):
    database = made()
    play(database, 6)
    for command, state in (("pause", "paused"), ("resume", "running"), ("stop", "stopped"), ("resume", "running")):
        assert said(capsys, "arena", command, "-d", database)[0] == 0
        with eq.Arena.look_at(database) as arena:
            assert arena.state == state
    assert said(capsys, "arena", "void", "1", "-d", database, "--reason", "the clock was wrong")[0] == 0
    code, _, err = said(capsys, "arena", "void", "1", "-d", database, "--reason", "again")
    assert code == 2
    assert "void already: the clock was wrong" in err
    assert "no game 99" in said(capsys, "arena", "void", "99", "-d", database, "--reason", "x")[2]


def test_players_join_open_arenas_only(made, capsys):
    code, _, err = said(capsys, "arena", "add", "d", "-d", made())
    assert code == 2
    assert "open = true" in err
    database = made("open.db", more="open = true")
    assert said(capsys, "arena", "add", "d", "-d", database, "--bot", "python:b:d", "--option", "depth=3")[0] == 0
    with eq.Arena.look_at(database) as arena:
        assert arena.spec.players[-1].options["depth"] == 3
    assert "already" in said(capsys, "arena", "add", "d", "-d", database)[2]


def test_commands_reach_an_arena_through_the_process_that_has_it(made, capsys):
    database = made()
    code = (
        "import sys, equipoise as eq\n"
        "arena = eq.Arena.open(sys.argv[1]); arena.serve(); print('ready', flush=True); sys.stdin.readline()\n"
        "print(arena.state, flush=True); arena.close()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout.readline() == "ready\n"
        with pytest.raises(eq.StoreError, match=f"in use by process {owner.pid}"):
            eq.Arena.open(database)
        assert said(capsys, "arena", "pause", "-d", database)[0] == 0
        with eq.Arena.connect(database) as other:
            assert other.ask() == []
            other.resume()
            (lease,) = other.ask(worker="elsewhere")
            assert other.tell(lease, (1.0, 0.0)).counted
            assert other.tell(lease, (1.0, 0.0)).duplicate
            with pytest.raises(eq.DataError, match="another result"):
                other.tell(lease, (0.0, 1.0))
        assert said(capsys, "arena", "stop", "-d", database)[0] == 0
        out, _ = owner.communicate("\n", timeout=60)
    assert out == "stopped\n"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (["new", "none.toml", "-d", "x.db"], "there is no file none.toml"),
        (["status", "-d", "none.db"], "there is no arena none.db"),
        (["run", "-d", "none.db"], "there is no arena none.db"),
        (["pause", "-d", "none.db"], "there is no arena none.db"),
        (["verify"], "--database"),
        (["stat", "-d", "none.db"], "Did you mean 'status'?"),
        (["status", "-d", "mysql://x/y"], "a file's path or postgresql://"),
    ],
)
def test_mistakes_are_one_line(line, wanted, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = said(capsys, "arena", *line)
    assert code == 2
    assert wanted in err
    assert err.count("\n") == 1


def test_a_table_that_is_no_arena_is_refused(tmp_path, capsys):
    file = tmp_path / "games.csv"
    file.write_text("a,b,outcome\nx,y,1\n")
    assert said(capsys, "arena", "status", "-d", str(file))[2] == f"equipoise: {file} is no arena\n"
    code, _, err = said(capsys, "arena", "new", str(file), "-d", str(tmp_path / "x.db"))
    assert code == 2
    assert "is no TOML" in err


@pytest.mark.parametrize("name", ARENA)
def test_the_line_of_a_command_is_the_first_of_its_own_help(name):
    first = every_arena_command()[name].__doc__.partition("\n\n")[0]
    assert ARENA[name] == " ".join(first.split())
