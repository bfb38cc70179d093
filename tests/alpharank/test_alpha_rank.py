"""alpha-Rank as users meet it: rankings, chains, intervals, and what is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.alpharank import masses as module

RPS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def test_a_cycle_shares_the_mass_and_the_rank() -> None:
    found = eq.alpha_rank(eq.MetaGame.symmetric(RPS, ["rock", "paper", "scissors"]))
    np.testing.assert_allclose(found.pi, 1 / 3)
    assert found.ranking() == (("rock", "paper", "scissors"),)
    assert found.ranks().tolist() == [1, 1, 1]


def test_a_dominant_strategy_takes_all() -> None:
    found = eq.alpha_rank(eq.MetaGame.symmetric([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], ["x", "y", "z"]))
    assert found.pi.tolist() == [1.0, 0.0, 0.0]
    assert found.mccs == (("x",),)
    assert found.ranking() == (("x",), ("y", "z"))


@given(st.integers(0, 10_000), st.sampled_from([0.3, 5.0, 500.0, math.inf]))
@settings(max_examples=30, deadline=None)
def test_relabelling_strategies_moves_the_masses_with_them(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    payoffs = rng.normal(size=(5, 5)).round(1)
    order = rng.permutation(5)
    plain = eq.alpha_rank(eq.MetaGame.symmetric(payoffs), alpha=alpha).pi
    moved = eq.alpha_rank(eq.MetaGame.symmetric(payoffs[np.ix_(order, order)]), alpha=alpha).pi
    np.testing.assert_allclose(moved, plain[order], atol=1e-9)


def test_doubles_and_wide_numbers_agree_where_both_work(monkeypatch: pytest.MonkeyPatch) -> None:
    game = eq.MetaGame.from_payoffs([np.random.default_rng(k).normal(size=(3, 3, 2)) for k in range(3)])
    plain = eq.alpha_rank(game, alpha=0.2).pi
    monkeypatch.setattr(module, "log_fixation", lambda gaps, alpha, m: LOG(gaps, alpha, m) - 1000.0)
    monkeypatch.setattr(module, "fixation", None)
    monkeypatch.setattr(module, "_least_log_rate", lambda _: -2.0)
    np.testing.assert_allclose(eq.alpha_rank(game, alpha=0.2).pi, plain, rtol=1e-9)


LOG = module.log_fixation


@pytest.mark.parametrize("alpha", [1e8, 1e15, 1e100, 1e300])
def test_a_huge_alpha_is_the_limit(alpha: float) -> None:
    game = eq.MetaGame.symmetric(np.random.default_rng(3).normal(size=(8, 8)))
    np.testing.assert_allclose(eq.alpha_rank(game, alpha=alpha).pi, eq.alpha_rank(game).pi, atol=1e-12)
    large = eq.MetaGame.symmetric([[0.0, 1e300], [-1e300, 0.0]])
    assert eq.alpha_rank(large, alpha=alpha).pi.tolist() == [1.0, 0.0]


def test_several_chains_say_that_the_perturbation_weighs_them() -> None:
    game = eq.MetaGame.from_payoffs([[[3, 0], [0, 1]], [[3, 0], [0, 1]]], [["a", "b"], ["x", "y"]])
    found = eq.alpha_rank(game)
    assert found.kind == "perturbation limit"
    assert set(found.mccs) == {("(a, x)",), ("(b, y)",)}
    np.testing.assert_allclose(found.pi, [[0.5, 0], [0, 0.5]], atol=1e-12)


def test_a_given_perturbation_is_used_as_it_is() -> None:
    game = eq.MetaGame.symmetric([[0, 1], [-1, 0]])
    np.testing.assert_allclose(eq.alpha_rank(game, perturbation=0.1).pi, [0.9, 0.1])


def table(games: int) -> eq.PairTable:
    p = np.array([[0.5, 0.75, 0.25, 0.8], [0.25, 0.5, 0.7, 0.9], [0.75, 0.3, 0.5, 0.65], [0.2, 0.1, 0.35, 0.5]])
    return eq.PairTable.from_matrix(p, ["w", "x", "y", "z"], games=games)


def test_intervals_hold_the_masses_and_shrink_with_games() -> None:
    widths = []
    for games in (20, 40, 1000):
        found = eq.alpha_rank(table(games))
        assert found.low is not None
        assert found.high is not None
        assert np.all(found.low <= found.pi + 1e-12)
        assert np.all(found.pi <= found.high + 1e-12)
        widths.append(float(np.mean(found.high - found.low)))
    assert widths[0] > widths[1] > widths[2] == pytest.approx(0.0, abs=1e-12)


def test_clopper_pearson_is_tighter_and_refuses_ties() -> None:
    exact = eq.methods.payoff_bounds(table(100), confidence="clopper-pearson")
    wide = eq.methods.payoff_bounds(table(100), confidence="hoeffding")
    assert (exact[1] - exact[0]).mean() < (wide[1] - wide[0]).mean()
    tied = eq.Matches.from_columns("ab", "ba", [0.5, 1]).pairs()
    with pytest.raises(eq.DataError, match="ties"):
        eq.methods.payoff_bounds(tied, confidence="clopper-pearson")
    assert "Hoeffding" in str(eq.methods.payoff_bounds(tied)[2])


def test_a_table_with_holes_has_no_masses_but_bounds() -> None:
    t = eq.Matches.from_columns("xxxxyyyy" * 10, "yyyyzzzz" * 10, [1, 1, 1, 0] * 20).pairs()
    found = eq.alpha_rank(t)
    assert found.kind == "undefined"
    assert np.isnan(found.pi).all()
    assert found.diagnostics[-1].code == "incomplete-table"
    assert found.diagnostics[-1].subjects == ("x vs z",)
    assert found.high is not None
    assert json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(eq.ParameterError, match="no ranking"):
        found.ranks()
    filled = eq.alpha_rank(t, complete="bradley-terry")
    assert filled.ranking()[0] == ("x",)
    assert filled.diagnostics[-1].code == "completed-table"
    with pytest.raises(eq.DataError, match="never met"):
        eq.response_graph(t)


def test_melo_fills_a_cycle_that_ratings_cannot() -> None:
    p = np.array([[0.5, 0.8, 0.2, 0.9], [0.2, 0.5, 0.8, 0.9], [0.8, 0.2, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])
    seen = p.copy()
    seen[0, 3] = seen[3, 0] = np.nan
    t = eq.PairTable.from_matrix(seen, ["a", "b", "c", "z"], games=200)
    filled = eq.alpha_rank(t, complete="melo")
    np.testing.assert_allclose(filled.pi, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-9)
    assert "mElo" in filled.diagnostics[-1].message
    with pytest.raises(eq.ParameterError, match="complete"):
        eq.alpha_rank(t, complete="guess")  # type: ignore[arg-type]


def test_a_bare_probability_table_has_no_interval() -> None:
    assert eq.alpha_rank(eq.PairTable.from_matrix([[0.5, 0.6], [0.4, 0.5]])).low is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric(RPS), alpha=-1), "alpha"),
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric(RPS), alpha=math.nan), "alpha"),
        (lambda: eq.alpha_rank(RPS), "alpha_rank takes matches"),  # type: ignore[arg-type]
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric(RPS), m=1), "m is a whole number"),
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric(RPS), perturbation=0.7), "perturbation"),
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric(RPS), perturbation="often"), "perturbation"),  # type: ignore[arg-type]
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric(RPS), selection="global"), "a finite alpha"),
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric([[0.0]])), "single strategy"),
        (lambda: eq.alpha_rank(eq.MetaGame.from_payoffs([[[0, 1]], [[1, 0]]])), "single strategy"),
        (lambda: eq.alpha_rank(eq.MetaGame.symmetric([[0, math.nan], [1, 0]])), "missing"),
        (lambda: eq.alpha_rank_bounds([[0, 1], [0, 0]], [[0, 0.5], [0, 0]]), "above"),
        (lambda: eq.alpha_rank_bounds([[0, math.nan], [0, 0]], [[0, 1], [0, 0]]), "missing"),
        (lambda: eq.alpha_rank_bounds([[0, 1], [0, 0]], [[0, 1, 1], [0, 0, 1]]), "shape"),
        (
            lambda: eq.alpha_rank_bounds([[0, 1], [0, 0, 3]], [[0, 1], [0, 0]]),
            "alpha_rank_bounds takes arrays of numbers",
        ),
        (lambda: eq.alpha_rank_bounds([[0, 1], [0, 0]], [[0, 1], [0, 0]], perturbation=0.9), "perturbation"),
        (lambda: eq.alpha_rank_bounds([[0, 1], [0, 0]], [[0, 1], [0, 0]], profiles=[5]), "numbered"),
        (lambda: eq.methods.alpha_sweep(eq.MetaGame.symmetric(RPS), alphas=[math.inf]), "finite numbers"),
    ],
)
def test_bad_input_gets_one_clear_line(call: object, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words) as error:
        call()  # type: ignore[operator]
    assert "\n" not in str(error.value)


def test_bounds_at_a_perturbation_hold_the_perturbed_masses() -> None:
    rng = np.random.default_rng(4)
    middle = [rng.normal(size=(2, 3)) for _ in range(2)]
    low, high = [x - 0.3 for x in middle], [x + 0.3 for x in middle]
    for epsilon in (0.2, 1e-3, 1e-6):
        bounds = eq.alpha_rank_bounds(low, high, perturbation=epsilon)
        for _ in range(20):
            inside = eq.MetaGame.from_payoffs([rng.uniform(a, b) for a, b in zip(low, high, strict=True)])
            pi = eq.alpha_rank(inside, perturbation=epsilon).pi
            assert np.all(bounds.pi_low <= pi + 1e-12)
            assert np.all(pi <= bounds.pi_high + 1e-12)
    assert "mistakes" in bounds.measure


def test_bounds_of_a_certain_table_are_the_masses() -> None:
    payoffs = np.random.default_rng(5).normal(size=(6, 6))
    bounds = eq.alpha_rank_bounds(payoffs, payoffs)
    pi = eq.alpha_rank(eq.MetaGame.symmetric(payoffs)).pi
    np.testing.assert_allclose(bounds.pi_low, pi, atol=1e-12)
    np.testing.assert_allclose(bounds.pi_high, pi, atol=1e-12)
    assert set(bounds.in_mcc) <= {"certainly", "never"}
    assert bounds.uncertain_edges == (0, 15)


def test_the_response_graph_names_edges_with_their_gain() -> None:
    graph = eq.response_graph(eq.MetaGame.symmetric([[0, 2], [-1, 0]], ["x", "y"]))
    assert graph.edges == (("y", "x", 3.0),)
    assert graph.mccs == (("x",),)
    assert json.dumps(graph.to_dict(), allow_nan=False)


@pytest.mark.parametrize("alpha", [3.0, 30.0, 3000.0])
def test_iteration_beyond_doubles_agrees_with_wide_numbers(alpha: float, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = 0
    for seed in range(6):
        game = eq.MetaGame.from_payoffs([np.random.default_rng(9 * seed + k).normal(size=(4, 4, 3)) for k in range(3)])
        exact = eq.alpha_rank(game, alpha=alpha).pi
        with monkeypatch.context() as patch:
            patch.setattr(module, "ITERATE_FIRST", 1)
            patch.setattr(module, "stationary_wide", lambda *_: np.full(48, np.nan))
            quick = eq.alpha_rank(game, alpha=alpha).pi
        if not np.isnan(quick).any():
            answered += 1
            np.testing.assert_allclose(quick, exact, rtol=1e-9, atol=1e-14)
    assert answered >= 2


def test_large_games_take_the_iterated_way_and_agree_with_elimination(monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.alpharank import limit

    game = eq.MetaGame.symmetric(np.random.default_rng(7).normal(size=(120, 120)))
    exact = eq.alpha_rank(game).pi
    monkeypatch.setattr(limit, "ELIMINATE_FIRST", 10)
    np.testing.assert_allclose(eq.alpha_rank(game).pi, exact, rtol=1e-10, atol=1e-14)


GAME = eq.MetaGame.symmetric(RPS)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (eq.alpha_rank, {"alpha": "a"}),
        (eq.alpha_rank, {"m": math.nan}),
        (eq.alpha_rank, {"m": 2.5}),
        (eq.alpha_rank, {"level": 1}),
        (eq.alpha_rank, {"confidence": "maybe"}),
        (eq.alpha_rank, {"perturbation": math.nan}),
        (eq.methods.alpha_sweep, {"alphas": "a"}),
        (eq.methods.alpha_sweep, {"alphas": [-1.0]}),
        (eq.methods.alpha_sweep, {"alphas": [[1.0]]}),
        (eq.methods.alpha_sweep, {"alphas": []}),
        (eq.methods.alpha_sweep, {"m": math.nan}),
        (eq.methods.alpha_sweep, {"complete": "guess"}),
    ],
)
def test_senseless_options_are_refused(method: object, options: dict[str, object]) -> None:
    with pytest.raises(eq.ParameterError, match=f"^{next(iter(options))} "):
        method(GAME, **options)  # type: ignore[operator]


@pytest.mark.parametrize("options", [{"m": 2.5}, {"perturbation": "a"}, {"profiles": "a"}, {"profiles": 1.5}])
def test_senseless_options_of_bounds_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(eq.ParameterError, match=f"^{next(iter(options))} "):
        eq.alpha_rank_bounds(RPS, RPS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", ["word", 5, None, [], [1.0, 2.0], [["a"]], np.eye(2) * 1j, GAME])
def test_bounds_refuse_what_is_no_table(table: object) -> None:
    for low, high in ((table, table), (RPS, table), (table, RPS)):
        with pytest.raises(eq.DataError):
            eq.alpha_rank_bounds(low, high)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", [eq.alpha_rank, eq.methods.alpha_sweep, eq.response_graph])
def test_matches_pairs_and_games_are_taken_and_scores_are_not(method: object) -> None:
    matches = eq.Matches.from_columns("aab" * 4, "bcc" * 4, [1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1])
    game = eq.MetaGame.symmetric(matches.pairs().probabilities(), ["a", "b", "c"])
    one, two, three = (method(data).to_dict() for data in (matches, matches.pairs(), game))  # type: ignore[operator]
    assert one == two
    assert one[next(iter(one))][0].keys() >= three[next(iter(three))][0].keys()
    with pytest.raises(eq.DataError, match="takes matches"):
        method(eq.Scores.from_matrix([[1.0, 2.0]]))  # type: ignore[operator]


def test_a_sweep_needs_every_pair_or_a_way_to_fill_it() -> None:
    holes = eq.Matches.from_columns("xxxxyyyy" * 10, "yyyyzzzz" * 10, [1, 1, 1, 0] * 20)
    with pytest.raises(eq.DataError, match=r'1 pair never met \(x vs z\).*complete="bradley-terry"'):
        eq.methods.alpha_sweep(holes)
    assert eq.methods.alpha_sweep(holes, alphas=[1.0], complete="bradley-terry").limit[0] == pytest.approx(1.0)


def test_results_say_where_evolution_ends() -> None:
    cycle = eq.MetaGame.symmetric(RPS, ["rock", "paper", "scissors"])
    said = ("alpha-Rank's limit is one sink component of 3: rock, paper, scissors.",)
    assert eq.alpha_rank(cycle).answer == eq.response_graph(cycle).answer == said
    ladder = eq.MetaGame.symmetric([[0, 1], [-1, 0]], ["best", "worst"])
    assert eq.alpha_rank(ladder).answer == ("alpha-Rank's limit is best.",)
    two = eq.MetaGame.from_payoffs([[[3, 0], [0, 1]], [[3, 0], [0, 1]]], [["a", "b"], ["x", "y"]])
    assert eq.alpha_rank(two).answer == ("alpha-Rank's limit is one of 2 sink components: (a, x); (b, y).",)
    sweep = eq.methods.alpha_sweep(ladder, alphas=[0.1, 100.0])
    assert sweep.answer[0] == "In the limit best has the largest mass, 1.000."
    assert "At alpha 100 " in sweep.answer[1]


def test_bounds_count_the_edges_that_are_open() -> None:
    low, high = np.array([[0.0, -0.5], [-0.5, 0.0]]), np.array([[0.0, 0.5], [0.5, 0.0]])
    assert eq.alpha_rank_bounds(low, high).answer == ("1 of 1 edges has no certain direction.",)
    certain = eq.alpha_rank_bounds([[0.0, 1.0], [-1.0, 0.0]], [[0.0, 1.0], [-1.0, 0.0]], strategies=["x", "y"])
    assert certain.answer == ("Certainly in a sink component: x.", "0 of 1 edges have no certain direction.")


def test_what_has_no_number_for_each_agent_says_why_it_is_not_resampled() -> None:
    for method in (eq.response_graph, eq.methods.alpha_sweep):
        assert "alpha_rank" in method.declaration.resampled  # type: ignore[attr-defined]
    assert isinstance(eq.alpha_rank_bounds.declaration.resampled, str)  # type: ignore[attr-defined]


def test_fixation_at_infinite_alpha_is_certain_even_or_impossible() -> None:
    np.testing.assert_allclose(
        eq.methods.fixation_probability([1.0, 0.0, -1.0], alpha=math.inf, m=50), [1.0, 0.02, 0.0]
    )


ROCK = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def test_copies_are_named_because_they_move_the_masses():
    """A copied strategy moves thirds to a fifth each, and two fifths for the one that beats it."""
    assert not eq.alpha_rank(eq.MetaGame.symmetric(ROCK, ["rock", "paper", "scissors"])).diagnostics
    copied = ROCK[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    found = eq.alpha_rank(eq.MetaGame.symmetric(copied, ["rock", "stone", "paper", "scissors"]))
    assert found.pi == pytest.approx([0.2, 0.2, 0.4, 0.2])
    (note,) = found.diagnostics
    assert (note.code, note.severity) == ("copies-change-alpha-rank", "warning")
    assert "rock = stone" in note.message
    assert "by up to 0.13" in note.message
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    two = eq.alpha_rank(eq.MetaGame.from_payoffs([rows, -rows], [["a", "b", "c"], ["x", "y"]]))
    assert "a = b" in two.diagnostics[0].message
    assert "x" not in two.diagnostics[0].message.split(".")[0].split(":")[1]


WINS = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.6], [0.7, 0.4, 0.5]])


@pytest.mark.parametrize("copies", [1, 2, 100])
def test_so_many_copies_have_so_much_mass_unless_they_are_merged(copies):
    """Folded (c, 1, c) / (2c + 1): the copied one and the one that beats it gain, the one it beats all but vanishes."""
    game = eq.MetaGame.symmetric(WINS[np.ix_(*[[0] * copies + [1, 2]] * 2)])
    found, merged = (eq.alpha_rank(game, merge_clones=each) for each in (False, True))
    folded = [found.pi[:copies].sum(), *found.pi[copies:]]
    assert folded == pytest.approx(np.array([copies, 1, copies]) / (2 * copies + 1))
    assert merged.pi == pytest.approx([*[1 / 3 / copies] * copies, 1 / 3, 1 / 3])
    assert merged.mccs == (game.strategies[0],)
    assert {note.code for note in merged.diagnostics} == ({"merged-clones"} if copies > 1 else set())


def test_who_beats_only_one_changes_the_masses_and_who_is_dominated_does_not():
    beats_first = np.pad(WINS, (0, 1), constant_values=0.5)
    beats_first[3], beats_first[:, 3] = [0.9, 0.1, 0.1, 0.5], [0.1, 0.9, 0.9, 0.5]
    assert eq.alpha_rank(eq.MetaGame.symmetric(beats_first)).pi == pytest.approx([0.2, 0.4, 0.3, 0.1])
    dominated = np.pad(WINS, (0, 1), constant_values=0.5)
    dominated[3], dominated[:, 3] = [0.1, 0.1, 0.1, 0.5], [0.9, 0.9, 0.9, 0.5]
    assert eq.alpha_rank(eq.MetaGame.symmetric(dominated)).pi == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_copies_of_a_player_among_several_are_merged_whoever_is_left_alone():
    first = np.array([[3.0, 0.5], [1.0, 2.0]])
    second = np.array([[2.0, 1.5], [0.0, 2.5]])
    plain = eq.alpha_rank(eq.MetaGame.from_payoffs([first, second]))
    twice = eq.MetaGame.from_payoffs([each[[0, 1, 1]] for each in (first, second)])
    merged = eq.alpha_rank(twice, merge_clones=True)
    assert np.add.reduceat(merged.pi, [0, 1]) == pytest.approx(plain.pi)
    alike = eq.alpha_rank(eq.MetaGame.from_payoffs([first[[1, 1]], second[[1, 1]]]), merge_clones=True)
    assert alike.pi == pytest.approx(np.array([[0, 0.5], [0, 0.5]]))


def test_agents_that_games_do_not_tell_apart_are_copies_too():
    rng = np.random.default_rng(5)
    win = WINS + 0.2 * np.sign(WINS - 0.5)
    win = win[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    rows = [(i, j, rng.binomial(2000, win[i, j])) for i in range(4) for j in range(i + 1, 4)]
    a, b, wins = (np.array(part) for part in zip(*rows, strict=True))
    names = np.array(["one", "same", "two", "three"])
    matches = eq.Matches.from_columns(names[a], names[b], wins=wins, losses=2000 - wins)
    codes = {note.code: note for note in eq.alpha_rank(matches.pairs(), confidence=None).diagnostics}
    assert codes["copies-change-alpha-rank"].subjects == ("one = same",)
