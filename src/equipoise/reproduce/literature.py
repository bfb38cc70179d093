"""Figures of text books and packages that the methods must give, too."""

from functools import cache
from pathlib import Path

import numpy as np

from equipoise.data.bundled import load
from equipoise.data.pairs import PairTable
from equipoise.data.read import read_matches, read_pairs
from equipoise.data.scores import Scores
from equipoise.irt.fit import IRT, irt
from equipoise.ratings.bradley_terry import BradleyTerry, bradley_terry
from equipoise.ratings.transitivity import Transitivity, transitivity
from equipoise.reproduce.figure import Figure

__all__ = ["FIGURES"]

BASEBALL, CITATIONS = "bradley_terry/baseball.csv", "bradley_terry/citations.csv"
GO = "go_bots/cross_results_long.csv.gz"
LSAT = "Rizopoulos (2006), R package ltm"
STOPPED = "ltm stops a little before the optimum; our likelihood is not lower in any printed digit"


def _above(result: BradleyTerry, anchor: str, *agents: str) -> tuple[float, ...]:
    shifted = result.relative_to(anchor)
    rating = dict(zip(shifted.agents, shifted.rating, strict=True))
    return tuple(rating[agent] for agent in agents)


def _baseball(folder: Path, side: bool) -> tuple[float, ...]:
    result = bradley_terry(read_pairs(folder / BASEBALL), side=side)
    home = (float(result.side),) if result.side is not None else ()
    return (*home, *_above(result, "Baltimore", "Detroit"))


def _out_of_order(folder: Path) -> tuple[float, ...]:
    import polars as pl

    golden = pl.read_csv(folder / "llmfao" / "llmfao-golden.csv").filter(pl.col("algorithm") == "bradley_terry")
    reference = golden.sort("score", descending=True)["item"].to_list()
    ours = bradley_terry(read_matches(folder / "llmfao" / "llmfao.csv")).frame()["agent"].to_list()
    place = [reference.index(agent) for agent in ours]
    return (float(sum(a > b for k, a in enumerate(place) for b in place[k + 1 :])),)


@cache
def _go(folder: Path) -> Transitivity:
    table: PairTable = read_pairs(folder / GO)
    return transitivity(table, n=19, cycles=1)


@cache
def _lsat(model: str) -> IRT:
    scores = load("lsat")
    assert isinstance(scores, Scores)
    return irt(scores, model=model)  # type: ignore[arg-type]  # the three names below


def _log_likelihood(folder: Path, file: str) -> tuple[float, ...]:
    table = np.loadtxt(folder / "irt" / file, delimiter=",", skiprows=1)
    if "LSAT7" in file:
        table = np.repeat(table[:, :5], table[:, 5].astype(int), axis=0)
    return (irt(Scores.from_matrix(table)).log_likelihood,)


