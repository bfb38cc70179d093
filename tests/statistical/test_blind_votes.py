"""Blind votes: wrong decisions by slow and leaving voters, coverage of boards, voters accused and found, judges."""

from dataclasses import replace

import numpy as np

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.judge_calibrated import judge_calibrated
from equipoise.ratings.judges.personal import personal_board
from equipoise.ratings.judges.tastes import strengths
from equipoise.ratings.judges.voter_checks import voter_checks
from tests.statistical.honesty import record
from tests.statistical.voting_worlds import Crowd, Pair, crowd_votes, decided_wrongly


def shares(runs, seed, pair, **how):
    """Give how often something was decided."""
    rng = np.random.default_rng(seed)
    return sum(decided_wrongly(rng, pair, **how) > 0 for _ in range(runs)) / runs


def test_votes_in_the_order_of_their_pairs_decide_wrongly_at_most_as_often_as_stated():
    # Both claims of equal models are false, so that twice the level of one is what is allowed.
    by_schedule, by_arrival = (shares(300, 81, Pair(), arrival=arrival) for arrival in (False, True))
    record("wrong decisions, votes for one side take six times as long", 0.1, by_schedule)
    assert by_schedule <= 0.14
    assert by_arrival > 2 * by_schedule  # what counting as votes come in would do


def test_leaving_that_goes_with_the_vote_is_harmless_where_it_counts_against():
    equal, selective = Pair(slow=1.0, leave=0.1), Pair(slow=1.0, leave_b=0.2)
    observed = [shares(150, 82 + k, pair, left="against") for k, pair in enumerate((equal, selective))]
    record("wrong decisions, voters leave, left = against", 0.1, observed)
    assert max(observed) <= 0.1
    again = shares(200, 84, equal)
    record("wrong decisions, 10% leave whatever they saw, left = again", 0.1, again)
    assert again <= 0.15
    assert shares(80, 85, selective) > 0.1  # the price of the default: the page says how much a decision bears


def test_who_votes_by_ordinary_taste_is_rarely_accused():
    worlds = (Crowd(30, 20, 4, 0.3), Crowd(20, 60, 6, 0.5), Crowd(12, 40, 4, 0.4), Crowd(40, 30, 6, 0.6))
    rng = np.random.default_rng(86)
    runs = 20
    accused = [sum(bool(voter_checks(crowd_votes(rng, crowd), item="prompt").flagged) for _ in range(runs)) / runs
               for crowd in worlds]  # fmt: skip
    record("anybody is accused who votes by ordinary taste", 0.05, accused)
    assert np.mean(accused) <= 0.09


def test_odd_voters_are_found():
    rng = np.random.default_rng(87)
    found = {}
    for odd in ("fan", "side", "against", "random"):
        rows = [voter_checks(crowd_votes(rng, Crowd(24, 150, odd=odd))).flagged for _ in range(5)]
        found[odd] = np.mean([any(one.voter == "v0" and one.check == odd for one in flagged) for flagged in rows])
    record("a fan, one side, against everybody, at random: found with 150 votes", 0.5, list(found.values()))
    assert min(found[odd] for odd in ("fan", "side", "against")) >= 0.6


def test_boards_of_votes_cover_with_tastes_of_voters_and_prompts():
    rng, runs, models, covered = np.random.default_rng(88), 60, 4, []
    truth = np.linspace(-0.8, 0.8, models)
    for _ in range(runs):
        votes = crowd_votes(rng, Crowd(40, 6, models, 0.4, prompts=30, gap=0.8, habit=0.0))
        votes = replace(votes, group=votes.labels["voter"], crossed={"prompt": votes.labels["prompt"]})
        fit = eq.bradley_terry(votes)
        at = [int(name[1:]) for name in fit.agents]
        # Tastes shrink the ratings that votes of all voters have: by the logistic's usual factor.
        shrunk = truth[at] / np.sqrt(1.0 + 0.346 * 2.0 * (0.4**2 + 0.3**2))
        low, high = np.asarray(fit.low), np.asarray(fit.high)
        covered.append(((low <= shrunk) & (shrunk <= high)).mean())
    record("ratings of votes, errors by voter and prompt", 0.95, float(np.mean(covered)))
    assert np.mean(covered) >= 0.9


