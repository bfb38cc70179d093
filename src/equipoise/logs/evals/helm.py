"""Run folders of HELM: ``per_instance_stats.json``, with who and what in ``run_spec.json`` beside it.

``metric`` is such as ``exact_match``, which is the default where there is one. ``split`` is such as ``test``; by
default the one with most instances, which is said. ``per`` is as in ``inspect_ai``; train trials (other examples in the
prompt) are runs. Reading fails when a run has neither the metric nor the split asked for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import EquipoiseError, ParameterError, ReadError, did_you_mean, some_of
from equipoise.core.wording import Option
from equipoise.logs.files.json_files import entries_of, number_of, whole_object
from equipoise.logs.format import LogReading, Notes, Run

USUAL = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "math_equiv",
         "math_equiv_chain_of_thought", "pass", "f1_score", "rouge_2", "rouge_l", "bleu_4", "ifeval_strict_accuracy",
         "chain_of_thought_correctness", "safety_score")  # fmt: skip
"""Statistics that are scores, in the order in which one is taken; the others count tokens, costs and the like."""
MODEL = re.compile(r",?\bmodel=[^,]*|,?\bmodel_deployment=[^,]*")


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: an instance is a sample, and train trials (other examples in the prompt) are its runs."""
    notes.mapped("adapter_spec.model (agent)", "name and instance_id (task)", "train_trial_index (run)", "mean (score)")
    broken = []
    for path in files:
        try:
            yield from _run(path, [_short(instance) for instance in entries_of(path)], how, notes)
        except ParameterError:
            raise
        except EquipoiseError:
            if how.on_error == "raise":
                raise
            broken.append(path)
    notes.leave_out(broken, "not readable")


def _run(path: Path, instances: Sequence[Mapping[str, Any]], how: LogReading, notes: Notes) -> Iterator[Run]:
    model, evaluation = _named(path)
    clean = [instance for instance in instances if not _perturbed(instance)]
    if len(clean) < len(instances):
        notes.drop("of perturbed copies", len(instances) - len(clean))
        notes.gather("perturbed-left-out", "Perturbed copies of instances are left out", evaluation)
    metric = _metric(clean, evaluation, how, notes)
    rows = [(instance, scored) for instance in clean if (scored := _split_and_mean(instance, metric))]
    split = _split(rows, evaluation, how, notes)
    items: list[str] = []
    scores: list[float] = []
    for instance, (of, mean) in rows:
        if of != split:
            notes.drop("of other splits")
            continue
        items.append(str(instance["instance_id"]))
        scores.append(mean)
    notes.use(len(items))
    without = len(clean) - len(rows)
    if without:
        notes.drop(f'without "{metric}"', without)
    if len(set(items)) < len(items):
        notes.gather("trials-averaged", "Train trials are averaged instance by instance first", evaluation)
    if items:
        yield Run(model, evaluation, items, scores)
    else:
        notes.leave_out([path], "no scores in it")


def _short(instance: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keep of an instance what is read: files contain much more."""
    identity = {key: instance.get(key) for key in ("instance_id", "perturbation")}
    return identity | {"stats": list(_stats(instance))}


def _named(path: Path) -> tuple[str, str]:
    """Name the model and the evaluation, by the specification of the run or else by the folder."""
    spec = path.with_name("run_spec.json")
    folder = path.absolute().parent.name
    run = whole_object(spec) if spec.is_file() else {}
    if not isinstance(run, dict):
        raise ReadError(f"{spec}: an object is expected")
    name = str(run.get("name") or folder)
    own = re.search(r"\bmodel=([^,]*)", name)
    model = (run.get("adapter_spec") or {}).get("model") or (own[1] if own else folder)
    return str(model), MODEL.sub("", name).rstrip(":,").replace(":,", ":")


def _perturbed(instance: Mapping[str, Any]) -> bool:
    return bool(instance.get("perturbation"))


def _stats(instance: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Give name, split and mean of the statistics that are of the instance itself, and were taken at all."""
    for stat in instance.get("stats") or ():
        name = stat.get("name") or {}
        mean = number_of(stat.get("mean"))
        if mean is not None and stat.get("count") and not name.get("perturbation"):
            yield str(name.get("name")), str(name.get("split")), mean


def _split_and_mean(instance: Mapping[str, Any], metric: str) -> tuple[str, float] | None:
    return next(((split, mean) for name, split, mean in instance["stats"] if name == metric), None)


def _metric(instances: Sequence[Mapping[str, Any]], evaluation: str, how: LogReading, notes: Notes) -> str:
    there = list(dict.fromkeys(name for instance in instances for name, _, _ in instance["stats"]))
    if how.metric is not None:
        if how.metric not in there:
            hint = did_you_mean(how.metric, there)
            raise ParameterError(
                Option("metric"), f': {evaluation} has no "{how.metric}"{hint}; it has {some_of(there, 30)}'
            )
        return how.metric
    scores = [name for name in USUAL if name in there]
    if not scores:
        message = f" must be named: no statistic of {evaluation} is known for a score; it has {some_of(there, 30)}"
        raise ParameterError(Option("metric"), message)
    if len(scores) > 1:
        notes.gather("metric-taken", f'"{scores[0]}" is taken; there are also {some_of(scores[1:])}', evaluation)
    return scores[0]


def _split(rows: Sequence[tuple[Any, tuple[str, float]]], evaluation: str, how: LogReading, notes: Notes) -> str:
    """Choose the split: the one asked for, else the one with most instances, ``test`` before others."""
    counts = Counter(split for _, (split, _) in rows)
    if how.split is not None:
        if how.split not in counts:
            message = f': {evaluation} has no "{how.split}"; it has {some_of(counts)}'
            raise ParameterError(Option("split"), message)
        return how.split
    best = max(counts, key=lambda split: (counts[split], split == "test"), default="")
    if len(counts) > 1:
        shares = ", ".join(f"{split} {count:,}" for split, count in counts.most_common())
        notes.gather("split-taken", f'Split "{best}" is taken; instances by split: {shares}', evaluation)
    return best
