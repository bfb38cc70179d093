"""One reader a source, for who knows what the logs are; :func:`equipoise.read` finds it out."""

from typing import Any, Literal

from equipoise.core.options import checked
from equipoise.data.readers.columns import OnError
from equipoise.data.readers.options import ReadOptions
from equipoise.data.types.scores import Scores
from equipoise.logs.files.paths import Source
from equipoise.logs.format import Per
from equipoise.logs.read import read_logs

__all__ = ["read_helm", "read_inspect", "read_lm_eval", "read_openai_evals", "read_py_irt", "read_swe_bench"]


def _scores(source: Source, only: str, **given: Any) -> Scores:
    data = read_logs(source, ReadOptions().also(**given), only=only)
    assert isinstance(data, Scores)
    return data


@checked()
def read_inspect(
    source: Source,
    *,
    scorer: str | None = None,
    metric: str | None = None,
    per: Per | None = None,
    on_error: OnError = "raise",
) -> Scores:
    """Read logs of Inspect AI: ``.eval`` archives and ``.json``.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    scorer
        Which scorer's values are taken; the first by default, which is said.
    metric
        Which entry of values that are dictionaries.
    per
        ``sample``: a task for each sample, with its epochs as trials. ``evaluation``: a task for each evaluation, with
        the mean over samples of the means over epochs. By default a sample where all logs are of one evaluation.
    on_error
        ``raise`` where a value is no score or a file cannot be read, or ``skip`` it and say so.

    Fails when
        there is no such log, no sample has a score, or a value is neither a number nor C, I, P or N.
    """
    return _scores(source, "inspect", scorer=scorer, metric=metric, per=per, on_error=on_error)


@checked()
def read_lm_eval(
    source: Source,
    *,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002  # the harness calls it so
    per: Per | None = None,
    on_error: OnError = "raise",
) -> Scores:
    """Read logs of lm-evaluation-harness: ``results_*.json`` and ``samples_*.jsonl``, old and new.

    Parameters
    ----------
    source
        A file, a folder of models, a glob, or a list of them.
    metric
        Such as ``acc`` or ``exact_match``; by default the first that a task has of a list of usual ones, which is said.
    filter
        Such as ``strict-match``; the first of a task by default.
    per
        ``sample`` or ``evaluation``, as in :func:`read_inspect`; results without samples have evaluations only.
    on_error
        ``raise`` where a file cannot be read, or ``skip`` it and say so.

    Fails when
        there is no such log, or it has neither the metric nor the filter asked for.
    """
    return _scores(source, "lm-eval", metric=metric, filter=filter, per=per, on_error=on_error)


@checked()
def read_helm(
    source: Source,
    *,
    metric: str | None = None,
    split: str | None = None,
    per: Per | None = None,
    on_error: OnError = "raise",
) -> Scores:
    """Read run folders of HELM: ``per_instance_stats.json`` beside ``run_spec.json``.

    Parameters
    ----------
    source
        A run folder, a folder of them, a glob, or a list.
    metric
        Such as ``exact_match``, which is the default where there is one.
    split
        Such as ``test``; by default the one with most instances, which is said.
    per
        ``sample`` or ``evaluation``, as in :func:`read_inspect`; trials with other examples in the prompt are trials.
    on_error
        ``raise`` where a file cannot be read, or ``skip`` it and say so.

    Fails when
        there is no such run, or it has neither the metric nor the split asked for.
    """
    return _scores(source, "helm", metric=metric, split=split, per=per, on_error=on_error)


@checked()
def read_openai_evals(
    source: Source, *, metric: str | None = None, per: Per | None = None, on_error: OnError = "raise"
) -> Scores:
    """Read event logs of openai/evals.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    metric
        Key of ``metrics`` events; ``match`` events give whether the answer was correct.
    per
        ``sample`` or ``evaluation``, as in :func:`read_inspect`.
    on_error
        ``raise`` where a line cannot be read, or ``skip`` it and say so.

    Fails when
        there is no such log, or no event holds a score.
    """
    return _scores(source, "openai-evals", metric=metric, per=per, on_error=on_error)


@checked()
def read_py_irt(source: Source, *, on_error: OnError = "raise") -> Scores:
    """Read responses as py-irt takes them: a JSON line for each subject, with its responses to items.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    on_error
        ``raise`` where a line cannot be read, or ``skip`` it and say so.

    Fails when
        there is no such file, or a response is no number.
    """
    return _scores(source, "py-irt", on_error=on_error)


@checked()
def read_swe_bench(
    source: Source,
    *,
    denominator: Literal["submitted", "all"] = "submitted",
    per: Per | None = None,
    on_error: OnError = "raise",
) -> Scores:
    """Read results of SWE-bench: the report of its harness, or lists of instances by what became of them.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them; the agent is called after the file, or the folder it lies in.
    denominator
        ``submitted``: instances that were submitted count, and those without a patch are not resolved. ``all``: those
        that were not submitted count as not resolved, too. A diagnostic gives both shares.
    per
        ``sample`` or ``evaluation``, as in :func:`read_inspect`.
    on_error
        ``raise`` where a file cannot be read, or ``skip`` it and say so.

    Fails when
        there is no such file, or it does not name the instances that were not submitted where they shall count.
    """
    return _scores(source, "swe-bench", denominator=denominator, per=per, on_error=on_error)
