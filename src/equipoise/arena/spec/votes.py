"""The game ``votes``: people choose between two answers to a prompt, and do not know whose they are.

Players are models, tasks are prompts, a trial is one vote, and a block is one voter's first ``votes_per_block`` votes
on a pair, each on a prompt of its own; with ``panel`` it is one prompt, and a vote of each of so many people. Prompts
and sides are drawn independently for each block: to take whatever was used least would tell, from what was played
before, what comes next, and the bets behind decisions would not be fair any more.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from equipoise.arena.spec.kinds import options_from
from equipoise.core.options import Check, check, choice, number, positive, whole
from equipoise.core.results import FrozenMap
from equipoise.logs.votes.answers import read_answers

GAME = "votes"
Choice = Literal["a", "b", "tie", "bad", "skip"]
SCORES: Mapping[str, tuple[float, float]] = {
    "a": (1.0, 0.0), "b": (0.0, 1.0), "tie": (0.5, 0.5), "bad": (0.5, 0.5), "skip": (0.5, 0.5),
}  # fmt: skip
"""What each choice scores, by side. Who leaves a pair open may do so because of what they saw; who says that they
cannot judge has answered, so that it counts for neither side."""
TRIED_AGAIN = 1_000_000
"""Voters to whom a pair that was left is offered: there is always another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteOptions:
    """Options of the game ``votes``.

    Attributes
    ----------
    answers
        A file of answers; in the journal the SHA-256 of what was read.
    question
        What voters are asked.
    votes_per_block
        Votes of one person on a pair, averaged; more of them on that pair are not asked for.
    panel
        People who all vote on the same prompts; None where voters are a crowd.
    votes_each
        Most votes of one person; None for as many as there are pairs.
    left
        What becomes of a pair that its voter left: ``again`` offers it to another, ``against`` counts it against every
        claim.
    patience
        Seconds for which a pair waits for who saw it.
    undo
        Seconds within which a vote may be taken back; it counts after that.
    reveal
        When names are shown: ``end`` after a voter's last vote, ``vote`` after each, which then cannot be undone.
    voters
        Who may vote: ``invited`` by a token, or anybody with the ``link``.
    gold
        Share of a voter's pairs that have a known answer, and count for nobody.
    language
        Of the page: a name such as ``en`` or ``de``, or a file of words in TOML.
    consent
        What voters read about their data, if not the usual line.
    missing
        Prompts that each model has no answer to, by number; made when the answers are read.
    """

    answers: str | tuple[str, ...]
    question: str = ""
    votes_per_block: int = 1
    panel: int | None = None
    votes_each: int | None = None
    left: Literal["again", "against"] = "again"
    patience: float = 1800.0
    undo: float = 60.0
    reveal: Literal["end", "vote"] = "end"
    voters: Literal["invited", "link"] = "invited"
    gold: float = 0.1
    language: str = "en"
    consent: str = ""
    missing: Mapping[str, Any] = field(default_factory=lambda: FrozenMap({}))

    @property
    def window(self) -> float:
        """Seconds until a vote counts."""
        return 0.0 if self.reveal == "vote" else self.undo

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "VoteOptions":
        """Read the options of a spec; unknown ones are refused with the nearest name."""
        return options_from(cls, options, CHECKS, f'the game "{GAME}"')


_TEXT = Check("a text", others=(str,))
CHECKS: Mapping[str, Check] = {
    "answers": Check("the path of a file, or a list of paths", others=(str, list, tuple)),
    "question": _TEXT, "votes_per_block": whole(1, 100),
    "panel": whole(2, 100, none=True), "votes_each": whole(1, none=True), "left": choice("again", "against"),
    "patience": positive(), "undo": number(0.0, 3600.0), "reveal": choice("end", "vote"),
    "voters": choice("invited", "link"), "gold": number(0.0, 0.5), "language": _TEXT, "consent": _TEXT,
}  # fmt: skip
OPTIONS = tuple(one.name for one in fields(VoteOptions))


def completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the spec of an arena of votes: its options may stand beside the other keys, the rest follows from them.

    The seed is drawn where none is given, since sides and prompts must not be foreseen.
    """
    spec = {key: value for key, value in given.items() if key not in OPTIONS}
    own = {key: value for key, value in given.items() if key in OPTIONS}
    options = VoteOptions.of({**given.get("options", {}), **own})
    if "tasks" not in spec:  # else the answers were read when the arena was made
        table = read_answers(options.answers)
        table.refuse_strangers()
        options = replace(options, missing=table.missing)
        spec["tasks"] = list(table.tasks)
        spec.setdefault("seed", secrets.randbits(53))
        spec.setdefault("players", spec.pop("player", list(table.models)))
    check(CHECKS["patience"], "patience", options.patience)
    said = {one: getattr(options, one) for one in OPTIONS}
    blank = {one.name: one.default for one in fields(VoteOptions)}
    spec["options"] = {key: value for key, value in said.items() if value != blank[key] and value != {}}
    spec.setdefault("policy", "uniform")
    return spec | {
        "seats": 2, "mirrored": False, "session": options.panel or options.votes_per_block,
        "lease": options.patience, "stall_after": options.patience,
        "attempts": TRIED_AGAIN if options.left == "again" else 1,
    }  # fmt: skip


def prompts_of(tasks: tuple[str, ...], missing: Mapping[str, Any], first: str, second: str) -> list[str]:
    """Give the prompts that both of two models have answered."""
    without = {*missing.get(first, ()), *missing.get(second, ())}
    return [task for at, task in enumerate(tasks) if at not in without]
