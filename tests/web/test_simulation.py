"""Schedules of the simulation through the server's own application, in virtual time; and faults planted in it."""

from collections import Counter
from dataclasses import replace

import pytest

from equipoise.web import turns
from equipoise.web.live import LiveDesk
from tests.arena.simulation.schedule import simulate
from tests.arena.simulation.world import BrokenPromiseError
from tests.web.simulated import ServedOwner

MOST = 40


def play(most):
    """Play so many schedules; give what happened in them."""
    return sum((simulate(seed, ServedOwner).seen for seed in range(most)), Counter[str]())


def test_nothing_that_is_promised_breaks_over_http():
    seen = play(MOST)
    for what in (
        "lost messages", "doubled messages", "clock jumps", "writes refused", "workers died", "closed and opened",
        "deaths after-insert", "deaths before-commit", "deaths before-acknowledgement", "hung", "refused renew",
    ):  # fmt: skip
        assert seen[what] > 0, f"nothing of this went wrong: {what}"
    assert seen["results"] > 5 * MOST


def test_a_seed_replays_exactly_over_http():
    assert [simulate(seed, ServedOwner).head for seed in range(4)] == [
        simulate(seed, ServedOwner).head for seed in range(4)
    ]


def asks_without_their_request_id(patch):
    read = turns.Turn.read
    patch.setattr(turns.Turn, "read", lambda token, body: replace(read(token, body), request=None))


def receipts_always_count(patch):
    receipt = turns._receipt
    patch.setattr(turns, "_receipt", lambda one: receipt(one) | {"counted": True})


def refused_items_are_said_to_be_taken(patch):
    each = turns._each

    def patched(*given):
        said = each(*given)
        return said if said["status"] == 200 else {"status": 200, "counted": True, "duplicate": True, "seq": 1}

    patch.setattr(turns, "_each", patched)


def who_waits_is_answered_with_what_another_was_given(patch):
    ask = LiveDesk._ask

    def patched(self, batch, turns):
        answers = ask(self, batch, turns)
        return [next((one for one in answers if one), []) for _ in answers]

    patch.setattr(LiveDesk, "_ask", patched)


FAULTS = (
    asks_without_their_request_id,
    receipts_always_count,
    refused_items_are_said_to_be_taken,
    who_waits_is_answered_with_what_another_was_given,
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_planted_in_the_server_is_found(fault, monkeypatch):
    fault(monkeypatch)
    with pytest.raises(BrokenPromiseError, match=r"^schedule \d+, after [\d.]+ s: "):
        play(200)
