"""The bundled sets that the project makes itself: what is in them, and that the scripts still make them."""

import gzip
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.datasets import bundled_file

SCRIPTS = Path(__file__).resolve().parents[2] / "examples" / "make_data"


def test_classifiers_are_complete_accuracies_with_five_trials() -> None:
    scores = eq.load("classifiers")
    assert scores.values.shape == (18, 18)
    assert np.isfinite(scores.values).all()
    assert (scores.values >= 0).all()
    assert (scores.values <= 1).all()
    lines = gzip.decompress(bundled_file("classifiers.csv.gz").read_bytes()).decode().splitlines()
    assert lines[0] == "agent,task,trial,score"
    assert len(lines) == 1 + 18 * 18 * 5


def test_digits_are_right_or_wrong_for_80_agents_and_400_images() -> None:
    scores = eq.load("digits")
    assert scores.values.shape == (80, 400)
    assert set(np.unique(scores.values)) == {0.0, 1.0}
    mean = scores.values.mean(axis=1)
    assert mean.min() < 0.15
    assert mean.max() > 0.95


@pytest.mark.parametrize(("name", "seats"), [("hands", 2), ("hands-kuhn2", 2), ("hands-kuhn3", 3)])
def test_hands_add_up_to_zero_and_their_controls_too(name: str, seats: int) -> None:
    hands = eq.load(name)
    assert hands.hand is not None
    assert hands.seat is not None
    assert len(hands.seat.labels) == seats
    size = np.bincount(hands.hand.codes)
    assert (size == seats).all()
    np.testing.assert_allclose(np.bincount(hands.hand.codes, weights=hands.utility), 0.0, atol=1e-9)
    np.testing.assert_allclose(np.bincount(hands.hand.codes, weights=hands.controls["honest"]), 0.0, atol=1e-9)


def test_the_script_makes_the_same_hands_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    script = runpy.run_path(str(SCRIPTS / "hands.py"))
    name, game, players, _, _ = script["FILES"][1]
    monkeypatch.setattr(sys.modules["csv_gz"], "BUNDLED", tmp_path)
    made = sys.modules["csv_gz"].write(name, script["HEADER"], script["rows"](game, players, 40, 800))
    assert gzip.decompress(made.read_bytes()) == gzip.decompress(bundled_file(f"{name}.csv.gz").read_bytes())
