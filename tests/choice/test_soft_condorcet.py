"""Soft Condorcet ratings: known optima, and what is said of them."""

import os
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.methods import sco, social_choice
from tests.choice.profiles import FORTY_FIVE, PENTATHLON, counted_by_hand, random_ballots

RAINBOW = Path(os.environ.get("EQUIPOISE_DATA", "")) / "atari" / "rainbow_hessel2018_8agents_54games.csv"


@pytest.mark.parametrize(
    ("votes", "width", "loss", "rating"),
    [
        (PENTATHLON, 4, 5.42091880, (0.73505407, -2, 2)),
        (PENTATHLON, 10, 5.02320578, (0.5571475, -5, 5)),
        (FORTY_FIVE, 10, 192.98442316, (0.77055102, 2.63603802, -5, -2.41334483, 5)),
    ],
)
def test_the_best_of_many_starts_is_found(votes, width, loss, rating):
    found = sco(votes, width=width)
    assert found.loss == pytest.approx(loss, abs=5e-9)
    assert found.rating == pytest.approx(np.array(rating), abs=5e-8)
    assert found.held.tolist() == [abs(r) == width / 2 for r in rating]
    assert found.kemeny_cost == {"ABC": 5, "ABCDE": 190}["".join(found.agents)]
    assert found.fit.converged


@pytest.mark.skipif(not RAINBOW.is_file(), reason="EQUIPOISE_DATA names no folder with the Atari scores")
def test_rainbow_and_its_parts():
    scores = eq.read_scores(RAINBOW)
    assert sco(scores, width=4).loss == pytest.approx(521.77308613, abs=5e-9)
    found = sco(scores)
    assert found.loss == pytest.approx(459.54751806, abs=5e-9)
    known = {"dqn": -5, "a3c": -0.032353, "ddqn": -1.829808, "prior": 1.745456, "dueling": 0.463400,
             "distrib": 3.615332, "noisy": -3.690842, "rainbow": 5}  # fmt: skip
    rating = {name.split("-")[0]: r for name, r in zip(found.agents, found.rating, strict=True)}
    assert rating == pytest.approx(known, abs=6e-7)


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_is_what_drawn_rankings_contradict(seed):
    """Go through all rankings with their chances by Plackett and Luce."""
    rng = np.random.default_rng(seed)
    ballots = random_ballots(rng, 4, 7, ties=False)
    above, found = counted_by_hand(ballots), sco(ballots, width=3)
    expected = 0.0
    for order in permutations(range(4)):
        worth = np.exp(found.rating[list(order)])
        chance = np.prod(worth / np.cumsum(worth[::-1])[::-1])
        expected += chance * sum(above[order[j], order[i]] for i in range(4) for j in range(i + 1, 4))
    assert found.loss == pytest.approx(expected, rel=1e-12)
    assert found.excess >= -1e-9


def test_a_wide_box_gives_the_kemeny_order_and_a_narrow_one_the_signs_of_borda():
    wide = sco(FORTY_FIVE, width=60)
    assert tuple(wide.frame()["agent"]) == social_choice(FORTY_FIVE, rule="kemeny").order
    assert wide.excess < 1e-3
    narrow = sco(FORTY_FIVE, width=1e-3)
    points = social_choice(FORTY_FIVE, rule="borda").score
    assert np.sign(narrow.rating).tolist() == np.sign(points - points.mean()).tolist()
    assert narrow.held.all()


def test_two_ratings_run_away_however_narrow_the_majority():
    votes = eq.Ballots.from_orders(["AB", "BA"], [51, 49], agents="AB")
    for width in (5, 20):
        found = sco(votes, width=width)
        assert found.rating.tolist() == [width / 2, -width / 2]
        assert "at-bound" in {note.code for note in found.diagnostics}


def test_the_fenchel_young_form_is_bradley_terry_on_the_ballots():
    """A and C tie at .282433, though the paper's code expects A above C (log-worths, mean 0)."""
    a, b = np.nonzero(~np.eye(3, dtype=bool))
    games = counted_by_hand(PENTATHLON)[a, b]
    names = np.array(list("ABC"))
    votes = eq.Matches.from_columns(names[a], names[b], np.ones(6), weight=games)
    rated = eq.bradley_terry(votes, prior=None)
    rating = dict(zip(rated.agents, rated.rating.tolist(), strict=True))
    assert rating == pytest.approx({"A": 0.282433, "C": 0.282433, "B": -0.564865}, abs=1e-6)
