"""The pytest plugin, tried with pytest's own way of testing plugins: a session within the session."""

import json
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.analyses.gate.repeated import compare_repeatedly, record
from equipoise.integrations.baselines import read_baselines, rows_of, write_baseline

pytest_plugins = ["pytester"]
PLUGIN = "equipoise.integrations.pytest_plugin"

AGENT = """
    import random

    LOSS = {loss}

    def run(task, seed):
        return float(random.Random(f"{{task}} {{seed}} {salt}").random() < 0.8 - LOSS)

    def test_agent(equipoise):
        equipoise.compare(run, [f"q{{k}}" for k in range(30)], margin={margin}, max_runs={runs}, baseline="base.jsonl")
"""


def always_right(_task, _seed):
    return 1.0


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory):
    """Load what compares: pytester forgets what a session within loads, and libraries in C load once a process."""
    path = tmp_path_factory.mktemp("loaded") / "base.jsonl"
    write_baseline(path, rows_of(record(always_right, ["a", "b"], 2)))
    compare_repeatedly(always_right, ["a", "b"], read_baselines(path), margin=0.1)
    eq.read_scores(path).take(agents=[0])
    path.with_suffix(".csv").write_text("agent,task,run,score\na,x,1,1\na,x,2,0\n")
    read_baselines(path.with_suffix(".csv"))


