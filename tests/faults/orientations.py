"""Tables of agents and tasks, each made from its number, that tell where agents stand by one sign; or by none.

``python -m tests.faults.orientations NUMBER`` shows one of them and what becomes of it.
"""

import io
import sys
from dataclasses import dataclass

import numpy as np

import equipoise as eq

SIGNS = ("header", "known", "scale", "long", "none")
AGENT_HEADERS = [
    "agent",
    "model",
    "Model",
    "player",
    "algorithm",
    "Method",
    "system",
    "bot",
    "classifier",
    "Algo",
    "team",
]
TASK_HEADERS = ["game", "Game", "env", "env_id", "Environment", "task", "Task", "dataset", "data set", "benchmark",
                "Games", "Env name", "question", "problem"]  # fmt: skip
ODD_HEADERS = ["", "", "x", "key", "label", "#", "entry"]
SUITES = [
    ["Alien", "Amidar", "Breakout", "Pong", "Qbert", "Seaquest", "Space Invaders", "Ms. Pacman", "Bank Heist"],
    ["alien", "amidar", "atlantis", "beam_rider", "montezuma_revenge", "up_n_down", "zaxxon", "private_eye"],
    ["QbertNoFrameskip-v4", "PongNoFrameskip-v4", "BreakoutNoFrameskip-v4", "BeamRiderNoFrameskip-v4"],
    ["HalfCheetah-v2", "Walker2d-v2", "Hopper-v2", "Ant-v2", "Humanoid-v4", "Swimmer-v3", "Reacher-v2"],
    ["Cheetah", "Walker", "Hopper", "Humanoid", "Reacher", "Swimmer"],
    ["CartPole-v1", "Acrobot-v1", "MountainCar-v0", "LunarLander-v2", "Pendulum-v1", "BipedalWalker-v3"],
    ["starpilot", "bossfight", "bigfish", "coinrun", "maze", "ninja", "plunder", "leaper"],
    ["cheetah_run", "walker_walk", "finger_spin", "cartpole_swingup", "humanoid_stand", "reacher_easy", "cup_catch"],
    ["MMLU", "ARC-c", "HellaSwag", "GSM8K", "TruthfulQA", "Winogrande", "HumanEval", "BBH", "MATH", "DROP"],
    ["mmlu", "gsm8k", "arc_challenge", "boolq", "piqa", "openbookqa", "hellaswag"],
    ["MMLU (5-shot)", "GSM8K (8-shot)", "HumanEval (0-shot)", "ARC (25-shot)"],
    ["CIFAR-10", "CIFAR-100", "ImageNet", "MNIST", "SVHN", "Fashion-MNIST"],
    ["abstract_algebra", "anatomy", "astronomy", "business_ethics", "virology", "world_religions"],
    ["iris", "wine", "breast-cancer", "digits", "vehicle", "yeast", "sonar"],
]  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A table as text, who its agents and tasks are, and the sign that tells which is which."""

    text: str
    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    sign: str


def made(number: int, seed: int = 0) -> Made:
    """Make a table."""
    rng = np.random.default_rng([seed, number])
    sign = SIGNS[int(rng.integers(len(SIGNS)))]
    tasks = _known(rng) if sign == "known" else _words(rng, int(rng.integers(2, 12)))
    if sign == "known" and rng.random() < 0.3:
        tasks = (*tasks, *_words(rng, max(len(tasks) // 2, 1)))
    agents = tuple(name for name in _words(rng, int(rng.integers(3, 12))) if name not in tasks)
    values = _scales(rng, len(agents), len(tasks)) if sign == "scale" else _scores(rng, len(agents), len(tasks))
    if sign == "long":
        return Made(_long(rng, agents, tasks, values), agents, tasks, sign)
    turned = bool(rng.integers(2))
    header = str(rng.choice(ODD_HEADERS))
    if sign == "header":
        header = str(rng.choice(TASK_HEADERS if turned else AGENT_HEADERS))
    rows, columns, cells = (tasks, agents, values.T) if turned else (agents, tasks, values)
    lines = [[header, *columns], *([name, *map(_cell, line)] for name, line in zip(rows, cells, strict=True))]
    if rng.random() < 0.2:  # runs of each row
        lines = [[name, run, *rest] for name, *rest in lines for run in ("01" if name != header else ["seed"])]
    if rng.random() < 0.1 and sign == "header":  # a text before the names
        lines = [[str(rng.choice(["easy", "hard"])) if place else "kind", *line] for place, line in enumerate(lines)]
    if rng.random() < 0.2:  # a gap
        lines[1][-1] = ""
    if rng.random() < 0.1 and turned and sign != "none":  # the mean of the tasks
        lines.append([*["Mean"] * (len(lines[0]) - len(columns)), *map(_cell, np.nanmean(cells, axis=0))])
    if rng.random() < 0.1:  # ragged
        lines[int(rng.integers(1, len(lines)))].append("7")
    separator = str(rng.choice([",", ",", ";", "\t"]))
    return Made("\n".join(separator.join(line) for line in lines) + "\n", agents, tasks, sign)


def answer(table: Made, on_error: str = "skip") -> str:
    """Read a table, and say what became of it: ``right``, ``turned``, or ``asked``."""
    try:
        scores = eq.read_scores(io.BytesIO(table.text.encode()), read=eq.ReadOptions(on_error=on_error))
    except eq.EquipoiseError as error:
        return "asked" if "\n" not in str(error) else "asked in several lines"
    if set(scores.agents) & set(table.tasks) or set(scores.tasks) & set(table.agents):
        return "turned"
    return "right"


def _words(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Make up names that nobody knows."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    names = {"".join(rng.choice(syllables, int(rng.integers(2, 5)))) + str(rng.choice(["", "", "x", "-q", "_w"]))
             for _ in range(count)}  # fmt: skip
    return tuple(
        sorted(names - {"time"})
    )  # the one word among them that says something: a column of times is asked back


def _known(rng: np.random.Generator) -> tuple[str, ...]:
    suite = SUITES[int(rng.integers(len(SUITES)))]
    return tuple(str(name) for name in rng.permutation(suite)[: int(rng.integers(2, len(suite) + 1))])


def _scores(rng: np.random.Generator, agents: int, tasks: int) -> np.ndarray:
    """Scores on one scale, of agents that differ; in none of these does a number tell who is who."""
    kind = int(rng.integers(5))
    ability, ease = rng.normal(0, 1, (agents, 1)), rng.normal(0, 1, (1, tasks))
    share = 1 / (1 + np.exp(-(ability + ease + rng.normal(0, 0.5, (agents, tasks)))))
    if kind == 0:
        return share.round(4)
    if kind == 1:
        return (100 * share).round(1)
    if kind == 2:
        return (share > rng.random((agents, tasks))).astype(float)
    if kind == 3:
        return rng.integers(0, 1000, (agents, tasks)).astype(float)
    return np.exp(rng.normal(0, 2, (agents, tasks))).round(4)


def _scales(rng: np.random.Generator, agents: int, tasks: int) -> np.ndarray:
    """Scores of tasks whose scales differ tenfold and more, of agents that differ threefold at most."""
    scale = 10.0 ** (rng.permutation(tasks) + rng.integers(-1, 3))
    skill = rng.uniform(0.5, 1.5, (agents, 1)) * rng.uniform(0.8, 1.2, (agents, tasks))
    sign = rng.choice([1, 1, 1, -1], (1, tasks))
    return skill * scale * sign


def _long(rng: np.random.Generator, agents: tuple[str, ...], tasks: tuple[str, ...], values: np.ndarray) -> str:
    header = [str(rng.choice(AGENT_HEADERS)), str(rng.choice(["task", "game", "env", "dataset", "Environment"])),
              str(rng.choice(["score", "value", "reward", "accuracy"]))]  # fmt: skip
    rows = [[a, t, _cell(values[i, j])] for i, a in enumerate(agents) for j, t in enumerate(tasks)]
    order = rng.permutation(3)
    return "\n".join(",".join(row[place] for place in order) for row in [header, *rows]) + "\n"


def _cell(value: float) -> str:
    return f"{value:.6g}"


if __name__ == "__main__":
    shown = made(int(sys.argv[1]))
    print(shown.text, shown.sign, answer(shown))
