"""Reading observed games: profiles by index or name, payoffs within their range, and the cells they show."""

from collections.abc import Collection, Iterable, Sequence
from numbers import Real

from equipoise.core.errors import DataError
from equipoise.core.wording import Advice, Option
from equipoise.schedule.payoff_cells import CellView, PayoffCells, Profile
from equipoise.schedule.payoff_evidence import UcbOptions, strategy_index


class PayoffReader:
    """Turns a profile and its payoffs into values of cells; refuses what cannot be."""

    def __init__(self, strategies: tuple[tuple[str, ...], ...], layout: PayoffCells, options: UcbOptions) -> None:
        self._layout = layout
        self._single = len(strategies) == 1
        self._strategies = strategies * 2 if self._single else strategies
        self._sum = options.constant_sum
        self._range = options.payoff_range
        self._wins_only = options.confidence == "clopper-pearson"
        self.number = {profile: number for number, profile in enumerate(layout.profiles)}
        self._labels: dict[Profile, tuple[str, ...]] = {}
        # From the cells that a profile shows to the first profile that shows them.
        self._shows = {_cells(views): number for number, views in reversed([*enumerate(layout.observes)])}

    def label(self, profile: Profile) -> tuple[str, ...]:
        """Names of a profile's strategies; in one population a profile of the graph is a single strategy."""
        label = self._labels.get(profile)
        if label is None:
            label = tuple(names[i] for names, i in zip(self._strategies, profile, strict=False))
            self._labels[profile] = label
        return label

    def profile(self, given: Sequence[int] | Sequence[str]) -> Profile:
        """Find a profile given by indices or names."""
        players = len(self._strategies)
        if isinstance(given, str) or not isinstance(given, Collection) or len(given) != players:
            raise DataError(f"a profile names one strategy for each of {players} players, not {given!r}")
        profile = tuple(strategy_index(item, names) for item, names in zip(given, self._strategies, strict=True))
        if self._single and profile[0] == profile[1]:
            raise DataError(f"{given[0]} against itself says nothing about one population's response graph")
        return profile

    def payoffs(self, profile: Profile, given: float | Sequence[float], games: float) -> list[float]:
        """One payoff a player, checked against the range, the known sum and the kind of interval."""
        several = [given] if isinstance(given, Real) else list(given) if isinstance(given, Iterable) else []
        if not several or not all(isinstance(value, Real) for value in several):
            raise DataError(f"payoffs are one number for each player, not {given!r}")
        values = [float(value) for value in several]
        players, total = len(profile), self._sum
        if len(values) == 1 and players == 2 and total is not None:
            values.append(total - values[0])
        if len(values) != players:
            raise DataError(f"{len(values)} payoffs for {players} players; give one each")
        low, high = self._range
        for value in values:
            if not low - 1e-9 <= value <= high + 1e-9:
                raise DataError(f"payoff {value} at {profile} is outside the stated range [{low:g}, {high:g}]")
        if total is not None and abs(sum(values) - total) > 1e-6 * max(1.0, abs(total)):
            raise DataError(f"payoffs {values} at {profile} do not add up to {total:g}")
        if self._wins_only:
            self._refuse_between(values, games)
        return values

    def _refuse_between(self, values: Sequence[float], games: float) -> None:
        """Clopper and Pearson's interval is for payoffs that only take the two ends of the range."""
        low, high = self._range
        for value in values:
            wins = games * (value - low) / (high - low)
            if abs(wins - round(wins)) > 1e-6 * games:
                raise DataError(
                    f"payoff {value} is not made of wins ({high:g}) and losses ({low:g}), which ",
                    Option("confidence", "clopper-pearson"),
                    " needs",
                    advice=[Advice(Option("confidence", "hoeffding"), " does not")],
                )

    def shown(self, profile: Profile, values: Sequence[float]) -> dict[int, float]:
        """Value of each cell that this game shows.

        Players of one game are not independent, so those that share a cell count once: by their average, or by the
        first of them where only wins and losses have an interval.
        """
        observed: dict[int, list[float]] = {}
        for player, view in self._views(profile):
            if view.cell >= 0:
                observed.setdefault(view.cell, []).append(view.sign * (values[player] - view.offset))
        if self._wins_only:
            return {cell: several[0] for cell, several in observed.items()}
        return {cell: sum(several) / len(several) for cell, several in observed.items()}

    def counted_as(self, profile: Profile) -> int | None:
        """Profile worth playing that shows the same cells, by number."""
        number = self.number.get(profile)
        if number is not None:
            return number
        cells = _cells(view for _, view in self._views(profile))
        return self._shows.get(cells) if cells else None

    def _views(self, profile: Profile) -> list[tuple[int, CellView]]:
        """Players of a profile with the view of their payoff."""
        number = self.number.get(profile)
        if number is not None:
            return list(enumerate(self._layout.observes[number]))
        if self._single:
            views = self._layout.observes[self.number[profile[1], profile[0]]]
            return [(0, views[1]), (1, views[0])]
        by_player: dict[int, CellView] = {}
        for edge in self._layout.edges:
            for end, view in ((edge.source, edge.before), (edge.target, edge.after)):
                if end == profile:
                    by_player[edge.player] = view
        return sorted(by_player.items())


def _cells(views: Iterable[CellView]) -> frozenset[int]:
    return frozenset(view.cell for view in views) - {-1}
