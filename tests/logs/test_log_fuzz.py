"""Broken logs: whatever is wrong with one, the answer is data or one line, and never a bug."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import equipoise as eq

LOGS = {
    "inspect": {
        "version": 2,
        "status": "success",
        "eval": {"task": "quiz", "model": "m", "task_id": "t"},
        "results": {"scores": [{"name": "match", "metrics": {"accuracy": {"value": 1.0}}}]},
        "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}],
    },
    "harness": {
        "results": {"quiz": {"acc,none": 0.5, "acc_stderr,none": "N/A"}},
        "group_subtasks": {"quiz": []},
        "configs": {},
        "n-samples": {"quiz": {"effective": 4}},
        "model_name": "m",
    },
    "document": {"doc_id": 0, "target": "x", "filtered_resps": ["x"], "filter": "none", "acc": 1.0},
    "helm": [
        {
            "instance_id": "a",
            "train_trial_index": 0,
            "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0}],
        }
    ],
    "event": {"run_id": "r", "event_id": 1, "sample_id": "s", "type": "match", "data": {"correct": True}},
    "irt": {"subject_id": "m", "responses": {"q": 1}},
    "swe": {"total_instances": 2, "resolved_instances": 1, "resolved_ids": ["a"], "submitted_ids": ["a", "b"]},
}
VALUES = st.one_of(
    st.none(), st.integers(-2, 2), st.text(max_size=3), st.just([]), st.just({}), st.just([[1]]), st.just({"a": []})
)


def places(value, path=()):
    """Give the way to every value inside a value."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def put(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_log_with_anything_in_any_place(tmp_path, name, data):
    log = LOGS[name]
    where = data.draw(st.sampled_from(list(places(log))))
    written = json.dumps(put(log, where, data.draw(VALUES)))
    cut = data.draw(st.one_of(st.just(len(written)), st.integers(0, len(written))))
    path = tmp_path / "log.json"
    path.write_text(written[:cut])
    try:
        eq.read(path)
    except eq.EquipoiseError as error:
        assert "\n" not in str(error)  # noqa: PT017  # either answer is right