@pytest.fixture
def session(pytester, monkeypatch):
    """Run pytest on a test of an agent, with this plugin and no other."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # that of the same second would be taken for the file before

    def run(*options, text=None, loss=0.0, margin=0.2, runs=6, salt=""):
        pytester.makepyfile(test_agents=text or AGENT.format(loss=loss, margin=margin, runs=runs, salt=salt))
        return pytester.runpytest_inprocess("-p", PLUGIN, *options)

    return run


def rows(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_an_unchanged_agent_passes_and_a_worse_one_fails_with_the_reason(session, pytester):
    recorded = session("--equipoise-update")
    recorded.assert_outcomes(passed=1)
    recorded.stdout.fnmatch_lines(["*recorded *base.jsonl"])
    assert len(rows(pytester.path / "base.jsonl")) == 30 * 6
    session(salt="another day").assert_outcomes(passed=1)
    worse = session(loss=0.6)
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["Fail: new is worse than baseline by more than 0.2: the mean score changed by *"])
    worse.stdout.no_fnmatch_line("*Traceback*")


def test_undecided_is_a_warning_of_the_summary_and_no_failure(session):
    session("--equipoise-update")
    found = session(salt="x", margin=0.001, loss=0.05)
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["*equipoise: 1 undecided*", "*test_agents.py::test_agent: Undecided: new may or *"])


def test_without_a_margin_the_difference_is_reported(session):
    session("--equipoise-update")
    found = session(margin=None)
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["*equipoise: 1 difference*", "*new against baseline: the mean score changed by*"])


def test_repeats_end_when_it_is_known(session, pytester):
    text = (
        AGENT
        + """
    def test_count(equipoise):
        made = []
        equipoise.compare(lambda task, seed: made.append(seed) or run(task, seed), TASKS, margin=0.5, max_runs=8,
                          baseline="other.jsonl")
        print("runs made:", len(made), len(set(made)))

    TASKS = [f"q{{k}}" for k in range(10)]
    """
    )
    text = text.format(loss=0, margin=0.2, runs=6, salt="")
    session("--equipoise-update", text=text)
    found = session("-s", "-k", "test_count", text=text)
    found.stdout.fnmatch_lines(["*runs made: 20 20*"])


def test_many_small_losses_are_seen_against_the_anchor(session, pytester):
    for loss in (0.0, 0.25, 0.5):
        session("--equipoise-update", loss=loss)
    kept = rows(pytester.path / "base.jsonl")
    assert {row["agent"] for row in kept} == {"baseline", "anchor"}
    found = session(loss=0.5, margin=0.1)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["Pass: new is not worse than baseline*", "Fail: new is worse than anchor by more *"])
    first = sum(row["score"] for row in kept if row["agent"] == "anchor") / 180
    last = sum(row["score"] for row in kept if row["agent"] == "baseline") / 180
    both = eq.gate(pytester.path / "base.jsonl", base_agent="anchor", new_agent="baseline", margin=0.1, tasks="fixed")
    assert both.verdict == "fail"
    assert both.difference == pytest.approx(last - first)


def test_a_marked_function_returns_the_score_of_one_run(session):
    text = """
    import pytest

    @pytest.fixture
    def offset():
        return 0.5

    @pytest.mark.equipoise(["a", "b", "c"], margin=0.3, max_runs=4)
    def test_score(equipoise, offset):
        return offset + (equipoise.seed % 100) / 1000

    @pytest.mark.equipoise(["a"], margin=0.3)
    def test_without_the_fixture():
        return 1.0
    """
    recorded = session("--equipoise-update", "--strict-markers", text=text)
    recorded.assert_outcomes(passed=1, failed=1)
    recorded.stdout.fnmatch_lines(["*takes the fixture `equipoise`*", "*baselines/test_agents.py-test_score.jsonl*"])
    found = session(text=text)
    found.assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("compare(run, ['a', 'b'], margin=0.1)", "there is no baseline *: record one with pytest --equipoise-update"),
        ("compare(lambda task: 'well', ['a'], margin=0.1, baseline='there.csv')", "a: a score is a finite *"),
        ("compare(run, [], margin=0.1, baseline='there.csv')", "there is no task to run"),
        ("compare(run, ['a', 'a'], margin=0.1, baseline='there.csv')", "two tasks have one name: a"),
        ("compare(run, ['a', 'b'], margin=0.1, baseline='once.csv')", "once has one run of each task*"),
        ("compare(run, ['a', 'b'], margin=-1, baseline='there.csv')", "margin*"),
        ("compare(run, ['u', 'v'], margin=0.1, baseline='there.csv')", "the two share no task: there has a, b, new *"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_fails_in_one_line(session, pytester, call, says):
    rows = "".join(f"there,{task},{run},{run - 1}\n" for task in "ab" for run in (1, 2))
    (pytester.path / "there.csv").write_text(f"agent,task,run,score\n{rows}")
    (pytester.path / "once.csv").write_text("agent,task,score\nonce,a,1\nonce,b,0\n")
    text = f"def run(task): return 1\ndef test_it(equipoise):\n    equipoise.{call}\n"
    found = session(text=text)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([says])
    found.stdout.no_fnmatch_line("*Error*at*")


def test_the_level_is_shared_by_the_tests_of_a_session(session):
    text = (
        AGENT.format(loss=0, margin=0.2, runs=2, salt="")
        + """
    import pytest

    @pytest.mark.parametrize("k", range(9))
    def test_level(equipoise, k):
        for found in equipoise.compare(run, ["a", "b"], margin=0.9, max_runs=2, baseline=f"l{k}.jsonl"):
            print("level", round(found.level, 6))
    """
    )
    session("--equipoise-update", text=text)
    session("-s", text=text).stdout.fnmatch_lines(["*level 0.995*"])
    session("-s", "-k", "test_level and 3", text=text).stdout.fnmatch_lines(["*level 0.95*"])


def test_workers_send_results_and_one_process_writes(session, pytester):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    options = ("-p", "xdist.plugin", "-n", "2")
    text = (
        AGENT.format(loss=0, margin=0.01, runs=3, salt="")
        + """
    def test_other(equipoise):
        equipoise.compare(run, ["a", "b"], margin=0.5, max_runs=3)
    """
    )
    recorded = session(*options, "--equipoise-update", "--junit-xml=made.xml", text=text)
    recorded.assert_outcomes(passed=2)
    assert "equipoise-recorded" not in (pytester.path / "made.xml").read_text()
    assert len(rows(pytester.path / "base.jsonl")) == 90
    found = session(*options, "--junit-xml=made.xml", text=text.replace("< 0.8", "< 0.75"))
    found.stdout.fnmatch_lines(["*equipoise: 2 undecided*"])
    said = {one.get("name"): one.get("value") for one in ET.parse(pytester.path / "made.xml").iter("property")}
    assert said["equipoise-verdict"] == "undecided"
    assert said["equipoise"].startswith("Undecided: new may or may not be worse")


def test_two_tests_cannot_record_one_file(session, pytester):
    text = AGENT.format(loss=0, margin=0.1, runs=2, salt="") + "\n    test_again = test_agent\n"
    found = session("--equipoise-update", text=text)
    assert found.ret == 1
    found.stdout.fnmatch_lines(["*base.jsonl was not written, for 2 tests record it*"])
    assert not (pytester.path / "base.jsonl").exists()


def test_the_page_does_what_it_says(session, pytester):
    page = (Path(__file__).parents[2] / "docs" / "howto" / "pytest.md").read_text(encoding="utf-8")
    text = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S))
    recorded = session("--equipoise-update", text=text)
    recorded.stdout.fnmatch_lines(["*recorded *baselines/test_agents.py-test_agent.jsonl*"])
    session(text=text).assert_outcomes(passed=2)
    session(text=text.replace("< 0.8", "< 0.3")).assert_outcomes(failed=2)


def test_pytest_finds_it_by_the_package_and_it_loads_nothing_heavy():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"equipoise": "equipoise.integrations.pytest_plugin"}
    code = "import sys; before = set(sys.modules); import equipoise.integrations.pytest_plugin; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "polars", "scipy", "numba"} & set(loaded)
    assert len([name for name in loaded if name.startswith("equipoise")]) <= 12
