"""ResponseGraphUCB: asks, observes, resolves, explains, and goes on from a saved state."""

import json
import math
import pickle

import numpy as np
import pytest

import equipoise as eq
from equipoise.schedule.payoff_cells import payoff_cells

WIN = np.array([[0.5, 0.85], [0.15, 0.5]])
SAMPLING = ["uniform", "uniform-exhaustive", "valence-weighted", "count-weighted"]


def play(ucb: eq.ResponseGraphUCB, seed: int = 0, win: np.ndarray = WIN) -> eq.ResponseGraphUCB:
    rng = np.random.default_rng(seed)
    while not ucb.done:
        proposal = ucb.ask()
        x = float(rng.random() < win[proposal.profile])
        ucb.tell(proposal, (x, 1 - x))
    return ucb


@pytest.mark.parametrize("sampling", SAMPLING)
@pytest.mark.parametrize("confidence", ["hoeffding", "clopper-pearson"])
def test_every_scheme_learns_the_graph(sampling: str, confidence: str) -> None:
    ucb = eq.ResponseGraphUCB((2, 2), delta=0.01, sampling=sampling, confidence=confidence, rng=3)  # type: ignore[arg-type]
    graph = play(ucb, seed=3).graph()
    truth = eq.response_graph(eq.MetaGame.from_payoffs([WIN, 1 - WIN], [["0", "1"], ["0", "1"]]))
    assert {f"({', '.join(a)})->({', '.join(b)})" for a, b in graph.edges} == {f"{e[0]}->{e[1]}" for e in truth.edges}
    assert not graph.unresolved


def test_hoeffding_resolves_exactly_when_the_intervals_part() -> None:
    ucb = eq.ResponseGraphUCB(["a", "b"], constant_sum=1.0, delta=0.1)
    half = lambda n: np.sqrt(np.log(20) / (2 * n))  # noqa: E731  # the formula of appendix F
    for n in range(1, 6):
        ucb.tell(("a", "b"), 1.0)
        assert ucb.done == (1 - half(n) > 0.5)
    ucb.tell(("a", "b"), 1.0)
    assert ucb.done


@pytest.mark.parametrize("options", [{"relaxation": 0.2}, {"confidence": "clopper-pearson"}])
def test_relaxed_and_exact_forms_need_fewer_games(options: dict[str, object]) -> None:
    plain = np.mean([play(eq.ResponseGraphUCB((2, 2), rng=s), s).games for s in range(8)])
    fewer = np.mean([play(eq.ResponseGraphUCB((2, 2), rng=s, **options), s).games for s in range(8)])  # type: ignore[arg-type]
    assert fewer < plain


@pytest.mark.parametrize(
    "options", [{"union_bound": True}, {"time_dependent": True}, {"exploration": 0.5}, {"delta": 0.001}]
)
def test_stricter_forms_need_more_games(options: dict[str, object]) -> None:
    plain = np.mean([play(eq.ResponseGraphUCB((2, 2), rng=s), s).games for s in range(3)])
    more = np.mean([play(eq.ResponseGraphUCB((2, 2), rng=s, **options), s).games for s in range(3)])  # type: ignore[arg-type]
    assert more > plain


def test_only_the_full_form_claims_a_guarantee() -> None:
    full = eq.ResponseGraphUCB((2, 2), union_bound=True, time_dependent=True)
    assert "0.9" in full.guarantee
    relaxed = {"union_bound": True, "time_dependent": True, "relaxation": 0.1}
    for options in ({}, {"union_bound": True}, {"time_dependent": True}, relaxed):
        assert eq.ResponseGraphUCB((2, 2), **options).guarantee.startswith("none")  # type: ignore[arg-type]


def test_the_delta_of_the_full_form_is_the_theorem_s() -> None:
    ucb = eq.ResponseGraphUCB((3, 2), delta=0.2, union_bound=True, time_dependent=True)
    assert ucb._evidence.delta(10) == pytest.approx(6 * 0.2 / (np.pi**2 * 6 * 3 * 10**3))


def test_symmetry_leaves_one_payoff_of_the_two_by_two_game() -> None:
    layout = payoff_cells((2, 2), symmetric=True, constant_sum=1.0)
    assert layout.profiles == ((0, 1),)
    assert layout.cells == 1
    assert len(layout.edges) == 4
    ucb = eq.ResponseGraphUCB((2, 2), symmetric=True, constant_sum=1.0)
    ucb.tell((1, 0), (0.0, 1.0))  # the other seat order is the same observation
    ucb.tell((0, 1), (1.0, 0.0))
    assert {round(e.gap, 6) for e in ucb.graph().unresolved} == {-0.5}  # moving from 0 to 1 loses everywhere


