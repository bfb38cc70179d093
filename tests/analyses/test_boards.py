"""Changes between two boards: who rose and fell, and which changes are beyond noise."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.analyses.boards.change_errors import independent_variances
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


def test_intervals_of_changes_hold_for_the_largest_of_all():
    """As often as said in draws of the changes, made by refits' covariances and a plain loop."""
    old, new = board(EVEN), board(EVEN, seed=1)
    found = eq.changes(old, new, scale="logit")
    order = [[one.rated.agents.index(name) for name in found.agents] for one in (old, new)]
    total = sum(one.rated.covariance[np.ix_(at, at)] for one, at in zip((old, new), order, strict=True))
    total = total - total.mean(axis=0) - total.mean(axis=1, keepdims=True) + total.mean()
    weight, reach = 1 / np.diag(total), (found.high - found.low) / 2
    held, beside = [], []
    for d in np.random.default_rng(5).multivariate_normal(np.zeros(6), total, size=4000, method="eigh"):
        for far, kept in ((0.0, held), (99.0, beside)):
            moved = d + far * (np.arange(6) == 2)
            ranked = np.argsort(moved)
            middle = moved[ranked[np.searchsorted(np.cumsum(weight[ranked]), weight.sum() / 2)]]
            inside = np.abs(moved - middle) <= reach
            kept.append(inside.all() if not far else np.delete(inside, 2).all())
    assert min(np.mean(held), np.mean(beside)) > 0.94
    assert np.mean(held) < 0.985
    assert found.unit == "log-odds"


def test_boards_without_games_say_nearly_the_same_as_those_with():
    for names in (EVEN[:3], EVEN):
        old, new = board(names), board(names, seed=1)
        known = eq.changes(old, new)
        document = {
            "command": "rank",
            "tables": {"agents": {"units": {"rating": "log-odds"}}},
            "interval": {"level": 0.95},
        }
        rows = [[dict(zip(("agent", "rating", "low", "high"), r, strict=True)) for r in zip(
            b.rated.agents, b.rated.rating, b.rated.low, b.rated.high, strict=True)] for b in (old, new)]  # fmt: skip
        alone = eq.changes(*({**document, "method": "bradley-terry", "agents": part} for part in rows))
        width = dict(zip(alone.agents, alone.high - alone.low, strict=True))
        assert [width[name] for name in known.agents] == pytest.approx(known.high - known.low, rel=0.12)


@pytest.mark.parametrize("share", [[0.25] * 4, [0.4, 0.3, 0.2, 0.1], [0.5, 0.5]])
def test_independent_errors_leave_the_variances_that_are_known(share):
    share = np.array(share)
    true = np.arange(1.0, len(share) + 1)
    centre = np.eye(len(share)) - share
    variance = np.diag(centre @ np.diag(true) @ centre.T)
    found = independent_variances(variance, share)
    assert np.diag(centre @ np.diag(found) @ centre.T) == pytest.approx(variance)
    if len(share) > 2:
        assert found == pytest.approx(true)
    unknown = independent_variances(np.append(variance, np.nan), np.append(share, 0.0))
    assert np.isnan(unknown[-1])
    assert unknown[:-1] == pytest.approx(found)


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
