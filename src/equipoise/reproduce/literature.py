"""Results of text books and packages that the methods must give, too."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import scipy

from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray
from equipoise.data.datasets import load
from equipoise.data.readers.read import read_matches, read_pairs
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores
from equipoise.items.fit import irt
from equipoise.items.marginal.quadrature import Grid, marginal_log_likelihood, uniform_grid
from equipoise.items.models.models import Items
from equipoise.items.models.responses import from_counts
from equipoise.items.result import IRT
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.transitivity.transitivity import Transitivity, transitivity
from equipoise.reproduce.published import PublishedResult

BASEBALL, CITATIONS = "bradley_terry/baseball.csv", "bradley_terry/citations.csv"
GO = "go_bots/cross_results_long.csv.gz"
LTM = (0.82565, 0.72278, 0.89078, 0.68839, 0.65690), (-3.35886, -1.37001, -0.27969, -1.86633, -3.12573)
"""Discriminations and difficulties that ltm prints for LSAT."""
STOPPED = (
    "ltm stops a little before the optimum (below); on its 21 points the optimum is the same as on a converged grid"
)


def _above(result: BradleyTerry, anchor: str, *agents: str) -> tuple[float, ...]:
    shifted = result.relative_to(anchor)
    rating = dict(zip(shifted.agents, shifted.rating, strict=True))
    return tuple(rating[agent] for agent in agents)


def _baseball(folder: Path, side: bool) -> tuple[float, ...]:
    result = bradley_terry(read_pairs(folder / BASEBALL), side=side)
    home = (float(result.side),) if result.side is not None else ()
    return (*home, *_above(result, "Baltimore", "Detroit"))


def _out_of_order(folder: Path) -> tuple[float, ...]:
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
def _lsat(model: str, *, unit_variance: bool = False) -> IRT:
    scores = load("lsat")
    assert isinstance(scores, Scores)
    return irt(scores, model=model, unit_variance=unit_variance)  # type: ignore[arg-type]  # the three names below


def _matrix(folder: Path, file: str) -> FloatArray:
    table = np.loadtxt(folder / "irt" / file, delimiter=",", skiprows=1)
    return np.repeat(table[:, :5], table[:, 5].astype(int), axis=0) if "LSAT7" in file else table


@cache
def _fit(folder: Path, file: str) -> IRT:
    return irt(Scores.from_matrix(_matrix(folder, file)))


def _log_likelihood(folder: Path, file: str) -> tuple[float, ...]:
    return (_fit(folder, file).log_likelihood,)


def _on_points(folder: Path, file: str, points: int) -> tuple[float, ...]:
    """Largest log-likelihood on so many Gauss-Hermite points, climbing from our optimum on a converged grid."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    grid = Grid(nodes, np.log(weights / weights.sum()))
    responses, fit = from_counts(_matrix(folder, file)), _fit(folder, file)

    def loss(values: FloatArray) -> float:
        slope, intercept = np.split(values, 2)
        return -marginal_log_likelihood(responses, Items(slope, intercept, np.zeros(slope.size)), grid)

    start = np.concatenate([fit.discrimination, -fit.discrimination * fit.difficulty])
    return (-float(scipy.optimize.minimize(loss, start, options={"gtol": 1e-4}).fun),)


def _lead(_: Path) -> str:
    """Say by how much our parameters are more likely than ltm's printed ones, on one converged grid."""
    scores, fit = load("lsat"), _lsat("2pl")
    assert isinstance(scores, Scores)
    ours, theirs = (
        marginal_log_likelihood(
            from_counts(scores.values), Items(slope, -slope * place, np.zeros(5)), uniform_grid(8.0, 1601)
        )
        for slope, place in ((fit.discrimination, fit.difficulty), np.array(LTM))
    )
    return f"{ours - theirs:.0e}"


def _rejected(folder: Path) -> str:
    return f"transitivity is {'rejected' if _go(folder).p_value <= 0.05 else 'not rejected'} at 5%"


baseball = partial(PublishedResult, where="Agresti; R package BradleyTerry2", digits=4, needs=BASEBALL)
go = partial(PublishedResult, where="reference value, GoAIRatings", needs=GO)
ltm = partial(PublishedResult, where="Rizopoulos (2006), R package ltm")

