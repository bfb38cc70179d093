"""The wrong kind of data: one clear error, whatever the method and whatever it is given."""

import pytest

import equipoise as eq
from equipoise.core.declaration import DATA_WORDS
from tests.contract.cases import (
    ARRAYS,
    CASES,
    METHODS,
    NOT_A_METHOD_OF_ITS_OWN,
    REFUSED,
    SECOND,
    attempt,
    called,
    others,
    right_data,
    settings,
    wrong_data,
)

WRONG = [(method, name) for method in METHODS for name in wrong_data(method)]


def one_line(error: Exception) -> str:
    text = str(error)
    assert text.strip()
    assert "\n" not in text
    return text


@pytest.mark.parametrize(("method", "what"), WRONG, ids=lambda value: getattr(value, "name", value))
def test_the_wrong_kind_of_data_is_named_in_one_line(method, what):
    with pytest.raises(eq.EquipoiseError) as error:
        called(method, wrong_data(method)[what])
    text = one_line(error.value)
    assert method.name in text
    assert any(DATA_WORDS[kind] in text for kind in method.declared.takes)


def test_every_kind_that_the_catalogue_lists_has_data_here():
    assert {kind for method in METHODS for kind in method.declared.takes} <= set(DATA_WORDS)
    assert {(case.method.name, case.kind) for case in CASES} >= {
        (method.name, kind)
        for method in METHODS
        if method.name not in NOT_A_METHOD_OF_ITS_OWN
        for kind in method.declared.takes
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_kind_that_the_catalogue_lists_is_taken(case):
    """What the data themselves cannot carry (two populations, say) is refused with its reason, not as a wrong kind."""
    result = attempt(case.run)
    refused = isinstance(result, eq.EquipoiseError)
    assert refused == ((case.method.name, case.shape) in REFUSED), str(result)
    assert not refused or DATA_WORDS[case.kind] not in str(result)


TAKES_TWO = [method for method in METHODS if method.name in SECOND]


@pytest.mark.parametrize("method", TAKES_TWO, ids=lambda method: method.name)
@pytest.mark.parametrize("second", [None, 42, "text", object()], ids=["None", "42", "text", "object"])
def test_a_wrong_second_argument_is_refused(method, second):
    data = right_data(method)
    rest = others(method, data, "answers")[1:]
    with pytest.raises(eq.EquipoiseError) as error:
        method.function(data, second, *rest)
    one_line(error.value)


ARRAYS_OF_TWO = [case for case in CASES if case.kind == "array" and case.method.declared.takes == ("array",)]


@pytest.mark.parametrize("case", ARRAYS_OF_TWO, ids=lambda case: case.method.name)
@pytest.mark.parametrize(
    "second", [None, "text", object(), ["text"], [[]]], ids=["None", "text", "object", "list", "empty"]
)
def test_a_wrong_second_array_is_refused(case, second):
    first, *rest = ARRAYS[case.method.name]()
    if not rest:
        return
    with pytest.raises(eq.EquipoiseError) as error:
        case.method.function(first, second, **settings(case.method))
    assert case.method.name in one_line(error.value)


def test_bootstrap_refuses_what_is_no_method():
    for wrong in (None, 42, "elo"):
        with pytest.raises(eq.EquipoiseError, match="bootstrap"):
            eq.bootstrap(wrong, right_data(METHODS[0]))
