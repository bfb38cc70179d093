"""Signs by which logs of evaluations are told from each other and from tables: what they hold, not their names."""

import re

from equipoise.logs.files.peek import Peek

__all__ = ["is_helm", "is_inspect", "is_lm_eval", "is_openai_evals", "is_py_irt", "is_swe_bench"]

HARNESS_METRIC = re.compile(r'"\w+_stderr(,[^"]+)?"\s*:|"\w+,(none|[a-z-]+)"\s*:')


def is_inspect(peek: Peek) -> bool:
    """A zip with a journal or a header, or JSON with the parts of a log."""
    if peek.names:
        return "header.json" in peek.names or "_journal/start.json" in peek.names
    return {"version", "status", "eval"} <= peek.keys or {"eval", "plan", "samples"} <= peek.keys


def is_lm_eval(peek: Peek) -> bool:
    """Results with a configuration, or one document after the other."""
    if peek.listed:
        return False
    if {"doc_id", "target", "filtered_resps"} <= peek.keys or {"doc_id", "doc", "target", "arguments"} <= peek.keys:
        return True
    return "results" in peek.keys and bool(
        peek.keys & {"group_subtasks", "configs", "versions", "n-shot"} or HARNESS_METRIC.search(peek.text)
    )


def is_helm(peek: Peek) -> bool:
    """The statistics of each instance."""
    return peek.listed and {"instance_id", "stats"} <= peek.keys


def is_openai_evals(peek: Peek) -> bool:
    """Lines of events after a specification."""
    spec = "spec" in peek.keys and "completion_fns" in peek.text
    return not peek.listed and (spec or {"run_id", "event_id", "sample_id", "type"} <= peek.keys)


def is_py_irt(peek: Peek) -> bool:
    """Lines with a subject and its responses to items."""
    return not peek.listed and {"subject_id", "responses"} <= peek.keys


def is_swe_bench(peek: Peek) -> bool:
    """Lists of instances by what became of them."""
    if peek.listed:
        return False
    return {"resolved_instances", "total_instances"} <= peek.keys or {"generated", "no_generation"} <= peek.keys
