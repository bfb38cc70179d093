"""Data and settings with which the contract suite calls each method of the catalogue.

A *shape* is a small data set of one kind; a *case* is a method with a shape of each kind that it takes. A new method is
covered by itself; it needs a line here only if it needs a second argument, arrays of its own, or settings to be quick.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

import equipoise as eq
from equipoise.catalogue import Method, catalogue
from equipoise.core.declaration import DATA_WORDS
from equipoise.data.encode.labels import Factor

Rename = Callable[[str], str]
NAMES = ["ada", "bea", "cyd", "dan", "eve"]
AGENTS = [*NAMES, "fay", "gus", "hal", "ivy", "jon", "kit", "leo"]
TASKS = ["sums", "words", "maps", "chess", "logic", "songs", "rhyme", "codes", "plans", "jokes"]


def columns(seed: int = 1, games: int = 400) -> tuple[list[str], list[str], list[float]]:
    """Draw a connected log of wins, losses and ties in which every agent wins and loses."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, len(NAMES))
    a = rng.integers(len(NAMES), size=games)
    b = (a + rng.integers(1, len(NAMES), size=games)) % len(NAMES)
    won = rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))
    outcome = np.where(rng.random(games) < 0.2, 0.5, won.astype(float))
    return [NAMES[i] for i in a], [NAMES[i] for i in b], outcome.tolist()


