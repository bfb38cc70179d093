"""What all results share."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.results import jsonable
from tests.contract.cases import matches


def test_a_result_shows_its_table_and_what_to_beware_of():
    shown = repr(eq.bradley_terry(eq.load("alphago")))
    assert shown.startswith("BradleyTerry\n")
    assert "rvp" in shown
    assert "estimates have no intervals" in shown


def test_what_is_not_finite_becomes_null_and_is_noted():
    gaps: set[str] = set()
    document = jsonable({"a": np.float64("nan"), "b": [1.0, float("inf")], "c": np.arange(2)}, gaps)
    assert document == {"a": None, "b": [1.0, None], "c": [0, 1]}
    assert gaps == {"a", "b"}
    json.dumps(document, allow_nan=False)


def test_an_estimate_is_a_number_with_an_interval():
    side = eq.bradley_terry(matches(), side=True).side
    assert side.low < side < side.high
    assert side + 1 == pytest.approx(float(side) + 1)


def test_parameters_cannot_be_changed():
    with pytest.raises(TypeError):
        eq.bradley_terry(matches()).params["level"] = 0.5
