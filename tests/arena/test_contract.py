"""What an arena promises to whoever requests and results, over both stores."""

import threading
from dataclasses import replace

import pytest

from equipoise.arena.arena import Arena
from equipoise.core.errors import DataError, EquipoiseError, LeaseError, ParameterError
from tests.arena.playing import finish, outcome_of, small, unchanged

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def arena(place):
    with Arena.create(place, small()) as made:
        yield made


def results(arena):
    return [event.content() for event in arena.events() if event.kind == "result"]


def test_a_budget_is_played_to_the_end_and_counts_agree(arena):
    receipts = finish(arena)
    assert arena.state == "spent"
    assert [receipt.counted for receipt in receipts] == [True] * 12
    assert sorted(body["trial"] for body in results(arena)) == list(range(1, 13))
    assert arena.verify().ok
    assert arena.standings(verdict=False).counted == 12
    assert len(arena.matches()) == 12


def test_an_arena_that_is_opened_again_goes_on_where_it_was(place):
    with Arena.create(place, small()) as arena:
        first = arena.ask(n=3)
        arena.tell(first[0], outcome_of(first[0].trial))
        before = arena.look(lambda state: state.snapshot())
    with Arena.open(place) as arena:
        assert arena.look(lambda state: state.snapshot()) == before
        arena.tell(first[1], outcome_of(first[1].trial))
        assert arena.tell(first[0], outcome_of(first[0].trial)).duplicate


@pytest.mark.parametrize("seats", [1, 2, 3])
@pytest.mark.parametrize("tasks", [(), ("x", "y")])
def test_trials_of_any_number_of_seats(place, seats, tasks):
    spec = small(players=list("abcd"), seats=seats, tasks=tasks, budget=24)
    with Arena.create(place, spec) as arena:
        leases = arena.ask(n=6)
        assert {len(lease.trial.players) for lease in leases} == {seats}
        assert all((lease.trial.task in tasks) if tasks else lease.trial.task is None for lease in leases)
        blocks = {}
        for lease in leases:
            blocks.setdefault(lease.trial.block, []).append(lease.trial)
        first = blocks[1]
        assert len({(trial.seed, trial.task) for trial in first}) == 1, "a block is one task and one seed"
        if seats > 1:  # every player of a mirrored block sits once in every seat
            assert all({trial.players[seat] for trial in first} == set(first[0].players) for seat in range(seats))
        for lease in leases:
            arena.tell(lease, outcome_of(lease.trial))
        finish(arena)
        assert arena.state == "spent"
        assert arena.verify().ok
        data = arena.scores() if seats == 1 else arena.episodes()
        assert set(data.agents) == set("abcd")


def test_unmirrored_blocks_are_single_trials_whose_sides_the_seed_draws(place):
    with Arena.create(place, small(mirrored=False, budget=40)) as arena:
        leases = arena.ask(n=40)
        assert len({lease.trial.block for lease in leases}) == 40
        assert {lease.trial.players for lease in leases} > {("a", "b"), ("b", "a")}


def test_outstanding_trials_are_not_handed_out_twice_and_pairs_differ(arena):
    leases = arena.ask(n=6)
    assert len({lease.trial.number for lease in leases}) == 6
    assert {frozenset(lease.trial.players) for lease in leases} == {frozenset("ab"), frozenset("ac"), frozenset("bc")}


def test_a_repeated_tell_gives_the_same_answer_and_counts_once(arena):
    (lease,) = arena.ask()
    first = arena.tell(lease, (1.0, 0.0), key="k")
    with unchanged(arena):
        again = arena.tell(lease, (1.0, 0.0), key="k")
    assert (again.counted, again.duplicate, again.seq) == (True, True, first.seq)
    with unchanged(arena), pytest.raises(DataError, match="another result under the key"):
        arena.tell(lease, (0.0, 1.0), key="k")
    with unchanged(arena), pytest.raises(DataError, match="another result"):
        arena.tell(lease, (1.0, 0.0), key="k", transcript="1. e4")
    assert len(results(arena)) == 1


