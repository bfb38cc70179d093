"""Reading a long match log, against the least polars needs to scan and group the same file.

Usage: python benchmarks/reading.py [--rows 10_000_000] [--parquet-rows 100_000_000] [--folder DIR]

Prints medians of interleaved repeats and their ratio; with --parquet-rows also the peak memory of a process that
reads so many rows of Parquet.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import equipoise as eq

AGENTS = 200
PEAK = """
import resource, sys
import equipoise as eq
table = eq.read_pairs(sys.argv[1])
print(int(table.games.sum()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def log(rows: int, seed: int) -> pl.DataFrame:
    """Draw a log of matches between named agents."""
    rng = np.random.default_rng(seed)
    names = pl.Series([f"model-{k:03d}-chat" for k in range(AGENTS)])
    a = rng.integers(AGENTS, size=rows)
    b = (a + rng.integers(1, AGENTS, size=rows)) % AGENTS
    words = pl.Series(["model_a", "model_b", "tie"])
    return pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": words[rng.integers(3, size=rows)]})


def floor(path: Path) -> pl.DataFrame:
    """Scan and group: the least that anybody has to do."""
    return pl.scan_csv(path).group_by("model_a", "model_b", "winner").len().collect(engine="streaming")


def timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(path: Path, repeats: int) -> None:
    ours, theirs = [], []
    for _ in range(repeats):
        theirs.append(timed(lambda: floor(path)))
        ours.append(timed(lambda: eq.read_pairs(path)))
    mine, base = statistics.median(ours), statistics.median(theirs)
    print(f"csv to pairs: polars scan and group {base:.2f} s, equipoise {mine:.2f} s, ratio {mine / base:.2f}")


def peak(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    games, kilobytes = map(int, done.stdout.split())
    print(f"parquet to pairs: {games:,} rows, peak memory {kilobytes / 2**20:.2f} GiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--parquet-rows", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "log.csv"
        log(options.rows, 1).write_csv(path)
        compare(path, options.repeats)
        path.unlink()
        if options.parquet_rows:
            path = Path(folder) / "log.parquet"
            part = log(5_000_000, 2)
            copies = pl.concat([part.lazy()] * (options.parquet_rows // part.height))
            copies.sink_parquet(path)
            del part
            peak(path)


if __name__ == "__main__":
    main()