def hand_columns(deals: int = 40, seed: int = 1) -> dict[str, Any]:
    """Deal zero-sum hands to two agents, each deal in both seats, with a control that knows the deal in part."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(size=deals)
    rows = []
    for d in range(deals):
        for first, second in (("ada", "bea"), ("bea", "ada")):
            won = luck[d] + (0.3 if first == "ada" else -0.3) + rng.normal(scale=0.5)
            own = luck[d] + rng.normal(scale=0.3)
            rows += [(first, d, f"{d}{first}", 0, won, own), (second, d, f"{d}{first}", 1, -won, -own)]
    agent, deal, hand, seat, utility, bot = zip(*rows, strict=True)
    return {"agent": agent, "deal": deal, "hand": hand, "seat": seat, "utility": utility, "controls": {"bot": bot}}


def _order(rows: int, shuffled: bool) -> np.ndarray:
    return np.random.default_rng(0).permutation(rows) if shuffled else np.arange(rows)


def with_lengths(made: eq.Matches, rows: np.ndarray) -> eq.Matches:
    """Give matches the lengths of two answers as a covariate; ``rows`` says whose of a fixed list."""
    first, second = np.random.default_rng(2).integers(50, 500, (2, max([*rows, 0]) + 1))[:, rows]
    return made.with_covariates({"length": (first, second)})


def matches(rename: Rename = str, shuffled: bool = False) -> eq.Matches:
    a, b, outcome = columns()
    order = _order(len(a), shuffled)
    made = eq.Matches.from_columns(
        [rename(a[i]) for i in order], [rename(b[i]) for i in order], [outcome[i] for i in order],
        task=[rename(TASKS[i % 3]) for i in order],
    )  # fmt: skip
    return with_lengths(made, order)


def against_one(rename: Rename = str, shuffled: bool = False) -> eq.Matches:
    """Four agents against a fifth on the same sixty questions, with the lengths of all answers."""
    rng = np.random.default_rng(2)
    rows = [(name, f"q{question}") for name in NAMES[1:] for question in range(60)]
    lengths = rng.integers(100, 900, size=(2, len(rows)))
    strength = np.repeat(np.linspace(0.5, -1, 4), 60)
    won = rng.random(len(rows)) < 1 / (1 + np.exp((lengths[1] - lengths[0]) / 400 - strength))
    order = _order(len(rows), shuffled)
    made = eq.Matches.from_columns(
        [rename(rows[i][0]) for i in order], [rename(NAMES[0])] * len(rows), won[order].astype(float),
        group=[rows[i][1] for i in order],
    )  # fmt: skip
    return made.with_covariates({"length": tuple(lengths[:, order])})


def pairs(rename: Rename = str, shuffled: bool = False) -> eq.PairTable:
    return matches(rename, shuffled).pairs()


def _table(values: np.ndarray, rename: Rename, shuffled: bool, **more: Any) -> eq.Scores:
    rows, cols = _order(values.shape[0], shuffled), _order(values.shape[1], shuffled)
    names = [rename(AGENTS[i]) for i in rows]
    return eq.Scores.from_matrix(values[rows][:, cols], names, [rename(TASKS[j]) for j in cols], **more)


@cache
def _rates() -> np.ndarray:
    ability, difficulty = np.linspace(1.5, -1.5, len(AGENTS)), np.linspace(-1.2, 1.2, len(TASKS))
    return 1 / (1 + np.exp(difficulty[None, :] - ability[:, None]))


def answers(rename: Rename = str, shuffled: bool = False) -> eq.Scores:
    """Right or wrong, of twelve agents on seven tasks."""
    drawn = np.random.default_rng(3).random(_rates().shape) < _rates()
    return _table(drawn.astype(float), rename, shuffled)


def levels(rename: Rename = str, shuffled: bool = False) -> eq.Scores:
    """Scores between 0 and 1."""
    noise = np.random.default_rng(4).normal(scale=0.1, size=_rates().shape)
    return _table(np.clip(_rates() + noise, 0.01, 0.99), rename, shuffled)


def runs(rename: Rename = str, shuffled: bool = False) -> eq.Scores:
    """Scores of three runs on each task."""
    noise = np.random.default_rng(5).normal(scale=0.1, size=(*_rates().shape, 3))
    return _table(np.clip(_rates()[..., None] + noise, 0.01, 0.99), rename, shuffled)


def successes(rename: Rename = str, shuffled: bool = False) -> eq.Scores:
    """Successes in ten attempts on each task."""
    return _table(np.random.default_rng(6).binomial(10, _rates()).astype(float), rename, shuffled, trials=10)


PAYOFFS = np.array([[0.0, 1.0, -0.6, 0.4], [-1.0, 0.0, 0.8, 0.3], [0.6, -0.8, 0.0, 0.5], [-0.4, -0.3, -0.5, 0.0]])


def one_population(rename: Rename = str, shuffled: bool = False) -> eq.MetaGame:
    order = _order(len(PAYOFFS), shuffled)
    return eq.MetaGame.symmetric(PAYOFFS[np.ix_(order, order)], [rename(NAMES[i]) for i in order])


def two_populations(rename: Rename = str, shuffled: bool = False) -> eq.MetaGame:
    first = np.array([[3.0, 0.5], [1.0, 2.0], [0.2, 0.7]])
    second = np.array([[2.0, 1.5], [0.0, 2.5], [0.3, 0.9]])
    rows, cols = _order(3, shuffled), _order(2, shuffled)
    names = [[rename(NAMES[i]) for i in rows], [rename(TASKS[j]) for j in cols]]
    return eq.MetaGame.from_payoffs([first[rows][:, cols], second[rows][:, cols]], names)


def hands(rename: Rename = str, shuffled: bool = False) -> eq.Episodes:
    table = hand_columns()
    order = _order(len(table["agent"]), shuffled)
    agent, deal, hand, seat = ([table[name][i] for i in order] for name in ("agent", "deal", "hand", "seat"))
    controls = {"bot": [table["controls"]["bot"][i] for i in order]}
    utility = [table["utility"][i] for i in order]
    return eq.Episodes.from_columns(
        [rename(name) for name in agent], [rename(f"deal {d}") for d in deal], utility,
        hand=hand, seat=[f"seat {s}" for s in seat], controls=controls,
    )  # fmt: skip


def calibration(rename: Rename = str, shuffled: bool = False, shift: float = 0.0) -> eq.results.Calibration:
    order = _order(len(TASKS), shuffled)
    difficulty = (
        np.linspace(-1.2, 1.2, len(TASKS)) + shift + np.random.default_rng(9).normal(scale=0.1, size=10) * shift
    )
    slopes = np.linspace(0.8, 1.6, len(TASKS))
    return eq.results.Calibration.from_parameters(
        [rename(TASKS[i]) for i in order], difficulty=difficulty[order], discrimination=slopes[order]
    )


def _orders(rename: Rename, shuffled: bool) -> tuple[list[str], list[list[str]]]:
    """Rank three or four of five agents thirty times, by strength and luck."""
    rng = np.random.default_rng(11)
    orders = []
    for _ in range(60):
        drawn = rng.choice(len(NAMES), size=rng.integers(3, 6), replace=False)
        luck = rng.gumbel(size=len(drawn)) - drawn / 2
        orders.append([rename(NAMES[i]) for i in drawn[np.argsort(-luck)]])
    names = [f"race {k}" for k in range(len(orders))]
    rows = _order(len(orders), shuffled)
    return [names[i] for i in rows], [orders[i] for i in rows]


def rankings(rename: Rename = str, shuffled: bool = False) -> eq.Rankings:
    names, orders = _orders(rename, shuffled)
    rows = [(name, who, place) for name, order in zip(names, orders, strict=True) for place, who in enumerate(order)]
    game, player, place = zip(*rows, strict=True)
    return eq.Rankings.from_columns(game, player, np.array(place, float))


def ballots(rename: Rename = str, shuffled: bool = False) -> eq.Ballots:
    return eq.Ballots.from_orders(_orders(rename, shuffled)[1])


SHAPES: dict[str, dict[str, Callable[..., Any]]] = {
    "matches": {"matches": matches},
    "pairs": {"pairs": pairs},
    "scores": {"answers": answers, "levels": levels, "runs": runs, "successes": successes},
    "metagame": {"one population": one_population, "two populations": two_populations},
    "episodes": {"hands": hands},
    "calibration": {"calibration": calibration},
    "rankings": {"rankings": rankings},
    "ballots": {"ballots": ballots},
}
"""Data of each kind that has labels; each takes ``rename`` and ``shuffled``."""


def over_time(rename: Rename = str, shuffled: bool = False) -> eq.Matches:
    """The same log, in three periods."""
    made = matches(rename, shuffled)
    return replace(made, time=_order(len(made), shuffled) * 3 // len(made))


def judged(rename: Rename = str, shuffled: bool = False) -> eq.Matches:
    """The same log, by eight judges."""
    made = matches(rename, shuffled)
    return replace(made, labels={"judge": Factor.of(f"judge {k % 8}" for k in _order(len(made), shuffled))})


OWN_SHAPES: dict[str, dict[str, Callable[..., Any]]] = {
    "length_control": {"matches": against_one},
    "whole_history": {"matches": over_time},
    "rater_weighted": {"matches": judged},
}
"""Data of methods that need more than matches as such, in place of the shape of that name."""


def _samples() -> tuple[np.ndarray, np.ndarray]:
    luck = np.random.default_rng(7).normal(size=120)
    return 0.2 + luck + np.random.default_rng(8).normal(scale=0.5, size=120), luck


def _repeated_controls() -> tuple[np.ndarray, np.ndarray]:
    x, y = _samples()
    return x, y[:, None] + np.random.default_rng(9).normal(scale=0.4, size=(120, 3))


ARRAYS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "advantage_sum": _samples,
    "agreement": lambda: (np.array([[1.0, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 2], [np.nan, 3, 3, 3, 2, 1]]),),
    "alpha_rank_bounds": lambda: (PAYOFFS - 0.1, PAYOFFS + 0.1),
    "antithetic": lambda: (np.exp(np.linspace(0.05, 0.95, 20)), np.exp(np.linspace(0.95, 0.05, 20))),
    "control_variates": _samples,
    "dawid_skene": lambda: (np.array([[1.0, 2, 2, 1, 2, 1], [1, 2, 2, 1, 2, 2], [np.nan, 2, 2, 1, 2, 1]]),),
    "hodge": lambda: (PAYOFFS,),
    "kendall_distance": lambda: (np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0])),
    "learn_value": lambda: (np.column_stack([_samples()[1], np.linspace(-1, 1, 120) ** 2]), _samples()[0]),
    "maxent_nash": lambda: (PAYOFFS,),
    "nash_average": lambda: (PAYOFFS,),
    "plan_hands": _samples,
    "schur": lambda: (PAYOFFS,),
    "split_budget": _repeated_controls,
}
"""Arrays for methods on plain numbers."""


def _fit_of(data: Any, name: str) -> Any:
    """Fit the very data, so that names agree whatever they were renamed to."""
    if not isinstance(data, eq.Scores):
        data = answers()
    return eq.irt(data, model="rasch", **({} if name in ("answers", "successes") else THRESHOLD))


THRESHOLD = {"threshold": 0.5}

SECOND: dict[str, Callable[[Any, str], Any]] = {
    "generality": _fit_of,
    "duality": _fit_of,
    "predict": lambda data, _: _measured(data),
    "equate": lambda data, _: _moved(data),
    "compare_pair": lambda data, _: _leaders(data)[0],
}
"""What comes second where a method on labelled data takes two arguments, from the data and the name of their shape."""

THIRD: dict[str, Callable[[Any], Any]] = {"compare_pair": lambda data: _leaders(data)[1]}
"""What comes third, likewise."""


def _leaders(data: Any) -> list[str]:
    """Name the two agents that score most, whatever they are called."""
    if not isinstance(data, eq.Matches | eq.PairTable):
        return NAMES[:2]
    table = data.pairs() if isinstance(data, eq.Matches) else data
    order = np.argsort(-table.scores_of_agents() / np.maximum(table.games_of_agents(), 1), kind="stable")
    return [table.agents[i] for i in order[:2]] + NAMES[len(order) : 2]


def others(method: Method, data: Any, shape: str) -> tuple[Any, ...]:
    """Give what comes after the data in a call of a method."""
    if method.name not in SECOND:
        return ()
    third = THIRD.get(method.name)
    return (SECOND[method.name](data, shape), *(() if third is None else (third(data),)))


def _moved(data: Any) -> eq.results.Calibration:
    """Give another edition with the same items."""
    if not isinstance(data, eq.results.Calibration):
        return calibration(shift=0.5)
    easier = 0.5 + data.difficulty + 0.1 * np.sin(3 * data.difficulty)
    return eq.results.Calibration.from_parameters(
        data.items, difficulty=easier, discrimination=np.ones(len(data.items))
    )


def _measured(data: Any) -> eq.results.Calibration:
    """Give items as hard as the data say."""
    if not isinstance(data, eq.Scores):
        return calibration()
    solved = np.clip(data.values.mean(axis=0), 0.05, 0.95)
    return eq.results.Calibration.from_parameters(data.tasks, difficulty=np.log(1 / solved - 1))


QUICK = {"n": 30, "resamples": 30, "draws": 30, "starts": 2, "folds": 3}
"""Options that set how long a method takes, whichever method has them."""

SETTINGS: dict[str, dict[str, Any]] = {
    "baseline": {"control": "bot"},
    "duality": {"n": 4},
    "irt": {"model": "rasch"},
    "melo": {"n": 4},
    "plan_hands": {"half_width": 0.05},
    "whole_history": {"walk": 0.2},
    "split_budget": {"hand_cost": 100.0, "control_cost": 1.0, "budget": 1e5},
    "predict": {},
}
"""Options that a method needs here, by its name."""

THRESHOLDED = {
    "irt": {"levels", "runs"}, "predict": {"levels", "runs"}, "second_dimension": {"levels"}, "duality": set(),
    "generality": set(),
}  # fmt: skip
"""Methods on right and wrong answers, with the shapes of graded scores that they take with a threshold."""

NOT_RESAMPLED = {
    ("nash_average", "metagame"), ("nash_average", "array"), ("deviation_ratings", "metagame"),
    ("deviation_ratings", "scores"),
}  # fmt: skip
"""Methods that resample some kinds of data, with the kinds they cannot."""

REFUSED = {
    ("agreement", "matches"): "nobody says who voted",
    ("dawid_skene", "matches"): "nobody says who voted",
    ("dawid_skene", "levels"): "every grade is another one",
    ("dawid_skene", "successes"): "more grades than items can tell apart",
    ("dawid_skene", "runs"): "a rater has one vote on an item",
    ("agreement", "runs"): "a rater has one vote on an item",
    ("hodge", "two populations"): "a flow is between the members of one population",
    ("schur", "two populations"): "likewise",
    ("nash_average", "two populations"): "the game is one population against itself; agents on tasks are scores",
    ("second_dimension", "runs"): "single answers are asked of",
    ("second_dimension", "successes"): "likewise",
    ("predict", "runs"): "one answer per cell is predicted",
    ("predict", "successes"): "likewise",
}
"""Data of the right kind for which a method has no answer, with the reason."""

NOT_A_METHOD_OF_ITS_OWN = {
    "bootstrap": "takes another method first",
    "ResponseGraphUCB": "a learner: it asks for games",
}
"""Methods that are called in another way; the tests of wrong data and wrong options cover them all the same."""

NO_RESULT = {"kendall_distance": "a distance is a number"}
"""Methods that give no ``Result``."""

METHODS = catalogue()
EVERY_DATA_KIND = tuple(SHAPES)


@dataclass
class Case:
    """A method with data that it takes."""

    method: Method
    kind: str
    shape: str

    @property
    def name(self) -> str:
        return f"{self.method.name}-{self.shape}"

    def data(self, rename: Rename = str, shuffled: bool = False) -> Any:
        shapes = SHAPES[self.kind] | OWN_SHAPES.get(self.method.name, {})
        return shapes[self.shape](rename, shuffled)

    def settings(self) -> dict[str, Any]:
        chosen = settings(self.method)
        if (self.method.name, self.kind) in NOT_RESAMPLED:
            chosen = {name: value for name, value in chosen.items() if name not in ("n", "resamples")}
        return chosen | (THRESHOLD if self.shape in THRESHOLDED.get(self.method.name, ()) else {})

    def run(self, data: Any = None, *, without: str = "", by_name: str = "", **options: Any) -> Any:
        """Run the method on its data or on others, with its settings, some more options, and one setting less.

        With ``by_name`` the data are given as an argument of that name.
        """
        chosen = {name: value for name, value in self.settings().items() if name != without} | options
        if self.kind == "array":
            return self.method.function(*ARRAYS[self.method.name](), **chosen)
        given = self.data() if data is None else data
        more = others(self.method, given, self.shape)
        if by_name:
            names = list(inspect.signature(self.method.function).parameters)
            return self.method.function(**{by_name: given}, **dict(zip(names[1:], more, strict=False)), **chosen)
        return self.method.function(given, *more, **chosen)

    @cached_property
    def result(self) -> Any:
        """The result on the data as they are."""
        return self.run()

    @property
    def by_chance(self) -> bool:
        return "rng" in inspect.signature(self.method.function).parameters


def settings(method: Method) -> dict[str, Any]:
    """Give the options with which a method is quick and complete."""
    options = inspect.signature(method.function).parameters
    return {name: value for name, value in QUICK.items() if name in options} | SETTINGS.get(method.name, {})


def all_cases() -> list[Case]:
    found = []
    for method in METHODS:
        if method.name in NOT_A_METHOD_OF_ITS_OWN:
            continue
        for kind in method.declared.takes:
            shapes = ["array"] if kind == "array" else list(SHAPES[kind])
            found += [Case(method, kind, shape) for shape in shapes]
    return found


CASES = all_cases()
WITH_RESULTS = [
    case for case in CASES if case.method.name not in NO_RESULT and (case.method.name, case.shape) not in REFUSED
]
LABELLED = [case for case in WITH_RESULTS if case.kind != "array"]


def attempt(function: Callable[[], Any]) -> Any:
    """Give what a function gives, or the error of ours that stands in its way; any other exception is a bug."""
    try:
        return function()
    except eq.EquipoiseError as error:
        return error


def called(method: Method, data: Any, /, **options: Any) -> Any:
    """Call a method on anything at all, with the other arguments as they should be."""
    given = settings(method) | options
    if method.name == "bootstrap":
        return method.function(eq.bradley_terry, data, **given)
    if method.name in SECOND:
        return method.function(data, *others(method, data, "answers"), **given)
    if method.name in ARRAYS and "array" in method.declared.takes:
        return method.function(data, *ARRAYS[method.name]()[1:], **given)
    return method.function(data, **given)


def right_data(method: Method) -> Any:
    """Give data that a method takes, of the first kind it names."""
    if method.name == "ResponseGraphUCB":
        return ["ada", "bea", "cyd"]
    kind = method.declared.takes[0]
    shapes = OWN_SHAPES.get(method.name) or SHAPES.get(kind, {})
    return ARRAYS[method.name]()[0] if kind == "array" else next(iter(shapes.values()))()


def wrong_data(method: Method) -> dict[str, Any]:
    """Give one of everything that a method does not take."""
    others = {kind: SHAPES[kind] for kind in SHAPES if kind in DATA_WORDS and kind not in method.declared.takes}
    found = {name: make() for shapes in others.values() for name, make in shapes.items()}
    found |= {"None": None, "a number": 42, "a text": "text", "a list": ["text", {}], "an empty array": np.empty(0)}
    found |= {"an object": object(), "a class": eq.Matches, "an empty dict": {}}
    if "array" not in method.declared.takes:
        found["an array"] = np.eye(3)
    if method.name == "ResponseGraphUCB":  # strategies are given by their number or their names
        del found["a list"]
        found["a number"] = -42
    return found


NONSENSE: dict[type, tuple[Any, ...]] = {
    bool: ("a", 2, None),
    int: (2.5, "a", float("nan"), None),
    float: (float("nan"), "a", None),
    str: (42,),
    object: (object(),),
}
"""Values that make no sense for an option, by what its annotation says."""


def nonsense(method: Method) -> list[tuple[str, Any]]:
    """List options of a method with values that make no sense, from its signature."""
    function = method.function.__init__ if isinstance(method.function, type) else method.function
    try:
        hints = get_type_hints(function)
    except NameError:  # there is a test of its own for this
        return []
    parameters = inspect.signature(function).parameters.values()
    return [
        (parameter.name, value)
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
        for value in _nonsense(parameter.name, hints[parameter.name])
    ]


def _nonsense(name: str, annotation: Any) -> list[Any]:
    if name == "level":
        return [0, 1, 2, -0.5, float("nan"), "a", None]
    if name == "rng":
        return [-1, "a", 2.5, None, float("nan")]
    members = _members(annotation)
    if any(getattr(get_origin(member), "__name__", "") == "_SupportsArray" for member in members):
        return [object(), "nonsense"]
    found: list[Any] = [object()]
    simple = {member for member in members if member in NONSENSE}
    for member in simple:
        found += NONSENSE[member]
    if any(get_origin(member) is Literal for member in members) or not simple:
        found.append("nonsense" if str not in members else object())
    if float in members:
        found = [value for value in found if value != 2.5]
    if type(None) in members:
        found = [value for value in found if value is not None]
    if str in members:
        found = [value for value in found if not isinstance(value, str)]
    return found


def _members(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Literal or not get_args(annotation) or not _is_union(annotation):
        return [annotation]
    return [inner for member in get_args(annotation) for inner in _members(member)]


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType)
