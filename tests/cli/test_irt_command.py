"""``equipoise irt`` from file to table, JSON and calibration."""

import json
import pickle

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.report.render.schema import schema_of

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A pipe of the usual width: workers of the tests say that theirs has 80 columns."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def answers(tmp_path):
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(120, 1))
    slope = np.array([1.5, 1.0, 1.2, 0.9, 2.0, -1.5])
    values = (rng.random((120, 6)) < 1 / (1 + np.exp(-slope * (theta - np.linspace(-1, 1, 6))))).astype(int)
    names = ["Boxing", "Pong", "Seaquest", "Alien", "Gopher", "Tennis"]
    rows = [",".join([f"a{k}", *map(str, row)]) for k, row in enumerate(values)]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join([",".join(["agent", *names]), *rows]) + "\n")
    return path


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_table_names_the_item_to_look_at(answers, capsys):
    code, out, _ = run(capsys, "irt", answers)
    assert code == 0
    assert "Tennis: negative discrimination; weaker agents do better on it; check it before you use it" in out
    assert "item to check" in out
    _, out, _ = run(capsys, "irt", answers, "--show", "all")
    assert "Items, hardest first" in out
    assert "ability" in out


def test_flagged_items_are_left_out_and_both_fits_stand_side_by_side(answers, tmp_path, capsys):
    bank = tmp_path / "bank.json"
    code, out, _ = run(capsys, "irt", answers, "--drop-flagged", "--save", bank, "--format", "json")
    assert code == 0
    document = json.loads(out)
    jsonschema.validate(document, schema_of("irt"))
    fit = eq.irt(answers)
    assert fit.flagged == ("Tennis",)
    assert fit.without(fit.flagged).before is not None
    assert {row["item"] for row in document["items"]} == set(fit.items) - {"Tennis"}
    assert {row["item"] for row in document["before"]["items"]} == set(fit.items)
    first, second = document["fits"]
    assert (first["fit"], first["items"], second["fit"], second["items"]) == ("all items", 6, "without 1 item", 5)
    assert first["reliability"] == pytest.approx(fit.reliability)
    other = eq.irt(eq.read_scores(answers).take(tasks=range(5)))
    assert second["reliability"] == pytest.approx(other.reliability)
    assert [row["ability"] for row in document["agents"]] == pytest.approx(other.frame()["ability"].to_list())
    places = [[sorted(-one.ability).index(-a) for a in one.ability] for one in (fit, other)]
    assert second["rank_changes"] == sum(old != new for old, new in zip(*places, strict=True)) > 0
    assert set(eq.methods.load_calibration(bank).items) == set(fit.items) - {"Tennis"}
    _, out, _ = run(capsys, "irt", answers, "--drop-flagged")
    assert "Both fits" in out
    assert f"Without 1 item the reliability is {other.reliability:.2f}" in out


def test_where_no_item_is_flagged_none_is_left_out(capsys):
    code, out, _ = run(capsys, "irt", "lsat", "--model", "rasch", "--drop-flagged", "--format", "json")
    document = json.loads(out)
    assert (code, len(document["items"])) == (0, 5)
    assert "before" not in document
    assert [note["message"] for note in document["diagnostics"] if note["code"] == "nothing-flagged"] == [
        "No item is flagged, so none was left out."
    ]


def test_nothing_is_left_out_of_a_calibration(answers, tmp_path, capsys):
    run(capsys, "irt", answers, "--save", tmp_path / "bank.json")
    code, _, err = run(capsys, "irt", answers, "--calibration", tmp_path / "bank.json", "--drop-flagged")
    assert (code, "--drop-flagged has no effect with --calibration" in err) == (2, True)


def test_items_are_left_out_by_name(answers):
    fit = eq.irt(answers, model="rasch")
    assert fit.without([]) is fit
    less = fit.without("Pong").without(["Alien"])
    assert less.items == ("Boxing", "Seaquest", "Gopher", "Tennis")
    assert less.before.items == tuple(item for item in fit.items if item != "Pong")
    assert list(less.tables) == ["agents", "items", "fits"]
    assert pickle.loads(pickle.dumps(less)).without("Boxing").items == ("Seaquest", "Gopher", "Tennis")
    with pytest.raises(eq.ParameterError, match=r'no item "Pung" \(did you mean "Pong"'):
        fit.without(["Pung"])
    with pytest.raises(eq.ParameterError, match="does not know its data"):
        eq.methods.irt(eq.read_scores(answers), model="rasch").without(["Pong"])


