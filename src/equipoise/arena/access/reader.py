"""An arena as it can be read: its state, its standings, its results, its decisions with their place in the journal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from equipoise.arena.contests.contest import ContestProgress, Decision
from equipoise.arena.desk import PlayCounts
from equipoise.arena.engine.commits import Commits
from equipoise.arena.engine.state import ArenaState, Phase
from equipoise.arena.journal.events import Event
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.store import Store
from equipoise.arena.store.transaction import Transaction
from equipoise.core.errors import DataError
from equipoise.core.options import check, whole

if TYPE_CHECKING:
    from equipoise.arena.access.accounts import GameAccount, PairAccount, PlayerAccount
    from equipoise.arena.access.activity import ArenaActivity
    from equipoise.arena.access.standings import ArenaStandings
    from equipoise.arena.journal.verify import Verification
    from equipoise.data.types.episodes import Episodes
    from equipoise.data.types.matches import Matches
    from equipoise.data.types.metagame import MetaGame
    from equipoise.data.types.orders import Rankings
    from equipoise.data.types.scores import Scores


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, frozen at an event.

    Attributes
    ----------
    decision
        What is decided, and whether that still stands.
    seq, time
        The event that froze it.
    """

    decision: Decision
    seq: int
    time: float

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return {**self.decision.to_dict(), "seq": self.seq, "time": self.time}


def decided(now: Sequence[Decision], journal: Transaction) -> tuple[Decided, ...]:
    """Find the event of each decision."""
    frozen: dict[tuple[str, str, str | None, int], Event] = {}
    for event in journal.events(kinds=["decision"]):
        body = event.content()
        frozen.setdefault((body["kind"], body["first"], body["second"], body["block"]), event)
    places = [
        (decision, frozen.get((decision.kind, decision.first, decision.second, decision.block))) for decision in now
    ]
    return tuple(Decided(decision, event.seq, event.time) for decision, event in places if event is not None)


_Answer = TypeVar("_Answer")


