"""Run cases of the command line and of the library in one process, and keep what they gave: part of ``make same``.

    python -m tools.same_runner TREE CASES OUTPUT

It runs with the code of TREE, whose modules may lie elsewhere than here: it asks for nothing but the entry point of the
command line and the names of ``import equipoise``.
"""

import contextlib
import io
import json
import os
import re
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.same_calls import MissingNameError, answer_of

COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BINARY = {"parquet", "arrow"}
"""Tables whose bytes tell nothing: they are compared as CSV."""
KEPT_OUT = {"db", "db-wal", "db-shm", "png", "lock", "pyc"}
"""Files with times or compressed pictures in them; what is in them is asked for by other cases."""


class Terminal(io.TextIOWrapper):
    """Collects what is printed, and says that it is a terminal."""

    def isatty(self) -> bool:
        """Say yes, so that tables are set for the 80 columns that the environment names."""
        return True

    def text(self) -> str:
        """Give what was printed, without colours."""
        self.flush()
        printed: io.BytesIO = self.buffer  # type: ignore[assignment]  # as it was made
        return COLOURS.sub("", printed.getvalue().decode())


def run_case(case: dict[str, Any]) -> dict[str, Any]:
    """Run one case in the current folder; give its exit code, output, warnings and the files that it wrote."""
    before = set(_files())
    printed, errors = Terminal(io.BytesIO(), encoding="utf-8"), io.StringIO()
    started = time.process_time()
    with _streams(printed, errors, case.get("stdin")), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        code = _call(case["name"], printed) if case["argv"] is None else _command(case["argv"])
    said = sorted({f"{warning.category.__name__}: {warning.message}" for warning in warned})
    return {
        "name": case["name"],
        "kind": case["kind"],
        "changing": case["changing"],
        "code": code,
        "stdout": printed.text(),
        "stderr": "\n".join([errors.getvalue(), *said]),
        "files": {str(path): _content(path) for path in sorted(set(_files()) - before)},
        "seconds": time.process_time() - started,
    }


def _command(argv: list[str]) -> int | str:
    from equipoise.cli.main import main

    try:
        return main(list(argv))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except Exception as error:  # whatever it is, it is what the case gave
        return _raised(error)


def _call(name: str, printed: Terminal) -> int | str:
    import equipoise

    try:
        json.dump(answer_of(name, equipoise), printed, indent=1)
    except MissingNameError as missing:
        return f"skipped: this tree has no {missing}"
    except Exception as error:  # whatever it is, it is what the case gave
        return _raised(error)
    return 0


def _raised(error: Exception) -> str:
    if os.environ.get("SAME_TRACEBACKS"):
        traceback.print_exception(error, file=sys.__stderr__)
    return f"raised {type(error).__name__}: {error}"


@contextlib.contextmanager
def _streams(printed: Terminal, errors: io.StringIO, stdin: str | None) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(errors))
        given = stack.enter_context(open(stdin or os.devnull, encoding="utf-8"))
        before, sys.stdin = sys.stdin, given
        stack.callback(setattr, sys, "stdin", before)
        yield


def _files() -> Iterator[Path]:
    """Give the files below the current folder, without the public data (a link) and journals, which hold the time."""
    for folder, _, names in os.walk("."):
        if folder == "./unread":
            continue
        yield from (Path(folder, name) for name in names if name.rpartition(".")[2] not in KEPT_OUT)


def _content(path: Path) -> str:
    suffix = path.suffix.lstrip(".")
    if suffix in BINARY:
        import polars as pl

        frame = pl.read_parquet(path) if suffix == "parquet" else pl.read_ipc(path)
        return frame.write_csv()
    return path.read_text(encoding="utf-8", errors="replace")


def run_all(tree: Path, cases: Path, output: Path) -> None:
    """Run the cases of a file one after the other; each answer is a line of the output.

    Fails when
        another tree's package is the one that is imported.
    """
    import equipoise

    if not Path(equipoise.__file__).is_relative_to(tree):
        raise RuntimeError(f"equipoise comes from {equipoise.__file__}, not from {tree}")
    version = re.compile(rf"(?<![\d.]){re.escape(equipoise.__version__)}(?![\d.])")
    with output.open("w", encoding="utf-8") as file:
        for case in json.loads(cases.read_text(encoding="utf-8")):
            answer = json.dumps(run_case(case))
            file.write(version.sub("VERSION", answer.replace(str(tree), "TREE")) + "\n")
            file.flush()


if __name__ == "__main__":
    run_all(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
