"""Calls of the library whose answers ``make same`` compares, on bundled data and on the votes it makes.

A call gets the package as imported in a tree. Names are asked for through :class:`_Names`, so that one that a tree does
not have skips the call instead of failing it.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["CALLS", "MissingNameError", "answer_of"]


class MissingNameError(Exception):
    """The package of a tree does not have the name that a call asks for."""


class _Names:
    """The names of a package."""

    def __init__(self, package: ModuleType) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._package, name)
        except AttributeError:
            raise MissingNameError(name) from None

    def votes(self, group: str | None = "voter") -> Any:
        return self.read_matches(
            "made/votes.csv",
            group=group,
            time="time",
            covariates=["length", "bold"],
            labels=["language", "voter", "prompt"],
        )

    def classifiers(self) -> Any:
        return self.load("classifiers")

    def digits(self) -> Any:
        return self.load("digits")


def _pair_of_columns() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = rng.normal(size=200)
    return 0.3 + 0.8 * y + 0.5 * rng.normal(size=200), y


def _pilot() -> tuple[Any, Any]:
    x, y = _pair_of_columns()
    return x, y[:, None] + 0.3 * np.random.default_rng(6).normal(size=(200, 3))


def _two_calibrations(eq: _Names) -> Any:
    files = ("made/answers.csv", "made/later.csv")
    fits = [eq.irt(eq.read_scores(file), model="2pl", method="mml", prior="weak") for file in files]
    return eq.equate(fits[0].calibration(), fits[1].calibration())


def _arena(eq: _Names, goal: str) -> Any:
    """Play an arena that chooses its pairs, one trial after the other; the better player scores more on average."""
    strength = {"ant": 0.8, "bee": 0.65, "cat": 0.5, "dog": 0.2}
    players = [eq.PlayerSpec(name=name, bot=f"python:none:{name}") for name in strength]
    spec = eq.ArenaSpec(name="Made", game="python:none:play", players=players, goal=goal, budget=150, seed=5)
    rng = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder, eq.Arena.create(Path(folder, "made.db"), spec) as arena:
        while leases := arena.ask():
            first, second = leases[0].trial.players
            score = float(np.clip(strength[first] - strength[second] + rng.normal(0.5, 0.2), 0, 1))
            arena.tell(leases[0], [score, 1 - score])
        return arena.standings()


_CALLS: dict[str, Callable[[_Names], Any]] = {
    "bradley_terry": lambda eq: eq.bradley_terry(eq.load("alphago")),
    "bradley_terry votes": lambda eq: eq.bradley_terry(eq.votes(), side=True, ties="davidson"),
    "bradley_terry prior": lambda eq: eq.bradley_terry(eq.votes(), prior=1.0, ties="rao-kupper"),
    "bradley_terry adaptive": lambda eq: eq.bradley_terry(eq.votes(group=None), pairing="adaptive"),
    "bradley_terry information": lambda eq: eq.bradley_terry(eq.votes(), errors="information"),
    "Arena best": lambda eq: _arena(eq, "best"),
    "Arena order": lambda eq: _arena(eq, "order"),
    "Arena profile": lambda eq: _arena(eq, "profile"),
    "Arena budget": lambda eq: _arena(eq, "budget"),
    "elo": lambda eq: eq.elo(eq.votes()),
    "melo": lambda eq: eq.melo(eq.load("alphago")),
    "melo auto": lambda eq: eq.melo(eq.votes(), k="auto", n=5),
    "melo_online": lambda eq: eq.melo_online(eq.votes()),
    "transitivity": lambda eq: eq.transitivity(eq.votes(), n=99),
    "transitivity side": lambda eq: eq.transitivity(eq.load("alphago"), n=99),
    "hodge": lambda eq: eq.hodge(eq.load("alphago")),
    "hodge equal": lambda eq: eq.hodge(eq.votes(), weights="equal"),
    "schur": lambda eq: eq.schur(eq.load("alphago")),
    "schur cyclic": lambda eq: eq.schur(eq.load("alphago"), part="cyclic"),
    "complete": lambda eq: eq.complete(eq.load("alphago")),
    "nash_average": lambda eq: eq.nash_average(eq.load("alphago")),
    "nash_average votes": lambda eq: eq.nash_average(eq.votes(), n=20),
    "nash_average tasks": lambda eq: eq.nash_average(eq.classifiers(), units="min-max", n=20),
    "deviation_ratings": lambda eq: eq.deviation_ratings(eq.MetaGame.symmetric([[-1.0, -3], [0, -2]])),
    "plackett_luce": lambda eq: eq.plackett_luce(eq.Ballots.from_orders(["012", "021", "102", "210"], agents="012")),
    "social_choice": lambda eq: eq.methods.social_choice(
        eq.Ballots.from_orders(["MNCK", "NCKM", "CKNM", "KCNM"], weights=[42, 26, 15, 17]), rule="maximal-lottery"
    ),
    "maxent_nash": lambda eq: eq.maxent_nash(np.array([[0.0, 1, -2], [-1, 0, 3], [2, -3, 0]])),
    "audit": lambda eq: eq.audit(eq.classifiers()),
    "alpha_rank": lambda eq: eq.alpha_rank(eq.load("alphago")),
    "alpha_rank finite": lambda eq: eq.alpha_rank(eq.votes(), alpha=2.0),
    "alpha_sweep": lambda eq: eq.alpha_sweep(eq.load("alphago")),
    "response_graph": lambda eq: eq.response_graph(eq.load("alphago")),
    "aggregate": lambda eq: eq.aggregate(eq.classifiers(), n=200),
    "compare": lambda eq: eq.compare(eq.classifiers(), n=200),
    "performance_profile": lambda eq: eq.performance_profile(eq.classifiers(), n=100),
    "additivity": lambda eq: eq.additivity(eq.classifiers(), n=99),
    "irt": lambda eq: eq.irt(eq.load("lsat")),
    "irt rasch": lambda eq: eq.irt(eq.load("lsat"), model="rasch"),
    "irt 3pl": lambda eq: eq.irt(eq.load("lsat"), model="3pl", prior="weak", starts=1),
    "irt jml": lambda eq: eq.irt(eq.load("lsat"), model="2pl", method="jml"),
    "irt pooled": lambda eq: eq.irt(eq.digits()),
    "irt wle": lambda eq: eq.irt(eq.digits(), model="2pl", method="mml", prior="weak", estimator="wle"),
    "generality": lambda eq: eq.generality(eq.digits(), eq.irt(eq.digits()), n=20),
    "duality": lambda eq: eq.duality(eq.digits(), eq.irt(eq.digits(), model="2pl", prior="weak", starts=1), n=3),
    "equate": _two_calibrations,
    "duplicate": lambda eq: eq.duplicate(eq.load("hands")),
    "duplicate pair": lambda eq: eq.duplicate(eq.load("hands-kuhn3"), by="pair"),
    "baseline": lambda eq: eq.baseline(eq.load("hands"), control="honest"),
    "baseline unbiased": lambda eq: eq.baseline(eq.load("hands-kuhn2"), control="honest", coefficient="cross-fitted"),
    "plain_mean": lambda eq: eq.plain_mean(eq.load("hands")),
    "control_variates": lambda eq: eq.control_variates(*_pair_of_columns()),
    "antithetic": lambda eq: eq.antithetic(*_pair_of_columns()),
    "advantage_sum": lambda eq: eq.advantage_sum(*_pair_of_columns()),
    "plan_hands": lambda eq: eq.plan_hands(*_pair_of_columns(), half_width=0.05, n=50),
    "split_budget": lambda eq: eq.split_budget(*_pilot(), hand_cost=1.0, control_cost=0.2, budget=500.0),
    "boards_by": lambda eq: eq.boards_by(eq.votes(), by="language"),
    "judges": lambda eq: eq.judges(eq.votes(), judge="voter", item="prompt"),
    "agreement": lambda eq: eq.agreement(eq.votes(), rater="voter", item="prompt"),
    "style_control": lambda eq: eq.style_control(eq.votes()),
    "length_controlled": lambda eq: eq.length_controlled(eq.read_matches("made/against.csv", covariates=["length"])),
    "plan": lambda eq: eq.plan(eq.votes(), budget=50),
    "plan response-graph": lambda eq: eq.plan(eq.votes(), budget=50, goal="response-graph", margin=0.02),
    "compare_pair": lambda eq: eq.compare_pair(eq.votes(), "ant", "bee"),
    "kendall_distance": lambda eq: eq.kendall_distance([1.0, 2, 2, 4], [2.0, 1, 3, 4]),
    "elo_samples": lambda eq: eq.elo_samples(10, epsilon=0.1, delta=0.05),
    "style_features": lambda eq: eq.style_features("# Title\n\n- **bold** word\n- another\n"),
    "bootstrap": lambda eq: eq.bootstrap(eq.hodge, eq.votes(), n=5),
    "rank_agents": lambda eq: eq.rank_agents("made/votes.csv"),
    "weigh_tasks": lambda eq: eq.weigh_tasks("classifiers", n=20),
    "fit_items": lambda eq: eq.fit_items("digits"),
    "predict_scores": lambda eq: eq.predict_scores("made/answers.csv"),
    "remove_luck": lambda eq: eq.remove_luck("hands"),
    "weigh_metagame": lambda eq: eq.weigh_metagame("made/game.json"),
    "plan_games": lambda eq: eq.plan_games("made/votes.csv", budget=50),
    "weigh_judges": lambda eq: eq.weigh_judges("made/votes.csv", judge="voter"),
    "compare_agents": lambda eq: eq.compare_agents("made/votes.csv", "ant", "bee"),
    "rank_by_category": lambda eq: eq.rank_by_category("made/votes.csv", "language"),
    "cleaning_sensitivity": lambda eq: eq.cleaning_sensitivity("made/votes.csv", clean="anonymous,no-both-bad"),
    "learning_curves": lambda eq: eq.learning_curves("made/training.csv", step="frames"),
}  # fmt: skip

CALLS: dict[str, Callable[[_Names], Any]] = {f"library {name}": call for name, call in _CALLS.items()}


def answer_of(name: str, package: ModuleType) -> Any:
    """Call what a name stands for with the package of a tree; give the answer as JSON holds it.

    Fails when
        the package has not got a name that the call asks for (:class:`MissingNameError`), or the call fails.
    """
    return _plain(CALLS[name](_Names(package)))


def _plain(answer: Any) -> Any:
    if hasattr(answer, "to_dict"):
        return answer.to_dict()
    if isinstance(answer, np.ndarray | np.generic):
        return answer.tolist()
    if isinstance(answer, int | float | str | dict | list | None):
        return answer
    return repr(answer)
