"""Responses as py-irt takes them: ``{"subject_id": "...", "responses": {"item": 1, ...}}``, a line for each subject."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from equipoise.core.errors import DataError
from equipoise.logs.files.json_files import number_of, objects_of
from equipoise.logs.format import LogReading, Notes, Run


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the responses of each subject; the items of one file are those of one evaluation."""
    notes.mapped("subject_id (agent)", "responses (task and score)")
    for path in files:
        evaluation = path.name.partition(".")[0]
        for line, row in objects_of(path):
            responses = row.get("responses")
            if not isinstance(responses, dict) or "subject_id" not in row:
                raise DataError(f'{path}: line {line:,}: "subject_id" and "responses" are expected')
            scores = {item: number_of(value) for item, value in responses.items()}
            bad = [item for item, score in scores.items() if score is None]
            if bad and how.on_error == "raise":
                raise DataError(f'{path}: line {line:,}: the response to "{bad[0]}" is no number')
            if bad:
                notes.drop("that are no numbers", len(bad))
            kept = {item: score for item, score in scores.items() if score is not None}
            notes.use(len(kept))
            yield Run(str(row["subject_id"]), evaluation, list(kept), list(kept.values()))
