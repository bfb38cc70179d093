"""Deviation ratings: games whose ratings are known, a slow version, and copies."""

import json
import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.choice.deviation import _copies
from equipoise.cli.main import main

DATA = Path(os.environ.get("EQUIPOISE_DATA", ""))
ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
KNOWN = {
    "dilemma": (([[-1, -3], [0, -2]], None), [(-1, 0)]),
    "battle": (([[3, 0], [0, 2]], [[2, 0], [0, 3]]), [(-1, -1.5), (-1.5, -1)]),
    "chicken": (([[0, 7], [2, 6]], None), [(-1, -0.5)]),
    "shapley": (([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]]), [(-1 / 6,) * 3] * 2),
    "losing on ties": ((ROCK - np.eye(3), None), [(-1 / 3,) * 3]),
    "biased": (([[-8, -2, 4], [2, -8, -1], [-4, 1, -8]], None), [(-2.8215767635,) * 3]),
    "zero-sum rows": (([[0, 0], [-1, -3], [-3, -1]], [[0, 0], [1, 3], [3, 1]]), [(0, -2, -2), (0, 0)]),
}


def game(first, second):
    return eq.MetaGame.symmetric(first) if second is None else eq.MetaGame.from_payoffs([first, second])


@pytest.mark.parametrize("name", KNOWN)
def test_games_with_known_ratings(name):
    payoffs, wanted = KNOWN[name]
    found = eq.deviation_ratings(game(*payoffs))
    for own, known in zip(found.rating, wanted, strict=True):
        assert own == pytest.approx(known, abs=1e-8)


def slow_ratings(payoffs):
    """Lower the largest gain; keep a strategy if a program of its own says that it cannot fall below that."""
    shape = payoffs[0].shape
    rows = [
        (np.take(payoff, [a], axis=p) - payoff).ravel() for p, payoff in enumerate(payoffs) for a in range(shape[p])
    ]
    rows, value = np.array(rows), {}
    while len(value) < len(rows):
        free = [k for k in range(len(rows)) if k not in value]
        upper = np.column_stack([rows, [-1.0 if k in free else 0.0 for k in range(len(rows))]])
        limit = np.array([value.get(k, 0.0) + 1e-9 * (k in value) for k in range(len(rows))])
        width = rows.shape[1]
        simplex = {"A_eq": np.append(np.ones(width), 0.0)[None], "b_eq": [1.0]}
        bounds = [(0, None)] * width + [(None, None)]
        e = scipy.optimize.linprog(np.append(np.zeros(width), 1.0), upper, limit, bounds=bounds, **simplex).fun
        fixed = [*bounds[:-1], (None, e + 1e-9)]
        least = {
            k: scipy.optimize.linprog(np.append(rows[k], 0.0), upper, limit, bounds=fixed, **simplex).fun for k in free
        }
        value |= {k: e for k in free if least[k] > e - 1e-6}
    return np.split(np.array([value[k] for k in range(len(rows))]), np.cumsum(shape)[:-1])


