"""The board of a vote as one document: what is decided, the ratings, the voters, and what each of it bears."""

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.analyses.votes.vote_board import FEWEST, VoteBoard, excluded_jump, variants_words, vote_board
from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.journal.votes import VoteRecord, vote_record, with_leaving
from equipoise.arena.spec.votes import VoteOptions
from equipoise.core.errors import EquipoiseError
from equipoise.core.results import jsonable
from equipoise.core.wording import counted
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.logs.votes.answers import AnswerTable
from equipoise.ratings.categories.boards_by import categories
from equipoise.ratings.judges.judge_bias import judge_bias
from equipoise.ratings.judges.judge_calibrated import judge_calibrated
from equipoise.ratings.judges.judges import judges
from equipoise.ratings.judges.personal import personal_board
from equipoise.ratings.judges.voter_checks import CHECKS
from equipoise.schedule.leaving import leaving_words

SHARE = 0.05
"""The most of the time that making the board may take."""
ALARM = 0.1
"""Share of votes left out from which the page warns."""
REST = "everybody else"
"""Voters whose invitation says no group."""
SETTLED_POLICIES = ("uniform", "round-robin")
"""Policies that do not look at results when they choose among open pairs: intervals are simulated for them alone."""


class VoteBoards:
    """The board of one arena, made again when votes came and the last one is old enough."""

    def __init__(self, arena: ArenaReader, table: AnswerTable) -> None:
        self._arena, self._table = arena, table
        self._lock = threading.Lock()
        self._made: tuple[int, float, float, dict[str, Any]] | None = None
        self._votes: Matches | None = None

    def now(self) -> dict[str, Any]:
        """Give the board."""
        with self._lock:
            seq, begun = self._arena.look(lambda state: state.seq), time.monotonic()
            if self._made is not None:
                at, made, took, document = self._made
                if at == seq or begun - made < took / SHARE:
                    return document
            record = vote_record(self._arena)
            document = board_document(self._arena, self._table, record)
            self._votes = record.votes
            self._made = seq, begun, time.monotonic() - begun, document
            return document

    def own(self, voter: str) -> list[dict[str, Any]]:
        """Give somebody's own board, pooled with everybody's; none where votes are too few, or theirs do not count."""
        adaptive, votes = self.now()["adaptive"], self._votes
        if votes is None or len(votes) < FEWEST:
            return []
        try:
            board = personal_board(votes, voter, voter="voter", level=self._arena.spec.level)
        except EquipoiseError:
            return []
        own = votes.labels["voter"].codes == votes.labels["voter"].labels.index(voter)
        points = _points(votes.take(np.flatnonzero(own)))
        rows = [{**row, "points": points.get(row["agent"])} for row in board.frame().to_dicts()]
        return _no_ends(rows) if adaptive else rows


def board_document(arena: ArenaReader, table: AnswerTable, record: VoteRecord | None = None) -> dict[str, Any]:
    """Make the board of an arena of votes."""
    record, spec = record or vote_record(arena), arena.spec
    progress, decided = arena.look(lambda state: (state.contest.progress(), state.contest.decisions))
    decisions = [one.sentence for one in with_leaving(arena, decided) if one.status != "withdrawn"]
    board = None
    if record.votes is not None:
        board = vote_board(
            record.votes, texts=table.answers, seconds=record.seconds, gold=record.gold, level=spec.level
        )
    options = VoteOptions.of(spec.options)
    prompts = counted(len(spec.tasks), "prompt")
    people = f"these {options.panel} people" if options.panel else "voters like these"
    who = "Anybody with the link may vote." if options.voters == "link" else "Votes are by invitation."
    adaptive = spec.policy not in SETTLED_POLICIES
    kept = 0 if record.votes is None else len(record.votes)
    out = (0 if record.everything is None else len(record.everything)) - kept
    share = out / max(kept + out, 1)
    jump = None if record.everything is None else excluded_jump(record.everything, record.excluded)
    document: dict[str, Any] = jsonable({
        "sentence": progress.sentence, "scope": f"For {people}, on these {prompts}. {who}", "decisions": decisions,
        "forecast": None if progress.forecast is None else progress.forecast.words,
        "votes": kept, "rows": _rows(board, adaptive), "adaptive": adaptive,
        "sentences": [] if board is None else board.answer, "styled": _styled(board),
        "shares": {} if board is None else board.shares, "leaving": leaving_words(record.shown),
        "leaving_first": leaving_words(record.sides), "flags": _flags(board), "unchecked": _unchecked(board),
        "excluded": [
            {"voter": name, "reason": why, "by": by, "time": at} for name, (why, by, at) in record.excluded.items()
        ],
        "out": out, "out_share": share, "alarm": share >= ALARM, "jump": jump, "before": _before(record, share),
        "categories": _categories(record, table, spec.level, adaptive),
        "groups": _groups(record, spec.level, adaptive), "entered": record.entered,
        "moves": [dict(zip(("model", "what", "reason", "by", "time"), one, strict=True)) for one in record.moves],
        "variants": _variants(board, spec.names), "reasons": record.reasons,
        "judges": _judges(record, table, spec.level),
    })  # fmt: skip
    return document


