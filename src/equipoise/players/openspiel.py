"""Bots of OpenSpiel as players: by a name of ours or of OpenSpiel's, or any ``pyspiel.Bot`` that a function makes."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed
from pathlib import Path
from random import Random
from typing import Any

import pyspiel

from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.protocols import GameTable, Move, Player, TurnView
from equipoise.arena.spec.references import described, load_object, source_file, version_of
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import DataError, ParameterError, ReadError, did_you_mean
from equipoise.core.options import Check, positive, shown, switch, whole
from equipoise.core.results import FrozenMap

# What makes bots of OpenSpiel: search, policies by information state, bots that OpenSpiel has registered.

MEMORY = 256
"""Megabytes that the tree of a search may take."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Where a bot is to sit: at which ``pyspiel.Game``, on which seat, with which seed."""

    game: Any
    seat: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOptions:
    """Of a bot that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Options of Monte Carlo tree search.

    Attributes
    ----------
    simulations
        For each move.
    uct_c
        Weight of exploration.
    rollouts
        Games played out at random from each leaf.
    solve
        Whether branches that are won or lost for sure are closed (only where everything is open).
    """

    simulations: int = 100
    uct_c: float = 2.0
    rollouts: int = 1
    solve: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CfrOptions:
    """Options of counterfactual regret minimisation: how many iterations its average policy comes from."""

    iterations: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TabularOptions:
    """Options of a policy in a JSON file: by information state, the probability of each action by number or name."""

    file: str


BOTS: Mapping[str, type] = {
    "random": NoOptions, "mcts": SearchOptions, "ismcts": SearchOptions, "cfr": CfrOptions, "tabular": TabularOptions,
}  # fmt: skip
"""Our names of bots, and what options they have."""
CHECKS: Mapping[str, Check] = {
    "simulations": whole(1),
    "uct_c": positive(),
    "rollouts": whole(1),
    "solve": switch(),
    "iterations": whole(1),
    "file": Check("a file's path", others=(str,)),
}


def made(kind: str, options: Any) -> Callable[[Sitting], Any]:
    """Give what makes bots of one kind."""
    match kind:
        case "random":
            return lambda at: pyspiel.make_uniform_random_bot(at.seat, at.seed)
        case "mcts":
            return lambda at: _search(options, at)
        case "ismcts":
            return lambda at: _search_by_worlds(options, at)
        case "cfr":
            return _Cfr(options.iterations)
    return _Tabular(Path(options.file))


def _search(options: SearchOptions, at: Sitting) -> Any:
    if at.game.get_type().information != pyspiel.GameType.Information.PERFECT_INFORMATION:
        raise ParameterError(f"openspiel:mcts would see what is hidden in {at.game}; openspiel:ismcts does not")
    evaluator = pyspiel.RandomRolloutEvaluator(options.rollouts, at.seed)
    return pyspiel.MCTSBot(
        at.game, evaluator, options.uct_c, options.simulations, MEMORY, options.solve, at.seed, False
    )


def _search_by_worlds(options: SearchOptions, at: Sitting) -> Any:
    evaluator = pyspiel.RandomRolloutEvaluator(options.rollouts, at.seed)
    return pyspiel.ISMCTSBot(at.seed, evaluator, options.uct_c, options.simulations)


class _Drawing(pyspiel.Bot):  # type: ignore[misc]  # a class of an extension without types
    """Draws moves from the probabilities that a policy gives."""

    def __init__(self, probabilities: Callable[[Any], Mapping[int, float]], seed: int) -> None:
        pyspiel.Bot.__init__(self)
        self._probabilities, self._dice = probabilities, Random(seed)

    def step(self, state: Any) -> int:
        actions, weights = zip(*self._probabilities(state).items(), strict=True)
        return int(self._dice.choices(actions, weights)[0])


