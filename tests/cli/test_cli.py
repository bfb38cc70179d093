"""The command line as a person would use it: real processes, real files."""

import csv
import io
import json
import subprocess
import sys

import pytest

import equipoise as eq
from equipoise.cli.main import main

LOG = "model_a,model_b,winner,judge\n" + "".join(
    f"{a},{b},{w},j{k % 4}\n"
    for k, (a, b, w) in enumerate(
        [("x", "y", "model_a"), ("y", "z", "model_b"), ("z", "x", "tie"), ("y", "x", "model_a")] * 9
    )
)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(LOG)
    return str(path)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_rank_prints_a_table_best_first(capsys, log):
    code, out, err = run(capsys, "rank", log)
    assert (code, err) == (0, "")
    answer, _, table = out.partition("\n\n")
    best = eq.bradley_terry(eq.read_matches(log)).frame()["agent"][0]
    assert answer.startswith(f"{best} is ")
    lines = table.splitlines()
    assert lines[0].split() == ["rank", "agent", "rating", "95%", "interval", "games", "score"]
    assert f" {best} " in lines[1]


def test_rank_json_has_the_promised_shape(capsys, log):
    code, out, _ = run(capsys, "rank", log, "--format", "json", "--scale", "logit")
    assert code == 0
    document = json.loads(out)
    board = eq.rank(log).frame().to_dicts()
    for row, expected in zip(document["agents"], board, strict=True):
        for key in ("agent", "rank_low", "rank_high", "games"):
            assert row[key] == expected[key]
        for key in ("rating", "low", "high"):
            assert row[key] == pytest.approx(expected[key] * eq.methods.ELO_POINT)
        assert row["win_rate"] == pytest.approx(expected["win_rate"])
    assert {"diagnostics", "words", "tables", "params"} <= document.keys()
    assert document["parameters"]["seed"] == 0
    assert document["equipoise"] == eq.__version__


def test_rank_csv_can_be_read_back(capsys, log):
    _, out, _ = run(capsys, "rank", log, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {"agent", "rating", "low", "high", "rank_low", "rank_high", "games", "win_rate"} <= rows[0].keys()
    assert len(rows) == 3


def test_the_form_of_a_file_follows_its_suffix(capsys, log, tmp_path):
    assert run(capsys, "rank", log, "--output", tmp_path / "board.json")[:2] == (0, "")
    json.loads((tmp_path / "board.json").read_text())
    assert run(capsys, "rank", log, "-o", tmp_path / "board.txt")[0] == 0
    assert "rating" in (tmp_path / "board.txt").read_text()


def test_elo_points_are_logits_in_other_units(capsys, log):
    points, logits = (
        json.loads(run(capsys, "rank", log, "--format", "json", "--scale", s)[1]) for s in ("elo", "logit")
    )
    for one, other in zip(points["agents"], logits["agents"], strict=True):
        assert one["rating"] == pytest.approx(other["rating"] / eq.methods.ELO_POINT)


def test_an_anchor_is_zero_and_an_offset_is_added(capsys, log):
    document = json.loads(run(capsys, "rank", log, "--anchor", "y", "--offset", "1000", "--format", "json")[1])
    (anchor,) = [row for row in document["agents"] if row["agent"] == "y"]
    assert anchor["rating"] == anchor["low"] == anchor["high"] == 1000
    assert document["parameters"]["offset"] == 1000


def test_sentences_say_ratings_with_the_offset_of_the_table(capsys):
    out = run(capsys, "rank", "classifiers", "--offset", "1000", "--rows", "1")[1]
    assert "extra-trees has the highest rating (1217 Elo)" in out
    assert " 1217 " in out
    assert "1000 is the average opponent" in " ".join(out.split())
    assert "+217" not in out


@pytest.mark.parametrize(
    "options",
    [
        ["--ties", "davidson"], ["--ties", "rao-kupper"], ["--position"], ["--cluster", "judge"], ["--level", "0.5"],
        ["--method", "elo"], ["--method", "elo", "--bootstrap", "20"], ["--bootstrap", "20", "--cluster", "judge"],
        ["--prior", "1"],
    ],
)  # fmt: skip
def test_every_option_of_rank_gives_a_table(capsys, log, options):
    code, out, err = run(capsys, "rank", log, *options)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) > 3


def test_the_same_seed_gives_the_same_output(capsys, log):
    one, other = (run(capsys, "rank", log, "--bootstrap", "20", "--seed", "5", "--format", "json")[1] for _ in range(2))
    assert one == other