def test_json_is_the_library_call(answers, capsys):
    _, out, _ = run(capsys, "irt", answers, "--model", "rasch", "--format", "json")
    document = json.loads(out)
    fit = eq.irt(eq.read_scores(answers), model="rasch")
    assert [row["item"] for row in document["items"]] == fit.item_frame()["item"].to_list()
    assert document["agents"][0]["ability"] == pytest.approx(fit.ability.max())
    assert document["log_likelihood"] == pytest.approx(fit.log_likelihood)


def test_the_four_indicators_side_by_side(answers, tmp_path, capsys):
    table = eq.read_scores(answers)
    wide = tmp_path / "wide.csv"
    rng = np.random.default_rng(1)
    extra = (rng.random((120, 4)) < table.values[:, :4] * 0.6 + 0.2).astype(int)
    names = [*table.tasks, "e1", "e2", "e3", "e4"]
    values = np.column_stack([table.values.astype(int), extra])
    rows = [",".join([agent, *map(str, row)]) for agent, row in zip(table.agents, values, strict=True)]
    wide.write_text("\n".join([",".join(["agent", *names]), *rows]))
    code, out, _ = run(capsys, "irt", wide, "--show", "agents,items,indicators", "--bootstrap", 5)
    assert code == 0
    assert "Agents: ability and generality, 95% bootstrap intervals" in out
    _, out, _ = run(capsys, "irt", wide, "--show", "agents,items,indicators", "--bootstrap", 5, "--format", "json")
    document = json.loads(out)
    assert len(document["agent_indicators"]) == 120
    assert {"difficulty_low", "discrimination_high"} <= set(document["item_indicators"][0])


def test_a_saved_calibration_scores_new_agents(answers, tmp_path, capsys):
    bank = tmp_path / "bank.json"
    assert run(capsys, "irt", answers, "--save", bank)[0] == 0
    code, out, _ = run(capsys, "irt", answers, "--calibration", bank, "--format", "json")
    assert code == 0
    fit = eq.irt(eq.read_scores(answers))
    assert json.loads(out)["agents"][0]["ability"] == pytest.approx(fit.ability.max())


def test_counts_and_scores(answers, tmp_path, capsys):
    scores = eq.read_scores(answers)
    counts = tmp_path / "counts.csv"
    rows = [
        f"{agent}," + ",".join(str(int(3 * v)) for v in row)
        for agent, row in zip(scores.agents, scores.values, strict=True)
    ]
    counts.write_text("\n".join(["agent," + ",".join(scores.tasks), *rows]))
    assert run(capsys, "irt", counts, "--trials", 3, "--model", "rasch")[0] == 0
    code, out, _ = run(capsys, "irt", counts, "--threshold", 2, "--format", "json")
    assert code == 0
    assert json.loads(out)["log_likelihood"] == pytest.approx(eq.irt(scores).log_likelihood)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trials", "3", "--threshold", "1"], "do not go together"),
        (["--calibration", "nowhere.json"], "there is no such file"),
        (["--calibration", "x.json", "--save", "y.json"], "do not go together"),
        (["--level", "95"], "level is between 0 and 1"),
        (["--save", "no/such/folder/bank.json"], "cannot write"),
    ],
)
def test_bad_options_end_with_one_line_and_exit_2(answers, capsys, options, message):
    code, _, err = run(capsys, "irt", answers, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("agent,a,b,c\nx,0.5,1,0\ny,1,0,1\n", [], "answers must be 0 or 1"),
        ("agent,a\nx,1\ny,0\n", ["--model", "rasch"], "at least 2 items"),
        ("agent,a,b,c\nx,1,0,1\n", [], "at least 2 agents"),
        ("agent,a,b,c\nx,1,1,1\ny,1,1,1\n", [], "left out as constant"),
        ("agent,a,b,c\nx,7,1,1\ny,1,2,3\n", ["--trials", "5"], "more successes than trials"),
    ],
)
def test_bad_tables_end_with_one_line_and_exit_2(tmp_path, capsys, text, options, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, _, err = run(capsys, "irt", path, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
