"""How agents are rated: any method that declares that it rates, ours or of another package, with the options it has."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

import numpy as np

from equipoise.catalogue import Method, method_named, rating_methods
from equipoise.core.diagnostics import Diagnostic, has_code
from equipoise.core.errors import ParameterError
from equipoise.core.former import options_in_one
from equipoise.core.results import Result
from equipoise.core.wording import Option
from equipoise.data.files.arena_files import ADAPTIVE
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.history.periods import PeriodUnit

if TYPE_CHECKING:
    from equipoise.inference.bootstrap import Bootstrap
    from equipoise.inference.resampling import Unit


_Asking = TypeVar("_Asking", bound=Callable[..., Any])

UNSET: Mapping[str, object] = {"ties": "half", "side": None, "components": "refuse"}
"""Values of options that ask for nothing; of all others that is None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """What is asked of a leaderboard seldom.

    Attributes
    ----------
    prior
        Standard deviation of a normal prior on ratings, in log-odds, as in :func:`bradley_terry`; None for none.
    covariate_prior
        Standard deviation of a normal prior on each coefficient of a covariate, in log-odds for one unit; None for
        none.
    n
        Bootstrap replicates to take intervals from; 0 keeps the method's own intervals.
    step_size
        Step of online Elo, in points.
    dimensions
        Discs of multidimensional Elo: a number, or ``auto``.
    transitivity
        ``auto`` simulates as many tables as take seconds to test whether a single rating describes the games; ``none``
        leaves the test out.
    progress
        Called with the number of bootstrap replicates done.
    over_time
        Length of periods by which agents are rated, as in :func:`whole_history`, in place of one rating each: ``day``,
        ``week``, ``month``, ``quarter``, ``year``, or ``number`` for rounds.
    releases
        Over time: the period or date of an agent's new version, as in :func:`whole_history`.
    """

    prior: float | None = None
    covariate_prior: float | None = None
    n: int = 0
    step_size: float | str | None = None
    dimensions: int | str | None = None
    progress: Callable[[int], None] | None = None
    transitivity: Literal["auto", "none"] = "auto"
    over_time: PeriodUnit | None = None
    releases: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        if self.releases is not None and self.over_time is None:
            raise ParameterError(Option("releases"), " goes with ", Option("over_time", "month"))

    def number_for(self, method: str) -> float | str | None:
        """Give the number that a method goes by, which it calls k.

        Fails when
            it is given for another method than the one that has it.
        """
        if self.dimensions is not None and method != "melo":
            raise ParameterError(Option("dimensions"), " is for ", Option("method", "melo"))
        if self.step_size is not None and method == "melo":
            raise ParameterError(Option("step_size"), " is for ", Option("method", "elo"))
        return self.dimensions if self.step_size is None else self.step_size