def test_a_folder_without_anything_to_read_is_one_line(capsys, tmp_path):
    (tmp_path / "notes.md").write_text("nothing here\n")
    code, out, err = run(capsys, "rank", str(tmp_path))
    assert (code, out) == (2, "")
    assert err == f"equipoise: {tmp_path}: no file in this folder is of a kind that can be read (found: notes.md)\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rank", "nowhere.csv"], "nowhere.csv does not exist"),
        (["rank", "{log}", "--formt", "json"], "No such option: --formt (Possible options: --format"),
        (["rank", "{log}", "--format", "xml"], "'xml' is not one of"),
        (["rank", "{log}", "--level", "95"], "level is between 0 and 1"),
        (["rank", "{log}", "--level", "high"], "Invalid value for '--level'"),
        (["rank", "{log}", "--anchor", "w"], 'no agent "w"'),
        (["rank", "{log}", "--cluster", "juge"], 'no column "juge" for clusters (did you mean "judge"?)'),
        (["rank", "{log}", "--output", "/nowhere/at/all.json"], "cannot write"),
        (["rank", "{log}", "--method", "elo", "--position"], "--position does not go with --method elo"),
        (["rank", "{log}", "--offset", "nan"], "--offset is a finite number"),
        (["rank", "{log}", "--seed", "-1"], "--seed"),
        (["rank", "{log}", "--score", "judge"], "--on-error skip"),
        (["rank"], "Missing argument"),
        (["rnak", "x.csv"], "Did you mean 'rank'"),
        (["data", "alphgo"], 'did you mean "alphago"'),
    ],
)
def test_what_goes_wrong_is_one_line_on_stderr_and_exit_2(capsys, log, arguments, said):
    code, out, err = run(capsys, *(argument.format(log=log) for argument in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("equipoise: ")
    assert err.count("\n") == 1
    assert said in err


def test_hostile_names_do_nothing_in_a_terminal_or_a_spreadsheet(capsys, tmp_path):
    path = tmp_path / "hostile.csv"
    evil = "\x1b[31m=cmd()|[bold]\u202eevil"
    path.write_text(f"a,b,outcome\n{evil},y,1\ny,{evil},1\n=SUM(A1),y,1\ny,=SUM(A1),0.5\n", encoding="utf-8")
    _, table, _ = run(capsys, "rank", path)
    assert "\x1b" not in table
    assert "\u202e" not in table
    assert "[bold]" in table
    _, sheet, _ = run(capsys, "rank", path, "--format", "csv")
    assert "'=SUM(A1)" in sheet
    document = json.loads(run(capsys, "rank", path, "--format", "json")[1])
    assert evil in {row["agent"] for row in document["agents"]}


def test_data_lists_and_exports_what_the_readers_take_back(capsys, tmp_path):
    _, listed, _ = run(capsys, "data")
    assert "alphago" in listed
    target = tmp_path / "alphago.csv"
    assert run(capsys, "data", "alphago", "--output", target)[0] == 0
    assert eq.read_pairs(target).probabilities() == pytest.approx(eq.load("alphago").probabilities())
    target = tmp_path / "lsat.csv"
    assert run(capsys, "data", "lsat", "--output", target)[0] == 0
    assert (eq.read_scores(target).values == eq.load("lsat").values).all()


def test_methods_lists_every_method_with_its_reference(capsys):
    document = json.loads(run(capsys, "methods", "--format", "json")[1])
    assert "bradley_terry" in {row["method"] for row in document["methods"]}
    assert all(row["reference"] for row in document["methods"])


def test_help_has_examples(capsys):
    code, out, _ = run(capsys, "rank", "--help")
    assert code == 0
    assert "equipoise rank battles.csv" in " ".join(out.split())


def process(*arguments, stdin=b""):
    command = [sys.executable, "-c", "import sys; from equipoise.cli.main import main; sys.exit(main())", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)


def test_standard_input_is_read_and_a_pipe_gets_no_colours_and_no_progress():
    done = process("rank", "-", stdin=LOG.encode())
    assert done.returncode == 0
    assert b"rating" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr
    assert done.stderr == b""


@pytest.mark.parametrize("reader", ["data lsat | head -1", "methods | true", "methods --format json | true"])
def test_a_reader_that_leaves_early_is_no_error(reader):
    command = f"{sys.executable} -m equipoise {reader}"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, check=False, timeout=120)
    assert done.stderr == b""
    assert done.returncode == 0


def test_a_full_disk_is_one_line():
    program = f"{sys.executable} -c 'import sys; from equipoise.cli.main import main; sys.exit(main())'"
    done = subprocess.run(
        ["bash", "-c", f"{program} methods > /dev/full"], capture_output=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"cannot write the output" in done.stderr


def test_demo_ranks_writes_a_page_and_says_what_to_try_next(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", "demo"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert "rating" in done.stdout
    assert "<html" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    tried = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ") and " -m equipoise " in line]
    assert len(tried) == 3
    for line in tried:
        subprocess.run(line, shell=True, check=True, capture_output=True, cwd=tmp_path, timeout=300)
    assert (tmp_path / "report.html").exists()


def test_importing_the_package_loads_nothing_heavy():
    heavy = "polars numba scipy.optimize scipy.stats rich typer altair"
    check = f"import sys, equipoise; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
