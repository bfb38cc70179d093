"""Which strategies does evolution keep? Payoffs to alpha-Rank, its graph, its bounds, and what to play next."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from equipoise.alpharank.alpha_rank import alpha_rank
from equipoise.alpharank.alpha_sweep import alpha_sweep
from equipoise.alpharank.bounds import AlphaRankBounds, alpha_rank_bounds
from equipoise.alpharank.response_graph import response_graph
from equipoise.analyses.analysis import Analysis, refuse_idle
from equipoise.analyses.source import open_source
from equipoise.choice.deviation import DeviationRatings, deviation_ratings
from equipoise.core.declaration import DataKind
from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError
from equipoise.core.former import present_options
from equipoise.core.lazy import pl
from equipoise.core.options import check, choice, number, whole
from equipoise.core.results import Result, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source, read_matches, read_metagame, read_pairs
from equipoise.data.readers.recognise import holds_games
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.schedule.payoff_evidence import Sampling
from equipoise.schedule.proposals import LearnedGraph, Proposal
from equipoise.schedule.response_graph_ucb import ResponseGraphUCB

Show = Literal["profiles", "graph", "sweep", "bounds", "next", "deviation"]
"""What to show of a meta-game."""
LOOKED_AT: Mapping[Show, tuple[str, ...]] = {
    "profiles": ("alpha", "m", "perturbation", "merge_clones"),
    "graph": (),
    "sweep": ("m",),
    "bounds": ("width", "m", "perturbation"),
    "next": ("budget", "delta", "sampling", "payoff_range"),
    "deviation": ("n",),
}
"""Options that each of them depends on."""
SAMPLES = 100
"""Bootstrap samples of deviation ratings where nobody says how many."""
QUICK = 10_000
"""Strategies times profiles of a game up to which they are drawn unasked: some seconds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class NextGames(Result):
    """Profiles to play next, and what is known of the response graph so far.

    Attributes
    ----------
    proposals
        One for each game to play.
    graph
        The response graph as far as the games tell.
    """

    rows_name: ClassVar[str] = "proposals"
    main: ClassVar[str] = "proposals"

    proposals: tuple[Proposal, ...]
    graph: LearnedGraph

    @property
    def answer(self) -> tuple[str, ...]:
        """How many edges are resolved, and what may be claimed for them."""
        graph = self.graph
        done = f"{len(graph.resolved)} edges are resolved, {len(graph.unresolved)} are not, after {graph.games} games."
        return (done, f"Guarantee: {graph.guarantee}.")

    def rows(self) -> list[dict[str, Any]]:
        """Give each profile to play, with how often and why; those to play most come first."""
        often: dict[tuple[str, ...], dict[str, Any]] = {}
        for one in self.proposals:
            row = often.setdefault(one.names, {"profile": list(one.names), "play": 0, "reason": one.reason})
            row["play"] += 1
        return sorted(often.values(), key=lambda row: -row["play"])

    def frame(self) -> "pl.DataFrame":
        """Give each profile to play, with how often and why; those to play most come first."""
        return pl.DataFrame(self.rows(), schema={"profile": pl.List(pl.String), "play": pl.Int64, "reason": pl.String})

    def summary(self) -> dict[str, object]:
        """Give the graph so far."""
        return {"graph": self.graph.to_dict()}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WeighedGame(Analysis):
    """A meta-game, looked at in one way.

    Attributes
    ----------
    show
        In which way.
    result
        What came out: ``AlphaRank``, ``ResponseGraph``, ``AlphaSweep``, ``AlphaRankBounds``, ``NextGames`` or
        ``DeviationRatings``.
    """

    main: ClassVar[str] = "result"

    show: Show
    result: Any

    @property
    def answer(self) -> tuple[str, ...]:
        """What the result says."""
        answer: tuple[str, ...] = self.result.answer
        return answer

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the result
        """Units of the result's columns."""
        units: Mapping[str, str] = self.result.units
        return units

    def frame(self) -> "pl.DataFrame":
        """Give the result's table."""
        frame: pl.DataFrame = self.result.frame()
        return frame

    def summary(self) -> dict[str, object]:
        """Give what the result says beside its table."""
        return {"show": self.show, **self.result.summary()}


