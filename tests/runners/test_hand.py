from hypothesis import given
from hypothesis import strategies as st

from equipoise.arena.spec.trial import Lease, Trial
from equipoise.runners.leases_in_hand import HeldLease, LeasesInHand


def held(number):
    return HeldLease(Lease(Trial(number, 1, ("a", "b"), None, 0), 1, "w", "", 0.0, "x", "y"))


def numbers(some):
    return [one.lease.trial.number for one in some]


def test_the_first_ones_of_a_worker_are_in_play_and_the_next_begins_when_one_is_over():
    hand = LeasesInHand(2)
    for number in (1, 2, 3):
        hand.give(0, held(number))
    waiting = list(hand)[-1]
    before = waiting.given
    assert numbers(hand.in_play(0)) == [1, 2]
    assert hand.take(0, 1).lease.trial.number == 1
    assert numbers(hand.in_play(0)) == [2, 3]
    assert waiting.given > before


def test_a_worker_that_ends_gives_back_what_it_had_not_begun():
    hand = LeasesInHand(1)
    for number in (1, 2, 3):
        hand.give(0, held(number))
    assert numbers(hand.lose(0)) == [1]
    assert numbers(hand.returned) == [2, 3]
    assert hand.load(0) == 0


def test_signs_and_results_of_nothing_in_hand_are_passed_over():
    hand = LeasesInHand(1)
    hand.give(0, held(1))
    hand.sign(1, 1)
    hand.sign(0, 9)
    assert hand.take(0, 9) is None
    assert hand.take(1, 1) is None
    assert len(hand) == 1


MOVES = st.lists(st.tuples(st.sampled_from(["give", "take", "lose"]), st.integers(0, 2)), max_size=40)


@given(MOVES, st.integers(1, 3))
def test_no_lease_gets_lost_between_workers(moves, at_once):
    hand, out, last = LeasesInHand(at_once), [], 0
    for move, place in moves:
        if move == "give":
            last += 1
            hand.give(place, held(last))
        elif move == "take" and hand.in_play(place):
            out.append(hand.take(place, numbers(hand.in_play(place))[-1]))
        elif move == "lose":
            out += hand.lose(place)
    assert sorted(numbers(out) + numbers(hand)) == list(range(1, last + 1))