@pytest.mark.parametrize("seed", range(12))
def test_one_program_a_strategy_gives_the_same(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 4, size=rng.integers(2, 4)))
    payoffs = [rng.integers(-3, 4, shape).astype(float) for _ in shape]
    found = eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs))
    for own, known in zip(found.rating, slow_ratings(payoffs), strict=True):
        assert own == pytest.approx(np.minimum(known, 0.0), abs=1e-5)
    assert found.excess <= 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_copies_and_offsets_change_nothing(seed):
    rng = np.random.default_rng(seed)
    payoffs = [rng.integers(-3, 4, (3, 2, 3)).astype(float) for _ in range(3)]
    plain = eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs))
    copied = eq.deviation_ratings(eq.MetaGame.from_payoffs([each[[0, 1, 2, 1]] for each in payoffs]))
    assert copied.rating[0][:3] == pytest.approx(plain.rating[0], abs=1e-7)
    assert copied.rating[0][3] == copied.rating[0][1]
    assert copied.rating[1] == pytest.approx(plain.rating[1], abs=1e-7)
    assert "strategy-clones" in {note.code for note in copied.diagnostics}
    moved = [payoffs[0] + rng.normal(size=(1, 2, 3)), *payoffs[1:]]
    offset = eq.deviation_ratings(eq.MetaGame.from_payoffs(moved))
    for one, other in zip(plain.rating, offset.rating, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_the_units_of_one_player_change_the_ratings():
    first, second = np.array([[3.0, 0], [0, 2]]), np.array([[2.0, 0], [0, 3]])
    assert eq.deviation_ratings(game(first, 10 * second)).rating[0] == pytest.approx([-1.2, -1.2])


@pytest.mark.skipif(not (DATA / "metagames").is_dir(), reason="EQUIPOISE_DATA names no folder with meta-games")
def test_poker_and_soccer():
    three = eq.deviation_ratings(eq.read_metagame(DATA / "metagames" / "kuhn_poker_3p_metagame.json"))
    for own, known in zip(three.rating, [(-0.15, -0.34, 0), (-0.43, -0.72, 0), (-0.14, 0, -0.04)], strict=True):
        assert own == pytest.approx(known, abs=1e-6)
    soccer = eq.deviation_ratings(eq.read_pairs(DATA / "metagames" / "soccer_winprob_10x10.csv"))
    wanted = [-0.2501355817, 0, -0.2702207775, -0.0322629964, -0.0031515496, -0.2360503006, -0.3522148294,
              -0.0662678288, 0, 0]  # fmt: skip
    assert soccer.rating[0] == pytest.approx(wanted, abs=1e-8)


def test_alphago_programs():
    found = eq.deviation_ratings(eq.load("alphago"))
    assert found.rating[0] == pytest.approx([0, -0.98, -0.9, -1, -1, -1, -1, -0.98])
    assert found.best() == ("rvp",)


def test_agents_that_are_entered_twice_keep_their_rating():
    values = np.array([[3.0, 1, 2], [2, 3, 1], [1, 2, 0]])
    plain = eq.deviation_ratings(eq.Scores.from_matrix(values, ["a", "b", "c"]))
    twice = eq.deviation_ratings(eq.Scores.from_matrix(values[[0, 1, 2, 0]][:, [0, 1, 2, 2]], ["a", "b", "c", "d"]))
    assert twice.rating[0][:3] == pytest.approx(plain.rating[0], abs=1e-7)
    gap = values.copy()
    gap[0, 0] = np.nan
    with pytest.raises(eq.DataError, match="missing"):
        eq.deviation_ratings(eq.Scores.from_matrix(gap))


def test_the_distribution_is_one_at_which_nobody_gains_more_than_the_rating():
    rng = np.random.default_rng(3)
    payoffs = [rng.normal(size=(3, 3, 2)) for _ in range(3)]
    found = eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs))
    s = found.distribution
    assert s.sum() == pytest.approx(1.0)
    for p, payoff in enumerate(payoffs):
        for a in range(payoff.shape[p]):
            gain = sum(
                s[at] * (payoff[(*at[:p], a, *at[p + 1 :])] - payoff[at]) for at in product(*map(range, s.shape))
            )
            assert gain <= found.rating[p][a] + 1e-7


def test_votes_on_tasks_are_the_game_of_two_models_and_a_prompt():
    """The payoffs, written out vote by vote, and a prompt and a model that are entered twice."""
    rng = np.random.default_rng(4)
    names, prompts = ["a", "b", "c"], ["p", "q", "r"]
    rows = [(i, j, k, rng.integers(3) / 2) for k in range(3) for i in range(3) for j in range(i + 1, 3)
            for _ in range(5)]  # fmt: skip
    gap = np.zeros((3, 3, 3))
    for i, j, k, outcome in rows:
        gap[i, j, k] += (2 * outcome - 1) / 5
        gap[j, i, k] -= (2 * outcome - 1) / 5
    turn = rng.random(len(rows)) < 0.5  # either side may come first
    seen = [(j, i, k, 1 - w) if t else (i, j, k, w) for (i, j, k, w), t in zip(rows, turn, strict=True)]

    def votes(seen):
        a, b, task, won = zip(*seen, strict=True)
        return eq.Matches.from_columns(
            [names[i] for i in a], [names[i] for i in b], won, task=[prompts[k] for k in task]
        )

    found = eq.deviation_ratings(votes(seen), by_task=True)
    known = eq.deviation_ratings(eq.MetaGame.from_payoffs([gap, -gap, np.abs(gap)], [names, names, prompts]))
    for one, other, labels, wanted in zip(found.rating, known.rating, found.strategies, known.strategies, strict=True):
        order = [labels.index(name) for name in wanted]
        assert one[order] == pytest.approx(other, abs=1e-8)
    names.append("d")
    prompts.append("s")
    twice = [*seen, *((3 if i == 0 else i, 3 if j == 0 else j, k, w) for i, j, k, w in seen if 0 in (i, j)),
             *((0, 3, k, 0.5) for k in range(3))]  # fmt: skip
    twice += [(i, j, 3, w) for i, j, k, w in twice if k == 0]
    again = eq.deviation_ratings(votes(twice), by_task=True)
    at = [again.strategies[0].index(name) for name in found.strategies[0]]
    assert again.rating[0][at] == pytest.approx(found.rating[0], abs=1e-7)


