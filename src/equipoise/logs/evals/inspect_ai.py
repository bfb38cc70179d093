"""Logs of Inspect AI: ``.eval`` archives and ``.json``.

An archive contains a summary of each sample with its scores, so that messages and events, which are most of it, stay
packed. A run that crashed has no header, but the journal it wrote as it went.

``scorer`` says which scorer's values are taken (the first by default, which is said), and ``metric`` which entry of
values that are dictionaries. ``per`` may be ``sample``: a task for each sample, with its epochs as runs; or
``evaluation``: a task for each evaluation, with the mean over samples of the means over epochs. By default it is a
sample where all logs are of one evaluation. Reading fails when no sample has a score, or a value is neither a number
nor C, I, P or N, unless ``on_error`` is ``skip``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, EquipoiseError, ParameterError, did_you_mean, some_of
from equipoise.core.wording import Option
from equipoise.logs.files.bytes_read import Archive, opened_archive
from equipoise.logs.files.json_files import count_of, number_of, parsed, parts_of
from equipoise.logs.format import LogReading, Notes, Run

GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Grades as Inspect counts them: correct, incorrect, partial, no answer."""
MEANS = ("accuracy", "mean")
HEADER, START, SUMMARIES, REDUCTIONS = "header.json", "_journal/start.json", "summaries.json", "reductions.json"
KEPT = ("status", "eval", "results", "error")
MANAGER = "equipoise"
"""Who stopped early, where we did: the log then has our decision, with the interval that holds in spite of the stop."""
LONGEST_ERROR = 120
"""Characters of an error's message that are quoted."""
JOURNAL, SAMPLES = "_journal/summaries/", "samples/"


@dataclass(slots=True)
class _Log:
    """What is kept of a log: who, what, and the scores of each sample."""

    path: Path
    header: Mapping[str, Any]
    samples: list[tuple[str, Mapping[str, Any], bool]] = field(default_factory=list)
    reduced: bool = False

    @property
    def eval(self) -> Mapping[str, Any]:
        return self.header.get("eval") or {}

    @property
    def status(self) -> str:
        return str(self.header.get("status", "started"))

    @property
    def results(self) -> Sequence[Mapping[str, Any]]:
        return (self.header.get("results") or {}).get("scores") or ()


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: the model is the agent, the task the evaluation, a sample's epochs are its runs."""
    notes.mapped("eval.model (agent)", "eval.task and sample id (task)", "epoch (run)")
    notes.left("messages", "events", "usage", "metadata")
    logs, broken = [], []
    for path in files:
        try:
            logs.append(_opened(path))
        except EquipoiseError:
            if how.on_error == "raise":
                raise
            broken.append(path)
    notes.leave_out(broken, "not readable")
    kept = _each_run_once(logs, notes)
    names = _evaluations(kept)
    _say_unfinished(kept, notes)
    for log in kept:
        _say_stopped(log, notes)
    runs_of: dict[tuple[str, str], list[Path]] = {}
    for log, name in zip(kept, names, strict=True):
        runs_of.setdefault((str(log.eval.get("model")), name), []).append(log.path)
    notes.several_runs(runs_of, "they count as runs of one agent")
    empty = []
    for log, name in zip(kept, names, strict=True):
        runs = list(_runs(log, name, how, notes))
        empty += [] if runs else [log.path]
        yield from runs
    notes.leave_out(empty, "no scores in it")


def _opened(path: Path) -> _Log:
    with path.open("rb") as file:
        zipped = file.read(2) == b"PK"
    if not zipped:
        return _of_text(path)
    with opened_archive(path) as archive:
        names = archive.names
        header = parsed(archive.read(HEADER if HEADER in names else START), path, HEADER)
        log = _Log(path, {key: header.get(key) for key in KEPT if key in header})
        reductions = parsed(archive.read(REDUCTIONS), path, REDUCTIONS) if REDUCTIONS in names else ()
        _take(log, _summaries(archive), reductions)
    return log


