"""Logs of lm-evaluation-harness: ``results_*.json`` (old and new) and ``samples_*.jsonl``.

``metric`` is such as ``acc`` or ``exact_match``; by default the first that a task has of a list of usual ones, which is
said. ``filter`` is such as ``strict-match``; the first of a task by default. ``per`` is as in ``inspect_ai``; results
without samples have evaluations only. Reading fails when a log has neither the metric nor the filter asked for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.core.errors import EquipoiseError, ParameterError, did_you_mean, some_of
from equipoise.core.wording import Option
from equipoise.data.files.formats import COMPRESSIONS
from equipoise.logs.files.bytes_read import opened
from equipoise.logs.files.json_files import Piece, count_of, number_of, pieces_of, whole_object
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogReading, Notes, Run

USUAL = ("acc", "exact_match", "acc_norm", "pass@1", "em", "f1", "mc2", "mc1", "bleu", "rouge1", "score")
"""Metrics in the order in which one is taken where nobody chose."""
LOWER = frozenset(
    {"ppl", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "brier_score", "wer", "ter"}
)
"""Metrics of which less is better; the harness says it of others."""
NOT_METRICS = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "doc_hash", "prompt_hash", "target_hash",
    "filter", "metrics", "alias", "samples", "sample_len", "name", "sample_count",
})  # fmt: skip
STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d[.\d]*)$")
DIGEST = 16
"""Characters of a document's digest that are compared."""


