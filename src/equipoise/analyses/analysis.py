"""What every analysis gives back, and where its data come from."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import ParameterError
from equipoise.core.results import Result
from equipoise.core.wording import Option, Words
from equipoise.data.types.accounts import Account
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Ballots, Orders, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

AnyData = Matches | PairTable | Scores | MetaGame | Episodes | Rankings | Ballots


@dataclass(frozen=True)
class Origin:
    """Where data come from.

    Attributes
    ----------
    name
        The file's name or that of a bundled set; None for data that were handed over.
    path
        The file, where there is one.
    """

    name: str | None = None
    path: Path | None = None

    def facts(self, data: AnyData) -> dict[str, object]:
        """Give what identifies the data: the file, its size in rows, agents and tasks, a hash, and its account.

        The hash is of the file's bytes, or of the data themselves where there is no file; each is made once.
        """
        digest = next((made for of, made in self._hashed if of is (self.path or data)), None)
        if digest is None:
            digest = _digest_of_file(self.path) if self.path else _digest_of_data(data)
            self._hashed.append((self.path or data, digest))
        account = None if data.account is None else data.account.to_dict()
        return {"file": self.name, "kind": data.kind, **_size(data), "sha256": digest, "account": account}

    @cached_property
    def _hashed(self) -> list[tuple[Path | AnyData, str]]:
        """The file or the data that were hashed, each with its hash."""
        return []


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Analysis(Result):
    """Base of what analyses give back: the results of methods, the data behind them, and the parameters.

    Attributes
    ----------
    data
        The data, as they were read.
    origin
        Where they come from.
    """

    data: Any
    origin: Origin


def refuse_idle(given: Mapping[str, tuple[object, object]], *because: Words) -> None:
    """Refuse options, given with their defaults, that were set and have no effect beside something else."""
    for name, (value, default) in given.items():
        if value != default:
            raise ParameterError(Option(name), " has no effect with ", *because)


def each_once(*groups: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Join diagnostics; what two results say in the same words is said once."""
    return tuple(dict.fromkeys(note for group in groups for note in group))


def _size(data: AnyData) -> dict[str, int]:
    if isinstance(data, Scores):
        return {"rows": len(data.agents), "agents": len(data.agents), "tasks": len(data.tasks)}
    if isinstance(data, MetaGame):
        return {"rows": int(np.prod(data.shape)), "agents": sum(len(names) for names in data.strategies)}
    rows = len(data.first) if isinstance(data, PairTable) else len(data)
    return {"rows": rows, "agents": len(data.agents)}


def counts_of(data: AnyData) -> dict[str, float | str]:
    """Count what an answer is computed from: games or cells with a score, agents, pairs that met, groups, dates."""
    if isinstance(data, Scores):
        runs = {} if data.repeats is None else {"runs": int(np.sum(~np.isnan(data.repeats)))}
        scores = int(np.sum(~np.isnan(data.values)))
        return {"agents": len(data.agents), "tasks": len(data.tasks), "scores": scores, **runs}
    if isinstance(data, MetaGame):
        return {"strategies": sum(len(names) for names in data.strategies), "profiles": int(np.prod(data.shape))}
    if isinstance(data, Episodes):
        return {"hands": len(data), "agents": len(data.agents), "deals": len(data.deal.labels)}
    if isinstance(data, Orders):
        return {
            "ballots" if isinstance(data, Ballots) else "games": float(data.weight.sum()),
            "agents": len(data.agents),
        }
    pairs = data.pairs() if isinstance(data, Matches) else data
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    met = np.unique(low.astype(np.int64) * len(data.agents) + high)
    games = {"games": float(pairs.games.sum())} if pairs.counted else {}
    groups = {} if data.group is None else {"groups": len(data.group.labels)}
    return {**games, "agents": len(data.agents), "pairs that met": len(met), **groups, **_dates(data.account)}


def _dates(account: Account | None) -> dict[str, str]:
    if account is None or account.days is None:
        return {}
    first, last = (day.isoformat() for day in account.days)
    return {"dates": first if first == last else f"{first} to {last}"}


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest_of_data(data: object) -> str:
    digest = hashlib.sha256()
    for part in _parts(data):
        digest.update(part)
    return digest.hexdigest()


def _parts(value: object) -> Iterable[bytes]:
    """Spell out a value: what is equal gives equal bytes, on every machine and in every process."""
    if isinstance(value, np.ndarray):
        yield f"{value.shape}{value.dtype.kind}".encode()
        yield np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes()
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in ("diagnostics", "account"):
                yield field.name.encode()
                yield from _parts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from (str(key).encode(), *_parts(item))
    elif isinstance(value, tuple | list):
        yield f"{len(value)}".encode()
        for item in value:
            yield from _parts(item)
    else:
        yield repr(value).encode()
