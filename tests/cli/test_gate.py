"""``equipoise gate``: exit codes, and what machines read."""

import csv
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from equipoise.cli import main as program
from equipoise.cli.main import main

HOSTILE = 'q<1>|`&"::error::\x1b[31m%0A'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    rng = np.random.default_rng(0)
    chance = rng.beta(2, 1, size=200)
    for name, loss in (("base", 0.0), ("same", 0.0), ("worse", 0.4)):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["model", "task", "score"])
            out.writerows(
                [name, f"{HOSTILE if k == 0 else 'q'}{k}", int(rng.random() < c - loss)] for k, c in enumerate(chance)
            )
    return folder


@pytest.mark.parametrize(
    ("new", "options", "code"),
    [("same", "--margin 0.2", 0), ("worse", "--margin 0.05", 1), ("same", "--margin 0.001", 3),
     ("same", "--margin 0.001 --strict", 1), ("same", "", 0), ("same", "--direction better", 3),
     ("none", "--margin 0.1", 2), ("same", "--margin -1", 2), ("same", "--margin 0.1 --tasks fixed", 2)],
)  # fmt: skip
def test_programs_are_told_by_the_exit_code(files, capsys, new, options, code):
    assert main(["gate", str(files / "base.csv"), str(files / f"{new}.csv"), *options.split()]) == code
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == (code == 2)


def test_a_fault_of_ours_is_no_decision(monkeypatch, files, capsys):
    def broken(_given):
        raise RuntimeError("a bug")

    monkeypatch.setattr(program, "_run", broken)
    assert main(["gate", "a.csv"]) == 70
    assert "RuntimeError: a bug" in capsys.readouterr().err


def test_machines_get_json_junit_a_summary_and_an_annotation_in_which_names_are_only_names(
    files, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    given = ["gate", str(files / "base.csv"), str(files / "worse.csv"), "--margin", "0.05", "--format", "json"]
    assert main([*given, "--junit", str(tmp_path / "gate.xml")]) == 1
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["verdict"] == "fail"
    assert document["low"] < document["difference"] < document["high"] < -0.05
    (case,) = ET.parse(tmp_path / "gate.xml").getroot()
    assert case.find("failure").get("message").startswith("Fail: worse is worse than base")
    annotations = [line for line in said.err.splitlines() if line.startswith("::")]
    assert len(annotations) == 1
    assert annotations[0].startswith("::error title=equipoise gate::Fail")
    summary = (tmp_path / "summary.md").read_text()
    assert r"\<1>" in summary
    assert "\x1b" not in summary + said.err + said.out


def test_a_schedule_is_kept_in_a_file_and_gone_on_with(files, tmp_path, capsys):
    state = str(tmp_path / "state.json")
    first = ["gate", str(files / "base.csv"), "--margin", "0.1", "--sequential", state]
    assert main(first) == 3
    said = capsys.readouterr().out
    assert "Run next, in this order: " in said
    assert main([*first, "--format", "json"]) == 3
    assert len(json.loads(capsys.readouterr().out)["following"]) == 20
    assert main(["gate", str(files / "base.csv"), str(files / "worse.csv"), *first[2:]]) == 1
    assert "Fail:" in capsys.readouterr().out
    report = str(tmp_path / "gate.xml")
    assert main(["gate", str(files / "base.csv"), str(files / "worse.csv"), *first[2:], "--junit", report]) == 1
    assert ET.parse(report).getroot().get("failures") == "1"
    assert main([*first[:3], "0.2", *first[4:]]) == 2
    assert "--margin was 0.1" in capsys.readouterr().err


@pytest.mark.parametrize(("new", "margin", "code", "verdict"), [("same", 0.2, 0, "pass"), ("worse", 0.05, 1, "fail"),
                                                                ("same", 0.001, 0, "undecided")])  # fmt: skip
def test_the_step_of_the_action_is_red_only_where_it_fails(files, tmp_path, new, margin, code, verdict):
    yaml = pytest.importorskip("yaml", reason="comes with the site's tools")
    steps = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())["runs"]["steps"]
    command = tmp_path / "bin" / "equipoise"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m equipoise "$@"\n')
    command.chmod(0o755)
    inputs = {"BASE": str(files / "base.csv"), "NEW": str(files / f"{new}.csv"), "MARGIN": str(margin), "OPTIONS": ""}
    paths = {"GITHUB_OUTPUT": str(tmp_path / "out"), "PATH": f"{command.parent}:{os.environ['PATH']}"}
    assert set(steps[-1]["env"]) == set(inputs)
    ended = subprocess.run(
        ["bash", "-e", "-c", steps[-1]["run"]], env={**os.environ, **inputs, **paths}, cwd=tmp_path, check=False,
        capture_output=True,
    )  # fmt: skip
    assert ended.returncode == code, ended.stderr
    assert (tmp_path / "out").read_text() == f"verdict={verdict}\n"
    assert (tmp_path / "equipoise-gate.xml").exists()
