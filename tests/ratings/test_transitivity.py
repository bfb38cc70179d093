"""The verdict: statistics against plain formulas, sentences, clones, bad input."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.cli.main import main
from equipoise.flows.operators import div, grad
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.transitivity import null_simulation
from equipoise.ratings.transitivity.null_simulation import null_draws
from equipoise.ratings.transitivity.sentence import CycleEvidence, transitivity_sentence
from equipoise.ratings.transitivity.test_statistics import Null, noncentrality, statistics
from equipoise.ratings.transitivity.transitivity import simulated_tables

SEEDS = st.integers(0, 2**32 - 1)
RPS = np.array([[0.5, 0.85, 0.15], [0.15, 0.5, 0.85], [0.85, 0.15, 0.5]])


def ladder(seed, n=6, games=30, spread=1.0):
    rng = np.random.default_rng(seed)
    rating = np.linspace(spread, -spread, n)
    i, j = np.triu_indices(n, 1)
    wins = np.zeros((n, n))
    wins[i, j] = rng.binomial(games, scipy.special.expit(rating[i] - rating[j]))
    wins[j, i] = games - wins[i, j]
    return eq.PairTable.from_wins(wins)


def codes(result):
    return [note.code for note in result.diagnostics]


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_statistics_agree_with_their_formulas(seed):
    table = ladder(seed)
    verdict = eq.transitivity(table, n=19)
    rating = eq.bradley_terry(table, prior=None).rating
    if "weak-prior" in codes(verdict):
        return
    p = scipy.special.expit(rating[table.first] - rating[table.second])
    games = table.games
    pearson = np.sum((table.wins - games * p) ** 2 / (games * p * (1 - p)))
    df = len(games) - 5
    signal = np.sum(games * p * (1 - p) * (rating[table.first] - rating[table.second]) ** 2)
    cyclic, transitive = max(0, pearson - df), max(0, signal - 5)
    assert verdict.pearson == pytest.approx(pearson)
    assert verdict.df == df
    if "sparse-counts" not in codes(verdict):
        assert verdict.cyclic_share == pytest.approx(cyclic / (cyclic + transitive))


def test_replicates_are_refitted_as_one_by_one():
    """The vectorised refit against Newton's method on the same simulated tables."""
    table = ladder(1, n=5, games=12, spread=1.5)
    cells = PairCounts(table.wins, table.losses, table.ties)
    model = PairedModel(5, table.first, table.second, "half", False, np.zeros(5, dtype=np.int64), 0.05)
    null = Null.of(model, bradley_terry_newton(model, cells).x, cells)
    fast = np.concatenate(list(null_draws(null, 40, np.random.default_rng(0), 6.0)))
    rng = np.random.default_rng(0)
    games = np.rint(null.games).astype(int)[:, None]
    wins = rng.binomial(games, null.chance[:, None], size=(10, 40))
    slow = []
    for column in wins.T.astype(float):
        one = PairCounts(column, null.games - column, np.zeros(10))
        x = bradley_terry_newton(model, one).x
        slow.append(statistics(Null.of(model, x, one), one).pearson)
    np.testing.assert_allclose(fast, slow, rtol=1e-3)


def test_the_p_value_counts_the_table_itself():
    assert eq.transitivity(eq.PairTable.from_matrix(RPS, games=100), n=99).p_value == 0.01


def hosted(seed):
    """Home teams win .75, and each agent hosts the next four times as often as the other."""
    rng = np.random.default_rng(seed)
    host = rng.integers(3, size=1500)
    guest = (host + np.where(rng.random(1500) < 0.8, 1, 2)) % 3
    return eq.Matches.from_columns(host, guest, (rng.random(1500) < 0.75).astype(int))


def test_a_side_advantage_is_not_a_cycle():
    with_side = [eq.transitivity(hosted(seed), side=True, n=99) for seed in range(20)]
    assert all(eq.transitivity(hosted(seed), n=99).p_value == 0.01 for seed in range(5))
    assert sum(verdict.p_value <= 0.05 for verdict in with_side) <= 4
    # The side is partly told from swaps within pairs, so it costs less than the one loop there is.
    assert np.mean([verdict.pearson for verdict in with_side]) == pytest.approx(with_side[0].df, abs=0.5)
    assert 0 < with_side[0].df < 1