def test_symmetric_players_of_one_game_count_once() -> None:
    ucb = eq.ResponseGraphUCB((2, 2), symmetric=True)
    ucb.tell((0, 0), (1.0, 0.0))
    cell = ucb._layout.observes[ucb._reader.number[0, 0]][0].cell
    assert ucb._evidence.count[cell] == 1
    assert ucb._evidence.total[cell] == 0.5


def test_the_exact_interval_of_symmetric_players_counts_wins_only() -> None:
    ucb = eq.ResponseGraphUCB((2, 2), symmetric=True, confidence="clopper-pearson")
    ucb.tell((0, 0), (1.0, 0.0))
    cell = ucb._layout.observes[ucb._reader.number[0, 0]][0].cell
    assert (ucb._evidence.count[cell], ucb._evidence.total[cell]) == (1, 1.0)


def test_three_symmetric_players_share_their_payoffs() -> None:
    assert payoff_cells((2, 2, 2), symmetric=True, constant_sum=None).cells == 6
    assert payoff_cells((2, 2, 2), symmetric=False, constant_sum=None).cells == 24
    assert payoff_cells((2, 2, 2), symmetric=True, constant_sum=0.0).cells == 4


def test_one_population_without_a_constant_sum_needs_both_payoffs() -> None:
    ucb = eq.ResponseGraphUCB(["hawk", "dove"], payoff_range=(0, 4), rng=0)
    while not ucb.done:
        ucb.tell(ucb.ask(), (4.0, 1.0))
    assert ucb.graph().edges == ((("dove",), ("hawk",)),)


def test_a_proposal_says_why() -> None:
    ucb = eq.ResponseGraphUCB([["a", "b"], ["x", "y"]])
    first = ucb.ask()
    assert first.edge is None
    assert "never played" in first.reason
    for profile in ((0, 0), (0, 1), (1, 0), (1, 1)):
        ucb.tell(profile, (0.5, 0.5))
    proposal = ucb.ask()
    assert proposal.edge is not None
    assert proposal.edge.overlap > 0
    assert proposal.names in {("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")}
    assert "overlap" in proposal.reason


def test_equal_payoffs_end_with_the_budget_and_stay_unresolved() -> None:
    ucb = play(eq.ResponseGraphUCB((2, 2), budget=60, delta=1e-6, rng=0), win=np.full((2, 2), 0.5))
    assert ucb.games == 60
    assert len(ucb.graph().unresolved) == 4
    assert ucb.graph().edges == ()
    assert ucb.graph().to_dict()["unresolved"] == 4
    with pytest.raises(eq.ParameterError, match="nothing left"):
        ucb.ask()


def test_a_batch_visits_fresh_profiles_first_and_respects_the_budget() -> None:
    ucb = eq.ResponseGraphUCB((2, 2), budget=6, rng=0)
    batch = ucb.ask(10)
    assert len(batch) == 6
    assert {p.profile for p in batch[:4]} == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize("sampling", SAMPLING)
def test_a_saved_state_goes_on_with_the_same_proposals(sampling: str) -> None:
    one = eq.ResponseGraphUCB((2, 3), sampling=sampling, rng=9)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    for _ in range(40):
        one.tell(one.ask(), rng.random(2))
    two = eq.ResponseGraphUCB.from_state(json.loads(json.dumps(one.state(), allow_nan=False)))
    three = pickle.loads(pickle.dumps(one))  # ours, just written
    for _ in range(20):
        profiles = {machine.ask().profile for machine in (one, two, three)}
        assert len(profiles) == 1
        payoffs = rng.random(2)
        for machine in (one, two, three):
            machine.tell(profiles.copy().pop(), payoffs)


def test_the_running_count_of_open_edges_is_right() -> None:
    ucb = eq.ResponseGraphUCB((2, 3), sampling="valence-weighted", rng=2)
    rng = np.random.default_rng(2)
    while not ucb.done:
        proposal = ucb.ask()
        ucb.tell(proposal, (rng.random() ** (1 + proposal.profile[0]), rng.random() ** (1 + proposal.profile[1])))
        np.testing.assert_array_equal(ucb._open.valence, ucb._open.count_valence())
    assert not ucb._open.valence.any()


