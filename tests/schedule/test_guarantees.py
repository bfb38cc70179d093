"""Small representatives of each guarantee of the room; the large simulations are in tests/statistical."""

import math
from functools import cache

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import check_guarantee


@cache
def first_decided(rule: eq.StoppingRule, games: int) -> tuple[int, ...]:
    """Fewest wins with which the rule decides for the first player, for each number of losses and no draws."""
    needed, wins = [], 0
    for losses in range(games + 1):
        while wins + losses <= games and rule.verdict(wins, 0, losses) != "first":
            wins += 1
        needed.append(wins)
    return tuple(needed)


def ever_decided(rule: eq.StoppingRule, chance: float, games: int) -> tuple[float, float]:
    """Chances that the rule ever decides for the first and for the second, looking after each game; computed exactly.

    The state is the number of wins; what has decided is taken out of it.
    """
    needed = first_decided(rule, games)
    alive, first, second = np.array([1.0]), 0.0, 0.0
    for n in range(1, games + 1):
        alive = np.append(alive * (1 - chance), 0.0) + np.append(0.0, alive * chance)
        won = [wins for wins in range(n + 1) if wins >= needed[n - wins]]
        lost = [wins for wins in range(n + 1) if n - wins >= needed[wins]]
        first, second = first + alive[won].sum(), second + alive[lost].sum()
        alive[won] = alive[lost] = 0.0
    return float(first), float(second)


@pytest.mark.parametrize("comparisons", [1, 3])
def test_equal_players_are_decided_between_with_no_more_than_alpha(comparisons: int) -> None:
    """Exactly, not by simulation: two thirds of what is allowed are used, so half the evidence would break it."""
    rule = eq.StoppingRule(0.1, comparisons)
    first, second = ever_decided(rule, 0.5, 400)
    assert first == pytest.approx(second, abs=1e-12)
    assert first + second <= 0.1 / comparisons
    # A rule that forgot that there are two sides is a rule at twice the alpha, and these games would catch it.
    one_sided = eq.StoppingRule(0.2, comparisons)
    assert sum(ever_decided(one_sided, 0.5, 400)) > 0.1 / comparisons


def test_a_rule_decides_between_unequal_players_the_right_way_and_soon() -> None:
    first, second = ever_decided(eq.StoppingRule(0.05), 0.7, 200)
    assert first > 0.99
    assert second < 0.025


def test_players_beyond_the_margin_are_rarely_called_equal_or_the_worse_one_better() -> None:
    """A mean score just outside the margin, a look after each game, all sequences weighed by their chance."""
    rule, games, chance = eq.StoppingRule(0.1, margin=0.2), 150, 0.71
    alive, wrong, ended = {(0, 0): 1.0}, 0.0, 0.0
    for _ in range(games):
        grown: dict[tuple[int, int], float] = {}
        for (wins, losses), weight in alive.items():
            for step, p in (((wins + 1, losses), chance), ((wins, losses + 1), 1 - chance)):
                grown[step] = grown.get(step, 0.0) + weight * p
        alive = {}
        for (wins, losses), weight in grown.items():
            verdict = rule.verdict(wins, 0, losses)
            wrong += weight * (verdict in ("equal", "second"))
            ended += weight * (verdict != "undecided")
            if verdict == "undecided":
                alive[wins, losses] = weight
    assert wrong <= 0.1
    assert ended > 0.5


@pytest.mark.parametrize(("alpha", "comparisons"), [(0.05, 1), (0.1, 6)])
def test_a_claim_is_made_when_the_evidence_reaches_two_comparisons_over_alpha(alpha: float, comparisons: int) -> None:
    rule = eq.StoppingRule(alpha, comparisons)
    assert rule.threshold == pytest.approx(math.log(2 * comparisons / alpha), rel=1e-12)
    for wins in range(5, 40):
        reached = eq.methods.evalue(wins, 2, 3) >= 2 * comparisons / alpha
        assert (rule.verdict(wins, 2, 3) == "first") == reached
        assert (rule.verdict(3, 2, wins) == "second") == reached