def test_votes_that_miss_a_pair_on_a_prompt_say_so_and_without_prompts_are_pairs(tmp_path, capsys):
    votes = eq.Matches.from_columns("aab", "bcc", [1, 0, 1], task="ppp")
    assert eq.deviation_ratings(votes, by_task=True).players == ("agent", "opponent", "task")
    assert eq.deviation_ratings(votes).players == ("agent",)
    gaps = eq.Matches.from_columns("aaba", "bccb", [1, 0, 1, 0], task="pppq")
    with pytest.raises(eq.DataError, match="2 of 6 pairs on tasks never met"):
        eq.deviation_ratings(gaps, by_task=True)
    with pytest.raises(eq.ParameterError, match="by_task"):
        eq.deviation_ratings(votes.pairs(), by_task=True)
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,category\na,b,model_a,p\na,c,model_b,p\nb,c,model_a,p\n")
    assert main(["metagame", str(path), "--show", "deviation", "--task", "category", "--format", "json"]) == 0
    assert {row["player"] for row in json.loads(capsys.readouterr().out)["strategies"]} == {"agent", "opponent", "task"}


@pytest.mark.skipif(not (DATA / "atari").is_dir(), reason="EQUIPOISE_DATA names no folder with Atari scores")
def test_rainbow_and_its_parts():
    """Four share the highest rating; three more entries of a task that a3c wins move nothing."""
    scores = eq.read_scores(DATA / "atari" / "rainbow_hessel2018_8agents_54games.csv")
    found = eq.deviation_ratings(scores)
    known = {"a3c": -0.321870, "dueling": -0.321870, "distrib": -0.321870, "rainbow": -0.321870, "noisy": -0.385700,
             "prior": -0.451683, "ddqn": -0.570163, "dqn": -0.589396}  # fmt: skip
    rating = dict(zip((name.split("-")[0] for name in found.strategies[0]), found.rating[0].tolist(), strict=True))
    assert rating == pytest.approx(known, abs=6e-7)
    third = scores.values[:, ::3]
    wins = third[:, np.flatnonzero(third.argmax(axis=0) == list(scores.agents).index("a3c"))]
    best = {"a3c", "distrib", "rainbow"}
    for values, names in ((third, scores.agents), (np.hstack([third, wins, wins]), scores.agents)):
        found = eq.deviation_ratings(eq.Scores.from_matrix(values, list(names)))
        assert {name.split("-")[0] for name in found.best()} == best
        assert found.rating[0].max() == pytest.approx(-0.271023, abs=6e-7)


E4 = -0.0042855802


@pytest.mark.skipif(not (DATA / "metagames").is_dir(), reason="EQUIPOISE_DATA names no folder with meta-games")
@pytest.mark.parametrize(
    ("players", "known"),
    [
        (2, [(0, -0.4390000, 0), (-0.1805, 0, 0)]),
        (
            4,
            [
                (-0.4393891568, -0.0266705395, E4), (-0.6350082967, -0.1408998129, E4), (-0.2905783816, E4, E4),
                (-0.8926095118, E4, E4),
            ],
        ),
    ],
)  # fmt: skip
def test_kuhn_poker_of_two_and_of_four(players, known):
    found = eq.deviation_ratings(eq.read_metagame(DATA / "metagames" / f"kuhn_poker_{players}p_metagame.json"))
    for own, wanted in zip(found.rating, known, strict=True):
        assert own == pytest.approx(wanted, abs=2e-8)