def test_a_second_key_for_a_finished_trial_is_kept_and_does_not_count(arena):
    (lease,) = arena.ask()
    arena.tell(lease, (1.0, 0.0), key="first")
    late = arena.tell(lease, (0.0, 1.0), key="second")
    assert (late.counted, late.duplicate) == (False, False)
    again = arena.tell(lease, (0.0, 1.0), key="second")
    assert (again.counted, again.duplicate, again.seq) == (False, True, late.seq)
    assert arena.look(lambda state: (state.counted, state.late)) == (1, 1)
    assert arena.verify().ok


def test_a_key_that_leases_have_by_themselves_is_refused(arena):
    (lease,) = arena.ask()
    with unchanged(arena), pytest.raises(DataError, match="choose another one"):
        arena.tell(lease, (1.0, 0.0), key="attempt 1")
    assert arena.tell(lease, (1.0, 0.0), key="attempt one").counted


def test_results_in_any_order_give_the_same_counts(place, tmp_path):
    with Arena.create(place, small()) as arena, Arena.create(tmp_path / "b.db", small()) as other:
        for one, order in ((arena, 1), (other, -1)):
            for lease in one.ask(n=12)[::order]:
                one.tell(lease, outcome_of(lease.trial))
        assert arena.look(lambda s: s.tally.state()) == other.look(lambda s: s.tally.state())


def test_tell_many_takes_all_or_none(arena):
    leases = arena.ask(n=4)
    bodies = [{"lease": lease, "scores": outcome_of(lease.trial)} for lease in leases]
    with unchanged(arena), pytest.raises(DataError, match="finite"):
        arena.tell_many([*bodies[:3], bodies[3] | {"scores": (NAN, 0.0)}])
    receipts = arena.tell_many(bodies[:3])
    assert [receipt.counted for receipt in receipts] == [True] * 3
    with unchanged(arena):
        assert all(receipt.duplicate for receipt in arena.tell_many(bodies[:3]))
    with unchanged(arena), pytest.raises(DataError, match="several results of one game"):
        arena.tell_many([bodies[3], bodies[3]])
    mixed = arena.tell_many(bodies)
    assert [receipt.duplicate for receipt in mixed] == [True, True, True, False]
    assert arena.tell_many([]) == []


def test_a_forfeit_is_the_lowest_score_and_counts(arena):
    (lease,) = arena.ask()
    receipt = arena.fail(lease, "player", seat=1, message="illegal\nmove")
    assert receipt.counted
    (body,) = results(arena)
    assert (body["scores"], body["forfeit"]) == ([1.0, 0.0], {"seat": 1, "message": "illegal move"})
    assert arena.fail(lease, "player", seat=1, message="illegal move").duplicate
    assert arena.look(lambda state: state.forfeits) == 1


def test_a_forfeit_may_make_the_block_void_instead(place):
    with Arena.create(place, small(forfeit="void")) as arena:
        first, second = arena.ask(n=2)
        arena.tell(first, (1.0, 0.0))
        assert not arena.fail(second, "player", seat=0, message="crash").counted
        assert arena.look(lambda state: (state.counted, state.voids, state.outstanding)) == (0, 1, 0)
        finish(arena)
        assert (arena.state, arena.standings(verdict=False).counted) == ("spent", 12)
        assert arena.verify().ok


def test_a_workers_fault_is_tried_again_with_the_same_seed_and_then_void(place):
    with Arena.create(place, small(attempts=3)) as arena:
        seen = []
        for _ in range(3):
            (lease,) = arena.ask()
            seen.append((lease.trial, lease.attempt))
            arena.fail(lease, "worker", message="no network")
        assert len({trial for trial, _ in seen}) == 1
        assert [attempt for _, attempt in seen] == [1, 2, 3]
        assert arena.look(lambda state: state.voids) == 1
        with unchanged(arena), pytest.raises(LeaseError, match=r"void \(game 1 was tried 3 times: no network\)"):
            arena.tell(lease, (1.0, 0.0))
        assert arena.fail(lease, "worker").duplicate
        finish(arena)
        assert arena.verify().ok


