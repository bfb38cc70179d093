"""Arenas that decide while they play: how often are they wrong, whatever delays, ties, retries and voids there are?"""

import numpy as np
import pytest

import equipoise as eq
from equipoise.arena.contests.contest import ContestOptions
from equipoise.arena.contests.make import make_contest
from equipoise.data.types.pairs import PairTable
from equipoise.items.scoring.calibration import Calibration
from equipoise.schedule.pair_evidence import PairEvidence, decided
from tests.statistical.arena_model import OrderModel, chances, place_games
from tests.statistical.arenas import Peeking, World, ladder, run, wrong_answer, wrong_decisions
from tests.statistical.honesty import NARROW, SIGMAS, Coverage, check_guarantee, record
from tests.statistical.pairings import strengths

POLICIES = ("ranking", "uncertainty", "uniform", "round-robin")


def slow_when_a_wins(a: str, b: str, score: float) -> float:
    """Wins of a, and games of the strong, take longest."""
    return 1.0 + 5.0 * (score if a == "a" else (1.0 - score) * (b == "a")) + (a in "ab")


def losses_of_a_vanish(a: str, b: str, score: float) -> float:
    """A tenth of the losses of a become void, and one in a hundred of all else."""
    lost = 1.0 - score if a == "a" else score if b == "a" else 0.0
    return 0.01 + 0.1 * lost


def play(goal, strength, seed, *, most, comparisons, **options):
    """Play one arena with all that can go wrong; give it, and the rule that peeks beside it.

    Void blocks make an arena cautious, so that every other one has none: there it comes closest to its bound.
    """
    void = losses_of_a_vanish if seed % 4 >= 2 else None
    world = World(strength, np.random.default_rng(seed), slow_when_a_wins, void)
    contest = make_contest(list(strength), ContestOptions(goal=goal, seed=seed, **options))
    peeking = Peeking(comparisons)
    run(contest, world, most=most, peeking=peeking)
    return contest, peeking


@pytest.mark.parametrize("policy", POLICIES)
def test_an_arena_rarely_decides_a_pair_the_wrong_way(policy):
    """Four players, equal or 20 Elo apart; delays, ties, retries and voids; any wrong decision about a pair counts."""
    wrong, naive = [], []
    for seed in range(70):
        strength = dict(zip("abcd", ladder(4, 20.0 * (seed % 2)), strict=True))
        contest, peeking = play("order", strength, seed, most=250, comparisons=6, policy=policy, margin=0.15)
        wrong.append(wrong_decisions(contest, strength, 0.15) or wrong_answer(contest, strength))
        naive.append(peeking.wrong(strength))
    check_guarantee(wrong, 0.05, naive=naive, what=f"order, policy {policy}")


def test_an_order_that_is_declared_is_the_right_one():
    """Ladders far enough apart that they are answered: wrong orders, and cycles where there are none."""
    wrong, answered = [], []
    for seed in range(40):
        strength = dict(zip("abcde", ladder(5, 150.0), strict=True))
        contest, _ = play("order", strength, seed, most=1500, comparisons=10)
        wrong.append(wrong_answer(contest, strength))
        answered.append(contest.progress().ending == "decided")
    assert np.mean(answered) > 0.9
    check_guarantee(wrong, 0.05, what="order, ladder of 150 Elo")


GOALS = {
    "best": (3, {"a": 0.0, "b": 0.0, "c": -0.4, "d": -0.8}),
    "top:2": (6, {"a": 0.5, "b": 0.0, "c": 0.0, "d": -0.1, "e": -0.8}),
    "place:new": (3, {"a": 1.2, "b": 0.6, "c": 0.3, "d": 0.0, "e": -0.3, "f": -0.9, "new": 0.0}),
}
"""Strengths in log-odds where two are equal at the very border, so that every answer is wrong."""


@pytest.mark.parametrize("goal", GOALS)
def test_the_best_the_top_and_a_place_are_rarely_wrong(goal):
    comparisons, strength = GOALS[goal]
    wrong, naive = [], []
    for seed in range(80):
        contest, peeking = play(goal, strength, seed, most=300, comparisons=comparisons)
        wrong.append(wrong_answer(contest, strength))
        naive.append(peeking.wrong(strength))
    check_guarantee(wrong, 0.05, naive=naive, what=goal)