def test_sides_played_evenly_change_nothing():
    """Two of three games are a cycle among otherwise ranked agents; every pair swaps sides."""
    rng = np.random.default_rng(5)
    odds = grad(np.array([1.0, 0.5, 0.0, -0.6, -0.9]))
    odds[:3, :3] += 0.9 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    i, j = np.nonzero(~np.eye(5, dtype=bool))
    won = rng.binomial(400, scipy.special.expit(odds[i, j] + 0.5))
    table = eq.PairTable.from_counts(tuple("abcde"), i, j, won, 400 - won)
    plain, sided = eq.transitivity(table, n=99), eq.transitivity(table, side=True, n=99)
    assert sided.cyclic_share == pytest.approx(plain.cyclic_share, abs=0.02)
    assert sided.df == pytest.approx(plain.df, abs=0.05)  # all pairs swap sides: the side costs next to nothing
    np.testing.assert_allclose(sided.misfit, plain.misfit, rtol=0.2)


def test_liking_the_own_side_is_no_cycle():
    """Each agent has a home advantage of its own: sides and pairs interact, but nobody is beaten in a ring."""
    rng = np.random.default_rng(6)
    rating, home = np.linspace(1, -1, 6), np.linspace(0, 1.5, 6)
    i, j = np.nonzero(~np.eye(6, dtype=bool))
    won = rng.binomial(100, scipy.special.expit(rating[i] + home[i] - rating[j]))
    table = eq.PairTable.from_counts(tuple("abcdef"), i, j, won, 100 - won)
    assert eq.transitivity(table, side=True).cyclic_share < 0.05


def test_ties_do_not_hide_cycles_or_make_them():
    tied = eq.PairTable.from_counts(("r", "s", "p"), [0, 1, 0], [1, 2, 2], [40, 40, 5], [5, 5, 40], [60, 60, 60])
    assert eq.transitivity(tied).p_value <= 0.001
    even = eq.PairTable.from_counts(("r", "s", "p"), [0, 1, 0], [1, 2, 2], [20, 21, 19], [20, 19, 21], [60, 60, 60])
    assert eq.transitivity(even).p_value > 0.5


def exactly_tied(even, games, spread=1.5):
    """Expected counts of six players in even steps, in Davidson's model."""
    rating = np.linspace(spread, -spread, 6)
    i, j = np.triu_indices(6, 1)
    d, nu = rating[i] - rating[j], 2 * even / (1 - even)
    total = np.exp(d / 2) + nu + np.exp(-d / 2)
    counts = [games * np.exp(d / 2) / total, games * np.exp(-d / 2) / total, games * nu / total]
    return eq.PairTable.from_counts(tuple("abcdef"), i, j, *(np.rint(count) for count in counts))


@pytest.mark.parametrize("even", [0.02, 0.1, 0.4, 0.8])
def test_players_who_tie_as_a_tie_model_says_are_explained(even):
    assert eq.transitivity(exactly_tied(even, 10**8), n=19).pearson < 5


def test_a_share_too_small_to_matter_makes_no_headline():
    """Thurstone's curve is not quite the logistic one, and a million games show it."""
    rng = np.random.default_rng(1)
    rating = rng.normal(size=8)
    i, j = np.triu_indices(8, 1)
    won = rng.binomial(40_000, scipy.special.ndtr(rating[i] - rating[j]))
    verdict = eq.transitivity(eq.PairTable.from_counts(tuple("abcdefgh"), i, j, won, 40_000 - won))
    assert verdict.p_value <= 0.001
    assert verdict.text.startswith("A single rating describes these games: at most 0.")
    assert " 0%" not in verdict.text
    assert ">" not in verdict.text


