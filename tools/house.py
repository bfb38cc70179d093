"""Counts the house and draws it, for docs/design.md; the tests hold the page to it.

    python -m tools.house            writes the parts of docs/design.md that are made (`make house`)
    python -m tools.house --json     prints the counts of the package that is imported here

A *crossing* is a call from a function of one room to a function of another, while a command runs on a small file for
the second time (loading modules is not counted). What lies between the two from other packages (NumPy, typer) is passed
over, and so are ``core`` and the single modules beside the rooms (errors, results, declaration ...): they belong to
everybody.
"""

import ast
import contextlib
import io
import json
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from types import FrameType

from tests.layers import ORDER, exported, imports, known_module

PAGE = Path(__file__).parents[1] / "docs" / "design.md"
SHARED = "core"
"""The room that belongs to everybody."""
MANY = 15
"""Parameters of a function, without ``self`` and ``cls``, above which there are too many."""
CLOCKED = {"rank": 0.1, "irt": 0.1, "tasks": 0.1, "report": 0.1, "arena run": 0.4}
"""Commands whose calls may differ by a share: how often solvers step depends on the processor, and a worker that finds
nothing to play asks the arena again after a while, on a busy machine more often."""
COMMANDS = ("rank", "irt", "tasks", "report", "arena run")

BEFORE: Mapping[str, int] = {
    "modules": 560,
    "lines": 84_912,
    "largest module": 400,
    "largest folder": 62,
    "functions": 4_867,
    "parameters": 55,
    "over 15": 26,
    "single importers": 167,
    "rank": 1_099,
    "irt": 123,
    "tasks": 199,
    "report": 1_241,
    "arena run": 362,
}
"""The same counts of commit 5732afb, before modules were moved into rooms in rooms."""

TITLES: Mapping[str, str] = {
    "modules": "modules (without `__init__`)",
    "lines": "lines",
    "largest module": "lines of the largest module",
    "largest folder": "files in the largest folder",
    "functions": "functions",
    "parameters": "parameters, most of any function",
    "over 15": "functions with more than 15 parameters",
    "single importers": "modules with one importer",
} | {name: f"`{name}`: calls between rooms" for name in COMMANDS}
"""What is counted, with the words of the page."""


@dataclass(frozen=True)
class Counts:
    """What the tree holds; ``__init__`` files are lines and hold functions, but are no modules."""

    modules: int
    lines: int
    sizes: dict[str, int]
    folders: dict[str, int]
    parameters: dict[str, int]
    one_importer: list[str]

    def figures(self) -> dict[str, int]:
        """Give the counts under their names."""
        return {
            "modules": self.modules,
            "lines": self.lines,
            "largest module": max(self.sizes.values()),
            "largest folder": max(self.folders.values()),
            "functions": len(self.parameters),
            "parameters": max(self.parameters.values()),
            "over 15": sum(count > MANY for count in self.parameters.values()),
            "single importers": len(self.one_importer),
        }


def count_modules(root: Path) -> Counts:
    """Count the modules, lines and functions of a package, and name the modules with one importer."""
    exports = exported(root)
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(root.rglob("*.py"))}
    modules = {_dotted(path, root): path for path in sizes if path.stem not in {"__init__", "__main__"}}
    importers = Counter(
        target
        for name, path in modules.items()
        for target in {known_module(target, modules) for target in imports(path, exports)} - {name}
    )
    return Counts(
        modules=len(modules),
        lines=sum(sizes.values()),
        sizes={name: sizes[path] for name, path in modules.items()},
        folders=dict(Counter(path.parent.relative_to(root).as_posix() for path in sizes)),
        parameters={name: count for path in sizes for name, count in parameters(path, root)},
        one_importer=sorted(name for name in modules if importers[name] == 1),
    )