def test_newcomers_do_not_make_an_arena_wrong():
    """Three equal players, and two more of the same strength later: all generations together."""
    strength = dict.fromkeys("abcde", 0.0)
    wrong, naive = [], []
    for seed in range(60):
        world = World(strength, np.random.default_rng(seed), slow_when_a_wins, losses_of_a_vanish if seed % 2 else None)
        contest = make_contest(list("abc"), ContestOptions(goal="order", seed=seed, open_=True))
        peeking, number = Peeking(10), 0
        for newcomer in ("d", "e", None):
            number = run(contest, world, most=100, peeking=peeking, start=number)
            if newcomer is not None:
                contest.added(newcomer)
        wrong.append(any(d.kind == "better" for d in contest.decisions))
        naive.append(peeking.wrong(strength))
    check_guarantee(wrong, 0.05, naive=naive, what="order with newcomers")


def test_voids_that_depend_on_the_result_never_help_anybody():
    """Equal players; half of the losses of the first become void. Leaving void games out is wrong nearly always."""
    runs, games, rule = 2000, 300, eq.StoppingRule(0.05)
    rng = np.random.default_rng(3)
    score = rng.choice([0.0, 0.5, 1.0], p=[0.4, 0.2, 0.4], size=(games, runs))
    void = (score == 0.0) & (rng.random((games, runs)) < 0.5)
    counted, left_out = PairEvidence(runs, None), PairEvidence(runs, None)
    ever, hasty = np.zeros((2, runs), dtype=bool)
    everybody = np.arange(runs)
    for x, gone in zip(score, void, strict=True):
        counted.add(everybody[~gone], x[~gone])
        counted.add_void(everybody[gone])
        left_out.add(everybody[~gone], x[~gone])
        ever |= decided(counted.log_evidence(everybody), rule.threshold) > 0
        hasty |= decided(left_out.log_evidence(everybody), rule.threshold) > 0
    check_guarantee(ever, 0.05, naive=hasty, what="voids by result")


