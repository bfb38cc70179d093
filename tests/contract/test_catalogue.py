"""The catalogue, the exports and the docs agree."""

import inspect
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.catalogue import catalogue

DOCS = Path(__file__).parents[2] / "docs" / "methods"

each_method = pytest.mark.parametrize("method", catalogue(), ids=lambda method: method.name)


@each_method
def test_a_method_is_exported(method):
    assert getattr(eq, method.name) is method.function
    assert method.name in eq.__all__


@each_method
def test_a_method_has_a_page(method):
    assert (DOCS / f"{method.name.replace('_', '-')}.md").exists()


@each_method
def test_parameters_after_the_data_are_keyword_only_and_none_swallows_the_rest(method):
    parameters = list(inspect.signature(method.function).parameters.values())
    # What comes first has no default: the data (x and y, say), or the method that bootstrap runs.
    lead = sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    assert 1 <= lead <= 2
    assert all(parameter.default is parameter.empty for parameter in parameters[:lead])
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters[lead:])


@each_method
def test_a_docstring_says_when_it_fails_and_where_it_comes_from(method):
    text = inspect.getdoc(method.function) or ""
    assert "Fails when" in text
    assert "References" in text


def test_all_exports_exist_and_are_sorted_by_kind():
    assert len(set(eq.__all__)) == len(eq.__all__)
    assert all(hasattr(eq, name) for name in eq.__all__)
