"""What results say, read over all methods and many random data: intervals hold estimates, words count and agree."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.core.results import Result
from tests.contract.cases import WITH_RESULTS, attempt

ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (?:other |more )?(?:agents|tasks|pairs|cells|games|others|runs|scores|items|rows|groups)\b"
)
"""A plural after a one; "1 of 3 pairs" counts right."""
CONTRAST = re.compile(r"\((-?[\d.]+%?) against (-?[\d.]+%?)\)")
EXPLAINED = re.compile(r"[Aa]verages explain")


def complaints(words):
    """What is wrong with sentences that are read one after the other."""
    wrong = [sentence for sentence in words if ONE_OF_MANY.search(sentence)]
    wrong += [sentence for sentence in words for one, other in CONTRAST.findall(sentence) if one == other]
    # Two sentences about one thing, from two numbers: one of them is too many.
    wrong += ["averages are explained twice"] * (sum(bool(EXPLAINED.search(sentence)) for sentence in words) > 1)
    # What decides who has the highest one names no leader.
    first = [sentence for sentence in words if re.search("(?<!who has the )highest Nash average", sentence)]
    unsettled = any("not settled" in sentence for sentence in first)
    wrong += ["a leader that is not settled leads"] * (unsettled and len(first) > 1)
    wrong += [sentence for sentence in words if re.search(r"\bnan\b|: \.|  | ,|:\s*;", sentence)]
    return wrong


def spoken(result):
    return [*result.answer, *(note.message for note in result.diagnostics)]


def outside(result):
    """Estimates of a result that stand outside of their own intervals."""
    wrong = []
    lows = [field.name for field in dataclasses.fields(result) if field.name.endswith("_low")]
    for name in [*lows, "low"]:  # some have low and high as properties
        low, high = getattr(result, name, None), getattr(result, f"{name[:-3]}high", None)
        value = getattr(result, name[:-4] or getattr(result, "main", "rating"), None)
        if low is None or high is None or value is None or isinstance(value, Result | tuple):
            continue
        low, value, high = (np.asarray(part, dtype=float) for part in (low, value, high))
        if low.shape != value.shape:
            continue
        tiny = 1e-9 * (1 + np.abs(value))
        if ((low > value + tiny) | (value > high + tiny)).any():
            wrong.append(name)
    return wrong


@pytest.mark.parametrize("case", WITH_RESULTS, ids=lambda case: case.name)
def test_every_method_says_nothing_amiss_and_holds_its_estimates(case):
    assert outside(case.result) == []
    assert complaints(spoken(case.result)) == []


@st.composite
def benchmarks(draw):
    """Few agents, tasks and trials; some nearly equal, some with gaps."""
    agents, tasks, trials = draw(st.integers(2, 6)), draw(st.integers(1, 7)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    noise = draw(st.sampled_from([0.001, 0.1, 1.0]))
    mean = rng.normal(size=(agents, 1)) * draw(st.sampled_from([0.0, 0.01, 1.0])) + rng.normal(size=(1, tasks))
    values = mean[:, :, None] + noise * rng.normal(size=(agents, tasks, trials))
    if draw(st.booleans()):
        values = np.round(values, 1)
    if draw(st.booleans()):
        values[rng.random((agents, tasks)) < 0.2] = np.nan
    return eq.Scores.from_matrix(values[:, :, 0] if trials == 1 else values)


@given(benchmarks(), st.sampled_from(["error", "drop-tasks", "drop-agents", "complete", "auto"]))
@settings(max_examples=120, deadline=None)
def test_benchmarks_say_each_thing_once(scores, missing):
    found = attempt(lambda: eq.tasks(scores, missing=missing, n=12))
    if isinstance(found, eq.EquipoiseError):
        assert not ONE_OF_MANY.search(str(found)), str(found)
        return
    assert complaints(spoken(found)) == []
    for part in (found.nash, found.audit, found.additivity, found.aggregates, found.comparison):
        if part is not None:
            assert complaints(part.answer) == []
            assert outside(part) == []


@given(st.integers(2, 6), st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from(["match", "probability"]))
@settings(max_examples=40, deadline=None)
def test_boards_say_each_thing_once(agents, games, seed, kind):
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=agents) * 2
    i, j = np.triu_indices(agents, 1)
    chance = 1 / (1 + np.exp(strength[j] - strength[i]))
    if kind == "match":
        wins = rng.binomial(games, chance).astype(float)
        table = eq.PairTable.from_counts([f"p{k}" for k in range(agents)], i, j, wins, games - wins)
    else:
        matrix = np.full((agents, agents), 0.5)
        matrix[i, j], matrix[j, i] = chance, 1 - chance
        table = eq.PairTable.from_matrix(matrix)
    board = eq.rank(table)
    assert complaints(spoken(board)) == []
    assert outside(board.nash) == []
    assert complaints(board.nash.answer) == []
    shown = set(board.frame()["nash"]) != {None}
    assert shown == (board.nash.interval is not None or board.needs_more_than_one_number)


def test_the_reader_of_words_reads():
    assert complaints(["1 other tasks change it too."])
    assert complaints(["x has not the highest Nash average (0.86 against 0.86)."])
    assert complaints(["Averages explain 49%.", "Averages explain most of these scores."])
    assert not complaints(["1 of 3 pairs does not differ significantly.", "21 tasks do (0.86 against 0.87)."])