def test_averages_of_unknown_numbers_of_games_are_never_tested():
    scores = [0.7, 0.8, 0.9, 0.62, 0.77, 0.68]
    rates = eq.Matches.from_columns("aaabbc", "bcdcdd", scores)
    verdict = eq.transitivity(rates)
    assert "averages" in codes(verdict)
    assert np.isnan(verdict.p_value)
    assert "these games" not in verdict.text
    assert "without numbers of games there is no interval" in verdict.text
    counted = eq.transitivity(eq.Matches.from_columns("aaabbc", "bcdcdd", scores, [50] * 6))
    assert "averages" not in codes(counted)
    assert counted.p_value > 0


def margins(seed, cyclic, rows=40):
    """Scores between 0 and 1 that vary little: transitive up to a cycle of three."""
    rng = np.random.default_rng(seed)
    odds = grad(np.linspace(0.6, -0.6, 5))
    odds[:3, :3] += cyclic * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    i, j = (np.repeat(index, rows) for index in np.triu_indices(5, 1))
    scores = scipy.special.expit(odds[i, j] + 0.2 * rng.normal(size=len(i)))
    return eq.Matches.from_columns(i, j, scores)


def test_noise_of_fractional_scores_is_taken_from_rows_of_the_same_pair():
    """Such rows vary far less than games won and lost: as coins they would show no cycle, p = 1."""
    flat = [eq.transitivity(margins(seed, 0.0), n=199) for seed in range(20)]
    round_ = [eq.transitivity(margins(seed, 0.1), n=199) for seed in range(5)]
    assert sum(verdict.p_value <= 0.05 for verdict in flat) <= 4
    assert sum(verdict.p_value >= 0.95 for verdict in flat) <= 4
    assert all(verdict.p_value <= 0.005 for verdict in round_)
    assert "rows-vary" in codes(flat[0])


def test_counts_that_are_too_good_for_games_are_not_tested():
    exact = scipy.special.expit(grad(np.linspace(1.5, -1.5, 8)))
    verdict = eq.transitivity(eq.PairTable.from_matrix(exact, games=50))
    assert "too-regular" in codes(verdict)
    assert verdict.text.startswith("Intransitivity cannot be tested: these games")
    assert "too-regular" not in codes(eq.transitivity(ladder(2, n=8, games=50)))


def test_noncentrality_inverts_the_distribution():
    u = np.array([0.025, 0.5, 0.975])
    nc = noncentrality(60.0, 20.0, u)
    np.testing.assert_allclose(1 - scipy.special.chndtr(60.0, 20.0, nc), u, atol=1e-8)
    large = noncentrality(4000.0, 3000.0, u)
    np.testing.assert_allclose(scipy.stats.ncx2.sf(4000.0, 3000.0, large), u, atol=1e-4)
    assert noncentrality(5.0, 20.0, np.array([0.5]))[0] == pytest.approx(0, abs=1e-9)


def test_the_interval_contains_the_share():
    table = ladder(3, games=200)
    verdict = eq.transitivity(table)
    assert 0 <= verdict.low <= verdict.cyclic_share <= verdict.high <= 1


def test_more_games_of_the_same_share_give_a_narrower_interval():
    p = scipy.special.expit(grad(np.array([1.0, 0.3, -0.4, -0.9])) + 0.5 * np.array(
        [[0, 1, -1, 0], [-1, 0, 1, 0], [1, -1, 0, 0], [0, 0, 0, 0]]))  # fmt: skip
    width = []
    for games in (100, 1600):
        verdict = eq.transitivity(eq.PairTable.from_matrix(p, games=games), n=99)
        width.append(verdict.high - verdict.low)
    assert width[1] < width[0] / 2


@pytest.mark.parametrize(
    ("table", "start", "also"),
    [
        (
            eq.PairTable.from_matrix(RPS, agents="rsp", games=60),
            "Do not rank these agents by one number: ",
            "r > s > p > r",
        ),
        (ladder(2, n=8, games=200), "A single rating describes these games: at most ", "intransitive"),
        (ladder(3, n=5, games=6), "No sign of intransitivity", "up to"),
        (ladder(1, n=5, games=6), "No sign of intransitivity", "could not show it"),
        (eq.PairTable.from_matrix(np.full((3, 3), 0.5), games=10), "No sign of intransitivity", "no more than noise"),
        (
            eq.PairTable.from_matrix(RPS, agents="rsp"),
            "Do not rank these agents by one number: ",
            "there is no interval",
        ),
        (eq.Matches.from_columns("ab", "bc", [1, 0]), "Intransitivity cannot be tested", "no closed loop"),
    ],
    ids=["cyclic", "transitive", "few", "very few", "even", "no counts", "no loops"],
)
def test_the_sentence_says_what_was_found(table, start, also):
    text = eq.transitivity(table).text
    assert text.startswith(start)
    assert also in text
    assert text.count("\n") == 0


