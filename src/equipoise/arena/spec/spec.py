"""What is played, by whom, and for which question: written before play, and never changed by results."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self

from equipoise.arena.contests.contest import POLICIES, Goal, Policy
from equipoise.arena.contests.goals import goal_of, refuse_goal
from equipoise.arena.spec.names import checked_name, checked_names
from equipoise.arena.spec.votes import GAME, completed
from equipoise.core.errors import DataError, ParameterError, ReadError, did_you_mean, some_of
from equipoise.core.options import LEVEL, Check, check, choice, number, positive, shown, switch, whole
from equipoise.core.results import FrozenMap, jsonable
from equipoise.core.wording import Option

MOST_SEATS, MOST_SETS = 32, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSpec:
    """Who plays.

    Attributes
    ----------
    name
        In the standings.
    bot
        How to find it, where the game needs that: ``uci:stockfish``, ``openspiel:mcts``, ``python:module:function``,
        ``program:COMMAND``. It is loaded when something is played.
    options
        Of the bot.
    labels
        What a worker must have to run it, such as ``gpu``.
    concurrency, per_minute
        Most trials of this player at once, and most begun in a minute; None for no limit.
    """

    name: str
    bot: str | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: FrozenMap({}))
    labels: tuple[str, ...] = ()
    concurrency: int | None = None
    per_minute: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name(self.name, "player"))
        object.__setattr__(self, "options", _mapping(self.options, "options"))
        object.__setattr__(self, "labels", _texts(self.labels, "labels"))
        check(Check("a text", none=True, others=(str,)), "bot", self.bot)
        check(whole(1, none=True), "concurrency", self.concurrency)
        check(positive(none=True), "per_minute", self.per_minute)

    @property
    def rate(self) -> tuple[int, float]:
        """Most trials begun in so many seconds: 0.5 a minute is one in two minutes."""
        if self.per_minute is None:
            return 1, 0.0
        most = max(1, int(self.per_minute))
        return most, 60.0 * most / self.per_minute

    def to_dict(self) -> dict[str, Any]:
        """Give what differs from the defaults, as JSON."""
        return _changed(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read a table of a spec; unknown keys are refused with the nearest name."""
        return cls(**_known(cls, saved, "a player"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckSpec:
    """How luck is taken out of the scores.

    Attributes
    ----------
    controls
        Names of the controls that workers send; empty for all of them.
    coefficient
        What a score loses for each unit of the control; ``fitted`` estimates it (on earlier blocks only, where
        decisions use it).
    mean
        The exact mean of each control.
    decide
        Whether decisions use adjusted scores. That needs ``range``.
    range
        Within which all adjusted scores lie, in the units of the scores.
    """

    controls: tuple[str, ...] = ()
    coefficient: float | Literal["fitted"] = 1.0
    mean: float = 0.0
    decide: bool = False
    range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "controls", _texts(self.controls, "controls"))
        check(number(words=("fitted",)), "coefficient", self.coefficient)
        check(number(), "mean", self.mean)
        check(switch(), "decide", self.decide)
        object.__setattr__(self, "range", _range(self.range, "range"))
        if self.decide and self.range is None:
            raise ParameterError(
                Option("decide"), " needs ", Option("range"), ": the ends between which all adjusted scores lie"
            )

    def to_dict(self) -> dict[str, Any]:
        """Give what differs from the defaults, as JSON."""
        return _changed(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read the table ``luck`` of a spec."""
        return cls(**_known(cls, saved, "luck"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSpec:
    """What is played, by whom, for which question.

    Attributes
    ----------
    name
        Of the arena.
    game
        What a trial is: ``python:module:function``, ``tasks:module:function``, ``program:COMMAND``, ``chess``,
        ``openspiel:NAME``, ``holdem``, ``leduc``, ``kuhn``. It is loaded when something is played.
    players
        Who plays; names are enough (``players=["a", "b"]``).
    goal
        The question: ``order``, ``best``, ``top:K``, ``place:NAME`` (among the others, listed best first), ``profile``,
        ``ability`` or ``budget``.
    level
        Probability with which all decisions together are right.
    margin
        Mean scores within 1/2 +- margin count as equal; None never ends a pair of equals.
    budget
        Most trials that count; None for no limit.
    policy
        Which block is played next: ``ranking``, ``uncertainty``, ``uniform`` or ``round-robin``. None plays evenly
        (``round-robin``) for the goal ``budget``, and ``ranking`` for the others.
    check
        Blocks that pairs two apart in a decided order play, so that a cycle is noticed; pairs further apart are played
        until the higher leads by three blocks. With 0 none of this is played, and the answer names the pairs.
    seats
        Players in a trial: 1 for agents on tasks, 2 for matches.
    mirrored
        Whether a block plays its seed from every seat; if not, seats are drawn by the seed.
    antithetic
        Whether a block plays everything twice, the second time with the next odd number as its seed: a game may then
        draw against itself (1 - u for u), so that the luck of the two cancels.
    session
        Sets of paired games that a block plays, each with a seed of its own: a whole session counts as one score, its
        mean. For conditions that change from session to session, which would make its games less than independent.
    tasks
        What is played on, drawn anew for each block.
    score_range
        Ends of the scores. Without it scores lie between 0 and 1, but for the goal ``budget``.
    lease, stall_after
        Seconds until a lease must be renewed, and without progress until it is taken back.
    attempts
        How often a trial is tried before it is void.
    replay
        Share of the trials that another worker plays again, to be compared and never counted.
    forfeit
        What a player's fault costs: ``loss`` (the lowest score, the highest for the others) or ``void``.
    open
        Whether players may be added.
    seed
        Of everything random.
    options
        Of the game.
    luck
        How luck is taken out of the scores.
    calibration
        A saved calibration of items, for ``ability``: its file, which is read when the arena is made, or its content.
    criterion
        When an ability is known: ``pass:0.5``, ``better:NAME`` or ``error:0.3``.

    Fails when
        an option makes no sense, a name is empty, too long or equal to another, or the goal needs what is not there.

    Examples
    --------
    >>> spec = ArenaSpec(name="ladder", game="python:bots:play", players=["a", "b", "c"], goal="best", budget=300)
    >>> [player.name for player in spec.players], spec.level
    (['a', 'b', 'c'], 0.95)
    """

    name: str
    game: str
    players: tuple[PlayerSpec, ...]
    goal: str = "order"
    level: float = 0.95
    margin: float | None = 0.05
    budget: int | None = None
    policy: Policy = None  # type: ignore[assignment]  # the goal's own is put there
    check: int = 20
    seats: int = 2
    mirrored: bool = True
    antithetic: bool = False
    session: int = 1
    tasks: tuple[str, ...] = ()
    score_range: tuple[float, float] | None = None
    lease: float = 60.0
    stall_after: float = 60.0
    attempts: int = 3
    replay: float = 0.0
    forfeit: Literal["loss", "void"] = "loss"
    open: bool = False
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=lambda: FrozenMap({}))
    luck: LuckSpec | None = None
    calibration: str | Mapping[str, Any] | None = None
    criterion: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name(self.name, "arena"))
        check(Check("a text such as python:module:function", others=(str,)), "game", self.game)
        object.__setattr__(self, "players", _players(self.players))
        object.__setattr__(self, "tasks", checked_names(_sequence(self.tasks, "tasks"), "task"))
        object.__setattr__(self, "options", _mapping(self.options, "options"))
        object.__setattr__(self, "score_range", _range(self.score_range, "score_range"))
        if self.policy is None:
            object.__setattr__(self, "policy", "round-robin" if self.goal == "budget" else "ranking")
        for name, allowed in CHECKS.items():
            check(allowed, name, getattr(self, name))
        if isinstance(self.luck, Mapping):
            object.__setattr__(self, "luck", LuckSpec.from_dict(self.luck))
        elif not (self.luck is None or isinstance(self.luck, LuckSpec)):
            raise ParameterError(Option("luck"), f" is a table of options, not {shown(self.luck)}")
        refuse_goal(self.goal, self.names, self.seats).refuse_spec(self)
        if self.luck is not None:
            _refuse_luck(self.luck, self)
        if self.session > 1 and ((self.tasks and self.game != GAME) or self.question.contest != "pairs"):
            raise ParameterError(Option("session"), " is for goals that pairs decide, and for games without tasks")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players."""
        return tuple(player.name for player in self.players)

    @property
    def question(self) -> type[Goal]:
        """The goal: what it needs and allows."""
        return goal_of(self.goal)

    def normalised(self, score: float) -> float:
        """Put a score between 0 and 1."""
        low, high = self.score_range or (0.0, 1.0)
        return (score - low) / (high - low)

    def to_dict(self) -> dict[str, Any]:
        """Give what differs from the defaults, as JSON."""
        given = _changed(self)
        return given if (self.goal, self.policy) == ("budget", "ranking") else _without(given, "policy", "ranking")

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read a spec; unknown keys are refused with the nearest name."""
        given = dict(saved)
        if given.get("game") == GAME:
            given = completed(given)
        if "player" in given:  # [[player]], as TOML writes a list of tables
            given.setdefault("players", given.pop("player"))
        return cls(**_known(cls, given, "an arena"))

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read a spec from a TOML file, strictly."""
        try:
            text = Path(path).read_bytes().decode("utf-8-sig")
            saved = tomllib.loads(text)
        except FileNotFoundError:
            raise ReadError(f"there is no file {path}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ReadError(f"{path} cannot be read: {error}") from None
        except tomllib.TOMLDecodeError as error:
            raise ReadError(f"{path} is no TOML: {error}") from None
        try:
            return cls.from_dict(saved)
        except (DataError, ParameterError) as error:
            raise type(error)(f"{path}: ", *error.words, advice=error.advice) from None


CHECKS: Mapping[str, Check] = {
    "level": LEVEL,
    "margin": number(0.0, 0.5, strictly=True, none=True),
    "budget": whole(1, none=True),
    "policy": choice(*POLICIES),
    "check": whole(0),
    "seats": whole(1, MOST_SEATS),
    "mirrored": switch(),
    "antithetic": switch(),
    "session": whole(1, MOST_SETS),
    "lease": positive(),
    "stall_after": positive(),
    "attempts": whole(1),
    "replay": number(0.0, 1.0),
    "forfeit": choice("loss", "void"),
    "open": switch(),
    "seed": whole(0),
    "calibration": Check("a file's path", none=True, others=(str, Mapping)),
    "criterion": Check("pass:NUMBER, better:NAME or error:NUMBER", none=True, others=(str,)),
}
"""What the options of a spec may be."""


def _refuse_luck(luck: LuckSpec, spec: ArenaSpec) -> None:
    """Refuse to take luck out of what decides nothing, or into scores that cannot be."""
    if luck.decide and luck.coefficient == "fitted" and not spec.question.decides:
        raise ParameterError(Option("decide"), f" is for goals that decide something, not for {spec.goal}")
    if luck.range is not None:
        low, high = spec.score_range or (0.0, 1.0)
        if luck.range[0] > low or luck.range[1] < high:
            raise ParameterError(
                "the ", Option("range"), " of adjusted scores must contain that of the scores: a forfeit is one"
            )


def _players(given: Any) -> tuple[PlayerSpec, ...]:
    """Take players as specs, tables or bare names; refuse equal names."""
    players = tuple(as_player(one) for one in _sequence(given, "players"))
    checked_names([player.name for player in players], "player")
    return players


def as_player(given: Any) -> PlayerSpec:
    """Take a player as a spec, a table or a bare name."""
    if isinstance(given, PlayerSpec):
        return given
    if isinstance(given, Mapping):
        return PlayerSpec.from_dict(given)
    return PlayerSpec(name=given)


def _known(kind: Any, saved: Any, what: str) -> dict[str, Any]:
    """Refuse keys that a spec does not have, and say what is missing."""
    if not isinstance(saved, Mapping):
        raise DataError(f"{what} is a table of keys and values, not {shown(saved)}")
    names = [one.name for one in fields(kind)]
    for key in saved:
        if key not in names:
            raise DataError(f'{what} has no key "{key}"{did_you_mean(str(key), names)}')
    missing = [name for name in ("name", "game", "players") if name in names and name not in saved]
    if missing:
        raise DataError(f"{what} needs {some_of(missing)}")
    return dict(saved)


def _changed(spec: Any) -> dict[str, Any]:
    """Give the fields that differ from their defaults as strict JSON, in the order of the class."""
    blank = {one.name: one.default for one in fields(spec)}
    given = {one.name: getattr(spec, one.name) for one in fields(spec)}
    return {name: _plain(value) for name, value in given.items() if value != blank[name] and not _empty(value)}


def _without(given: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    return {key: one for key, one in given.items() if (key, one) != (name, value)}


def _plain(value: Any) -> Any:
    if isinstance(value, PlayerSpec | LuckSpec):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return jsonable(value)


def _empty(value: Any) -> bool:
    return isinstance(value, tuple | Mapping) and not value


def _sequence(given: Any, name: str) -> Sequence[Any]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise ParameterError(Option(name), f" is a list, not {shown(given)}")
    return given


def _texts(given: Any, name: str) -> tuple[str, ...]:
    return tuple(checked_name(one, name) for one in _sequence(given, name))


def _mapping(given: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise ParameterError(Option(name), f" is a table of names and values, not {shown(given)}")
    return FrozenMap(given)


def _range(given: Any, name: str) -> tuple[float, float] | None:
    if given is None:
        return None
    ends = _sequence(given, name)
    if len(ends) != 2 or not all(number().holds(end) and math.isfinite(end) for end in ends) or not ends[0] < ends[1]:
        raise ParameterError(Option(name), f" is two finite numbers, the lower first, not {shown(given)}")
    return float(ends[0]), float(ends[1])
