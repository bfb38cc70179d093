"""Do intervals and ranks keep their word where pairs followed results? Whole tournaments with known strengths."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.more_games import more_games
from equipoise.ratings.population.adaptive_pairing import check_pairing
from tests.statistical.honesty import NARROW, SIGMAS, Coverage, check_guarantee, record
from tests.statistical.pairings import Log, fixed, king_of_the_hill, planned, strengths, swiss

SPREADS = (0.0, 0.3, 1.0, 2.0)
"""Standard deviations of strengths in log-odds: equal agents to very different ones."""
LEAST = 0.93
"""Coverage of 95% intervals that is asked of every design at every spread."""


def tables(log: Log):
    """Give the pair counts of each run."""
    wins, ties = log.wins()
    names = tuple(f"p{k}" for k in range(wins.shape[1]))
    i, j = np.triu_indices(len(names), 1)
    return [PairTable.from_counts(names, i, j, w[i, j], w[j, i], t[i, j]) for w, t in zip(wins, ties, strict=True)]


def logs(log: Log):
    """Give each run as matches with rounds."""
    a, b, outcome = (np.array(column).T for column in (log.a, log.b, log.outcome))
    names = tuple(f"p{k}" for k in range(log.strength.shape[1]))
    rounds = np.array(log.round)
    return [eq.Matches.from_codes(names, *games, time=rounds) for games in zip(a, b, outcome, strict=True)]


def claims_a_wrong_rank(found, strength):
    best = 1 + (strength[None, :] > strength[:, None] + 1e-9).sum(axis=1)
    worst = len(strength) - (strength[None, :] < strength[:, None] - 1e-9).sum(axis=1)
    return bool((found.rank_low > best).any() or (found.rank_high < worst).any())


def check_design(
    play, agents: int, runs: int, what: str, *, seed: int, ties="half", spreads=SPREADS, breaks=True, narrow=NARROW
):
    """Assert coverage at each spread and rank claims over all of them.

    ``breaks``: plain ranks are wrong for equals; intervals ``narrow`` times as wide would not do.
    """
    rng = np.random.default_rng(seed)
    everything, wrong, plainly = Coverage(what=what), [], []
    for spread in spreads:
        truth = strengths(rng, runs, agents, spread)
        here = Coverage(what=f"{what}, spread {spread:g}")
        for table, strength in zip(tables(play(truth, rng)), truth, strict=True):
            found = eq.bradley_terry(table, pairing="adaptive", ties=ties)
            here.add(found.low, found.high, strength, found.rating)
            everything.runs.append(here.runs[-1])
            wrong.append(claims_a_wrong_rank(found, strength))
            if breaks and spread == 0:
                plainly.append(claims_a_wrong_rank(eq.bradley_terry(table, components="each"), strength))
        share = here.held().mean()
        record(here.what, 0.95, round(float(share), 4))
        assert share >= LEAST - SIGMAS * here.error(), f"{here.what}: {share:.3f}"
    share, least = everything.held().mean(), LEAST - SIGMAS * everything.error()
    record(what, 0.95, round(float(share), 4))
    assert least <= share
    assert everything.held(narrow).mean() < least, f"{what}: intervals {narrow} as wide would do"
    check_guarantee(wrong, 0.05, naive=plainly if breaks else None, what=f"{what}, ranks")


def test_intervals_and_ranks_hold_in_swiss_tournaments_of_8_players_and_12_rounds():
    check_design(lambda s, rng: swiss(s, rng, rounds=12), 8, 60, "Swiss, 8 x 12", seed=51)


def test_intervals_and_ranks_hold_in_long_swiss_tournaments():
    check_design(lambda s, rng: swiss(s, rng, rounds=60), 8, 50, "Swiss, 8 x 60", seed=52)


def test_intervals_and_ranks_hold_in_swiss_tournaments_of_16_players_and_9_rounds():
    check_design(lambda s, rng: swiss(s, rng, rounds=9), 16, 50, "Swiss, 16 x 9", seed=53)


def test_intervals_and_ranks_hold_where_the_winner_stays():
    check_design(
        lambda s, rng: king_of_the_hill(s, rng, games=100), 8, 50, "the winner stays", seed=54, breaks=False
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["ranking", "uncertainty", "uniform"])
def test_intervals_and_ranks_hold_under_every_policy_of_the_planner(policy):
    check_design(
        lambda s, rng: planned(policy, s, rng, games=200), 8, 50 if policy == "ranking" else 30, f"policy {policy}",
        seed=55, breaks=policy == "ranking",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("how", "ties"), [({"share": 0.1}, "half"), ({"share": 0.3}, "half"), ({"nu": 0.9}, "davidson")],
    ids=["a tenth, half-win", "three tenths, half-win", "three tenths, Davidson"],
)  # fmt: skip
def test_intervals_and_ranks_hold_with_ties(how, ties):
    """Half-win ties make intervals wider than they need to be, never narrower."""
    check_design(
        lambda s, rng: swiss(s, rng, rounds=12, **how), 8, 40, f"Swiss with ties {how}, {ties}", seed=56, ties=ties,
        spreads=(0.3, 1.0), breaks=False, narrow=0.5 if ties == "half" else NARROW,
    )  # fmt: skip


def test_plain_intervals_are_valid_under_uniform_and_uncertainty_but_not_under_ranking():
    rng = np.random.default_rng(57)
    for policy, valid in (("uniform", True), ("uncertainty", True), ("ranking", False)):
        equal = np.zeros((120, 8))
        covered = Coverage(what=f"plain, equal agents, policy {policy}")
        for table in tables(planned(policy, equal, rng, games=200)):
            found = eq.bradley_terry(table)
            covered.add(found.low, found.high, equal[0], found.rating)
        if valid:
            covered.check(slack=0.01)
        else:
            record(covered.what, 0.95, round(float(covered.held().mean()), 4))
            assert covered.held().mean() < 0.7


def test_pairs_that_did_not_follow_results_are_rarely_said_to_and_those_that_did_are_noticed():
    rng = np.random.default_rng(58)
    p_values, runs = [], 70
    for spread in (0.0, 1.0):
        truth = strengths(rng, runs, 8, spread)
        p_values += [check_pairing(m, rng).p_value for m in logs(fixed(truth, rng, games=84, nu=0.3 * (spread > 0)))]
    # Both p-values are posterior predictive and Bonferroni's: they are larger than uniform ones.
    record("pairs that did not follow results", "at most 0.01", round(float(np.mean(np.array(p_values) <= 0.01)), 4))
    assert np.mean(np.array(p_values) <= 0.01) <= 0.01 + SIGMAS * np.sqrt(0.01 * 0.99 / len(p_values))
    for play in (lambda s: swiss(s, rng, rounds=12), lambda s: king_of_the_hill(s, rng, games=100)):
        noticed = [check_pairing(m, rng).follows for m in logs(play(strengths(rng, 20, 8, 1.0)))]
        assert np.mean(noticed) > 0.7


def test_so_many_more_games_tell_two_agents_apart_as_often_as_said():
    """Games are added as if the fitted ratings were right; the two are told apart in 80% of runs."""
    rng = np.random.default_rng(59)
    start = strengths(rng, 260, 5, 0.6)
    told = []
    for table in tables(fixed(start, rng, games=200)):
        fit = eq.bradley_terry(table)
        asked = more_games(fit, table)
        if asked is None or not 20 <= asked.games <= 5000:
            continue
        i, j = (table.agents.index(name) for name in (asked.first, asked.second))
        won = rng.binomial(int(asked.games), scipy.special.expit(asked.difference))
        more = PairTable.from_counts(
            table.agents, [*table.first, i], [*table.second, j], [*table.wins, won],
            [*table.losses, asked.games - won], [*table.ties, 0],
        )  # fmt: skip
        again = eq.bradley_terry(more)
        critical = scipy.special.ndtri(0.5 + 0.95 ** (1 / 10) / 2)
        about = again.relative_to(asked.second)
        told.append(about.rating[i] > critical * about.stderr[i])
    share, reach = np.mean(told), SIGMAS * np.sqrt(0.8 * 0.2 / len(told))
    record("told apart after the games asked for", 0.8, round(float(share), 4))
    assert len(told) > 100
    assert 0.8 - reach <= share <= 0.8 + reach


@pytest.mark.parametrize("nu", [0.0, 0.8])
def test_scores_of_two_agents_compared_are_covered(nu):
    rng = np.random.default_rng(60)
    truth = np.array([0.5, 0.1, 0.0, -0.6])
    runs = 500
    log = fixed(np.tile(truth, (runs, 1)), rng, games=120, nu=nu)
    win, loss = np.exp(0.2), np.exp(-0.2)
    score = (win + nu / 2) / (win + loss + nu)
    covered = {name: Coverage(what=f"compare_pair, {name}") for name in ("their own games", "all games")}
    for table in tables(log):
        found = eq.compare_pair(table, "p0", "p1")
        for name, row in zip(found.evidence, zip(found.low, found.high, found.score, strict=True), strict=True):
            if name in covered:
                covered[name].add(row[0], row[1], score, row[2])
    # Twenty games a pair: intervals of few results hold a little more or less often; with ties Bradley-Terry's score
    # is that of the closest model without them.
    covered["their own games"].check(slack=0.02, over=None)
    covered["all games"].check(slack=0.02, over=None)


def test_chances_that_one_is_better_are_right_on_average():
    """Strengths drawn from a wide population: where a chance of 90% is printed, it is so in 90% of the cases."""
    rng = np.random.default_rng(61)
    truth = strengths(rng, 400, 2, 1.5)
    log = fixed(truth, rng, games=12)
    off = []
    for table, strength in zip(tables(log), truth, strict=True):
        chance = eq.compare_pair(table, "p0", "p1").chance[0]
        likelier = strength[0] > strength[1] if chance > 0.5 else strength[0] < strength[1]
        off.append((0.5 if chance == 0.5 else likelier) - max(chance, 1 - chance))
    reach = SIGMAS * np.std(off) / np.sqrt(len(off))
    off = np.mean(off)
    record("chances of two agents compared", "right on average", f"off by {off:+.3f}")
    assert abs(off) <= reach


def test_e_values_and_anytime_intervals_of_two_agents_hold_at_every_look():
    from equipoise.schedule.compare_pair import _anytime, _e_value

    rng = np.random.default_rng(62)
    looks = np.unique(np.geomspace(5, 400, 25).astype(int))
    settled, refuted, naive = [], [], []
    for _ in range(300):
        outcome = rng.choice([1.0, 0.5, 0.0], p=[0.4, 0.2, 0.4], size=looks[-1])
        counts = [np.array([(outcome[:n] == s).sum() for s in (1.0, 0.5, 0.0)], dtype=float) for n in looks]
        scores = np.array([1.0, 0.5, 0.0])
        e = [max(_e_value(scores, c), _e_value(1 - scores, c)) for c in counts]
        settled.append(max(e) >= 40)
        refuted.append(any(not low <= 0.5 <= high for low, high in (_anytime(scores, c, 0.95) for c in counts[::6])))
        z = [abs(c[0] - c[2]) / np.sqrt(c[0] + c[2] + 1e-9) for c in counts]
        naive.append(max(z) > 1.96)
    check_guarantee(settled, 0.05, naive=naive, what="e-values of two agents compared")
    check_guarantee(refuted, 0.05, what="anytime interval of two agents compared")
