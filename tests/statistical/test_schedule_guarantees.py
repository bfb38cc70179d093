"""Guarantees over many seeded runs: the learner's graph, stopping rules, and bounds on masses."""

import functools

import numpy as np
import pytest

import equipoise as eq
from equipoise.alpharank.bounds import payoff_bounds
from equipoise.schedule.stopping import log_capital
from tests.statistical.honesty import check_guarantee


def learn(win: np.ndarray, delta: float, seed: int, **options: object) -> eq.ResponseGraphUCB:
    ucb = eq.ResponseGraphUCB((2, 2), delta=delta, rng=seed, **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(50_000 + seed)
    while not ucb.done:
        proposal = ucb.ask()
        x = float(rng.random() < win[proposal.profile])
        ucb.tell(proposal, (x, 1 - x))
    return ucb


def wrong_edges(ucb: eq.ResponseGraphUCB, win: np.ndarray) -> int:
    payoffs = [win, 1 - win]
    wrong = 0
    for edge in ucb.graph().resolved:
        source, target = (tuple(int(x) for x in profile) for profile in (edge.source, edge.target))
        gain = payoffs[edge.player][target] - payoffs[edge.player][source]
        wrong += (gain > 0) != (edge.better == "target")
    return wrong


SAMPLING = ("uniform", "uniform-exhaustive", "valence-weighted", "count-weighted")
CONFIDENCE = ("hoeffding", "clopper-pearson")
WIN, NEAR = np.array([[0.5, 0.9], [0.1, 0.5]]), np.array([[0.5, 0.51], [0.49, 0.5]])


@pytest.mark.parametrize("confidence", CONFIDENCE)
@pytest.mark.parametrize("sampling", SAMPLING)
def test_the_guaranteed_form_of_each_sampler_is_right_and_stops_in_time(sampling: str, confidence: str) -> None:
    delta, late = 0.1, []
    most = eq.methods.ucb_samples((2, 2), gap=0.4, delta=delta, payoff_bound=0.5).games
    sure = {"union_bound": True, "time_dependent": True, "sampling": sampling, "confidence": confidence}
    for seed in range(40):
        ucb = learn(WIN, delta, seed, **sure)
        assert "0.9" in ucb.guarantee
        late.append(wrong_edges(ucb, WIN) > 0 or max(ucb.state()["played"]) > most)
    # Theorem 4.2 gives 1 - 2 delta for being right and in time.
    check_guarantee(late, 2 * delta, what=f"ResponseGraphUCB in time, {sampling}, {confidence}")


@pytest.mark.parametrize("confidence", CONFIDENCE)
@pytest.mark.parametrize("sampling", SAMPLING)
def test_the_guaranteed_form_is_rarely_wrong_where_a_hasty_one_is(sampling: str, confidence: str) -> None:
    """Strategies that are nearly even, and a look after every game."""
    wrong, hasty = [], []
    form = {"sampling": sampling, "confidence": confidence, "budget": 400}
    for seed in range(60):
        sure = learn(NEAR, 0.1, seed, union_bound=True, time_dependent=True, **form)
        wrong.append(wrong_edges(sure, NEAR) > 0)
        hasty.append(wrong_edges(learn(NEAR, 0.9, seed, **form), NEAR) > 0)
    check_guarantee(wrong, 0.1, naive=hasty, what=f"ResponseGraphUCB, {sampling}, {confidence}")


@pytest.mark.parametrize("confidence", CONFIDENCE)
@pytest.mark.parametrize("sampling", SAMPLING)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"union_bound": True},
        {"time_dependent": True},
        {"union_bound": True, "time_dependent": True, "relaxation": 0.01},
    ],
    ids=["plain", "union bound only", "time only", "relaxed"],
)
def test_every_other_form_says_that_it_guarantees_nothing(sampling: str, confidence: str, options: dict) -> None:
    ucb = eq.ResponseGraphUCB((2, 2), sampling=sampling, confidence=confidence, **options)  # type: ignore[arg-type]
    assert ucb.guarantee.startswith("none")
    assert ucb.graph().guarantee.startswith("none")


