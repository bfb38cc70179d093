"""The leases that are held: which worker has which, in which order, and when each last showed a sign of life."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic, time

from equipoise.arena.spec.trial import Lease


@dataclass(slots=True)
class HeldLease:
    """A lease that is held.

    Attributes
    ----------
    lease
        As it was last renewed.
    given
        When the worker began with it, as far as is known; before that, when it was leased.
    sign
        When there was progress last (``monotonic``).
    life
        The same by the calendar: what a renewal reports. It grows from driver to driver, too.
    renewed
        When it was last renewed.
    lost
        Whether it was taken back: it is played to the end and reported, but not renewed.
    """

    lease: Lease
    given: float = field(default_factory=monotonic)
    sign: float = field(default_factory=monotonic)
    life: float = field(default_factory=time)
    renewed: float = field(default_factory=monotonic)
    lost: bool = False

    def show_life(self) -> None:
        """Note that there was progress."""
        self.sign, self.life = monotonic(), time()

    def begin(self) -> None:
        """Note that a worker begins with it."""
        self.show_life()
        self.given = self.sign


class HeldLeases:
    """All leases that are held.

    Workers play what they are given in order, ``at_once`` at a time, so that the first of those they have are in play.

    Parameters
    ----------
    at_once
        Trials that a worker plays at the same time.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._by_place: dict[int, OrderedDict[int, HeldLease]] = {}
        self.returned: list[HeldLease] = []
        """Leases whose worker ended before it began with them: they are given to another."""

    def __len__(self) -> int:
        return len(self.returned) + sum(map(len, self._by_place.values()))

    def __iter__(self) -> Iterator[HeldLease]:
        yield from self.returned
        for held in self._by_place.values():
            yield from held.values()

    def load(self, place: int) -> int:
        """How many a worker has."""
        return len(self._by_place.get(place, ()))

    def give(self, place: int, held: HeldLease) -> None:
        """Give a lease to a worker."""
        mine = self._by_place.setdefault(place, OrderedDict())
        mine[held.lease.trial.number] = held
        if len(mine) <= self._at_once:
            held.begin()

    def sign(self, place: int, number: int) -> None:
        """Note progress of a trial."""
        held = self._by_place.get(place, OrderedDict()).get(number)
        if held is not None:
            held.show_life()

    def take(self, place: int, number: int) -> HeldLease | None:
        """Take a lease whose trial is over; the next one of that worker begins."""
        mine = self._by_place.get(place, OrderedDict())
        held = mine.pop(number, None)
        playing = self.in_play(place)
        if held is not None and len(playing) == self._at_once:
            playing[-1].begin()
        for other in list(mine.values())[self._at_once :]:
            other.show_life()  # it waits for a worker that gets on
        return held

    def in_play(self, place: int) -> list[HeldLease]:
        """Those that a worker plays now."""
        return list(self._by_place.get(place, OrderedDict()).values())[: self._at_once]

    def busy(self) -> list[int]:
        """Which workers hold a lease."""
        return [place for place, held in self._by_place.items() if held]

    def lose(self, place: int) -> list[HeldLease]:
        """Take everything from a worker that ended: gives what it played; the rest waits for another."""
        playing = self.in_play(place)
        mine = self._by_place.pop(place, OrderedDict())
        self.returned += list(mine.values())[self._at_once :]
        return playing
