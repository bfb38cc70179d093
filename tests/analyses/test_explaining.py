"""Which summary answers what: the claimed properties, who is first, what disagreements mean, and the screen."""

import re
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.analyses.votes.explaining import PROPERTIES, SUMMARIES
from equipoise.cli.main import main
from equipoise.methods import social_choice
from equipoise.report.views.choice import explanation_view

RAINBOW = "atari/rainbow_hessel2018_8agents_54games.csv"
OF_SCORES = [one for one in SUMMARIES if "scores" in one.first]
PAGE = Path(__file__).parents[2] / "docs" / "which-one.md"


def table(seed, agents=4, tasks=5):
    return np.random.default_rng(seed).random((agents, tasks)) * np.arange(1, tasks + 1)


def first(summary, values, names="abcdefgh"):
    return set(summary.first["scores"](eq.Scores.from_matrix(values, list(names[: len(values)]))))


def changed(kind, values, rng):
    """Give a table in which what a property is about is done."""
    if kind == "copies":
        return np.vstack([values, values[rng.integers(len(values))]])
    if kind == "tasks":
        return np.hstack([values, values[:, [0]], values[:, [0]]])
    if kind == "offset":
        return values + rng.normal(scale=5.0, size=values.shape[1])
    return np.expm1(3 * values / values.max(axis=0))


@pytest.mark.parametrize("kind", ["copies", "tasks", "offset", "monotone"])
@pytest.mark.parametrize("summary", OF_SCORES, ids=lambda one: one.name)
def test_what_is_said_to_change_nothing_changes_nothing_and_the_rest_can(summary, kind):
    moved = 0
    for seed in range(60 if kind not in summary.holds else 8):
        values, rng = table(seed), np.random.default_rng(seed)
        same = first(summary, changed(kind, values, rng)) - {"e"} == first(summary, values) - {"e"}
        moved += not same
        if moved and kind not in summary.holds:
            return
    assert kind in summary.holds, f"{summary.name} did not move"
    assert moved == 0


@pytest.mark.parametrize("summary", OF_SCORES, ids=lambda one: one.name)
def test_who_is_worse_on_every_task_is_not_first_where_that_is_said(summary):
    for seed in range(8 if "dominance" in summary.holds else 0):
        values = np.vstack([table(seed), table(seed)[0] - 0.01])
        assert "e" not in first(summary, values)


NUMBERS = {
    "mean score": lambda data: _stretched(data.values).mean(axis=1),
    "Borda": lambda data: social_choice(data, rule="borda").score,
    "Smith set": lambda data: np.array([name in social_choice(data).smith for name in data.agents], float),
    "Kemeny": lambda data: social_choice(data, rule="kemeny").score,
    "maximal lottery": lambda data: social_choice(data, rule="maximal-lottery").p,
    "Nash average": lambda data: eq.nash_average(data, n=0).skill,
}
"""What each summary of scores counts; deviation ratings jump in tests/choice/test_deviation.py."""


def _stretched(values):
    low, high = values.min(axis=0), values.max(axis=0)
    return (values - low) / (high - low)


@pytest.mark.parametrize("summary", [one for one in OF_SCORES if one.name in NUMBERS], ids=lambda one: one.name)
def test_numbers_of_scores_jump_where_the_table_does_not_say_that_they_are_continuous(summary):
    """Where two agents are level on a task, or a game has many optima, a billionth more can move them."""
    numbers, moved = NUMBERS[summary.name], 0.0
    level = [table(seed) for seed in range(12)]
    for seed, values in enumerate(level):
        values[1, 0] = values[0, 0]
        values[2, 1] = values[3, 1]
        if seed % 2:
            values[:] = np.rint(4 * values / values.max())
            values[0, np.ptp(values, axis=0) == 0] += 1.0  # all level: without a scale, the mean jumps as well
    level.append(np.array([[2.0, 1, 1, 0], [1, 2, 0, 1], [1, 0, 2, 1], [0, 1, 1, 2]]))
    level.append(np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.5]]))
    for seed, values in enumerate(level):
        rng = np.random.default_rng(seed)
        near = values + 1e-9 * rng.choice([-1, 1], size=values.shape)
        one, other = (numbers(eq.Scores.from_matrix(each, list("abcd"))) for each in (values, near))
        moved = max(moved, float(np.abs(np.asarray(one) - np.asarray(other)).max()))
    assert (moved < 1e-6) == ("continuous" in summary.holds), moved