def judged_world(rng, models=4, prompts=150, votes=400, voters=40):
    """Give people's votes, those of a judge with a bias for the first models, and the ratings that people have."""
    strength, bias = np.linspace(-0.6, 0.6, models), np.linspace(1.0, -1.0, models)
    effect, taste = rng.normal(0, 1.0, (prompts, models)), rng.normal(0, 0.3, (voters, models))
    a = rng.integers(models, size=votes)
    b = (a + rng.integers(1, models, size=votes)) % models
    prompt, voter = rng.integers(prompts, size=votes), rng.integers(voters, size=votes)
    worth = strength + effect[prompt] + taste[voter]
    rows = np.arange(votes)
    y = rng.random(votes) < 1 / (1 + np.exp(worth[rows, b] - worth[rows, a]))
    people = Matches.from_columns([f"m{k}" for k in a], [f"m{k}" for k in b], y.astype(float))
    labels = {"voter": Factor.of([str(k) for k in voter]), "prompt": Factor.of([str(k) for k in prompt])}
    i, j, k = np.array([(i, j, k) for i in range(models) for j in range(i) for k in range(prompts)]).T
    odds = 2 * (strength[i] + effect[k, i] + bias[i] - strength[j] - effect[k, j] - bias[j])
    f = (rng.random(len(i)) < 1 / (1 + np.exp(-odds))).astype(float)
    judge = Matches.from_columns([f"m{x}" for x in i], [f"m{x}" for x in j], f, task=[str(x) for x in k])
    many = np.random.default_rng(1).normal(0, np.sqrt(1.0 + 0.09), (20_000, models)) + strength
    one, other = np.array([(x, z) for x in range(models) for z in range(x)]).T
    mean = (1 / (1 + np.exp(many[:, other] - many[:, one]))).mean(axis=0)
    truth = strengths(one, other, mean, np.full(len(one), 1e6), models)
    return replace(people, labels=labels), judge, truth - truth.mean()


def test_ratings_with_a_biased_judge_cover_what_people_think():
    rng, covered, alone, narrower = np.random.default_rng(89), [], [], []
    for _ in range(60):
        people, judge, truth = judged_world(rng)
        found = judge_calibrated(people, judge)
        true = truth[[int(name[1:]) for name in found.agents]]
        covered.append(((found.low <= true) & (true <= found.high)).mean())
        alone.append(((found.people_low <= true) & (true <= found.people_high)).mean())
        narrower.append((found.high - found.low).mean() / (found.people_high - found.people_low).mean())
    record("ratings by people and a judge with a bias, and by people alone", 0.95, [np.mean(covered), np.mean(alone)])
    assert min(np.mean(covered), np.mean(alone)) >= 0.91
    assert np.mean(narrower) < 1.0


def personal_world(rng, votes, taste, voters=30, models=5):
    """Give votes of people who differ, and the strengths that one of them sees."""
    worth = np.linspace(-0.7, 0.7, models) + rng.normal(0, taste, (voters, models))
    voter = np.repeat(np.arange(voters), votes)
    a = rng.integers(models, size=len(voter))
    b = (a + rng.integers(1, models, size=len(voter))) % models
    first = rng.random(len(voter)) < 1 / (1 + np.exp(worth[voter, b] - worth[voter, a]))
    matches = Matches.from_columns([f"m{k}" for k in a], [f"m{k}" for k in b], first.astype(float))
    return replace(matches, labels={"voter": Factor.of([f"v{k}" for k in voter])}), worth[0] - worth[0].mean()


def test_boards_of_single_voters_cover_what_they_see():
    rng, covered = np.random.default_rng(90), {}
    for votes, taste in ((12, 0.4), (12, 0.9), (40, 0.4), (40, 0.9)):
        inside = []
        for _ in range(60):
            matches, truth = personal_world(rng, votes, taste)
            board = personal_board(matches, "v0")
            true = truth[[int(name[1:]) for name in board.agents]]
            inside.append(((board.low <= true) & (true <= board.high)).mean())
        covered[votes, taste] = float(np.mean(inside))
    record("the board of one voter of thirty, 12 and 40 votes each, tastes .4 and .9", 0.95, list(covered.values()))
    assert min(covered.values()) >= 0.9
