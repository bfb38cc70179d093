"""What a result counts as: scores between 0 and 1, means of blocks, and what each pair gets of them."""

import pytest

import equipoise as eq
from tests.arena.playing import small


def counted(arena):
    """Give what the results so far count as, in the order of the journal."""
    return [event.content()["normalised"] for event in arena.events() if event.kind == "result"]


def test_scores_of_a_range_are_put_between_0_and_1_and_rounding_beyond_its_ends_is_cut_off(place):
    with eq.Arena.create(place, small(score_range=(-2.0, 6.0))) as arena:
        leases = arena.ask(n=3)
        arena.tell(leases[0], (0.0, 4.0))
        arena.tell(leases[1], (-2.0 - 7e-9, 6.0 + 7e-9))
        assert counted(arena) == [[0.25, 0.75], [0.0, 1.0]]
        for beyond in ((-2.0 - 9e-9, 0.0), (0.0, 6.0 + 9e-9)):
            with pytest.raises(eq.DataError, match=r"outside the range from -2 to 6$"):
                arena.tell(leases[2], beyond)
        assert arena.verify().ok


def test_a_forfeit_is_worth_the_ends_of_the_range(place):
    with eq.Arena.create(place, small(score_range=(-2.0, 6.0))) as arena:
        (lease,) = arena.ask()
        arena.fail(lease, "player", seat=0, message="crash")
        (body,) = [event.content() for event in arena.events() if event.kind == "result"]
        assert (body["scores"], body["normalised"]) == ([-2.0, 6.0], [0.0, 1.0])


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ((30.0, 10.0, 20.0), [1.0, 0.0, 0.5]),
        ((5.0, 5.0, -1.0), [0.75, 0.75, 0.0]),
        ((7.0, 7.0, 7.0), [0.5, 0.5, 0.5]),
        ((0.0, 1.0, 0.25), [0.0, 1.0, 0.25]),
    ],
)
def test_without_a_range_scores_beyond_0_and_1_count_as_the_share_of_the_others_that_were_beaten(place, scores, wanted):
    with eq.Arena.create(place, small(seats=3)) as arena:
        (lease,) = arena.ask()
        arena.tell(lease, scores)
        assert counted(arena) == [wanted]


@pytest.mark.parametrize("options", [{"goal": "order", "policy": "ranking"}, {"seats": 1}])
def test_without_a_range_scores_beyond_0_and_1_are_refused_where_they_are_not_compared_by_seat(place, options):
    with eq.Arena.create(place, small(**options)) as arena:
        (lease,) = arena.ask()
        for score in (-0.5, 1.5):
            with pytest.raises(eq.DataError, match="needs score_range in its spec"):
                arena.tell(lease, (score,) * len(lease.trial.players))
        assert counted(arena) == []


def test_standings_count_each_players_trials_and_their_mean_score(place):
    """By hand: a scored 1 and 1/2 against b, b 0 and 3/4 against a; c was not yet there."""
    with eq.Arena.create(place, small(players=["a", "b"], budget=4, open=True)) as arena:
        first, second, third, fourth = arena.ask(n=4)
        assert (first.trial.players, second.trial.players) == (("a", "b"), ("b", "a"))
        arena.tell(first, (1.0, 0.0))
        arena.tell(second, (0.75, 0.5))
        arena.tell(third, (1.0, 1.0))  # half of a block counts for nobody yet
        arena.add_player("c")
        rows = {row["agent"]: row for row in arena.standings(verdict=False).to_dict()["agents"]}
        assert {name: row["trials"] for name, row in rows.items()} == {"a": 2, "b": 2, "c": 0}
        assert (rows["a"]["score"], rows["b"]["score"]) == (0.75, 0.375)
        arena.tell(fourth, (0.0, 0.0))
        arena.void(1, "wrong book")
        rows = {row["agent"]: row for row in arena.standings(verdict=False).to_dict()["agents"]}
        assert {name: row["trials"] for name, row in rows.items()} == {"a": 2, "b": 2, "c": 0}
        assert (rows["a"]["score"], rows["b"]["score"]) == (0.5, 0.5)


@pytest.mark.parametrize("scores", [(0.5, 0.5), (1.0, 0.0), (0.75, 0.5)])
@pytest.mark.parametrize("seats", [2, 3])
def test_a_block_made_void_leaves_standings_as_they_would_be_without_it(tmp_path, scores, seats):
    def played(name, void):
        with eq.Arena.create(tmp_path / name, small(players=list("abc")[:seats], seats=seats, budget=36)) as arena:
            for lease in arena.ask(n=seats * 3):
                told = (*scores, 0.25)[:seats]
                if void or lease.trial.block > 1:
                    arena.tell(lease, told if lease.trial.block == 1 else (0.25, 1.0, 0.5)[:seats])
            if void:
                arena.void(1, "wrong book")
            assert arena.verify().ok
            return arena.standings(verdict=False).to_dict()["agents"]

    assert played("void.db", True) == played("without.db", False)
