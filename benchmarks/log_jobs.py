"""Logs of other tools, from disk to a data set, beside the plain cost of reading their bytes."""

import atexit
import json
import shutil
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

BLOCK = 1 << 23
PLAYERS, MODELS, ANSWER = 2_000, 10, 2_000_000
MOVES = " ".join(f"{k}. e4 {{ [%clk 0:01:00] }} e5 {{ [%clk 0:01:00] }}" for k in range(1, 31))
RESULTS = ("1-0", "0-1", "1/2-1/2")
TAGS = '[WhiteElo "1500"]\n[BlackElo "1500"]\n[ECO "B01"]\n[Opening "Scandinavian"]\n[TimeControl "300+0"]\n'


def folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="bench-"))
    atexit.register(shutil.rmtree, made, True)
    return made


def games(count: int) -> Path:
    """Write chess games as servers do: fifteen headers, and moves with clocks."""
    rng = np.random.default_rng(0)
    white = rng.integers(PLAYERS, size=count)
    black = (white + rng.integers(1, PLAYERS, size=count)) % PLAYERS
    ends = rng.integers(3, size=count)
    path = folder() / "games.pgn"
    with path.open("w", encoding="ascii") as file:
        for k in range(count):
            end, day = RESULTS[ends[k]], f"2024.01.{1 + k % 28:02d}"
            file.write(
                f'[Event "Rated"]\n[Site "{k}"]\n[Date "{day}"]\n[Round "-"]\n[White "player{white[k]}"]\n'
                f'[Black "player{black[k]}"]\n[Result "{end}"]\n[UTCDate "{day}"]\n[UTCTime "10:{k % 60:02d}:00"]\n'
                f'{TAGS}[Termination "Normal"]\n\n{MOVES} {end}\n\n'
            )
    return path


def samples(count: int) -> Path:
    """Write samples of the harness, ten models on the same documents, 600 bytes each."""
    rng = np.random.default_rng(0)
    place = folder()
    for model in range(MODELS):
        (place / f"org__m{model}").mkdir()
        right = rng.random(count // MODELS) < 0.4 + 0.03 * model
        row = json.dumps({
            "doc": {"question": "word " * 20}, "target": "x", "arguments": {"a": "y" * 200}, "resps": [["z" * 100]],
            "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"], "doc_hash": "h" * 64,
        })[1:]  # fmt: skip
        with (place / f"org__m{model}" / "samples_quiz_2025-01-01T00-00-00.0.jsonl").open("w") as file:
            file.writelines(f'{{"doc_id": {k}, "acc": {float(good)}, {row}\n' for k, good in enumerate(right))
    return place


def archives(megabytes: int) -> Path:
    """Write archives as Inspect does: summaries of the samples, and each sample whole, which is most of it."""
    place = folder()
    answer = bytes(ANSWER)
    each = max(1, megabytes * 1_000_000 // MODELS // ANSWER)
    for model in range(MODELS):
        head = {"status": "success", "eval": {"task": "quiz", "model": f"m{model}", "task_id": str(model)}}
        short = [{"id": k, "epoch": 1, "scores": {"match": {"value": "CI"[k % 2]}}} for k in range(each)]
        with zipfile.ZipFile(place / f"{model}.eval", "w") as archive:
            archive.writestr("header.json", json.dumps(head))
            archive.writestr("summaries.json", json.dumps(short))
            for k in range(each):
                archive.writestr(f"samples/{k}_epoch_1.json", answer)
    return place


def ours(path: Path) -> Answer:
    import equipoise as eq

    data = eq.read(path)
    return {"agents": float(len(data.agents))}


def plain_bytes(path: Path) -> Answer:
    """Read every byte, and do nothing with it."""
    for file in [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]:
        with file.open("rb") as stream:
            while stream.read(BLOCK):
                pass
    return {}


def same_agents(ours: Answer, theirs: Answer) -> Agreement:
    return ours["agents"] == theirs["agents"], f"agents {ours['agents']:,.0f} and {theirs['agents']:,.0f}"


JOBS = tuple(
    Job(
        name,
        make,
        (Side("equipoise", ours), Side("bytes", plain_bytes, note="read the bytes only")),
        sizes,
        quick,
        lambda size, unit=unit: f"{size:,} {unit}",
        same_agents,
        floor="bytes",
    )
    for name, make, unit, sizes, quick in (
        ("chess games by their headers", games, "games", (10_000, 100_000, 1_000_000), (10_000, 50_000)),
        ("samples of lm-evaluation-harness", samples, "rows", (10_000, 100_000, 1_000_000), (10_000, 50_000)),
        ("a folder of Inspect archives", archives, "MB", (20, 200, 2_000), (20, 100)),
    )
)  # fmt: skip
