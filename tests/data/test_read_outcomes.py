"""Rows read through codes give what a slow reading row by row gives, from memory and from a file that streams."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode.outcomes import outcome_score

NAMES = st.sampled_from(["x", " x", "y", "y ", "z", "1", "", None])
WORDS = st.sampled_from(["a", "B ", "tie", "0.25", "1", "x", "y", "maybe", "", None])
LOGS = st.lists(st.tuples(NAMES, NAMES, WORDS), min_size=1, max_size=30)


def slowly(log):
    """Trim, drop what is bad, and count games won, lost and tied by ordered pair."""
    table = {}
    for row in log:
        a, b, word = ((text or "").strip() for text in row)
        readings = {1.0 for name in (a,) if word == name} | {0.0 for name in (b,) if word == name and a != b}
        readings |= {score for score in (outcome_score(word) if word else None,) if score is not None}
        if not a or not b or a == b or len(readings) != 1:
            continue
        score = readings.pop()
        games = table.setdefault((a, b), [0.0, 0.0, 0.0])
        if score == 0.5:
            games[2] += 1
        else:
            games[0] += score
            games[1] += 1 - score
    return table


def counted(pairs):
    keys = [(pairs.agents[i], pairs.agents[j]) for i, j in zip(pairs.first, pairs.second, strict=True)]
    return dict(zip(keys, zip(pairs.wins, pairs.losses, pairs.ties, strict=True), strict=True))


@given(LOGS)
def test_codes_and_a_slow_reading_agree(tmp_path_factory, log):
    frame = pl.DataFrame(log, schema={"a": pl.String, "b": pl.String, "outcome": pl.String}, orient="row")
    path = tmp_path_factory.mktemp("log") / "log.csv"
    frame.write_csv(path)
    expected = slowly(log)
    if not expected:
        with pytest.raises(eq.DataError):
            eq.read_pairs(frame, read=eq.ReadOptions(on_error="skip-all"))
        return
    for found in (
        eq.read_pairs(frame, read=eq.ReadOptions(on_error="skip-all")),
        eq.read_pairs(path, read=eq.ReadOptions(on_error="skip-all")),
        eq.read_matches(path, read=eq.ReadOptions(on_error="skip-all")).pairs(),
    ):
        assert counted(found).keys() == expected.keys()
        for key, games in counted(found).items():
            assert games == pytest.approx(tuple(expected[key]))


@given(LOGS.filter(lambda log: len(log) > 1))
def test_agents_are_numbered_in_order_of_first_appearance(log):
    frame = pl.DataFrame(log, schema={"a": pl.String, "b": pl.String, "outcome": pl.String}, orient="row")
    if not slowly(log):
        return
    matches = eq.read_matches(frame, read=eq.ReadOptions(on_error="skip-all"))
    order = []
    for a, b in zip(matches.a, matches.b, strict=True):
        order += [code for code in (int(a), int(b)) if code not in order]
    assert order == list(range(len(matches.agents)))
