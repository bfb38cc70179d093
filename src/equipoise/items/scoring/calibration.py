"""Items as a measuring instrument: saved, loaded, and used to score agents that were not there when it was made."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, ReadError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import number
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params, jsonable
from equipoise.core.wording import Advice, Option
from equipoise.data.types.scores import Scores
from equipoise.items.models.models import MODELS, Items, Model, probability
from equipoise.items.models.prepare import to_responses
from equipoise.items.scoring.ability import Estimator, ability_interval_kind, estimate_abilities, with_items
from equipoise.items.scoring.uncertainty import ItemUncertainty

_FORMAT = "equipoise-calibration"
ABILITY_UNITS: Mapping[str, str] = {"ability": "standard deviations of ability"}
"""Units of the tables of agents: ability is N(0, 1) among those whom the items were calibrated on."""
FINITE = number(strictly=True, none=True)
"""A threshold that makes a score a success."""
_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Places of a symmetric matrix of (a, d, c) as a file keeps them."""
_COLUMNS = ("difficulty", "discrimination", "guessing", "difficulty_se", "discrimination_se")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Scored(Result):
    """Abilities of agents with the items fixed.

    Attributes
    ----------
    ability, ability_se, ability_low, ability_high
        Of each agent; NaN for agents without answers, infinite where the estimator has no finite value.
    answered
        How many of the calibrated items each agent answered.
    """

    main: ClassVar[str] = "ability"
    in_summary: ClassVar[tuple[str, ...]] = ("interval",)
    units: ClassVar[Mapping[str, str]] = ABILITY_UNITS

    agents: tuple[str, ...]
    ability: FloatArray
    ability_se: FloatArray
    ability_low: FloatArray
    ability_high: FloatArray
    answered: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, highest ability first."""
        table = pl.DataFrame(
            {
                "agent": list(self.agents),
                "ability": self.ability,
                "stderr": self.ability_se,
                "low": self.ability_low,
                "high": self.ability_high,
                "answered": self.answered,
            }
        )
        return table.sort(pl.col("ability").fill_nan(None), descending=True, nulls_last=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who has the highest ability, and the interval of that number."""
        known = np.flatnonzero(np.isfinite(self.ability))
        if not len(known):
            return ()
        best = known[self.ability[known] == self.ability[known].max()]
        top = best[0]
        names, have = some_of(self.agents[j] for j in best), "has" if len(best) == 1 else "have"
        ability = "an ability of" if len(known) == 1 else f"the highest ability of {len(known)} agents,"
        span = f"{self.ability_low[top]:.2f} to {self.ability_high[top]:.2f}"
        return (f"{names} {have} {ability} {self.ability[top]:.2f} ({self.interval}: {span}).",)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Calibration:
    """Items with known parameters.

    Attributes
    ----------
    items
        Their names.
    difficulty, discrimination, guessing
        b, a and c of each, with ``difficulty_se`` and ``discrimination_se`` (NaN where unknown).
    threshold
        Scores of at least this were successes; None where answers were 0 or 1.
    uncertainty
        What is not known of the items, with what they share; None where it is unknown.
    ability_sd
        Deviation of ability on this scale among agents to be scored: 1, or more on a scale of few agents.
    constant
        The other items of the benchmark, which everybody solved or nobody: they measure no ability.

    >>> bank = Calibration.from_parameters(["easy", "hard"], difficulty=[-1, 1], discrimination=[1, 2])
    >>> bank.probability(0.0).round(3).tolist()
    [0.731, 0.119]
    """

    kind: ClassVar[str] = "calibration"

    items: tuple[str, ...]
    model: Model
    difficulty: FloatArray
    discrimination: FloatArray
    guessing: FloatArray
    difficulty_se: FloatArray
    discrimination_se: FloatArray
    threshold: float | None = None
    uncertainty: ItemUncertainty | None = None
    ability_sd: float = 1.0
    constant: "Calibration | None" = None

    @classmethod
    def from_parameters(
        cls,
        items: Iterable[str],
        *,
        difficulty: object,
        discrimination: object = 1.0,
        guessing: object = 0.0,
        model: Model | None = None,
    ) -> "Calibration":
        """Make a calibration from published parameters (standard errors unknown)."""
        names = tuple(str(item) for item in items)
        parts = [
            np.broadcast_to(np.asarray(part, dtype=np.float64), (len(names),))
            for part in (difficulty, discrimination, guessing)
        ]
        _check(names, *parts)
        unknown = frozen(np.full(len(names), np.nan))
        kind: Model = model or ("3pl" if parts[2].any() else "2pl")
        return cls(
            items=names, model=kind, difficulty=frozen(parts[0]), discrimination=frozen(parts[1]),
            guessing=frozen(parts[2]), difficulty_se=unknown, discrimination_se=unknown,
        )  # fmt: skip

    @property
    def parameters(self) -> Items:
        """Parameters in slope-intercept form."""
        return Items(self.discrimination, -self.discrimination * self.difficulty, self.guessing)

    @property
    def whole(self) -> "Calibration":
        """All items of the benchmark, also those that everybody solved or nobody; without what is not known of them."""
        more = self.constant
        if more is None:
            return self
        parts: dict[str, Any] = {
            name: frozen(np.concatenate([getattr(self, name), getattr(more, name)])) for name in _COLUMNS
        }
        return replace(self, items=self.items + more.items, uncertainty=None, constant=None, **parts)

    def probability(self, ability: float | FloatArray) -> FloatArray:
        """Return the chance of success on each item (last axis) at an ability or at several."""
        theta = np.atleast_1d(np.asarray(ability, dtype=np.float64))
        table = probability(theta, self.parameters).T
        return table[0] if np.ndim(ability) == 0 else table

    def take(self, items: Sequence[str]) -> "Calibration":
        """Return the calibration of some items, in the order given."""
        place = {item: k for k, item in enumerate(self.items)}
        for item in items:
            if item not in place:
                raise ParameterError(f'no item "{item}" in this calibration{did_you_mean(item, self.items)}')
        index = np.array([place[item] for item in items], dtype=np.intp)
        return replace(
            self,
            items=tuple(items),
            difficulty=frozen(self.difficulty[index]),
            discrimination=frozen(self.discrimination[index]),
            guessing=frozen(self.guessing[index]),
            difficulty_se=frozen(self.difficulty_se[index]),
            discrimination_se=frozen(self.discrimination_se[index]),
            uncertainty=None if self.uncertainty is None else self.uncertainty.take(index),
        )

    @method(
        takes="scores",
        answers="How able are these agents, measured with these items?",
        reference="Warm (1989)",
        checks={"threshold": FINITE},
    )
    def score(
        self, data: Scores, *, estimator: Estimator = "eap", threshold: float | None = None, level: float = 0.95
    ) -> Scored:
        """How able are these agents, measured with these items?

        Tasks are matched by name; tasks without a calibration are ignored and named. What is not known of the items
        is in the intervals where the calibration has it (``uncertainty``). ``threshold`` defaults to the one the items
        were calibrated with.

        Fails when
            no task of the scores is in the calibration, or values are not answers.
        """
        matched, notes = self.match(data)
        cut = self.threshold if threshold is None and data.trials is None else threshold
        responses = to_responses(matched, cut)
        bank = self.take(matched.tasks)
        fitted = estimate_abilities(responses, bank.parameters, estimator=estimator, spread=bank.ability_sd)
        fitted = with_items(responses, bank.parameters, fitted, bank.uncertainty)
        _, tried = responses.agent_totals()
        answered = np.sum(~matched.missing, axis=1).astype(np.float64)
        empty = tried == 0
        if empty.any():
            names = [data.agents[i] for i in np.flatnonzero(empty)]
            notes.append(warning("no-answers", f"No answer from {some_of(names)}: no ability can be given.", names))
        ability = np.where(empty, np.nan, fitted.estimate)
        stderr = np.where(empty, np.nan, fitted.stderr)
        half = float(scipy.special.ndtri(0.5 + level / 2)) * stderr
        notes += endless_notes(data.agents, ability, Option("estimator", "eap"))
        with np.errstate(invalid="ignore"):
            low, high = ability - half, ability + half
        return Scored(
            agents=data.agents, ability=frozen(ability), ability_se=frozen(stderr),
            ability_low=frozen(low), ability_high=frozen(high), answered=frozen(answered),
            interval=Interval(ability_interval_kind(estimator, self.uncertainty is not None), level),
            params=frozen_params(estimator=estimator, threshold=cut, level=level),
            diagnostics=(*data.diagnostics, *notes),
        )  # fmt: skip

    def match(self, data: Scores) -> tuple[Scores, list[Diagnostic]]:
        """Return the scores on calibrated items only, and a note on tasks that are not among them."""
        items = set(self.items)
        known = np.array([task in items for task in data.tasks])
        if not known.any():
            raise DataError(
                f"none of the tasks ({some_of(data.tasks)}) is in the calibration ({some_of(self.items)});"
                " items are matched by name"
            )
        notes = []
        if not known.all():
            names = [task for task, here in zip(data.tasks, known, strict=True) if not here]
            text = f"{len(names)} tasks are not in the calibration and were ignored: {some_of(names)}."
            notes.append(info("unknown-items", text, names))
        return data.take(tasks=known), notes

    def to_dict(self) -> dict[str, object]:
        """Give strict JSON."""
        rows: list[dict[str, object]] = [
            {"item": item} | {name: getattr(self, name)[k] for name in _COLUMNS} for k, item in enumerate(self.items)
        ]
        if self.uncertainty is not None:
            for k, row in enumerate(rows):
                row["own_covariance"] = [self.uncertainty.own[i, j, k] for i, j in _UPPER]
                row["shared_directions"] = self.uncertainty.shared[:, :, k].tolist()
        body = {
            "format": _FORMAT,
            "version": 1,
            "model": self.model,
            "threshold": self.threshold,
            "ability_sd": self.ability_sd,
            "items": jsonable(rows),
        }
        return body if self.constant is None else body | {"constant_items": self.constant.to_dict()["items"]}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the calibration as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def load_calibration(path: str | PathLike[str]) -> "Calibration":
    """Read a calibration that :meth:`Calibration.save` wrote.

    Fails when
        the file is missing, is not JSON, or does not hold item parameters.
    """
    try:
        body = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ReadError(f"{path}: there is no such file") from error
    except IsADirectoryError as error:
        raise ReadError(f"{path} is a directory, not a calibration file") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ReadError(f"{path} is not a calibration: not valid JSON") from error
    if not isinstance(body, dict) or body.get("format") != _FORMAT:
        raise ReadError(f'{path} is not a calibration: it does not say "format": "{_FORMAT}"')
    return calibration_from_dict(body, str(path))