def _rows(board: VoteBoard | None, adaptive: bool) -> list[dict[str, Any]]:
    if board is None or board.standings is None:
        return []
    rows = board.standings.rows()
    return _no_ends(rows) if adaptive else rows


def _no_ends(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take intervals away: there is none without simulated coverage."""
    return [{**row, **{name: None for name in ("low", "high", "rank_low", "rank_high") if name in row}} for row in rows]


def _styled(board: VoteBoard | None) -> list[dict[str, Any]]:
    return [] if board is None or board.styled is None else board.styled.rows()


def _flags(board: VoteBoard | None) -> list[dict[str, Any]]:
    if board is None or board.checks is None:
        return []
    return [
        {"voter": one.voter, "what": CHECKS[one.check], "about": one.about, "p": one.adjusted}
        for one in board.checks.flagged
    ]


def _unchecked(board: VoteBoard | None) -> dict[str, int]:
    if board is None or board.checks is None:
        return {}
    return {CHECKS[kind]: n for kind, n in board.checks.unchecked().items() if n}


def _before(record: VoteRecord, share: float) -> list[dict[str, Any]]:
    """Give points won with and without the votes that are left out."""
    if not share or record.everything is None or record.votes is None:
        return []
    both = [_points(one) for one in (record.everything, record.votes)]
    return [{"model": name, "with": both[0][name], "without": both[1].get(name)} for name in both[0]]


def _points(votes: Any) -> dict[str, float]:
    points: dict[str, list[float]] = {}
    for a, b, score in zip(votes.a, votes.b, votes.outcome, strict=True):
        points.setdefault(votes.agents[a], []).append(float(score))
        points.setdefault(votes.agents[b], []).append(1.0 - float(score))
    return {name: sum(one) / len(one) for name, one in points.items()}


def _judges(record: VoteRecord, table: AnswerTable, level: float) -> list[dict[str, Any]]:
    """Say of each model that judges what its votes are worth; why not where that cannot be said."""
    told = []
    for name, matches in record.judges.items():
        row: dict[str, Any] = {"name": name, "sentences": [], "rows": []}
        try:
            found = None if record.votes is None else judge_calibrated(record.votes, matches, level=level)
            bias = judges(matches, item="task").answer[:2]
            if record.votes is not None:
                bias += judge_bias(record.votes, matches, table.answers, table.categories, level=level).words
        except EquipoiseError as error:
            row["sentences"] = [f"Not calibrated yet: {error}."]
        else:
            calibrated = ((), ()) if found is None else (found.answer, found.frame().to_dicts())
            row |= {"sentences": [*calibrated[0], *bias], "rows": calibrated[1]}
        told.append(row)
    return told


def _categories(record: VoteRecord, table: AnswerTable, level: float, adaptive: bool) -> dict[str, Any]:
    """Rate models by category of prompt, where prompts have one."""
    if record.votes is None or len({*table.categories.values()}) < 2:
        return {}
    prompt = record.votes.labels["prompt"]
    return _boards_by(record.votes, [table.categories.get(prompt.labels[code], "") for code in prompt.codes],
                      level, adaptive)  # fmt: skip


def _groups(record: VoteRecord, level: float, adaptive: bool) -> dict[str, Any]:
    """Rate models by group of voters: the first label of their invitations, where these have any."""
    if record.votes is None or not record.groups:
        return {}
    voter = record.votes.labels["voter"]
    return _boards_by(record.votes, [record.groups.get(voter.labels[code], REST) for code in voter.codes],
                      level, adaptive)  # fmt: skip


def _boards_by(votes: Matches, of: list[str], level: float, adaptive: bool) -> dict[str, Any]:
    """Rate models in each part of the votes, partially pooled with the others; or say why not yet."""
    if len({*of} - {""}) < 2:
        return {}
    try:
        found = categories(replace(votes, labels={**votes.labels, "part": Factor.of(of)}), by="part", level=level)
    except EquipoiseError as error:
        return {"sentences": [f"Not yet: {error}."], "names": [], "rows": []}
    cells: dict[str, dict[str, Any]] = {}
    for row in _no_ends(found.frame().to_dicts()) if adaptive else found.frame().to_dicts():
        cells.setdefault(row["agent"], {})[row["category"]] = row
    return {
        "sentences": [] if adaptive else found.answer[1:], "names": found.categories,
        "rows": [{"agent": name, "cells": of_parts} for name, of_parts in cells.items()],
    }  # fmt: skip


def _variants(board: VoteBoard | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Group models by provider, the part of the name before a slash."""
    providers: dict[str, list[str]] = {}
    for name in names:
        if "/" in name:
            providers.setdefault(name.partition("/")[0], []).append(name)
    errors: Mapping[str, float] = {}
    if board is not None and board.standings is not None:
        errors = {
            row["agent"]: (row["high"] - row["low"]) / 3.92 for row in board.standings.rows() if row["low"] is not None
        }
    return variants_words(providers, errors)
