"""Reads the imports of the package and checks them against the plan of the house."""

import ast
from collections.abc import Iterator
from pathlib import Path

ORDER: list[set[str]] = [
    {"wording"},
    {"errors"},
    {"diagnostics", "options"},
    {"results", "declaration"},
    {"data"},
    {"inference"},
    {"flows"},
    {"ratings"},
    {"nash", "alpharank", "items", "aggregates"},
    {"luck"},
    {"schedule"},
    {"catalogue"},
    {"analyses"},
    {"reproduce"},
    {"report"},
    {"cli"},
    {"__main__"},
]
"""From left to right; a room imports from its left only, and rooms in one place do not import each other."""

EDGE_ONLY = {
    "altair": {"report", "cli"},
    "jinja2": {"report", "cli"},
    "rich": {"report", "cli"},
    "typer": {"cli"},
    "pandas": set[str](),
    "pyarrow": set[str](),
    "narwhals": {"data"},
}
"""Which rooms may import a library that belongs to the edge."""

PLACE = {room: place for place, rooms in enumerate(ORDER) for room in rooms}


def wrong_arrows(root: Path) -> list[str]:
    """List the imports that go against the plan, as ``file: room -> room``."""
    wrong = []
    for path in sorted(root.rglob("*.py")):
        room = path.relative_to(root).with_suffix("").parts[0]
        if room == "__init__":
            continue
        for name in _imports(path):
            top, _, rest = name.partition(".")
            other = rest.split(".")[0]
            against = top == "equipoise" and other and other != room and PLACE[other] >= PLACE[room]
            misplaced = top in EDGE_ONLY and room not in EDGE_ONLY[top]
            if against or misplaced:
                wrong.append(f"{path.relative_to(root)}: {room} -> {name}")
    return wrong


def cycles(root: Path) -> list[str]:
    """List modules that import each other in a circle (imports inside functions count too)."""
    graph = {root.name: set[str]()} | {_module(path, root): set(_imports(path)) for path in root.rglob("*.py")}
    graph = {
        name: {target for target in targets if target in graph} for name, targets in graph.items() if name != root.name
    }
    found = []
    for name in graph:
        reached, todo = set(), list(graph[name])
        while todo:
            node = todo.pop()
            if node not in reached:
                reached.add(node)
                todo += graph.get(node, ())
        if name in reached:
            found.append(name)
    return sorted(found)


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module
