import pytest

import equipoise as eq


def spec(**more):
    return eq.ArenaSpec(name="x", game="python:x:y", players=["a", "b"], goal="budget", policy="round-robin", **more)


def test_a_block_is_played_twice_the_second_time_with_the_odd_seed(tmp_path):
    with eq.Arena.create(tmp_path / "x.db", spec(budget=8, antithetic=True)) as arena:
        trials = [lease.trial for lease in arena.ask(n=20)]
    assert [trial.block for trial in trials] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert [trial.players[0] for trial in trials[:4]] == ["a", "b", "a", "b"]
    even, odd = trials[0].seed, trials[2].seed
    assert [trial.seed for trial in trials[:4]] == [even, even, odd, odd]
    assert (even % 2, odd) == (0, even + 1)


def test_luck_that_twins_cancel_leaves_no_noise_in_the_standings(tmp_path):
    with eq.Arena.create(tmp_path / "x.db", spec(budget=200, antithetic=True, luck={})) as arena:
        while leases := arena.ask(n=4):
            for lease in leases:
                u = (lease.trial.seed // 2 % 1000) / 1000
                luck = (u if lease.trial.seed % 2 == 0 else 1 - u) - 0.5
                skill = 0.1 if lease.trial.players[0] == "a" else -0.1
                arena.tell(lease, (0.5 + skill + 0.3 * luck, 0.5 - skill - 0.3 * luck))
        standings = arena.standings()
        assert arena.verify().ok
    assert standings.adjusted == pytest.approx([0.6, 0.4])
    assert standings.adjusted_high - standings.adjusted_low == pytest.approx([0.0, 0.0], abs=1e-9)
