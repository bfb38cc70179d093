"""Options that make no sense: a ParameterError for every option of every method, read from the signatures."""

import inspect
from typing import get_type_hints

import pytest

import equipoise as eq
from equipoise.core.options import from_annotation
from tests.contract.cases import METHODS, called, nonsense, right_data

WRONG = [(method, option, value) for method in METHODS for option, value in nonsense(method)]


def named(value):
    return getattr(value, "name", None) or (type(value).__name__ if type(value) is object else str(value))


@pytest.mark.parametrize(("method", "option", "value"), WRONG, ids=named)
def test_an_option_that_makes_no_sense_is_refused(method, option, value):
    with pytest.raises(eq.EquipoiseError) as error:
        called(method, right_data(method), **{option: value})
    assert "\n" not in str(error.value)
    # A text may be a list of names, one letter each: then it is the data that speak against it.
    if value != "nonsense" or from_annotation(option, hint(method, option)).words:
        assert isinstance(error.value, eq.ParameterError)
        assert option in str(error.value)


def hint(method, option):
    return get_type_hints(method.function.__init__ if isinstance(method.function, type) else method.function)[option]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_misspelt_option_is_refused(method):
    with pytest.raises(TypeError, match="lvel"):
        called(method, right_data(method), lvel=0.9)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_option_is_annotated_with_what_can_be_read(method):
    function = method.function.__init__ if isinstance(method.function, type) else method.function
    assert get_type_hints(function)
    bare = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name != "self" and parameter.annotation is parameter.empty
    ]
    assert not bare
