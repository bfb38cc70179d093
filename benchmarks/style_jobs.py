"""Bradley-Terry with covariates: every match is a row of its own, and nothing can be counted by pair."""

from typing import Any

import numpy as np
import polars as pl

from benchmarks.job import Agreement, Answer, Job, Side
from benchmarks.rating_jobs import by_name, log

__all__ = ["JOBS"]

COVARIATES = 10


def styled(matches: int) -> pl.DataFrame:
    """Give matches with ten differences of style, which decide some of them, in units of their standard deviation.

    Every match stands there with its twin, the other way round, so that the peer's centring takes nothing off.
    """
    half = matches // 2
    frame, rng = log(matches).head(half), np.random.default_rng(matches + 1)
    z = rng.normal(size=(half, COVARIATES))
    flip = rng.random(half) < 1 / (1 + np.exp(-2 * z @ np.linspace(0.5, -0.3, COVARIATES)))
    first = np.where(rng.random(half) < 0.5, flip, frame["winner"].to_numpy() == "model_a")
    twin = {"model_a": pl.concat([frame["model_a"], frame["model_b"]])}
    twin["model_b"] = pl.concat([frame["model_b"], frame["model_a"]])
    twin["winner"] = pl.Series(["model_b", "model_a"])[np.r_[first, ~first].astype(int)]
    both = np.vstack([z, -z])
    both /= both.std(axis=0)
    return pl.DataFrame(twin | {f"z{k}": both[:, k] for k in range(COVARIATES)})


def ours(frame: pl.DataFrame) -> Answer:
    import equipoise as eq

    names = [f"z{k}" for k in range(COVARIATES)]
    found = eq.bradley_terry(eq.read_matches(frame, covariates=names), covariates=names)
    assert found.coefficients is not None
    return {**by_name(found.agents, found.rating), "coefficients": np.asarray(found.coefficients.value)}


def arena_rank(frame: Any) -> Answer:
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset

    names = [f"z{k}" for k in range(COVARIATES)]
    data = ContextualPairDataset.from_pandas(frame, names, reweighted=False)
    model = ContextualBradleyTerry(len(data.competitors), len(names), reg=1e-12)
    found = model.compute_ratings_and_cis(data)
    point = 400 / np.log(10)
    rated = by_name(found["competitors"], np.asarray(found["ratings"]) / point)
    return {**rated, "coefficients": np.asarray(model.params["coeffs"])}


def same_answers(one: Answer, other: Answer) -> Agreement:
    """Ratings and coefficients agree to a hundredth of a log-odd; the peer stops early."""
    gap = max(float(np.abs(one[name] - other[name]).max()) for name in ("rating", "coefficients"))
    return gap < 0.01, f"ratings and coefficients differ by at most {gap:.1e} log-odds"


JOBS = [
    Job(
        "Bradley-Terry with ten covariates",
        styled,
        (
            Side("equipoise", ours, note="sandwich intervals of ratings and coefficients"),
            Side("arena-rank", arena_rank, lambda frame: frame.to_pandas(), "JAX; penalty off, no weights"),
        ),
        (10_000, 100_000, 1_000_000),
        (10_000, 100_000),
        lambda matches: f"{matches:,} matches, 200 agents, {COVARIATES} covariates",
        same_answers,
    )
]