def test_void_leaves_a_block_out_and_it_is_played_again(arena):
    finish(arena)
    before = arena.look(lambda state: state.tally.state())
    arena.void(3, "the opening was wrong")
    assert (arena.state, arena.look(lambda state: state.counted)) == ("running", 10)
    assert arena.look(lambda state: state.tally.state()) != before
    with unchanged(arena), pytest.raises(DataError, match="void already: the opening was wrong"):
        arena.void(4, "again")
    with unchanged(arena), pytest.raises(DataError, match="there is no game 999"):
        arena.void(999, "x")
    finish(arena)
    assert (arena.state, arena.look(lambda state: state.counted)) == ("spent", 12)
    assert arena.verify().ok


def test_a_result_for_a_void_trial_is_refused(arena):
    first, second = arena.ask(n=2)
    arena.tell(first, (1.0, 0.0))
    arena.void(1, "wrong book")
    with unchanged(arena), pytest.raises(LeaseError, match="game 2 is void"):
        arena.tell(second, (1.0, 0.0))
    assert arena.tell(first, (1.0, 0.0)).duplicate, "what was acknowledged stays acknowledged"


def test_pause_resume_and_stop(arena):
    (lease,) = arena.ask()
    arena.pause()
    assert (arena.state, arena.ask()) == ("paused", [])
    assert arena.tell(lease, (1.0, 0.0)).counted
    arena.resume()
    (lease,) = arena.ask()
    arena.stop()
    assert (arena.state, arena.ask()) == ("stopped", [])
    with unchanged(arena):
        arena.stop()
    assert arena.tell(lease, (1.0, 0.0)).counted
    arena.resume()
    finish(arena)
    with unchanged(arena), pytest.raises(DataError, match="cannot become paused"):
        arena.pause()


def test_players_join_open_arenas_only(place, tmp_path):
    with Arena.create(place, small(open=True)) as arena:
        finish(arena)
        assert arena.state == "spent"
        arena.add_player("d")
        assert arena.state == "running"
        assert arena.spec.names == ("a", "b", "c", "d")
        with unchanged(arena), pytest.raises(DataError, match='"d" already'):
            arena.add_player(" d ")
    with Arena.open(place) as arena:
        assert arena.spec.names == ("a", "b", "c", "d")
        assert arena.verify().ok
    with (
        Arena.create(tmp_path / "closed.db", small()) as arena,
        unchanged(arena),
        pytest.raises(DataError, match="open"),
    ):
        arena.add_player("d")


def test_a_player_that_the_goal_cannot_take_is_refused_and_takes_nobody_with_it(place):
    with Arena.create(place, small(goal="place:a", budget=None, open=True)) as arena:
        with unchanged(arena), pytest.raises(EquipoiseError, match="cannot join"):
            arena.add_player("d")
        assert arena.spec.names == ("a", "b", "c")


def test_labels_keep_players_from_workers_that_cannot_run_them(place):
    players = ["a", "b", {"name": "big", "labels": ["gpu"]}]
    with Arena.create(place, small(players=players)) as arena:
        plain = arena.ask(n=12, labels=[])
        assert {name for lease in plain for name in lease.trial.players} == {"a", "b"}
        assert "big" in {name for lease in arena.ask(n=12, labels=["gpu"]) for name in lease.trial.players}
        with pytest.raises(ParameterError, match="labels"):
            arena.ask(labels="gpu")


def test_concurrency_limits_trials_at_once(place):
    with Arena.create(place, small(players=["a", "b", {"name": "c", "concurrency": 1}])) as arena:
        leases = arena.ask(n=12)
        with_c = [lease for lease in leases if "c" in lease.trial.players]
        assert len(with_c) == 1
        arena.tell(with_c[0], (0.5, 0.5))
        assert sum("c" in lease.trial.players for lease in arena.ask(n=12)) == 1