@dataclass(slots=True)
class _Facts:
    """What results files say of samples files: the model of each, and the metrics of which less is better."""

    models: dict[tuple[Path, str], str] = field(default_factory=dict)
    folders: dict[Path, set[str]] = field(default_factory=dict)
    lower: set[tuple[str, str]] = field(default_factory=set)
    hashes: dict[str, dict[str, str]] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    empty: list[Path] = field(default_factory=list)
    samples: dict[tuple[str, str], list[Path]] = field(default_factory=dict)
    results: dict[tuple[str, str], list[Path]] = field(default_factory=dict)

    def model_of(self, path: Path) -> str:
        """Name the model of a samples file: by the results of the same moment, of the same folder, or by the folder."""
        stamp = STAMP.search(_stem(path))
        if stamp and (path.parent, stamp[1]) in self.models:
            return self.models[path.parent, stamp[1]]
        beside = path.with_name(f"results_{stamp[1]}.json") if stamp else path
        if beside != path and beside.is_file():
            return self.models.setdefault((path.parent, str(stamp and stamp[1])), _model(beside, whole_object(beside)))
        models = self.folders.get(path.parent, set())
        return next(iter(models)) if len(models) == 1 else path.absolute().parent.name.replace("__", "/")


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: a task is an evaluation, a document a sample; results give the mean where there are no samples."""
    notes.mapped("model_name or folder (agent)", "task and doc_id (task)")
    notes.left("doc", "arguments", "resps", "configs")
    facts, broken, count = _Facts(), [], 0
    samples = [path for path in files if "doc_id" in Peek.at(path).keys]
    for path in [path for path in files if path not in samples] + samples:
        try:
            sampled = path in samples
            runs = (
                _samples(path, facts, how, notes) if sampled else _results(path, whole_object(path), facts, how, notes)
            )
            for run in runs:
                count += 1
                yield run
        except EquipoiseError:
            if how.on_error == "raise":
                raise
            broken.append(path)
    notes.leave_out(broken, "not readable")
    notes.several_runs(facts.samples, "they count as runs of one agent")
    means = {run: paths for run, paths in facts.results.items() if run not in facts.samples}
    notes.several_runs(means, "the mean of the last one counts")
    notes.leave_out(facts.empty, "no scores in it that were asked for")
    if facts.lacking and not count:
        _refuse_unknown(how, facts.lacking)


def _results(path: Path, log: Mapping[str, Any], facts: _Facts, how: LogReading, notes: Notes) -> Iterator[Run]:
    model = _model(path, log)
    stamp = STAMP.search(_stem(path))
    if stamp:
        facts.models[path.parent, stamp[1]] = model
    facts.folders.setdefault(path.parent, set()).add(model)
    results = log.get("results") or {}
    better = log.get("higher_is_better") or {}
    facts.lower |= {(task, name) for task, ups in better.items() for name, up in (ups or {}).items() if up is False}
    subtasks = log.get("group_subtasks") or {}
    groups = set(log.get("groups") or {}) | {
        name for name, parts in subtasks.items() if set(parts or ()) & set(results)
    }
    for name in sorted(groups & set(results)):
        notes.gather("groups-left-out", f'Group "{name}" is left out: it repeats its subtasks', model)
    counts = log.get("n-samples") or {}
    for task, metrics in results.items():
        if task in groups:
            continue
        values = {
            key: value for key, shown in metrics.items() if _is_metric(key) and (value := number_of(shown)) is not None
        }
        if not values:
            notes.gather(
                "files-left-out", "A task has no result and is left out", f"{task} of {model}", severity="warning"
            )
            continue
        key = _chosen(task, list(values), how, facts, notes)
        if key is None:
            continue
        count = counts.get(task) or {}
        samples = count_of(count.get("effective") if isinstance(count, dict) else count)
        notes.use(1)
        facts.results.setdefault((model, task), []).append(path)
        yield Run(model, task, (), (_signed(task, key, values[key], facts, notes),), stated=True, samples=samples)


def _is_metric(key: str) -> bool:
    name = key.partition(",")[0].strip()
    return bool(name) and not name.endswith("_stderr") and name not in NOT_METRICS


def _model(path: Path, log: Mapping[str, Any]) -> str:
    """Name the model as the log does, else by its arguments, else by the folder."""
    config = log.get("config") or {}
    given = config.get("model_args") or ""
    if isinstance(given, str):
        given = dict(part.partition("=")[::2] for part in given.split(","))
    revision = f" ({given['revision']})" if given.get("revision") else ""
    named = log.get("model_name") or given.get("pretrained") or given.get("model") or given.get("engine")
    return f"{named or path.absolute().parent.name.replace('__', '/')}{revision}"


def _chosen(task: str, keys: Sequence[str], how: LogReading, facts: _Facts, notes: Notes) -> str | None:
    """Choose one of the metrics, which are written ``metric,filter`` or ``metric``; None where none is as asked for."""
    fitting = list(keys)
    if how.filter is not None:
        fitting = [key for key in fitting if key.partition(",")[2] in ("", how.filter)]
    if how.metric is not None:
        name, _, filtered = how.metric.partition(",")
        fitting = [
            key for key in fitting if key in (how.metric, name) or (key.partition(",")[0] == name and not filtered)
        ]
    if not fitting:
        facts.lacking += keys
        asked = " and ".join(f'{name} "{value}"' for name in ("metric", "filter") if (value := getattr(how, name)))
        notes.gather("tasks-left-out", f"Tasks without {asked} are left out", task, severity="warning")
        return None
    names = [key.partition(",")[0] for key in fitting]
    rising = [name for name in names if not _lower(task, name, facts)]
    best = next((usual for usual in USUAL if usual in names), next(iter(rising), names[0]))
    key = next(key for key in fitting if key.partition(",")[0] == best)
    notes.mapped(f"{best} (score)")
    others = [other for other in keys if other != key]
    if others and how.metric is None:
        notes.gather("metric-taken", f'"{key}" is taken; there are also {some_of(others)}', task)
    return key


def _refuse_unknown(how: LogReading, there: Sequence[str]) -> None:
    """Refuse a metric or filter that no task has."""
    option, place = ("filter", 2) if how.metric is None else ("metric", 0)
    known = sorted({key.split(",")[0] if place == 0 else key.partition(",")[2] for key in there})
    value = str(getattr(how, option))
    message = f': no task has "{value}"{did_you_mean(value, known)}; there are {some_of(known, 9)}'
    raise ParameterError(Option(option), message)


def _lower(task: str, name: str, facts: _Facts) -> bool:
    return name in LOWER or (task, name) in facts.lower


def _signed(task: str, key: str, value: float, facts: _Facts, notes: Notes) -> float:
    """Turn the sign of a metric of which less is better, and say so."""
    name = key.partition(",")[0]
    if not _lower(task, name, facts):
        return value
    notes.gather("sign-turned", f'Less is better of "{name}"; its sign is turned', task, severity="warning")
    return -value


def _samples(path: Path, facts: _Facts, how: LogReading, notes: Notes) -> Iterator[Run]:
    documents = _Documents(facts.model_of(path), task_of(path), facts, how, notes)
    with opened(path) as file:
        for piece in pieces_of(path, file):
            if not documents.known(piece):
                continue
            if documents.key is None:
                break
            run = documents.taken(*documents.rows(piece))
            if run.items:
                yield run
    if documents.key is None:
        facts.empty.append(path)
    else:
        facts.samples.setdefault((documents.model, documents.task), []).append(path)


def _stem(path: Path) -> str:
    """Give the name of a file without the suffixes that say what it is and how it is packed."""
    return Path(path.stem).stem if path.suffix in COMPRESSIONS else path.stem


def task_of(path: Path) -> str:
    """Name the task of a samples file."""
    return STAMP.sub("", _stem(path)).removeprefix("samples_")


_Rows = tuple[Sequence[str], Sequence[Any], Sequence[float | None], Sequence[Any]]
"""Documents, filters, scores and digests of some lines."""


@dataclass(slots=True)
class _Documents:
    """The documents of one file: each counts once, with one metric of one filter."""

    model: str
    task: str
    facts: _Facts
    how: LogReading
    notes: Notes
    key: str | None = None
    filter: Any = None
    seen: set[str] = field(default_factory=set)

    def known(self, piece: Piece) -> bool:
        """Choose the metric by the first line that has any; False where none has."""
        if self.key is not None:
            return True
        self.filter = self.how.filter
        for row in piece.objects():
            self.filter = row.get("filter") if self.filter is None else self.filter
            keys = [name for name in row if _is_metric(name) and number_of(row[name]) is not None]
            if keys and row.get("filter") in (None, self.filter):
                self.key = _chosen(self.task, keys, self.how, self.facts, self.notes)
                return True
        return False

    def rows(self, piece: Piece) -> _Rows:
        """Read the lines, as columns where they are simple enough for that."""
        key = str(self.key)
        frame = piece.columns(("doc_id", "filter", "doc_hash"), key)
        if frame is not None and not frame["doc_id"].null_count():
            digests = frame["doc_hash"].str.slice(0, DIGEST).to_list()
            return frame["doc_id"].to_list(), frame["filter"].to_list(), frame[key].to_list(), digests
        rows = list(piece.objects())
        digests = [hashed[:DIGEST] if isinstance(hashed := row.get("doc_hash"), str) else None for row in rows]
        scores = [number_of(row.get(key)) for row in rows]
        return [str(row["doc_id"]) for row in rows], [row.get("filter") for row in rows], scores, digests

    def taken(self, items: Sequence[str], filters: Sequence[Any], scores: Sequence[Any], digests: Sequence[Any]) -> Run:
        """Keep the lines that count, and account for the others."""
        fresh = set(items)
        plain = len(fresh) == len(items) and self.seen.isdisjoint(fresh) and None not in scores
        if not plain or set(filters) - {self.filter}:
            kept = [k for k, row in enumerate(zip(items, filters, scores, strict=True)) if self._counts(*row)]
            items, scores = [items[k] for k in kept], [scores[k] for k in kept]
            digests = [digests[k] for k in kept]
        else:
            self.seen |= fresh
        self._same_documents(items, digests)
        self.notes.use(len(items))
        sign = _signed(self.task, str(self.key), 1.0, self.facts, self.notes) if items else 1.0
        return Run(self.model, self.task, items, scores if sign > 0 else [-score for score in scores])

    def _counts(self, item: str, filtered: Any, score: float | None) -> bool:
        if filtered is not None and filtered != self.filter:
            self.notes.drop(f'of filters other than "{self.filter}"')
            self.notes.gather("filter-taken", f'Filter "{self.filter}" is taken, of several', self.task)
            return False
        if item in self.seen:
            self.notes.drop("that repeat a document" if filtered is not None else "of further filters without a name")
            if filtered is None:
                message = "Documents come several times, once a filter, and no filter is named: the first is taken"
                self.notes.gather("filter-taken", message, self.task)
            return False
        self.seen.add(item)
        if score is None:
            self.notes.drop(f'without "{self.key}"')
        return score is not None

    def _same_documents(self, items: Sequence[str], digests: Sequence[str | None]) -> None:
        """Say where one number means another document in the log of another model."""
        known = self.facts.hashes.setdefault(self.task, {})
        pairs = zip(items, digests, strict=True)
        if any(known.setdefault(item, digest) != digest for item, digest in pairs if digest is not None):
            message = "Documents of the same number differ between models: the versions of the task differ"
            self.notes.gather("documents-differ", message, self.task, severity="warning")
