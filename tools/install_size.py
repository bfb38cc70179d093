"""What an installation costs on disk, part by part: ``python tools/install_size.py`` prints the table of the docs.

Sizes are those of the files that each package brought, as they lie in this environment; a package that several parts
need counts for the first of them.
"""

from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

PARTS = ("", "report", "frames", "excel", "duckdb", "ray")


def needed(name: str, extras: frozenset[str], seen: dict[str, None]) -> dict[str, None]:
    """Give a package and all that it needs on this system, each once."""
    if name.lower() in seen:
        return seen
    try:
        listed = distribution(name).requires or []
    except PackageNotFoundError:
        return seen
    seen[name.lower()] = None
    for requirement in map(Requirement, listed):
        if requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in extras or frozenset({""})
        ):
            needed(requirement.name, frozenset(requirement.extras), seen)
    return seen


def megabytes(name: str) -> float:
    """Give the size of a package's files."""
    files = distribution(name).files or []
    sizes = [path.stat().st_size for file in files if (path := file.locate()).is_file()]  # type: ignore[attr-defined]
    return sum(sizes) / 1e6


def main() -> None:
    """Print a row for each part: what it brings and how much that is."""
    counted: set[str] = set()
    for part in PARTS:
        names = [
            name for name in needed("equipoise", frozenset({part}), {}) if name != "equipoise" and name not in counted
        ]
        counted |= set(names)
        sizes = sorted(((megabytes(name), name) for name in names), reverse=True)
        label = f"`equipoise[{part}]` adds" if part else "`equipoise`"
        largest = ", ".join(f"{name} {size:.0f}" for size, name in sizes if size >= 1)
        print(f"| {label} | {sum(size for size, _ in sizes):.0f} MB | {largest} |")


if __name__ == "__main__":
    main()
