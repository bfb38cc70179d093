"""Matches of models against one baseline, from the models' side: scores, lengths, difficulties, questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.ratings.length.model import Judged

__all__ = ["Difficulty", "LengthMatches", "length_matches"]

Difficulty: TypeAlias = str | Mapping[str, float] | None
"""A label of the matches, numbers by question, or the word ``estimated``."""


@dataclass(frozen=True, slots=True, eq=False)
class LengthMatches:
    """Matches with the baseline, from the models' side.

    ``question`` says what was asked. ``unit`` says what was drawn independently: groups where there are some, else
    questions, else None for the matches themselves.
    """

    models: tuple[str, ...]
    baseline: str
    model: IntArray
    judged: Judged
    question: Factor | None
    unit: Factor | None

    def _places(self, k: int) -> IntArray:
        return np.flatnonzero(self.model == k)

    def of(self, k: int) -> Judged:
        """Give one model's matches."""
        at, every = self._places(k), self.judged
        hard = None if every.difficulty is None else every.difficulty[at]
        return Judged(every.score[at], every.longer[at], every.weight[at], hard)

    def questions_of(self, k: int) -> IntArray:
        """Give the questions of one model's matches, as numbers."""
        assert self.question is not None
        return self.question.codes[self._places(k)].astype(np.int64)

    def games(self) -> FloatArray:
        """Count the matches of each model."""
        return np.bincount(self.model, self.judged.weight, len(self.models)).astype(np.float64)

    def win_rates(self) -> FloatArray:
        """Give the mean score of each model."""
        return np.bincount(self.model, self.judged.weight * self.judged.score, len(self.models)) / self.games()

    def units_of_models(self) -> FloatArray:
        """Count what was drawn independently for each model."""
        if self.unit is None:
            return self.games()
        pairs = np.unique(np.stack([self.model, self.unit.codes.astype(np.int64)]), axis=1)
        return np.bincount(pairs[0], minlength=len(self.models)).astype(np.float64)

    def covariance(self, known: IntArray, influence: Sequence[FloatArray]) -> FloatArray:
        """Give the covariance of estimates of these models from the influence of each of their matches.

        Influences of one unit are summed, over all models that it was drawn for; units are independent.
        """
        games = self.games()
        if self.unit is None:
            parts = zip(known, influence, strict=True)
            return np.diag([self.of(int(k)).weight @ each**2 / games[k] ** 2 for k, each in parts])
        sums = np.empty((len(self.unit.labels), len(known)))
        for column, (k, each) in enumerate(zip(known, influence, strict=True)):
            at = self._places(int(k))
            shares = self.judged.weight[at] * each / games[k]
            sums[:, column] = np.bincount(self.unit.codes[at], shares, len(sums))
        return np.asarray(sums.T @ sums)


def length_matches(
    data: Matches, baseline: str | None, length: str, difficulty: Difficulty
) -> tuple[LengthMatches, tuple[Diagnostic, ...]]:
    """Bring matches into this form; those without the baseline, or of no weight, are left out.

    Fails when
        there is no baseline, no length, or no difficulty of some question.
    """
    longer = _lengths(data, length)
    at, notes = _baseline(data, baseline)
    first = data.b == at
    kept = np.flatnonzero((first | (data.a == at)) & (data.weights > 0))
    if not len(kept):
        raise DataError(f"no match with the baseline {some_of([data.agents[at]])} has a weight above 0")
    first, score = first[kept], data.outcome[kept]
    codes = np.where(first, data.a[kept], data.b[kept])
    present = np.unique(codes)
    question = _taken(data.task or data.group, kept)
    games = LengthMatches(
        models=tuple(data.agents[k] for k in present),
        baseline=data.agents[at],
        model=np.searchsorted(present, codes),
        judged=Judged(
            score=np.where(first, score, 1 - score),
            longer=np.where(first, -longer[kept], longer[kept]),
            weight=data.weights[kept],
            difficulty=_difficulties(data, kept, question, difficulty),
        ),
        question=question,
        unit=_taken(data.group or data.task, kept),
    )
    if games.unit is None:
        text = "Nothing says which matches were on the same question: errors take all matches as independent."
        advice = Advice("name the column of questions with ", Option("group"))
        notes += (info("no-questions", text, advice=[advice]),)
    if difficulty == "estimated" and data.task is not None and data.group is not None:
        raise ParameterError(
            Option("difficulty", "estimated"), " takes questions as independent: leave ", Option("group"), " out"
        )
    return games, notes


