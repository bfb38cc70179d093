"""Small files that ``make same`` reads in both trees: votes with every column that a command may ask for, and others.

They are drawn with Python's own generator, whose numbers are the same everywhere.
"""

import csv
import json
import random
from collections.abc import Iterable
from itertools import product
from pathlib import Path

__all__ = ["make_files"]

AGENTS = {"ant": 0.8, "bee": 0.6, "cat": 0.2, "dog": 0.0, "eel": -0.4, "fox": -0.9}
NEW = {"gnu": 0.5, "hen": -0.2}
LANGUAGES = ("English", "German", "Polish")
# Two players: with more, which pair is next follows the results that are there when a worker asks, a matter of time.
# Arenas that choose are played by a call of the library, a trial after the other.
SPEC = """
name = "Kuhn bots"
game = "kuhn"
score_range = [-2, 2]
goal = "budget"
budget = 120
seed = {seed}

[[player]]
name = "nash"

[[player]]
name = "caller"
"""


def make_files(folder: Path) -> None:
    """Write the files into a folder."""
    folder.mkdir()
    _write(folder / "votes.csv", _votes(600, AGENTS, seed=1))
    _write(folder / "more.csv", _votes(500, AGENTS, seed=2))
    _write(folder / "newcomers.csv", _votes(500, AGENTS | NEW, seed=3))
    _write(folder / "islands.csv", [*_votes(60, AGENTS, seed=4), *_votes(20, NEW, seed=5)])
    against = [row for row in _votes(3000, AGENTS, seed=6) if "dog" in (row["model_a"], row["model_b"])]
    _write(folder / "against.csv", against)
    _write(folder / "answers.csv", _answers(seed=7))
    _write(folder / "later.csv", _answers(seed=9))
    _write(folder / "training.csv", _training(seed=8))
    _write(
        folder / "gaps.csv",
        [{"agent": "a", "x": 1, "y": 2}, {"agent": "b", "x": "", "y": 3}, {"agent": "c", "x": 2, "y": ""}],
    )
    _write(folder / "human.csv", [{"task": f"env{task}", "random": 0, "human": 10 + task} for task in range(4)])
    _write(
        folder / "broken.csv",
        [
            {"model_a": "ant", "model_b": "bee", "winner": "model_a"},
            {"model_a": "ant", "model_b": "bee", "winner": "perhaps"},
        ],
    )
    (folder / "empty.csv").write_text("")
    payoffs = [[[3, 0, 1], [5, 1, 0]], [[3, 5, 2], [0, 1, 2]]]
    strategies = [["cooperate", "defect"], ["left", "middle", "right"]]
    (folder / "game.json").write_text(json.dumps({"strategies": strategies, "payoffs": payoffs}))
    for name, seed in (("kuhn", 3), ("open", 4)):
        (folder / f"{name}.toml").write_text(SPEC.format(seed=seed))


def _votes(rows: int, agents: dict[str, float], *, seed: int) -> list[dict[str, object]]:
    rng = random.Random(seed)
    names = list(agents)
    return [_vote(number, rng, names, agents) for number in range(rows)]


def _vote(number: int, rng: random.Random, names: list[str], strength: dict[str, float]) -> dict[str, object]:
    first, second = rng.sample(names, 2)
    language = rng.choice(LANGUAGES)
    longer = rng.gauss(0, 1)
    ahead = (
        strength[first]
        - strength[second]
        + 0.15
        + 0.4 * longer
        + (0.5 if (first, language) == ("cat", "German") else 0)
    )
    luck = rng.gauss(0, 1.7) + ahead
    winner = "model_a" if luck > 0.4 else "model_b" if luck < -0.4 else rng.choice(["tie", "tie (bothbad)"])
    return {
        "model_a": first, "model_b": second, "winner": winner, "voter": f"v{rng.randrange(40)}",
        "prompt": f"p{rng.randrange(60)}", "language": language, "turn": rng.randint(1, 4),
        "time": f"2024-0{1 + number // 120 % 9}-{1 + number // 5 % 24:02d}", "anony": rng.random() < 0.8,
        "length_a": round(500 + 100 * longer), "length_b": 500, "bold_a": rng.randrange(4), "bold_b": rng.randrange(4),
    }  # fmt: skip


def _answers(*, seed: int) -> list[dict[str, object]]:
    """Answers of 60 agents to 20 items; the last ten answered a random half."""
    rng = random.Random(seed)
    rows: list[dict[str, object]] = []
    for agent in range(60):
        right = [int(rng.gauss(0, 1.5) + agent / 20 - 1.5 > item / 8 - 1.2) for item in range(20)]
        shown: list[object] = [x if agent < 50 or rng.random() < 0.5 else "" for x in right]
        rows.append({"agent": f"a{agent}"} | {f"i{item}": x for item, x in enumerate(shown)})
    return rows


def _training(*, seed: int) -> list[dict[str, object]]:
    rng = random.Random(seed)
    rows = product((("ppo", 1.0), ("dqn", 0.8), ("a2c", 0.5)), range(4), range(3), range(1, 6))
    return [
        {"algo": algo, "env": f"env{env}", "seed": run, "frames": step * 1000}
        | {"return": round(level * step * (1 + env) + rng.gauss(0, 1), 3)}
        for (algo, level), env, run, step in rows
    ]


def _write(path: Path, rows: Iterable[dict[str, object]]) -> None:
    rows = list(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