def evidence(share, low, high, p_value=0.001, **others):
    values = {"level": 0.95, "simulated": 999, "df": 5.0, "cycles": ()}
    return CycleEvidence(share=share, low=low, high=high, p_value=p_value, **(values | others))


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((np.nan, None, None, np.nan, 0.0), "Intransitivity cannot be tested: the pairs that met form no closed loop."),
        ((0.01, 0.0, 0.05), "A single rating describes these games: at most 5% of the differences beyond noise are"),
        (
            (0.3, 0.0, 0.6, 0.3),
            "No sign of intransitivity (p = 0.3), but these games could not show it: the share may be",
        ),
        ((0.3, 0.0, 0.6, 0.01), "There may be some intransitivity (30%, 95% interval 0% to 60%; p = 0.01)."),
        ((0.04, 0.0, 0.09, 0.3), "There may be some intransitivity (4%, 95% interval 0% to 9%; p = 0.3)."),
        ((0.04, 0.01, 0.09, 0.07), "There may be some intransitivity (4%, 95% interval 1% to 9%; p = 0.07)."),
        ((0.09, 0.05, 0.12), "A single rating describes these games well: 9% of the differences beyond noise are"),
        ((0.28, 0.2, 0.4), "A single rating omits part of the picture, so compare pairs: 28% of the differences"),
        ((0.64, 0.5, 0.8), "Do not rank these agents by one number: 64% of the differences beyond noise are"),
    ],
)
def test_a_sentence_says_no_more_than_its_numbers(numbers, words):
    share, low, high, *rest = numbers
    others = dict(zip(("p_value", "df"), rest, strict=False))
    assert transitivity_sentence(evidence(share, low, high, **others)).startswith(words)


def test_a_small_share_is_said_with_its_size():
    p = scipy.special.expit(grad(np.array([2.0, 1.0, 0.0, -1.0])))
    p[0, 1], p[1, 0] = 0.85, 0.15
    text = eq.transitivity(eq.PairTable.from_matrix(p, games=2000)).text
    assert text.startswith("A single rating describes these games")
    assert "of the differences beyond noise are intransitive" in text


def test_unanswerable_questions_are_nan_and_null():
    verdict = eq.transitivity(eq.Matches.from_columns("ab", "bc", [1, 0]))
    assert np.isnan(verdict.cyclic_share)
    assert np.isnan(verdict.p_value)
    assert "no-loops" in codes(verdict)
    assert verdict.to_dict()["cyclic_share"] is None


def test_components_that_never_met_are_told():
    apart = eq.Matches.from_columns("abcabcxyzxyz", "bcabcayzxyzx", [1, 1, 1, 0, 1, 0.5] * 2)
    assert "not-connected" in codes(eq.transitivity(apart))


def test_an_undefeated_agent_does_not_stop_the_verdict():
    games = eq.Matches.from_columns("aaabbbccc" * 4, "bcdcdadab" * 4, [1, 1, 1, 1, 0, 0, 1, 0, 0] * 4)
    verdict = eq.transitivity(games)
    assert np.isfinite(verdict.p_value)
    assert "weak-prior" in codes(verdict)


def grouped_games(seed, groups=40, each=30, taste=0.0):
    """Equal agents; with ``taste`` every group favours agents in its own way."""
    rng = np.random.default_rng(seed)
    a, b, won, group = [], [], [], []
    for g in range(groups):
        odds = taste * rng.normal(size=(5, 5))
        x = rng.integers(5, size=each)
        y = (x + rng.integers(1, 5, size=each)) % 5
        a, b = [*a, *x], [*b, *y]
        won += (rng.random(each) < scipy.special.expit(odds[x, y] - odds[y, x])).astype(int).tolist()
        group += [g] * each
    return eq.Matches.from_columns(a, b, won, group=group)