@pytest.mark.parametrize(("per_minute", "most"), [(2, 2), (0.5, 1)])
def test_a_rate_limit_holds_across_owners(place, per_minute, most):
    spec = small(players=["a", "b", {"name": "c", "per_minute": per_minute}])
    with Arena.create(place, spec) as arena:
        begun = [lease for lease in arena.ask(n=12) if "c" in lease.trial.players]
        assert len(begun) == most
        for lease in begun:
            arena.tell(lease, (0.5, 0.5))
    with Arena.open(place) as arena:
        assert not any("c" in lease.trial.players for lease in arena.ask(n=12))
        assert arena.verify().ok


def test_renewal_needs_progress(place):
    with Arena.create(place, small(lease=30.0, stall_after=45.0)) as arena:
        (lease,) = arena.ask()
        with unchanged(arena):
            renewed = arena.renew(lease, progress=1)
        assert renewed.until >= lease.until
        same = arena.renew(lease, progress=1)
        assert same.until <= renewed.until + 45.0
        assert replace(same, until=0) == replace(lease, until=0)


def test_what_is_not_a_lease_of_this_arena_is_refused(arena, tmp_path):
    (lease,) = arena.ask()
    with Arena.create(tmp_path / "other.db", small()) as other:
        (foreign,) = other.ask()
    stale = replace(lease, secret="0" * 32)
    future = replace(lease, attempt=2)
    for wrong, words in (
        (foreign, "of another arena"), (stale, "secret"), (future, "secret"), ("lease", "what ask gave"),
        (None, "what ask gave"),
    ):  # fmt: skip
        for call in (
            lambda wrong=wrong: arena.tell(wrong, (1.0, 0.0)),
            lambda wrong=wrong: arena.renew(wrong, progress=1),
            lambda wrong=wrong: arena.fail(wrong, "worker"),
            lambda wrong=wrong: arena.tell_many([{"lease": wrong, "scores": (1.0, 0.0)}]),
        ):
            with unchanged(arena), pytest.raises(LeaseError, match=words):
                call()


def test_a_lease_whose_trial_was_altered_is_refused(arena):
    (lease,) = arena.ask()
    for change in ({"seed": 1}, {"players": ("c", "b")}, {"task": "x"}, {"block": 7}):
        forged = replace(lease, trial=replace(lease.trial, **change))
        with unchanged(arena), pytest.raises(LeaseError, match="another copy"):
            arena.tell(forged, (1.0, 0.0))


WRONG_SCORES = [(1.0,), (1.0, 0.0, 0.0), (), (NAN, 0.0), (INF, 0.0), (0.0, -INF), (True, None), ("1", "0"),
                (None, 0.0), "10", 1.0, None, {0: 1.0, 1: 0.0}, (1.5, 0.0), (-0.1, 0.0), (1 + 0j, 0.0),
                (10**400, 0.0)]  # fmt: skip


def test_scores_that_are_none_change_nothing(place):
    with Arena.create(place, small(score_range=(0.0, 1.0))) as arena:
        (lease,) = arena.ask()
        for scores in WRONG_SCORES:
            with unchanged(arena), pytest.raises(DataError) as refusal:
                arena.tell(lease, scores)
            assert "\n" not in str(refusal.value)
            assert len(str(refusal.value)) < 300


WRONG_EXTRAS = [{"controls": {"luck": (1.0,)}}, {"controls": {"luck": (NAN, 0.0)}}, {"controls": {"": (1.0, 0.0)}},
                {"controls": [1.0, 0.0]}, {"costs": {"seconds": NAN}}, {"costs": {"seconds": "1"}},
                {"costs": {"s\ud800": 1.0}}, {"transcript": 7}, {"transcript": "zero \x00"},
                {"transcript": "half \ud800"}, {"key": ""}, {"key": 7}, {"key": "k" * 10_000}, {"key": "\x00"},
                {"key": "\udc00"}]  # fmt: skip


