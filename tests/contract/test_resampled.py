"""Every method can be bootstrapped on every kind of data it takes, or says in one line why not."""

import inspect

import numpy as np
import pytest

import equipoise as eq
from tests.contract.cases import CASES, REFUSED, SECOND, attempt

UNITS = {"matches": "matches", "pairs": "matches", "scores": "tasks"}
RESAMPLED = [case for case in CASES if case.kind in UNITS and (case.method.name, case.shape) not in REFUSED]


def bound(case):
    """Give the method as a function of its data only, quick, and still known as what it declares itself to be."""

    def method(data):
        return case.run(data)

    method.__signature__ = inspect.signature(case.method.function)
    method.__annotations__ = {"data": next(iter(inspect.get_annotations(case.method.function).values()))}
    method.__name__ = case.method.name
    method.declaration = case.method.declared
    return method


@pytest.mark.parametrize("case", RESAMPLED, ids=lambda case: case.name)
def test_a_method_is_bootstrapped_or_says_why_not(case):
    reason = case.method.declared.resampled
    result = attempt(lambda: eq.bootstrap(bound(case), case.data(), n=4, over=UNITS[case.kind]))
    if reason is not True:
        assert isinstance(result, eq.EquipoiseError)
        assert str(reason) in str(result)
        return
    assert isinstance(result, eq.results.Bootstrap), str(result)
    assert result.replicates.shape == (4, *np.shape(getattr(case.result, case.result.main)))
    assert len(result.frame()) == len(result.estimate)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.kind in ("metagame", "episodes", "array", "calibration")],
    ids=lambda case: case.name,
)
def test_data_that_cannot_be_resampled_are_refused(case):
    data = case.data() if case.kind != "array" else np.eye(3)
    with pytest.raises(eq.EquipoiseError, match="bootstrap takes"):
        eq.bootstrap(case.method.function, data, n=4)


@pytest.mark.parametrize("case", RESAMPLED, ids=lambda case: case.name)
def test_an_unknown_statistic_is_refused(case):
    with pytest.raises(eq.EquipoiseError) as error:
        eq.bootstrap(bound(case), case.data(), n=4, over=UNITS[case.kind], statistic="nonsense")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", sorted(SECOND))
def test_a_method_with_a_second_argument_says_that_it_needs_it(name):
    method = next(case for case in CASES if case.method.name == name)
    if method.kind == "scores":
        with pytest.raises(eq.EquipoiseError):
            eq.bootstrap(method.method.function, method.data(), n=4, over="tasks")