def calibration_from_dict(body: dict[str, object], path: str = "the calibration") -> "Calibration":
    """Read what :meth:`Calibration.to_dict` wrote."""
    rows = body.get("items")
    if body.get("model") not in MODELS or not isinstance(rows, list) or not rows:
        raise ReadError(f"{path} is not a calibration: model or items are missing")
    try:
        names = tuple(str(row["item"]) for row in rows)
        parts = {name: np.array([_float(row.get(name)) for row in rows]) for name in _COLUMNS}
        cut = body.get("threshold")
        threshold = None if cut is None else float(cast(float, cut))
        spread = float(cast(float, body.get("ability_sd", 1.0)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReadError(f"{path} is not a calibration: an item has no name or a value that is no number") from error
    _check(names, parts["difficulty"], parts["discrimination"], parts["guessing"])
    if not 0.0 < spread < np.inf:
        raise ReadError(f"{path} is not a calibration: ability_sd is a number above 0, not {spread:g}")
    columns = {name: frozen(part) for name, part in parts.items()}
    return Calibration(
        items=names, model=cast(Model, body["model"]), threshold=threshold, uncertainty=_uncertainty(rows, path),
        ability_sd=spread, constant=_constant(body, path), **columns,
    )  # fmt: skip


def _constant(body: dict[str, object], path: str) -> "Calibration | None":
    """Read the items that everybody solved or nobody; files from before version 0.3 do not have them."""
    rows = body.get("constant_items")
    if rows is None:
        return None
    return calibration_from_dict({"model": body["model"], "threshold": body.get("threshold"), "items": rows}, path)


def _uncertainty(rows: list[dict[str, object]], path: str) -> ItemUncertainty | None:
    """Read what is not known of the items; files from before version 0.2 do not have it."""
    if any("own_covariance" not in row or "shared_directions" not in row for row in rows):
        return None
    try:
        upper = np.array([row["own_covariance"] for row in rows], dtype=np.float64)
        shared = np.array([row["shared_directions"] for row in rows], dtype=np.float64).reshape(len(rows), -1, 3)
        if upper.shape != (len(rows), len(_UPPER)) or not (np.isfinite(upper).all() and np.isfinite(shared).all()):
            raise ValueError
    except (TypeError, ValueError) as error:
        raise ReadError(f"{path} is not a calibration: the covariance of an item is not made of numbers") from error
    own = np.empty((3, 3, len(rows)))
    for k, (i, j) in enumerate(_UPPER):
        own[i, j] = own[j, i] = upper[:, k]
    return ItemUncertainty(frozen(own), frozen(np.moveaxis(shared, 0, 2)))


def _float(value: object) -> float:
    return float("nan") if value is None else float(cast(float, value))


def _check(names: tuple[str, ...], difficulty: FloatArray, discrimination: FloatArray, guessing: FloatArray) -> None:
    if not names:
        raise DataError("a calibration needs at least one item")
    if len(set(names)) < len(names):
        again = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise DataError(f"items appear more than once: {some_of(again)}")
    for label, part in (("difficulty", difficulty), ("discrimination", discrimination), ("guessing", guessing)):
        bad = [name for name, value in zip(names, part, strict=True) if not np.isfinite(value)]
        if bad:
            raise DataError(f"no finite {label} for {some_of(bad)}")
    outside = [name for name, value in zip(names, guessing, strict=True) if not 0 <= value < 1]
    if outside:
        raise DataError(f"guessing must be at least 0 and below 1: {some_of(outside)}")


def endless_notes(agents: Sequence[str], ability: FloatArray, remedy: Option) -> list[Diagnostic]:
    """Name the agents whose likelihood has no maximum, and what else gives them a number."""
    endless = [agent for agent, value in zip(agents, ability, strict=True) if np.isinf(value)]
    if not endless:
        return []
    text = f"No finite ability for {some_of(endless)}: every answer points one way."
    return [warning("no-finite-ability", text, endless, advice=[Advice("use ", remedy, ", which is finite")])]


def float_column(values: FloatArray | None, rows: int) -> "pl.Series":
    """Give a column of numbers; of nulls where there are none."""
    return pl.Series(values if values is not None else [None] * rows, dtype=pl.Float64)
