"""Inspect logs that were stopped early, by a limit or by an error: how many were planned and run, why, and the bias."""

import json

import pytest

import equipoise as eq

FOLDER = "more_logs/inspect_early_stopping"
ANSWERS = {
    "stop_after_failures.eval": ("30 of 60 planned samples were run; 30 were stopped early", 30, 24 / 30, None),
    "once_right_4epochs.eval": ("42 of 80 planned samples were run; 38 were stopped early", 42, 0.595833, "0.404762"),
    "once_right_3epochs.json": ("11 of 24 planned samples were run; 13 were stopped early", 11, 0.8125, "0.727273"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_was_stopped_early_is_said_with_the_bias(equipoise_data, name):
    said, records, mean, of_records = ANSWERS[name]
    scores = eq.read(equipoise_data / FOLDER / name)
    assert scores.account.used == records
    assert scores.values.mean() == pytest.approx(mean, abs=1e-6)
    (note,) = [note for note in scores.diagnostics if note.code == "stopped-early"]
    assert note.severity == "warning"
    assert said in note.message
    assert "biased" in note.message
    assert (f"of all {records} records it is {of_records}" in note.message) == (of_records is not None)


def test_a_limit_and_an_error_say_how_far_a_run_got(tmp_path, equipoise_data):
    log = json.loads((equipoise_data / FOLDER / "once_right_3epochs.json").read_text())
    log["eval"]["config"]["limit"] = 8
    log |= {"status": "error", "error": {"message": "rate limit", "traceback": ""}}
    log["results"].pop("early_stopping")
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    notes = {note.code: note.message for note in eq.read(path).diagnostics}
    assert "log.json (error, 11 of 24 planned samples: rate limit)" in notes["run-not-finished"]
    assert "limit 8" in notes["limited"]


def test_a_log_with_a_header_only_gives_its_stated_figures(tmp_path, equipoise_data):
    log = json.loads((equipoise_data / FOLDER / "once_right_3epochs.json").read_text())
    del log["samples"]
    log.pop("reductions", None)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    assert eq.read(path).values.tolist() == [[0.8125]]
