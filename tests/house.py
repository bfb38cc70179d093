"""Counts the house, for docs/design.md: modules, lines, modules with one importer, short ones, the hops of commands.

    python -m tests.house

A *hop* is a call from a function of one room to a function of another, while a command runs on a small file. What lies
between the two from other packages (NumPy, typer) is passed over. Hops between *rooms* pass over the single modules
beside the rooms too (errors, results, declaration ...): they belong to everybody. Hops between all *parts* count each
of those modules as a room of its own.
"""

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from types import FrameType

from tests.layers import exported, imports, known_module

SHORT = 60
"""Lines below which a module is short."""


@dataclass(frozen=True)
class Counts:
    """What the tree holds; ``__init__`` files are lines, but no modules."""

    modules: int
    lines: int
    one_importer: list[str]
    short: list[str]


def count_modules(root: Path) -> Counts:
    """Count the modules and lines of a package, and name those with one importer and the short ones."""
    exports = exported(root)
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in root.rglob("*.py")}
    modules = {_dotted(path, root): path for path in sizes if path.stem not in {"__init__", "__main__"}}
    importers = Counter(
        target
        for name, path in modules.items()
        for target in {known_module(target, modules) for target in imports(path, exports)} - {name}
    )
    return Counts(
        modules=len(modules),
        lines=sum(sizes.values()),
        one_importer=sorted(name for name in modules if importers[name] == 1),
        short=sorted(name for name, path in modules.items() if sizes[path] < SHORT),
    )


@dataclass
class Hops:
    """The calls between rooms: how often a function of one called which function of another."""

    root: Path
    parts: bool
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def routes(self) -> Counter[str]:
        """The pairs of rooms, as ``room -> room``, with how often each was gone."""
        routes = Counter[str]()
        for (source, target), often in self.calls.items():
            routes[f"{room_of(source)} -> {room_of(target)}"] += often
        return routes

    def watch(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call; given to ``sys.setprofile``."""
        if event != "call" or not (target := self._function(frame)):
            return
        caller = frame.f_back
        while caller and not (source := self._function(caller)):
            caller = caller.f_back
        if caller and room_of(source) != room_of(target):
            self.calls[source, target] += 1

    def _function(self, frame: FrameType) -> str:
        """Name a function as ``room.module.function``; nothing for code that is passed over."""
        path = frame.f_code.co_filename
        if not path.startswith(str(self.root)) or frame.f_code.co_name == "<module>":
            return ""
        parts = Path(path).relative_to(self.root).with_suffix("").parts
        return ".".join((*parts, frame.f_code.co_qualname)) if self.parts or len(parts) > 1 else ""


def room_of(function: str) -> str:
    """Give the room of a function named as ``room.module.function``."""
    return function.partition(".")[0]


def hops_of(run: Callable[[], object], root: Path, parts: bool = False) -> Hops:
    """Run something and count the calls between rooms. It runs once before, so that loading modules is not counted."""
    hops = Hops(root, parts)
    with contextlib.redirect_stdout(io.StringIO()):
        run()
        sys.setprofile(hops.watch)
        try:
            run()
        finally:
            sys.setprofile(None)
    return hops


def small_matches() -> Iterator[str]:
    """Six agents, each pair ten games, the first usually stronger, and a cycle at the top."""
    yield "a,b,outcome"
    for i, j in combinations(range(6), 2):
        wins = 3 if (i, j) == (0, 2) else 6 + (j - i) // 2
        yield from (f"agent{i},agent{j},{int(k < wins)}" for k in range(10))


def small_scores() -> Iterator[str]:
    """Twelve agents on eight tasks, right or wrong; the later the agent, the more often right."""
    yield "agent," + ",".join(f"task{j}" for j in range(8))
    for i in range(12):
        yield f"agent{i}," + ",".join(str(int((7 * i + 5 * j + i * j) % 12 < i)) for j in range(8))


def main() -> int:
    """Print the counts of the package that is imported here."""
    import equipoise
    from equipoise.cli.main import main as command

    root = Path(equipoise.__file__).parent
    counts = count_modules(root)
    print(f"{counts.modules} modules, {counts.lines} lines")
    print(f"{len(counts.one_importer)} modules with one importer; {len(counts.short)} of under {SHORT} lines")
    with tempfile.TemporaryDirectory() as folder:
        matches, scores = Path(folder) / "matches.csv", Path(folder) / "scores.csv"
        matches.write_text("\n".join(small_matches()))
        scores.write_text("\n".join(small_scores()))
        for name, file in (("rank", matches), ("irt", scores), ("tasks", scores)):
            run = partial(command, [name, str(file)])
            rooms, parts = hops_of(run, root), hops_of(run, root, parts=True)
            print(
                f"{name}: {parts.calls.total()} hops between parts, {rooms.calls.total()} of them between rooms, "
                f"by {len(rooms.calls)} pairs of functions and {len(rooms.routes)} pairs of rooms"
            )
            print("   ", ", ".join(f"{route} ({often})" for route, often in rooms.routes.most_common()))
    return 0


def _dotted(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root.parent).with_suffix("").parts)


if __name__ == "__main__":
    raise SystemExit(main())
