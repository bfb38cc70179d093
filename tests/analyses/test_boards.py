"""Changes between two boards: who rose and fell, and which changes are beyond noise."""

import json

import numpy as np
import pytest
from scipy.stats import norm

import equipoise as eq
from equipoise.cli.main import main

NAMES = [f"p{k}" for k in range(6)]


def log(strength, games, seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(len(strength), size=games)
    b = (a + rng.integers(1, len(strength), size=games)) % len(strength)
    won = rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return [NAMES[i] for i in a], [NAMES[i] for i in b], won.astype(float).tolist()


def board(strength, games=900, seed=0, **options):
    return eq.rank(eq.Matches.from_columns(*log(np.asarray(strength, dtype=float), games, seed)), **options)


EVEN = np.linspace(-1, 1, 6)


def test_an_agent_that_improved_rises_and_does_not_push_the_others_down():
    better = EVEN + np.array([2.0, 0, 0, 0, 0, 0])
    found = eq.changes(board(EVEN), board(better, seed=1))
    verdicts = dict(zip(found.agents, found.verdict, strict=True))
    assert verdicts.pop("p0") == "rose"
    assert set(verdicts.values()) == {"within noise"}
    assert found.frame()["agent"][0] == "p0"
    assert found.change[found.agents.index("p0")] == pytest.approx(2.0 / eq.methods.ELO_POINT, rel=0.2)
    assert "1 agent rose beyond noise: p0" in found.answer[0]
    assert "other 5 agents are within noise" in found.answer[0]


def test_a_board_has_not_changed_since_itself():
    found = eq.changes(board(EVEN), board(EVEN))
    assert (found.change == 0).all()
    assert (found.old_rank == found.new_rank).all()
    assert "no change is significant: all 6 agents" in found.answer[0]


def test_another_anchor_or_offset_is_no_change(tmp_path):
    """Ratings have no zero of their own."""
    found = eq.changes(board(EVEN, anchor="p2"), board(EVEN, anchor="p5"))
    assert found.change == pytest.approx(np.zeros(6), abs=1e-9)
    both = eq.changes(board(EVEN, anchor="p2"), board(EVEN, seed=3, anchor="p2"))
    assert both.change[both.agents.index("p2")] == 0.0
    assert both.params["anchored"] is True


def test_the_error_of_a_change_adds_both_and_that_of_the_zero():
    old, new = board(EVEN), board(EVEN, seed=1)
    found = eq.changes(old, new, scale="logit")
    errors = [dict(zip(one.rated.agents, one.rated.stderr, strict=True)) for one in (old, new)]
    variance = np.array([sum(error[name] ** 2 for error in errors) for name in found.agents])
    total = np.sqrt(variance + np.pi / 2 / (1 / variance).sum())
    reach = norm.ppf(0.5 + 0.5 * 0.95 ** (1 / 6)) * total
    assert (found.high - found.low) / 2 == pytest.approx(reach, rel=1e-6)
    assert found.unit == "log-odds"


def test_who_came_and_who_went_is_said():
    small = board(EVEN[:4])
    found = eq.changes(small, board(EVEN, seed=2))
    assert set(found.arrived) == {"p4", "p5"}
    assert any(sentence.startswith("2 agents are new: ") for sentence in found.answer)
    back = eq.changes(board(EVEN, seed=2), small)
    assert set(back.gone) == {"p4", "p5"}


def write(path, strength, seed):
    rows = zip(*log(np.asarray(strength, dtype=float), 900, seed), strict=True)
    path.write_text("a,b,outcome\n" + "".join(f"{a},{b},{won:g}\n" for a, b, won in rows))
    return str(path)


def test_the_command_reads_what_the_command_wrote(tmp_path, capsys):
    old, new = write(tmp_path / "old.csv", EVEN, 0), write(tmp_path / "new.csv", EVEN[::-1], 1)
    saved = tmp_path / "old.json"
    assert main(["rank", old, "--format", "json", "--offset", "1500", "-o", str(saved)]) == 0
    capsys.readouterr()
    assert main(["changes", str(saved), new, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = eq.changes(eq.rank(old), eq.rank(new))
    assert [row["change"] for row in printed["changes"]] == pytest.approx(
        expected.frame()["change"].to_list(), abs=1e-6
    )
    assert printed["words"][0].startswith("Since old.json, ")
    assert printed["since"] == "old.json"
    assert "shared-games" in {note["code"] for note in printed["diagnostics"]}


def test_online_elo_has_no_intervals_and_says_so():
    found = eq.changes(board(EVEN, method="elo"), board(EVEN, seed=1, method="elo"))
    assert set(found.verdict) == {"unknown"}
    assert "no change can be told from noise" in found.answer[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [("nonsense", "not valid JSON"), ("[1]", "is no board"), ('{"command": "tasks", "agents": [1]}', "is no board")],
)
def test_what_is_no_board_is_said_in_one_line(tmp_path, capsys, text, said):
    path = tmp_path / "old.json"
    path.write_text(text)
    assert main(["changes", str(path), "alphago"]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_boards_that_cannot_be_compared_are_refused():
    with pytest.raises(eq.DataError, match="rate both the same way"):
        eq.changes(board(EVEN), board(EVEN, method="elo"))
    with pytest.raises(eq.DataError, match="there is no such file"):
        eq.changes("nowhere.json", board(EVEN))
    other = eq.rank(eq.Matches.from_columns("xy" * 5, "yx" * 5, [1, 0, 1, 1, 0] * 2))
    with pytest.raises(eq.DataError, match="no agents on both boards"):
        eq.changes(board(EVEN), other)
