"""How a table of scores is read: its columns and tasks, where a user names them, and what happens to bad cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.data.readers.read import Duplicates, OnError, Source, read_scores
from equipoise.data.types.scores import Scores

__all__ = ["ScoreTable"]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Columns and tasks of a table of scores, where a user names them, and what to do with bad and repeated ones."""

    agent: str | None = None
    task: str | None = None
    score: str | None = None
    trial: str | None = None
    tasks: str | Sequence[str] | None = None
    not_tasks: str | Sequence[str] | None = None
    transpose: bool = False
    duplicates: Duplicates | None = None
    on_error: OnError = "raise"

    def scores(self, source: Source, wanted: Mapping[str, Any]) -> Scores:
        """Read the rows that are wanted."""
        return read_scores(
            source, agent=self.agent, task=self.task, score=self.score, trial=self.trial, tasks=self.tasks,
            not_tasks=self.not_tasks, transpose=self.transpose, duplicates=self.duplicates, on_error=self.on_error,
            **wanted,
        )  # fmt: skip

    def named(self) -> dict[str, object]:
        """Give what was named of the table."""
        return {name: value for name in self.__slots__ if name != "on_error" and (value := getattr(self, name))}
