"""Blocks that are whole sessions: many sets of paired games that count as one score."""

import pytest

import equipoise as eq


def made(path, **options):
    spec = eq.ArenaSpec(**({"name": "x", "game": "python:a:b", "players": ["a", "b"], "session": 5} | options))
    return eq.Arena.create(path / "x.db", spec)


def played(arena, games):
    """Play so many games, which a wins; give their trials."""
    trials = []
    for _ in range(games):
        [lease] = arena.ask(worker="w")
        first = float(lease.trial.players[0] == "a")
        arena.tell(lease, scores=(first, 1.0 - first))
        trials.append(lease.trial)
    return trials


@pytest.mark.parametrize(("antithetic", "each"), [(False, 2), (True, 4)])
def test_a_session_is_one_block_of_sets_with_seeds_of_their_own(tmp_path, antithetic, each):
    with made(tmp_path, antithetic=antithetic) as arena:
        trials = played(arena, 5 * each)
        assert len({trial.block for trial in trials}) == 1
        sets = [trials[at : at + each] for at in range(0, len(trials), each)]
        assert all([trial.players for trial in one] == [("a", "b"), ("b", "a")] * (each // 2) for one in sets)
        assert len({one[0].seed for one in sets}) == 5
        assert all((one[-1].seed == one[0].seed + 1) == antithetic for one in sets)
        assert arena.standings(verdict=False).progress.trials == 5 * each


def test_many_games_of_one_session_are_one_piece_of_evidence(tmp_path):
    with made(tmp_path, session=100) as arena:
        played(arena, 200)
        assert not arena.decisions()
        assert arena.standings(verdict=False).progress.trials == 200
        while arena.state == "running":
            played(arena, 200)
        [decision] = [one.decision for one in arena.decisions()]
        assert decision.blocks >= 6  # sessions; two players need evidence 40, and a session at most doubles it
        assert f"after {200 * decision.blocks:,} games" in decision.sentence
        assert arena.verify().ok


def test_a_session_goes_on_after_the_arena_was_closed(tmp_path):
    with made(tmp_path) as arena:
        before = played(arena, 3)
    with eq.Arena.open(tmp_path / "x.db") as arena:
        after = played(arena, 7)
        assert {trial.block for trial in before + after} == {1}
        assert len({trial.seed for trial in before + after}) == 5


@pytest.mark.parametrize("wrong", [{"session": 0}, {"tasks": ["t"]}, {"goal": "profile"}])
def test_sessions_are_for_pairs_without_tasks(tmp_path, wrong):
    with pytest.raises(eq.EquipoiseError, match="session"):
        made(tmp_path, **wrong)
