"""Who is better? Games to ratings, whether they describe the games, and what game theory says where it can."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from equipoise.analyses.analysis import Analysis
from equipoise.analyses.boards.columns import COLUMNS
from equipoise.analyses.boards.game_theory import board_alpha_rank, board_nash
from equipoise.analyses.boards.other_ratings import rated_over_time, rated_races
from equipoise.analyses.boards.rating import RankOptions, Rating, former_rank_options, zero_of
from equipoise.analyses.boards.recognised import games_weighted, open_games, with_position, with_rounds
from equipoise.catalogue import Method
from equipoise.core.diagnostics import Diagnostic, has_code
from equipoise.core.errors import ParameterError
from equipoise.core.former import present_options
from equipoise.core.lazy import pl
from equipoise.core.options import check, choice
from equipoise.core.results import FloatArray, frozen_params
from equipoise.core.units import (
    DIFFERENCE,
    LOG_ODDS,
    POINTS,
    POINTS_DIFFERENCE,
    frame_in_points,
    in_points,
    unit_in_frames,
    units_in_points,
)
from equipoise.core.wording import Option
from equipoise.data.readers.columns import listed
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.select.selection import Components
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.bradley_terry import Pairing
from equipoise.ratings.paired.more_games import more_games
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.paired.ties import TieModel
from equipoise.ratings.transitivity.cycles import SURE
from equipoise.ratings.transitivity.sentence import SMALL_SHARE
from equipoise.ratings.transitivity.transitivity import Transitivity, simulated_tables, transitivity, untested

if TYPE_CHECKING:
    from equipoise.alpharank.alpha_rank import AlphaRank
    from equipoise.inference.bootstrap import Bootstrap
    from equipoise.nash.agents import AgentNash
    from equipoise.ratings.covariates.style_control import StyleControl


ENDS = ("", "_low", "_high")
STYLE_UNITS = {
    **{f"{name}{end}": POINTS_DIFFERENCE for name in ("change", "style") for end in ENDS},
    **{f"plain_{name}": POINTS for name in ("rating", "low", "high")},
}
"""Units of the columns that style control adds."""
GAME_THEORY = tuple(f"{name}{end}" for name in ("nash", "nash_average", "alpha_rank") for end in ENDS)
"""Columns that game theory adds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Standings(Analysis):
    """A leaderboard and what it is worth.

    Attributes
    ----------
    data
        The pair counts behind everything.
    method
        How agents were rated.
    rated
        The result of that method.
    replicates
        Bootstrap replicates of the ratings, where asked for; their interval stands instead of the method's own.
    transitivity
        Whether a single rating per agent describes the games.
    nash
        Nash averages; None where some pair never met, or there are too many agents.
    alpha_rank
        alpha-Rank at infinite alpha; None likewise.
    style
        The board with and without control for covariates, side by side; None where none were asked for. ``rated``
        holds the controlled ratings then.
    """

    main: ClassVar[str] = "rated"

    method: Method
    rated: Any
    replicates: "Bootstrap | None"
    transitivity: Transitivity
    nash: "AgentNash | None"
    alpha_rank: "AlphaRank | None"
    style: "StyleControl | None" = None

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the method
        """Units of the columns: those of the method, Elo points for ratings in log-odds and for Nash averages."""
        own = units_in_points(self.rated.units)
        unit = own.get(self.rated.main)
        shared = {} if unit is None else dict.fromkeys(("rating", "low", "high"), unit)
        of_games = {name: POINTS_DIFFERENCE if name.startswith("nash_average") else "share" for name in GAME_THEORY}
        styled = {} if self.style is None else STYLE_UNITS
        further = {column.name: unit_in_frames(column.unit) for column in COLUMNS}
        return own | shared | {"win_rate": "share", **of_games, **styled, **further}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who leads, how many games would separate the first two, and whether a single rating describes the games."""
        if self.style is not None:
            return (*self.rated.answer[:1], *self.style.answer, *self.transitivity.answer)
        asked = more_games(self.rated, self.data) if isinstance(self.rated, BradleyTerry) else None
        return (*self.rated.answer, *((asked.words,) if asked else ()), *self.transitivity.answer)

    def frame(self) -> "pl.DataFrame":
        """Give the leaderboard, best first; ratings in Elo points, or in the unit of a method that has another."""
        return pl.DataFrame(self.rows(), infer_schema_length=None)

    def rows(self) -> list[dict[str, Any]]:
        """Give one row for each agent, best first, in the same units; null where a method says nothing."""
        rated = frame_in_points(self.rated)
        games = {} if "games" in rated.columns else self._games()
        extra: list[dict[str, Any]] = [
            games, self._intervals(), self._styled(), self._game_theory(), self._further(),
        ]  # fmt: skip
        return [
            self._own(row) | {name: column[row["agent"]] for columns in extra for name, column in columns.items()}
            for row in rated.to_dicts()
        ]

    def _own(self, row: dict[str, Any]) -> dict[str, Any]:
        """What the method itself says of an agent: its rating, intervals, ranks, component and places on discs."""
        names = ("low", "high", "rank_low", "rank_high", "games", "win_rate")
        known = {"agent", self.rated.main, *names}
        more = {key: value for key, value in row.items() if key not in known and not key.startswith("stderr")}
        return {"agent": row["agent"], "rating": row[self.rated.main], **{n: row.get(n) for n in names}, **more}

    def _games(self) -> dict[str, dict[str, float]]:
        """Games and win rates by agent, where the method does not say them."""
        games = self.data.games_of_agents()
        rate = self.data.scores_of_agents() / np.where(games > 0, games, np.nan)
        counted = games if self.data.counted else np.full(len(games), np.nan)
        return {"games": self._by_agent(counted), "win_rate": self._by_agent(rate)}

    def _intervals(self) -> dict[str, dict[str, float]]:
        if self.replicates is None:
            return {}
        shown = frame_in_points(self.replicates)
        return {end: dict(zip(shown["agent"], shown[end], strict=True)) for end in ("low", "high")}

    def _further(self) -> dict[str, Any]:
        """Give the further columns that boards declare."""
        return {column.name: self._by_agent(column.values(self.data, self.rated), column.unit) for column in COLUMNS}

    def _styled(self) -> dict[str, Any]:
        """Give the plain board beside the controlled one, what changed, and what style gave, by agent."""
        style = self.style
        if style is None:
            return {}
        plain = style.plain
        none = np.full(len(style.agents), np.nan)
        columns: dict[str, Any] = {"plain_rating": plain.rating}
        columns |= {f"plain_{end}": none if (at := getattr(plain, end)) is None else at for end in ("low", "high")}
        columns |= {"change": style.change, "change_low": style.low, "change_high": style.high}
        columns |= {"style": style.style, "style_low": style.style_low, "style_high": style.style_high}
        by_agent = {name: self._by_agent(values, DIFFERENCE) for name, values in columns.items()}
        for name, places in {"plain_rank": style.rank_before, "controlled_rank": style.rank_after}.items():
            by_agent[name] = dict(zip(style.agents, places.tolist(), strict=True))
        return {**by_agent, "change_verdict": dict(zip(style.agents, style.verdict, strict=True))}

    def _game_theory(self) -> dict[str, Any]:
        """Nash mass, Nash average and alpha-Rank by agent, each with its uncertainty.

        A mass without one is a number that looks surer than it is: it is shown only where transitivity says that one
        number per agent does not do, and null otherwise.
        """
        nash, masses = self.nash, self.alpha_rank
        nothing: dict[str, FloatArray | None] = dict.fromkeys(GAME_THEORY)
        if nash is not None and (nash.interval is not None or self.needs_more_than_one_number):
            # Nobody beats the equilibrium: what is above 0 is rounding.
            average = {f"nash_average{end}": getattr(nash, f"average{end}") for end in ENDS}
            nothing |= {f"nash{end}": getattr(nash, f"p{end}") for end in ENDS}
            nothing |= {name: at if at is None else np.minimum(at, 0.0) for name, at in average.items()}
        if masses is not None and (masses.low is not None or self.needs_more_than_one_number):
            nothing |= {"alpha_rank": np.clip(masses.pi, 0.0, 1.0), "alpha_rank_low": masses.low}
            nothing |= {"alpha_rank_high": masses.high}
        none: Any = dict.fromkeys(self.data.agents)
        units = {name: DIFFERENCE for name in GAME_THEORY if name.startswith("nash_average")}
        return {
            name: none if values is None else self._by_agent(values, units.get(name, ""))
            for name, values in nothing.items()
        }

    @property
    def needs_more_than_one_number(self) -> bool:
        """Whether agents are not to be ranked by one number."""
        share, p_value = self.transitivity.cyclic_share, self.transitivity.p_value
        return share > SMALL_SHARE and not p_value >= SURE and not self.transitivity.explained

    def _by_agent(self, values: FloatArray, unit: str = "") -> Any:
        """Give numbers by agent, those in log-odds in Elo points."""
        shown = in_points(values) if unit in (LOG_ODDS, DIFFERENCE) else values
        return dict(zip(self.data.agents, shown.tolist(), strict=True))

    def summary(self) -> dict[str, object]:
        """Give what the method says beside the ratings, and transitivity."""
        return {"method": self.method.option_name, **self.rated.summary(), "verdict": self.transitivity.verdict()}


@present_options
@former_reading
@former_rank_options
def rank(
    data: Source,
    *,
    method: str = "bradley-terry",
    ties: TieModel = "half",
    position: bool | None = None,
    components: Literal["refuse", "each", "largest"] = "refuse",
    pairing: Pairing | None = None,
    adjust: str | Sequence[str] | None = None,
    anchor: str | None = None,
    reference: str | Sequence[str] | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
    cluster: str | None = None,
    options: RankOptions | None = None,
    executor: Executor | None = None,
) -> Standings | Any:  # a PlackettLuce of races, a WholeHistory over time; most callers know what they asked for
    """Who is better, how sure are we, and does a single rating describe the games?

    Rates agents with one method, asks whether ratings explain the games, and adds Nash averages and alpha-Rank where
    every pair met. Everything rests on one table of pair counts. Games of several players, with places, and ranked
    ballots are rated by :func:`plackett_luce` instead. Matches with a group are clustered and resampled by it.

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, matches or pair counts; of scores, the higher one on a
        task wins a match.
    method
        Any method that rates agents by games: ``bradley-terry``, ``elo``, ``melo``, or one of an installed package.
    ties
        How ties count, as in :func:`bradley_terry`, :func:`elo` and :func:`melo`; methods without it refuse it.
    position
        Estimate the advantage of the first-named (``side`` of :func:`bradley_terry`; that name is taken too).
    components
        What to do with agents that no chain of games connects: ``refuse``, rate ``each`` connected component by itself,
        or read only the ``largest``, which is for all methods.
    pairing
        ``fixed`` or ``adaptive``, as in :func:`bradley_terry`: whether who met whom may have depended on results. By
        itself (None) that is looked at where matches have times or rounds (``time``, or a column with a usual name):
        adaptive pairing is noticed, agents are rated with ``adaptive``, and a diagnostic says so
        (``adaptive-pairing``).
    adjust
        What else may have decided, to be controlled for, as in :func:`read_matches` (``"length,bold"``): the board is
        that of sides equal in them, with the plain board, the changes and what style gave beside it, as in
        :func:`style_control`.
    anchor
        Agent whose rating is 0; the others are differences to it.
    reference
        Agents (names, or one text with commas) whose mean rating is 0, so that others may come and go without moving
        the zero; intervals are of differences to that mean.
    level
        Of the intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file. Times are for methods that go by order, and for ``since`` and ``until``.
    cluster
        Column of clusters (voters, sessions) of a file: errors are clustered by it (``group`` is taken too).
    options
        What is asked for seldom: priors, bootstrap replicates, steps of online ratings.
    executor
        Who does what is computed again and again (replicates, simulated tables, resampled Nash averages), as in
        :func:`bootstrap`; the answer is the same.

    Returns
    -------
    Standings
        Ratings, transitivity, Nash averages and alpha-Rank on one leaderboard; of races a :class:`PlackettLuce`, over
        time a :class:`WholeHistory`.

    Fails when
        the method is unknown or lacks an option that was given; as the method itself does.

    Examples
    --------
    >>> import equipoise as eq
    >>> board = eq.rank("alphago")
    >>> board.frame()["agent"][0], round(board.transitivity.cyclic_share, 2)
    ('rvp', 0.18)
    """
    rare = options or RankOptions()
    of_two: dict[str, tuple[object, object]] = {
        "method": ("bradley-terry" if method == "plackett-luce" else method, "bradley-terry"), "ties": (ties, "half"),
        "position": (position, None), "components": (components, "refuse"), "pairing": (pairing, None),
        "adjust": (adjust, None), "anchor": (anchor, None), "reference": (reference, None), "cluster": (cluster, None),
        "n": (rare.n, RankOptions().n),
    }  # fmt: skip
    if rare.over_time is not None:
        idle = {name: both for name, both in of_two.items() if name not in ("position", "anchor", "cluster")}
        idle["prior"] = (rare.prior, None)
        how = (read or ReadOptions()).also(group=cluster)
        return rated_over_time(data, rare, how, idle, position=position, anchor=anchor, level=level)
    races = rated_races(data, read, of_two, prior=rare.prior, level=level, rng=rng)
    if races is not None:
        return races
    largest: Components | None = "largest" if components == "largest" else None
    n = rare.n
    asked = {
        "ties": ties, "side": position, "prior": rare.prior, "pairing": pairing,
        "components": "each" if components == "each" else "refuse",
        "k": rare.number_for(method), "covariates": listed(adjust), "covariate_prior": rare.covariate_prior,
    }  # fmt: skip
    if listed(adjust) == ():
        raise ParameterError(Option("adjust"), " names none; leave it out, or name some")
    if rare.covariate_prior is not None and adjust is None:
        raise ParameterError(Option("covariate_prior"), " goes with ", Option("adjust"))
    zero = zero_of(anchor, reference)
    rating = Rating.chosen(method, asked, n=n, anchor=zero, level=level, rng=rng, executor=executor)
    how = (read or ReadOptions()).also(group=cluster, components=largest)
    if how.time is not None and how.since is None and how.until is None:
        rating.refuse_time()
    opened = with_rounds(data, rating, how) or open_games(data, rating, how, listed(adjust) or ())
    played, origin = opened.data, opened.origin
    pairs = played.pairs(by_group=played.group is not None) if isinstance(played, Matches) else played
    rating, pairing_notes = rating.noticing(played, n)
    rating, position_notes = with_position(rating, pairs)
    rated = pairs if rating.takes_pairs else played
    style = None if adjust is None else _styled(rating, played)
    ratings = rating(rated) if style is None else style.controlled
    replicates = rating.replicates(ratings, rated, n, level, rng, rare.progress, executor)
    plain = pairs.unordered()
    nash, nash_notes = board_nash(pairs, plain, level, rng, executor)
    masses, masses_notes = board_alpha_rank(pairs, plain, level)
    # Whether strengths explain who beat whom is asked of the games as they were judged.
    fit = style.plain if style is not None else ratings if isinstance(ratings, BradleyTerry) else None
    timed = isinstance(played, Matches) and played.time is not None
    positioned, tables = bool(rating.options.get("side")), simulated_tables(pairs)
    check(choice("auto", "none"), "transitivity", rare.transitivity)
    verdict = untested(pairs, level) if rare.transitivity == "none" else transitivity(
        played if timed else pairs, side=positioned, fit=fit, n=tables, level=level, rng=rng, executor=executor
    )  # fmt: skip
    if zero is None and style is None and replicates is None and isinstance(ratings, BradleyTerry):
        ratings = games_weighted(ratings)
    if zero is not None:
        style = None if style is None else style.relative_to(zero)
        ratings = ratings.relative_to(zero) if style is None else style.controlled
    notes = pairing_notes + position_notes + (ratings.diagnostics if replicates is None else replicates.diagnostics)
    notes += tuple(note for note in (*nash_notes, *masses_notes) if not has_code(notes, note.code))
    return Standings(
        data=pairs, origin=origin, method=rating.method, rated=ratings, replicates=replicates, transitivity=verdict,
        nash=nash, alpha_rank=masses, style=style, fit=ratings.fit, diagnostics=_with_verdict(notes, verdict),
        params=frozen_params(**{**ratings.params, "method": rating.method.option_name, "n": n, "anchor": anchor}),
    )  # fmt: skip


def _styled(rating: Rating, played: Matches | PairTable) -> "StyleControl":
    """Rate with and without control for covariates."""
    from equipoise.ratings.covariates.style_control import style_control

    options = rating.options_of(style_control)
    if not isinstance(played, Matches):
        raise ParameterError(Option("covariates"), " needs single matches: pair counts have no covariates")
    return style_control(played, **options)


def _with_verdict(notes: tuple[Diagnostic, ...], verdict: Transitivity) -> tuple[Diagnostic, ...]:
    """Add what only transitivity has to say; of a code that both use, the rating's own words are enough."""
    said = {note.code for note in notes} | ({"weak-prior"} if has_code(notes, "no-finite-mle") else set())
    return (*notes, *(note for note in verdict.diagnostics if note.code not in said))
