"""Rankings where people look: files and records here, MLflow and TensorBoard where they are installed."""

import json
import sys

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.errors import DataError, MissingDependencyError, ParameterError
from equipoise.integrations.exports import ExportedBoard, export_board

RESULT = {
    "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
    "properties": {
        "source_data": {
            "required": ["dataset_name", "source_type"], "properties": {"source_type": {"const": "other"}},
        },
        "metric_config": {
            "required": ["lower_is_better"],
            "properties": {
                "lower_is_better": {"type": "boolean"}, "score_type": {"enum": ["binary", "continuous", "levels"]},
            },
            "if": {"required": ["score_type"], "properties": {"score_type": {"const": "continuous"}}},
            "then": {"required": ["min_score", "max_score"]},
        },
        "score_details": {
            "required": ["score"],
            "properties": {
                "score": {"type": "number"},
                "details": {"type": "object", "additionalProperties": {"type": "string"}},
                "uncertainty": {
                    "properties": {
                        "confidence_interval": {
                            "required": ["lower", "upper"],
                            "properties": {
                                "lower": {"type": "number"}, "upper": {"type": "number"},
                                "confidence_level": {"minimum": 0, "maximum": 1},
                            },
                        }
                    }
                },
            },
        },
    },
}  # fmt: skip
RECORD = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info", "eval_library",
        "evaluation_results",
    ],
    "properties": {
        **{name: {"type": "string"} for name in ("schema_version", "evaluation_id", "retrieved_timestamp")},
        "source_metadata": {
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {
                "source_type": {"enum": ["documentation", "evaluation_run"]},
                "source_organization_name": {"type": "string"},
                "evaluator_relationship": {"enum": ["first_party", "third_party", "collaborative", "other"]},
            },
        },
        "model_info": {"required": ["name", "id"], "properties": {key: {"type": "string"} for key in ("name", "id")}},
        "eval_library": {"required": ["name", "version"]},
        "evaluation_results": {"type": "array", "items": RESULT},
    },
}  # fmt: skip
"""What version 0.2.2 of Every Eval Ever's schema demands of the keys that we write, in our words."""


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "quiz.csv"
    right = np.random.default_rng(4).random((3, 60)) < [[0.9], [0.6], [0.3]]
    rows = [f"org/{name},t{k},{int(right[j, k])}\n" for j, name in enumerate("abc") for k in range(60)]
    path.write_text("model,task,score\n" + "".join(rows))
    return path


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.csv"
    path.write_text("model_a,model_b,winner\n" + "x,y,model_a\ny,z,model_a\nz,x,model_a\nx,z,model_a\n" * 20)
    return path


@pytest.mark.parametrize("kind", ["scores", "games"])
def test_a_leaderboard_is_one_plain_table_with_intervals(kind, request, tmp_path):
    file = request.getfixturevalue(kind)
    assert main(["export", str(file), "--to", "parquet", "-o", str(tmp_path / "board.parquet")]) == 0
    table = pl.read_parquet(tmp_path / "board.parquet")
    assert table.columns == ["agent", "score", "low", "high", "rank_low", "rank_high"]
    assert table["score"].is_sorted(descending=True)
    assert ((table["low"] <= table["score"]) & (table["score"] <= table["high"])).all()
    other = (eq.tasks if kind == "scores" else eq.rank)(file)
    assert ExportedBoard.of(other).table.equals(table)


@pytest.mark.parametrize("kind", ["scores", "games"])
def test_records_are_in_the_schema_of_every_eval_ever(kind, request, tmp_path):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    file = request.getfixturevalue(kind)
    given = ["export", str(file), "--to", "every-eval-ever", "-o", str(tmp_path / "records")]
    assert main([*given, "--organization", "My laboratory", "--relationship", "first_party"]) == 0
    paths = sorted((tmp_path / "records").iterdir())
    assert len(paths) == 3
    for path in paths:
        record = json.loads(path.read_text())
        jsonschema.validate(record, _real_schema() or RECORD)
        jsonschema.validate(record, RECORD)
        (result,) = record["evaluation_results"]
        assert result["score_details"]["uncertainty"]["confidence_interval"]["confidence_level"] == 0.95
    if kind == "scores":
        assert record["model_info"]["id"].startswith("org/")
        assert result["metric_config"]["max_score"] == 1.0


def _real_schema():
    """Give the schema that the package of that database brings, where it is installed."""
    try:
        from importlib.resources import files

        return json.loads((files("every_eval_ever") / "schemas" / "eval.schema.json").read_text())
    except (ImportError, OSError):
        return None


def test_what_cannot_be_exported_is_said_in_one_line(scores, tmp_path, capsys):
    for wrong in (
        ["--to", "every-eval-ever", "-o", str(tmp_path)], ["--to", "parquet"], ["--to", "mlflow", "-o", "x"],
        ["--to", "parquet", "-o", str(tmp_path / "none" / "b.parquet")], ["--to", "csv"],
    ):  # fmt: skip
        assert main(["export", str(scores), *wrong]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(DataError, match="ranks no agents"):
        export_board(eq.gate(eq.load("classifiers"), base_agent="forest", new_agent="svm-rbf"), "parquet", "x.parquet")
    with pytest.raises(ParameterError, match="relationship"):
        export_board(scores, "every-eval-ever", tmp_path, organization="me", relationship="aunt")


def test_scalars_come_back_from_tensorboard(scores, tmp_path):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: make test-real-logs")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    for step in (1, 2):
        export_board(scores, "tensorboard", tmp_path, step=step)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    board = ExportedBoard.of(eq.tasks(scores))
    assert set(events.Tags()["tensors"]) == set(board.scalars)
    for name, value in board.scalars.items():
        found = sorted(events.Tensors(name), key=lambda event: event.step)
        assert [event.step for event in found] == [1, 2]
        assert float(make_ndarray(found[0].tensor_proto)) == pytest.approx(value)


@pytest.mark.filterwarnings("ignore")  # what the tool warns of is not ours
def test_metrics_come_back_from_mlflow(games, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the light package brings no database
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: make test-real-logs")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        names = export_board(games, "mlflow", step=7)
    metrics = mlflow.get_run(run.info.run_id).data.metrics
    assert set(metrics) == set(names) == {f"{agent}/{end}" for agent in "xyz" for end in ("score", "low", "high")}
    assert metrics["x/score"] == pytest.approx(ExportedBoard.of(eq.rank(games)).scalars["x/score"])


@pytest.mark.parametrize(("to", "package"), [("mlflow", "mlflow"), ("tensorboard", "tensorboard.summary")])
def test_a_package_that_is_missing_is_named(scores, tmp_path, monkeypatch, to, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match="pip install"):
        export_board(scores, to, None if to == "mlflow" else tmp_path)