def header_and_summaries(path: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Give the header of an archive, and what it keeps of each sample."""
    with opened_archive(path) as archive:
        names = archive.names
        return parsed(archive.read(HEADER if HEADER in names else START), path, HEADER), list(_summaries(archive))


def header_and_samples(path: Path) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """Give the header of an archive, and its samples with their texts, in the order of their names."""
    with opened_archive(path) as archive:
        names = archive.names
        samples = [parsed(archive.read(name), path, name) for name in sorted(names) if name.startswith(SAMPLES)]
        return parsed(archive.read(HEADER if HEADER in names else START), path, HEADER), samples


def _of_text(path: Path) -> _Log:
    """Read a log in JSON, a sample at a time: of each only its scores are kept."""
    header: dict[str, Any] = {}
    reductions: list[Mapping[str, Any]] = []
    log = _Log(path, header)
    for key, value in parts_of(path, ("samples", "reductions")):
        if key == "samples" and value is not None:
            _keep(log, value)
        elif key == "reductions" and value is not None:
            reductions.append(value)
        elif key in KEPT:
            header[key] = value
    _take(log, (), reductions)
    return log


def _summaries(archive: Archive) -> Iterator[Mapping[str, Any]]:
    """Give the samples: from the summary, else from the journal and from samples that it does not have yet."""
    if SUMMARIES in archive.names:
        yield from parsed(archive.read(SUMMARIES), archive.path, SUMMARIES)
        return
    listed = set()
    for name in archive.names:
        if name.startswith(JOURNAL):
            for sample in parsed(archive.read(name), archive.path, name):
                listed.add(f"{SAMPLES}{sample.get('id')}_epoch_{sample.get('epoch')}.json")
                yield sample
    for name in archive.names:
        if name.startswith(SAMPLES) and name not in listed:
            yield parsed(archive.read(name), archive.path, name)


def _take(log: _Log, samples: Iterable[Mapping[str, Any]], reductions: Iterable[Mapping[str, Any]]) -> None:
    """Keep the values of each sample; where there are none, those that the log keeps over epochs."""
    for sample in samples:
        _keep(log, sample)
    if log.samples:
        return
    log.reduced = True
    for reduction in reductions:
        for sample in reduction.get("samples") or ():
            log.samples.append((str(sample.get("sample_id")), {str(reduction["scorer"]): sample.get("value")}, False))


def _keep(log: _Log, sample: Mapping[str, Any]) -> None:
    scores = sample.get("scores") or ({"score": sample["score"]} if sample.get("score") else {})
    values = {name: score.get("value") if isinstance(score, dict) else score for name, score in scores.items()}
    log.samples.append((str(sample.get("id")), values, bool(sample.get("error"))))


def _each_run_once(logs: Sequence[_Log], notes: Notes) -> list[_Log]:
    """Keep one log of each task that was run: a copy in another form, or an attempt that was taken up again, goes."""
    best: dict[object, _Log] = {}
    for log in logs:
        key = (log.eval.get("task_id") or str(log.path), log.eval.get("model"))
        rival = best.get(key)
        if rival is None or _worth(log) > _worth(rival):
            best[key] = log
    kept = [log for log in logs if any(log is one for one in best.values())]
    others = [log.path.name for log in logs if not any(log is one for one in kept)]
    if others:
        notes.info("same-run-once", f"Other logs of the same run are left out: {some_of(others)}.", others)
    return kept


def _worth(log: _Log) -> tuple[bool, int]:
    return log.status == "success", sum(bool(values) for _, values, _ in log.samples)


def _evaluations(logs: Sequence[_Log]) -> list[str]:
    """Name the evaluation of each log: the task, with those arguments in which runs of the same task differ."""
    arguments: dict[str, list[Mapping[str, Any]]] = {}
    for log in logs:
        arguments.setdefault(str(log.eval.get("task")), []).append(log.eval.get("task_args") or {})
    names = []
    for log in logs:
        task, own = str(log.eval.get("task")), log.eval.get("task_args") or {}
        keys = dict.fromkeys(key for given in arguments[task] for key in given)
        differing = [key for key in keys if len({repr(given.get(key)) for given in arguments[task]}) > 1]
        differences = ", ".join(f"{key}={own[key]}" for key in differing if key in own)
        names.append(f"{task}({differences})" if differences else task)
    return names


def _say_unfinished(logs: Sequence[_Log], notes: Notes) -> None:
    unfinished = [f"{log.path.name} ({_how_far(log)})" for log in logs if log.status != "success"]
    if unfinished:
        message = f"Runs that did not finish are taken as far as they got: {some_of(unfinished)}."
        notes.warning("run-not-finished", message, unfinished)


def _how_far(log: _Log) -> str:
    """Say how a run ended, how many of its planned samples it ran, and why it stopped, as far as the header knows."""
    run, planned = len(log.samples), _planned(log)
    far = f", {run:,} of {planned:,} planned samples" if planned > run else ""
    error = log.header.get("error")
    message = str(error.get("message") or "").split("\n")[0][:LONGEST_ERROR] if isinstance(error, dict) else ""
    return f"{log.status}{far}{f': {message}' if message else ''}"


def _planned(log: _Log) -> int:
    """Give how many samples were to be run, epochs counted; 0 where the log does not say."""
    stated = count_of((log.header.get("results") or {}).get("total_samples"))
    dataset, config = log.eval.get("dataset") or {}, log.eval.get("config") or {}
    chosen = dataset.get("sample_ids")
    samples = len(chosen) if isinstance(chosen, list) and chosen else count_of(dataset.get("samples"))
    return stated or samples * max(count_of(config.get("epochs")), 1)


def _say_stopped(log: _Log, notes: Notes) -> None:
    """Say what was not run on purpose: samples that were stopped early, and those beyond a limit."""
    early = (log.header.get("results") or {}).get("early_stopping")
    stops = (
        [stop for stop in early.get("early_stops") or () if isinstance(stop, dict)] if isinstance(early, dict) else []
    )
    if isinstance(early, dict) and early.get("manager") == MANAGER and (early.get("metadata") or {}).get("answer"):
        notes.info("gate-decision", f"{log.path.name}: {early['metadata']['answer']}", [log.path.name])
    if stops:
        run = count_of(log.header["results"].get("completed_samples")) or len(log.samples)
        reasons = Counter(str(stop.get("reason") or "no reason given") for stop in stops)
        why = some_of(f"{reason} ({count:,})" for reason, count in reasons.most_common())
        message = (
            f"{log.path.name}: {run:,} of {_planned(log):,} planned samples were run; {len(stops):,} were stopped"
            f" early: {why}. They count as neither failures nor missing answers. A mean after a stop that depends on"
            " results is biased (upward where a sample is stopped once it was right)"
        )
        notes.warning("stopped-early", f"{message}{_of_records(log)}.", [log.path.name])
    limit = (log.eval.get("config") or {}).get("limit")
    if limit is not None:
        notes.gather("limited", f"Only a part of the samples was to be run (limit {limit})", log.path.name)


def _of_records(log: _Log) -> str:
    """Give the mean of all records beside the mean of samples, where epochs of samples differ in number."""
    often = Counter(name for name, _, _ in log.samples)
    scorer = next((name for _, values, _ in log.samples for name in values), None)
    values = [
        GRADES.get(str(each), number_of(each))
        for _, values, _ in log.samples
        if (each := values.get(scorer or "")) is not None
    ]
    scores = [value for value in values if value is not None]
    if len(set(often.values())) < 2 or not scores:
        return ""
    return f"; of all {len(scores):,} records it is {sum(scores) / len(scores):.6f}"


def _runs(log: _Log, evaluation: str, how: LogReading, notes: Notes) -> Iterator[Run]:
    model = str(log.eval.get("model"))
    scorer = _scorer(log, how, notes)
    errored, unscored = 0, 0
    items: list[str] = []
    scores: list[float] = []
    for name, values, failed in log.samples:
        value = _value(values.get(scorer), how, notes, log) if scorer is not None else None
        if value is None:
            errored, unscored = errored + failed, unscored + (not failed)
            continue
        items.append(name)
        scores.append(value)
    notes.use(len(items))
    notes.mapped(f"{'scores' if scorer is None else scorer}{f'.{how.metric}' if how.metric else ''} (score)")
    _say_unscored(log, errored, unscored, notes)
    if items:
        if log.reduced:
            notes.gather("epochs-reduced", "There are no samples; scores over epochs are taken", log.path.name)
        elif len(set(items)) < len(items):
            notes.gather("epochs-averaged", "Epochs are averaged sample by sample first", log.path.name)
        yield Run(model, evaluation, items, scores)
    stated = _stated(log, scorer, how)
    if stated is not None:
        samples = count_of((log.header["results"] or {}).get("completed_samples"))
        yield Run(model, evaluation, (), (stated,), stated=True, samples=samples)


def _scorer(log: _Log, how: LogReading, notes: Notes) -> str | None:
    """Choose the scorer: the one asked for, else the first."""
    listed = [str(score.get("name")) for score in log.results]
    listed += [str(scorer.get("name")) for scorer in log.eval.get("scorers") or () if isinstance(scorer, dict)]
    there = [name for _, values, _ in log.samples for name in values]
    present = set(there)
    names = [name for name in dict.fromkeys([*listed, *there]) if not present or name in present]
    if how.scorer is not None:
        if how.scorer not in names and names:
            hint = did_you_mean(how.scorer, names)
            message = f': {log.path.name} has no "{how.scorer}"{hint}; it has {some_of(names, 9)}'
            raise ParameterError(Option("scorer"), message)
        return how.scorer
    if len(names) > 1:
        message = f'Scorer "{names[0]}" is taken; there are also {some_of(names[1:])}'
        notes.gather("metric-taken", message, log.path.name)
    return names[0] if names else None


def _value(value: Any, how: LogReading, notes: Notes, log: _Log) -> float | None:
    """Give a value as a number; None where there is none."""
    if isinstance(value, dict):
        key = how.metric if how.metric is not None else next(iter(value), None)
        if key not in value:
            raise ParameterError(Option("metric"), f': {log.path.name} has no "{key}"; it has {some_of(value, 9)}')
        if how.metric is None and len(value) > 1:
            notes.gather("metric-taken", f'"{key}" is taken of the scores {some_of(value, 9)}', log.path.name)
        value = value[key]
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if isinstance(value, str) and value in GRADES:
        return GRADES[value]
    number = number_of(value)
    if number is None and how.on_error == "raise":
        raise DataError(f"{log.path}: a score of {str(value)[:60]!r} is neither a number nor C, I, P or N")
    return number


def _say_unscored(log: _Log, errored: int, unscored: int, notes: Notes) -> None:
    for count, reason in ((errored, "that ended in an error"), (unscored, "without a score")):
        if count:
            notes.drop(reason, count)
            notes.warning(
                "samples-without-score",
                f"{log.path.name}: {count:,} of {len(log.samples):,} samples {reason} are left out (possible bias).",
                [log.path.name],
            )


def _stated(log: _Log, scorer: str | None, how: LogReading) -> float | None:
    """Give the mean that the log states for what was taken."""
    for score in log.results:
        metrics = score.get("metrics") or {}
        named = score.get("name") == (how.metric or scorer) or score.get("scorer") == scorer
        value = next((number_of(metrics[name].get("value")) for name in MEANS if name in metrics), None)
        if named and value is not None:
            return value
    return None