def test_ratings_of_games_are_continuous_and_alpha_rank_is_not():
    """Small changes of win rates: ratings move little; the chain looks at signs alone."""
    by_name = {one.name: one for one in SUMMARIES}
    p = np.array([[0.5, 0.6, 0.5], [0.4, 0.5, 0.7], [0.5, 0.3, 0.5]])
    e = 1e-9 * np.array([[0, 0, 1], [0, 0, 0], [-1, 0, 0]])
    tables = [eq.PairTable.from_matrix(each, list("abc")) for each in (p, p + e)]
    ratings = [eq.bradley_terry(each, prior=None).rating for each in tables]
    assert ratings[0] == pytest.approx(ratings[1], abs=1e-7)
    games = [eq.MetaGame.symmetric(each) for each in (p, p - e)]
    masses = [eq.alpha_rank(each).pi for each in games]
    assert np.abs(masses[0] - masses[1]).max() > 0.1
    assert "continuous" in by_name["Bradley-Terry"].holds
    assert "continuous" not in by_name["alpha-Rank"].holds


@pytest.mark.parametrize("name", ["Bradley-Terry", "Plackett-Luce", "mean place"])
def test_ratings_of_games_move_with_copies_and_who_always_loses_is_never_first(name):
    """A copy of somebody whom others beat by much is more games for them; places behind copies are worse."""
    summary = next(one for one in SUMMARIES if one.name == name)
    assert "copies" not in summary.holds
    moved = False
    for seed in range(40):
        rng = np.random.default_rng(seed)
        if name == "Bradley-Terry":
            win = rng.uniform(0.2, 0.8, (4, 4))
            win = np.triu(win, 1) + np.tril(1 - win.T, -1) + np.eye(4) / 2
            at = [0, 1, 2, 3, int(rng.integers(4))]
            made = [eq.PairTable.from_matrix(each, list("abcde")[: len(each)]) for each in (win, win[np.ix_(at, at)])]
            lost = np.pad(win, (0, 1), constant_values=0.5)
            lost[4], lost[:, 4] = np.append(win[0], 0.5), np.append(1 - win[0], 0.5)
            lost[4, :4] -= 0.1
            lost[:4, 4] += 0.1
            worst = eq.PairTable.from_matrix(lost, list("abcde"))
        else:
            copied = int(rng.integers(4))
            orders = [rng.permutation(4)[: rng.integers(2, 5)].tolist() for _ in range(9)]
            with_copy = [[i for k in order for i in ((k, 4) if k == copied else (k,))] for order in orders]
            made = [_races(each) for each in (orders, with_copy)]
            worst = _races([[*order, 4] for order in orders])
        kind = made[0].kind
        moved |= set(summary.first[kind](made[0])) - {"e"} != set(summary.first[kind](made[1])) - {"e"}
        assert "e" not in summary.first[kind](worst)
    assert moved


def _races(orders):
    rows = [(k, "abcde"[who], place) for k, order in enumerate(orders) for place, who in enumerate(order)]
    return eq.Rankings.from_columns(*zip(*rows, strict=True))


def test_a_dominated_agent_may_be_in_the_smith_set():
    ranks = np.array([[4, 1, 3], [3, 4, 1], [1, 3, 4], [3.9, 0.9, 2.9]])  # a cycle of three, and one just below a
    assert "d" in first(next(one for one in SUMMARIES if one.name == "Smith set"), ranks)
    assert "dominance" not in next(one for one in SUMMARIES if one.name == "Smith set").holds


