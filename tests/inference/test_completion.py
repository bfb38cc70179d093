"""Completion gives back what a low-rank table hides."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.inference.completion import complete_matrix


def table(seed: int, n: int = 9, hidden: int = 8) -> tuple[np.ndarray, eq.PairTable]:
    rng = np.random.default_rng(seed)
    r = rng.normal(size=n)
    p = 1 / (1 + np.exp(r[None, :] - r[:, None]))
    q = p.copy()
    i, j = np.triu_indices(n, 1)
    for k in rng.choice(i.size, hidden, replace=False):
        q[i[k], j[k]] = q[j[k], i[k]] = np.nan
    return p, eq.PairTable.from_matrix(q)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_recovered_in_logit_space(seed: int) -> None:
    truth, t = table(seed)
    found = eq.complete(t, rank=2, space="logit", ridge=1e-5)
    assert np.abs(found.probabilities - truth).max() < 0.01
    np.testing.assert_allclose(found.probabilities + found.probabilities.T, 1.0)
    observed = found.observed
    np.testing.assert_allclose(found.probabilities[observed], truth[observed])


@pytest.mark.parametrize("space", ["payoff", "logit", "odds"])
def test_every_space_gives_win_rates_better_than_a_guess(space: str) -> None:
    errors, guesses = [], []
    for seed in range(5):
        truth, t = table(seed)
        found = eq.complete(t, rank=2, space=space)  # type: ignore[arg-type]
        hidden = ~found.observed
        errors.append(np.abs(found.probabilities - truth)[hidden].mean())
        guesses.append(np.abs(0.5 - truth)[hidden].mean())
        assert found.probabilities.min() >= 0.0
        assert found.probabilities.max() <= 1.0
    assert np.mean(errors) < 0.6 * np.mean(guesses)


def test_a_sweep_never_raises_the_loss() -> None:
    rng = np.random.default_rng(0)
    values, observed = rng.normal(size=(8, 8)), rng.random((8, 8)) < 0.7
    losses = []
    for sweeps in (1, 2, 5, 20, 100):
        found, _ = complete_matrix(values, observed, 2, ridge=1e-9, iterations=sweeps)
        losses.append(float(np.sum((found - values)[observed] ** 2)))
    assert np.all(np.diff(losses) <= 1e-9)


def test_thin_rows_are_told_and_lonely_agents_refused() -> None:
    nan = np.nan
    chain = [[0.5, 0.6, nan], [0.4, 0.5, 0.7], [nan, 0.3, 0.5]]
    assert "thin-rows" in {note.code for note in eq.complete(eq.PairTable.from_matrix(chain)).diagnostics}
    alone = [[0.5, 0.6, nan], [0.4, 0.5, nan], [nan, nan, 0.5]]
    with pytest.raises(eq.DataError, match="met nobody"):
        eq.complete(eq.PairTable.from_matrix(alone, agents="abc"))


@pytest.mark.parametrize(
    ("options", "words"), [({"rank": 0}, "rank"), ({"space": "logits"}, "logit"), ({"ridge": -1.0}, "ridge")]
)
def test_bad_options_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(eq.ParameterError, match=words):
        eq.complete(table(0)[1], **options)  # type: ignore[arg-type]
