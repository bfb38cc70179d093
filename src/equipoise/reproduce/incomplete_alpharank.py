"""Rowland et al. (2019), Multiagent Evaluation under Incomplete Information: alpha-Rank."""

import math
from functools import cache, partial
from pathlib import Path

import numpy as np

from equipoise.alpharank.alpha_rank import AlphaRank, alpha_rank
from equipoise.alpharank.transition import fixation_probability
from equipoise.core.results import FloatArray
from equipoise.data.readers.read import read_metagame
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.nash.average import nash_average
from equipoise.reproduce.incomplete_learning import SOCCER, kuhn_file
from equipoise.reproduce.published import PublishedResult

PEER = "open_spiel.python.egt.alpharank"


def _han() -> MetaGame:
    """Give the five strategies of Han, Pereira, Santos and Lenaerts (2013)."""
    r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
    return MetaGame.symmetric(
        [
            [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
            [r, r, s, s, s],
            [0, t, p, p, p],
            [t - delta, t, p, p, p],
            [r, t, p, p, p],
        ]
    )


@cache
def meta_game(path: Path) -> MetaGame:
    """Read a meta-game once."""
    return read_metagame(path)


def _soccer_nash(folder: Path) -> tuple[float, ...]:
    nash = nash_average(PairTable.from_matrix(meta_game(folder / SOCCER).payoffs[0]), payoff="win-rate")
    return tuple(nash.p[[1, 8, 9]])


def _kuhn3(folder: Path, alpha: float) -> tuple[float, ...]:
    pi = alpha_rank(meta_game(folder / kuhn_file(3)), alpha=alpha).pi
    return (float(pi[2, 2, 1]), float(pi[2, 2, 2]))


def _theirs(game: MetaGame, alpha: float) -> FloatArray:
    from importlib import import_module

    compute = import_module(PEER).compute
    options = {"use_inf_alpha": True, "inf_alpha_eps": 1e-4} if math.isinf(alpha) else {"alpha": alpha}
    with np.errstate(over="ignore"):  # the peer's exponentials overflow at alpha 10, to the right limit
        return np.asarray(compute(list(game.payoffs), m=50, **options)[2])


def _ours(game: MetaGame, alpha: float) -> AlphaRank:
    return alpha_rank(game, perturbation=1e-4) if math.isinf(alpha) else alpha_rank(game, alpha=alpha)


def _gap(folder: Path) -> tuple[float, ...]:
    """Largest difference of a mass to OpenSpiel's, over four tables and four alphas."""
    games = [meta_game(folder / file) for file in (SOCCER, *(kuhn_file(players) for players in (2, 3, 4)))]
    alphas = (0.1, 1.0, 10.0, math.inf)
    return (max(float(np.abs(_ours(g, a).pi.ravel() - _theirs(g, a)).max()) for g in games for a in alphas),)


def _own_kuhn(_: Path) -> tuple[float, ...]:
    from importlib import import_module

    tables = import_module("open_spiel.python.egt.examples.alpharank_example").get_kuhn_poker_data()
    pi = alpha_rank(MetaGame.from_payoffs([np.asarray(table, dtype=float) for table in tables]), alpha=100.0).pi
    return (float(pi[2, 3, 3]), float(pi[3, 3, 3]), float(pi[3, 2, 3]))


def _fixed(_: Path) -> str:
    """Chance that a single mutant takes over a population of 50, by what it gains and by alpha."""
    texts = []
    for alpha in (0.01, 0.1, 1.0):
        chances = (float(fixation_probability(gain, alpha=alpha, m=50)) for gain in (-1.0, 0.0, 1.0))
        texts.append(f"{', '.join(f'{chance:.3f}' for chance in chances)} at alpha {alpha:g}")
    return "; ".join(texts)


def _ties(folder: Path) -> str:
    """Compare the two treatments of ties at infinite alpha: as rare as a neutral mutant's success, or even."""
    game = meta_game(folder / kuhn_file(4))
    gap = float(np.abs(alpha_rank(game).pi - alpha_rank(game, perturbation=1e-9).pi).max())
    return f"{'differ' if gap > 1e-6 else 'agree'} (by up to {gap:.0e})"


kuhn3 = partial(PublishedResult, where="Kuhn meta-game", printed=False, digits=4, needs=kuhn_file(3))
soccer = partial(PublishedResult, needs=SOCCER)
spiel = partial(PublishedResult, where="OpenSpiel", printed=False, peer=PEER)

RESULTS = (
    PublishedResult(
        "chance that a mutant that gains -1, 0, 1 takes over 50",
        "",
        _fixed,
        where="figure B.1",
        because="drawn without numbers",
    ),
    PublishedResult(
        "response graph of an example, and its Markov-Conley chains",
        "",
        None,
        where="figure B.2",
        because="the payoffs of the example are part of the drawing, and lost in our copy",
    ),
    PublishedResult(
        "Han et al.: probabilities of five strategies, alpha 0.1, population 20",
        (0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039),
        lambda _: tuple(alpha_rank(_han(), alpha=0.1, m=20, selection="global").pi),
        where="OpenSpiel's alpharank_test",
        printed=False,
        digits=8,
    ),
    soccer(
        "soccer: probabilities of ten agents at infinite alpha",
        (0, 0.17, 0, 0.041, 0.137, 0, 0, 0.07, 0.163, 0.419),
        lambda folder: tuple(alpha_rank(meta_game(folder / SOCCER)).pi),
        where="soccer meta-game",
        printed=False,
        digits=3,
    ),
    soccer(
        "soccer: maxent Nash of agents 1, 8 and 9",
        (0.5218, 0.3308, 0.1474),
        _soccer_nash,
        where="reference value",
        printed=False,
        digits=4,
    ),
    *(
        kuhn3(f"three-player Kuhn at alpha {alpha:g}: probabilities of (2, 2, 1) and (2, 2, 2)", published,
              partial(_kuhn3, alpha=alpha))
        for alpha, published in ((1.0, (0.8758, 0.1220)), (10.0, (1.0, 0.0)), (1e4, (1.0, 0.0)))
    ),
    PublishedResult(
        "Kuhn of four, infinite alpha: probabilities with ties at 1/50 and at 1/2",
        "differ",
        _ties,
        where="reference value",
        printed=False,
        needs=kuhn_file(4),
    ),
    spiel(
        "soccer and Kuhn of 2, 3, 4 players, four alphas: largest difference of a probability to OpenSpiel's",
        (0.0,),
        _gap,
        digits=8,
        needs=kuhn_file(4),
    ),
    spiel(
        "OpenSpiel's own Kuhn table at alpha 100: probabilities of (2, 3, 3), (3, 3, 3), (3, 2, 3)",
        (0.224, 0.140, 0.116),
        _own_kuhn,
        digits=3,
    ),
)  # fmt: skip