@pytest.mark.skipif(not (DATA / "pokemon").is_dir(), reason="EQUIPOISE_DATA names no folder with Pokemon types")
def test_pokemon_types_against_each_other_and_attack_against_defence():
    chart = np.loadtxt(
        DATA / "pokemon" / "type_effectiveness_attack_x_defend.csv", delimiter=",", skiprows=1, usecols=range(1, 19)
    )  # fmt: skip
    header = (DATA / "pokemon" / "type_effectiveness_attack_x_defend.csv").read_text().splitlines()[0].split(",")[1:]
    both = eq.deviation_ratings(eq.MetaGame.symmetric(chart - chart.T, header))
    known = {"normal": -0.039662, "psychic": -0.086727, "fighting": -0.087316, "bug": -0.123337, "rock": -0.225583}
    assert dict(zip(header, both.rating[0].tolist(), strict=True)) == pytest.approx(
        dict.fromkeys(header, 0) | known, abs=6e-7
    )
    attack = {"psychic": -0.010555, "poison": -0.024378, "water": -0.051269, "ghost": -0.183463, "dragon": -0.201558,
              "normal": -0.208595, "bug": -0.263131}  # fmt: skip
    defend = {"dark": -0.004147, "grass": -0.012629, "fire": -0.016776, "psychic": -0.022493, "poison": -0.065783,
              "ice": -0.180322, "rock": -0.317479}  # fmt: skip
    sides = eq.deviation_ratings(eq.MetaGame.from_payoffs([chart, -chart], [header, header]))
    for rating, wanted in zip(sides.rating, (attack, defend), strict=True):
        assert dict(zip(header, rating.tolist(), strict=True)) == pytest.approx(
            dict.fromkeys(header, 0) | wanted, abs=6e-7
        )


def test_adding_a_mixture_can_move_the_others_though_it_has_the_mixture_of_ratings():
    plain = np.array([[0.0, 0], [-1, -3], [-3, -1]])
    more = np.vstack([plain, [-0.5, -1.5]])
    found = eq.deviation_ratings(eq.MetaGame.from_payoffs([more, -more])).rating[0]
    assert found == pytest.approx([0, -8 / 3, -4 / 3, -4 / 3], abs=1e-8)
    assert found[3] == pytest.approx((found[0] + found[1]) / 2)


@pytest.mark.parametrize(("corner", "known"), [(-0.001, (0, -0.999, -2.999)), (0, (0, -2, -2)), (0.001, (0, -3, -1))])
def test_ratings_jump_with_one_payoff(corner, known):
    rows = np.array([[corner, 0.0], [-1, -3], [-3, -1]])
    rating = eq.deviation_ratings(eq.MetaGame.from_payoffs([rows, -rows])).rating[0]
    assert rating == pytest.approx(known, abs=1e-6)  # a thousandth of a payoff magnifies what linear programs round


def test_bootstrap_samples_of_two_agents_are_binomial():
    """Of two the one that wins more is the best; how often that is, and where ratings lie, is known exactly."""
    games, won, n = 30, 18, 150
    table = eq.PairTable.from_wins([[0, won], [games - won, 0]], "ab")
    found = eq.deviation_ratings(table, n=n)
    law = scipy.stats.binom(games, won / games)
    wanted = np.array([law.sf(games / 2 - 1), law.cdf(games / 2)])
    assert found.band.in_top[0] == pytest.approx(wanted, abs=4 * np.sqrt(wanted * (1 - wanted) / n).max())
    assert found.rating[0] == pytest.approx([0, -2 * won / games + 1])
    ends = [min(0.0, 1 - 2 * law.ppf(q) / games) for q in (0.975, 0.025)]
    assert [found.band.low[0][1], found.band.high[0][1]] == pytest.approx(ends, abs=4.1 / games)  # two games
    assert found.band.samples == n
    assert "among them in bootstrap samples" in found.answer[-1]
    assert "stability-band" in {note.code for note in found.diagnostics}
    few, again = (eq.deviation_ratings(table, n=9, rng=seed).frame() for seed in (0, 0))
    assert again.equals(few)