def test_what_goes_with_a_result_is_checked_too(arena):
    (lease,) = arena.ask()
    for extra in WRONG_EXTRAS:
        with unchanged(arena), pytest.raises((DataError, ParameterError)) as refusal:
            arena.tell(lease, (1.0, 0.0), **extra)
        assert "\n" not in str(refusal.value)
        assert len(str(refusal.value)) < 400


def test_a_message_of_any_characters_is_kept_readable(arena):
    (lease,) = arena.ask()
    arena.fail(lease, "worker", message="half \ud800 and\x00 zero")
    (failed,) = [event.content() for event in arena.events() if event.kind == "failed"]
    assert failed["message"] == r"half \ud800 and\x00 zero"


WRONG_CALLS = [
    (lambda arena, _: arena.ask(n=0), "n"),
    (lambda arena, _: arena.ask(n=1.5), "n"),
    (lambda arena, _: arena.ask(worker=""), "worker"),
    (lambda arena, _: arena.ask(worker="w\x00"), "control characters"),
    (lambda arena, _: arena.ask(wait=-1), "wait"),
    (lambda arena, _: arena.ask(wait=NAN), "wait"),
    (lambda arena, _: arena.ask(request=""), "request"),
    (lambda arena, _: arena.ask(request=5), "request"),
    (lambda arena, _: arena.ask(request="\x00"), "request"),
    (lambda arena, lease: arena.renew(lease, progress=NAN), "progress"),
    (lambda arena, lease: arena.renew(lease, progress="x"), "progress"),
    (lambda arena, lease: arena.fail(lease, "machine"), "fault"),
    (lambda arena, lease: arena.fail(lease, "player"), "seat"),
    (lambda arena, lease: arena.fail(lease, "player", seat=2), "seat"),
    (lambda arena, lease: arena.fail(lease, "player", seat=-1), "seat"),
    (lambda arena, lease: arena.fail(lease, "player", seat=True), "seat"),
    (lambda arena, lease: arena.fail(lease, "worker", message=7), "message"),
    (lambda arena, _: arena.void(0, "x"), "number"),
    (lambda arena, _: arena.void("1", "x"), "number"),
    (lambda arena, _: arena.void(1, ""), "reason"),
    (lambda arena, _: arena.void(1, "x" * 10_000), "reason"),
    (lambda arena, _: arena.tell_many(7), "list of results"),
    (lambda arena, lease: arena.tell_many({"lease": lease, "scores": (1.0, 0.0)}), "list of results"),
    (lambda arena, lease: arena.tell_many([{"lease": lease}]), "scores"),
    (lambda arena, lease: arena.tell_many([{"lease": lease, "scores": (1, 0), "transcrpt": ""}]), "transcript"),
    (lambda arena, _: arena.record_versions({"a": "1", "nobody": "2"}), "nobody"),
    (lambda arena, _: list(arena.events(after=-1)), "after"),
]


def test_arguments_that_make_no_sense_change_nothing(arena):
    (lease,) = arena.ask()
    for call, words in WRONG_CALLS:
        with unchanged(arena), pytest.raises(EquipoiseError, match=words) as refusal:
            call(arena, lease)
        assert "\n" not in str(refusal.value)


NAMES = [("", "empty"), ("   ", "empty"), ("x" * 10_000, "10,000 characters"), ("a\tb", "control"),
         ("a\x00", "control"), ("a\nb", "control"), ("\x1b[31mred", "control"), (7, "text"), (None, "text"),
         (" a", "twice")]  # fmt: skip


