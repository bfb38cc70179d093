"""Keep the stubs in step with the source: ``python tools/exports.py [--check] [src/equipoise]``.

Every method that declares itself with ``@method(...)`` is exported by ``equipoise.methods``, the classes of the results
that its return annotation names by ``equipoise.results``. What else these two and the top level export is written into
their stubs by hand and stays as long as it is defined; a name whose module moved follows it, a name that vanished goes.
The source is read, never imported.
"""

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

STUBS = {
    "__init__": "What ``equipoise`` exports",
    "methods": "What ``equipoise.methods`` exports",
    "results": "What ``equipoise.results`` exports",
}
"""The stubs by the modules that they belong to, each with its first words."""
WIDTH = 120


@dataclass(frozen=True)
class Module:
    """What one file of the package defines, and where it has other names from."""

    name: str
    tree: ast.Module

    def defined(self) -> set[str]:
        """Names of functions, classes and constants at the top of the file."""
        names: set[str] = set()
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
        return names

    def classes(self) -> set[str]:
        """Names of classes."""
        return {node.name for node in self.tree.body if isinstance(node, ast.ClassDef)}

    def imported(self) -> dict[str, tuple[str, str]]:
        """Where names come from, those for type checkers included: the module and the name there."""
        imports = [node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom) and node.module]
        return {alias.asname or alias.name: (str(node.module), alias.name) for node in imports for alias in node.names}

    def methods(self) -> Iterator[ast.FunctionDef | ast.ClassDef]:
        """Functions and classes that declare themselves as methods."""
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and any(map(_declares, node.decorator_list)):
                yield node


def _declares(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "method"


def modules_of(root: Path) -> dict[str, Module]:
    """Read every file of the package."""
    found = {}
    # Links are followed: a house may be made of them.
    paths = [Path(folder) / name for folder, _, names in os.walk(root, followlinks=True) for name in names]
    for path in sorted(path for path in paths if path.suffix == ".py"):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, ast.parse(path.read_text(encoding="utf-8")))
    return found


def declared_exports(modules: dict[str, Module]) -> dict[str, dict[str, str]]:
    """Give every declared method and the classes of its results, each with its module, by the stub they belong to."""
    methods: dict[str, str] = {}
    results: dict[str, str] = {}
    for module in modules.values():
        for node in module.methods():
            methods[node.name] = module.name
            returns = node.returns if isinstance(node, ast.FunctionDef) else None
            for name in _names(returns):
                place = _defined_at(name, module, modules)
                if place is not None:
                    results[name] = place
    return {"__init__": {}, "methods": methods, "results": results}


def _names(annotation: ast.expr | None) -> set[str]:
    """Names that an annotation mentions, in quotes or not."""
    if annotation is None:
        return set()
    nodes = list(ast.walk(annotation))
    quoted = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    inner = [name for text in quoted for name in _names(ast.parse(text, mode="eval").body)]
    return {node.id for node in nodes if isinstance(node, ast.Name)} | set(inner)


def _defined_at(name: str, module: Module, modules: dict[str, Module]) -> str | None:
    """Give the module of ours that defines a class, as seen from another module; None where it is not ours."""
    if name in module.classes():
        return module.name
    source, original = module.imported().get(name, ("", ""))
    if not source.startswith("equipoise.") or original != name:
        return None
    place = modules.get(source.removeprefix("equipoise."))
    return None if place is None else _defined_at(name, place, modules)


def written_exports(stub: str) -> dict[str, str]:
    """Give what a stub exports now, each name with its module."""
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def kept_exports(written: dict[str, str], modules: dict[str, Module]) -> dict[str, str]:
    """Keep what is still defined; follow names whose module moved, drop those that vanished."""
    kept = {}
    for name, place in written.items():
        if place in modules and name in modules[place].defined():
            kept[name] = place
            continue
        moved = [module.name for module in modules.values() if name in module.defined()]
        if len(moved) == 1:
            kept[name] = moved[0]
    return kept


def stub_of(stub: str, exports: dict[str, str]) -> str:
    """Write a stub."""
    by_module: dict[str, list[str]] = {}
    for name, place in exports.items():
        by_module.setdefault(place, []).append(name)
    imports = [_import(place, sorted(names, key=_order)) for place, names in sorted(by_module.items())]
    listed = "".join(f'    "{name}",\n' for name in sorted(exports, key=_order))
    head = f'"""{STUBS[stub]}; the names load when they are first used."""\n'
    version = "__version__: str\n\n" if stub == "__init__" else ""
    return f"{head}\n{''.join(imports)}\n{version}__all__ = [\n{listed}]\n"


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order in which the linter wants them."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def _import(place: str, names: Iterable[str]) -> str:
    line = f"from .{place} import {', '.join(names)}\n"
    if len(line) - 1 <= WIDTH:
        return line
    return f"from .{place} import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


def written(root: Path, stub: str) -> str:
    """Give a stub as it stands; nothing where there is none."""
    path = root / f"{stub}.pyi"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def updated(root: Path) -> dict[str, str]:
    """Give the stubs as they should be."""
    modules = modules_of(root)
    declared = declared_exports(modules)
    return {
        stub: stub_of(stub, kept_exports(written_exports(written(root, stub)), modules) | declared[stub])
        for stub in STUBS
    }


def main(arguments: list[str]) -> int:
    """Write the stubs, or with ``--check`` only tell whether they are up to date."""
    only_check = "--check" in arguments
    (folder,) = [argument for argument in arguments if argument != "--check"] or ["src/equipoise"]
    root = Path(folder)
    wanted = updated(root)
    stale = {stub: text for stub, text in wanted.items() if text != written(root, stub)}
    if only_check and stale:
        print(f"{', '.join(f'{stub}.pyi' for stub in stale)}: out of date; run: make exports")
        return 1
    old, new = (
        {name for text in texts for name in written_exports(text)}
        for texts in ([written(root, stub) for stub in STUBS], wanted.values())
    )
    for stub, text in stale.items():
        (root / f"{stub}.pyi").write_text(text, encoding="utf-8")
    for word, names in (("added", new - old), ("removed", old - new)):
        if names:
            print(f"{word}: {', '.join(sorted(names, key=_order))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