FIGURES = (
    Figure(
        what="baseball: home advantage, Detroit above Baltimore",
        where="Agresti; R package BradleyTerry2",
        digits=4,
        published=(0.3023, 1.4754),
        compute=lambda folder: _baseball(folder, True),
        needs=BASEBALL,
    ),
    Figure(
        what="baseball without the home term: Detroit above Baltimore",
        where="Agresti; R package BradleyTerry2",
        digits=4,
        published=(1.4364,),
        compute=lambda folder: _baseball(folder, False),
        needs=BASEBALL,
    ),
    Figure(
        what="citations relative to Biometrika: Comm Statist, JASA, JRSS-B",
        where="Stigler; R package BradleyTerry2",
        digits=4,
        published=(-2.9491, -0.4796, 0.2690),
        needs=CITATIONS,
        compute=lambda folder: _above(
            bradley_terry(read_pairs(folder / CITATIONS)), "Biometrika", "Comm Statist", "JASA", "JRSS-B"
        ),
    ),
    Figure(
        what="LLMFAO, 59 language models: pairs in another order than evalica's Bradley-Terry",
        where="evalica",
        digits=0,
        published=(0.0,),
        compute=_out_of_order,
        needs="llmfao/llmfao.csv",
    ),
    Figure(
        what="319 Go programs: Pearson statistic against Bradley-Terry",
        where="reference value, GoAIRatings",
        published=(9160.0,),
        digits=-1,
        needs=GO,
        compute=lambda folder: (_go(folder).pearson,),
    ),
    Figure(
        what="319 Go programs: degrees of freedom",
        where="reference value, GoAIRatings",
        published=(6378.0,),
        digits=0,
        needs=GO,
        compute=lambda folder: (float(_go(folder).df),),
    ),
    Figure(
        what="319 Go programs: noise-corrected cyclic share",
        where="reference value, GoAIRatings",
        published=(0.16,),
        needs=GO,
        compute=lambda folder: (_go(folder).cyclic_share,),
    ),
    Figure(
        what="LSAT, 2PL: discriminations",
        where=LSAT,
        published=(0.82565, 0.72278, 0.89078, 0.68839, 0.65690),
        digits=5,
        compute=lambda _: tuple(_lsat("2pl").discrimination),
        because=STOPPED,
    ),
    Figure(
        what="LSAT, 2PL: difficulties",
        where=LSAT,
        published=(-3.35886, -1.37001, -0.27969, -1.86633, -3.12573),
        digits=5,
        compute=lambda _: tuple(_lsat("2pl").difficulty),
        because=STOPPED,
    ),
    Figure(
        what="LSAT, 2PL: log-likelihood",
        where=LSAT,
        published=(-2466.65338,),
        digits=5,
        better="higher",
        compute=lambda _: (_lsat("2pl").log_likelihood,),
        because=STOPPED,
    ),
    Figure(
        what="LSAT, 1PL: discrimination and its standard error",
        where=LSAT,
        published=(0.7551, 0.0694),
        digits=4,
        compute=lambda _: (float(_lsat("1pl").discrimination[0]), float(_lsat("1pl").discrimination_se[0])),
    ),
    Figure(
        what="LSAT, 1PL: difficulties",
        where=LSAT,
        published=(-3.6153, -1.3224, -0.3176, -1.7301, -2.7802),
        digits=4,
        compute=lambda _: tuple(_lsat("1pl").difficulty),
        because=STOPPED,
    ),
    Figure(
        what="LSAT, Rasch: difficulties",
        where=LSAT,
        published=(-2.8720, -1.0630, -0.2576, -1.3881, -2.2188),
        digits=4,
        compute=lambda _: tuple(_lsat("rasch").difficulty),
    ),
    Figure(
        what="LSAT, Rasch: standard errors",
        where=LSAT,
        published=(0.1287, 0.0821, 0.0766, 0.0865, 0.1048),
        digits=4,
        compute=lambda _: tuple(_lsat("rasch").difficulty_se),
    ),
    Figure(
        what="LSAT: log-likelihoods of 1PL and Rasch",
        where=LSAT,
        published=(-2466.938, -2473.054),
        digits=3,
        compute=lambda _: (_lsat("1pl").log_likelihood, _lsat("rasch").log_likelihood),
    ),
    Figure(
        what="LSAT7, 2PL: log-likelihood",
        where="R package mirt",
        published=(-2658.805,),
        digits=3,
        compute=lambda folder: _log_likelihood(folder, "mirt_LSAT7.csv"),
        needs="irt/mirt_LSAT7.csv",
    ),
    Figure(
        what="WIRS, 2PL: log-likelihood",
        where=LSAT,
        published=(-3420.064,),
        digits=3,
        compute=lambda folder: _log_likelihood(folder, "ltm_WIRS.csv"),
        needs="irt/ltm_WIRS.csv",
    ),
    Figure(
        what="Abortion, 2PL: log-likelihood",
        where=LSAT,
        published=(-707.132,),
        digits=3,
        better="higher",
        compute=lambda folder: _log_likelihood(folder, "ltm_Abortion.csv"),
        needs="irt/ltm_Abortion.csv",
        because="on a grid refined until it no longer matters; the published value is on 61 Gauss-Hermite points",
    ),
)
