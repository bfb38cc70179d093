"""``rank --adjust``: the board at equal style beside the board as judged."""

import csv
import io
import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Judges who like long answers; bold print decides nothing."""
    rng = np.random.default_rng(5)
    rows, names, strength = 1500, ["ada", "bea", "cyd", "dan"], np.array([0.6, 0.2, -0.2, -0.6])
    a = rng.integers(0, 4, rows)
    b = (a + rng.integers(1, 4, rows)) % 4
    wordy = np.array([150, 450, 220, 300]) * 1.0
    length = [rng.gamma(2.0, wordy[side] / 2).astype(int) for side in (a, b)]
    bold = rng.poisson(2, (2, rows))
    d = strength[a] - strength[b] + 2 * (length[0] - length[1]) / (length[0] + length[1] + 1)
    won = rng.random(rows) < 1 / (1 + np.exp(-d))
    path = tmp_path_factory.mktemp("control") / "battles.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["model_a", "model_b", "winner", "length_a", "length_b", "bold_a", "bold_b", "question"])
        for k in range(rows):
            who = "model_a" if won[k] else "model_b"
            out.writerow([names[a[k]], names[b[k]], who, length[0][k], length[1][k], *bold[:, k], k % 300])
    return path


@pytest.fixture
def ran(capsys):
    """Run the command; give its exit code and what it printed."""

    def run(*words):
        code = main(["rank", *map(str, words)])
        return code, *capsys.readouterr()

    return run


def test_both_boards_stand_side_by_side(ran, log):
    code, shown, _ = ran(log, "--adjust", "length,bold", "--cluster", "question")
    assert code == 0
    assert "bea leads as judged, ada at equal length, bold." in shown
    assert {"judged", "change"} <= set(next(line for line in shown.splitlines() if "agent" in line).split())
    code, shown, _ = ran(log, "--adjust", "length,bold", "--cluster", "question", "--show", "covariates")
    assert code == 0
    assert "rose beyond noise: ada" in " ".join(shown.split())
    assert "More length wins more" in shown
    assert "Coefficients of style" in shown


def test_json_holds_what_the_library_says(ran, log):
    told = json.loads(ran(log, "--adjust", "length", "--format", "json", "--scale", "logit")[1])
    both = eq.style_control(eq.read_matches(log, covariates="length", group="auto"))
    board = {row["agent"]: row for row in told["agents"]}
    for k, name in enumerate(both.agents):
        assert board[name]["plain_rating"] == pytest.approx(both.plain.rating[k])
        assert board[name]["rating"] == pytest.approx(both.controlled.rating[k])
        assert board[name]["change"] == pytest.approx(both.change[k])
        assert board[name]["change_low"] == pytest.approx(both.low[k])
        assert board[name]["style"] == pytest.approx(both.style[k])
        assert board[name]["change_verdict"] == both.verdict[k]
    assert told["covariates"][0]["covariate"] == "length"
    assert told["covariates"][0]["coefficient"] == pytest.approx(both.coefficients.value[0])


def test_points_offset_and_anchor_keep_differences_as_they_are(ran, log):
    _, shown, _ = ran(log, "--adjust", "length", "--format", "csv", "--anchor", "ada", "--offset", "1000")
    rows = {row["agent"]: row for row in csv.DictReader(io.StringIO(shown))}
    assert float(rows["ada"]["rating"]) == float(rows["ada"]["plain_rating"]) == 1000
    assert float(rows["ada"]["change"]) == 0
    for row in rows.values():
        assert float(row["rating"]) - float(row["plain_rating"]) == pytest.approx(float(row["change"]), abs=1e-6)


def test_intervals_from_a_bootstrap(ran, log):
    told = json.loads(ran(log, "--adjust", "length", "--bootstrap", "40", "--format", "json")[1])
    assert "bootstrap" in told["interval"]["kind"]


def test_a_prior_on_coefficients(ran, log):
    free, held = (
        json.loads(ran(log, "--adjust", "length", *more, "--format", "json")[1])["covariates"][0]["coefficient"]
        for more in ((), ("--adjust-prior", "0.05"))
    )
    assert 0 < held < free


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["rank", "--adjust", "length", "--method", "elo"], "--adjust does not go with --method elo"),
        (["rank", "--adjust", "length", "--method", "melo"], "--adjust does not go with --method melo"),
        (
            ["rank", "--adjust", "length", "--pairing", "adaptive"],
            "--adjust cannot be combined with --pairing adaptive",
        ),
        (["compare", "ada", "bea", "--adjust", "length"], "No such option: --adjust"),
        (["length", "--adjust", "length"], "No such option: --adjust"),
        (["categories", "question", "--adjust", "length"], "No such option: --adjust"),
        (["rank", "--adjust", "height"], 'no columns for the covariate "height"'),
        (["rank", "--adjust-prior", "1"], "--adjust-prior goes with --adjust"),
        (["rank", "--adjust", "length", "--adjust-prior", "-1"], "--adjust-prior"),
        (["rank", "--adjust", ","], "names none"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(capsys, log, words, says):
    code = main([words[0], str(log), *words[1:]])
    _, complaint = capsys.readouterr()
    assert code != 0
    assert says in complaint
    assert complaint.count("\n") <= 1


def test_pair_counts_are_refused(ran):
    _, _, complaint = ran("alphago", "--adjust", "length")
    assert "--adjust needs single matches" in complaint


def test_a_report_finds_the_columns_of_style(log, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["report", str(log), "--output", str(page)]) == 0
    capsys.readouterr()
    text = page.read_text(encoding="utf-8")
    assert "Coefficients of style" in text
    assert "leads as judged, ada at equal length, bold" in text
