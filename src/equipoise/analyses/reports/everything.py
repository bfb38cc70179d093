"""Everything that fits a data set, one titled result after the other: what a report tells.

Each section loads its method when it is made: a table of scores waits for no rating.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from equipoise.analyses.analysis import AnyData
from equipoise.analyses.source import is_data
from equipoise.catalogue import Method, section_methods
from equipoise.core.errors import EquipoiseError
from equipoise.core.progress import counted
from equipoise.core.results import Result
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Ballots, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores
from equipoise.logs.read import recognise

MOST_AGENTS, MOST_PROFILES, MOST_CELLS = 200, 2000, 40_000
"""Beyond these a report leaves out what goes through every pair or profile; the single analyses do it when asked."""

MOST_IN_ORDER = 20
"""Agents up to which a report looks for the order that contradicts the fewest votes."""


@dataclass(frozen=True, slots=True)
class Section:
    """One thing that can be said of a data set.

    Attributes
    ----------
    title
        What it is about.
    result
        What came out; None where it could not be computed.
    error
        Why not, then.
    words
        What it was made of, where that needs saying.
    """

    title: str
    result: Result | None
    error: EquipoiseError | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionOptions:
    """Options of the questions behind sections, by the names they have there; None for what a page does.

    Attributes
    ----------
    normalise, missing, statistic
        As in :func:`tasks`; ``normalise`` of learning curves, too.
    model, threshold
        As in :func:`irt`.
    control
        As in :func:`remove_luck`.
    ties, position
        As in :func:`rank`.
    offset
        Added to every rating that is drawn.
    """

    normalise: object = None
    missing: str | None = None
    statistic: str | None = None
    model: str | None = None
    control: str | Sequence[str] | None = None
    ties: str | None = None
    position: bool | None = None
    threshold: float | None = None
    offset: float | None = None

    def of(self, *names: str) -> dict[str, Any]:
        """Give those among these that were chosen, as a question takes them."""
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


TAKEN: Mapping[str, tuple[str, ...]] = {
    "Ratings": ("ties", "position", "offset"),
    "Benchmark": ("normalise", "missing", "statistic"),
    "Items and abilities": ("model", "threshold"),
    "Luck": ("control",),
}
"""Which of them each section looks at."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What all sections share: the data, the level of intervals, the seed, who works, and what was computed before."""

    data: Any
    level: float
    rng: int | np.random.Generator
    executor: Executor | None
    ratings: Result | None = None
    options: SectionOptions = SectionOptions()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of section: what it is about, the kinds of data it takes, how it is made, and which data it fits."""

    title: str
    takes: tuple[str, ...]
    run: Callable[[_Request], Result | None]
    fits: Callable[[Any], bool] = lambda _: True

    def takes_on(self, data: AnyData) -> bool:
        """Tell whether these data can be looked at so."""
        return data.kind in self.takes and self.fits(data)


def analyse(
    data: object,
    *,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    only: Collection[str] | None = None,
    executor: Executor | None = None,
    options: SectionOptions = SectionOptions(),  # nothing of it can change
) -> tuple[Section, ...]:
    """Run all that fits a data set; what fails is said in its section and does not stop the rest.

    Parameters
    ----------
    data
        A file, a bundled set's name, or data of any kind.
    level
        Of all intervals.
    rng
        Seed or generator.
    only
        Titles of the sections to make; None for all that fit.
    executor
        Who does what is computed again and again, as in :func:`bootstrap`; the answer is the same.
    options
        Of the questions behind sections; what is not chosen is as on pages.

    Returns
    -------
    tuple of Section
        Titled results, first things first; methods of installed packages that declare a ``section`` come last.

    Examples
    --------
    >>> import equipoise as eq
    >>> [section.title for section in eq.analyse("alphago", only=["Ratings", "Discs"])]
    ['Ratings', 'Discs']
    """
    given: Any = data if is_data(data) else recognise(data).data  # type: ignore[arg-type]  # a path or a name
    given = given.pairs(by_group=given.group is not None) if isinstance(given, Matches) else given
    return tuple(_sections(_Request(given, level, rng, executor, options=options), only))


def fitting(data: AnyData) -> list[str]:
    """Name the sections that fit these data."""
    return [kind.title for kind in _kinds() if kind.takes_on(data)]


def _sections(request: _Request, only: Collection[str] | None) -> Iterator[Section]:
    kinds = [kind for kind in _kinds() if _asked_of(kind, request) and (only is None or kind.title in only)]
    for kind in counted(kinds, "sections", [1] * len(kinds)):
        try:
            result = kind.run(request)
        except EquipoiseError as error:
            yield Section(kind.title, None, error)
            continue
        if kind.run is _ratings:
            request = replace(request, ratings=result)
        if result is not None:
            yield Section(kind.title, result)


def _asked_of(kind: Kind, request: _Request) -> bool:
    """Tell whether a section fits; by a threshold all scores become answers."""
    answered = kind.run is _items and request.options.threshold is not None
    return request.data.kind in kind.takes if answered else kind.takes_on(request.data)


def _kinds() -> Sequence[Kind]:
    """Ours, in the order in which a page tells them, then those of methods that declare a section."""
    return (*SECTIONS, *map(_of_method, section_methods()))


def _of_method(method: Method) -> Kind:
    takes = method.declared.takes
    kinds = ("matches", *takes) if "pairs" in takes else takes
    return Kind(str(method.declared.section), kinds, partial(_run_method, method))


def _run_method(method: Method, request: _Request) -> Result:
    result: Result = method.function(request.data)
    return result


def _ratings(request: _Request) -> Result:
    """A page shows what can be shown: agents that never met are rated apart, which is said."""
    from equipoise.analyses.boards.standings import rank

    return rank(
        request.data, components="each", level=request.level, rng=request.rng, executor=request.executor,
        **request.options.of("ties", "position"),
    )  # fmt: skip


def _places(request: _Request) -> Result:
    from equipoise.ratings.places.plackett_luce import plackett_luce

    return plackett_luce(request.data, level=request.level, rng=request.rng)


def _discs(request: _Request) -> Result:
    from equipoise.flows.schur import schur

    return schur(request.data)


def _nash(request: _Request) -> Result | None:
    """The ratings hold them, where they could be made: without a fit of ratings there is still an average to ask."""
    standings: Any = request.ratings or _ratings(request)
    nash: Result | None = standings.nash
    return nash


def _masses(request: _Request) -> Result:
    """Beside the masses their bounds, where games were counted."""
    from equipoise.alpharank.alpha_rank import alpha_rank

    data = request.data
    sided = isinstance(data, PairTable) and data.group is None
    return alpha_rank(data.unordered() if sided else data, level=request.level)


def _sweep(request: _Request) -> Result:
    from equipoise.analyses.play.metagame import metagame

    result: Result = metagame(request.data, show="sweep", rng=request.rng).result
    return result


def _plan(request: _Request) -> Result:
    from equipoise.analyses.play.next_games import plan

    return plan(request.data, delta=1 - request.level, rng=request.rng)


def _benchmark(request: _Request) -> Result:
    from equipoise.analyses.scores.benchmark import tasks

    chosen = {"missing": "auto", **request.options.of(*TAKEN["Benchmark"])}
    return tasks(request.data, level=request.level, rng=request.rng, executor=request.executor, **chosen)


def _additivity(request: _Request) -> Result:
    from equipoise.flows.additivity import additivity

    return additivity(request.data, units="min-max", rng=request.rng)


def _items(request: _Request) -> Result:
    from equipoise.analyses.scores.items import irt

    chosen = request.options.of(*TAKEN["Items and abilities"])
    return irt(request.data, level=request.level, rng=request.rng, executor=request.executor, **chosen)


def _voting(request: _Request) -> Result:
    """Where Kemeny's order would take long, Schulze's rule."""
    from equipoise.analyses.votes.choosing import choose

    data = request.data
    rule = "kemeny" if len(data.agents) <= MOST_IN_ORDER else "schulze"
    return choose(data, rule=rule, level=request.level, rng=request.rng)  # type: ignore[arg-type]  # one of its words


def _explained(request: _Request) -> Result:
    from equipoise.analyses.votes.explaining import explain

    return explain(request.data)


def _luck(request: _Request) -> Result:
    """Use the controls that the data have; without any, the deals that were played in several seats."""
    from equipoise.analyses.play.hands import remove_luck

    data: Episodes = request.data
    return remove_luck(data, control=request.options.control, level=request.level)


def _small(data: PairTable | MetaGame) -> bool:
    """Whether every pair met, and a table of all pairs is small enough to go through."""
    if isinstance(data, MetaGame):
        return bool(np.prod(data.shape) <= MOST_PROFILES)
    return len(data.agents) <= MOST_AGENTS and data.complete


def _counted(data: PairTable) -> bool:
    return data.counted and len(data.agents) <= MOST_AGENTS


def _few(data: Scores | Ballots | Rankings) -> bool:
    """Whether all duels are soon counted, and most agents were compared."""
    return len(data.agents) <= MOST_AGENTS and not (isinstance(data, Scores) and np.isnan(data.values).any())


def _moderate(data: Scores) -> bool:
    """Whether leaving out tasks and agents one by one takes seconds."""
    return data.values.size <= MOST_CELLS


def _large_and_whole(data: Scores) -> bool:
    """Whether the table is too large for an audit, and averages can be asked all the same."""
    return not _moderate(data) and not np.isnan(data.values).any()


def _answers(data: Scores) -> bool:
    """Whether the scores are answers, right or wrong: what item response models are for."""
    seen = data.values[~np.isnan(data.values)]
    counted = data.trials is not None and data.repeats is None
    return counted or bool(np.isin(seen, (0.0, 1.0)).all())


SECTIONS: Sequence[Kind] = (
    Kind("Ratings", ("pairs",), _ratings),
    Kind("Ratings by places", ("rankings", "ballots"), _places),
    Kind("Discs", ("pairs",), _discs, _small),
    Kind("Nash averages", ("pairs",), _nash, _small),
    Kind("alpha-Rank", ("pairs", "metagame"), _masses, _small),
    Kind("Sweep over alpha", ("pairs", "metagame"), _sweep, _small),
    Kind("What to play next", ("pairs",), _plan, _counted),
    Kind("Benchmark", ("scores",), _benchmark, _moderate),
    Kind("Averages", ("scores",), _additivity, _large_and_whole),
    Kind("Voting rules", ("scores", "ballots", "rankings"), _voting, _few),
    Kind("Items and abilities", ("scores",), _items, _answers),
    Kind("Which one to read", ("scores", "ballots", "rankings"), _explained, _few),
    Kind("Luck", ("episodes",), _luck),
)
"""In the order in which a page tells them."""
