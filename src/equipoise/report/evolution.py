"""The alpha-Rank column of a leaderboard."""

import numpy as np

from equipoise.alpharank.alpha_rank import alpha_rank
from equipoise.data.pairs import PairTable
from equipoise.diagnostics import info
from equipoise.report.leaderboard import Extra

__all__ = ["alpha_rank_column"]

MOST_AGENTS = 2000
"""Above this the column would take longer than the ratings; ask alpha_rank itself."""


def alpha_rank_column(table: PairTable) -> Extra:
    """Give each agent's infinite-alpha mass; null where some pair never met."""
    if not table.complete:
        message = "Some pairs never met, so alpha-Rank is not defined: its column is null."
        return _nothing(table, "incomplete-table", message)
    if len(table.agents) > MOST_AGENTS:
        return _nothing(table, "no-alpha-rank", f"No alpha-Rank of more than {MOST_AGENTS:,} agents in a leaderboard.")
    mass = alpha_rank(table.unordered(), confidence=None).pi
    values = {agent: float(np.clip(x, 0.0, 1.0)) for agent, x in zip(table.agents, mass, strict=True)}
    return Extra("alpha_rank", "alpha-Rank", values)


def _nothing(table: PairTable, code: str, message: str) -> Extra:
    return Extra("alpha_rank", "alpha-Rank", dict.fromkeys(table.agents), (info(code, message),))
