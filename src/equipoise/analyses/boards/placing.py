"""Where do newcomers stand on a published board that is not to move? Old ratings held, new agents placed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.analyses.analysis import Analysis
from equipoise.analyses.boards.board_sources import Board, BoardSource, board_of
from equipoise.analyses.source import open_source
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, EquipoiseError, some_of
from equipoise.core.former import present_options
from equipoise.core.lazy import pl
from equipoise.core.options import checked, number
from equipoise.core.results import FloatArray, Interval, frozen, frozen_params
from equipoise.core.units import ELO_POINT, POINTS, POINTS_DIFFERENCE, RATINGS, in_declared_units
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.graph import connected_components
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.clustered_errors import MatchClusters, group_scores
from equipoise.ratings.paired.errors import ScoreTest, meat_of_matches, placed_unknowns, score_test_of_held
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DENSE, dense_hessian
from equipoise.ratings.paired.ties import PairCounts, curvature


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PlacedAgents(Analysis):
    """Newcomers on a board whose ratings stay as they were published.

    Attributes
    ----------
    agents
        Those on the board first, as published; then the newcomers.
    rating, low, high
        In log-odds. Of agents on the board as published; of newcomers given these, as if they were exact.
    newcomer
        Which of them are new.
    games
        In the games at hand.
    would_move
        New less published rating of each agent on the board if all were fitted to the games at hand, against the mean
        of those; NaN for newcomers, and where no such fit exists.
    test
        Score test of whether the games contradict the published ratings, whose own errors are counted in.
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("rating", "low", "high"), POINTS),
        "would_move": POINTS_DIFFERENCE,
    }

    agents: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    high: FloatArray
    newcomer: tuple[bool, ...]
    games: FloatArray
    would_move: FloatArray
    test: ScoreTest
    board: str
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the board with its newcomers in Elo points, best first."""
        names = ("rating", "low", "high", "games", "would_move")
        columns = {"agent": list(self.agents)} | {name: getattr(self, name) for name in names}
        table = pl.DataFrame(columns | {"newcomer": list(self.newcomer)}).fill_nan(None)
        return in_declared_units(table, self.units).sort("rating", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the published board, the test against it, and the kind of the intervals."""
        test = {"statistic": self.test.statistic, "degrees": self.test.degrees, "p_value": self.test.p_value}
        return {"held": self.board, "contradiction": test, "interval": self.interval}

    @property
    def answer(self) -> tuple[str, ...]:
        """Where newcomers stand, whether the games agree with the board, and how far it would have moved."""
        order = np.argsort(-self.rating, kind="stable").tolist()
        said = []
        for k in [k for k in order if self.newcomer[k]][:5]:
            ends = f"{self.low[k] / ELO_POINT:+.0f} to {self.high[k] / ELO_POINT:+.0f}"
            place = f"{order.index(k) + 1} of {len(order)}"
            said.append(
                f"{some_of([self.agents[k]])} comes in at place {place}: {self.rating[k] / ELO_POINT:+.0f} Elo points"
                f" ({ends}), the published ratings taken for exact."
            )
        moved = self.would_move / ELO_POINT
        if not np.isnan(moved).all():
            most = int(np.nanargmax(np.abs(moved)))
            said.append(
                f"Fitted to these games, published ratings would have moved by {moved[most]:+.0f} at most"
                f" ({some_of([self.agents[most]])})."
            )
        agree = "contradict" if self.test.p_value < 0.05 else "do not contradict"
        return (*said, f"The games {agree} the published ratings (score test, p = {self.test.p_value:.2g}).")


