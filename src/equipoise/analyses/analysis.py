"""What every analysis gives back, and where its data come from."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.from_logs import LogSource, from_logs
from equipoise.core.declaration import DATA_WORDS, DataKind
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import Result
from equipoise.core.wording import Option, Words
from equipoise.data.datasets import load
from equipoise.data.files.arena_files import arena_frame, arena_kind, arena_notes, is_arena_file
from equipoise.data.readers.read import read_pairs, read_scores
from equipoise.data.readers.recognise import bundled, holds_scores
from equipoise.data.types.accounts import Account
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches, matches_from_scores
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

__all__ = ["Analysis", "AnyData", "Origin", "counts_of", "each_once", "is_data", "opened", "refuse_idle"]

CHOICES = {"table", "where", "since", "until", "time", "min_games", "islands"}
"""Options of all readers: which rows are wanted."""
AnyData = Matches | PairTable | Scores | MetaGame | Episodes


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


def opened(
    source: object,
    takes: tuple[DataKind, ...],
    read: Callable[[Any], AnyData],
    *,
    asked_by: str,
    columns: Mapping[str, object] | None = None,
    scores_as_matches: bool = False,
    logs: Mapping[str, object] | None = None,
) -> tuple[Any, Origin]:
    """Give the data behind a source: data as they are, a bundled set by its name, a log, or what ``read`` makes of it.

    ``columns`` are options of the reader: they make no sense for data that were read already. ``logs`` are options of
    readers of logs. With ``scores_as_matches`` scores will do for matches: every two agents play one on each task, and
    the task is its group, which who asks must heed.

    Fails when
        the data are not of a kind in ``takes``, or columns are named of data that were read already.
    """
    given: dict[str, Any] = {name: value for name, value in (columns or {}).items() if value}
    if is_data(source) or bundled(source):
        named = [*given, *(name for name in logs or {} if name != "on_error")]
        if named:
            raise ParameterError(Option(named[0]), " tells how to read a file; these data are read already")
        data: Any = load(str(source)) if isinstance(source, str) else source
        if isinstance(data, Scores) and scores_as_matches:
            data = matches_from_scores(data)
        if data.kind not in takes:
            wanted = " or ".join(DATA_WORDS[kind] for kind in takes)
            raise DataError(f"{asked_by} takes {wanted}, not {type(data).__name__}")
        return data, Origin(str(source) if isinstance(source, str) else None)
    as_matches = scores_as_matches and not set(given) - CHOICES
    if is_arena_file(source):
        return _of_arena(Path(str(source)), (*takes, "scores") if as_matches else takes, read, given)
    found = from_logs(source, (*takes, "scores") if as_matches else takes, given, logs or {})
    if isinstance(found, LogSource):
        scores = as_matches and found.data.kind == "scores"
        data = found.wanted(partial(read_scores, **given) if scores else read, given)
        return matches_from_scores(data) if scores else data, Origin(found.name, found.path)
    path = Path(found) if isinstance(found, str | Path) else None
    origin = Origin(path.name if path else None, path)
    if as_matches and path is not None and holds_scores(path, given.get("table")):
        return matches_from_scores(read_scores(path, **given)), origin
    return read(found), origin


def _of_arena(
    path: Path, takes: tuple[str, ...], read: Callable[[Any], AnyData], given: Mapping[str, Any]
) -> tuple[AnyData, Origin]:
    """Read the results of an arena, also while it is played."""
    kind = arena_kind(path, takes)
    frame = arena_frame(path, kind)
    data: Any
    if kind == "scores" and "matches" in takes:
        data = matches_from_scores(read_scores(frame, **given))
    else:
        data = read_pairs(frame) if "metagame" in takes else read(frame)
    return replace(data, diagnostics=(*arena_notes(path), *data.diagnostics)), Origin(path.name, path)


def refuse_idle(given: Mapping[str, tuple[object, object]], *because: Words) -> None:
    """Refuse options, given with their defaults, that were set and have no effect beside something else."""
    for name, (value, default) in given.items():
        if value != default:
            raise ParameterError(Option(name), " has no effect with ", *because)


def is_data(source: object) -> bool:
    """Tell data types from files, streams and frames."""
    return getattr(source, "kind", None) in DATA_WORDS


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
    """Count what stands behind an answer: games or cells with a score, agents, pairs that met, groups, dates."""
    if isinstance(data, Scores):
        runs = {} if data.repeats is None else {"runs": int(np.sum(~np.isnan(data.repeats)))}
        scores = int(np.sum(~np.isnan(data.values)))
        return {"agents": len(data.agents), "tasks": len(data.tasks), "scores": scores, **runs}
    if isinstance(data, MetaGame):
        return {"strategies": sum(len(names) for names in data.strategies), "profiles": int(np.prod(data.shape))}
    if isinstance(data, Episodes):
        return {"hands": len(data), "agents": len(data.agents), "deals": len(data.deal.labels)}
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
