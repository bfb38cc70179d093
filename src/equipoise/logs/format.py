"""What a reader of logs is: how its files are recognised, which options it has, what it is given and gives back."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from equipoise.core.diagnostics import Diagnostic, Severity, info, warning
from equipoise.core.errors import EquipoiseError, ParameterError, ReadError, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.columns import OnError
from equipoise.data.readers.declared import Per
from equipoise.data.readers.options import ReadOptions, declared_options
from equipoise.data.readers.recognise import RunMean
from equipoise.data.types.accounts import Account
from equipoise.logs.files.peek import Peek

LOG_OPTIONS = tuple(one.name for one in declared_options() if one.kinds == ("logs",))
"""Options that only logs have."""
OPENSPIEL = "openspiel:"
"""What stands before the name of a game of OpenSpiel where a file could stand."""


@dataclass(frozen=True, slots=True)
class LogReading:
    """How logs are read: what a user chose where a log has more than one answer.

    Attributes
    ----------
    metric, scorer, filter, split
        Which of several is taken; the reader's own choice if None, which it says.
    per
        Whether a task is a sample or an evaluation; if None, a sample where all logs are of one evaluation.
    on_error
        ``raise`` on a file that cannot be read or a score that is none, or ``skip`` it, which is said.
    more
        Options that only one reader has.
    """

    metric: str | None = None
    scorer: str | None = None
    filter: str | None = None
    split: str | None = None
    per: Per | None = None
    on_error: OnError = "raise"
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: ReadOptions) -> "LogReading":
        """Take the options that concern logs; which rows are taken of them is looked at later."""
        for name in given.columns:
            if name not in (*LOG_OPTIONS, "on_error"):
                raise ParameterError(Option(name), " has no effect: the file was taken for logs")
        here = {name: value for name in LOG_OPTIONS if (value := getattr(given, name)) is not None}
        own = {name: here.pop(name) for name in cls.__slots__ if name in here}
        return cls(**own, on_error=given.on_error, more=here)

    def refuse_idle(self, titles: str, able: Iterable[str]) -> None:
        """Refuse options that none of the formats has."""
        known = set(able)
        set_here = [name for name in ("metric", "scorer", "filter", "split", "per") if getattr(self, name) is not None]
        for name in (*set_here, *self.more):
            if name not in known:
                raise ParameterError(Option(name), f" has no effect on {titles}")


@dataclass(frozen=True, slots=True)
class Run:
    """Answers of one agent in one evaluation, or some of them: a long run comes in several pieces.

    Attributes
    ----------
    agent, evaluation
        Who answered, and what.
    items, scores
        A sample's name and its score, one for each run: a name that comes again is another run.
    stated
        True where the log has no samples, but only the mean: ``scores`` is that one number.
    samples
        How many samples a stated mean is of, where the log says it.
    """

    agent: str
    evaluation: str
    items: Sequence[str]
    scores: Sequence[float]
    stated: bool = False
    samples: int = 0


@dataclass(slots=True)
class Notes:
    """What a reader has to say: what became of the rows, which keys became what, and what was lost on the way."""

    rows: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    columns: dict[str, None] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)
    said: list[Diagnostic] = field(default_factory=list)
    runs: list[RunMean] = field(default_factory=list)
    gathered: dict[tuple[str, Severity, str], dict[str, None]] = field(default_factory=dict)

    def drop(self, reason: str, count: int = 1) -> None:
        """Count rows that are not used; they are counted as rows, too."""
        self.rows += count
        self.dropped[reason] = self.dropped.get(reason, 0) + count

    def use(self, count: int) -> None:
        """Count rows that are used."""
        self.rows += count

    def mapped(self, *columns: str) -> None:
        """Name keys of the log that were read, such as ``eval.model (agent)``."""
        self.columns.update(dict.fromkeys(columns))

    def left(self, *names: str) -> None:
        """Name keys of the log that were not read."""
        self.unused.update(dict.fromkeys(names))

    def info(self, code: str, message: str, subjects: Iterable[str] = (), advice: Sequence[Advice] = ()) -> None:
        """State what was done."""
        self.said.append(info(code, message, subjects, advice=advice))

    def warning(self, code: str, message: str, subjects: Iterable[str] = ()) -> None:
        """State a warning."""
        self.said.append(warning(code, message, subjects))

    def gather(self, code: str, sentence: str, subject: str, *, severity: Severity = "info") -> None:
        """State the same of several things: it is said once, with all their names."""
        self.gathered.setdefault((code, severity, sentence), {})[subject] = None

    def several_runs(self, files: Mapping[tuple[str, str], Sequence[Path]], what: str) -> None:
        """Name agents with several runs of one evaluation, by agent and evaluation, and say what becomes of them."""
        for (agent, evaluation), paths in files.items():
            if len(paths) > 1:
                names = [path.name for path in paths]
                message = f"{agent} has {len(names)} runs of {evaluation} ({some_of(names)}): {what}."
                self.info("several-runs", message, names)

    def diagnostics(self) -> list[Diagnostic]:
        """Give all that was said."""
        together = [
            Diagnostic(code, severity, (f"{sentence} ({some_of(names)}).",), tuple(names))
            for (code, severity, sentence), names in self.gathered.items()
        ]
        return [*together, *self.said]

    def leave_out(self, files: Sequence[Path], why: str) -> None:
        """Name files that gave nothing."""
        if files:
            names = [path.name for path in files]
            counted = "1 file is" if len(names) == 1 else f"{len(names):,} files are"
            self.warning("files-left-out", f"{counted} left out ({why}): {some_of(names)}.", names)

    def on(self, data: Any) -> Any:
        """Put all of it on the data."""
        there = [*self.columns, *self.unused]
        account = Account.of(self.rows, self.dropped, self.columns, there) if self.rows else data.account
        return replace(data, diagnostics=(*data.diagnostics, *self.diagnostics()), account=account)


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A kind of log.

    Attributes
    ----------
    name, title
        For programs, and for people (plural: "Inspect AI logs").
    reader
        Module of its reader below ``equipoise.logs``, which loads when such a file was met, and the function there
        (``games.pgn`` means ``games.pgn:read``). It takes ``(files, how, notes)`` and gives runs, from which one table
        of scores is made, or data: Matches, PairTable, Scores or Episodes.
    recognises
        Says by what is in a file whether it is of this kind.
    options
        Names of options that its reader heeds, besides ``on_error``.
    companions
        Names of files that lie beside these and have nothing to read on their own.
    tables
        True where its files are tables, too: who chooses rows or names columns gets them read as such.
    runs
        True where its reader gives runs, which can stand in one table with those of other kinds.
    """

    name: str
    title: str
    reader: str
    recognises: Callable[[Peek], bool]
    options: tuple[str, ...] = ()
    companions: frozenset[str] = frozenset()
    tables: bool = False
    runs: bool = False

    def read(self, files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run] | Any:
        """Read files of this kind."""
        module, _, function = self.reader.partition(":")
        with self._as_expected(files):
            given = getattr(import_module(f"equipoise.logs.{module}"), function or "read")(files, how, notes)
        return given if hasattr(given, "kind") else self._guarded(given, files)

    def _guarded(self, runs: Iterator[Run], files: Sequence[Path]) -> Iterator[Run]:
        with self._as_expected(files):
            yield from runs

    @contextmanager
    def _as_expected(self, files: Sequence[Path]) -> Iterator[None]:
        """Say in one line that something in a log is not of the form that its tool writes."""
        try:
            yield
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, EquipoiseError):
                raise
            where = files[0] if len(files) == 1 else f"one of {len(files):,} files"
            reason = " ".join(str(error).split())[:80]
            raise ReadError(f"{where}: not as {self.title} are written ({type(error).__name__}: {reason})") from error