def former_rank_options(function: _Asking) -> _Asking:
    """Let ``rank`` take these options as parameters of its own for one more version."""
    taken = options_in_one(RankOptions)(function)

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        if "k" in given:  # one name for what two methods have
            given["dimensions" if given.get("method") == "melo" else "step_size"] = given.pop("k")
        return taken(*args, **given)

    return run  # type: ignore[return-value]  # same signature, and former names


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating method with its options."""

    method: Method
    options: Mapping[str, object]

    @classmethod
    def chosen(
        cls,
        name: str,
        options: Mapping[str, object],
        *,
        n: int,
        anchor: str | Sequence[str] | None,
        level: float,
        rng: int | np.random.Generator,
        executor: Executor | None = None,
    ) -> "Rating":
        """Find the method and give it the options that it has; refuse others that were set."""
        method = method_named(name)
        if not method.declared.rates:
            known = ", ".join(each.option_name for each in rating_methods())
            raise ParameterError(Option("method"), f' "{name}" does not rate agents by games; those that do: {known}')
        wanted = {option: value for option, value in options.items() if value != UNSET.get(option)}
        for option in wanted:
            if option not in _parameters(method):
                _refuse(option, method, [each for each in rating_methods() if option in _parameters(each)])
        if anchor is not None:
            _check_anchor(method, n, "anchor" if isinstance(anchor, str) else "reference")
        if n and options.get("pairing") == "adaptive":
            resampled = " draws games as if pairs did not depend on results; leave it out with "
            raise ParameterError(Option("n"), resampled, Option("pairing", "adaptive"))
        shared: dict[str, object] = {"level": level, "rng": rng} | ({"n": n, "executor": executor} if n else {})
        return cls(method, wanted | {key: value for key, value in shared.items() if key in _parameters(method)})

    @property
    def takes_pairs(self) -> bool:
        """Whether pair counts are enough, or each match is looked at."""
        alone = any(self.options.get(name) is not None for name in self.method.declared.by_match)
        return "pairs" in self.method.declared.takes and not alone

    @property
    def may_have_position(self) -> bool:
        """Whether the method can estimate the advantage of a position, and nobody said anything about it."""
        return "side" in _parameters(self.method) and "side" not in self.options

    @property
    def looks_at_pairing(self) -> bool:
        """Whether the method would look at how pairs came about, and nobody said."""
        return "pairing" in _parameters(self.method) and "pairing" not in self.options

    def also(self, **options: object) -> "Rating":
        """Give the same with further options."""
        return Rating(self.method, {**self.options, **options})

    def noticing(self, games: Matches | PairTable, n: int) -> tuple["Rating", tuple[Diagnostic, ...]]:
        """Look for adaptive pairing, where nobody said, and rate accordingly unless an option hinders it."""
        asked = self.looks_at_pairing
        if asked and has_code(games.diagnostics, ADAPTIVE) and not n and not self.options.get("prior"):
            return Rating(self.method, {**self.options, "pairing": "adaptive"}), ()
        if not asked or not isinstance(games, Matches):
            return self, ()
        from equipoise.ratings.population.adaptive_pairing import check_pairing, pairing_note

        check = check_pairing(games, np.random.default_rng(0))
        if check is None or not check.follows:
            return self, ()
        given = {"group": games.group is not None, "prior": "prior" in self.options, "n": n > 0}
        given["covariates"] = "covariates" in self.options
        hindrance = next((Option(name) for name, there in given.items() if there), None)
        adaptive = self if hindrance else Rating(self.method, {**self.options, "pairing": "adaptive"})
        return adaptive, (pairing_note(check, hindrance),)

    def options_of(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Give the options that another method has too; refuse those that it lacks."""
        known = inspect.signature(function).parameters
        for name in self.options:
            if name not in known:
                raise ParameterError(
                    Option("covariates"), " cannot be combined with ", Option(name, self.options[name])
                )
        return dict(self.options)

    def refuse_time(self) -> None:
        """Refuse a column of times where the method neither goes by the order of games nor asks how pairs came."""
        if "pairs" not in self.method.declared.takes or "pairing" in _parameters(self.method):
            return
        able = [each for each in rating_methods() if "pairs" not in each.declared.takes]
        use = [part for each in able for part in (" or ", Option("method", each.option_name))][1:]
        raise ParameterError(
            Option("time"), " has no effect on ", Option("method", self.method.option_name),
            ", which does not go by the order of games; use ", *use, ", or choose rows with ", Option("since"), " or ",
            Option("until"),
        )  # fmt: skip

    def __call__(self, games: Matches | PairTable) -> Any:
        """Rate."""
        return self.method.function(games, **self.options)

    def replicates(
        self,
        ratings: Result,
        games: Matches | PairTable,
        n: int,
        level: float,
        rng: int | np.random.Generator,
        progress: Callable[[int], None] | None,
        executor: Executor | None = None,
    ) -> "Bootstrap | None":
        """Resample matches, or whole groups where they have some; None where the method does so by itself."""
        if not n or "n" in _parameters(self.method):
            return None
        from equipoise.inference.bootstrap import bootstrap

        unit: Unit = "clusters" if games.group is not None else "matches"
        return bootstrap(
            self._again(ratings), games, n=n, over=unit, level=level, rng=rng, progress=progress, executor=executor
        )

    def _again(self, ratings: Result) -> Callable[..., Any]:
        """Give what a bootstrap calls on resampled data; its annotation says whether pair counts are enough."""
        if self.takes_pairs:
            return partial(_from_pairs, rate=self, ratings=ratings)
        if hasattr(ratings, "refit_matches"):
            return partial(self.method.function, **self.options)
        return partial(_from_matches, rate=self)


def _from_pairs(sample: PairTable, *, rate: Rating, ratings: Result) -> Any:
    # A result that can refit gives the replicates itself: the first fit is the only one made here.
    return ratings if hasattr(ratings, "refit") else rate(sample)


def _from_matches(sample: Matches, *, rate: Rating) -> Any:
    return rate(sample)


def _parameters(method: Method) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(method.function).parameters


def _refuse(option: str, method: Method, able: list[Method]) -> None:
    if option == "k":  # which is the number of dimensions of melo
        option, able = "step_size", [each for each in able if each.option_name != "melo"]
    use = [part for each in able for part in (" or ", Option("method", each.option_name))][1:]
    raise ParameterError(Option(option), " does not go with ", Option("method", method.option_name), "; use ", *use)


def _check_anchor(method: Method, n: int, option: str) -> None:
    """Differences to one agent need a result that can give them, and no replicates of the ratings themselves."""
    able = [each for each in rating_methods() if hasattr(get_type_hints(each.function).get("return"), "relative_to")]
    if method not in able:
        _refuse(option, method, able)
    if n:
        raise ParameterError(Option(option), " and ", Option("n"), " do not go together; leave one out")


def zero_of(anchor: str | None, reference: str | Sequence[str] | None) -> str | tuple[str, ...] | None:
    """Give the agent or the agents whose rating is 0; None where that is the mean of all."""
    if anchor is not None and reference is not None:
        raise ParameterError(Option("anchor"), " and ", Option("reference"), " both say where 0 is; leave one out")
    if reference is None:
        return anchor
    names = reference.split(",") if isinstance(reference, str) else reference
    return tuple(str(name).strip() for name in names if str(name).strip())
