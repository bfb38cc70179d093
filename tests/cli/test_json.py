"""One envelope for all commands: what was asked of which data, units that hold, schemas that the output keeps to."""

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest

import equipoise as eq
from equipoise.cli.app import every_arena_command, every_command
from equipoise.cli.main import main
from equipoise.cli.options.invocation import Shell, option_names
from equipoise.core.wording import Advice, Option
from equipoise.report.render.export import ENVELOPE
from equipoise.report.render.schema import COMMANDS, schema_of

GAMES = "a,b,outcome,judge\n" + "".join(
    f"{a},{b},{s},j{k % 5}\n"
    for k, (a, b, s) in enumerate(
        [("x", "y", 1), ("y", "z", 1), ("z", "x", 0.5), ("y", "x", 1), ("z", "y", 1), ("x", "z", 0)] * 10
    )
)
GAME = {
    "strategies": [["a", "b"], ["x", "y"]],
    "payoffs": [[[0.9, 0.1], [0.2, 0.6]], [[0.8, 0.3], [0.1, 0.7]]],
    "counts": [[[20, 20], [20, 3]], [[20, 20], [20, 3]]],
}
RUNS = "agent,task,trial,score\n" + "".join(
    f"{agent},{task},{trial},{(7 * i + 5 * j + 3 * trial) % 11 + i}\n"
    for i, agent in enumerate("pqr")
    for j, task in enumerate(("maze", "pong", "chess"))
    for trial in range(3)
)
JUDGED = "model_a,model_b,winner,length_a,length_b,question\n" + "".join(
    f"{name},base,{'ab'[(7 * k + 3 * n) % 5 < 2]},{100 + (37 * k + 11 * n) % 90},{100 + (53 * k) % 90},q{k}\n"
    for n, name in enumerate("xyz")
    for k in range(40)
)
SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schema"

ANSWERS = f"agent,{','.join(f'i{k}' for k in range(40))}\n" + "".join(
    f"a{n}," + ",".join("" if n < 2 and k % 2 else str(int((7 * n + 5 * k) % 13 < 3 + n)) for k in range(40)) + "\n"
    for n in range(9)
)
"""Two agents answered half of the items that seven others answered."""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "games.csv").write_text(GAMES)
    (tmp_path / "more.csv").write_text(GAMES + "v,x,1,j0\nv,y,0,j1\nv,x,0,j2\nv,z,1,j3\n" * 4)
    (tmp_path / "game.json").write_text(json.dumps(GAME))
    (tmp_path / "runs.csv").write_text(RUNS)
    (tmp_path / "answers.csv").write_text(ANSWERS)
    (tmp_path / "judged.csv").write_text(JUDGED)
    return tmp_path


CALLS = [
    ("rank", "games.csv"), ("rank", "games.csv", "--position", "--ties", "davidson", "--cluster", "judge"),
    ("rank", "games.csv", "--method", "elo", "--bootstrap", "20"), ("rank", "games.csv", "--method", "melo"),
    ("rank", "alphago"), ("compare", "games.csv", "x", "y"), ("rank", "games.csv", "--pairing", "adaptive"),
    ("length", "judged.csv", "--cluster", "question"), ("categories", "games.csv", "judge"),
    ("categories", "games.csv", "judge", "--position", "--scale", "logit"),
    ("place", "more.csv", "--board", "board.json"), ("changes", "board.json", "more.csv"),
    ("changes", "games.csv", "more.csv", "--shared", "old"),
    ("clean", "games.csv", "--steps", "most-per-voter:7@judge"),
    ("tasks", "runs.csv"), ("tasks", "runs.csv", "--bootstrap", "0", "--show", "agents,tasks"),
    ("predict", "answers.csv"), ("gate", "classifiers", "--base", "forest", "--new", "boosting"),
    ("choose", "classifiers"),
    ("explain", "classifiers"), ("explain", "games.csv"), ("choose", "runs.csv", "--rule", "schulze"), ("irt", "lsat"),
    ("irt", "digits", "--model", "rasch"), ("luck", "hands-kuhn2", "--control", "honest"),
    ("luck", "hands-kuhn2", "--half-width", "0.1"), ("metagame", "game.json"),
    ("metagame", "game.json", "--show", "graph"), ("metagame", "game.json", "--show", "sweep"),
    ("metagame", "game.json", "--show", "bounds", "--width", "0.1"), ("metagame", "game.json", "--show", "next"),
    ("judges", "games.csv"), ("judges", "games.csv", "--task", "judge", "--cluster", "judge"),
    ("plan", "games.csv", "--rows", "all"), ("methods",), ("data",), ("data", "alphago"), ("reproduce", "baseline"),
]  # fmt: skip