def test_telling_a_mean_of_games_equals_telling_them_one_by_one() -> None:
    one, many = eq.ResponseGraphUCB((2, 2)), eq.ResponseGraphUCB((2, 2))
    for x in (1.0, 0.0, 1.0, 1.0):
        one.tell((0, 1), (x, 1 - x))
    many.tell((0, 1), (0.75, 0.25), games=4)
    np.testing.assert_allclose(one._evidence.total, many._evidence.total)
    assert one.games == many.games == 4


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: eq.ResponseGraphUCB((1, 2)), "two strategies"),
        (lambda: eq.ResponseGraphUCB(()), "takes a number of strategies or their names"),
        (lambda: eq.ResponseGraphUCB((2, 2), delta=0.0), "delta"),
        (lambda: eq.ResponseGraphUCB((2, 2), sampling="exhaustive"), "sampling"),  # type: ignore[arg-type]
        (lambda: eq.ResponseGraphUCB((2, 3), symmetric=True), "same strategies"),
        (lambda: eq.ResponseGraphUCB((2, 2), payoff_range=(1, 0)), "payoff_range"),
        (lambda: eq.ResponseGraphUCB((2, 2), budget=0), "budget"),
        (lambda: eq.ResponseGraphUCB((2, 2)).tell((0, 1), (1.5, 0.0)), "outside the stated range"),
        (lambda: eq.ResponseGraphUCB((2, 2)).tell((0, 1), (np.nan, 0.0)), "outside the stated range"),
        (lambda: eq.ResponseGraphUCB((2, 2)).tell((0, 1), (1.0,)), "payoffs for 2 players"),
        (lambda: eq.ResponseGraphUCB((2, 2)).tell((0, 7), (1.0, 0.0)), "no strategy"),
        (lambda: eq.ResponseGraphUCB((2, 2), constant_sum=1.0).tell((0, 1), (1.0, 1.0)), "add up"),
        (lambda: eq.ResponseGraphUCB(["a", "b"]).tell(("a", "a"), (1.0, 0.0)), "itself"),
        (lambda: eq.ResponseGraphUCB((2, 2), confidence="clopper-pearson").tell((0, 1), (0.5, 0.5)), "wins"),
        (lambda: eq.ResponseGraphUCB((2, 2)).tell((0, 1), (1.0, 0.0), games=0), "games"),
    ],
)
def test_bad_input_gets_one_clear_line(call: object, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words) as error:
        call()  # type: ignore[operator]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "strategies", [None, 1.5, True, {"a": 2}, [2, "a"], [["a", "b"], 3], [], "a", [1], np.zeros(2)]
)
def test_strategies_that_are_none_are_refused(strategies: object) -> None:
    with pytest.raises(eq.EquipoiseError) as caught:
        eq.ResponseGraphUCB(strategies)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delta": 1.0}, "delta is a number between 0 and 1, not 1.0"),
        ({"sampling": "uniforn"}, 'sampling is uniform, .* \\(did you mean "uniform"'),
        ({"budget": 2.5}, "budget is a whole number of at least 1, not 2.5"),
        ({"relaxation": -1.0}, "relaxation is a number of at least 0"),
        ({"relaxation": math.inf}, "relaxation is a finite number"),
        ({"union_bound": "yes"}, "union_bound is True or False"),
        ({"payoff_range": 3}, "payoff_range is an array or a list, not 3"),
        ({"payoff_range": ("a", "b")}, "payoff_range is a least and a greatest payoff"),
        ({"constant_sum": "a"}, "constant_sum is a number"),
        ({"rng": 1.5}, "rng is a seed"),
    ],
)
def test_options_are_checked_with_the_wording_of_the_methods(options: dict, words: str) -> None:
    with pytest.raises(eq.ParameterError, match=words):
        eq.ResponseGraphUCB((2, 2), **options)


@pytest.mark.parametrize("payoffs", [None, "a", ["a", "b"], [None, 1.0], math.nan, (0.5,), (0.1, 0.2, 0.3)])
def test_payoffs_that_are_no_numbers_are_refused(payoffs: object) -> None:
    with pytest.raises(eq.DataError):
        eq.ResponseGraphUCB((2, 2)).tell((0, 0), payoffs)  # type: ignore[arg-type]


def test_the_graph_says_how_far_it_is_known_and_what_may_be_claimed() -> None:
    ucb = eq.ResponseGraphUCB((2, 2), delta=0.1, union_bound=True, time_dependent=True)
    ucb.tell((0, 0), (1.0, 0.0))
    resolved, claim = ucb.graph().words
    assert resolved == "0 edges are resolved, 4 are not, after 1 games."
    assert claim == "Guarantee: all resolved edges are right with probability at least 0.9."
