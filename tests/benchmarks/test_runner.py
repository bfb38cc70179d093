"""The runner of the benchmarks: what it concludes from times and answers. No time is judged here."""

import json
import math
import re
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import MODULES, QUICK, keep, read, taken_over
from benchmarks.command import run_command
from benchmarks.job import close, is_ours
from benchmarks.measure import Contestant, Limits, Record, exponent, left_out, measure
from benchmarks.page import document, page, ratio, summary, table

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
JOBS = [job for module in MODULES for job in import_module(module).JOBS]
LIMITS = {"minutes": 20, "call": 40}


def record(side, size, warm, **rest):
    return Record("a job", size, f"{size} things", side, "", warm=warm, cpu=list(warm), **rest)


def run_of(records, floor="", quick=False, load="0.5"):
    where = {"cores": "2", "load at the start": load}
    return document(where, [(records, floor, True)]) | {"quick": quick, "limits": LIMITS}


def test_cost_that_grows_with_the_square_has_exponent_two():
    records = [record("equipoise", n, [1e-6 * n**2] * 3) for n in (10, 100, 1000)]
    assert exponent(records, "equipoise") == pytest.approx(2.0)
    assert exponent(records[:1], "equipoise") is None


def test_the_median_of_warm_runs_counts_and_the_cold_one_only_alone():
    assert record("x", 1, [3.0, 1.0, 2.0], cold=9.0).seconds == 2.0
    assert record("x", 1, [], cold=9.0).seconds == 9.0


def test_of_processor_times_the_least_counts():
    assert record("x", 1, [3.0, 1.0, 2.0]).processor == 1.0
    assert record("x", 1, []).processor is None


def test_no_time_counts_where_answers_differ_or_a_side_failed():
    ours = record("equipoise", 1, [1.0])
    assert ratio(ours, record("peer", 1, [5.0], agrees=True)) == 5.0
    assert ratio(ours, record("peer", 1, [5.0], agrees=False)) is None
    assert ratio(ours, record("peer", 1, [5.0], agrees=True, failure="given up after 9 s")) is None


def test_answers_are_close_or_not():
    agree = close("p", 1e-3, "a mass")
    assert agree({"p": [0.5, 0.5]}, {"p": [0.5004, 0.4996]})[0]
    assert not agree({"p": [0.5, 0.5]}, {"p": [0.6, 0.4]})[0]


def test_a_variant_of_ours_is_no_peer():
    assert is_ours("equipoise")
    assert is_ours("equipoise, first run")
    assert not is_ours("evalica")
    records = [record("equipoise", 10, [0.05]), record("equipoise, first run", 10, [0.02], agrees=True)]
    assert "nowhere in this run" in summary(run_of(records))


def test_the_page_and_the_table_show_every_side_with_its_verdict():
    records = [
        record("equipoise", 10, [0.01], load=9.0),
        record("peer", 10, [0.05], agrees=True, agreement="largest difference 1e-9"),
        record("other", 10, [0.02], agrees=False, agreement="largest difference 3"),
    ]
    run = run_of(records, quick=True, load="7.5")
    shown = page(run)
    assert "make bench` QUICK=1" in shown
    assert "busy with other work" in shown
    assert "load during the run: 9.0 to 9.0" in shown
    assert "| 10 things | peer | – | 50.0 ms | 50.0 ms | – | 5.0 | largest difference 1e-9 |" in shown
    assert "answers differ, so no time counts: largest difference 3" in shown
    assert re.search(r"a job +10 things +peer +50.0 ms +10.0 ms +5.0", table(run))
    assert "| a job | 10 things | peer | 5.0 |" in shown


def test_a_floor_says_how_far_from_it_we_are_and_is_no_peer():
    run = run_of([record("equipoise", 10, [0.05]), record("scan", 10, [0.02])], floor="scan")
    assert "| 10 things | scan (floor) | – | 20.0 ms | 20.0 ms | – | ours 2.5 x |  |" in page(run)
    assert "| scan |" not in summary(run)
    assert "nowhere in this run" in summary(run)


def test_jobs_in_which_a_peer_is_ahead_are_named():
    run = run_of([record("equipoise", 10, [0.05]), record("peer", 10, [0.02], agrees=True)])
    assert "Behind a peer: a job, 10 things: peer (0.4)." in summary(run)


def test_slow_cases_come_first_and_unfinished_ones_before_them():
    quick, slow = record("equipoise", 1, [0.1]), record("equipoise", 1, [7.0])
    slow.job = "a slow job"
    given_up = Record("a hard job", 1, "1 thing", "equipoise", "", failure="given up after 9 s")
    where = {"cores": "2", "load at the start": "0.5"}
    runs = [([one], "", True) for one in (quick, slow, given_up)]
    shown = page(document(where, runs) | {"quick": False, "limits": LIMITS})
    assert re.findall(r"^### (.*)$", shown, re.MULTILINE) == ["a hard job", "a slow job", "a job"]
    assert "| a slow job | 1 things | 7.00 s | 7.00 s | – |" in shown
    assert "Not finished: a hard job, 1 thing (equipoise): given up after 9 s." in shown


