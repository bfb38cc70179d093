"""A conformance test for players that are programs: what a bot's author runs before a tournament does."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from equipoise.arena.processes.json_lines import split_command
from equipoise.arena.processes.lines import Trouble
from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.names import escaped
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import ArenaGame, GameTable, Player, Progress, TurnPlayer, TurnView
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import ParameterError
from equipoise.core.options import checked, whole
from equipoise.core.wording import Option
from equipoise.players.program import CHECKS, ProgramOptions, ProgramPlayer
from equipoise.players.python import PythonPlayer
from equipoise.players.uci import CHECKS as UCI_CHECKS
from equipoise.players.uci import UciOptions, UciPlayer

UNKNOWN = "news a message of a later version of the protocol"


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """One rule, whether the program keeps it, and what happened where it does not."""

    rule: str
    kept: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class PlayerCheck:
    """What a conformance test found.

    Attributes
    ----------
    command
        What was run.
    confinement
        How it is confined on this machine, in words.
    rules
        Each rule and whether it is kept.
    """

    command: str
    confinement: str
    rules: tuple[CheckedRule, ...]

    @property
    def passed(self) -> bool:
        """Whether every rule is kept."""
        return all(rule.kept for rule in self.rules)

    @property
    def words(self) -> tuple[str, ...]:
        """What was found, in whole sentences."""
        broken = [rule for rule in self.rules if not rule.kept]
        kept = f"{len(self.rules) - len(broken)} of {len(self.rules)} rules are kept."
        return (kept, f"It runs {self.confinement}.", *(f"It {rule.rule}: no. {rule.message}" for rule in broken))

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return {**asdict(self), "rules": [asdict(rule) for rule in self.rules], "passed": self.passed}


@checked(games=whole(1))
def check_player(
    command: str, *, game: ArenaGame | None = None, options: Mapping[str, Any] | None = None, games: int = 4
) -> PlayerCheck:
    """Does a program keep the rules of the protocol?

    It is started, asked for moves in a few games from every seat, sent messages that it cannot know, reset, and sent
    quit.

    Parameters
    ----------
    command
        The program and its arguments, with or without ``program:`` before it; ``uci:COMMAND`` for a chess engine.
    game
        What is played, against players who move at random; None for a small game in which stones are taken.
    options
        Of the player: time, memory, sandbox.
    games
        How many, from every seat.

    Fails when
        there is no such program, or an engine is to play something else than chess.

    Examples
    --------
    >>> [rule.rule for rule in check_player("false").rules if not rule.kept]
    ['starts and says that it is ready']
    """
    table = game if game is not None else TakeAway()
    if command.startswith("uci:"):
        engine = _engine(command.removeprefix("uci:"), table, options or {})
        return PlayerCheck(command, engine.confinement, _kept(engine, _rules_of_engines(engine, table, games)))
    limits = options_from(ProgramOptions, options or {}, CHECKS, "a program")
    player = ProgramPlayer("checked", split_command(command.removeprefix("program:")), limits)
    return PlayerCheck(command, player.confinement, _kept(player, _rules_of_programs(player, table, games)))


_Rule = tuple[str, Callable[[], None]]


def _rules_of_programs(player: ProgramPlayer, table: ArenaGame, games: int) -> list[_Rule]:
    return [
        ("starts and says that it is ready", lambda: _starts(player)),
        ("plays legal moves in time from every seat", lambda: _plays(player, table, games)),
        ("passes over messages that it does not know", lambda: _passes_over(player, table)),
        ("plays on after a reset", lambda: _plays_on(player, table)),
        ("plays on after a game that was broken off", lambda: _is_broken_off(player, table)),
        ("says nothing without being asked", lambda: _is_silent(player)),
        ("ends by itself when it is sent quit", lambda: _quits(player)),
    ]


def _rules_of_engines(player: UciPlayer, table: ArenaGame, games: int) -> list[_Rule]:
    return [
        ("starts and says uciok and readyok", lambda: _begins(player)),
        ("plays legal moves in time from every seat", lambda: _plays(player, table, games)),
        ("passes over messages that it does not know", lambda: _plays_after(player, table, UNKNOWN)),
        ("plays on after a game that was broken off", lambda: _plays_after(player, table, "ucinewgame")),
        ("ends by itself when it is sent quit", lambda: _leaves(player)),
    ]


def _engine(command: str, game: ArenaGame, options: Mapping[str, Any]) -> UciPlayer:
    if game.name != "chess":
        raise ParameterError(f"an engine plays chess, not {game.name}; give ", Option("game", "chess"))
    given = {"seconds": 0.05, **options}
    return UciPlayer("checked", split_command(command), options_from(UciOptions, given, UCI_CHECKS, "an engine"))


def _kept(player: ProgramPlayer | UciPlayer, trials: Sequence[_Rule]) -> tuple[CheckedRule, ...]:
    """Try one rule after the other; a program that does not start has no others to keep."""
    rules: list[CheckedRule] = []
    try:
        for rule, trial in trials:
            rules.append(_tried(rule, trial))
            if not rules[0].kept:
                break
    finally:
        player.close()
    return tuple(rules)


def _tried(rule: str, trial: Callable[[], None]) -> CheckedRule:
    try:
        trial()
    except (PlayerFault, WorkerFault, Trouble) as error:
        return CheckedRule(rule, False, escaped(str(error)))
    return CheckedRule(rule, True)


def _starts(player: ProgramPlayer) -> None:
    player.program.start()


def _begins(player: UciPlayer) -> None:
    player.start()


def _plays_after(player: UciPlayer, game: ArenaGame, line: str) -> None:
    player.start().send(line, player.patience)
    _plays(player, game, 1)


def _leaves(player: UciPlayer) -> None:
    player.start()
    if not player.leave():
        raise Trouble("it had to be killed")


def _plays(player: TurnPlayer, game: ArenaGame, games: int) -> None:
    seats = max(game.seats[0], min(2, game.seats[1]))
    for number in range(games):
        for seat in range(seats):
            others: list[Player] = [PythonPlayer(f"random {other}", {}, _Random(number)) for other in range(seats)]
            others[seat] = player
            try:
                game.play(others, seed=number)
            except PlayerFault as fault:
                if fault.seat != seat:
                    raise WorkerFault(f"the game cannot be played at random: {fault}") from fault
                raise


def _passes_over(player: ProgramPlayer, game: ArenaGame) -> None:
    player.program.start()
    player.program.tell({"type": "news", "text": "a message of a later version of the protocol"})
    _plays(player, game, 1)


def _plays_on(player: ProgramPlayer, game: ArenaGame) -> None:
    player.reset()
    _plays(player, game, 1)


def _is_broken_off(player: ProgramPlayer, game: ArenaGame) -> None:
    player.begin(GameTable(game.name, 0, ("checked", "random"), 1))
    player.end(None)
    _plays(player, game, 1)


def _is_silent(player: ProgramPlayer) -> None:
    player.begin(GameTable("none", 0, ("checked", "random"), 1))
    try:
        said = player.program.hear(0.5)
    except Trouble as trouble:
        if not str(trouble).startswith("no answer"):
            raise
        return
    raise Trouble(f"nobody asked, and it said {said}")


def _quits(player: ProgramPlayer) -> None:
    player.program.start()
    if not player.program.close():
        raise Trouble("it had to be killed")


class _Random:
    """Moves at random."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def act(self, view: TurnView) -> Any:
        return self._dice.choice(view.legal)


