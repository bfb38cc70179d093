"""Payoff tables into MetaGame: JSON with nested lists, or a square table."""

import json
from pathlib import Path
from typing import Any

from equipoise.data.metagame import MetaGame
from equipoise.data.square import is_square, read_square
from equipoise.data.tables import open_table, reading
from equipoise.errors import DataError, ReadError

__all__ = ["metagame_from"]

PAYOFFS = ("payoffs", "payoffs_per_player", "payoff_tensors")


def metagame_from(source: Any) -> MetaGame:
    """Read a meta-game from JSON or from a square table."""
    if isinstance(source, str | Path) and Path(source).suffix.lower() == ".json":
        return _from_json(Path(source))
    table = open_table(source)
    if not is_square(table):
        raise DataError(
            f"{table.name}: a payoff table must be square, its first column naming the other columns in their order"
        )
    names, cells = read_square(table)
    return MetaGame.symmetric(cells, names)


def _from_json(path: Path) -> MetaGame:
    if path.is_dir() or not path.exists():
        raise ReadError(f"{path} {'is a directory; give a file' if path.is_dir() else 'does not exist'}")
    with reading(str(path)):
        content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise DataError(f'{path}: expected an object with "payoffs" (K nested lists)')
    payoffs = next((content[key] for key in PAYOFFS if key in content), None)
    if not isinstance(payoffs, list) or not payoffs:
        raise DataError(f'{path}: no "payoffs" (K nested lists, one a population); found: {", ".join(content)}')
    extra = {key: content.get(key) for key in ("counts", "low", "high")}
    strategies = content.get("strategies")
    try:
        if _depth(payoffs) == 2:
            return MetaGame.symmetric(payoffs, strategies, **extra)
        return MetaGame.from_payoffs(payoffs, strategies, **extra)
    except TypeError as error:
        raise DataError(f"{path}: payoffs and strategies must be lists of numbers and of names") from error


def _depth(nested: object) -> int:
    return 1 + _depth(nested[0]) if isinstance(nested, list) and nested else 0
