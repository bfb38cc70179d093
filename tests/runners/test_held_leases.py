from hypothesis import given
from hypothesis import strategies as st

from equipoise.arena.spec.trial import Lease, Trial
from equipoise.runners.held_leases import HeldLease, HeldLeases


def held(number):
    return HeldLease(Lease(Trial(number, 1, ("a", "b"), None, 0), 1, "w", "", 0.0, "x", "y"))


def numbers(some):
    return [one.lease.trial.number for one in some]


def test_the_first_ones_of_a_worker_are_in_play_and_the_next_begins_when_one_is_over():
    leases = HeldLeases(2)
    for number in (1, 2, 3):
        leases.give(0, held(number))
    waiting = list(leases)[-1]
    before = waiting.given
    assert numbers(leases.in_play(0)) == [1, 2]
    assert leases.take(0, 1).lease.trial.number == 1
    assert numbers(leases.in_play(0)) == [2, 3]
    assert waiting.given > before


def test_a_worker_that_ends_gives_back_what_it_had_not_begun():
    leases = HeldLeases(1)
    for number in (1, 2, 3):
        leases.give(0, held(number))
    assert numbers(leases.lose(0)) == [1]
    assert numbers(leases.returned) == [2, 3]
    assert leases.load(0) == 0


def test_signs_and_results_of_nothing_in_hand_are_passed_over():
    leases = HeldLeases(1)
    leases.give(0, held(1))
    leases.sign(1, 1)
    leases.sign(0, 9)
    assert leases.take(0, 9) is None
    assert leases.take(1, 1) is None
    assert len(leases) == 1


MOVES = st.lists(st.tuples(st.sampled_from(["give", "take", "lose"]), st.integers(0, 2)), max_size=40)


@given(MOVES, st.integers(1, 3))
def test_no_lease_gets_lost_between_workers(moves, at_once):
    leases, out, last = HeldLeases(at_once), [], 0
    for move, place in moves:
        if move == "give":
            last += 1
            leases.give(place, held(last))
        elif move == "take" and leases.in_play(place):
            out.append(leases.take(place, numbers(leases.in_play(place))[-1]))
        elif move == "lose":
            out += leases.lose(place)
    assert sorted(numbers(out) + numbers(leases)) == list(range(1, last + 1))
