"""The runner of the benchmarks: what it concludes from times and answers. No time is measured here."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import MODULES
from benchmarks.job import close
from benchmarks.measure import Contestant, Record, exponent
from benchmarks.page import document, page, ratio, summary, table

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
JOBS = [job for module in MODULES for job in import_module(module).JOBS]


def record(side, size, warm, **rest):
    return Record("a job", size, f"{size} things", side, "", warm=warm, **rest)


def test_cost_that_grows_with_the_square_has_exponent_two():
    records = [record("equipoise", n, [1e-6 * n**2] * 3) for n in (10, 100, 1000)]
    assert exponent(records, "equipoise") == pytest.approx(2.0)
    assert exponent(records[:1], "equipoise") is None


def test_the_median_of_warm_runs_counts_and_the_cold_one_only_alone():
    assert record("x", 1, [3.0, 1.0, 2.0], cold=9.0).seconds == 2.0
    assert record("x", 1, [], cold=9.0).seconds == 9.0


def test_no_time_counts_where_answers_differ_or_a_side_failed():
    ours = record("equipoise", 1, [1.0])
    assert ratio(ours, record("peer", 1, [5.0], agrees=True)) == 5.0
    assert ratio(ours, record("peer", 1, [5.0], agrees=False)) is None
    assert ratio(ours, record("peer", 1, [5.0], agrees=True, failure="more than 9 s")) is None


def test_answers_are_close_or_not():
    agree = close("p", 1e-3, "a mass")
    assert agree({"p": [0.5, 0.5]}, {"p": [0.5004, 0.4996]})[0]
    assert not agree({"p": [0.5, 0.5]}, {"p": [0.6, 0.4]})[0]


def test_the_page_and_the_table_show_every_side_with_its_verdict():
    records = [
        record("equipoise", 10, [0.01]),
        record("peer", 10, [0.05], agrees=True, agreement="largest difference 1e-9"),
        record("other", 10, [0.02], agrees=False, agreement="largest difference 3"),
    ]
    run = document({"cores": "2", "load at the start": "7.5"}, [(records, "")]) | {"quick": True}
    shown = page(run)
    assert "make bench` QUICK=1" in shown
    assert "busy with other work" in shown
    assert "| 10 things | peer | – | 50.0 ms | – | 5.0 | largest difference 1e-9 |" in shown
    assert "answers differ, so no time counts: largest difference 3" in shown
    assert re.search(r"a job +10 things +peer +50.0 ms +10.0 ms +5.0", table(run))
    assert "| a job | 10 things | peer | 5.0 |" in shown


def test_a_floor_says_how_far_from_it_we_are_and_is_no_peer():
    records = [record("equipoise", 10, [0.05]), record("scan", 10, [0.02])]
    run = document({"cores": "2", "load at the start": "0.5"}, [(records, "scan")]) | {"quick": False}
    assert "| 10 things | scan (floor) | – | 20.0 ms | – | ours 2.5 x |  |" in page(run)
    assert "| scan |" not in summary(run)
    assert "nowhere in this run" in summary(run)


def test_jobs_in_which_a_peer_is_ahead_are_named():
    records = [record("equipoise", 10, [0.05]), record("peer", 10, [0.02], agrees=True)]
    run = document({"cores": "2", "load at the start": "0.5"}, [(records, "")]) | {"quick": False}
    assert "Behind a peer: a job, 10 things: peer (0.40)." in summary(run)


def test_a_side_that_would_take_too_long_is_not_asked():
    waiting = Contestant.__new__(Contestant)
    waiting.past = []
    assert waiting.expects(1000) == 0.0
    waiting.past = [(100, 2.0)]
    assert waiting.expects(10_000) == pytest.approx(20.0)
    waiting.past = [(100, 2.0), (1000, 200.0)]
    assert waiting.expects(10_000) == pytest.approx(20_000.0)


def test_jobs_have_names_of_their_own_three_sizes_and_our_side_first():
    assert len({job.name for job in JOBS}) == len(JOBS)
    for job in JOBS:
        assert len(job.sizes) >= 3
        assert len(job.quick) >= 3
        assert job.sides[0].name == "equipoise"


def test_the_page_of_the_docs_has_every_job():
    headings = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [job.name for job in JOBS], "make the page again: make bench"
