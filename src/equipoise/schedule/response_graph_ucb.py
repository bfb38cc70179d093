"""ResponseGraphUCB: which game to play next to learn the response graph, as a state machine with ask and tell."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self, overload

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.errors import ParameterError
from equipoise.core.options import check, generator, number, whole
from equipoise.schedule.payoff_cells import OpenEdges, payoff_cells
from equipoise.schedule.payoff_evidence import Sampling, UcbConfidence, UcbOptions, evidence, strategy_names
from equipoise.schedule.payoff_reader import PayoffReader
from equipoise.schedule.proposals import EdgeStatus, LearnedGraph, Proposal

AT_LEAST_ONE, AT_LEAST_ONE_OR_NONE = whole(1), whole(1, none=True)
BETTER: dict[int, Literal["source", "target"]] = {1: "target", -1: "source"}


@method(
    takes="strategies",
    answers="Which game to play next to learn the response graph with the fewest games?",
    reference="Rowland et al. (2019), section 4",
    checks={
        "delta": number(0.0, 1.0, strictly=True),
        "relaxation": number(0.0),
        "exploration": number(0.0),
        "budget": AT_LEAST_ONE_OR_NONE,
    },
    resampled="it asks for games and estimates nothing from data",
)
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
        The players' payoffs add up to this; with two players one outcome shows both, and with symmetry the payoff at
        equal strategies is known.
    budget
        Most games; ``done`` becomes true when they are spent, and what is unresolved is reported so.
    rng
        Seed or generator.

    Fails when
        an option makes no sense, a population has a single strategy, or an observed payoff is outside the range.

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
        self._options = UcbOptions(
            delta=delta, sampling=sampling, confidence=confidence, relaxation=relaxation, union_bound=union_bound,
            time_dependent=time_dependent, exploration=exploration, payoff_range=payoff_range, symmetric=symmetric,
            constant_sum=constant_sum, budget=budget,
        )  # fmt: skip
        self._layout = payoff_cells(self.shape, symmetric=symmetric, constant_sum=constant_sum)
        self._reader = PayoffReader(self._strategies, self._layout, self._options)
        self._evidence = evidence(self._layout.cells, self.shape, self._options)
        self._open = OpenEdges(self._layout)
        self._rng = generator(rng)
        self._played = [0] * len(self._layout.profiles)
        self._unplayed = list(range(len(self._played)))
        self._order = [int(e) for e in self._rng.permutation(len(self._layout.edges))]
        self._at = 0  # the first edge of the order that may still be open
        self._games = 0
        self._resolve(range(len(self._layout.edges)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strategies of each population."""
        return self._shape

    @property
    def games(self) -> int:
        """Games observed so far."""
        return self._games

    @property
    def unresolved(self) -> int:
        """Number of edges whose direction is not yet known."""
        return len(self._open.numbers)

    @property
    def done(self) -> bool:
        """Whether every edge is resolved or the budget is used up."""
        budget = self._options.budget
        return not self._open.numbers or (budget is not None and self._games >= budget)

    @property
    def guarantee(self) -> str:
        """What may be claimed for the resolved edges."""
        return self._options.guarantee

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
            raise ParameterError("nothing left to ask: every edge is resolved or the budget is used up")
        check(AT_LEAST_ONE_OR_NONE, "n", n)
        batch = self._batch(1 if n is None else n)
        return batch[0] if n is None else tuple(batch)

    def _batch(self, n: int) -> list[Proposal]:
        pending = list(self._played)
        fresh = (number for number in self._unplayed if self._open.at(number))
        batch = []
        for _ in range(self._within_budget(n)):
            number, edge = next(fresh, None), None
            if number is None:
                number, edge = self._choose(pending)
            pending[number] += 1
            batch.append(self._proposal(number, edge))
        return batch

    def _within_budget(self, n: int) -> int:
        budget = self._options.budget
        return n if budget is None else min(n, budget - self._games)

    def _choose(self, pending: list[int]) -> tuple[int, int]:
        """Profile to play and the unresolved edge it serves, by the sampling scheme."""
        sampling = self._options.sampling
        if sampling == "uniform-exhaustive":
            while self._open.better[self._order[self._at]]:
                self._at += 1
            return self._either_end(self._order[self._at])
        if sampling == "uniform":
            numbers = self._open.numbers
            return self._either_end(numbers[int(self._rng.integers(len(numbers)))])
        valence = self._open.valence
        if sampling == "valence-weighted":
            number = int(self._rng.choice(len(pending), p=valence**2 / np.sum(valence**2)))
        else:
            number = min(np.flatnonzero(valence).tolist(), key=pending.__getitem__)
        return number, max(self._open.at(number), key=lambda e: self._evidence.overlap(self._layout.edges[e])[0])

    def _either_end(self, edge: int) -> tuple[int, int]:
        ends = self._open.ends[edge]
        return ends[int(self._rng.integers(len(ends)))], edge

    def _proposal(self, number: int, edge: int | None) -> Proposal:
        profile = self._layout.profiles[number]
        return Proposal(profile, self._reader.label(profile), None if edge is None else self._status(edge))

    def tell(
        self, profile: Proposal | Sequence[int] | Sequence[str], payoffs: float | Sequence[float], *, games: int = 1
    ) -> None:
        """Take what was observed at a profile.

        Parameters
        ----------
        profile
            A proposal, indices or names; any profile may be given, asked for or not.
        payoffs
            One payoff a player; the first player's alone is enough in a two-player game with a constant sum.
        games
            How many games the payoffs are the mean of.
        """
        where = profile.profile if isinstance(profile, Proposal) else self._reader.profile(profile)
        check(AT_LEAST_ONE, "games", games)
        values = self._reader.payoffs(where, payoffs, games)
        shown = self._reader.shown(where, values)
        for cell, value in shown.items():
            self._evidence.add(cell, value, games)
        self._count(self._reader.counted_as(where), int(games))
        for cell in shown:
            self._resolve(tuple(self._open.of_cell[cell]))

    def _count(self, number: int | None, games: int) -> None:
        self._games += games
        if number is not None:
            if not self._played[number]:
                self._unplayed.remove(number)
            self._played[number] += games

    def _resolve(self, edges: Iterable[int]) -> None:
        """Close those of the open edges whose intervals are apart."""
        overlap_of, layout, tolerance = self._evidence.overlap, self._layout.edges, self._options.relaxation
        for e in edges:
            overlap, gap = overlap_of(layout[e])
            if overlap < tolerance and gap:
                self._open.close(e, 1 if gap > 0.0 else -1)

    def _status(self, e: int) -> EdgeStatus:
        edge = self._layout.edges[e]
        overlap, gap = self._evidence.overlap(edge)
        source, target = self._reader.label(edge.source), self._reader.label(edge.target)
        better = BETTER.get(self._open.better[e])
        return EdgeStatus(source, target, edge.player, gap, overlap, better, int(self._evidence.games(edge)))

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
            "options": self._options.to_dict(),
            "count": self._evidence.count[:-1], "total": self._evidence.total[:-1], "played": list(self._played),
            "better": list(self._open.better), "order": list(self._order), "games": self._games,
            "rng": self._rng.bit_generator.state,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`; the same proposals follow."""
        saved = json.loads(json.dumps(state))
        names = saved["strategies"]
        new = cls(names if len(names) > 1 else names[0], **saved["options"])
        new._evidence.restore(saved["count"], saved["total"])
        new._open = OpenEdges(new._layout, saved["better"])
        new._played, new._order, new._games = saved["played"], saved["order"], saved["games"]
        new._unplayed = [number for number, games in enumerate(new._played) if not games]
        new._rng = np.random.Generator(getattr(np.random, saved["rng"]["bit_generator"])())
        new._rng.bit_generator.state = saved["rng"]
        return new