RESULTS = (
    baseball("baseball: home advantage, Detroit above Baltimore", (0.3023, 1.4754), partial(_baseball, side=True)),
    baseball("baseball without the home term: Detroit above Baltimore", (1.4364,), partial(_baseball, side=False)),
    PublishedResult(
        "citations relative to Biometrika: Comm Statist, JASA, JRSS-B",
        (-2.9491, -0.4796, 0.2690),
        lambda folder: _above(
            bradley_terry(read_pairs(folder / CITATIONS)), "Biometrika", "Comm Statist", "JASA", "JRSS-B"
        ),
        where="Stigler; R package BradleyTerry2",
        digits=4,
        needs=CITATIONS,
    ),
    PublishedResult(
        "LLMFAO, 59 language models: pairs in another order than evalica's Bradley-Terry",
        (0.0,),
        _out_of_order,
        where="evalica",
        digits=0,
        needs="llmfao/llmfao.csv",
    ),
    go("319 Go programs: Pearson statistic against Bradley-Terry", (9160.0,), lambda folder: (_go(folder).pearson,),
       where="reference value (about), GoAIRatings", digits=-1),
    go("319 Go programs: degrees of freedom", (6378.0,), lambda folder: (float(_go(folder).df),), digits=0),
    go("319 Go programs: noise-corrected intransitive share", (0.16,), lambda folder: (_go(folder).cyclic_share,)),
    go("319 Go programs: answer", "transitivity is rejected at 5%", _rejected),
    ltm("LSAT, 2PL: discriminations", LTM[0], lambda _: tuple(_lsat("2pl").discrimination), digits=5, because=STOPPED),
    ltm("LSAT, 2PL: difficulties", LTM[1], lambda _: tuple(_lsat("2pl").difficulty), digits=5, because=STOPPED),
    ltm("LSAT, 2PL: log-likelihood of ours less that of ltm's parameters", "", _lead,
        because="a check of the reason above, on a converged grid"),
    ltm("LSAT, 2PL: log-likelihood", (-2466.65338,), lambda _: (_lsat("2pl").log_likelihood,), digits=5),
    ltm(
        "LSAT, 1PL: discrimination and its standard error",
        (0.7551, 0.0694),
        lambda _: (float(_lsat("1pl").discrimination[0]), float(_lsat("1pl").discrimination_se[0])),
        digits=4,
    ),
    ltm("LSAT, 1PL: difficulties", (-3.6153, -1.3224, -0.3176, -1.7301, -2.7802),
        lambda _: tuple(_lsat("1pl").difficulty), digits=4),
    ltm("LSAT, Rasch: difficulties", (-2.8720, -1.0630, -0.2576, -1.3881, -2.2188),
        lambda _: tuple(_lsat("rasch", unit_variance=True).difficulty), digits=4),
    ltm("LSAT, Rasch: standard errors", (0.1287, 0.0821, 0.0766, 0.0865, 0.1048),
        lambda _: tuple(_lsat("rasch", unit_variance=True).difficulty_se), digits=4),
    ltm("LSAT: log-likelihoods of 1PL and Rasch", (-2466.938, -2473.054),
        lambda _: (_lsat("1pl").log_likelihood, _lsat("rasch", unit_variance=True).log_likelihood), digits=3),
    *(
        PublishedResult(f"{name}, 2PL: log-likelihood", (value,), partial(_log_likelihood, file=file), where=where,
               digits=digits, needs=f"irt/{file}")
        for name, file, value, digits, where in (
            ("LSAT7", "mirt_LSAT7.csv", -2658.805, 3, "R package mirt"),
            ("WIRS", "ltm_WIRS.csv", -3420.064, 3, "Rizopoulos (2006), R package ltm"),
            ("Abortion", "ltm_Abortion.csv", -707.0866, 4, "reference value, converged grid"),
        )
    ),
    ltm(
        "Abortion, 2PL: largest log-likelihood on 61 Gauss-Hermite points",
        (-707.132,),
        partial(_on_points, file="ltm_Abortion.csv", points=61),
        digits=3,
        needs="irt/ltm_Abortion.csv",
    ),
)  # fmt: skip
