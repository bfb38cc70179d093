"""What every contest does: propose a block, take its scores, say what is decided.

A contest is a pure state machine. What it proposes and decides follows from the calls made to it and nothing else: no
clock, no file, no random numbers but those seeded by (seed, number of the block). Decisions follow the numbers of the
blocks: within a pair they count in that order, whatever order they arrive in, so that a block that takes long because
of how it goes cannot favour anybody; it delays its own pair only.

Which contest an arena plays follows from its goal; all goals stand in :mod:`~equipoise.arena.contests.goals`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

from equipoise.core.wording import counted

Status = Literal["holds", "withdrawn", "post hoc"]
ContestKind = Literal["pairs", "profile", "ability"]
Policy = Literal["ranking", "uncertainty", "uniform", "round-robin"]
POLICIES = ("ranking", "uncertainty", "uniform", "round-robin")
POST_HOC = "post hoc, no guarantee"
BUDGET_USED_UP = "budget used up"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestOptions:
    """What a contest is made with; :func:`~equipoise.arena.contests.make.make_contest` checks it.

    Attributes
    ----------
    goal
        One of :data:`~equipoise.arena.contests.goals.GOALS`.
    policy
        Which pair is played next: ``ranking``, ``uncertainty``, ``uniform`` or ``round-robin``.
    level
        Probability that the answer is right, whenever one looks.
    margin
        Mean scores within 1/2 +- margin count as equal; None never ends a pair of equals.
    check
        Blocks that pairs play which the answer takes for granted (further apart: until the better leads by three); 0
        plays none, and the answer names these pairs.
    seed
        Of everything drawn.
    tasks
        Drawn anew for each block.
    trials_per_block
        Trials that a block is made of; forecasts and the budget are in trials.
    seats
        Players of a block: two, or all seats of a game for more.
    budget
        Most trials of complete blocks.
    open_
        Whether players may be added; half of alpha is kept for them.
    criterion
        What is asked about abilities: ``pass:BAR``, ``better:NAME`` or ``error:E``.
    """

    goal: str = "order"
    policy: Policy = "ranking"
    level: float = 0.95
    margin: float | None = None
    check: int = 20
    seed: int = 0
    tasks: tuple[str, ...] = ()
    trials_per_block: int = 1
    seats: int = 2
    budget: int | None = None
    open_: bool = False
    criterion: str = ""

    @property
    def alpha(self) -> float:
        """Probability of a wrong answer."""
        return 1.0 - self.level

    @property
    def kind(self) -> str:
        """Which of the three criteria."""
        return self.criterion.partition(":")[0]

    @property
    def rest(self) -> str:
        """The bar, the name or the error."""
        return self.criterion.partition(":")[2]

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self) | {"tasks": list(self.tasks)}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{**saved, "tasks": tuple(saved.get("tasks", ()))})


@dataclass(frozen=True, slots=True)
class BlockProposal:
    """A block to play, and why.

    Attributes
    ----------
    players
        Who is in it.
    task
        What they play on, where the arena has tasks.
    reason
        Why this block, in words.
    """

    players: tuple[str, ...]
    task: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that is decided, frozen at the block that decided it.

    Attributes
    ----------
    kind
        ``better`` (the first than the second), ``equal`` (within the margin), ``cycle``, ``place``, ``edge`` of a
        response graph, ``ability``.
    first, second
        Whom it is about; the second is None where there is one only.
    block
        Number of the block at which it was frozen.
    blocks
        How many blocks are behind it.
    log_evidence, threshold
        Log of the evidence at that block, and what it had to reach.
    status
        ``holds`` while it stands; ``withdrawn`` once a block behind it was made void and the rest does not support it;
        ``post hoc`` where it was reached only after that.
    sentence
        The same in words.
    players
        Everybody whom it is about, in order: those of a cycle, or the order that somebody was placed in.
    """

    kind: str
    first: str
    second: str | None
    block: int
    blocks: int
    log_evidence: float
    threshold: float
    status: Status
    sentence: str
    players: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self) | {"players": list(self.players)}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{**saved, "players": tuple(saved["players"])})


def withdrawn_words(was: Decision, block: int, games: int) -> str:
    """Say that a decision about a pair no longer stands, since the games of a block behind it were made void."""
    sign = "=" if was.kind == "equal" else ">"
    voided = "1 game was" if games == 1 else f"{games:,} games were"
    return f"Withdrawn: {was.first} {sign} {was.second}, because {voided} voided (set {block})."


def ended(ending: str, number: int, noun: str, *, asked: bool = True) -> str:
    """Say how a contest ended, and after how many games or items; nothing is missing where no answer was asked for.

    >>> ended("decided", 1048, "game"), ended(BUDGET_USED_UP, 24, "game")
    ('Answered after 1,048 games', 'Budget used up after 24 games, without an answer')
    """
    after = f"after {counted(number, noun)}"
    return {
        "cyclic": f"Cannot be answered {after}",
        BUDGET_USED_UP: f"Budget used up {after}{', without an answer' if asked else ''}",
        "no items left": f"No items left {after}, without an answer",
    }.get(ending, f"Answered {after}")


