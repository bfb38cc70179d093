"""Counting plain results of many pairs by compiled loops gives what adding them up row by row gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.data.encode import pair_sums
from equipoise.data.types.pairs import PairTable


def rows(seed: int, agents: int, count: int, scores: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.integers(agents, size=count).astype(np.int32)
    second = ((first + rng.integers(1, agents, size=count)) % agents).astype(np.int32)
    return first, second, rng.choice(scores, size=count)


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 100))
@settings(max_examples=40, deadline=None)
def test_many_pairs_are_counted_as_few_are(seed: int, agents: int, count: int) -> None:
    names = tuple(f"a{k:02}" for k in range(agents))
    columns = rows(seed, agents, count, [0.0, 0.5, 1.0])
    plain = PairTable.from_outcomes(names, *columns, None)
    games, score = plain.games_of_agents(), plain.scores_of_agents()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pair_sums, "LONG", 0)
        many = PairTable.from_outcomes(names, *columns, None)
        np.testing.assert_array_equal(many.games_of_agents(), games)
        np.testing.assert_array_equal(many.scores_of_agents(), score)
    for name in ("first", "second", "wins", "losses", "ties"):
        np.testing.assert_array_equal(getattr(many, name), getattr(plain, name))
        assert getattr(many, name).dtype == getattr(plain, name).dtype
        assert not getattr(many, name).flags.writeable


def test_scores_between_are_not_counted_as_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_sums, "LONG", 0)
    columns = rows(1, 5, 40, [0.0, 0.7, 1.0])
    assert pair_sums.many_pairs(*columns, 5) is None
    table = PairTable.from_outcomes(tuple("vwxyz"), *columns, None)
    assert table.shared is not None
    assert table.games.sum() == pytest.approx(40)
