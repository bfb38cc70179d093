"""Scores that a model gives to single answers, as MT-bench writes them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.logs.files.json_files import number_of, objects_of
from equipoise.logs.format import LogReading, Notes, Run
from equipoise.logs.tables.names import short_name

__all__ = ["read"]


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the score of each question and turn; -1 means that the judge gave none."""
    notes.mapped("model (agent)", "question_id, turn (task)", "score")
    missing = 0
    for path in files:
        for line, row in objects_of(path):
            score = number_of(row.get("score"))
            if score is None and how.on_error == "raise" and row.get("score") is not None:
                raise DataError(f'{path}: line {line:,}: the score "{short_name(str(row["score"]))}" is no number')
            if score is None or score < 0:
                notes.drop("without a score")
                missing += 1
                continue
            notes.use(1)
            turn = row.get("turn")
            item = str(row.get("question_id")) + (f" turn {turn}" if turn is not None else "")
            yield Run(str(row["model"]), f"judged by {_judge(row)}", [item], [score])
    if missing:
        notes.warning("samples-without-score", f"The judge gave no score to {missing:,} answers.")


def _judge(row: dict[str, Any]) -> str:
    judge = row.get("judge")
    return str(judge[0] if isinstance(judge, list) and judge else judge)
