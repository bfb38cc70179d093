"""What every method on dealt hands must do, whatever it computes."""

import dataclasses
import json

import numpy as np
import pytest

import equipoise as eq
from tests.contract.cases import estimates_by_agent, hand_columns, hands, methods_taking, run

each_method = pytest.mark.parametrize("method", methods_taking("episodes"), ids=lambda method: method.name)


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_allclose(one[name], other[name], atol=1e-9)


@each_method
def test_relabelling_changes_nothing_but_labels(method):
    told = estimates_by_agent(run(method, hands()))
    columns = hand_columns()
    renamed = columns | {"agent": [f"player {name[::-1]}" for name in columns["agent"]]}
    moved = renamed | {"deal": [f"deal {d}" for d in columns["deal"]], "seat": [f"seat {s}" for s in columns["seat"]]}
    found = estimates_by_agent(run(method, eq.Episodes.from_columns(**moved)))
    assert_same({f"player {name[::-1]}": value for name, value in told.items()}, found)


@each_method
def test_the_order_of_rows_changes_nothing(method):
    columns = hand_columns()
    order = np.random.default_rng(0).permutation(len(columns["agent"]))
    controls = {"bot": np.array(columns["controls"]["bot"])[order]}
    rest = {key: np.array(value, dtype=object)[order] for key, value in columns.items() if key != "controls"}
    mixed = eq.Episodes.from_columns(**rest | {"utility": rest["utility"].astype(float)}, controls=controls)
    assert_same(estimates_by_agent(run(method, hands())), estimates_by_agent(run(method, mixed)))


@each_method
def test_the_same_data_give_the_same_strict_json(method):
    one, other = (json.dumps(run(method, hands()).to_dict(), allow_nan=False) for _ in range(2))
    assert one == other


@each_method
def test_the_frame_has_a_row_for_each_agent(method):
    result = run(method, hands())
    assert sorted(result.frame()["agent"]) == sorted(result.agents)


@each_method
def test_results_are_frozen(method):
    result = run(method, hands())
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.agents = ()
    arrays = [getattr(result, field.name) for field in dataclasses.fields(result)]
    assert all(not value.flags.writeable for value in arrays if isinstance(value, np.ndarray))


@each_method
def test_a_notebook_gets_html_with_names_escaped(method):
    columns = hand_columns()
    hostile = columns | {"agent": [f"<b>{name}" for name in columns["agent"]]}
    assert "<b>ada" not in run(method, eq.Episodes.from_columns(**hostile))._repr_html_()


@each_method
def test_one_deal_is_refused(method):
    columns = hand_columns(deals=1)
    with pytest.raises(eq.DataError):
        run(method, eq.Episodes.from_columns(**columns))


@each_method
def test_a_misspelt_option_is_refused(method):
    with pytest.raises(TypeError):
        method.function(hands(), lvel=0.9)