def test_one_delta_checked_after_every_game_breaks_its_level() -> None:
    """Why the other forms are labelled: an exact interval looked at after every game is wrong more often than delta."""
    delta, runs, wrong = 0.1, 100, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        plain = eq.ResponseGraphUCB(
            ["a", "b"], constant_sum=1.0, delta=delta, confidence="clopper-pearson", budget=1000
        )
        while not plain.done:
            plain.tell(("a", "b"), float(rng.random() < 0.52))
        wrong += plain.graph().edges == ((("a",), ("b",)),)
    assert wrong > 1.5 * delta * runs


def decisions(score: float, draws: float, runs: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """First game at which each run decides (or one past the end), and whether it decided for the second."""
    u = np.random.default_rng(seed).random((runs, games))
    wins = np.cumsum(u < score - draws / 2, axis=1)
    losses = np.cumsum(u >= score + draws / 2, axis=1)
    threshold = eq.StoppingRule(0.05).threshold
    # The capital depends on wins and losses alone: look each pair of counts up once.
    capital = functools.cache(lambda w, l: log_capital(np.array([1.0, 0.0]), np.array([w, l], dtype=float), 0.5))
    first, second = np.full(runs, games + 1), np.zeros(runs, dtype=bool)
    for run in range(runs):
        for at, (w, l) in enumerate(zip(wins[run].tolist(), losses[run].tolist(), strict=True)):
            if abs(w - l) ** 2 > w + l and capital(max(w, l), min(w, l)) >= threshold:
                first[run], second[run] = at + 1, l > w
                break
    return first, second


def test_equal_players_are_rarely_called_unequal_however_often_one_looks() -> None:
    """Half draws, a look after each of 2,000 games: at most 5% wrong, where a plain interval is wrong half the time."""
    first, _ = decisions(0.5, 0.5, runs=250, games=2000, seed=1)
    rng = np.random.default_rng(2)
    x = rng.choice([0.0, 0.5, 1.0], p=[0.25, 0.5, 0.25], size=(250, 2000))
    n = np.arange(1, 2001)
    mean, spread = (
        np.cumsum(x, 1) / n,
        np.sqrt(np.maximum(np.cumsum(x**2, 1) / n - (np.cumsum(x, 1) / n) ** 2, 1e-12) / n),
    )
    plain = (np.abs(mean - 0.5) > 1.96 * spread)[:, 9:].any(axis=1)
    check_guarantee(first <= 2000, 0.05, naive=plain, what="stopping rule")


@pytest.mark.parametrize(
    ("score", "games", "most", "mixture"), [(0.55, 2500, 541, 805), (0.60, 800, 110, 238), (0.70, 250, 27, 88)]
)
def test_betting_decides_sooner_than_a_confidence_sequence(
    score: float, games: int, most: float, mixture: float
) -> None:
    """Median games to decide with half draws; known figures are 541, 97 and 24, and 805, 238 and 88 for the mixture."""
    first, second = decisions(score, 0.5, runs=200, games=games, seed=3)
    assert np.median(first) <= most < mixture
    check_guarantee(second, 0.025, what="stopping rule, the other way")


def test_equal_players_end_with_a_margin() -> None:
    rule = eq.StoppingRule(0.05, margin=0.1)
    rng = np.random.default_rng(4)
    ends = []
    for _ in range(40):
        u = rng.random(4000)
        wins, losses = np.cumsum(u < 0.25), np.cumsum(u >= 0.75)
        looks = range(49, 4000, 50)
        verdicts = [rule.verdict(wins[t], t + 1 - wins[t] - losses[t], losses[t]) for t in looks]
        ends.append(next((v for v in verdicts if v != "undecided"), "undecided"))
    assert ends.count("equal") >= 36
    assert ends.count("undecided") == 0


def test_pairs_beyond_the_margin_are_rarely_called_equal() -> None:
    """A score of 0.62 with a margin of 0.1: neither "equal" nor "second" is true, at any of the looks."""
    rule, rng, wrong, naive = eq.StoppingRule(0.1, margin=0.1), np.random.default_rng(7), [], []
    for _ in range(150):
        score = (rng.random(1500) < 0.62).astype(float)
        wins, n = np.cumsum(score)[9::10], np.arange(10, 1501, 10)
        verdicts = (rule.verdict(w, 0, t - w) for w, t in zip(wins, n, strict=True))
        wrong.append(next((v for v in verdicts if v != "undecided"), "") in ("equal", "second"))
        reach = 1.28 * np.sqrt(wins / n * (1 - wins / n) / n)
        naive.append(((wins / n + reach < 0.6) & (n >= 50)).any())
    check_guarantee(wrong, 0.1, naive=naive, what="stopping rule with a margin")


@pytest.mark.parametrize("policy", ["uniform", "uncertainty", "ranking"])
def test_planners_rarely_decide_between_equal_agents(policy: str) -> None:
    """Four equal agents with draws, whichever pairs are asked for: any decision among the six pairs is wrong."""
    wrong, naive = [], []
    for seed in range(50):
        planner = eq.PairPlanner("abcd", policy=policy, stopping=eq.StoppingRule(0.1, 6), rng=seed)  # type: ignore[arg-type]
        rng, hasty = np.random.default_rng(900 + seed), False
        played: dict[tuple[str, str], list[float]] = {}
        for _ in range(15):
            for pair in planner.ask(40):
                score = float(rng.choice([0.0, 0.5, 1.0], p=[0.35, 0.3, 0.35]))
                planner.tell(pair, score)
                mine = played.setdefault((pair.first, pair.second), [])
                mine.append(score)
                hasty |= len(mine) >= 10 and abs(sum(mine) - len(mine) / 2) > 2.39 * np.sqrt(0.175 * len(mine))
            if planner.done:
                break
        wrong.append(any(verdict != "undecided" for verdict in planner.verdicts().values()))
        naive.append(hasty)  # a z-test at 0.1 / 6 after each game
    check_guarantee(wrong, 0.1, naive=naive, what=f"planner, {policy}")


def test_planners_decide_unequal_pairs_the_right_way() -> None:
    wrong, decided = [], []
    chance = {("a", "b"): 0.75, ("a", "c"): 0.9, ("b", "c"): 0.7}
    for seed in range(60):
        planner = eq.PairPlanner("abc", policy="ranking", stopping=eq.StoppingRule(0.1, 3), budget=400, rng=seed)
        rng = np.random.default_rng(700 + seed)
        while not planner.done:
            for pair in planner.ask(20):
                planner.tell(pair, float(rng.random() < chance[pair.first, pair.second]))
        verdicts = list(planner.verdicts().values())
        wrong.append("second" in verdicts)
        decided.append(np.mean([verdict == "first" for verdict in verdicts]))
    check_guarantee(wrong, 0.1, what="planner, unequal agents")
    assert np.mean(decided) > 0.8


def test_games_that_theorems_ask_for_are_enough() -> None:
    """Theorems 3.2 and C.1, with pairs at the very gap and agents of a Bradley-Terry world."""
    rng = np.random.default_rng(8)
    games = int(eq.methods.response_graph_samples((4,), gap=0.2, delta=0.1, payoff_bound=0.5).games)
    few = games // 16
    wrong, naive = ((rng.binomial(n, 0.6, size=(400, 6)) <= n / 2).any(axis=1) for n in (games, few))
    check_guarantee(wrong, 0.1, naive=naive, what="theorem 3.2")
    strength, names = np.array([0.8, 0.3, 0.0, -0.4, -0.7]), tuple("abcde")
    i, j = np.triu_indices(5, 1)
    win = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    off = []
    need = int(eq.methods.elo_samples(5, epsilon=0.5, delta=0.1).games)
    for _ in range(100):
        wins = rng.binomial(need, win[i, j])
        rating = eq.bradley_terry(eq.PairTable.from_counts(names, i, j, wins, need - wins)).rating
        found = 1 / (1 + np.exp(rating[None, :] - rating[:, None]))
        off.append(np.abs((found - win).sum(axis=1)).max() > 0.5)
    check_guarantee(off, 0.1, what="theorem C.1")


def test_the_confidence_sequence_holds_at_every_look() -> None:
    rng = np.random.default_rng(5)
    missed, naive, n = [], [], np.arange(1, 1001)
    for _ in range(150):
        mean = np.cumsum(rng.random(1000) < 0.3) / n
        ends = np.array([eq.methods.mixture_interval(m, k) for m, k in zip(mean, n, strict=True)])
        missed.append(((ends[:, 0] > 0.3) | (ends[:, 1] < 0.3)).any())
        naive.append((np.abs(mean - 0.3) > 1.96 * np.sqrt(0.21 / n))[9:].any())
    check_guarantee(missed, 0.05, naive=naive, what="mixture interval")


RING = np.array([[0.5, 0.62, 0.36, 0.7], [0.38, 0.5, 0.66, 0.6], [0.64, 0.34, 0.5, 0.58], [0.3, 0.4, 0.42, 0.5]])


def drawn(rng: np.random.Generator, games: int, ties: float = 0.0, win: np.ndarray = RING) -> eq.PairTable:
    i, j = np.triu_indices(4, 1)
    tied = rng.binomial(games, ties, size=6)
    wins = rng.binomial(games - tied, win[i, j])
    return eq.PairTable.from_counts(tuple("abcd"), i, j, wins, games - tied - wins, tied)


def test_bounds_from_counts_hold_the_true_masses() -> None:
    """Every pair is nearly even, so that the win rates as they are often point the wrong way."""
    rng = np.random.default_rng(6)
    near = 0.5 + 0.15 * (RING - 0.5)
    truth = eq.alpha_rank(eq.PairTable.from_matrix(near)).pi
    missed, naive = [], []
    for _ in range(200):
        table = drawn(rng, 60, win=near)
        found = eq.alpha_rank(table, level=0.9)
        assert found.low is not None
        assert found.high is not None
        missed.append(not (np.all(found.low <= truth + 1e-9) and np.all(truth <= found.high + 1e-9)))
        naive.append(np.abs(found.pi - truth).max() > 1e-9)  # the masses of the win rates as they are
    check_guarantee(missed, 0.1, naive=naive, what="bounds on masses")


@pytest.mark.parametrize(("confidence", "ties"), [("clopper-pearson", 0.0), ("hoeffding", 0.4)])
def test_bounds_on_win_rates_hold_for_all_pairs_together(confidence: str, ties: float) -> None:
    rng = np.random.default_rng(9)
    truth = ties / 2 + (1 - ties) * RING
    off = ~np.eye(4, dtype=bool)
    missed: list[bool] = []
    for _ in range(400):
        low, high, interval = payoff_bounds(drawn(rng, 40, ties), level=0.9, confidence=confidence)  # type: ignore[arg-type]
        assert "all pairs together" in interval.kind
        missed.append(bool(((low > truth) | (high < truth))[off].any()))
    check_guarantee(missed, 0.1, what=f"bounds on win rates, {confidence}")


def test_exact_bounds_of_single_win_rates_do_not_hold_together() -> None:
    rng = np.random.default_rng(9)
    missed = []
    for _ in range(400):
        low, high, _ = payoff_bounds(drawn(rng, 40), level=0.9, simultaneous=False)
        missed.append(((low > RING) | (high < RING)).any(axis=1)[:3].any())
    assert np.mean(missed) > 0.1 + 3 * np.sqrt(0.1 * 0.9 / 400)
