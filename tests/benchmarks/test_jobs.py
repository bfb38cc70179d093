"""Our sides and the floors of every job, at their smallest sizes: they do the work, and agree."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import count_jobs, rank_jobs
from benchmarks.__main__ import MODULES
from benchmarks.command_jobs import CASES, typed
from benchmarks.job import is_ours
from equipoise.cli.main import main

ROOT = Path(__file__).parents[2]
JOBS = [job for module in MODULES for job in import_module(module).JOBS]
INSIDE = [job for job in JOBS if not job.name.startswith(("rank", "the command line"))]
WITH_MORE = ("equipoise, on Ray",)
"""Sides that need what the tests do not install; `make test-faults` plays on Ray."""


@pytest.mark.parametrize("job", INSIDE, ids=lambda job: job.name)
def test_a_job_is_done_at_its_smallest_size(job):
    size = min(job.sizes[0], job.quick[0])
    ours = None
    for side in job.sides:
        if (is_ours(side.name) or side.name == job.floor) and side.name not in WITH_MORE:
            answer = side.run(side.prepare(job.make(size)))
            ours = ours or answer
            if answer:
                agrees, words = job.agree(ours, answer)
                assert agrees, words
    assert ours
    assert job.label(size)


@pytest.mark.parametrize("case", [2, 3, 4], ids=lambda case: CASES[case - 1][0])
def test_what_is_typed_is_a_command(case, capsys):
    assert main(typed(case)) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("job", rank_jobs.JOBS, ids=lambda job: job.name)
def test_logs_to_rank_are_written_and_labelled(job):
    path = job.make(job.quick[0])
    assert path.stat().st_size > 1000
    assert job.label(job.quick[0])


def test_components_are_as_many_as_the_label_says():
    import equipoise as eq

    table = eq.read_pairs(rank_jobs.components(54))
    board = eq.bradley_terry(table, components="each")
    assert len(board.agents) == 54
    assert len(set(board.component)) == 2
    assert rank_jobs.components_of(2_049) == 76


def test_the_query_is_that_of_the_docs():
    page = (ROOT / "docs" / "howto" / "large-data.md").read_text(encoding="utf-8")
    assert count_jobs.QUERY.strip() in page