class _Cfr:
    """The average policy of counterfactual regret minimisation, worked out once for each game."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations
        # A policy is a view of its solver: without it, it knows nothing.
        self._policies: dict[str, tuple[Any, Any]] = {}

    def __call__(self, at: Sitting) -> Any:
        key = str(at.game)
        if key not in self._policies:
            solver = pyspiel.CFRSolver(at.game)
            for _ in range(self._iterations):
                solver.evaluate_and_update_policy()
            self._policies[key] = solver, solver.average_policy()
        return _Drawing(self._policies[key][1].action_probabilities, at.seed)


class _Tabular:
    """A policy in a file."""

    def __init__(self, file: Path) -> None:
        self._file, self._table = file, _read_table(file)

    def __call__(self, at: Sitting) -> Any:
        return _Drawing(self._probabilities, at.seed)

    def _probabilities(self, state: Any) -> Mapping[int, float]:
        key, seat = state.information_state_string(), state.current_player()
        row = self._table.get(key)
        if row is None:
            raise DataError(f"{self._file} has no row for the information state {shown(key)}")
        legal = {str(action): action for action in state.legal_actions()}
        legal |= {state.action_to_string(seat, action): action for action in state.legal_actions()}
        wrong = [name for name in row if name not in legal]
        if wrong:
            raise DataError(f"{self._file}: {shown(wrong[0])} is no legal action in the state {shown(key)}")
        return {legal[name]: weight for name, weight in row.items()}


def _read_table(file: Path) -> dict[str, dict[str, float]]:
    """Read a policy; refuse one that is no table of probabilities."""
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReadError(f"there is no file {file}") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{file} is no JSON: {error}") from None
    if not isinstance(table, dict):
        raise ReadError(f"{file} is a JSON object: by information state, the probability of each action")
    for key, row in table.items():
        right = isinstance(row, dict) and all(_is_weight(weight) for weight in row.values())
        if not right or not sum(row.values()) > 0:
            raise ReadError(f"{file}: the row {shown(key)} is no table of probabilities by action")
    return table


def _is_weight(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and weight >= 0


class OpenSpielPlayer:
    """A bot of OpenSpiel, made anew for each game from the seed of its seat.

    Parameters
    ----------
    name
        In the standings.
    options
        Of its spec.
    maker
        Makes the bot.
    version
        Of the player.
    informed
        Whether the bot wants to hear of every move, as some with a memory do.
    """

    def __init__(
        self,
        name: str,
        options: Mapping[str, Any],
        maker: Callable[[Sitting], Any],
        version: str = "",
        *,
        informed: bool = False,
    ) -> None:
        self.name, self.version = name, version
        self.options: Mapping[str, Any] = FrozenMap(options)
        self._maker, self._informed = maker, informed
        self._seat, self._seed = 0, 0
        self._bot: Any = None
        self._shadow: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def begin(self, table: GameTable) -> None:
        """Forget the last game."""
        self.reset()
        self._seat, self._seed = table.seat, table.seed

    def act(self, view: TurnView) -> Move:
        """Ask the bot."""
        if not isinstance(view.state, pyspiel.State):
            raise ParameterError(f'player "{self.name}" is a bot of OpenSpiel and plays its games only: openspiel:NAME')
        if self._bot is None:
            self._bot = self._made(Sitting(view.state.get_game(), self._seat, self._seed))
        try:
            if self._informed:
                self._inform(view.state)
            return Move(int(self._bot.step(view.state)))
        except (ParameterError, DataError):
            raise
        except pyspiel.SpielError as error:
            # Such as a search for a game that cannot imagine other deals: nobody lost by that.
            raise ParameterError(
                f'player "{self.name}" cannot play this game: {" ".join(str(error).split())}'
            ) from error
        except Exception as error:
            raise PlayerFault(self._seat, f"{self.name}: {described(error)}") from error

    def end(self, scores: Sequence[float] | None) -> None:  # noqa: ARG002  # bots do not ask who won
        """Let the bot go."""
        self.reset()

    def reset(self) -> None:
        """Let the bot go."""
        self._bot = self._shadow = None

    def close(self) -> None:
        """Let the bot go."""
        self.reset()

    def _made(self, at: Sitting) -> Any:
        """Make the bot; one that cannot be made here has not lost a game by that."""
        try:
            return self._maker(at)
        except (ParameterError, DataError):
            raise
        except Exception as error:
            raise WorkerFault(f"{self.name} cannot be made: {described(error)}") from error

    def _inform(self, state: Any) -> None:
        """Inform the bot of the moves since it was asked last, its own excepted."""
        if self._shadow is None:
            self._shadow = state.get_game().new_initial_state()
        for step in state.full_history()[len(self._shadow.history()) :]:
            if step.player != self._seat:
                self._bot.inform_action(self._shadow, step.player, step.action)
            self._shadow.apply_action(step.action)


def open_player(spec: PlayerSpec, rest: str) -> Player:
    """Open ``openspiel:BOT``; BOT is ours, registered by OpenSpiel, or ``module:function``."""
    files: list[Path | None] = []
    if ":" in rest:
        loaded = load_object(rest)
        files.append(source_file(loaded))
        maker = _by_function(loaded, spec)
    elif rest in BOTS:
        options: Any = options_from(BOTS[rest], spec.options, CHECKS, f'player "{spec.name}"')
        maker = made(rest, options)
        files += [Path(options.file)] if rest == "tabular" else []
    elif rest in pyspiel.registered_bots():
        options_from(NoOptions, spec.options, {}, f'player "{spec.name}"')
        maker = _by_name(rest)
    else:
        known = [*BOTS, *pyspiel.registered_bots()]
        raise ParameterError(
            f'OpenSpiel has no bot "{rest}"{did_you_mean(rest, known)}; it is one of {", ".join(known)}, or '
            "module:function"
        )
    version = version_of(f"{spec.bot} {installed('open_spiel')}", spec.options, *files)
    return OpenSpielPlayer(spec.name, spec.options, maker, version, informed=rest not in BOTS)


def _by_function(function: Any, spec: PlayerSpec) -> Callable[[Sitting], Any]:
    def make(at: Sitting) -> Any:
        bot = function(game=at.game, seat=at.seat, seed=at.seed, **spec.options)
        if not isinstance(bot, pyspiel.Bot):
            raise ParameterError(f"{spec.bot} makes a pyspiel.Bot, not {shown(bot)}")
        return bot

    return make


def _by_name(name: str) -> Callable[[Sitting], Any]:
    return lambda at: pyspiel.load_bot(name, at.game, at.seat)
