"""The catalogue, the exports and the docs agree."""

import ast
import inspect
import json
from importlib import import_module
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.catalogue import catalogue
from equipoise.cli.main import main
from equipoise.core.declaration import DATA_WORDS
from equipoise.core.options import whole
from tests.contract.cases import CASES, THIRD

DOCS = Path(__file__).parents[2] / "docs" / "methods"

each_method = pytest.mark.parametrize("method", catalogue(), ids=lambda method: method.name)


@each_method
def test_a_method_is_exported(method):
    assert getattr(eq.methods, method.name) is method.function
    assert method.name in eq.methods.__all__


@each_method
def test_a_method_has_a_page(method):
    assert (DOCS / f"{method.name.replace('_', '-')}.md").exists()


@each_method
def test_a_declaration_says_what_there_is_to_say(method):
    declared = method.declared
    assert declared.answers.endswith("?")
    assert declared.reference.strip()
    assert declared.takes
    assert set(declared.takes) <= set(DATA_WORDS)
    assert declared.resampled is True or (isinstance(declared.resampled, str) and declared.resampled.strip())


@each_method
def test_a_rating_is_taken_from_games_and_gives_a_number_for_each_agent(method):
    if method.declared.rates:
        assert {"matches", "pairs"} & set(method.declared.takes)
        (case, *_) = [case for case in CASES if case.method is method]
        assert len(getattr(case.result, case.result.main)) == len(case.result.agents)
        assert case.result.main in case.result.units


def test_the_list_on_the_command_line_says_it_all(capsys):
    assert main(["methods", "--format", "json"]) == 0
    rows = {row["method"]: row for row in json.loads(capsys.readouterr().out)["methods"]}
    assert rows.keys() == {method.name for method in catalogue()}
    for method in catalogue():
        row = rows[method.name]
        assert row["takes"] == ", ".join(method.declared.takes)
        assert (row["answers"], row["reference"]) == (method.declared.answers, method.declared.reference)
        assert row["package"] == method.package


def test_every_declaration_in_the_source_reaches_the_catalogue():
    """A declaration on an overload, say, declares nothing."""
    declared = {
        node.name
        for path in Path(eq.__file__).parent.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "method"
    }
    assert declared == {method.name for method in catalogue() if method.package == "equipoise"}


def test_what_an_author_of_a_method_needs_is_public():
    for module, names in AUTHORS_NEED.items():
        assert set(names) <= set(import_module(module).__all__)
    assert eq.method is import_module("equipoise.core.declaration").method


AUTHORS_NEED = {
    "equipoise.core.declaration": ["method"],
    "equipoise.core.options": ["whole", "number", "positive", "choice", "generator"],
    "equipoise.core.results": ["Result", "Interval", "Fit", "frozen", "frozen_params"],
    "equipoise.core.diagnostics": ["info", "warning"],
    "equipoise.core.errors": ["DataError", "ParameterError", "some_of"],
}


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        ({"takes": "match"}, 'not "match" \\(did you mean "matches"'),
        ({"takes": "matches", "checks": {"lvel": whole(1)}}, '"lvel"'),
        ({"takes": "matches", "renamed": {"old": "lvel"}}, '"lvel"'),
    ],
)
def test_a_wrong_declaration_is_refused_where_it_stands(declaration, problem):
    with pytest.raises(eq.ParameterError, match=problem):

        @eq.method(answers="?", reference="?", **declaration)
        def made(data, *, level: float = 0.95):
            return data


@each_method
def test_parameters_after_the_data_are_keyword_only_and_none_swallows_the_rest(method):
    parameters = list(inspect.signature(method.function).parameters.values())
    # What comes first has no default: the data (x and y, say), or the method that bootstrap runs.
    lead = sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    assert 1 <= lead <= (3 if method.name in THIRD else 2)
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