@pytest.mark.parametrize(("name", "words"), NAMES)
def test_names_that_nobody_could_tell_apart_are_refused(tmp_path, name, words):
    with pytest.raises((DataError, ParameterError), match=words) as refusal:
        Arena.create(tmp_path / "a.db", {"name": "n", "game": "g", "players": ["a", name], "budget": 4})
    assert len(str(refusal.value)) < 300
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"budgett": 4}, 'no key "budgett".*budget'),
        ({"goal": "odrer"}, "order"),
        ({"goal": "top:3"}, "top:K"),
        ({"goal": "top:x"}, "top:K"),
        ({"goal": "place:z"}, "no player"),
        ({"policy": "rankin"}, "ranking"),
        ({"forfeit": "los"}, "loss"),
        ({"level": 1.0}, "level"),
        ({"margin": 0.7}, "margin"),
        ({"budget": 0}, "budget"),
        ({"budget": "many"}, "budget"),
        ({"seats": 0}, "seats"),
        ({"seats": 33}, "seats"),
        ({"seats": 4}, "players"),
        ({"lease": 0}, "lease"),
        ({"lease": NAN}, "lease"),
        ({"stall_after": -1}, "stall_after"),
        ({"attempts": 0}, "attempts"),
        ({"score_range": (1, 0)}, "score_range"),
        ({"score_range": (0, INF)}, "score_range"),
        ({"seed": -1}, "seed"),
        ({"tasks": "abc"}, "tasks"),
        ({"tasks": ["x", " x "]}, "twice"),
        ({"players": ["a"]}, "players"),
        ({"players": []}, "players"),
        ({"players": "ab"}, "players"),
        ({"players": [{"name": "a", "bott": "x"}, "b"]}, 'no key "bott".*bot'),
        ({"players": [{"bot": "x"}, "b"]}, "name"),
        ({"luck": {"decide": True}}, "range"),
        ({"luck": {"contols": ["x"]}}, "controls"),
    ],
)
def test_a_spec_that_makes_no_sense_is_one_clear_line_and_no_file(tmp_path, change, words):
    good = {"name": "n", "game": "python:a:b", "players": ["a", "b", "c"], "goal": "budget", "budget": 4}
    with pytest.raises((DataError, ParameterError), match=words) as refusal:
        Arena.create(tmp_path / "a.db", good | change)
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_toml_names_its_file(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text('name = "n"\ngame = "g"\nbudgt = 4\n[[player]]\nname = "a"\n[[player]]\nname = "b"\n')
    with pytest.raises(DataError, match=r"s\.toml.*budgt.*budget"):
        Arena.create(tmp_path / "a.db", path)


def test_places_that_hold_no_arena(tmp_path, place):
    for wrong, words in (
        (tmp_path / "none.db", "there is no arena"), (tmp_path, "folder"), ("", "path"), ("mysql://x/y", "postgresql"),
    ):  # fmt: skip
        with pytest.raises(EquipoiseError, match=words):
            Arena.open(wrong)
    text = tmp_path / "text.db"
    text.write_text("not a database, but long enough to look at\n" * 10)
    with pytest.raises(EquipoiseError, match="no arena"):
        Arena.open(text)
    with Arena.create(place, small()), pytest.raises(EquipoiseError, match="already"):
        Arena.create(place, small())
    with pytest.raises(EquipoiseError, match="no folder"):
        Arena.create(tmp_path / "no" / "a.db", small())


def test_one_bad_request_in_a_shared_transaction_leaves_the_others_alone(place):
    """Requests that wait are written together: each gets its own answer."""
    with Arena.create(place, small(score_range=(0.0, 1.0))) as arena:
        leases = arena.ask(n=6)
        answers = {}
        gate = threading.Barrier(6)

        def tell(at, lease):
            gate.wait()
            try:
                answers[at] = arena.tell(lease, (5.0, 0.0) if at % 2 else outcome_of(lease.trial))
            except DataError as error:
                answers[at] = error

        threads = [threading.Thread(target=tell, args=pair) for pair in enumerate(leases)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [isinstance(answers[at], DataError) for at in range(6)] == [False, True] * 3
        assert arena.look(lambda state: state.counted) == 3
        assert arena.verify().ok
