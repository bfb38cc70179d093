"""Whatever is called in whatever order: what always holds, holds after every call."""

import random

import pytest

from equipoise.arena.arena import Arena
from equipoise.arena.engine import commits
from equipoise.arena.engine.state import ArenaState
from equipoise.core.errors import EquipoiseError
from tests.arena.playing import outcome_of, small

SPECS = [
    {"goal": "order", "policy": "ranking", "budget": 60, "open": True},
    {"seats": 1, "tasks": ("x", "y"), "policy": "uniform", "budget": 60, "open": True},
    {"seats": 3, "players": list("abcd"), "policy": "uncertainty", "budget": 60, "score_range": (-1.0, 2.0)},
    {"goal": "best", "mirrored": False, "forfeit": "void", "budget": 60, "luck": {"coefficient": "fitted"}},
]


def facts(state):
    """Give a state without where the next fit of ratings starts from."""
    saved = state.snapshot()
    return saved | {"contest": {k: v for k, v in saved["contest"].items() if k not in ("rating", "fitted")}}


class Play:
    """An arena, the leases that were given out, and what may be done next."""

    def __init__(self, place, spec, seed):
        self.rng = random.Random(seed)
        self.place = place
        self.arena = Arena.create(place, spec)
        self.leases, self.told = [], []

    def step(self):
        """Do one thing; being refused is as good as being served, if nothing changes."""
        do = self.rng.choice([self.ask] * 4 + [self.tell] * 8 + OTHERS)
        before = self.arena.look(lambda state: state.seq)
        try:
            do(self) if do in OTHERS else do()
        except EquipoiseError:
            assert self.arena.look(lambda state: state.seq) == before, "refused, and yet something was written"

    def ask(self):
        self.leases += self.arena.ask(n=self.rng.randint(1, 4), worker=f"w{self.rng.randint(1, 3)}")

    def tell(self):
        if self.leases:
            lease = self.rng.choice(self.leases)
            receipt = self.arena.tell(lease, outcome_of(lease.trial), controls={"luck": outcome_of(lease.trial)})
            self.told.append((lease, receipt))

    def tell_many(self):
        some = {lease.trial.number: lease for lease in self.rng.sample(self.leases, min(3, len(self.leases)))}
        self.arena.tell_many([{"lease": one, "scores": outcome_of(one.trial)} for one in some.values()])

    def fail(self):
        lease = self.rng.choice(self.leases or [None])
        self.arena.fail(lease, self.rng.choice(["worker", "player"]), seat=0, message="x")

    def void(self):
        self.arena.void(self.rng.randint(1, 40), "by chance")

    def pause(self):
        self.arena.pause()

    def resume(self):
        self.arena.resume()

    def join(self):
        self.arena.add_player(f"p{self.rng.randint(1, 5)}")

    def reopen(self):
        self.arena.close()
        self.arena = Arena.open(self.place)

    def check(self):
        """Hold the state against a fold of the whole journal, and every snapshot with its tail against it, too."""
        shown = self.arena.look(facts)
        events = list(self.arena.events())
        state = ArenaState.created(events[0])
        for event in events[1:]:
            state.apply(event)
        assert facts(state) == shown
        middle = ArenaState.created(events[0])
        for event in events[1 : self.rng.randint(1, len(events))]:
            middle.apply(event)
        resumed = ArenaState.from_snapshot(middle.snapshot())
        for event in events[middle.seq :]:
            resumed.apply(event)
        assert facts(resumed) == shown
        trials = [event.trial for event in events if event.kind == "result"]
        assert len(trials) == len(set(trials)), "a trial counts twice"
        assert state.counted <= state.spec.budget
        for lease, receipt in self.told:
            again = self.arena.tell(lease, outcome_of(lease.trial), controls={"luck": outcome_of(lease.trial)})
            assert (again.seq, again.counted) == (receipt.seq, receipt.counted)


OTHERS = [Play.tell_many, Play.fail, Play.void, Play.pause, Play.resume, Play.resume, Play.join, Play.reopen]


@pytest.mark.parametrize("number", range(len(SPECS)))
def test_random_interleavings_keep_every_invariant(place, number, monkeypatch):
    monkeypatch.setattr(commits, "SNAPSHOT_EVERY", 7)
    monkeypatch.setattr(commits, "SNAPSHOT_SHARE", float("inf"))
    play = Play(place, small(**SPECS[number]), seed=number)
    try:
        for _ in range(6):
            for _ in range(12):
                play.step()
            play.check()
            verification = play.arena.verify()
            assert verification.ok, verification.problems
        assert play.told
    finally:
        play.arena.close()