class TakeAway:
    """A small game: from a heap of stones, one to three are taken in turn, and whoever takes the last one wins."""

    name = "take-away"
    seats = (2, 2)
    score_range: tuple[float, float] | None = (0.0, 1.0)

    def admit(self, player: Player) -> None:
        """Refuse players who cannot be asked for moves."""
        if not isinstance(player, TurnPlayer):
            raise ParameterError(f'player "{player.name}" cannot be asked for moves')

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Play one game."""
        stones, seat = random.Random(seed).randrange(8, 20), 0
        names = tuple(player.name for player in players)
        seated = [player for player in players if isinstance(player, TurnPlayer)]
        table = GameTable(self.name, 0, names, seed, task)
        for at, player in enumerate(seated):
            player.begin(replace(table, seat=at))
        while stones:
            legal = tuple(range(1, min(3, stones) + 1))
            move = seated[seat].act(
                TurnView(seat, legal, {"stones": stones}, tuple(f"take {number}" for number in legal))
            )
            if move.action not in legal:
                raise PlayerFault(seat, f"illegal move {move.action!r}; legal were {legal}")
            stones, seat = stones - int(move.action), 1 - seat
            if progress is not None:
                progress(stones)
        scores = (float(seat == 1), float(seat == 0))
        for player in seated:
            player.end(scores)
        return Outcome(scores)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