def test_ratings_of_games_and_alpha_rank_move_with_copies():
    p = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.6], [0.7, 0.4, 0.5]])
    at = [0, 1, 2, 0]
    tables = [eq.PairTable.from_matrix(t, list("abcd")[: len(t)]) for t in (p, p[np.ix_(at, at)])]
    alpha = next(one for one in SUMMARIES if one.name == "alpha-Rank")
    assert set(alpha.first["pairs"](tables[0])) == {"a", "b", "c"}
    assert set(alpha.first["pairs"](tables[1])) == {"c"}
    nash = next(one for one in SUMMARIES if one.name == "Nash average")
    assert [set(nash.first["pairs"](t)) - {"d"} for t in tables] == [{"a", "b", "c"}] * 2
    assert "copies" in nash.holds
    assert "copies" not in alpha.holds


def test_rainbow_says_why_nash_averaging_and_voting_differ(equipoise_data):
    found = eq.explain(equipoise_data / RAINBOW)
    assert found.first["Smith set"] == ("rainbow",)
    assert len(found.first["Nash average"]) == 4
    assert "rainbow beats every other agent" in found.majority
    assert any("Nash averaging looks at the few tasks" in said for said in found.answer)


def test_agreement_is_said_and_what_is_missing_too():
    found = eq.explain("alphago")
    assert found.answer[0] == "All 8 summaries put rvp first: read any."
    gaps = eq.explain(eq.Matches.from_columns("abcd" * 3, "bcda" * 3, [1, 0, 1, 1] * 3))
    assert {"Nash average", "alpha-Rank"} <= set(gaps.missing)
    assert gaps.frame().filter(gaps.frame()["missing"].is_not_null()).height == len(gaps.missing)


def test_a_screen_has_at_most_25_lines_of_80_columns(capsys, monkeypatch, equipoise_data):
    monkeypatch.setenv("COLUMNS", "80")
    for file in ("classifiers", "alphago", str(equipoise_data / RAINBOW)):
        assert main(["explain", file]) == 0
        lines = capsys.readouterr().out.rstrip("\n").split("\n")
        assert len(lines) <= 25, (file, len(lines))
        assert max(map(len, lines)) <= 80


def test_races_ballots_and_payoffs_are_explained_and_hands_are_not():
    races = eq.Rankings.from_columns(["r"] * 3 + ["s"] * 3, list("abcbac"), [1, 2, 3, 1, 2, 3])
    assert {"Plackett-Luce", "mean place", "Borda"} <= set(eq.explain(races).first)
    votes = eq.Ballots.from_orders(["MNCK", "NCKM", "CKNM", "KCNM"], weights=[42, 26, 15, 17])
    assert eq.explain(votes).first["Smith set"] == ("N",)
    game = eq.MetaGame.symmetric([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert set(eq.explain(game).first) == {"deviation rating", "alpha-Rank"}
    with pytest.raises(eq.DataError, match="explain takes"):
        eq.explain("hands")


def test_the_page_has_the_table_of_properties():
    rows = dict(re.findall(r"^\| ([\w -]+?) \|.*?\| ((?:yes|no)(?: \| (?:yes|no))*) \|", PAGE.read_text(), re.M))
    wanted = {one.name: " | ".join("yes" if name in one.holds else "no" for name in PROPERTIES) for one in SUMMARIES}
    assert rows == wanted
    assert all(words in PAGE.read_text() for words in PROPERTIES.values())
    assert explanation_view(eq.explain("alphago")).tables[1].name == "properties"


def test_a_smith_set_of_everybody_disagrees_with_nothing():
    found = eq.explain(eq.PairTable.from_wins([[0, 9, 4], [1, 0, 6], [6, 4, 0]], agents="xyz"))
    assert found.first["Smith set"] == ("x", "y", "z")
    shown = dict(found.frame().select("summary", "first").iter_rows())
    assert shown["Smith set"] == "all 3 agents"
    assert shown["Bradley-Terry"] == "x"
    assert not any("Smith set" in meaning for meaning in found.meanings)
    assert found.answer[0].endswith(f" of {len(found.first) - 1}.")
