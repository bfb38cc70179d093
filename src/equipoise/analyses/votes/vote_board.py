"""What a vote says: the board with errors clustered by voter and prompt, and how far the voters can be trusted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equipoise.analyses.boards.standings import Standings, rank
from equipoise.core.errors import EquipoiseError
from equipoise.core.results import FloatArray
from equipoise.core.wording import counted
from equipoise.data.style_features import style_features
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.agreement import Agreement, agreement
from equipoise.ratings.judges.fragility import LeadFragility, lead_fragility
from equipoise.ratings.judges.voter_checks import VoterChecks, voter_checks

STYLE = ("length", "headers", "lists", "bold")
LOOKED_AT = ("tie", "bad", "skip")
FEWEST = 20
"""Votes before there is a board."""


JUMP = 0.05
"""By how much the share of excluded votes rises, at least, where there is an alarm."""


@dataclass(frozen=True, slots=True, eq=False)
class VoteBoard:
    """Everything that a vote says.

    Attributes
    ----------
    standings
        Ratings of all votes; with an adaptive policy their intervals say so themselves.
    position
        First-position advantage, in words; None where votes do not show it.
    styled
        The same ratings at equal style; None where answers have no text, or none differ.
    agreement, fragility, checks
        How far voters agree, how many votes change the leader, who stands out; None where votes are too few.
    shares
        Share of each model's votes that were ties, both bad, and skipped.
    """

    standings: Standings | None
    position: str | None
    styled: Standings | None
    agreement: Agreement | None
    fragility: LeadFragility | None
    checks: VoterChecks | None
    shares: Mapping[str, Mapping[str, float]]

    @property
    def answer(self) -> tuple[str, ...]:
        """All of it in sentences."""
        told: list[str] = []
        for one in (self.standings, self.agreement, self.fragility, self.checks):
            told += () if one is None else one.answer
        return (*told[:1], *((self.position,) if self.position else ()), *told[1:])


def vote_board(
    votes: Matches,
    *,
    texts: Mapping[tuple[str, str], str] | None = None,
    seconds: FloatArray | None = None,
    gold: Mapping[str, tuple[int, int]] | None = None,
    level: float = 0.95,
) -> VoteBoard:
    """Rate models by votes with their voters and prompts, and look at the voters.

    Parameters
    ----------
    votes
        With the labels ``voter``, ``prompt`` and ``choice``.
    texts
        Answers by prompt and model, for style.
    seconds, gold
        As :func:`~equipoise.ratings.judges.voter_checks.voter_checks` takes them.
    level
        Of the intervals, and of the checks.
    """
    standings = None if len(votes) < FEWEST else _tried(rank, votes, level=level)
    sided = None if standings is None else _tried(rank, votes, position=True, level=level)
    position = None
    if sided is not None:
        position = _position(sided.rated.side, votes)
    styled = None
    if texts and standings is not None:
        columns = _style(votes, texts)
        if columns:
            styled = _tried(rank, votes.with_covariates(columns), adjust=[*columns], level=level)
    return VoteBoard(
        standings, position, styled, _tried(agreement, votes, rater="voter", item="prompt", level=level),
        None if standings is None else _tried(lead_fragility, votes),
        _tried(voter_checks, votes, voter="voter", item="prompt", seconds=seconds, gold=gold, level=level),
        choice_shares(votes),
    )  # fmt: skip


def _tried(method: Any, *given: Any, **options: Any) -> Any:
    """Give a result, or None where these votes do not allow it: other parts of the page still stand."""
    try:
        return method(*given, **options)
    except EquipoiseError:
        return None


def _position(side: Any, votes: Matches) -> str:
    share = float(votes.outcome.mean())
    bias = "there is a position bias" if side.low > 0 or side.high < 0 else "no significant position bias"
    return f"Answers on the first side won {share:.1%} of points: {bias}."


def _style(votes: Matches, texts: Mapping[tuple[str, str], str]) -> dict[str, FloatArray]:
    """Give how much more of each feature of style the first answer has, where any answers differ."""
    prompts = votes.labels["prompt"]
    known = {key: style_features(text) for key, text in texts.items()}
    columns: dict[str, FloatArray] = {}
    for name in STYLE:
        pairs = [
            (getattr(known[task, votes.agents[a]], name), getattr(known[task, votes.agents[b]], name))
            for task, a, b in zip((prompts.labels[code] for code in prompts.codes), votes.a, votes.b, strict=True)
        ]
        first, second = np.array(pairs, dtype=np.float64).T
        share = (first - second) / np.maximum(first + second, 1.0)
        if float(share.std()) > 1e-3:
            columns[name] = share / share.std()
    return columns


def choice_shares(votes: Matches) -> dict[str, dict[str, float]]:
    """Give the share of each model's votes that were ties, both bad, and skipped."""
    choice = votes.labels["choice"]
    shares = {}
    for at, model in enumerate(votes.agents):
        mine = (votes.a == at) | (votes.b == at)
        codes = choice.codes[mine]
        shares[model] = {
            name: float((codes == choice.labels.index(name)).mean()) if name in choice.labels and mine.any() else 0.0
            for name in LOOKED_AT
        }
    return shares


def without_voters(votes: Matches, names: Collection[str]) -> Matches:
    """Leave out the votes of some voters."""
    who = votes.labels["voter"]
    gone = [code for code, name in enumerate(who.labels) if name in names]
    kept = votes.take(np.flatnonzero(~np.isin(who.codes, gone)))
    labels = {name: type(one).of([one.labels[code] for code in one.codes]) for name, one in kept.labels.items()}
    return replace(kept, labels=labels, group=labels["voter"], crossed={"prompt": labels["prompt"]})


def excluded_jump(votes: Matches, excluded: Collection[str]) -> str | None:
    """Say so where far more of the newest quarter of all votes are of excluded voters than of those before.

    Votes stand in the order of their pairs, with the label ``voter``. Far more: twice the share, and by 5 points.
    """
    newest = len(votes) // 4
    if newest < FEWEST:
        return None
    who = votes.labels["voter"]
    gone = np.isin(who.codes, [code for code, name in enumerate(who.labels) if name in excluded])
    before, after = float(gone[:-newest].mean()), float(gone[-newest:].mean())
    if after < max(2.0 * before, before + JUMP):
        return None
    return f"{after:.0%} of the newest {newest:,} votes are of excluded voters, {before:.0%} of those before."


def variants_words(providers: Mapping[str, Collection[str]], errors: Mapping[str, float]) -> tuple[str, ...]:
    """Say how many variants each provider entered, and what the best of them gains by selection alone.

    Of n equal variants whose ratings have standard errors s, the best is expected about s times the mean of the largest
    of n standard normals above their common strength.
    """
    said = []
    for provider, models in providers.items():
        if len(models) > 1:
            rng = np.random.default_rng(len(models))
            gain = float(rng.standard_normal((4_000, len(models))).max(axis=1).mean())
            error = float(np.mean([errors[model] for model in models if model in errors] or [0.0]))
            said.append(
                f"{provider} entered {counted(len(models), 'variant')}: were they equal, the best of them would still "
                f"be about {gain * error:.0f} Elo points too high by selection."
            )
    return tuple(said)