@pytest.fixture
def board(files):
    """What ``rank`` writes."""
    assert main(["rank", str(files / "games.csv"), "-o", str(files / "board.json")]) == 0


def document(capsys, files, *call):
    arguments = [str(files / word) if (files / word).is_file() else word for word in call]
    assert main([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_what_is_printed_keeps_to_its_schema(capsys, files, call, monkeypatch, few_hands, request):
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    if "board.json" in call:
        request.getfixturevalue("board")
    body = document(capsys, files, *call)
    jsonschema.Draft202012Validator(schema_of(call[0])).validate(body)
    assert set(ENVELOPE) <= body.keys()
    assert list(body)[:5] == ["schema", "equipoise", "command", "parameters", "data"]
    assert {name: len(body[name]) for name in body["tables"]} == {
        name: table["rows"] for name, table in body["tables"].items()
    }
    for name, table in body["tables"].items():
        assert all(column in body[name][0] for column in table["units"])


def test_every_command_that_prints_json_has_a_schema():
    arena = {f"arena_{name}": function for name, function in every_arena_command().items()}
    commands = {**every_command(), **arena}
    printing = {name for name, function in commands.items() if "form" in option_names(function)}
    assert printing == set(COMMANDS)
    # What runs lm-eval prints nothing where that is missing: tests/analyses/test_in_parts.py holds its output.
    assert printing - set(arena) - {"eval-in-parts"} == {call[0] for call in CALLS}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_schema_is_one_and_the_docs_have_it(command):
    jsonschema.Draft202012Validator.check_schema(schema_of(command))
    published = json.loads((SCHEMAS / f"{command}.json").read_text(encoding="utf-8"))
    assert published == schema_of(command), "run: python -m tools.reference docs/reference"


def test_a_schema_refuses_what_it_should(capsys, files):
    body = document(capsys, files, "rank", "games.csv")
    validator = jsonschema.Draft202012Validator(schema_of("rank"))
    for spoil in (
        lambda d: d["agents"][0].pop("rating"),
        lambda d: d["agents"][0].update(nash=1.5),
        lambda d: d.pop("words"),
        lambda d: d.pop("agents"),
        lambda d: d["schema"].update(name="equipoise/tasks"),
        lambda d: d["data"].update(sha256="none"),
        lambda d: d["verdict"].pop("text"),
    ):
        spoilt = json.loads(json.dumps(body))
        spoil(spoilt)
        assert not validator.is_valid(spoilt)


def test_the_parameters_hold_all_options_the_seed_and_the_grouping_column(capsys, files):
    asked = document(capsys, files, "rank", "games.csv", "--cluster", "judge", "--seed", "7")["parameters"]
    assert asked["group"] == asked["cluster"] == "judge"
    assert asked["seed"] == 7
    assert asked["method"] == "bradley-terry"
    assert asked["file"].endswith("games.csv")
    assert document(capsys, files, "metagame", "game.json")["parameters"]["alpha"] == "inf"


def test_the_parameters_keep_the_keys_that_documents_had(capsys, files):
    given = ("--agents", "a,b", "--score", "outcome", "--score-means", "first-score", "--components", "largest")
    asked = document(capsys, files, "rank", "games.csv", *given)["parameters"]
    assert (asked["agents"], asked["a"], asked["b"]) == ("a,b", "a", "b")
    assert asked["outcome"] == asked["score"] == "outcome"
    assert asked["outcome_means"] == asked["score_means"] == "first-score"
    assert asked["islands"] == asked["components"] == "largest"
    assert {asked[name] for name in ("wins", "losses", "games", "trial", "hand")} == {None}
    assert (asked["wins"], asked["side"], asked["transpose"]) == (None, None, False)
    runs = document(capsys, files, "tasks", "runs.csv", "--run", "trial", "--bootstrap", "0")["parameters"]
    assert runs["trial"] == runs["run"] == "trial"


def test_the_data_are_identified(capsys, files):
    told = document(capsys, files, "rank", "games.csv")["data"]
    assert told["sha256"] == hashlib.sha256((files / "games.csv").read_bytes()).hexdigest()
    assert (told["file"], told["agents"]) == ("games.csv", 3)
    bundled = document(capsys, files, "irt", "lsat")["data"]
    assert (bundled["file"], bundled["rows"], bundled["agents"], bundled["tasks"]) == ("lsat", 1000, 1000, 5)
    assert bundled == document(capsys, files, "irt", "lsat", "--model", "rasch")["data"]
    assert bundled["sha256"] != document(capsys, files, "irt", "digits")["data"]["sha256"]


def test_units_hold_for_every_number(capsys, files):
    points, logits = (
        document(capsys, files, "rank", "games.csv", "--position", "--scale", scale) for scale in ("elo", "logit")
    )
    assert points["tables"]["agents"]["units"]["rating"] == points["units"]["side"] == "Elo points"
    assert logits["tables"]["agents"]["units"]["rating"] == logits["units"]["side"] == "log-odds"
    for key in ("value", "stderr", "low", "high"):
        assert points["side"][key] == pytest.approx(logits["side"][key] / eq.methods.ELO_POINT)
    for one, other in zip(points["agents"], logits["agents"], strict=True):
        assert one["nash_average"] == pytest.approx(other["nash_average"] / eq.methods.ELO_POINT)
    assert points["tables"]["agents"]["units"]["nash_average"] == "Elo points"
    assert logits["tables"]["agents"]["units"]["nash_average"] == "log-odds"


def test_advice_names_only_options_that_the_command_has(capsys, files):
    path = files / "sparse.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\nx,y,0\ny,z,1\ny,z,0\n" * 3)
    (note,) = [
        n for n in document(capsys, files, "rank", "sparse.csv")["diagnostics"] if n["code"] == "incomplete-table"
    ]
    assert note["message"].endswith("their columns are null.")
    (note,) = [n for n in eq.rank(path).diagnostics if n.code == "incomplete-table"]
    assert note.message.endswith('Fill the gaps in with nash_average(..., complete="bradley-terry").')


def test_the_shell_spells_options_as_the_command_names_them():
    shell = Shell({"n": ["--bootstrap"], "on_error": ["--on-error"], "seed": ["--seed"], "side": ["--position"]})
    spelled = [shell.option(option) for option in (Option("n", 200), Option("on_error", "skip"), Option("rng"))]
    assert spelled == ["--bootstrap 200", "--on-error skip", "--seed"]
    assert shell.option(Option("side", value=True)) == "--position"
    assert shell.option(Option("side", value=False)) is None
    assert Advice("use ", Option("missing", "complete")).spelled(shell) == ""


@pytest.mark.parametrize(
    ("call", "said", "unsaid"),
    [
        (("tasks", "gaps.csv"), "--missing drop-tasks", "missing="),
        (("rank", "islands.csv"), "--components each", "islands="),
        (("plan", "bad.csv"), "--on-error skip", "on_error="),
        (("rank", "bad.csv"), "--on-error skip", "on_error="),
    ],
)
def test_errors_are_spelled_for_the_command_at_hand(capsys, files, call, said, unsaid):
    (files / "gaps.csv").write_text("agent,one,two,three\nA,1,2,\nB,2,1,4\nC,3,0,5\n")
    (files / "islands.csv").write_text("a,b,outcome\n" + "x,y,1\nx,y,0\nu,v,1\nu,v,0\n")
    (files / "bad.csv").write_text("a,b,outcome\nx,y,1\nx,y,perhaps\n")
    assert main([call[0], str(files / call[1])]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert unsaid not in complaint
    assert complaint.count("\n") == 1
