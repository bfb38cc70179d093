"""Names that were public keep working for one version, and say what they are called now."""

import inspect
from importlib import import_module

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.catalogue import catalogue
from equipoise.core.results import FORMER_ATTRIBUTES
from tests.contract.cases import CASES, NOT_A_METHOD_OF_ITS_OWN

FORMER = sorted(eq._FORMER.items())
RENAMED = [
    (method, old, new)
    for method in catalogue()
    for old, new in method.declared.renamed.items()
    if method.name not in NOT_A_METHOD_OF_ITS_OWN
]


@pytest.mark.parametrize(("old", "now"), FORMER)
def test_a_former_name_gives_what_it_is_called_now(old, now):
    module, _, name = now.rpartition(".")
    with pytest.warns(DeprecationWarning, match=rf"equipoise\.{old} is now {now}") as caught:
        former = getattr(eq, old)
    assert caught[0].filename == __file__, "the warning points at the line that uses the old name"
    assert former is getattr(import_module(module), name)
    assert name in getattr(import_module(module), "__all__", eq.__all__)
    assert old not in eq.__all__
    assert not any(part.startswith("_") for part in now.split("."))


@pytest.mark.parametrize(("method", "old", "new"), RENAMED, ids=lambda value: getattr(value, "name", value))
def test_a_former_option_does_what_it_did(method, old, new):
    (case, *_) = [case for case in CASES if case.method.name == method.name]
    if new == "data":
        with pytest.warns(DeprecationWarning, match=rf"{method.name}\({old}=\.\.\.\) is now data=\.\.\."):
            former = case.run(by_name=old)
        assert former.frame().equals(case.result.frame(), null_equal=True)
        return
    default = inspect.signature(method.function).parameters[new].default
    value = case.settings().get(new, default)
    with pytest.warns(DeprecationWarning, match=rf"{method.name}\({old}=\.\.\.\) is now {new}=\.\.\."):
        former = case.run(without=new, **{old: value})
    assert former.frame().equals(case.run(**{new: value}).frame(), null_equal=True)


@pytest.mark.parametrize(("method", "old", "new"), RENAMED, ids=lambda value: getattr(value, "name", value))
def test_a_former_option_beside_its_new_name_is_refused(method, old, new):
    (case, *_) = [case for case in CASES if case.method.name == method.name]
    with pytest.raises(eq.ParameterError, match=f"{old} is the former name of {new}"):
        method.function(case.data() if case.kind != "array" else [1.0], **{old: 1, new: 1})


def test_former_names_of_options_work_where_a_method_has_some():
    @eq.method(takes="array", answers="?", reference="?", renamed={"resamples": "n"})
    def count(x, *, n: int = 3):
        return n

    with pytest.warns(DeprecationWarning, match=r"count\(resamples=\.\.\.\) is now n=\.\.\.; the old name goes in"):
        assert count([1.0], resamples=5) == 5
    with (
        pytest.warns(DeprecationWarning, match="is now n"),
        pytest.raises(eq.ParameterError, match=r"^n is a whole number"),
    ):
        count([1.0], resamples=2.5)
    with pytest.raises(eq.ParameterError, match="resamples is the former name of n"):
        count([1.0], resamples=5, n=4)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError):
        eq.nonsense  # noqa: B018


def test_the_former_name_of_what_a_bootstrap_draws_still_works():
    scores = eq.Scores.from_matrix([[0.1, 0.5, 0.9], [0.2, 0.4, 0.1]])
    with pytest.warns(DeprecationWarning, match="is now resample="):
        former = eq.nash_average(scores, n=4, unit="task")
    assert former.params["resample"] == "task"
    with pytest.warns(DeprecationWarning, match="is now resample="):
        assert eq.weigh_tasks(scores, n=4, unit="task").params["resample"] == "task"


def test_a_bootstrap_takes_its_unit_by_either_name():
    scores = eq.Scores.from_matrix([[0.1, 0.5, 0.9], [0.2, 0.4, 0.1]])
    one, other = (
        eq.bootstrap(eq.nash_average, scores, n=4, statistic="skill", **{name: "task"}) for name in ("unit", "resample")
    )
    np.testing.assert_array_equal(one.replicates, other.replicates)
    with pytest.raises(eq.ParameterError, match="unit is another name of resample"):
        eq.bootstrap(eq.nash_average, scores, unit="task", resample="task")


GAMES = eq.Matches.from_columns("aabbcc" * 10, "bcacab" * 10, [1, 1, 0, 1, 0, 1] * 10, task="st" * 30)
FORMER_RESULTS = {
    ("PairComparison", "comparison"): lambda: eq.compare_agents(GAMES, "a", "b"),
    ("CategoryBoards", "boards"): lambda: eq.rank_by_category(GAMES, "task"),
    ("Plan", "plan"): lambda: eq.plan_games(GAMES),
    ("LengthControlled", "controlled"): lambda: eq.control_length(
        pl.DataFrame(
            {
                "model_a": ["new"] * 60,
                "model_b": ["old"] * 60,
                "winner": ["a", "b", "b"] * 20,
                "length_a": [300 + 40 * (k % 7) for k in range(60)],
                "length_b": [400] * 60,
            }
        ),
        baseline="old",
    ),
}


@pytest.mark.parametrize("key", FORMER_ATTRIBUTES, ids=".".join)
def test_a_former_attribute_gives_what_it_was_and_says_what_it_is_now(key):
    result = FORMER_RESULTS[key]()
    with pytest.warns(DeprecationWarning, match=rf"{key[0]}\.{key[1]} is now .*ends in version 0\.4") as caught:
        former = getattr(result, key[1])
    assert caught[0].filename == __file__
    assert former is (getattr(result, FORMER_ATTRIBUTES[key]) if FORMER_ATTRIBUTES[key] else result)


def test_an_attribute_that_never_was_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        eq.compare_agents(GAMES, "a", "b").nonsense  # noqa: B018
