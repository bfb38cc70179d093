"""Printing data is short, however large they are."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

NAMES = [f"agent {k}" for k in range(3000)]


def large():
    every = np.arange(3000)
    gaps = np.ones((3000, 40))
    gaps[0, 0] = np.nan
    return {
        "games": Matches.from_columns(NAMES, NAMES[1:] + NAMES[:1], every % 2, group=every),
        "pairs": Matches.from_columns(NAMES, NAMES[1:] + NAMES[:1], every % 2).pairs(),
        "empty": Scores.from_matrix(gaps, agents=NAMES),
        "strategies": MetaGame.symmetric(np.zeros((3000, 3000)), NAMES),
        "deals": Episodes.from_columns(agent=NAMES, deal=every, utility=every * 1.0),
    }


@pytest.mark.parametrize("told", ["games", "pairs", "empty", "strategies", "deals"])
def test_large_data_are_one_line_with_counts_and_names(told):
    line = repr(large()[told])
    assert len(line) < 140
    assert "\n" not in line
    assert "3,000" in line
    assert "agent 0, agent 1, agent 2 and 2,997 more" in line
    assert told in line


def test_a_table_without_games_says_so():
    assert "probabilities without games" in repr(eq.load("alphago"))
    assert isinstance(eq.load("alphago"), PairTable)


def test_trials_are_said():
    assert repr(eq.load("classifiers")).startswith("<Scores: 18 agents, 18 tasks, up to 5 trials each (dummy, ")