def _taken(factor: Factor | None, rows: IntArray) -> Factor | None:
    """Give these rows, with only the labels that are left."""
    if factor is None:
        return None
    present, codes = np.unique(factor.codes[rows], return_inverse=True)
    return Factor(tuple(factor.labels[k] for k in present), codes.astype(np.int32))


def _lengths(data: Matches, length: str) -> FloatArray:
    """Give by how much the first side is longer."""
    if data.covariates is None:
        raise DataError(
            "these matches hold no lengths",
            advice=[
                Advice(f'read them with read_matches(..., covariates="{length}")'),
                Advice("or add them with with_covariates"),
            ],
        )
    found = data.covariates.select([length]).differences
    if found is None:
        raise DataError(f'of the covariate "{length}" only shares are known: give the lengths of both sides')
    return found[:, 0]


def _baseline(data: Matches, asked: str | None) -> tuple[int, tuple[Diagnostic, ...]]:
    """Find the baseline: the one that is named, or the one that is in every match."""
    if asked is not None:
        if asked not in data.agents:
            raise ParameterError(
                Option("baseline"), f' "{asked}" is not among the agents{did_you_mean(asked, data.agents)}'
            )
        at = data.agents.index(asked)
        without = int(np.sum((data.a != at) & (data.b != at)))
        text = f"{without:,} matches without the baseline {asked} were left out."
        return at, (info("without-baseline", text),) if without else ()
    common = [k for k in np.unique([data.a[:1], data.b[:1]]) if ((data.a == k) | (data.b == k)).all()]
    if len(common) == 1:
        return int(common[0]), ()
    why = "no agent is in every match" if not common else "either of two agents may be the baseline"
    raise ParameterError(f"{why}: say which is the baseline with ", Option("baseline"))


def _difficulties(data: Matches, kept: IntArray, question: Factor | None, difficulty: Difficulty) -> FloatArray | None:
    """Give the difficulty of each match's question, where it is given."""
    if difficulty is None or difficulty == "estimated":
        return None
    if isinstance(difficulty, str):
        label = data.labels.get(difficulty)
        if label is None:
            near = did_you_mean(difficulty, [*data.labels, "estimated"])
            raise ParameterError(
                Option("difficulty"), f' "{difficulty}" is neither a label of these matches nor "estimated"{near}'
            )
        return _numbers(dict(zip(label.labels, label.labels, strict=True)), label.labels)[label.codes[kept]]
    if question is None:
        raise ParameterError(
            Option("difficulty"), " by question needs to know which question each match was on",
            advice=[Advice("name its column with ", Option("group"))],
        )  # fmt: skip
    given = {str(name).strip(): value for name, value in difficulty.items()}
    missing = [name for name in question.labels if name not in given]
    if missing:
        raise DataError(f"no difficulty of the questions {some_of(missing)}")
    return _numbers(given, question.labels)[question.codes]


def _numbers(given: Mapping[str, object], names: Sequence[str]) -> FloatArray:
    """Give the numbers behind names; refuse what is none."""
    numbers = np.full(len(names), np.nan)
    for k, name in enumerate(names):
        try:
            numbers[k] = float(given[name])  # type: ignore[arg-type]  # what is no number is looked at below
        except (TypeError, ValueError):
            continue
    bad = [name for name, number in zip(names, numbers, strict=True) if not np.isfinite(number)]
    if bad:
        raise DataError(f"the difficulty is no finite number for {some_of(bad)}")
    return numbers
