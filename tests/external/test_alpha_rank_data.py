"""alpha-Rank on the public soccer and Kuhn tables: published figures, and agreement with OpenSpiel."""

import json
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq

RECORDED = json.loads((Path(__file__).parent / "openspiel_alpha_rank.json").read_text(encoding="utf-8"))
CASES = [name for name in RECORDED if name != "source"]
FILES = {"soccer": "soccer_winprob_10x10.csv"} | {f"kuhn{k}": f"kuhn_poker_{k}p_metagame.json" for k in (2, 3, 4)}


def game(folder: Path, name: str) -> eq.MetaGame:
    return eq.read_metagame(folder / "metagames" / FILES[name])


@pytest.mark.parametrize("case", CASES)
def test_masses_agree_with_openspiel(case: str, equipoise_data: Path) -> None:
    name, kind, value = case.split()
    options = {"alpha": float(value)} if kind == "alpha" else {"perturbation": float(value)}
    found = eq.alpha_rank(game(equipoise_data, name), **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.pi.ravel(), RECORDED[case], atol=1e-11)


def test_soccer_at_infinite_alpha(equipoise_data: Path) -> None:
    """Rowland et al. (2019), soccer: masses to the printed digits."""
    found = eq.alpha_rank(game(equipoise_data, "soccer"))
    np.testing.assert_allclose(found.pi, [0, 0.17, 0, 0.041, 0.137, 0, 0, 0.07, 0.163, 0.419], atol=5.1e-4)
    assert found.kind == "one sink component"
    assert len(found.mccs) == 1


@pytest.mark.parametrize(("alpha", "expected"), [(1.0, (0.8758, 0.1220)), (10.0, (1.0, 0.0)), (1e5, (1.0, 0.0))])
def test_kuhn_of_three_players(alpha: float, expected: tuple[float, float], equipoise_data: Path) -> None:
    found = eq.alpha_rank(game(equipoise_data, "kuhn3"), alpha=alpha)
    assert (found.pi[2, 2, 1], found.pi[2, 2, 2]) == pytest.approx(expected, abs=5.1e-5)


def test_kuhn_of_four_players_at_an_alpha_that_overflows_elsewhere(equipoise_data: Path) -> None:
    kuhn = game(equipoise_data, "kuhn4")
    for alpha in (10.0, 100.0, 1e4):
        pi = eq.alpha_rank(kuhn, alpha=alpha).pi
        assert np.isfinite(pi).all()
        assert pi.sum() == pytest.approx(1.0)
    limit = eq.alpha_rank(kuhn)
    assert np.abs(pi - limit.pi).max() < 1e-9
    assert np.abs(limit.pi - eq.alpha_rank(kuhn, perturbation="limit").pi).max() == pytest.approx(7.9e-5, abs=1e-6)


def test_completion_of_soccer_gets_better_with_more_observed(equipoise_data: Path) -> None:
    truth = game(equipoise_data, "soccer").payoffs[0]
    ranks = eq.alpha_rank(eq.PairTable.from_matrix(truth)).ranks()
    i, j = np.triu_indices(10, 1)
    mean = []
    for rate in (0.5, 0.9):
        rng = np.random.default_rng(0)
        errors = []
        for _ in range(10):
            seen = truth.copy()
            hidden = rng.choice(45, round(45 * (1 - rate)), replace=False)
            seen[i[hidden], j[hidden]] = seen[j[hidden], i[hidden]] = np.nan
            filled = eq.complete(eq.PairTable.from_matrix(seen), rank=4, space="logit").table()
            errors.append(eq.kendall_distance(eq.alpha_rank(filled).ranks(), ranks))
        mean.append(float(np.mean(errors)))
    assert mean[0] > 2 * mean[1]
