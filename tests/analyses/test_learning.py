"""Learning curves, and how many steps a score takes."""

import json

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main


def training(steps=(0, 10, 20, 40, 80)):
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        [
            {"algo": algo, "game": game, "seed": seed, "frames": at,
             "score": size * (min(1.0, speed * at / 80) + rng.normal(scale=0.02))}
            for algo, speed in (("slow", 1.0), ("fast", 4.0))
            for game, size in (("pong", 20.0), ("alien", 5000.0), ("qbert", 9000.0))
            for seed in range(4)
            for at in steps
        ]
    )  # fmt: skip


def test_the_fast_learner_needs_fewer_steps():
    table = training().with_columns(pl.when(pl.col("algo") == "slow").then(pl.col("score") * 0.9).otherwise("score"))
    human = pl.DataFrame({"game": ["pong", "alien", "qbert"], "random": [0.0, 0, 0], "human": [20.0, 5000, 9000]})
    found = eq.learning_curves(
        table.sample(fraction=1.0, shuffle=True, seed=3), step="frames", normalise=human, target=0.85
    )
    steps = dict(zip(found.agents, found.reached, strict=True))
    assert steps == {"slow": 80.0, "fast": 20.0}
    assert (found.earliest <= found.reached).all()
    assert found.iqm[found.agents.index("fast"), -1] == pytest.approx(1.0, abs=0.03)
    assert "fast is the first to reach" in found.answer[0]
    assert "4 times as many" in found.answer[0]


def test_a_target_that_nobody_reaches_is_said():
    found = eq.learning_curves(training(), step="frames", target=5.0)
    assert np.isnan(found.reached).all()
    assert found.answer == ("No agent reaches 5.000.",)


def test_the_command_weighs_the_last_step(tmp_path, capsys):
    path = tmp_path / "training.csv"
    training().write_csv(path)
    assert main(["tasks", str(path), "--step", "frames", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    last = eq.tasks(training().filter(pl.col("frames") == 80).drop("frames"))
    assert printed["agents"][0]["skill"] == pytest.approx(last.frame()["skill"][0])
    assert len(printed["curves"]) == 2 * 5
    assert {row["agent"] for row in printed["learning"]} == {"slow", "fast"}


def test_a_column_that_is_not_there_is_said(tmp_path, capsys):
    path = tmp_path / "training.csv"
    training().write_csv(path)
    assert main(["tasks", str(path), "--step", "frame"]) == 2
    assert 'no column "frame"' in capsys.readouterr().err