def test_a_planner_rarely_decides_between_equal_agents() -> None:
    """Three equal agents: any decision is wrong, and all pairs share alpha."""
    wrong, hasty = [], []
    for seed in range(40):
        planner = eq.PairPlanner("abc", policy="uniform", stopping=eq.StoppingRule(0.1, 3), rng=seed)
        rng, scores = np.random.default_rng(500 + seed), np.zeros((3, 2))
        naive = False
        for _ in range(4):
            for pair in planner.ask(30):
                won = float(rng.random() < 0.5)
                planner.tell(pair, won)
                at = ("ab", "ac", "bc").index(pair.first + pair.second)
                scores[at] += (won, 1)
                games = scores[at, 1]
                naive |= bool(games >= 10 and abs(scores[at, 0] - games / 2) > 1.96 * np.sqrt(games / 4))
            if planner.done:
                break
        wrong.append(any(verdict != "undecided" for verdict in planner.verdicts().values()))
        hasty.append(naive)  # a plain test of each pair after each game
    check_guarantee(wrong, 0.1, naive=hasty, what="planner, uniform")


def learned(seed: int, win: np.ndarray, **options: object) -> bool:
    """Whether a learner of a game of two by two got an edge wrong."""
    ucb = eq.ResponseGraphUCB((2, 2), rng=seed, budget=250, **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(900 + seed)
    while not ucb.done:
        proposal = ucb.ask()
        won = float(rng.random() < win[proposal.profile])
        ucb.tell(proposal, (won, 1 - won))
    payoffs, wrong = (win, 1 - win), False
    for edge in ucb.graph().resolved:
        source, target = (tuple(int(name) for name in profile) for profile in (edge.source, edge.target))
        gain = payoffs[edge.player][target] - payoffs[edge.player][source]
        wrong |= (gain > 0) != (edge.better == "target")
    return wrong


@pytest.mark.parametrize("confidence", ["hoeffding", "clopper-pearson"])
def test_the_guaranteed_learner_is_rarely_wrong_where_a_hasty_one_is(confidence: str) -> None:
    near = np.array([[0.5, 0.51], [0.49, 0.5]])
    sure = {"delta": 0.1, "union_bound": True, "time_dependent": True, "confidence": confidence}
    wrong = [learned(seed, near, **sure) for seed in range(40)]
    hasty = [learned(seed, near, delta=0.9, confidence=confidence) for seed in range(40)]
    check_guarantee(wrong, 0.1, naive=hasty, what=f"ResponseGraphUCB, {confidence}")


def test_the_confidence_sequence_holds_at_every_look() -> None:
    rng, n = np.random.default_rng(5), np.arange(1, 301)
    missed, naive = [], []
    for _ in range(80):
        mean = np.cumsum(rng.random(300) < 0.3) / n
        ends = np.array([eq.methods.mixture_interval(m, int(k)) for m, k in zip(mean, n, strict=True)])
        missed.append(((ends[:, 0] > 0.3) | (ends[:, 1] < 0.3)).any())
        naive.append((np.abs(mean - 0.3) > 1.96 * np.sqrt(0.21 / n))[9:].any())
    check_guarantee(missed, 0.05, naive=naive, what="mixture interval")


def test_the_confidence_sequence_has_the_width_of_its_formula() -> None:
    for games, alpha, tuned_to in ((50, 0.05, 100.0), (400, 0.01, 30.0)):
        rho = tuned_to / (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1))
        half = math.sqrt((games + rho) / (4 * games**2) * math.log((games + rho) / (rho * alpha**2)))
        low, high = eq.methods.mixture_interval(0.5, games, alpha=alpha, tuned_to=tuned_to)
        assert (high - low) / 2 == pytest.approx(half, rel=1e-12)
