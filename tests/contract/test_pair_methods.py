"""What every method on matches or pair counts must do, whatever it computes."""

import dataclasses
import json

import numpy as np
import pytest

import equipoise as eq
from tests.contract.cases import columns, estimates_by_agent, matches, methods_taking, run

METHODS = methods_taking("matches")
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
ORDER_FREE = [method for method in METHODS if not method.declared.order_matters]
each_order_free_method = pytest.mark.parametrize("method", ORDER_FREE, ids=lambda method: method.name)


def assert_same(one, other, tolerance=1e-6):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_allclose(one[name], other[name], atol=tolerance, equal_nan=True)


@each_method
def test_relabelling_changes_nothing_but_labels(method):
    a, b, outcome = columns()
    told = estimates_by_agent(run(method, eq.Matches.from_columns(a, b, outcome)))
    new = {name: f"player {name[::-1]}" for name in told}
    renamed = eq.Matches.from_columns([new[x] for x in a], [new[x] for x in b], outcome)
    assert_same({new[name]: value for name, value in told.items()}, estimates_by_agent(run(method, renamed)))


@each_order_free_method
def test_the_order_of_rows_changes_nothing(method):
    a, b, outcome = (np.array(column, dtype=object) for column in columns())
    shuffled = np.random.default_rng(0).permutation(len(a))
    mixed = eq.Matches.from_columns(a[shuffled], b[shuffled], outcome[shuffled])
    assert_same(estimates_by_agent(run(method, matches())), estimates_by_agent(run(method, mixed)))


@each_order_free_method
def test_a_doubled_row_equals_weight_two(method):
    a, b, outcome = columns()
    doubled = eq.Matches.from_columns([*a, a[0], a[1]], [*b, b[0], b[1]], [*outcome, outcome[0], outcome[1]])
    weighted = eq.Matches.from_columns(a, b, outcome, weight=[2, 2] + [1] * (len(a) - 2))
    assert_same(estimates_by_agent(run(method, doubled)), estimates_by_agent(run(method, weighted)))


@each_method
def test_the_same_seed_gives_the_same_bytes(method):
    one, other = (json.dumps(run(method, matches()).to_dict()) for _ in range(2))
    assert one == other


@each_method
def test_json_makes_the_round_trip_and_is_strict(method):
    document = run(method, matches()).to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@each_method
def test_the_frame_has_a_row_for_each_agent(method):
    result = run(method, matches())
    assert sorted(result.frame()["agent"]) == sorted(result.agents)


@each_method
def test_results_are_frozen(method):
    result = run(method, matches())
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.agents = ()
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, f"{field.name} can be written"


@each_method
def test_a_notebook_gets_html_with_names_escaped(method):
    a, b, outcome = columns()
    hostile = eq.Matches.from_columns(
        ["<b>ada" if x == "ada" else x for x in a], ["<b>ada" if x == "ada" else x for x in b], outcome
    )
    assert "<b>ada" not in run(method, hostile)._repr_html_()


@each_method
def test_pair_counts_give_the_same_as_the_matches_behind_them(method):
    if "pairs" not in method.declared.takes:
        with pytest.raises(eq.DataError):
            run(method, matches().pairs())
        return
    assert_same(estimates_by_agent(run(method, matches())), estimates_by_agent(run(method, matches().pairs())))


@each_method
def test_an_undefeated_agent_gives_finite_numbers_with_a_diagnostic_or_an_error(method):
    a, b, outcome = columns()
    rows = [(x, y, s) for x, y, s in zip(a, b, outcome, strict=True) if "ada" not in (x, y)]
    rows += [("ada", name, 1.0) for name in ("bea", "cyd", "dan", "eve")] * 3
    try:
        result = run(method, eq.Matches.from_columns(*zip(*rows, strict=True)))
    except eq.EquipoiseError:
        return
    values = np.asarray(getattr(result, result.main), dtype=float)
    assert np.isfinite(values).all() or result.diagnostics
    if method.name == "bradley_terry":
        (note,) = [note for note in result.diagnostics if note.code == "no-finite-mle"]
        assert note.subjects == ("ada",)


@each_method
def test_groups_that_never_met_are_refused_or_told(method):
    apart = eq.Matches.from_columns("aabbxxyy", "bbaayyxx", [1, 0, 1, 0.5, 1, 0, 0, 0.5])
    if method.declared.order_matters:
        run(method, apart)
        return
    try:
        result = run(method, apart)
    except eq.DataError:
        return
    assert result.diagnostics


@each_method
def test_no_match_is_refused(method):
    with pytest.raises(eq.DataError):
        run(method, eq.Matches.from_columns([], [], []))


@each_method
def test_a_single_agent_is_refused(method):
    with pytest.raises(eq.DataError):
        run(method, eq.Matches.from_columns(["solo"], ["solo"], [1]))


@each_method
def test_a_misspelt_option_is_refused(method):
    with pytest.raises(TypeError):
        method.function(matches(), lvel=0.9)
