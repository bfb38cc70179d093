"""Boards where people look: a table for leaderboards, records of Every Eval Ever, scalars of MLflow and TensorBoard.

Each takes a ranking of agents (what :func:`rank` or :func:`tasks` gives) with its intervals: a number without its error
is what all of these places have too many of.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

import equipoise
from equipoise.analyses.analysis import Analysis
from equipoise.analyses.boards.standings import rank
from equipoise.analyses.scores.benchmark import tasks
from equipoise.core.errors import DataError, MissingDependencyError, ParameterError
from equipoise.core.options import check, choice
from equipoise.core.units import frame_in_points
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source

Destination = Literal["parquet", "every-eval-ever", "mlflow", "tensorboard"]
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
SCHEMA = "0.2.2"
"""The version of Every Eval Ever's schema that records follow."""
UNSAFE = re.compile(r"[^\w./ -]+")
"""What names of metrics in MLflow must not hold, and files should not."""


@dataclass(frozen=True, slots=True)
class ExportedBoard:
    """A ranking as one plain table: agent, score, low, high, rank_low, rank_high.

    Attributes
    ----------
    table
        Best first.
    metric, unit
        What the score is.
    level
        Of the intervals.
    source
        The data's name.
    span
        The least and the greatest score that there could be; None where there is no limit.
    """

    table: pl.DataFrame
    metric: str
    unit: str
    level: float
    source: str
    span: tuple[float, float] | None

    @classmethod
    def of(cls, result: Analysis) -> "ExportedBoard":
        """Take the main estimate of a ranking with its interval and its ranks.

        Fails when
            the result ranks no agents.
        """
        board = getattr(result, "board", None)
        frame = frame_in_points(result) if board is None else board.frame()
        metric = "rating" if "rating" in frame.columns else str(getattr(board, "params", {}).get("statistic", ""))
        low, high = ("low", "high") if "low" in frame.columns else (f"{metric}_low", f"{metric}_high")
        wanted = {"agent": "agent", metric: "score", low: "low", high: "high", "rank_low": "rank_low",
                  "rank_high": "rank_high"}  # fmt: skip
        if not set(wanted) <= set(frame.columns):
            raise DataError(f"{type(result).__name__} ranks no agents; give what rank or tasks gives")
        table = frame.select(pl.col(old).alias(new) for old, new in wanted.items())
        values = table["score"].drop_nulls()
        shares = metric != "rating" and len(values) and values.min() >= 0.0 and values.max() <= 1.0  # type: ignore[operator]  # numbers
        return cls(
            table, metric, "Elo points" if metric == "rating" else "score",
            float(str(result.params.get("level", 0.95))),
            result.origin.name or "data", (0.0, 1.0) if shares else None,
        )  # fmt: skip

    @property
    def scalars(self) -> dict[str, float]:
        """The numbers by ``agent/score``, ``agent/low`` and ``agent/high``; those that are not known are left out."""
        return {
            f"{row['agent']}/{name}": float(row[name])
            for row in self.table.iter_rows(named=True)
            for name in ("score", "low", "high")
            if row[name] is not None
        }


def export_board(
    data: Source | Analysis,
    to: Destination,
    output: str | Path | None = None,
    *,
    step: int = 0,
    organization: str | None = None,
    relationship: Relationship = "third_party",
    read: ReadOptions | None = None,
) -> list[str]:
    """Put a ranking where people look.

    Parameters
    ----------
    data
        A file of games (ranked as by :func:`rank`) or scores (as by :func:`tasks`), or a result of one of these.
    to
        ``parquet``: one table, such as leaderboards on Hugging Face show. ``every-eval-ever``: a record for each agent,
        in the schema of that database. ``mlflow``: metrics of the active run. ``tensorboard``: scalars.
    output
        The file of ``parquet``, the folder of ``every-eval-ever`` and ``tensorboard``; MLflow knows its own place.
    step
        Of metrics and scalars.
    organization, relationship
        Who evaluated, and what they are to those who made the agents: every record says so.
    read
        Columns, rows and agents of the file.

    Returns
    -------
    What was written: files, or names of metrics.

    Fails when
        a package is not installed, nobody says who evaluated, or the place cannot be written to.

    Examples
    --------
    >>> import equipoise as eq, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> written = eq.methods.export_board(eq.tasks("classifiers"), "parquet", folder / "board.parquet")
    >>> pathlib.Path(written[0]).name
    'board.parquet'
    """
    check(choice(*WRITERS), "to", to)
    check(choice("first_party", "third_party", "collaborative", "other"), "relationship", relationship)
    if to == "every-eval-ever" and not organization:
        raise ParameterError("name who evaluated with ", Option("organization"), ": every record says so")
    if (output is None) != (to == "mlflow"):
        raise ParameterError(Option("output"), " names where to write; MLflow alone has a place of its own")
    board = ExportedBoard.of(data if isinstance(data, Analysis) else _ranked(data, read))
    given: dict[str, Any] = {"step": step, "organization": organization, "relationship": relationship}
    try:
        return WRITERS[to](board, Path(output or ""), given)
    except OSError as error:
        raise ParameterError(f"cannot write to {output}: {error.strerror or error}") from error