def test_games_of_one_voter_are_drawn_together():
    """Ten voters of thirty equal votes each leave more open than three hundred voters of one."""
    votes = {"a": ["a"] * 300, "b": ["b"] * 300, "outcome": [1] * 180 + [0] * 120}
    alone = eq.deviation_ratings(eq.Matches.from_columns(**votes), n=60)
    voters = eq.Matches.from_columns(**votes, group=[f"v{k // 30}" for k in range(300)])
    together = eq.deviation_ratings(voters, n=60)
    assert alone.band.in_top[0][0] > 0.99
    assert together.band.in_top[0][1] > 0.2
    assert "clusters" in together.band.interval.kind


def test_payoffs_have_no_games_to_draw_and_single_votes_too_few(tmp_path, capsys):
    rock = eq.MetaGame.symmetric(ROCK)
    with pytest.raises(eq.DataError, match="need games or pair counts"):
        eq.deviation_ratings(rock, n=10)
    assert eq.metagame(rock, show="deviation").result.band is None
    with pytest.raises(eq.ParameterError, match="n"):
        eq.metagame(rock, n=10)
    path = tmp_path / "votes.csv"
    head, rows = "model_a,model_b,winner,category\n", "a,b,model_a,p\na,c,model_b,p\nb,c,model_a,p\n"
    path.write_text(head + rows * 9)
    asked = ["metagame", str(path), "--show", "deviation", "--format", "json"]
    assert main([*asked, "--bootstrap", "8"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["samples"] == 8
    assert all(row["low"] <= row["rating"] <= row["high"] for row in document["strategies"])
    assert {row["strategy"]: row["in_top"] for row in document["strategies"]} == {"a": 1, "b": 1, "c": 1}
    path.write_text(head + rows)
    assert main([*asked, "--task", "category"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "in_top" not in document["strategies"][0]
    assert "failed-replicates" in {note["code"] for note in document["diagnostics"]}


@pytest.mark.skipif(not (DATA / "metagames").is_dir(), reason="EQUIPOISE_DATA names no folder with meta-games")
def test_soccer_with_two_hundred_games_a_pair():
    chance = eq.read_pairs(DATA / "metagames" / "soccer_winprob_10x10.csv").probabilities()
    found = eq.deviation_ratings(eq.PairTable.from_matrix(chance, games=np.full(chance.shape, 200.0)), n=40)
    # Of 1,000 samples drawn apart, the share whose equilibrium (one linear program) has the agent in its support.
    wanted = np.array([0, 0.564, 0, 0.238, 0.537, 0, 0, 0.097, 0.976, 0.924])
    assert found.band.in_top[0] == pytest.approx(wanted, abs=0.25)  # three standard errors of 40


def test_copies_are_found_by_what_they_are_paid_and_numbered_as_they_come():
    payoff = np.array([[1.0, -0.0], [0.5, 0.0], [1.0, 0.0], [0.5, 0.0], [1.0, 1e-12]])
    assert _copies([payoff, -payoff], 0).tolist() == [0, 1, 0, 1, 2]
    assert _copies([payoff, -payoff], 1).tolist() == [0, 1]


def test_what_linear_programs_leave_unsure_is_a_tie():
    """Both sides of a game of votes are alike, so that who is among the best is the same for both in every sample."""
    rng = np.random.default_rng(1)
    a, b = rng.permuted(np.tile([0, 1, 2], (600, 1)), axis=1).T[:2]
    won = rng.random(600) < 1 / (1 + np.exp(np.array([1, 0.9, 0])[b] - np.array([1, 0.9, 0])[a]))
    votes = eq.Matches.from_columns(a, b, won, task=np.tile(["code", "prose"], 300))
    found = eq.deviation_ratings(votes, by_task=True, n=60)
    sides = [dict(zip(found.strategies[k], found.band.in_top[k].tolist(), strict=True)) for k in (0, 1)]
    assert sides[0] == sides[1]