@present_options
@former_reading
@checked(min_p=number(0.0, 1.0))
def place(
    data: Source,
    hold: BoardSource,
    *,
    min_p: float = 0.001,
    position: bool = False,
    level: float = 0.95,
    read: ReadOptions | None = None,
) -> PlacedAgents:
    r"""Where do new agents stand if published ratings stay as they are, and do the games agree with these?

    Maximises the Bradley-Terry likelihood over the newcomers' ratings only, ties as half wins. Their errors are
    sandwich errors given the published ratings (clustered by group where there is one).

    .. math:: T = s^T V^{-1} s, \qquad V = A J A^T + H_e \Sigma H_e

    tests the published ratings: s is the gradient by them, A J A' its variance once newcomers are fitted, :math:`H_e`
    the information about them, and :math:`\Sigma` their own published errors, taken for independent of these games.

    Parameters
    ----------
    data
        Games of newcomers, against agents on the board: a file, matches or pair counts. Games between agents on the
        board only count for the test.
    hold
        The board, as in :func:`changes`.
    min_p
        Refuse to anchor to a board that the games contradict with a p-value below this; 0 anchors whatever they say.
    position
        Estimate the advantage of the first-named (``side`` is taken too).
    level
        Of the intervals.
    read
        Columns, rows and agents of a file.

    Returns
    -------
    PlacedAgents
        The board with its newcomers, the test, and how far the board would have moved.

    Fails when
        the board is not of Bradley-Terry ratings; nobody is new; newcomers met nobody on the board, or won or lost all
        their games; the games contradict the board.

    Examples
    --------
    >>> import equipoise as eq
    >>> board = eq.Matches.from_columns("aab" * 40, "bcc" * 40, [1, 0, 1, 0, 1, 0] * 20)
    >>> found = eq.place(eq.Matches.from_columns("d" * 36, "abc" * 12, [1, 0, 1, 1, 1, 0, 0, 1, 1] * 4), board)
    >>> found.frame()["agent"][0], found.newcomer
    ('d', (False, False, False, True))
    """
    opened = open_source(data, ("matches", "pairs"), read, asked_by="place")
    played, origin = opened.data, opened.origin
    pairs = played.pairs(by_group=played.group is not None) if isinstance(played, Matches) else played
    board = board_of(hold, "the board")
    if board.method != "bradley-terry" or board.unit not in RATINGS:
        raise DataError(f"{board.name} was rated with {board.method}: only Bradley-Terry ratings can be held")
    held = tuple(board.ratings)
    new = tuple(name for name in pairs.agents if name not in board.ratings)
    _refuse(pairs, board, new)
    agents = (*held, *new)
    table_of_all = _renumbered(pairs, agents)
    solution, errors, test = _placed(table_of_all, board, agents, position)
    _judge(test, min_p)
    published = np.array([board.ratings[name] for name in held])
    reach = two_sided_quantile(level, np.inf if pairs.group is None else len(pairs.group.labels) - 1.0) * errors
    moves, notes = _would_move(pairs, published[:, 0], held, position)
    rating = solution[: len(agents)]
    return PlacedAgents(
        data=pairs, origin=origin, agents=agents, rating=frozen(rating),
        low=frozen(np.concatenate([published[:, 1], rating[len(held) :] - reach])),
        high=frozen(np.concatenate([published[:, 2], rating[len(held) :] + reach])),
        newcomer=(False,) * len(held) + (True,) * len(new), games=frozen(table_of_all.games_of_agents()),
        would_move=frozen(np.concatenate([moves, np.full(len(new), np.nan)])), test=test, board=board.name,
        interval=Interval("sandwich, given the published ratings,", level),
        diagnostics=(*pairs.diagnostics, *_said(test), *notes),
        params=frozen_params(hold=board.name, least_p=min_p, side=position, level=level, ties="half"),
    )  # fmt: skip


def _refuse(pairs: PairTable, board: Board, new: Sequence[str]) -> None:
    if not pairs.counted:
        raise DataError("win rates without numbers of games place nobody")
    if not new:
        raise DataError(f"nobody is new: all {len(pairs.agents):,} agents are on {board.name} already")
    if len(new) + len(board.ratings) > DENSE:
        raise DataError(f"up to {DENSE:,} agents can be placed on a board, these are {len(new) + len(board.ratings):,}")
    if not np.isfinite([value for value, _, _ in board.ratings.values()]).all():
        raise DataError(f"{board.name} has agents without a rating")
    met = pairs.games > 0
    component = connected_components(len(pairs.agents), pairs.first[met], pairs.second[met])
    reached = {component[k] for k, name in enumerate(pairs.agents) if name in board.ratings}
    lost = [name for k, name in enumerate(pairs.agents) if component[k] not in reached]
    if lost:
        raise DataError(f"no chain of games joins {some_of(lost)} to an agent on {board.name}")
    played, scored = pairs.games_of_agents(), pairs.scores_of_agents()
    whole = [name for k, name in enumerate(pairs.agents) if name in new and scored[k] in (0.0, played[k])]
    if whole:
        raise DataError(f"no finite rating exists for newcomers that won or lost all their games: {some_of(whole)}")


