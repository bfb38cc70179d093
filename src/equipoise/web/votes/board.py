"""The board of a vote as one document: what is decided, the ratings, the voters, and what each of it bears."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from equipoise.analyses.votes.vote_board import VoteBoard, variants_words, vote_board
from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.journal.votes import VoteRecord, vote_record, with_leaving
from equipoise.arena.spec.votes import VoteOptions
from equipoise.core.errors import EquipoiseError
from equipoise.core.results import jsonable
from equipoise.core.wording import counted
from equipoise.logs.votes.answers import AnswerTable
from equipoise.ratings.judges.judge_calibrated import judge_calibrated
from equipoise.ratings.judges.judges import judges
from equipoise.ratings.judges.voter_checks import CHECKS
from equipoise.schedule.leaving import leaving_words

SHARE = 0.05
"""The most of the time that making the board may take."""
ALARM = 0.1
"""Share of votes left out from which the page warns."""
SETTLED_POLICIES = ("uniform", "round-robin")
"""Policies that do not look at results when they choose among open pairs: intervals are simulated for them alone."""


class VoteBoards:
    """The board of one arena, made again when votes came and the last one is old enough."""

    def __init__(self, arena: ArenaReader, table: AnswerTable) -> None:
        self._arena, self._table = arena, table
        self._lock = threading.Lock()
        self._made: tuple[int, float, float, dict[str, Any]] | None = None

    def now(self) -> dict[str, Any]:
        """Give the board."""
        with self._lock:
            seq, begun = self._arena.look(lambda state: state.seq), time.monotonic()
            if self._made is not None:
                at, made, took, document = self._made
                if at == seq or begun - made < took / SHARE:
                    return document
            document = board_document(self._arena, self._table)
            self._made = seq, begun, time.monotonic() - begun, document
            return document


def board_document(arena: ArenaReader, table: AnswerTable) -> dict[str, Any]:
    """Make the board of an arena of votes."""
    record, spec = vote_record(arena), arena.spec
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
        "out": out, "out_share": share, "alarm": share >= ALARM, "before": _before(record, share),
        "categories": _categories(record, table), "entered": record.entered,
        "variants": _variants(board, spec.names), "reasons": record.reasons, "judges": _judges(record, spec.level),
    })  # fmt: skip
    return document


def _rows(board: VoteBoard | None, adaptive: bool) -> list[dict[str, Any]]:
    if board is None or board.standings is None:
        return []
    rows = board.standings.rows()
    if adaptive:  # no interval without simulated coverage
        rows = [{**row, "low": None, "high": None, "rank_low": None, "rank_high": None} for row in rows]
    return rows


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


def _judges(record: VoteRecord, level: float) -> list[dict[str, Any]]:
    """Say of each model that judges what its votes are worth; why not where that cannot be said."""
    told = []
    for name, matches in record.judges.items():
        row: dict[str, Any] = {"name": name, "sentences": [], "rows": []}
        try:
            found = None if record.votes is None else judge_calibrated(record.votes, matches, level=level)
            bias = judges(matches, item="task").answer
        except EquipoiseError as error:
            row["sentences"] = [f"Not calibrated yet: {error}."]
        else:
            calibrated = ((), ()) if found is None else (found.answer, found.frame().to_dicts())
            row |= {"sentences": [*calibrated[0], *bias[:2]], "rows": calibrated[1]}
        told.append(row)
    return told


def _categories(record: VoteRecord, table: AnswerTable) -> dict[str, dict[str, float]]:
    """Give points won by category of prompt, where prompts have one."""
    if record.votes is None or len({*table.categories.values()}) < 2:
        return {}
    import numpy as np

    prompt = record.votes.labels["prompt"]
    of = np.array([table.categories.get(name, "") for name in prompt.labels])[prompt.codes]
    return {name: _points(record.votes.take(np.flatnonzero(of == name))) for name in sorted({*of.tolist()}) if name}


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
