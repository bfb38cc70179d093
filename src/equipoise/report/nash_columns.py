"""The Nash columns of a leaderboard."""

from equipoise.data.pairs import PairTable
from equipoise.diagnostics import Diagnostic, info
from equipoise.nash.average import nash_average
from equipoise.report.leaderboard import Extra

__all__ = ["nash_columns"]

MOST_AGENTS = 3000
"""Above this the table of all pairs is larger than a leaderboard should ask for; ask nash_average itself."""


def nash_columns(table: PairTable) -> tuple[Extra, Extra]:
    """Give each agent's Nash mass and Nash average (in log-odds); null where some pair never met."""
    if not table.complete:
        message = (
            "Some pairs never met, so Nash averages and alpha-Rank are not defined: their columns are null."
            ' nash_average(..., complete="bradley-terry") fills the gaps in and says so.'
        )
        return _nothing(table, info("incomplete-table", message))
    if len(table.agents) > MOST_AGENTS:
        return _nothing(table, info("no-nash", f"No Nash averages of more than {MOST_AGENTS:,} agents here."))
    found = nash_average(table)
    notes = tuple(note for note in found.diagnostics if note not in table.diagnostics)
    mass = dict(zip(found.agents, found.p.tolist(), strict=True))
    average = dict(zip(found.agents, (min(x, 0.0) for x in found.average.tolist()), strict=True))
    return Extra("nash", "Nash", mass, notes), Extra("nash_average", "Nash avg", average)


def _nothing(table: PairTable, note: Diagnostic) -> tuple[Extra, Extra]:
    empty = dict.fromkeys(table.agents)
    return Extra("nash", "Nash", empty, (note,)), Extra("nash_average", "Nash avg", empty)
