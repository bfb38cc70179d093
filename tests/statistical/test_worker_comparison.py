"""Honest workers are accused in less than one arena of a hundred, however often one looks; forgers are found."""

import numpy as np

from equipoise.web.worker_comparison import WorkerComparison
from tests.statistical.honesty import record

PLAYERS = ("a", "b", "c", "d")


def accused(rng: np.random.Generator, games: int, forged: float = 0.0, *, draws: bool = False) -> set[str]:
    """Play between four players with three workers, of whom one may make up games of "b"; give all who are accused."""
    compared, found = WorkerComparison(), set()
    strength = rng.normal(0.0, 1.0, len(PLAYERS))
    for trial in range(games):
        i, j = rng.permutation(len(PLAYERS))[:2]
        p = 1.0 / (1.0 + np.exp(strength[j] - strength[i]))
        score = 0.5 if draws and rng.random() < 0.3 else float(rng.random() < p)
        worker = f"w{rng.integers(3)}"
        players = [PLAYERS[i], PLAYERS[j]]
        if worker == "w2" and "b" in players and rng.random() < forged:
            score = float(players[0] == "b")
        compared.result(
            {"players": players, "task": None, "worker": worker, "normalised": [score, 1.0 - score], "trial": trial}
        )
        if compared._results * 2 == compared._next:
            found |= {name for name in ("w0", "w1", "w2") if compared.of(name)["differs"]}
    return found


def test_honest_workers_are_rarely_accused_at_any_look():
    rng = np.random.default_rng(71)
    runs = 400
    wrong = sum(bool(accused(rng, 400, draws=bool(run % 2))) for run in range(runs))
    record("an honest worker is accused", 0.01, wrong / runs)
    assert wrong <= 9  # of 400 with probability 1/100: more than 9 has probability 0.8%


def test_a_forger_is_found():
    rng = np.random.default_rng(72)
    found = {share: sum("w2" in accused(rng, 800, share) for _ in range(40)) / 40 for share in (1.0, 0.5)}
    record("a forger of all and of half the games of a player is found", 0.3, list(found.values()))
    assert found[1.0] >= 0.9
    assert found[0.5] >= 0.3
