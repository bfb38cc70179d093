"""Reads the imports of the package and checks them against the plan of the house.

An import can hide: in the text given to ``import_module``, in the text of an entry point (``"equipoise.x.y:name"``), or
behind the root, whose names load other rooms when they are first used. All of them are read.
"""

import ast
import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

ORDER: list[set[str]] = [
    {"core"},
    {"errors", "declaration", "methods", "results"},
    {"data"},
    {"logs"},
    {"inference"},
    {"flows"},
    {"ratings"},
    {"nash", "alpharank", "items", "aggregates"},
    {"choice"},
    {"luck"},
    {"schedule"},
    {"catalogue"},
    {"analyses"},
    {"arena"},
    {"games", "players"},
    {"runners"},
    {"reproduce"},
    {"report"},
    {"web", "integrations"},
    {"cli"},
    {"__main__"},
]
"""From left to right; a room imports from its left only, and rooms in one place do not import each other."""

EDGE_ONLY = {
    "pytest": {"integrations"},
    "inspect_ai": {"integrations"},
    "mcp": {"integrations"},
    "lm_eval": {"integrations"},
    "mlflow": {"integrations"},
    "tensorboard": {"integrations"},
    "jinja2": {"report", "web", "cli"},
    "rich": {"report", "cli"},
    "typer": {"cli"},
    "altair": set[str](),
    "vl_convert": {"report", "cli"},
    "pandas": set[str](),
    "pyarrow": set[str](),
    "narwhals": {"data"},
    "sqlalchemy": {"arena"},
    "psycopg": {"arena"},
    "chess": {"games"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "itsdangerous": {"web"},
}
"""Which rooms may import a library that belongs to the edge."""

PLACE = {room: place for place, rooms in enumerate(ORDER) for room in rooms}


MODULE_IN_TEXT = re.compile(r"equipoise(\.\w+)+")
"""A text that is nothing but the dotted name of something in the package; what comes after a colon is cut off first."""


def wrong_arrows(root: Path) -> list[str]:
    """List the imports that go against the plan, as ``file: room -> name``, each pair of rooms once a file."""
    exports = exported(root)
    wrong = {}
    for path in sorted(root.rglob("*.py")):
        room = path.relative_to(root).with_suffix("").parts[0]
        if room == "__init__":
            continue
        for name in imports(path, exports):
            top, _, rest = name.partition(".")
            other = rest.partition(".")[0] if top == "equipoise" else top
            if _against(room, other) if top == "equipoise" else room not in EDGE_ONLY.get(top, {room}):
                wrong.setdefault((path, other), f"{path.relative_to(root)}: {room} -> {name}")
    return list(wrong.values())


def _against(room: str, other: str) -> bool:
    """Tell whether a room must not import another; names that are no room (``__version__``) are free."""
    return other != room and other in PLACE and PLACE[other] >= PLACE[room]


def unplanned(root: Path) -> list[str]:
    """List rooms that the plan does not know."""
    rooms = {path.relative_to(root).with_suffix("").parts[0] for path in root.rglob("*.py")}
    return sorted(rooms - set(PLACE) - {"__init__"})


def cycles(root: Path) -> list[str]:
    """List modules that import each other in a circle (imports inside functions count too)."""
    exports = exported(root)
    modules = {_module(path, root): path for path in root.rglob("*.py")}
    graph = {
        name: {known for target in imports(path, exports) if (known := known_module(target, modules))} - {name}
        for name, path in modules.items()
        if name != root.name
    }
    circular = []
    for name, targets in graph.items():
        reached, todo = set(), list(targets)
        while todo:
            node = todo.pop()
            if node not in reached:
                reached.add(node)
                todo += graph.get(node, ())
        if name in reached:
            circular.append(name)
    return sorted(circular)


def exported(root: Path) -> dict[str, str]:
    """Read the stubs: the module behind each name that loads when it is first used (``rank``, ``methods.evalue``)."""
    found = {}
    for prefix, name in (("", "__init__.pyi"), ("methods.", "methods.pyi"), ("results.", "results.pyi")):
        stub = root / name
        lines = ast.parse(stub.read_text(encoding="utf-8")).body if stub.exists() else []
        imports = [line for line in lines if isinstance(line, ast.ImportFrom) and line.module]
        found |= {
            f"{prefix}{alias.asname or alias.name}": f"{root.name}.{line.module}"
            for line in imports
            for alias in line.names
        }
    return found


def imports(path: Path, exports: Mapping[str, str]) -> Iterator[str]:
    """Give the dotted names that a file imports: by statement, by text, or through the root."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    roots = {"equipoise"}
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
                roots |= {alias.asname for alias in node.names if alias.name == "equipoise" and alias.asname}
            case ast.ImportFrom(module="equipoise"):
                yield from (exports.get(alias.name, f"equipoise.{alias.name}") for alias in node.names)
            case ast.ImportFrom(module="equipoise.methods" | "equipoise.results"):
                room = str(node.module).removeprefix("equipoise.")
                yield from (exports.get(f"{room}.{alias.name}", f"equipoise.{room}") for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                assert node.level == 0, f"{path}: imports are absolute"
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case ast.Call():
                yield from _by_call(node)
            case ast.Constant(value=str(text)) if MODULE_IN_TEXT.fullmatch(text.partition(":")[0]):
                yield text.partition(":")[0]
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in roots and attribute in exports:
                yield exports[attribute]
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr=room), attr=attribute) if (
                name in roots and f"{room}.{attribute}" in exports
            ):
                yield exports[f"{room}.{attribute}"]


def _by_call(call: ast.Call) -> Iterator[str]:
    """Read ``import_module("x")``, ``__import__("x")`` and their like."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in {"import_module", "__import__", "find_spec"}:
        return
    match call.args:
        case [ast.Constant(value=str(text)), ast.Constant(value=str(package))] if text.startswith("."):
            yield f"{package}.{text.lstrip('.')}"
        case [ast.Constant(value=str(text)), *_]:
            yield text
        case [ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]), *_]:
            yield start.rstrip(".")


def known_module(name: str, modules: Container[str]) -> str:
    """Give the module that a dotted name stands in: itself, or the nearest before it; nothing for the root alone."""
    while "." in name and name not in modules:
        name = name.rpartition(".")[0]
    return name if "." in name else ""


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
