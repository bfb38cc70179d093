"""The page "in your CI in five minutes": its workflow is performed step by step, with the action of this checkout."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "ci.md").read_text(encoding="utf-8")
EVALUATE = """
import argparse, random
asked = argparse.ArgumentParser()
asked.add_argument("--model")
asked.add_argument("--output")
given = asked.parse_args()
loss = {loss} if given.model == "candidate" else 0.0
with open(given.output, "w") as file:
    print("model,task,score", file=file)
    for k in range(300):
        print(given.model, f"q{{k}}", int(random.Random(k).random() < 0.8 - loss), sep=",", file=file)
"""
PYTHON = """#!/bin/sh
if [ "$1" = -m ] && [ "$2" = pip ]; then
    for last in "$@"; do :; done
    grep -q '^name = "equipoise"' "$last/pyproject.toml" && echo "$last" > {installed}
    exit
fi
exec {python} "$@"
"""
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")


class Runner:
    """Performs steps as a runner of GitHub Actions does: each in bash, with inputs, outputs and a summary."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "GITHUB_ACTIONS": "true"}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            self.env[name] = str(folder / name.lower())
        self.said = ""

    def run(self, step, values):
        env = {
            name: EXPRESSION.sub(lambda found: values[found[1]], value) for name, value in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], cwd=self.folder, env={**os.environ, **self.env, **env}, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        self.said += done.stdout + done.stderr
        return done.returncode

    def perform(self, step, yaml):
        if "run" in step:
            return self.run(step, {})
        if not step["uses"].startswith("./"):
            return 0  # actions of others: the checkout is there, so is Python, and nothing is kept
        action = yaml.safe_load((self.folder / step["uses"] / "action.yml").read_text())
        assert set(step["with"]) <= set(action["inputs"])
        inputs = {name: one.get("default") for name, one in action["inputs"].items()} | step["with"]
        values = {f"inputs.{name}": value for name, value in inputs.items()}
        values["github.action_path"] = str(self.folder / step["uses"])
        codes = [self.run(one, values) for one in action["runs"]["steps"]]
        return max(codes)


@pytest.fixture
def checkout(tmp_path):
    """A repository with the workflow of the page, and this package in a folder of it."""
    (tmp_path / "equipoise").symlink_to(ROOT)
    (tmp_path / "bin").mkdir()
    installed = tmp_path / "installed"
    for name, text in (
        ("python", PYTHON.format(installed=installed, python=sys.executable)),
        ("equipoise", f'#!/bin/sh\nexec {sys.executable} -m equipoise "$@"\n'),
    ):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def commands():
    return [line.removeprefix("    $ ") for line in PAGE.splitlines() if line.startswith("    $ ")]


@pytest.mark.parametrize(("loss", "code", "level"), [(0.0, 0, "notice"), (0.4, 1, "error"), (0.1, 0, "warning")])
def test_the_workflow_of_the_page_does_what_the_page_says(checkout, loss, code, level):
    yaml = pytest.importorskip("yaml", reason="comes with the site's tools")
    (checkout / "evaluate.py").write_text(EVALUATE.format(loss=loss))
    runner = Runner(checkout)
    record, add, look = commands()
    assert runner.run({"run": record}, {}) == 0
    assert add == "git add baseline.csv"
    assert (checkout / "baseline.csv").exists()
    if code == 0:
        assert runner.run({"run": look}, {}) == 0
        assert "80% of such comparisons" in " ".join(runner.said.split())
    workflow = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)[1])
    codes = {}
    for step in workflow["jobs"]["gate"]["steps"]:
        if not any(codes.values()) or step.get("if") == "always()":
            codes[step.get("name", step.get("uses"))] = runner.perform(step, yaml)
    assert codes["Evaluate"] == 0
    assert codes["Gate"] == code, runner.said
    assert (checkout / "installed").read_text().strip() == str(checkout / "./equipoise")
    assert f"::{level} title=equipoise gate::" in runner.said
    assert "###" in (checkout / "github_step_summary").read_text()
    verdict = {"notice": "pass", "error": "fail", "warning": "undecided"}[level]
    assert (checkout / "github_output").read_text() == f"verdict={verdict}\n"
    assert (checkout / "equipoise-gate.xml").exists()
    assert "Keep the report" in codes
