"""Requests that arrive twice, late or in another order hand nothing to nobody."""

import pytest

from equipoise.arena.arena import Arena
from equipoise.arena.engine import sessions
from equipoise.core.errors import LeaseError
from tests.arena.playing import finish, outcome_of, small, unchanged


@pytest.fixture
def arena(place):
    """Give an arena of six sets of two games."""
    with Arena.create(place, small()) as made:
        yield made


def test_the_same_number_gives_the_same_leases_and_another_one_others(arena):
    first = arena.ask(n=2, request="w-1")
    with unchanged(arena):
        assert arena.ask(n=2, request="w-1") == first
    others = arena.ask(n=2, request="w-2") + arena.ask(n=2, request="v-1")
    assert len({lease.trial.number for lease in first + others}) == 6


def test_a_request_repeated_after_its_leases_are_over_hands_a_trial_to_nobody(arena):
    """The reply was slow: the trials are finished when the request arrives again, and nobody waits for an answer."""
    given = arena.ask(n=3, request="w-1")
    for lease in given:
        arena.tell(lease, outcome_of(lease.trial))
    with unchanged(arena):
        assert arena.ask(n=3, request="w-1") == given
    assert not arena.look(lambda state: state.held)


def test_a_request_repeated_after_its_lease_ran_out_costs_no_attempt(arena, later):
    (given,) = arena.ask(request="w-1")
    later(100.0)
    arena.sweep()
    assert arena.ask(request="w-1") == [given]
    (again,) = arena.ask(request="v-1")
    assert (again.trial, again.attempt) == (given.trial, 2)
    arena.tell(again, outcome_of(again.trial))
    assert not arena.tell(given, outcome_of(given.trial)).counted, "a late result is taken as one"


def test_a_renewed_lease_comes_back_as_it_was_renewed(arena, later):
    (given,) = arena.ask(request="w-1")
    later(20.0)
    renewed = arena.renew(given, progress=1.0)
    assert renewed.until > given.until
    assert arena.ask(request="w-1") == [renewed]


def test_a_smaller_number_is_refused_in_one_line(arena):
    arena.ask(request="w-1")
    arena.ask(request="w-7")
    with unchanged(arena), pytest.raises(LeaseError, match=r'^request 1 of "w" comes after its request 7, which'):
        arena.ask(request="w-1")


def test_an_empty_answer_stays_empty_when_there_is_something_again(place):
    with Arena.create(place, small(budget=2)) as arena:
        one, other = arena.ask(n=2, request="w-1")
        assert arena.ask(request="v-1") == arena.ask(request="v-2") == []
        arena.fail(one, "worker", message="a fault: the trial waits again")
        with unchanged(arena):
            assert arena.ask(request="v-2") == [], "the worker has its answer and asks no more under this number"
            with pytest.raises(LeaseError, match="request 1 of"):
                arena.ask(request="v-1")
        assert [lease.trial for lease in arena.ask(request="v-3")] == [one.trial]
        arena.tell(other, outcome_of(other.trial))


def test_answers_survive_the_owner_and_a_snapshot(place):
    with Arena.create(place, small()) as arena:
        open_, over = arena.ask(request="w-1"), arena.ask(request="v-3")
        arena.tell(over[0], outcome_of(over[0].trial))
        assert arena.look(lambda state: type(state).from_snapshot(state.snapshot()).snapshot() == state.snapshot())
    with Arena.open(place) as arena:
        assert arena.ask(request="w-1") == open_
        assert arena.ask(request="v-3") == over
        with pytest.raises(LeaseError, match="numbers count up"):
            arena.ask(request="v-2")


def test_leases_of_the_dead_are_taken_over_and_nothing_else(arena):
    dead = arena.ask(n=2, worker="dead", request="d-1") + arena.ask(worker="dead", request="d-2")
    arena.ask(worker="alive")
    arena.tell(dead[1], outcome_of(dead[1].trial))
    with unchanged(arena):
        assert arena.take_over(["dead"]) == [dead[0], dead[2]]
        assert arena.take_over([]) == arena.take_over(["nobody"]) == []


def test_sessions_of_long_ago_are_forgotten_so_that_memory_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 3)
    with Arena.create(tmp_path / "a.db", small(budget=40)) as arena:
        given = [arena.ask(request=f"w{number}-1") for number in range(5)]
        assert len(arena.look(lambda state: state.sessions.state())) == 3
        assert arena.ask(request="w4-1") == given[4]
        finish(arena)
        assert arena.verify().ok
