"""The contest of agents with calibrated items, and the evidence behind it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.arena.contests.contest import ContestOptions
from equipoise.arena.contests.make import contest_from_state, make_contest
from equipoise.items.scoring.ability_evidence import AbilityEvidence, AbilityGrid
from equipoise.items.scoring.calibration import Calibration

RNG = np.random.default_rng(0)
ITEMS = [f"q{k}" for k in range(120)]
BANK = Calibration.from_parameters(
    ITEMS, difficulty=RNG.normal(0, 1.2, 120), discrimination=np.where(np.arange(120) % 10, 1.3, -0.8)
)


def chance(ability: float, item: str) -> float:
    return float(BANK.probability(ability)[ITEMS.index(item)])


def sit(one, abilities, rng, *, workers=1, most=2000):
    number, playing = 0, []
    while number < most:
        while len(playing) < workers and (proposal := one.propose(number)):
            one.opened(number, proposal.players, proposal.task)
            playing.append((number, proposal.players[0], proposal.task))
            number += 1
        if not playing:
            break
        block, who, item = playing.pop(int(rng.integers(len(playing))))
        one.closed(block, {who: float(rng.random() < chance(abilities[who], item))})
    return number


def contest(criterion, names=("a",), **options):
    return make_contest(list(names), ContestOptions(goal="ability", criterion=criterion, **options), calibration=BANK)


def test_an_able_agent_passes_and_a_weak_one_fails():
    one = contest("pass:0.0", ("a", "b"))
    sit(one, {"a": 1.5, "b": -1.5}, np.random.default_rng(1), workers=4)
    said = {d.first: d.sentence for d in one.decisions}
    assert said["a"].startswith("a passes 0.0")
    assert said["b"].startswith("b fails 0.0")
    assert one.progress().ending == "decided"
    assert one.propose(999) is None


def test_the_better_of_two_agents_is_found():
    one = contest("better:x", ("x", "a", "b"))
    sit(one, {"x": 0.0, "a": 2.0, "b": -2.0}, np.random.default_rng(2), workers=3)
    assert {(d.kind, d.first, d.second) for d in one.decisions} == {("better", "a", "x"), ("better", "x", "b")}


def test_the_forecast_of_a_comparison_is_about_the_distance_between_the_two():
    """Who answers alike has no end in sight; who answers otherwise has one, and it is near."""

    def answered(other, items):
        one, abilities = contest("better:x", ("x", "a")), {"a": 1.0, "x": other}
        for number in range(items):
            proposal = one.propose(number)
            if proposal is None:
                return number
            (who,) = proposal.players
            one.opened(number, proposal.players, proposal.task)
            one.closed(number, {who: float(chance(abilities[who], proposal.task) > 0.5)})
        return one.progress().forecast

    assert answered(1.0, 16) is None
    forecast, needed = answered(-1.0, 16), answered(-1.0, 200) - 16
    assert forecast.high <= 2 * needed


def test_an_error_that_is_small_enough_ends_it():
    one = contest("error:0.35")
    asked = sit(one, {"a": 0.7}, np.random.default_rng(3))
    assert one.progress().ending == "decided"
    limits = one.limits("a")
    assert limits.low < 0.7 < limits.high
    assert 10 < asked < 60


def test_items_run_out_and_are_never_asked_twice():
    one = contest("pass:0.0")
    asked = set()
    for number in range(121):
        proposal = one.propose(number)
        if proposal is None:
            break
        assert proposal.task not in asked
        asked.add(proposal.task)
        one.opened(number, proposal.players, proposal.task)
        one.closed(number, {"a": 0.5})
    assert len(asked) == 120
    assert (one.progress().answered, one.progress().ending) == (True, "no items left")


@given(st.lists(st.tuples(st.integers(0, 119), st.sampled_from([0.0, 1.0, 0.5, None])), max_size=15))
@settings(max_examples=30, deadline=None)
def test_evidence_is_the_likelihood_ratio_item_by_item(answers):
    grid = AbilityGrid(BANK.parameters, 1.0, bar=0.3)
    evidence = AbilityEvidence(grid)
    for item, score in answers:
        evidence.add_void(item) if score is None else evidence.add(item, score)
    nodes = grid.nodes
    table = BANK.probability(nodes)
    weight = np.exp(grid.log_weight)
    at = int(np.searchsorted(nodes, 0.3))
    assert nodes[at] == 0.3
    for side, rows in ((0, range(at + 1, nodes.size)), (1, range(at))):
        total, weights = 0.0, 0.0
        for k in rows:
            ratio = 1.0
            for item, score in answers:
                up = (BANK.discrimination[item] > 0) == (side == 1)
                x = (1.0 if up else 0.0) if score is None else score
                p, q = table[k, item], table[at, item]
                ratio *= (p / q) ** x * ((1 - p) / (1 - q)) ** (1 - x)
            total += weight[k] * ratio
            weights += weight[k]
        assert evidence.log_evidence()[side][at] == pytest.approx(np.log(total / weights), abs=1e-6)


@pytest.mark.parametrize("ability", [-2.0, -0.5, 0.29])
def test_evidence_against_a_low_ability_is_a_fair_bet_or_worse_below_the_bar(ability):
    """All answers to three items, weighed by their chances at an ability below the bar."""
    grid = AbilityGrid(BANK.parameters, 1.0, bar=0.3)
    at, items = int(np.searchsorted(grid.nodes, 0.3)), (0, 3, 10)
    mean = 0.0
    for answers in np.ndindex(2, 2, 2):
        evidence = AbilityEvidence(grid)
        likely = 1.0
        for item, x in zip(items, answers, strict=True):
            evidence.add(item, float(x))
            p = chance(ability, ITEMS[item])
            likely *= p if x else 1 - p
        mean += likely * np.exp(evidence.log_evidence()[0][at])
    assert mean <= 1.0 + 1e-9


@given(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=20, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_decisions_do_not_depend_on_the_order_in_which_answers_arrive(scores, random):
    one, two = contest("pass:0.2", level=0.6), contest("pass:0.2", level=0.6)
    playing = []
    for number, score in enumerate(scores):
        given_ = None if score is None else {"a": score}
        for single in (one, two):
            single.opened(number, ("a",), ITEMS[number])
        one.closed(number, given_)
        playing.append((number, given_))
        if len(playing) == 6:
            two.closed(*playing.pop(random.randrange(6)))
    random.shuffle(playing)
    for block in playing:
        two.closed(*block)
    assert one.decisions == two.decisions


def test_a_forecast_reaches_over_abilities_a_standard_error_off():
    one = contest("pass:0.0", ("a", "b"))
    sit(one, {"a": 0.4, "b": -0.4}, np.random.default_rng(1), most=20)
    left = one.progress().forecast
    assert left.low < left.expected < left.high


def test_an_exclusion_withdraws_what_the_answers_carried():
    one = contest("pass:-0.5", level=0.8)
    number = 0
    while not one.decisions:
        one.opened(number, ("a",), ITEMS[number])
        one.closed(number, {"a": float(BANK.discrimination[number] > 0)})
        number += 1
    assert one.decisions[0].status == "holds"
    changed = ()
    for block in range(number):
        changed += one.voided(block, ("a",), ITEMS[block], {"a": float(BANK.discrimination[block] > 0)})
    assert changed[0].status == "withdrawn"
    assert not one.progress().answered
    low, high = one.limits("a")
    assert (low, high) == (-np.inf, np.inf)


def test_it_goes_on_from_its_state():
    one = contest("pass:0.1", ("a", "b"), seed=3, budget=40)
    rng = np.random.default_rng(5)
    playing = []
    for number in range(45):
        saved = json.dumps(one.state(), allow_nan=False)
        two = contest_from_state(json.loads(saved), BANK)
        assert json.dumps(two.state()) == saved
        proposal = one.propose(number)
        assert two.propose(number) == proposal
        if proposal is None:
            break
        one.opened(number, proposal.players, proposal.task)
        playing.append((number, proposal.players[0]))
        if len(playing) == 3:
            block, who = playing.pop(int(rng.integers(3)))
            one.closed(block, {who: float(rng.random() < 0.6)})
    with pytest.raises(eq.ParameterError, match="calibration"):
        contest_from_state(one.state())


def test_limits_are_those_of_a_search_over_all_bars():
    grid = AbilityGrid(BANK.parameters, 1.0)
    evidence = AbilityEvidence(grid)
    rng = np.random.default_rng(9)
    for item in range(60):
        evidence.add(item, float(rng.random() < chance(0.4, ITEMS[item])))
    low, high = evidence.limits(np.log(40))
    mine = evidence.log_evidence()
    assert (mine[0][grid.nodes <= low] >= np.log(40)).all()
    assert mine[0][grid.nodes > low][0] < np.log(40)
    assert (mine[1][grid.nodes >= high] >= np.log(40)).all()
    assert low < 0.4 < high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: contest("passes:1"), "pass:BAR"),
        (lambda: contest("pass:high"), "pass:BAR"),
        (lambda: contest("error:-1"), "pass:BAR"),
        (lambda: contest("better:z", ("a", "b")), "no other player"),
        (lambda: make_contest(["a"], ContestOptions(goal="ability")), "calibration"),
        (lambda: contest("pass:0").opened(0, ("a",), "nope"), "no item"),
        (lambda: contest("pass:0").opened(0, ("z",), "q1"), "no player"),
        (lambda: contest("pass:0").added("z"), "cannot join"),
        (lambda: contest("pass:0").closed(3, None), "not open"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_clear_line(call, words):
    with pytest.raises(eq.EquipoiseError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