def _renumbered(pairs: PairTable, agents: tuple[str, ...]) -> PairTable:
    place = np.array([agents.index(name) for name in pairs.agents], dtype=np.int32)
    return PairTable.from_counts(
        agents, place[pairs.first], place[pairs.second], pairs.wins, pairs.losses, pairs.ties, group=pairs.group,
        shared=pairs.shared, counted=pairs.counted,
    )  # fmt: skip


def _placed(
    games: PairTable, board: Board, agents: Sequence[str], side: bool
) -> tuple[FloatArray, FloatArray, ScoreTest]:
    """Fit the newcomers; give all unknowns, the newcomers' errors, and the test of the others."""
    count = len(board.ratings)
    model = PairedModel(len(agents), games.first, games.second, "half", side, np.zeros(len(agents), dtype=np.int64))
    cells = PairCounts(games.wins, games.losses, games.ties, games.shared)
    published = np.array(list(board.ratings.values()))
    start = np.concatenate([published[:, 0], np.full(model.size - count, 0.0)])
    start[count : len(agents)] = published[:, 0].mean()
    free = np.arange(model.size) >= count
    x = placed_unknowns(model, cells, start, free)
    slope = curvature(model.differences(x), model.tie(x), cells, model.ties)
    if games.group is None:
        meat = meat_of_matches(model, cells, x)
    else:
        sums, groups = group_scores(MatchClusters(model, cells, games.group), x), len(games.group.labels)
        meat = np.asarray((sums.T @ sums).toarray()) * groups / max(groups - 1, 1)
    width = (published[:, 2] - published[:, 1]) / (2.0 * scipy.special.ndtri(0.5 + board.level / 2.0))
    gradient = model.gather(slope.d, slope.t)
    covariance, test = score_test_of_held(dense_hessian(model, slope), meat, gradient, free, np.nan_to_num(width) ** 2)
    return x, np.sqrt(np.diag(covariance)[: len(agents) - count]), test


def _judge(test: ScoreTest, least_p: float) -> None:
    if test.p_value < least_p:
        raise DataError(
            f"the games contradict the published ratings beyond noise (score test, p = {test.p_value:.1g}): holding"
            " them would place newcomers wrongly",
            advice=[
                Advice("fit all agents again"),
                Advice("or hold them whatever games say with ", Option("min_p", 0)),
            ],
        )


def _said(test: ScoreTest) -> tuple[Diagnostic, ...]:
    tested = (
        f"Score test of the published ratings: {test.statistic:.1f} on {test.degrees} degrees, p = {test.p_value:.2g}"
    )
    kind = warning if test.p_value < 0.05 else info
    return (kind("held-ratings", f"{tested}; intervals of newcomers take the published ratings for exact."),)


def _would_move(
    pairs: PairTable, published: FloatArray, held: Sequence[str], side: bool
) -> tuple[FloatArray, tuple[Diagnostic, ...]]:
    """Give how far held ratings would have moved, had all agents been fitted to the games."""
    moves = np.full(len(held), np.nan)
    try:
        fit = bradley_terry(pairs, side=side)
    except EquipoiseError as error:
        return moves, (info("no-free-fit", f"How far published ratings would have moved is not known: {error}"),)
    there = [k for k, name in enumerate(held) if name in fit.agents]
    change = np.array([fit.rating[fit.agents.index(held[k])] - published[k] for k in there])
    moves[there] = change - change.mean()
    return moves, ()