@dataclass(frozen=True, slots=True)
class Forecast:
    """Further trials until the goal is reached, if play goes on as it has: the expected number and a range."""

    expected: int
    low: int
    high: int

    @property
    def words(self) -> str:
        """The same in words."""
        return f"about {self.expected:,} more games ({self.low:,} to {self.high:,})"


@dataclass(frozen=True, slots=True)
class ContestProgress:
    """How far a contest is.

    Attributes
    ----------
    answered
        Whether the question is answered, or cannot be.
    ending
        In which way: ``decided``, ``equal within the margin``, ``cyclic``, ``budget used up``, ``no items left``; None
        while it goes on.
    sentence
        Where it stands, in one sentence.
    forecast
        What is left; None where nothing suggests an end.
    bottleneck
        The pair that needs most of it.
    trials
        Trials of complete blocks so far.
    round_robin
        Trials that a round-robin of fixed length would have needed to decide the same with the same error in nine cases
        of ten (a profile, an ability: in half of them); an estimate from the scores so far, and None without them.
    answer
        The answer as groups of players: of an order and a place, best first, those of a group equal within the margin;
        of the best K, those who are decided to be among them and, where some are equal, those who share the places
        left. None while there is none.
    guarantee
        What the decisions promise.
    together
        Whether all decisions are right at once with the level's probability. Of the best, the top and a place only the
        answer does: other decisions are steps, and ranks that are counted from them would be wrong more often.
    """

    answered: bool
    ending: str | None
    sentence: str
    forecast: Forecast | None
    bottleneck: tuple[str, str] | None
    trials: int
    round_robin: int | None
    answer: tuple[tuple[str, ...], ...] | None
    guarantee: str
    together: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        forecast, pair, groups = saved["forecast"], saved["bottleneck"], saved["answer"]
        return cls(**{
            **saved,
            "forecast": None if forecast is None else Forecast(**forecast),
            "bottleneck": None if pair is None else tuple(pair),
            "answer": None if groups is None else tuple(map(tuple, groups)),
        })  # fmt: skip


class Contest(Protocol):
    """Propose blocks, take their scores, decide."""

    def propose(self, number: int, without: Collection[str] = ()) -> BlockProposal | None:
        """Propose the block of a number, ``without`` some players; None if there is nothing to ask now."""

    def opened(self, block: int, players: tuple[str, ...], task: str | None = None) -> None:
        """Take note that a block is played; it is pending until it is closed. Numbers only grow."""

    def closed(self, block: int, scores: Mapping[str, float] | None) -> tuple[Decision, ...]:
        """Take the mean score of each player of a block, between 0 and 1, or None if it is void; in any order.

        Returns
        -------
        What it decided.
        """

    def voided(
        self, block: int, players: tuple[str, ...], task: str | None, scores_before: Mapping[str, float] | None
    ) -> tuple[Decision, ...]:
        """Make a block void that was complete; return the decisions that were withdrawn or made by that."""

    def added(self, player: str) -> None:
        """Take a new player, as a generation of its own."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Everything decided so far, in the order in which it was; also what was withdrawn."""

    @property
    def answered(self) -> bool:
        """Whether the question is answered, or cannot be; without a forecast or a sentence."""

    def progress(self) -> ContestProgress:
        """Say how far it is."""

    def state(self) -> dict[str, Any]:
        """Give everything needed to go on later, as strict JSON; the same proposals and decisions follow."""


class Asked(Protocol):
    """What goals look at in a spec before they take it."""

    @property
    def seats(self) -> int:
        """Players in a trial."""

    @property
    def budget(self) -> int | None:
        """Most trials that count."""

    @property
    def calibration(self) -> Any:
        """Items with their parameters."""

    @property
    def criterion(self) -> str | None:
        """When an ability is known."""


class Goal:
    """A question that an arena is made for.

    Attributes
    ----------
    form
        How it is written; what follows a colon is its argument.
    contest
        Which kind of contest answers it.
    decides
        Whether what is decided ends play. If not, ratings may take the pairs for chosen beforehand.
    any_scores
        Whether scores may have any range: who scored more is then all that counts.
    alone
        Whether a block is one trial of one player.
    """

    form: ClassVar[str]
    contest: ClassVar[ContestKind] = "pairs"
    decides: ClassVar[bool] = True
    any_scores: ClassVar[bool] = False
    alone: ClassVar[bool] = False

    @classmethod
    def refuse_argument(cls, argument: str, names: Sequence[str]) -> None:
        """Refuse an argument that the players do not allow."""

    @classmethod
    def refuse_spec(cls, spec: Asked) -> None:
        """Refuse a spec without what the goal needs."""

    @classmethod
    def fewest(cls, seats: int) -> int:
        """Fewest players."""
        return max(2, seats)