@present_options
@former_reading
def metagame(
    data: Source,
    *,
    show: Show = "profiles",
    alpha: float = math.inf,
    m: int = 50,
    perturbation: float | Literal["auto", "limit"] = "auto",
    merge_clones: bool = False,
    width: float | None = None,
    budget: int = 20,
    delta: float = 0.1,
    sampling: Sampling = "valence-weighted",
    payoff_range: tuple[float, float] = (0.0, 1.0),
    n: int | None = None,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> WeighedGame:
    """Which profiles of a game does evolution keep, how sure is that, and what should be played next?

    Parameters
    ----------
    data
        A file of payoffs or a log of games, a bundled set's name, a meta-game or pair counts.
    show
        ``profiles`` (:func:`alpha_rank`), ``graph`` (:func:`response_graph`), ``sweep`` over alpha
        (:func:`alpha_sweep`), ``bounds`` (:func:`alpha_rank_bounds`), what to play ``next``
        (:class:`ResponseGraphUCB`), or ``deviation`` ratings (:func:`deviation_ratings`).
    alpha, m, perturbation, merge_clones
        As in :func:`alpha_rank`.
    width
        For bounds: every payoff may be off by so much; without it the data's own ``low`` and ``high`` count.
    budget, delta, sampling, payoff_range
        For next: games to propose, and options of :class:`ResponseGraphUCB`.
    n
        For deviation: bootstrap samples of the games; 0 for none, None for 100 where the game is small.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.

    Fails when
        an option is given that ``show`` does not look at; bounds are asked of data without any, or next
        games of payoffs without counts; as the methods do.

    Examples
    --------
    >>> import equipoise as eq
    >>> game = eq.MetaGame.symmetric([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], ["rock", "scissors", "paper"])
    >>> eq.metagame(game).result.mccs
    (('rock', 'scissors', 'paper'),)
    """
    check(choice(*get_args(Show)), "show", show)
    given = {
        "alpha": (alpha, math.inf), "m": (m, 50), "perturbation": (perturbation, "auto"),
        "merge_clones": (merge_clones, False), "width": (width, None),
        "budget": (budget, 20), "delta": (delta, 0.1), "sampling": (sampling, "valence-weighted"),
        "payoff_range": (tuple(payoff_range), (0.0, 1.0)), "n": (n, None),
    }  # fmt: skip
    refuse_idle({name: pair for name, pair in given.items() if name not in LOOKED_AT[show]}, Option("show", show))
    by_task = show == "deviation"
    takes: tuple[DataKind, ...] = ("pairs", "metagame", "matches") if by_task else ("pairs", "metagame")
    reader = _votes_or_payoffs if by_task else partial(_games_or_payoffs, clustered=show == "profiles")
    opened = open_source(data, takes, read, asked_by="metagame", reader=reader)
    game, origin = opened.data, opened.origin
    counted = game
    if isinstance(game, PairTable):
        game = game.unordered()
        counted = game if opened.data.group is None else opened.data
    result: Result
    if show == "profiles":
        result = alpha_rank(counted, alpha=alpha, m=m, perturbation=perturbation, merge_clones=merge_clones)
    elif show == "graph":
        result = response_graph(game)
    elif show == "sweep":
        result = alpha_sweep(game, m=m)
    elif show == "deviation":
        result = _deviation(counted, n, rng)
    elif show == "bounds":
        result = _bounds(game, width, m, perturbation)
    else:
        result = _next(game, budget, delta, sampling, payoff_range, rng)
    return WeighedGame(
        data=game, origin=origin, show=show, result=result, fit=result.fit, diagnostics=result.diagnostics,
        params=frozen_params(show=show, **result.params),
    )  # fmt: skip


def _games_or_payoffs(source: Any, options: ReadOptions, *, clustered: bool = False) -> PairTable | MetaGame:
    """Read a log of games as its pairs, and anything else as payoffs; bounds on masses heed clusters."""
    if options.kind == "games" or holds_games(source, options.table):
        return read_pairs(source, read=options.clustered if clustered else options)
    return read_metagame(source, read=options)


def _votes_or_payoffs(source: Any, options: ReadOptions) -> PairTable | MetaGame | Matches:
    """Read a log of games as it is where a column of tasks is named."""
    if options.task is not None and (options.kind == "games" or holds_games(source, options.table)):
        return read_matches(source, read=options)
    return _games_or_payoffs(source, options, clustered=True)


def _deviation(game: MetaGame | PairTable | Matches, n: int | None, rng: int | np.random.Generator) -> DeviationRatings:
    """Rate strategies, with bootstrap ranges where they are asked for, or quick to have."""
    rate = partial(deviation_ratings, game, by_task=isinstance(game, Matches), rng=rng)
    rated = rate(n=n or 0)
    drawn = isinstance(game, Matches) or (isinstance(game, PairTable) and game.counted)
    sizes = [len(names) for names in rated.strategies] * (2 if len(rated.strategies) == 1 else 1)
    if n is not None or not drawn or sum(sizes) * math.prod(sizes) > QUICK:
        return rated
    try:
        return rate(n=SAMPLES)
    except DataError as error:
        note = info("failed-replicates", f"There are no bootstrap ranges: {error}.")
        return replace(rated, diagnostics=(*rated.diagnostics, note))


def _bounds(
    game: MetaGame | PairTable, width: float | None, m: int, perturbation: float | Literal["auto", "limit"]
) -> AlphaRankBounds:
    check(number(0.0, 1e300, none=True), "width", width)
    if isinstance(game, PairTable):
        raise DataError("bounds are of payoffs; for pair counts use payoff_bounds and alpha_rank_bounds")
    if width is not None:
        low, high = [p - width for p in game.payoffs], [p + width for p in game.payoffs]
    elif game.low is not None and game.high is not None:
        low, high = list(game.low), list(game.high)
    else:
        raise DataError('the payoffs have no "low" and "high"', advice=[Advice("give a ", Option("width"))])
    names = game.strategies[0] if game.single else game.strategies
    mistakes = None if isinstance(perturbation, str) else perturbation
    return alpha_rank_bounds(low, high, m=m, perturbation=mistakes, strategies=names)


def _next(
    game: MetaGame | PairTable,
    budget: int,
    delta: float,
    sampling: Sampling,
    payoff_range: tuple[float, float],
    rng: int | np.random.Generator,
) -> NextGames:
    """Tell the learner what was counted, then ask."""
    check(whole(1), "budget", budget)
    if isinstance(game, PairTable):
        raise DataError("what to play next between agents: use plan")
    if game.counts is None:
        raise DataError('what to play next depends on what was played: the file needs "counts" beside "payoffs"')
    ucb = ResponseGraphUCB(
        list(game.strategies[0]) if game.single else [list(names) for names in game.strategies],
        delta=delta, sampling=sampling, payoff_range=payoff_range, rng=rng,
    )  # fmt: skip
    for profile, payoffs, games in _played(game):
        ucb.tell(profile, payoffs, games=games)
    return NextGames(
        proposals=() if ucb.done else ucb.ask(budget), graph=ucb.graph(), diagnostics=game.diagnostics,
        params=frozen_params(budget=budget, delta=delta, sampling=sampling, payoff_range=payoff_range),
    )  # fmt: skip


def _played(game: MetaGame) -> list[tuple[tuple[int, ...], tuple[float, ...], int]]:
    """List the profiles that were played, with mean payoffs and how often."""
    assert game.counts is not None
    counts = game.counts[0]
    if game.single:
        n, table = game.shape[0], game.payoffs[0]
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        return [
            ((i, j), (float(table[i, j]), float(table[j, i])), int(counts[i, j])) for i, j in pairs if counts[i, j] > 0
        ]
    return [
        (profile, tuple(float(p[profile]) for p in game.payoffs), int(counts[profile]))
        for profile in np.ndindex(*game.shape)
        if counts[profile] > 0
    ]