def test_a_side_that_would_take_too_long_is_not_asked():
    waiting = Contestant.__new__(Contestant)
    waiting.past = []
    assert waiting.expects(1000) == 0.0
    waiting.past = [(100, 2.0)]
    assert waiting.expects(10_000) == pytest.approx(2.0)
    waiting.past = [(100, 2.0), (1000, 2.1)]
    assert waiting.expects(100_000) == pytest.approx(21.0)
    waiting.past = [(100, 2.0), (1000, 200.0)]
    assert waiting.expects(10_000) == pytest.approx(20_000.0)


def test_jobs_have_names_of_their_own_several_sizes_and_our_side_first():
    assert len({job.name for job in JOBS}) == len(JOBS)
    for job in JOBS:
        assert len(job.sizes) >= 3
        assert len(job.quick) >= 2
        assert job.sides[0].name == "equipoise"


def test_a_job_is_measured_with_clock_processor_and_memory():
    module, name = "benchmarks.count_jobs", "long table with odd headers that are named"
    job = next(job for job in import_module(module).JOBS if job.name == name)
    records = measure(module, job, (4_000,), replace(QUICK, repeats=1, call=300.0, slow=300.0, share=600.0))
    assert [r.side for r in records] == ["equipoise", "one scan"]
    for found in records:
        assert found.failure == ""
        assert found.cold > 0
        assert len(found.warm) == 1
        assert len(found.cpu) == 2
        assert min(found.cpu) > 0


def test_what_has_no_time_left_says_so():
    job = JOBS[0]
    rows = left_out(job, job.sizes, "left out: the 20 minutes were over")
    assert len(rows) == len(job.sizes) * len(job.sides)
    assert {row.failure for row in rows} == {"left out: the 20 minutes were over"}
    module = "benchmarks.count_jobs"
    late = measure(module, import_module(module).JOBS[1], (400,), Limits(1, 9.0, 1.0, 1.0, 1.0), until=-math.inf)
    assert {row.failure for row in late} == {"given up after 0 s"}


def test_a_command_runs_on_a_terminal_and_says_how_much_memory_it_had():
    look = "import sys, time; time.sleep(0.2); sys.exit(0 if sys.stdout.isatty() and sys.stderr.isatty() else 3)"
    assert run_command([sys.executable, "-c", look])["peak"] > 2**20
    with pytest.raises(RuntimeError, match="exit code 1: no such luck"):
        run_command([sys.executable, "-c", "import sys; sys.exit('no such luck')"])


def test_the_last_run_becomes_the_previous_one(tmp_path):
    place, before = tmp_path / "results.json", tmp_path / "previous.json"
    keep({"quick": False, "records": [{"job": "one"}]}, place, before)
    assert not before.exists()
    keep({"quick": False, "records": [{"job": "two"}, {"job": "three"}]}, place, before)
    assert read(before) == {"quick": False, "records": [{"job": "one"}]}
    assert read(place) == {"quick": False, "records": [{"job": "two"}, {"job": "three"}]}


def test_a_run_that_was_out_of_time_is_not_compared_with(tmp_path):
    place, before = tmp_path / "results.json", tmp_path / "previous.json"
    keep({"quick": False, "records": [{"job": "one"}]}, place, before)
    keep({"quick": False, "records": [{"job": "two", "failure": "left out: the 20 minutes were over"}]}, place, before)
    keep({"quick": False, "records": [{"job": "three"}]}, place, before)
    assert read(before) == {"quick": False, "records": [{"job": "one"}]}


def test_an_interrupted_run_is_taken_over_but_not_what_it_left_out(tmp_path):
    path = tmp_path / "unfinished.jsonl"
    assert taken_over(path) == {}
    done, out = record("equipoise", 10, [0.5]), record("equipoise", 10, [], failure="left out: no time")
    out.job = "another"
    path.write_text("".join(json.dumps(vars(one)) + "\n" for one in (done, out)), encoding="utf-8")
    assert taken_over(path) == {"a job": [done]}


def test_the_page_of_the_docs_has_every_job():
    headings = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(job.name for job in JOBS), "make the page again: make bench"


def test_the_pages_of_the_docs_are_those_of_the_last_run():
    found = read(ROOT / "benchmarks" / "results.json")
    assert PAGE.read_text(encoding="utf-8") == page(found)
    assert found["machine"]["threads"] == "as each library takes them"
    assert not found["quick"]