def test_counting_in_the_order_of_arrival_would_be_wrong_and_in_the_order_of_numbers_is_not():
    """Forty workers, and games that a wins take a hundred times as long: losses arrive first."""
    in_order, by_arrival = [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        score = (rng.random(120) < 0.5).astype(float)
        starts = np.zeros(120)
        free = np.zeros(40)
        for block, x in enumerate(score):
            worker = int(free.argmin())
            starts[block] = free[worker]
            free[worker] += 1.0 + 100.0 * x
        ends = starts + 1.0 + 100.0 * score
        contest = make_contest(["a", "b"], ContestOptions(goal="order", level=0.95))
        arrived = PairEvidence(1, None)
        hasty = False
        for block in range(120):
            contest.opened(block, ("a", "b"))
        for block in np.argsort(ends, kind="stable").tolist():
            contest.closed(block, {"a": score[block], "b": 1.0 - score[block]})
            arrived.add(0, score[block])
            hasty |= bool(decided(arrived.log_evidence(0), eq.StoppingRule(0.05).threshold))
        in_order.append(bool(contest.decisions))
        by_arrival.append(hasty)
    check_guarantee(in_order, 0.05, naive=by_arrival, what="blocks in the order of their numbers")


RNG = np.random.default_rng(0)
BANK = Calibration.from_parameters(
    [f"q{k}" for k in range(100)],
    difficulty=RNG.normal(0.0, 1.0, 100),
    discrimination=np.where(RNG.random(100) < 0.9, 1.4, -0.7),
)


def test_abilities_are_rarely_decided_the_wrong_way_and_their_limits_hold_at_every_look():
    """An agent exactly at the bar, some failures void: passing and failing are both wrong."""
    wrong, naive = [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        bar = float(rng.normal() * 0.7)
        contest = make_contest(
            ["a"], ContestOptions(goal="ability", criterion=f"pass:{bar}", seed=seed), calibration=BANK
        )
        chance = BANK.probability(bar)
        outside, hasty, playing, number = False, False, [], 0
        while number < 70 or playing:
            while len(playing) < 4 and number < 70 and (proposal := contest.propose(number)):
                contest.opened(number, proposal.players, proposal.task)
                x = float(rng.random() < chance[BANK.items.index(proposal.task)])
                playing.append((number, x))
                number += 1
            if not playing:
                break
            # Failures come back first.
            block, x = playing.pop(min(range(len(playing)), key=lambda k: playing[k][1] + 0.5 * rng.random()))
            contest.closed(block, None if x == 0.0 and rng.random() < 0.1 else {"a": x})
            low, high = contest.limits("a")
            outside |= not low < bar < high
            ability, error = contest._sittings[0].evidence.estimate()
            hasty |= contest._sittings[0].evidence.answers >= 10 and abs(ability - bar) > 1.96 * error
        wrong.append(bool(contest.decisions) or outside)
        naive.append(hasty)
    check_guarantee(wrong, 0.05, naive=naive, what="ability, pass or fail, and its limits")


def test_the_better_of_two_abilities_is_rarely_wrong():
    wrong = []
    for seed in range(60):
        rng = np.random.default_rng(500 + seed)
        ability = float(rng.normal() * 0.5)
        contest = make_contest(
            ["a", "b"], ContestOptions(goal="ability", criterion="better:b", seed=seed), calibration=BANK
        )
        chance = BANK.probability(ability)
        for number in range(120):
            proposal = contest.propose(number)
            if proposal is None:
                break
            contest.opened(number, proposal.players, proposal.task)
            x = float(rng.random() < chance[BANK.items.index(proposal.task)])
            contest.closed(number, {proposal.players[0]: x})
        wrong.append(bool(contest.decisions))
    check_guarantee(wrong, 0.05, what="ability, better of two")


def test_a_profile_is_rarely_wrong_in_an_arena():
    """Three equal players, with voids and delays: every edge is wrong."""
    wrong, naive = [], []
    strength = dict.fromkeys("abc", 0.0)
    for seed in range(40):
        contest, peeking = play("profile", strength, seed, most=300, comparisons=3)
        wrong.append(bool(contest.decisions))
        naive.append(peeking.wrong(strength))
    check_guarantee(wrong, 0.05, naive=naive, what="profile")


def test_a_cycle_is_found_as_often_as_it_should_be():
    """Rock, paper, scissors and somebody below: the order ends as cyclic, and never as an order."""
    endings = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        beats = {("a", "b"): 0.75, ("b", "c"): 0.75, ("a", "c"): 0.25}
        contest = make_contest(list("abcd"), ContestOptions(goal="order", seed=seed))
        number = 0
        while number < 2000 and (proposal := contest.propose(number)):
            x, y = proposal.players
            score = float(rng.random() < beats.get((x, y), 0.85))
            contest.opened(number, proposal.players)
            contest.closed(number, {x: score, y: 1.0 - score})
            number += 1
        endings.append(contest.progress().ending)
    record("cycles found", "more than 0.9", round(endings.count("cyclic") / len(endings), 4))
    assert endings.count("cyclic") > 0.9 * len(endings)
    assert endings.count("decided") <= 2


def test_many_arenas_of_equal_players_rarely_decide_anything():
    """The model of the arena, far more games than the real one could play here."""
    equal = np.full((4, 4), 0.5)
    model = OrderModel(equal, 400, np.random.default_rng(11)).play(2000, share=50)
    check_guarantee(model.wrong, 0.05, what="order, model, equal players")
    ladder_of_50 = OrderModel(chances(6, 50.0), 100, np.random.default_rng(12)).play(100_000, share=100)
    assert ladder_of_50.answered.mean() == 1.0
    check_guarantee(ladder_of_50.wrong, 0.05, what="order, model, ladder of 50 Elo")
    _, misplaced = place_games(64, 50.0, 400, np.random.default_rng(13))
    check_guarantee(misplaced, 0.05, what="place among 64, model")


def test_the_model_of_the_arena_takes_as_many_games_as_the_real_one():
    chance, names, real = chances(4, 100.0), list("abcd"), []
    for seed in range(30):
        contest, rng, number = (
            make_contest(names, ContestOptions(goal="order", seed=seed)),
            np.random.default_rng(seed),
            0,
        )
        while proposal := contest.propose(number):
            a, b = proposal.players
            score = float(rng.random() < chance[names.index(a), names.index(b)])
            contest.opened(number, proposal.players)
            contest.closed(number, {a: score, b: 1.0 - score})
            number += 1
        real.append(number)
    model = OrderModel(chance, 300, np.random.default_rng(14)).play(100_000).games
    error = np.sqrt(np.var(real) / len(real) + np.var(model) / model.size)
    assert abs(np.mean(real) - np.mean(model)) < 3 * error
    assert error < 0.1 * np.mean(model)


LOOKS = range(60, 241, 30)


def looks_at_ratings(goal: str, policy: str, strength: np.ndarray, seed: int):
    """Play 240 games of eight players; give the pair counts at every look."""
    names = [f"p{k}" for k in range(strength.size)]
    contest, rng = make_contest(names, ContestOptions(goal=goal, policy=policy, seed=seed)), np.random.default_rng(seed)
    wins = np.zeros((strength.size, strength.size))
    i, j = np.triu_indices(strength.size, 1)
    for number in range(LOOKS[-1]):
        proposal = contest.propose(number)
        if proposal is not None:
            a, b = (names.index(name) for name in proposal.players)
            score = float(rng.random() < 1.0 / (1.0 + np.exp(strength[b] - strength[a])))
            wins[a, b] += score
            wins[b, a] += 1.0 - score
            contest.opened(number, proposal.players)
            contest.closed(number, {names[a]: score, names[b]: 1.0 - score})
        if number + 1 in LOOKS:
            yield PairTable.from_counts(tuple(names), i, j, wins[i, j], wins[j, i], np.zeros(i.size))


def check_ratings(goal: str, policy: str, pairing: str, runs: int = 15):
    """Assert that rating intervals hold at every look; give the coverage of plain ones among equals."""
    covered, plain = Coverage(what=f"ratings, {goal}, {policy}, {pairing}"), Coverage(what="plain")
    rng = np.random.default_rng(71)
    for spread in (0.0, 0.5, 1.5):
        for seed, strength in enumerate(strengths(rng, runs, 8, spread)):
            tables = list(looks_at_ratings(goal, policy, strength, seed))
            fits = [eq.bradley_terry(table, pairing=pairing, components="each") for table in tables]
            low, high = (np.concatenate([getattr(fit, name) for fit in fits]) for name in ("low", "high"))
            covered.add(low, high, np.tile(strength, len(fits)))
            if spread == 0.0 and policy == "ranking":
                for fit in (eq.bradley_terry(table, components="each") for table in tables):
                    plain.add(fit.low, fit.high, strength)
    share = float(covered.held().mean())
    record(covered.what, 0.95, round(share, 4))
    least = 0.93 - SIGMAS * covered.error()
    assert share >= least, f"{covered.what}: {share:.3f}"
    assert covered.held(NARROW).mean() < least, f"{covered.what}: intervals {NARROW} as wide would do"
    return plain


def test_ratings_under_the_policy_ranking_are_covered_at_every_look():
    """The fit for pairs that follow results; a plain one among equals covers about 40%."""
    plain = check_ratings("order", "ranking", "adaptive")
    assert plain.held().mean() < 0.7


def test_ratings_under_the_policy_uncertainty_are_covered_at_every_look():
    check_ratings("order", "uncertainty", "adaptive")


def test_ratings_under_the_policy_uniform_are_covered_at_every_look():
    """Plain where a budget is played; where decided pairs are left alone and play ends, the other fit."""
    check_ratings("order", "uniform", "adaptive", runs=20)
    check_ratings("budget", "uniform", "fixed", runs=25)


def test_ratings_under_the_policy_round_robin_are_covered_at_every_look():
    check_ratings("order", "round-robin", "adaptive", runs=20)
    check_ratings("budget", "round-robin", "fixed", runs=25)
