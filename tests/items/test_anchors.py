"""Anchor items: which are chosen, and what they say of the whole benchmark."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import ParameterError
from equipoise.items.scoring.anchors import strata
from equipoise.methods import anchor_items
from equipoise.results import Calibration


@pytest.fixture(scope="module")
def bank():
    rng = np.random.default_rng(2)
    return Calibration.from_parameters(
        [f"i{k}" for k in range(200)], difficulty=rng.normal(0, 1.2, 200), discrimination=rng.uniform(0.6, 2.0, 200)
    )


def answered(bank, items, ability, seed):
    """Answers of one agent to all items, and those to some of them as a table."""
    whole = (np.random.default_rng(seed).random(200) < bank.probability(ability)).astype(float)
    part = [whole[bank.items.index(item)] for item in items]
    return whole, eq.Scores.from_matrix([part], ["new"], items)


def test_strata_give_two_items_each_from_easy_to_hard(bank):
    for n in (20, 31):
        items = anchor_items(bank, n)
        assert len(set(items)) == n
        code = strata(bank.parameters, n)
        counts = np.bincount([code[bank.items.index(item)] for item in items])
        assert sorted(set(counts.tolist())) == ([2] if n == 20 else [2, 3])
    assert anchor_items(bank, 20, rng=1) != anchor_items(bank, 20, rng=2)


def test_information_takes_the_items_that_tell_most(bank):
    items = anchor_items(bank, 20, chosen="information")
    chosen = [bank.items.index(item) for item in items]
    assert bank.discrimination[chosen].mean() > bank.discrimination.mean() + 0.3
    assert items == anchor_items(bank, 20, chosen="information", rng=5)


@pytest.mark.parametrize("chosen", ["stratified", "information"])
def test_anchors_predict_the_whole_and_say_by_what(bank, chosen):
    items = anchor_items(bank, 60, chosen=chosen)
    whole, part = answered(bank, items, 0.4, 7)
    found = eq.predict(part, bank, chosen=chosen)
    assert found.low[0] < whole.mean() < found.high[0]
    assert not [note for note in found.diagnostics if note.code == "not-a-random-part"]
    assert ("given the calibration" in str(found.interval)) == (chosen == "information")
    assert found.params["chosen"] == chosen
    warned = [note.code for note in found.diagnostics if note.severity == "warning"]
    assert warned == (["chosen-by-information"] if chosen == "information" else [])


def test_answers_that_are_all_as_predicted_do_not_make_the_score_exact(bank):
    items = anchor_items(bank, 20)
    found = eq.predict(eq.Scores.from_matrix([np.ones(20)], ["new"], items), bank, chosen="stratified")
    assert found.stderr[0] > 0.005
    assert found.score[0] <= 1.0


def test_what_was_not_chosen_by_strata_is_refused(bank):
    _, part = answered(bank, bank.items[:20], 0.0, 1)
    with pytest.raises(ParameterError, match="needs the items that anchor_items chose"):
        eq.predict(part, bank, chosen="stratified")
    for n in (9, 200):
        with pytest.raises(ParameterError, match="lies between 10 and 199"):
            anchor_items(bank, n)
