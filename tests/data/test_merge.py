"""Pair tables of parts, added up, are the pair table of the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.core.diagnostics import info

GAME = st.tuples(
    st.sampled_from("abcd"), st.sampled_from("wxyz"), st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from("gh")
)


def table_of(games, grouped):
    a, b, outcome, group = zip(*games, strict=True)
    return eq.PairTable.from_columns(a, b, outcome, group=group if grouped else None)


def cells(table):
    """Counts of each pair and group by name: what a table says, whatever its order."""
    shared = np.zeros(len(table.first)) if table.shared is None else table.shared
    groups = ["" for _ in table.first] if table.group is None else [table.group.labels[k] for k in table.group.codes]
    rows = zip(table.first, table.second, groups, table.wins, table.losses, table.ties, shared, strict=True)
    return {(table.agents[i], table.agents[j], group): counts for i, j, group, *counts in rows}


@given(st.lists(st.tuples(GAME, st.integers(0, 2)), min_size=1, max_size=30), st.booleans())
def test_parts_add_up_to_the_whole(games, grouped):
    parts = [[game for game, part in games if part == k] for k in range(3)]
    merged = eq.PairTable.merge(*(table_of(part, grouped) for part in parts if part))
    whole = table_of([game for part in parts for game in part], grouped)
    assert cells(merged) == cells(whole)
    assert merged.agents == whole.agents


def test_one_table_is_itself():
    table = eq.PairTable.from_columns(["x"], ["y"], [1])
    assert cells(eq.PairTable.merge(table)) == cells(table)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "no tables"),
        ([eq.Matches.from_columns(["x"], ["y"], [1])], "pairs()"),
        ([eq.PairTable.from_matrix([[0.5, 0.8], [0.2, 0.5]])], "of how many games is it"),
        (
            [
                eq.PairTable.from_columns(["x"], ["y"], [1], group=["g"]),
                eq.PairTable.from_columns(["x"], ["y"], [1]),
            ],
            "some of the tables have groups",
        ),
    ],
)
def test_what_cannot_be_added_up_is_refused(tables, message):
    with pytest.raises(eq.DataError, match=message.replace("(", r"\(").replace(")", r"\)")):
        eq.PairTable.merge(*tables)


def test_notes_come_once():
    notes = (info("odd", "An odd file."),)
    table = eq.PairTable.from_counts(("x", "y"), [0], [1], [1.0], [0.0], diagnostics=notes)
    assert eq.PairTable.merge(table, table).diagnostics == notes
