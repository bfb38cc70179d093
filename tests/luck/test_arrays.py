"""What is no array of numbers is refused in one line by every method that takes arrays."""

from collections.abc import Callable

import numpy as np
import pytest

import equipoise as eq

GOOD = np.random.default_rng(0).normal(size=(12, 2))
COSTS = {"hand_cost": 1.0, "control_cost": 1.0, "budget": 10.0}
METHODS: dict[str, Callable[..., object]] = {
    "control_variates": eq.control_variates,
    "antithetic": eq.methods.antithetic,
    "advantage_sum": eq.advantage_sum,
    "learn_value": lambda x, y: eq.methods.learn_value(y, x),
    "plan_hands": lambda x, y: eq.methods.plan_hands(x, y, hands=20, n=10),
    "split_budget": lambda x, y: eq.methods.split_budget(x, y, **COSTS),
}
NONSENSE: dict[str, object] = {
    "nothing": None,
    "a word": "abc",
    "words": ["a"] * 12,
    "numbers in words": ["1"] * 6 + ["2"] * 6,
    "mixed": [1.0, "2"] * 6,
    "one number": 3.0,
    "a mapping": {"a": 1.0},
    "ragged": [[1.0], [1.0, 2.0]] * 6,
    "three axes": np.zeros((12, 2, 2)),
    "too short": GOOD[:5, 0],
    "missing": [None, *GOOD[1:, 0]],
    "infinite": [np.inf, *GOOD[1:, 0]],
    "complex": GOOD[:, 0] + 1j,
    "dates": np.array(["2020-01-01"] * 12, dtype="datetime64[D]"),
    "empty": [],
    "no columns": np.zeros((12, 0)),
}


@pytest.mark.parametrize("place", ["first", "second"])
@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.parametrize("name", METHODS)
def test_nonsense_is_answered_in_one_line(name: str, nonsense: object, place: str) -> None:
    x, y = (nonsense, GOOD) if place == "first" else (GOOD[:, 0], nonsense)
    with pytest.raises(eq.EquipoiseError) as caught:
        METHODS[name](x, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", METHODS)
def test_good_arrays_pass(name: str) -> None:
    METHODS[name](GOOD[:, 0] + np.arange(12), GOOD)


@pytest.mark.parametrize("labels", [3, "abc", [[1], [1, 2]] * 6, [1, None, "a"] * 4, [1, 2]])
@pytest.mark.parametrize("method", [eq.control_variates, eq.advantage_sum])
def test_labels_that_group_nothing_are_refused(method: Callable[..., object], labels: object) -> None:
    option = "cluster" if method is eq.control_variates else "deal"
    with pytest.raises((eq.DataError, eq.ParameterError), match=option):
        method(GOOD[:, 0] + np.arange(12), GOOD[:, 1], **{option: labels})


@pytest.mark.parametrize("options", [{"mean": "a"}, {"mean": None}, {"mean_stderr": -1.0}, {"coefficient": None}])
def test_options_for_each_control_are_numbers(options: dict[str, object]) -> None:
    with pytest.raises(eq.ParameterError, match=next(iter(options))):
        eq.control_variates(GOOD[:, 0], GOOD[:, 1], **options)


@pytest.mark.parametrize("names", [3, "ab", ["a"]])
def test_features_have_a_name_each(names: object) -> None:
    with pytest.raises(eq.ParameterError, match="names"):
        eq.methods.learn_value(GOOD, GOOD[:, 0] + np.arange(12), names=names)


def test_learnt_luck_refuses_nonsense() -> None:
    learnt = eq.methods.learn_value(GOOD, GOOD[:, 0] + np.arange(12))
    for nonsense in (None, "ab", [["a", "b"]], [[np.nan, 1.0]]):
        with pytest.raises(eq.DataError, match="luck features"):
            learnt.luck(nonsense)
    assert learnt.luck(GOOD[0]).shape == ()


def test_a_control_that_explains_everything_leaves_nothing_to_plan() -> None:
    with pytest.raises(eq.DataError, match="no noise left"):
        eq.methods.plan_hands(np.arange(8.0), np.arange(8.0), hands=20)


def test_a_pilot_with_a_single_win_is_planned_from() -> None:
    rng = np.random.default_rng(1)
    plan = eq.methods.plan_hands([0.0] * 9 + [1.0], rng.normal(size=10), half_width=0.1)
    assert np.isfinite([plan.reduction_low, plan.reduction_high]).all()