class ArenaReader:
    """Everything about an arena that changes nothing; also while another process plays it.

    Made by :meth:`look_at`.
    """

    def __init__(self, store: Store, commits: Commits) -> None:
        self._store, self._commits = store, commits

    @classmethod
    def look_at(cls, where: str | Path) -> "ArenaReader":
        """Open an arena for reading only.

        Fails when
            there is none, or a newer Equipoise made it.
        """
        store = Store(StorePlace.of(where), owner=False)
        return ArenaReader(store, Commits(store, snapshots=False))

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self._commits.look(lambda now: now)
        return f"Arena({str(self._store.place)!r}, {state.spec.name!r}, {state.phase}, {state.counted:,} games)"

    @property
    def spec(self) -> ArenaSpec:
        """What is played; players that joined later included."""
        return self._commits.look(lambda state: replace(state.spec, players=tuple(state.players.values())))

    @property
    def id(self) -> str:
        """Identity of the arena."""
        return self._store.id

    @property
    def place(self) -> str:
        """Where it is kept."""
        return str(self._store.place)

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about the file, such as that it is a copy of one in use."""
        return self._store.notes

    @property
    def state(self) -> Phase:
        """``running``, ``paused``, ``answered``, ``spent`` or ``stopped``."""
        return self._commits.look(lambda state: state.phase)

    @property
    def shared(self) -> bool:
        """Whether other processes may write to it too."""
        return self._store.shared

    def versions(self) -> dict[str, str]:
        """Give the version of each player that played last."""
        return self._commits.look(lambda state: dict(state.versions))

    def holders(self) -> set[str]:
        """Name the workers that hold leases."""
        return self._commits.look(lambda state: {one.worker for one in state.held.values()})

    def counts(self) -> PlayCounts:
        """Say how far play is."""
        return self._commits.look(PlayCounts.of)

    def progress(self) -> ContestProgress:
        """Say how far the goal is, in one sentence, with a forecast."""
        return self._commits.look(lambda state: state.contest.progress())

    def decisions(self) -> tuple[Decided, ...]:
        """Give what is decided, each with the number of the event that froze it."""
        with self._store.read() as transaction:
            return decided(self._commits.look(lambda state: state.contest.decisions), transaction)

    def events(self, after: int = 0, most: int | None = None, kinds: Sequence[str] | None = None) -> Iterator[Event]:
        """Give the journal in order, from the event after a number on; all of it, or some kinds of events."""
        check(whole(0), "after", after)
        check(whole(1, none=True), "most", most)
        with self._store.read() as transaction:
            yield from transaction.events(after, kinds, most)

    def transcript(self, number: int, *, early: bool = False) -> str | None:
        """Give what was played in a trial; None if nothing was kept, or it was purged.

        Fails when
            the set of paired games that it belongs to is not complete, since the others have the same cards, and it is
            not for who runs the arena (``early``).
        """
        if not early and self.look(lambda state: state.block_of(number)) is not None:
            raise DataError(
                f"the transcript of game {number} is shown when its whole set of paired games is finished: the others "
                "have the same seed"
            )
        with self._store.read() as transaction:
            result = transaction.result_of(number)
            name = None if result is None else result.content().get("transcript")
            return None if name is None else transaction.transcript(name)

    def game(self, number: int) -> "GameAccount":
        """Give one game: who played it and when, what came out and, once its whole set is finished, seed and moves."""
        from equipoise.arena.access.accounts import game_account

        check(whole(1), "number", number)
        return game_account(self, number)

    def player(self, name: str) -> "PlayerAccount":
        """Give one player: its games, its forfeits, and how it did against each player that it met."""
        from equipoise.arena.access.accounts import player_account

        return player_account(self, name)

    def pair(self, first: str, second: str) -> "PairAccount":
        """Give two players against each other: games won, drawn and lost, what is decided, and their last games."""
        from equipoise.arena.access.accounts import pair_account

        return pair_account(self, first, second)

    def standings(self, *, verdict: bool = True) -> "ArenaStandings":
        """Give the standings: ratings where their intervals are valid, ranks from decisions only."""
        from equipoise.arena.access.standings import standings_of

        return standings_of(self, verdict=verdict)

    def activity(self) -> "ArenaActivity":
        """Say who plays at this moment, when the last result came, and why games failed."""
        from equipoise.arena.access.activity import activity_of

        return activity_of(self)

    def verify(self) -> "Verification":
        """Recount everything from the journal, and say what does not agree."""
        from equipoise.arena.journal.verify import verified

        return verified(self)

    def matches(self) -> "Matches":
        """Give the games of two as matches; a block is a group."""
        from equipoise.arena.journal.results import matches_of

        return matches_of(self)

    def rankings(self) -> "Rankings":
        """Give the places of the players of each game."""
        from equipoise.arena.journal.results import rankings_of

        return rankings_of(self)

    def scores(self) -> "Scores":
        """Give scores by player and task."""
        from equipoise.arena.journal.results import scores_of

        return scores_of(self)

    def metagame(self) -> "MetaGame":
        """Give the mean payoffs of each profile of players."""
        from equipoise.arena.journal.results import metagame_of

        return metagame_of(self)

    def episodes(self) -> "Episodes":
        """Give what each player won in each seat of each block, with controls; a block is a deal."""
        from equipoise.arena.journal.results import episodes_of

        return episodes_of(self)

    def look(self, function: Callable[[ArenaState], _Answer]) -> _Answer:
        """Run a function on the state as it is on disk; it must not change it."""
        return self._commits.look(function)

    def tokens(self) -> list[dict[str, Any]]:
        """List the tokens that were made and not revoked, without their hashes."""
        known = self._commits.look(lambda state: state.admission.tokens)
        return [{name: value for name, value in one.to_dict().items() if name != "hash"} for one in known.values()]

    @property
    def commits(self) -> Commits:
        """The one way to change it, for whoever has an event loop of its own."""
        return self._commits

    @property
    def store(self) -> Store:
        """The database behind it."""
        return self._store