def parameters(path: Path, root: Path) -> Iterator[tuple[str, int]]:
    """Give each function of a file, methods and inner ones too, with the number of its parameters."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            named = [each.arg for each in (*given.posonlyargs, *given.args)]
            count = len(named) - (named[:1] in (["self"], ["cls"])) + len(given.kwonlyargs)
            yield f"{_dotted(path, root)}.{node.name}:{node.lineno}", count + bool(given.vararg) + bool(given.kwarg)


@dataclass
class Crossings:
    """The calls between rooms: how often a function of one called which function of another."""

    root: Path
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

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
            with self._lock:
                self.calls[source, target] += 1

    def _function(self, frame: FrameType) -> str:
        """Name a function as ``room.module.function``; nothing for code that is passed over."""
        path = frame.f_code.co_filename
        if not path.startswith(str(self.root)) or frame.f_code.co_name == "<module>":
            return ""
        parts = Path(path).relative_to(self.root).with_suffix("").parts
        own = len(parts) > 1 and parts[0] != SHARED
        return ".".join((*parts, frame.f_code.co_qualname)) if own else ""


def room_of(function: str) -> str:
    """Give the room of a function named as ``room.module.function``."""
    return function.partition(".")[0]


def crossings_of(run: Callable[[], object], root: Path) -> Crossings:
    """Run something and count the calls between rooms. It runs once before, so that loading modules is not counted."""
    crossings = Crossings(root)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run()
        threading.setprofile(crossings.watch)
        sys.setprofile(crossings.watch)
        try:
            run()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]  # which ends it
    return crossings


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


SPEC = """
name = "Ladder"
game = "python:tools.house:referee"
goal = "order"
budget = 24
policy = "round-robin"
[[player]]
name = "one"
bot = "python:tools.house:bot"
[[player]]
name = "two"
bot = "python:tools.house:bot"
[[player]]
name = "three"
bot = "python:tools.house:bot"
"""


def bot() -> None:
    """Do nothing: the referee below asks nobody."""


def referee(seed: int) -> list[float]:
    """Let chance decide, the same in each run."""
    return [1.0, 0.0] if seed % 2 else [0.0, 1.0]


def count_crossings(root: Path) -> dict[str, Crossings]:
    """Run the commands on small files, and count the calls between rooms of each."""
    from equipoise.cli.main import main as command

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {"matches.csv": small_matches(), "scores.csv": small_scores(), "spec.toml": [SPEC]}
        for file, lines in files.items():
            (folder / file).write_text("\n".join(lines), encoding="utf-8")
        matches, scores = str(folder / "matches.csv"), str(folder / "scores.csv")
        given = {
            "rank": ["rank", matches],
            "irt": ["irt", scores],
            "tasks": ["tasks", scores],
            "report": ["report", matches, "-o", str(folder / "page.html")],
        }
        found = {name: crossings_of(partial(command, words), root) for name, words in given.items()}
        arenas = []
        for i in range(2):
            arenas.append(str(folder / f"ladder{i}.db"))
            with contextlib.redirect_stdout(io.StringIO()):
                assert command(["arena", "new", str(folder / "spec.toml"), "-d", arenas[-1]]) == 0
        waiting = iter(arenas)
        found["arena run"] = crossings_of(
            lambda: command(["arena", "run", "-d", next(waiting), "--threads", "--workers", "1"]), root
        )
    return found


def package() -> Path:
    """Give the folder of the package that is imported here."""
    import equipoise

    return Path(equipoise.__file__).parent


def counted(root: Path) -> dict[str, int]:
    """Give all figures of the page."""
    crossings = count_crossings(root)
    return count_modules(root).figures() | {name: found.calls.total() for name, found in crossings.items()}


def table(now: Mapping[str, int]) -> str:
    """Write the figures as a table, before and now."""
    rows = [f"| {title} | {BEFORE.get(name, 0):,} | {now[name]:,} |" for name, title in TITLES.items()]
    return "\n".join(["| | before | now |", "|---|---|---|", *rows])


def drawing(root: Path) -> str:
    """Draw the folders of the package, each with the first sentence that its ``__init__`` says of it."""
    places = [room for rooms in ORDER for room in sorted(rooms) if (root / room).is_dir()]
    lines = []
    for room in places:
        for folder in (root / room, *sorted(path.parent for path in (root / room).rglob("*/__init__.py"))):
            depth = len(folder.relative_to(root).parts) - 1
            lines.append((f"{'  ' * depth}{folder.name}/", purpose(folder)))
    width = max(len(name) for name, _ in lines) + 2
    return "\n".join(f"    {name:<{width}}{said}".rstrip() for name, said in lines)


def purpose(folder: Path) -> str:
    """Give the first line of a folder's ``__init__``, without its full stop."""
    start = folder / "__init__.py"
    said = ast.get_docstring(ast.parse(start.read_text(encoding="utf-8"))) if start.exists() else None
    return (said or "").partition("\n")[0].rstrip(".")


def direction() -> str:
    """Write the direction of imports: who stands to the left of whom."""
    steps = [" | ".join(sorted(rooms)) for rooms in ORDER]
    lines, line = [], steps[0]
    for step in steps[1:]:
        if len(line) + len(step) > 100:
            lines.append(line)
            line = " "
        line += f" <- {step}"
    return "\n".join(f"    {each}" for each in (*lines, line))


def filled(page: str, parts: Mapping[str, str]) -> str:
    """Put what is made between the marks of a page: ``<!-- made: name -->`` and ``<!-- end -->``."""
    for name, text in parts.items():
        mark = re.compile(rf"(<!-- made: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, found = mark.subn(lambda match, text=text: f"{match[1]}\n{text}\n\n{match[2]}", page)  # type: ignore[misc]
        assert found == 1, f"{PAGE.name} has {found} places for {name}"
    return page


def made(root: Path) -> dict[str, str]:
    """Give all parts of the page that are made."""
    return {"rooms": drawing(root), "direction": direction(), "counts": table(counted(root))}


def main() -> int:
    """Write the page, or print the counts."""
    root = package()
    if "--json" in sys.argv:
        print(json.dumps(counted(root), indent=4))
        return 0
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), made(root)), encoding="utf-8")
    return 0


def _dotted(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root.parent).with_suffix("").parts)


if __name__ == "__main__":
    raise SystemExit(main())