def test_tastes_of_groups_are_no_cycles():
    apart = [eq.transitivity(grouped_games(seed, taste=1.5), n=199).p_value for seed in range(12)]
    together = [eq.transitivity(grouped_games(seed, taste=1.5).pairs(), n=199).p_value for seed in range(12)]
    assert np.mean(np.array(together) <= 0.05) > 0.3  # as if all matches were independent
    assert np.mean(np.array(apart) <= 0.05) < 0.25


def test_groups_without_tastes_change_little():
    games = grouped_games(3, each=60)
    assert eq.transitivity(games).p_value == pytest.approx(eq.transitivity(games.pairs()).p_value, abs=0.15)


def test_a_cycle_is_found_through_groups_and_few_groups_are_told():
    groups = [k // 6 for k in range(240)]
    ring = eq.Matches.from_columns(list("rsp") * 80, list("spr") * 80, [1, 1, 1, 0] * 60, group=groups)
    verdict = eq.transitivity(ring)
    assert verdict.p_value <= 0.001
    assert "few-groups" not in codes(verdict)
    assert "few-groups" in codes(eq.transitivity(eq.Matches.from_columns("abc", "bca", [1, 0.5, 0], group="xyx")))


@pytest.mark.parametrize("outcome", [[1, 0.5, 0], [1, 1, 1], [1, 1, 0], [0.5, 0.5, 0.5], [1, 0.5, 0.5]])
@pytest.mark.parametrize("group", ["xxx", "xyx", "xyz"])
def test_next_to_nothing_gives_a_sentence_and_no_crash(outcome, group):
    verdict = eq.transitivity(eq.Matches.from_columns("abc", "bca", outcome, group=group), n=99)
    assert "nan" not in verdict.text
    assert np.isnan(verdict.cyclic_share) or 0 <= verdict.low <= verdict.high <= 1


def test_misfit_is_largest_for_those_in_the_cycle():
    p = scipy.special.expit(grad(np.array([0.0, 0.0, 0.0, -1.0, 1.0, -2.0])))
    p[:3, :3] = RPS
    verdict = eq.transitivity(eq.PairTable.from_matrix(p, games=100))
    assert verdict.misfit[:3].min() > verdict.misfit[3:].max()


@pytest.mark.parametrize("options", [{"n": 5}, {"cycles": -1}, {"level": 0}, {"epsilon": 0.7}])
def test_senseless_options_are_refused(options):
    with pytest.raises(eq.ParameterError):
        eq.transitivity(eq.PairTable.from_matrix(RPS, games=10), **options)


CLONED = 4.6 * np.array([[0, 1, -1, -1], [-1, 0, 1, 1], [1, -1, 0, 0], [1, -1, 0, 0]])


@pytest.mark.parametrize("games", [None, 30, 1000])
def test_clones_are_named_where_games_are_cyclic(games):
    table = eq.PairTable.from_matrix(scipy.special.expit(CLONED), agents=["A", "B", "C1", "C2"], games=games)
    (note,) = [note for note in eq.transitivity(table).diagnostics if note.code == "near-clones"]
    assert note.subjects == ("C1", "C2")
    assert "C1 = C2" in note.message


def test_clones_move_averages_and_elo():
    table = eq.PairTable.from_matrix(scipy.special.expit(CLONED), games=100)
    np.testing.assert_allclose(div(CLONED), [-1.15, 1.15, 0, 0])
    rating = eq.bradley_terry(table).rating
    assert rating[1] > 0.5 > -0.5 > rating[0]


def test_noisy_copies_are_named_too():
    rng = np.random.default_rng(2)
    i, j = np.triu_indices(4, 1)
    wins = np.zeros((4, 4))
    wins[i, j] = rng.binomial(80, scipy.special.expit(CLONED / 2)[i, j])
    wins[j, i] = 80 - wins[i, j]
    verdict = eq.transitivity(eq.PairTable.from_wins(wins, agents=["A", "B", "C1", "C2"]))
    assert ("C1", "C2") in [note.subjects for note in verdict.diagnostics if note.code == "near-clones"]


@pytest.mark.parametrize("seed", range(5))
def test_agents_of_equal_strength_are_not_called_copies(seed):
    """A transitive ladder of pairs of equals, plus one sure cycle elsewhere."""
    rng = np.random.default_rng(seed)
    rating = np.array([1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 0.3, 0.3, 0.3])
    odds = grad(rating)
    odds[6:, 6:] = 1.5 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    i, j = np.triu_indices(9, 1)
    wins = np.zeros((9, 9))
    wins[i, j] = rng.binomial(40, scipy.special.expit(odds[i, j]))
    wins[j, i] = 40 - wins[i, j]
    verdict = eq.transitivity(eq.PairTable.from_wins(wins))
    assert verdict.p_value < 0.05
    assert "near-clones" not in codes(verdict)


def test_exact_copies_are_named_even_where_games_are_transitive():
    table = ladder(6, n=6, games=40)
    wins = np.zeros((7, 7))
    wins[:6, :6] = table.win_matrix()
    wins[6, :6], wins[:6, 6] = wins[2, :6], wins[:6, 2]
    wins[6, 2] = wins[2, 6] = 0
    verdict = eq.transitivity(eq.PairTable.from_wins(wins))
    assert [note.subjects for note in verdict.diagnostics if note.code == "near-clones"] == [("agent 3", "agent 7")]


def test_tables_are_simulated_as_sizes_allow_and_the_p_value_has_an_error(monkeypatch):
    """The number follows from pairs and agents alone, so it is the same on any machine, and no more are drawn."""
    few = pair_table(300)
    assert simulated_tables(few) == 999
    pairs = np.arange(20_000)
    first, second = pairs % 1800, (pairs % 1800 + 1 + pairs // 1800) % 1800
    many = eq.PairTable.from_counts([f"p{k}" for k in range(1800)], first, second, np.ones(20_000), np.ones(20_000))
    assert simulated_tables(many) == int(10_000_000 // (20_000 + 0.01 * 1800**2)) == 190
    monkeypatch.setattr("equipoise.ratings.transitivity.transitivity.WORK", 3 * 120)
    drawn = []
    simulate = null_simulation._simulate
    monkeypatch.setattr(
        null_simulation, "_simulate", lambda null, count, rng: drawn.append(count) or simulate(null, count, rng)
    )
    found = eq.rank(few)
    verdict = found.to_dict()["verdict"]
    assert sum(drawn) == verdict["simulated"] == verdict["most_simulated"] == 116
    assert verdict["p_error"] == pytest.approx(np.sqrt(verdict["p_value"] * (1 - verdict["p_value"]) / 116))
    assert "±" in found.transitivity.text or "≤" in found.transitivity.text or "p" not in found.transitivity.text


def test_transitivity_is_left_out_where_nobody_asks(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(null_simulation, "_simulate", lambda *_: pytest.fail("simulated"))
    found = eq.rank(pair_table(300), options=eq.RankOptions(transitivity="none"))
    assert found.answer[-1] == "Whether a single rating describes these games was not tested."
    verdict = found.to_dict()["verdict"]
    assert verdict["explained"] is None
    assert verdict["simulated"] == 0
    with pytest.raises(eq.ParameterError, match="transitivity"):
        eq.rank(pair_table(300), options=eq.RankOptions(transitivity="never"))
    games = tmp_path / "games.csv"
    games.write_text("a,b,winner\n" + "x,y,x\ny,z,y\nz,x,z\nx,y,y\ny,z,z\nz,x,x\n" * 9)
    for spelt in ("--transitivity", "--verdict"):
        assert main(["rank", str(games), spelt, "none"]) == 0
        assert "was not tested" in " ".join(capsys.readouterr().out.split())


def pair_table(games):
    return eq.PairTable.from_matrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.62], [0.3, 0.38, 0.5]], agents="xyz", games=games)
