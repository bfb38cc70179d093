"""Write a table as a gzip CSV whose bytes depend on the table alone (no name, no time in the header)."""

import csv
import gzip
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

BUNDLED = Path(__file__).resolve().parents[2] / "src" / "equipoise" / "data" / "bundled"


def write(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write ``<name>.csv.gz`` among the bundled data and say so."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    path = BUNDLED / f"{name}.csv.gz"
    path.write_bytes(gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0))
    print(f"{path.name}: {path.stat().st_size:,} bytes")
    return path
