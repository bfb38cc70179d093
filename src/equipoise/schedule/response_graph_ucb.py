"""ResponseGraphUCB: which game to play next to learn the response graph, as a state machine that is asked and told."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self, overload

import numpy as np
import scipy

from equipoise.errors import DataError, ParameterError
from equipoise.results import FloatArray
from equipoise.schedule.payoff_cells import CellEdge, PayoffCells, Profile, View, payoff_cells
from equipoise.schedule.proposals import EdgeStatus, LearnedGraph, Proposal
from equipoise.schedule.ucb_options import Sampling, UcbConfidence, check_options, strategy_index, strategy_names

__all__ = ["ResponseGraphUCB"]


class ResponseGraphUCB:
    r"""Propose games until the confidence intervals of every compared pair of payoffs separate.

    ``ask`` proposes profiles, ``tell`` takes the payoffs that were observed there; the game itself is never called.

    Parameters
    ----------
    strategies
        Strategies of each population: sizes ``(2, 2)`` or names ``[["a", "b"], ["x", "y"]]``; a number or one list of
        names is a single population (a symmetric two-player game between the strategies).
    delta
        Confidence parameter, of each payoff's interval unless ``union_bound`` or ``time_dependent`` say otherwise.
    sampling
        ``uniform`` (a random unresolved edge, a random end), ``uniform-exhaustive`` (the same edge until it is
        resolved), ``valence-weighted`` (profiles by the square of their unresolved edges), ``count-weighted`` (the
        least played).
    confidence
        ``hoeffding`` for payoffs in a known range, ``clopper-pearson`` for payoffs that only take its two ends.
    relaxation
        Call an edge resolved once its intervals overlap by less than this. No guarantee is left then.
    union_bound
        Divide delta by the number of comparisons, :math:`|S| \sum_k (n_k - 1)`.
    time_dependent
        Multiply delta by :math:`6 / (\pi^2 t^3)`, with t the games behind the edge's two payoffs, so that looking after
        every game is allowed. Only with both is the whole graph right with probability 1 - delta (``guarantee``).
    exploration
        Widen Hoeffding intervals by the factor :math:`\sqrt{1 + c \log(1 + t)}`.
    payoff_range
        Known least and greatest payoff.
    symmetric
        Players are interchangeable: outcomes count for all permutations. Implied for one population.
    constant_sum
        The players' payoffs add up to this; with two players one outcome tells both, and with symmetry the payoff at
        equal strategies is known.
    budget
        Most games; ``done`` becomes true when they are spent, and what is unresolved is reported so.
    rng
        Seed or generator.

    Fails when
        an option makes no sense, a population has a single strategy, or a payoff told is outside the range.

    References
    ----------
    Rowland et al. (2019), Multiagent Evaluation under Incomplete Information, section 4 and appendices E, F, H.3.

    Examples
    --------
    >>> ucb = ResponseGraphUCB(["a", "b"], constant_sum=1.0, rng=0)
    >>> while not ucb.done:
    ...     ucb.tell(ucb.ask(), 1.0)
    >>> ucb.graph().edges, ucb.games
    (((('b',), ('a',)),), 6)
    """

    def __init__(
        self,
        strategies: int | Sequence[int] | Sequence[str] | Sequence[Sequence[object]],
        *,
        delta: float = 0.1,
        sampling: Sampling = "uniform-exhaustive",
        confidence: UcbConfidence = "hoeffding",
        relaxation: float = 0.0,
        union_bound: bool = False,
        time_dependent: bool = False,
        exploration: float = 0.0,
        payoff_range: tuple[float, float] = (0.0, 1.0),
        symmetric: bool = False,
        constant_sum: float | None = None,
        budget: int | None = None,
        rng: int | np.random.Generator = 0,
    ) -> None:
        self._strategies = strategy_names(strategies)
        self._shape = tuple(len(names) for names in self._strategies)
        self._options: dict[str, Any] = {
            "delta": delta, "sampling": sampling, "confidence": confidence, "relaxation": relaxation,
            "union_bound": union_bound, "time_dependent": time_dependent, "exploration": exploration,
            "payoff_range": tuple(payoff_range), "symmetric": symmetric, "constant_sum": constant_sum, "budget": budget,
        }  # fmt: skip
        check_options(self._options)
        self._layout: PayoffCells = payoff_cells(self.shape, symmetric=symmetric, constant_sum=constant_sum)
        self._rng = np.random.default_rng(rng)
        self._count: FloatArray = np.zeros(self._layout.cells)
        self._total: FloatArray = np.zeros(self._layout.cells)
        self._played = [0] * len(self._layout.profiles)
        self._better: list[int] = [0] * len(self._layout.edges)
        self._order = [int(e) for e in self._rng.permutation(len(self._layout.edges))]
        self._games = 0
        self._index()
        self._resolve(range(len(self._layout.edges)))

    def _index(self) -> None:
        """Build the look-up tables that follow from the layout alone."""
        self._number = {profile: number for number, profile in enumerate(self._layout.profiles)}
        # From the cells that a profile shows to the first profile that shows them.
        self._shows = {_cells(views): number for number, views in reversed([*enumerate(self._layout.observes)])}
        shown_by: dict[int, int] = {}
        for number, views in enumerate(self._layout.observes):
            for view in views:
                shown_by.setdefault(view.cell, number)
        self._edges_of_cell: dict[int, list[int]] = {}
        self._ends: list[list[int]] = []
        for e, edge in enumerate(self._layout.edges):
            cells = {view.cell for view in (edge.before, edge.after)} - {-1}
            self._ends.append(sorted({shown_by[cell] for cell in cells}))
            for cell in cells:
                self._edges_of_cell.setdefault(cell, []).append(e)
        self._valence = self._count_valence()

    def _count_valence(self) -> FloatArray:
        """Unresolved edges at each profile worth playing."""
        ends = [end for e, better in enumerate(self._better) if better == 0 for end in self._ends[e]]
        return np.bincount(ends, minlength=len(self._layout.profiles)).astype(float)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strategies of each population."""
        return self._shape

    @property
    def games(self) -> int:
        """Games told so far."""
        return self._games

    @property
    def unresolved(self) -> int:
        """Number of edges whose direction is not yet known."""
        return self._better.count(0)

    @property
    def done(self) -> bool:
        """Whether every edge is resolved or the budget is spent."""
        budget = self._options["budget"]
        return self.unresolved == 0 or (budget is not None and self._games >= budget)

    @property
    def guarantee(self) -> str:
        """What may be claimed for the resolved edges."""
        o = self._options
        if o["union_bound"] and o["time_dependent"] and not o["relaxation"]:
            return f"all resolved edges are right with probability at least {1 - o['delta']:g}"
        return "none: a guarantee needs union_bound and time_dependent, and no relaxation"

    @overload
    def ask(self, n: None = None) -> Proposal: ...

    @overload
    def ask(self, n: int) -> tuple[Proposal, ...]: ...

    def ask(self, n: int | None = None) -> Proposal | tuple[Proposal, ...]:
        """Propose one profile, or a tuple of ``n`` for a batch.

        Fails when
            there is nothing left to ask (``done``).
        """
        if self.done:
            raise ParameterError("nothing left to ask: every edge is resolved or the budget is spent")
        if n is not None and n < 1:
            raise ParameterError(f"a batch has at least one proposal, not {n}")
        batch = self._batch(1 if n is None else n)
        return batch[0] if n is None else tuple(batch)

    def _batch(self, n: int) -> list[Proposal]:
        pending = list(self._played)
        fresh = [number for number, games in enumerate(pending) if games == 0 and self._open_edges(number)]
        batch = []
        for _ in range(self._within_budget(n)):
            if fresh:
                number, edge = fresh.pop(0), None
            else:
                number, edge = self._choose(pending)
            pending[number] += 1
            batch.append(self._proposal(number, edge))
        return batch

    def _within_budget(self, n: int) -> int:
        budget = self._options["budget"]
        return n if budget is None else min(n, budget - self._games)

    def _open_edges(self, number: int) -> list[int]:
        cells = {view.cell for view in self._layout.observes[number]} - {-1}
        return [e for cell in sorted(cells) for e in self._edges_of_cell.get(cell, ()) if self._better[e] == 0]

    def _choose(self, pending: list[int]) -> tuple[int, int]:
        """Profile to play and the unresolved edge it serves, by the sampling scheme."""
        sampling = self._options["sampling"]
        if sampling == "uniform-exhaustive":
            edge = next(e for e in self._order if self._better[e] == 0)
            return self._either_end(edge), edge
        if sampling == "uniform":
            edge = int(self._rng.choice([e for e, better in enumerate(self._better) if better == 0]))
            return self._either_end(edge), edge
        valence = self._valence
        if sampling == "valence-weighted":
            number = int(self._rng.choice(len(pending), p=valence**2 / np.sum(valence**2)))
        else:
            number = min(np.flatnonzero(valence).tolist(), key=pending.__getitem__)
        return number, max(self._open_edges(number), key=lambda e: self._overlap(self._layout.edges[e])[0])

    def _either_end(self, edge: int) -> int:
        ends = self._ends[edge]
        return ends[int(self._rng.integers(len(ends)))]

    def _proposal(self, number: int, edge: int | None) -> Proposal:
        profile = self._layout.profiles[number]
        names = self._label(profile)
        if edge is None:
            return Proposal(profile, names, None, "never played: every profile is played once first")
        status = self._status(edge)
        pair = f"{' '.join(status.source)} against {' '.join(status.target)}"
        if math.isnan(status.gap):
            return Proposal(profile, names, status, f"{pair} is open: one of them was never played")
        reason = (
            f"{pair} is open: gap {status.gap:.3g} after {status.games} games, "
            f"intervals overlap by {status.overlap:.3g}"
        )
        return Proposal(profile, names, status, reason)

    def tell(
        self, profile: Proposal | Sequence[int] | Sequence[str], payoffs: float | Sequence[float], *, games: int = 1
    ) -> None:
        """Take what was observed at a profile.

        Parameters
        ----------
        profile
            A proposal, indices or names; any profile may be told, asked for or not.
        payoffs
            One payoff a player; the first player's alone is enough in a two-player game with a constant sum.
        games
            How many games the payoffs are the mean of.
        """
        where = self._resolve_profile(profile)
        if games < 1 or games != int(games):
            raise ParameterError(f"games is a whole number of at least 1, not {games}")
        values = self._payoffs(where, payoffs)
        self._refuse_between(values, games)
        touched: set[int] = set()
        for cell, value in self._observed(where, values).items():
            self._count[cell] += games
            self._total[cell] += value * games
            touched.update(self._edges_of_cell.get(cell, ()))
        self._games += int(games)
        number = self._showing(where)
        if number is not None:
            self._played[number] += int(games)
        self._resolve(sorted(touched))

    def _views(self, profile: Profile) -> list[tuple[int, View]]:
        """Players of a profile with the view of their payoff."""
        number = self._number.get(profile)
        if number is not None:
            return list(enumerate(self._layout.observes[number]))
        if len(self.shape) == 1:
            views = self._layout.observes[self._number[profile[1], profile[0]]]
            return [(0, views[1]), (1, views[0])]
        found: dict[int, View] = {}
        for edge in self._layout.edges:
            for end, view in ((edge.source, edge.before), (edge.target, edge.after)):
                if end == profile:
                    found[edge.player] = view
        return sorted(found.items())

    def _showing(self, profile: Profile) -> int | None:
        cells = _cells(view for _, view in self._views(profile))
        return self._shows.get(cells) if cells else None

    def _observed(self, profile: Profile, values: Sequence[float]) -> dict[int, float]:
        """Value of each cell that this game shows.

        Players of one game are not independent, so those that share a cell count once: by their average, or by the
        first of them where only wins and losses have an interval.
        """
        shown: dict[int, list[float]] = {}
        for player, view in self._views(profile):
            if view.cell >= 0 and not math.isnan(values[player]):
                shown.setdefault(view.cell, []).append(view.sign * (values[player] - view.offset))
        if self._options["confidence"] == "clopper-pearson":
            return {cell: found[0] for cell, found in shown.items()}
        return {cell: sum(found) / len(found) for cell, found in shown.items()}

    def _resolve_profile(self, profile: Proposal | Sequence[int] | Sequence[str]) -> Profile:
        if isinstance(profile, Proposal):
            return profile.profile
        players = 2 if len(self.shape) == 1 else len(self.shape)
        if isinstance(profile, str) or len(profile) != players:
            raise DataError(f"a profile names one strategy for each of {players} players, not {profile!r}")
        used = self._strategies * 2 if len(self.shape) == 1 else self._strategies
        found = tuple(strategy_index(item, names) for item, names in zip(profile, used, strict=True))
        if len(self.shape) == 1 and found[0] == found[1]:
            raise DataError(f"{profile[0]} against itself tells nothing about one population's response graph")
        return found

    def _payoffs(self, profile: Profile, payoffs: float | Sequence[float]) -> list[float]:
        players = len(profile)
        total = self._options["constant_sum"]
        given = [float(payoffs)] if isinstance(payoffs, int | float | np.number) else [float(x) for x in payoffs]
        if len(given) == 1 and players == 2 and total is not None:
            given.append(total - given[0])
        if len(given) != players:
            raise DataError(f"{len(given)} payoffs for {players} players; give one each")
        low, high = self._options["payoff_range"]
        for value in given:
            if not low - 1e-9 <= value <= high + 1e-9:
                raise DataError(f"payoff {value} at {profile} is outside the stated range [{low:g}, {high:g}]")
        if total is not None and abs(sum(given) - total) > 1e-6 * max(1.0, abs(total)):
            raise DataError(f"payoffs {given} at {profile} do not add up to {total:g}")
        return given

    def _refuse_between(self, values: Sequence[float], games: int) -> None:
        """Clopper and Pearson's interval is for payoffs that only take the two ends of the range."""
        if self._options["confidence"] != "clopper-pearson":
            return
        low, high = self._options["payoff_range"]
        for value in values:
            wins = games * (value - low) / (high - low)
            if abs(wins - round(wins)) > 1e-6 * games:
                raise DataError(
                    f"payoff {value} is not made of wins ({high:g}) and losses ({low:g}); "
                    "clopper-pearson needs those, hoeffding does not"
                )

    def _resolve(self, edges: Iterable[int]) -> None:
        for e in edges:
            if self._better[e] == 0:
                overlap, gap = self._overlap(self._layout.edges[e])
                tolerance = self._options["relaxation"]
                if overlap < tolerance and gap != 0.0 and not math.isnan(gap):
                    self._better[e] = 1 if gap > 0.0 else -1
                    self._valence[self._ends[e]] -= 1.0

    def _overlap(self, edge: CellEdge) -> tuple[float, float]:
        """How far one interval must move to clear the other (below 0 once they are apart), and the estimated gap.

        For intervals that overlap in part this is the length of the overlap; a known payoff is an interval of length 0.
        """
        games = sum(self._count[cell] for cell in {edge.before.cell, edge.after.cell} - {-1})
        delta = self._delta(games)
        low1, mean1, high1 = self._interval(edge.before, delta, games)
        low2, mean2, high2 = self._interval(edge.after, delta, games)
        return min(high1 - low2, high2 - low1), mean2 - mean1

    def _delta(self, games: float) -> float:
        delta = float(self._options["delta"])
        if self._options["union_bound"]:
            delta /= math.prod(self.shape) * sum(n - 1 for n in self.shape)
        if self._options["time_dependent"]:
            delta *= 6.0 / (math.pi**2 * max(games, 1.0) ** 3)
        return delta

    def _interval(self, view: View, delta: float, t: float) -> tuple[float, float, float]:
        """Low end, mean and high end of a payoff seen through a view."""
        if view.cell < 0:
            return view.offset, view.offset, view.offset
        n = self._count[view.cell]
        a, b = self._options["payoff_range"]
        if n == 0:
            return -math.inf, math.nan, math.inf
        mean = float(self._total[view.cell] / n)
        if self._options["confidence"] == "hoeffding":
            bonus = 0.5 * (1.0 + self._options["exploration"] * math.log1p(t))
            half = (b - a) * math.sqrt(bonus * math.log(2.0 / delta) / n)
            ends = (mean - half, mean + half)
        else:
            wins = n * (mean - a) / (b - a)
            low = scipy.special.betaincinv(wins, n - wins + 1.0, delta / 2.0) if wins > 1e-9 else 0.0
            high = scipy.special.betaincinv(wins + 1.0, n - wins, 1.0 - delta / 2.0) if n - wins > 1e-9 else 1.0
            ends = (a + (b - a) * float(low), a + (b - a) * float(high))
        first, second = sorted(view.offset + view.sign * end for end in ends)
        return first, view.offset + view.sign * mean, second

    def _status(self, e: int) -> EdgeStatus:
        edge = self._layout.edges[e]
        overlap, gap = self._overlap(edge)
        cells = {edge.before.cell, edge.after.cell} - {-1}
        better: Literal["source", "target"] | None = {1: "target", -1: "source"}.get(self._better[e])  # type: ignore[assignment]
        return EdgeStatus(
            self._label(edge.source), self._label(edge.target), edge.player, gap, overlap, better,
            int(sum(self._count[cell] for cell in cells)),
        )  # fmt: skip

    def _label(self, profile: Profile) -> tuple[str, ...]:
        used = self._strategies * len(profile) if len(self.shape) == 1 else self._strategies
        return tuple(names[i] for names, i in zip(used, profile, strict=True))

    def graph(self) -> LearnedGraph:
        """Give the response graph as far as it is known."""
        statuses = [self._status(e) for e in range(len(self._layout.edges))]
        return LearnedGraph(
            tuple(s for s in statuses if s.better is not None),
            tuple(s for s in statuses if s.better is None),
            self._games,
            self.guarantee,
        )

    def state(self) -> dict[str, Any]:
        """Give everything needed to go on later, as strict JSON."""
        return {
            "strategies": [list(names) for names in self._strategies],
            "options": self._options | {"payoff_range": list(self._options["payoff_range"])},
            "count": self._count.tolist(), "total": self._total.tolist(), "played": self._played,
            "better": self._better, "order": self._order, "games": self._games,
            "rng": self._rng.bit_generator.state,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`; the same proposals follow."""
        kept = json.loads(json.dumps(state))
        options = kept["options"] | {"payoff_range": tuple(kept["options"]["payoff_range"])}
        names = kept["strategies"]
        new = cls(names if len(names) > 1 else names[0], **options)
        new._count, new._total = np.array(kept["count"]), np.array(kept["total"])
        new._played, new._better, new._order = kept["played"], kept["better"], kept["order"]
        new._games = kept["games"]
        new._valence = new._count_valence()
        new._rng = np.random.Generator(getattr(np.random, kept["rng"]["bit_generator"])())
        new._rng.bit_generator.state = kept["rng"]
        return new


def _cells(views: Iterable[View]) -> frozenset[int]:
    return frozenset(view.cell for view in views) - {-1}