def _ranked(source: Source, read: ReadOptions | None) -> Analysis:
    """Rank what a file holds."""
    from equipoise.logs.read import recognise

    kind = recognise(source, read or ReadOptions()).data.kind  # type: ignore[arg-type]  # a file, or several
    return tasks(source, read=read) if kind == "scores" else rank(source, read=read)


def _parquet(board: ExportedBoard, output: Path, _given: Mapping[str, Any]) -> list[str]:
    board.table.write_parquet(output)
    return [str(output)]


def _records(board: ExportedBoard, output: Path, given: Mapping[str, Any]) -> list[str]:
    output.mkdir(parents=True, exist_ok=True)
    now = str(int(time.time()))
    written = []
    for row in board.table.filter(pl.col("score").is_not_null()).iter_rows(named=True):
        path = output / f"{UNSAFE.sub('-', row['agent']).replace('/', '_')}.json"
        path.write_text(json.dumps(eval_record(board, row, now, given), indent=1), encoding="utf-8")
        written.append(str(path))
    return written


def eval_record(board: ExportedBoard, row: Mapping[str, Any], now: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give one agent's record in the schema of Every Eval Ever."""
    metric: dict[str, Any] = {
        "metric_id": f"equipoise.{board.metric}", "metric_name": board.metric, "metric_unit": board.unit,
        "lower_is_better": False,
    }  # fmt: skip
    if board.span is not None:
        metric |= {"score_type": "continuous", "min_score": board.span[0], "max_score": board.span[1]}
    score: dict[str, Any] = {
        "score": row["score"],
        "details": {name: str(row[name]) for name in ("rank_low", "rank_high") if row[name] is not None},
    }
    if row["low"] is not None and row["high"] is not None:
        interval = {"lower": row["low"], "upper": row["high"], "confidence_level": board.level}
        score["uncertainty"] = {"confidence_interval": interval}
    library = {"name": "equipoise", "version": equipoise.__version__}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{board.source}/{row['agent']}/{now}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": board.source, "source_type": "evaluation_run",
            "source_organization_name": given["organization"], "evaluator_relationship": given["relationship"],
        },
        "eval_library": library,
        "model_info": {"name": row["agent"], "id": row["agent"]},
        "evaluation_results": [
            {
                "evaluation_name": board.source, "metric_config": metric, "score_details": score,
                "source_data": {"dataset_name": board.source, "source_type": "other"},
            }
        ],
    }  # fmt: skip


def _mlflow(board: ExportedBoard, _output: Path, given: Mapping[str, Any]) -> list[str]:
    try:
        import mlflow
    except ImportError as error:
        raise MissingDependencyError("this needs the extra mlflow: pip install 'equipoise[mlflow]'") from error
    named = {UNSAFE.sub("-", name): value for name, value in board.scalars.items()}
    mlflow.log_metrics(named, step=given["step"])
    return list(named)


def _tensorboard(board: ExportedBoard, output: Path, given: Mapping[str, Any]) -> list[str]:
    try:
        from tensorboard.summary import Writer
    except ImportError as error:
        raise MissingDependencyError(
            "this needs the extra tensorboard: pip install 'equipoise[tensorboard]'"
        ) from error
    writer = Writer(str(output))
    for name, value in board.scalars.items():
        writer.add_scalar(name, value, step=given["step"])
    writer.close()
    return list(board.scalars)


WRITERS: Mapping[str, Callable[[ExportedBoard, Path, Mapping[str, Any]], list[str]]] = {
    "parquet": _parquet, "every-eval-ever": _records, "mlflow": _mlflow, "tensorboard": _tensorboard,
}  # fmt: skip
"""Who writes to which place."""
