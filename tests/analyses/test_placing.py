"""Newcomers on a board that is held: the same optimum by a general optimiser, the test, and what is refused."""

import json

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.cli.main import main

NAMES = [f"p{k}" for k in range(6)]
STRENGTH = np.array([-1.0, -0.4, 0.0, 0.5, 1.0, 0.4])


def log(count, games, seed, strength=STRENGTH, **more):
    rng = np.random.default_rng(seed)
    a = rng.integers(count, size=games)
    b = (a + rng.integers(1, count, size=games)) % count
    won = (rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    return eq.Matches.from_columns([NAMES[i] for i in a], [NAMES[i] for i in b], won, **more)


OLD, NEW = log(4, 600, 0), log(6, 500, 1)


@pytest.mark.parametrize("side", [False, True])
def test_newcomers_are_where_the_likelihood_is_largest(side):
    found = eq.place(NEW, OLD, position=side)
    published = dict(zip(found.agents, found.rating, strict=True))
    new = [name for name, fresh in zip(found.agents, found.newcomer, strict=True) if fresh]
    assert sorted(new) == ["p4", "p5"]

    def loss(values):
        rating = published | dict(zip(new, values, strict=False))
        by_code = np.array([rating[name] for name in NEW.agents])
        gap = by_code[NEW.a] - by_code[NEW.b] + (values[-1] if side else 0.0)
        return np.sum(np.logaddexp(0, np.where(NEW.outcome == 1, -gap, gap)))

    best = scipy.optimize.minimize(loss, np.zeros(2 + side), tol=1e-12)
    assert [published[name] for name in new] == pytest.approx(best.x[:2], abs=1e-4)
    fit = eq.bradley_terry(OLD)
    for name, rating in zip(fit.agents, fit.rating, strict=True):
        assert published[name] == rating


def test_errors_are_those_of_newcomers_given_the_board():
    """As refits of newcomers to resampled games find them."""
    found, rng = eq.place(NEW, OLD), np.random.default_rng(2)
    board = eq.rank(OLD)
    again = []
    for _ in range(80):
        drawn = NEW.take(rng.integers(0, len(NEW), len(NEW)))
        refit = eq.place(drawn, board, min_p=0)
        again.append([refit.rating[refit.agents.index(name)] for name in ("p4", "p5")])
    error = [(found.high - found.low)[found.agents.index(name)] / 2 / 1.96 for name in ("p4", "p5")]
    assert error == pytest.approx(np.std(again, axis=0), rel=0.25)


def test_a_group_for_each_game_changes_nothing():
    groups = eq.Matches.from_codes(
        NEW.agents, NEW.a, NEW.b, NEW.outcome, group=eq.Matches.from_columns(
            ["x"] * 500, ["y"] * 500, [1] * 500, group=range(500)).group)  # fmt: skip
    plain, apart = eq.place(NEW, OLD), eq.place(groups, OLD)
    assert apart.test.statistic == pytest.approx(plain.test.statistic, rel=1e-6)
    assert apart.rating == pytest.approx(plain.rating)


def test_would_move_is_the_fit_of_all_less_what_was_published():
    found = eq.place(NEW, OLD)
    fit, old = eq.bradley_terry(NEW), eq.bradley_terry(OLD)
    there = [k for k, fresh in enumerate(found.newcomer) if not fresh]
    change = np.array(
        [fit.rating[fit.agents.index(n)] - old.rating[old.agents.index(n)] for n in np.array(found.agents)[there]]
    )
    assert found.would_move[there] == pytest.approx(change - change.mean())
    assert np.isnan(found.would_move[~np.isin(np.arange(6), there)]).all()


def test_games_that_contradict_the_board_are_refused_unless_asked():
    other = log(6, 800, 3, strength=STRENGTH[::-1].copy())
    with pytest.raises(eq.DataError, match="contradict the published ratings beyond noise"):
        eq.place(other, OLD)
    found = eq.place(other, OLD, min_p=0)
    assert "contradict" in found.answer[-1]
    assert any(note.code == "held-ratings" and note.severity == "warning" for note in found.diagnostics)


def test_what_makes_no_sense_is_one_line():
    with pytest.raises(eq.DataError, match="nobody is new"):
        eq.place(OLD, OLD)
    with pytest.raises(eq.DataError, match="no chain of games joins x, y"):
        eq.place(eq.Matches.from_columns(["x", "y", "p0"], ["y", "x", "p1"], [1, 1, 1]), OLD)
    with pytest.raises(eq.DataError, match="won or lost all their games: x"):
        eq.place(eq.Matches.from_columns(["x", "x"], ["p0", "p1"], [1, 1]), OLD)
    with pytest.raises(eq.EquipoiseError, match="no finite rating"):
        eq.place(eq.Matches.from_columns(["x", "x", "y", "y"], ["y", "p0", "x", "p1"], [1, 1, 1, 1]), OLD)
    with pytest.raises(eq.DataError, match="only Bradley-Terry"):
        eq.place(NEW, eq.rank(OLD, method="elo"))
    with pytest.raises(eq.EquipoiseError, match="no such file"):
        eq.place(NEW, "nothing.json")
    with pytest.raises(eq.ParameterError, match="min_p"):
        eq.place(NEW, OLD, min_p=2)


def test_from_the_shell_and_the_next_board(tmp_path, capsys):
    for name, part in (("old", OLD), ("new", NEW)):
        rows = [f"{part.agents[i]},{part.agents[j]},{w}" for i, j, w in zip(part.a, part.b, part.outcome, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,outcome", *rows]))
    old, new, games = (str(tmp_path / name) for name in ("old.json", "new.json", "new.csv"))
    assert main(["rank", str(tmp_path / "old.csv"), "--offset", "1000", "--format", "json", "-o", old]) == 0
    assert main(["rank", games, "--hold", old, "--offset", "1000", "--format", "json", "-o", new]) == 0
    boards = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("old", "new")]
    before, after = ({row["agent"]: row["rating"] for row in board["agents"]} for board in boards)
    assert {name: after[name] for name in before} == pytest.approx(before)
    assert boards[1]["contradiction"]["p_value"] > 0.001
    changes = eq.changes(old, new)
    assert changes.change == pytest.approx(np.zeros(4), abs=1e-6)
    assert main(["rank", games, "--hold", old, "--anchor", "p0"]) != 0
    assert main(["rank", games, "--hold", old, "--report", str(tmp_path / "page.html")]) == 0
    assert "change if not fixed" in capsys.readouterr().out
