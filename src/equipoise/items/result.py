"""What an item response model gives: difficulties, discriminations and abilities with their uncertainty."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Later, Result, frozen
from equipoise.data.types.scores import Scores
from equipoise.items.item_fit import AgentFit, ItemFit
from equipoise.items.leader import FAIRLY, Leader, leader, leader_words, reliability, separation_words
from equipoise.items.marginal.em import agreeing_starts
from equipoise.items.models.models import Model
from equipoise.items.scoring.ability import Estimator
from equipoise.items.scoring.calibration import (
    ABILITY_UNITS,
    Calibration,
    Scored,
    float_column,
)
from equipoise.items.scoring.uncertainty import ItemUncertainty


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class IRT(Result):
    """Items and agents on one scale.

    Arrays follow the data's own order of tasks and agents; items and agents that could not be used hold NaN.

    Attributes
    ----------
    items
        Names of the items: the data's tasks.
    difficulty, discrimination, guessing
        b, a and c of each item, with ``_se``, ``_low`` and ``_high``. Discrimination keeps its sign.
        ``_low`` and ``_high`` are None, and so is ``interval``, where the information gives no errors of items.
    slope
        Slope of the curve at its location, a (1 - c) / 4.
    ability
        Of each agent, with ``ability_se``, ``ability_low``, ``ability_high``.
    log_likelihood, aic, bic
        Of the fit (marginal over ability, or joint for ``method="jml"``).
    points
        Quadrature points in the end: enough that doubling them moves the log-likelihood by less than 0.001.
    starts
        Log-likelihood that each start came to: the best's is the fit's, others are as far below as on the first grid.
    flags
        Item name to its flags, for flagged items only.
    negative_p
        p-value of each negative discrimination against a flat curve; NaN with pooled items.
    negative_probability
        Posterior probability that the discrimination is negative, with pooled items; NaN otherwise.
    item_fit, agent_fit
        S-X2, infit, outfit of items; infit, outfit and z of agents.
    interval, ability_interval
        What the intervals of items and those of abilities are.
    uncertainty
        What is not known of the items that were fitted, with what they share; None where it is unknown.
    ability_sd
        Deviation of ability on this scale: 1, what ``rasch`` estimates, or that of others on a scale of few agents.
    lead_se
        Standard error of the best agent's lead over each agent.
    constant
        Curves of the items that everybody solved, or nobody: they predict, and measure nobody.
    indicators
        The four indicators side by side with bootstrap intervals (:func:`duality`), where asked for.
    general
        Works out who is general, with notes where that cannot be said; None where nobody asked.
    refit
        Fits these items alone, as all were; None where the fit does not know its data.
    before
        The fit of all items, where some were left out of it (:meth:`without`).
    """

    main: ClassVar[str] = "ability"
    units: ClassVar[Mapping[str, str]] = ABILITY_UNITS

    agents: tuple[str, ...]
    items: tuple[str, ...]
    model: Model
    ability: FloatArray
    ability_se: FloatArray
    ability_low: FloatArray
    ability_high: FloatArray
    difficulty: FloatArray
    difficulty_se: FloatArray
    difficulty_low: FloatArray | None
    difficulty_high: FloatArray | None
    discrimination: FloatArray
    discrimination_se: FloatArray
    discrimination_low: FloatArray | None
    discrimination_high: FloatArray | None
    guessing: FloatArray
    guessing_se: FloatArray
    slope: FloatArray
    share: FloatArray
    log_likelihood: float
    aic: float
    bic: float
    points: int
    starts: tuple[float, ...]
    flags: Mapping[str, tuple[str, ...]]
    negative_p: FloatArray
    negative_probability: FloatArray
    item_fit: ItemFit
    agent_fit: AgentFit
    interval: Interval | None
    ability_interval: Interval
    uncertainty: ItemUncertainty | None = None
    ability_sd: float = 1.0
    lead_se: FloatArray
    constant: Calibration | None = None
    indicators: Any = None
    general: Later[tuple[Any, tuple[Diagnostic, ...]]] | None = None
    refit: Callable[[tuple[str, ...]], "IRT"] | None = None
    before: "IRT | None" = None

    @property
    def generality(self) -> Any:
        """Who fails on hard items only, and who in pockets; None where nobody asked, or there are too few items."""
        return None if self.general is None else self.general()[0]

    @property
    def generality_notes(self) -> tuple[Diagnostic, ...]:
        """Why who is general cannot be said, where that was asked."""
        return () if self.general is None else self.general()[1]

    @property
    def agreeing(self) -> int:
        """How many of the starts came as far as the best."""
        return agreeing_starts(self.starts)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who has the highest ability, how many items discriminate significantly, and which of them to check."""
        used = int(np.sum(~np.isnan(self.discrimination)))
        flagged = self.flagged
        items = "item" if len(flagged) == 1 else "items"
        check = f"check {len(flagged)} {items}: {some_of(flagged)}" if flagged else "none is flagged"
        low = self.discrimination_low
        if low is None or np.isnan(low).all():  # unknown, or given by the model
            said = f"{used} items have a discrimination without an interval; {check}."
            return (*self._leader_words(), said, *self._pooled_words(), *self._change_words())
        sure = int(np.sum(low > 0))
        discriminating = f"All {used} items discriminate" if sure == used else f"{sure} of {used} items discriminate"
        return (*self._leader_words(), f"{discriminating} significantly; {check}.", *self._pooled_words(),
                *self._change_words())  # fmt: skip

    @property
    def flagged(self) -> tuple[str, ...]:
        """The items to check: those with a flag, but for those that all agents solved, or none."""
        return tuple(item for item, flags in self.flags.items() if flags != ("constant",))

    def without(self, items: Iterable[str]) -> "IRT":
        """Fit again without some items, such as those that are ``flagged``; the new fit knows this one, as ``before``.

        Fails when
            there is no such item, too few are left, or the fit was not made by :func:`equipoise.irt`, which keeps data.

        Examples
        --------
        >>> import equipoise as eq
        >>> fit = eq.irt("lsat", model="rasch")
        >>> fit.without(["item 5"]).items
        ('item 1', 'item 2', 'item 3', 'item 4')
        """
        left_out = tuple(dict.fromkeys([items] if isinstance(items, str) else items))
        for name in left_out:
            if name not in self.items:
                raise ParameterError(f'there is no item "{name}"{did_you_mean(name, self.items)}')
        if not left_out:
            return self
        if self.refit is None:
            raise ParameterError("this fit does not know its data: equipoise.irt gives one that does")
        return replace(self.refit(tuple(item for item in self.items if item not in left_out)), before=self)

    def fits_frame(self) -> "pl.DataFrame":
        """Compare the fit of all items with that without some of them; this fit alone where none were left out."""
        before = self.before
        kinds = {"rank_changes": pl.Int64, "leader": pl.String}
        if before is None:
            return pl.DataFrame([self._fit_row("all items", None)], schema_overrides=kinds)
        dropped = len(before.items) - len(self.items)
        name = f"without {dropped:,} {'item' if dropped == 1 else 'items'}"
        rows = [before._fit_row("all items", None), self._fit_row(name, self._rank_changes(before))]
        return pl.DataFrame(rows, schema_overrides=kinds)

    @property
    def tables(self) -> "Mapping[str, pl.DataFrame]":
        """Agents and items; also both fits, where items were left out."""
        made = {"agents": self.frame(), "items": self.item_frame()}
        return made if self.before is None else {**made, "fits": self.fits_frame()}

    def _fit_row(self, name: str, changes: int | None) -> dict[str, object]:
        found = self.leader
        used = int(np.sum(~np.isnan(self.discrimination)))
        leads = None if found is None else self.agents[found.best]
        return {
            "fit": name, "items": used, "reliability": self.reliability, "leader": leads, "rank_changes": changes
        }  # fmt: skip

    def _rank_changes(self, before: "IRT") -> int:
        """Count the agents that have another rank by ability, among those that both fits rank."""
        both = ~np.isnan(self.ability) & ~np.isnan(before.ability)
        old, new = (np.searchsorted(np.sort(-of[both]), -of[both]) for of in (before.ability, self.ability))
        return int(np.sum(old != new))

    def _change_words(self) -> tuple[str, ...]:
        if self.before is None:
            return ()
        all_items, rest = self.fits_frame().to_dicts()
        changed = rest["rank_changes"]
        agents = "agent has" if changed == 1 else "agents have"
        return (
            f"{rest['fit'].capitalize()} the reliability is {rest['reliability']:.2f} (with all items"
            f" {all_items['reliability']:.2f}); {changed:,} {agents} another rank.",
        )

    @property
    def reliability(self) -> float:
        """The share of the variance of abilities that is not error."""
        return reliability(self.ability, self.ability_se)

    @property
    def leader(self) -> Leader | None:
        """Who has the highest ability and who cannot be ruled out; None where the items cannot rank agents."""
        level = self.ability_interval.level
        return leader(self.ability, self.lead_se, level) if self.reliability >= FAIRLY else None

    def _leader_words(self) -> tuple[str, ...]:
        share, found = self.reliability, self.leader
        if np.isnan(share) or np.isinf(self.ability).any():  # no finite ability is no place in an order
            return ()
        if found is None:
            items = int(np.sum(~np.isnan(self.discrimination)))
            return (f"These {items:,} items cannot rank individual agents (reliability {share:.2f}).",)
        first = leader_words(self.agents, found, float(self.ability[found.best]), self.ability_interval.level)
        return first, separation_words(share)

    def _pooled_words(self) -> tuple[str, ...]:
        if self.params["method"] != "pooled":
            return ()
        agents = int(np.sum(~np.isnan(self.ability)))
        return (
            f"{agents} agents cannot give separate item parameters: items are pooled, and abilities are relative to"
            " these agents.",
        )

    def frame(self) -> "pl.DataFrame":
        """Give the agents, highest ability first."""
        columns = {
            "agent": list(self.agents),
            "ability": self.ability,
            "stderr": self.ability_se,
            "low": self.ability_low,
            "high": self.ability_high,
            "share": self.share,
            "infit": self.agent_fit.infit,
            "outfit": self.agent_fit.outfit,
            "z": self.agent_fit.z,
        }
        return _sorted(pl.DataFrame(columns), "ability")

    def item_frame(self) -> "pl.DataFrame":
        """Give the items, hardest first, with their flags; last those whose difficulty is unclear, or not known."""
        columns: dict[str, object] = {"item": list(self.items)}
        for name in ("difficulty", "discrimination"):
            parts = {name + end: getattr(self, name + end) for end in ("", "_se", "_low", "_high")}
            columns |= {key: float_column(values, len(self.items)) for key, values in parts.items()}
        columns |= {"guessing": self.guessing, "slope": self.slope}
        columns |= {
            "s_x2_p": self.item_fit.p_value,
            "infit": self.item_fit.infit,
            "outfit": self.item_fit.outfit,
            "flags": [list(self.flags.get(item, ())) for item in self.items],
        }
        table = pl.DataFrame(columns, schema_overrides={"flags": pl.List(pl.String)})
        unclear = pl.col("flags").list.contains("unclear-difficulty")
        none = pl.col("difficulty").is_nan().fill_null(value=True)
        return _sorted(table, "difficulty").sort(none, unclear, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the items and the fit's own numbers."""
        return {
            "items": self.item_frame().to_dicts(),
            "model": self.model,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "bic": self.bic,
            "points": self.points,
            "starts": self.starts,
            "interval": self.interval,
            "ability_interval": self.ability_interval,
            "reliability": self.reliability,
            "ability_sd": self.ability_sd,
            **({} if self.before is None else {"before": self.before.to_dict()}),
        }

    def calibration(self) -> Calibration:
        """Give the items alone, to save, to score new agents with, or to test adaptively."""
        used = ~np.isnan(self.difficulty)  # a flat item has no difficulty and measures nothing
        among = used[~np.isnan(self.discrimination)]
        return Calibration(
            items=tuple(np.array(self.items, dtype=object)[used].tolist()),
            model=self.model,
            difficulty=frozen(self.difficulty[used]),
            discrimination=frozen(self.discrimination[used]),
            guessing=frozen(self.guessing[used]),
            difficulty_se=frozen(self.difficulty_se[used]),
            discrimination_se=frozen(self.discrimination_se[used]),
            threshold=_number(self.params["threshold"]),
            uncertainty=None if self.uncertainty is None else self.uncertainty.take(among),
            ability_sd=self.ability_sd,
            constant=self.constant,
        )

    def score(
        self, data: Scores, *, estimator: Estimator = "eap", threshold: float | None = None, level: float = 0.95
    ) -> Scored:
        """Give abilities of new agents with the items fixed (see :meth:`Calibration.score`)."""
        return self.calibration().score(data, estimator=estimator, threshold=threshold, level=level)


def _sorted(table: "pl.DataFrame", by: str) -> "pl.DataFrame":
    return table.sort(pl.col(by).fill_nan(None), descending=True, nulls_last=True, maintain_order=True)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
