"""The papers recomputed: nothing unexplained, every reason given, and the page of the docs in step."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.errors import ParameterError
from equipoise.data.public_sets import set_of
from equipoise.report.paper_figures import FIGURES, draw_paper_figures
from equipoise.report.views.reproduction import reproduction_page
from equipoise.reproduce.papers import PAPERS, reproduce_papers
from equipoise.reproduce.published import MISSING, PublishedAgreement, shown

PAGE = Path(__file__).parents[2] / "docs" / "reproductions.md"
each_paper = pytest.mark.parametrize("paper", PAPERS)
without_data = cache(lambda paper: reproduce_papers(paper)[0])
pytestmark = pytest.mark.usefixtures("few_hands")
PLAYED = "hold'em, hands of our own"
"""Of these figures the tests play few hands, so theirs are not those of the page."""


@each_paper
def test_no_figure_from_bundled_data_differs_without_a_reason(paper):
    recomputed = without_data(paper)
    assert not [line.what for line in recomputed.lines if line.agreement is PublishedAgreement.unexplained]
    assert recomputed.count(PublishedAgreement.equal) > 0


@each_paper
def test_a_verdict_other_than_equal_says_why(paper):
    for line in without_data(paper).lines:
        assert line.because or line.agreement is PublishedAgreement.equal
        assert (line.ours is None) == (line.agreement in {PublishedAgreement.impossible, *MISSING})


@each_paper
def test_figures_have_names_of_their_own(paper):
    names = [figure.what for figure in PAPERS[paper].results]
    assert len(set(names)) == len(names)


def test_an_unknown_paper_or_folder_is_refused(tmp_path):
    with pytest.raises(ParameterError, match='did you mean "baseline"'):
        reproduce_papers("baselin")
    with pytest.raises(ParameterError, match="EQUIPOISE_DATA"):
        reproduce_papers("baseline", data=tmp_path / "nowhere")


def test_papers_are_recomputed_by_name_or_all_together(monkeypatch):
    assert eq.reproduce_papers is reproduce_papers
    few = {name: replace(PAPERS[name], results=PAPERS[name].results[:1]) for name in ("evaluation", "literature")}
    monkeypatch.setattr("equipoise.reproduce.papers.PAPERS", few)
    assert [paper.paper for paper in reproduce_papers()] == list(few)
    assert [paper.paper for paper in reproduce_papers(["literature", "evaluation"])] == ["literature", "evaluation"]
    (alone,) = reproduce_papers("evaluation")
    assert alone.rows() == reproduce_papers("evaluation")[0].rows()
    assert alone.answer == ("1 result: 1 equal to rounding.",)


def page_rows():
    rows = [line.strip("| \n").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if len(row) == 5 and row[0] not in {"result", "---"} and not row[0].startswith("---")]


def test_the_page_of_the_docs_lists_the_same_figures_in_the_same_order():
    listed = [tuple(row[:3]) for row in page_rows()]
    there = [
        (figure.what, figure.where, shown(figure.published, figure.digits) or "no numbers")
        for beside in ("paper", "program")
        for paper in PAPERS.values()
        for figure in paper.results
        if figure.beside == beside
    ]
    assert listed == there, "make the page again: equipoise reproduce --page docs/reproductions.md"


@each_paper
def test_the_page_shows_what_is_computed_from_bundled_data(paper):
    there = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in reproduction_page([without_data(paper)]).splitlines() if line.startswith("| ")]
    computed = [row for row in rows if PLAYED not in row]
    assert computed
    assert not set(computed) - set(there), "make the page again: equipoise reproduce --page docs/reproductions.md"


def test_the_page_counts_its_figures_in_words():
    page = reproduction_page([without_data("baseline")])
    assert "results: 3 equal to rounding, 7 differ, 1 ours alone, 4 not reproducible, 5 need data." in page


def test_the_page_was_made_with_all_data_and_peers_at_hand():
    verdicts = [row[4] for row in page_rows()]
    assert not [text for text in verdicts if text.startswith(("needs", "differs, and"))]
    assert re.search(r"^\d+ results: ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_command_prints_the_same_figures(capsys, monkeypatch):
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    assert main(["reproduce", "baseline", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["baseline"] + body["programs"] == sorted(without_data("baseline").rows(), key=lambda row: row["beside"])
    assert body["verdicts"]["baseline"]["needs data"] == len(body["missing"]) > 0
    assert {row["needs"] for row in body["missing"]} == {"poker/lbr_vs_hyperborean14_duplicate_hands.csv.gz"}


def test_the_command_writes_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    assert main(["reproduce", "baseline", "--page", str(tmp_path / "page.md")]) == 0
    assert "Kuhn" in capsys.readouterr().out
    assert (
        "| value of Kuhn poker for the first player | Kuhn (1950) | -0.055556 |" in (tmp_path / "page.md").read_text()
    )


def test_the_command_refuses_an_unknown_paper_in_one_line(capsys):
    assert main(["reproduce", "nothing"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_missing_is_said_with_how_to_get_it_and_not_listed(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["reproduce", "literature"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "…" not in printed
    assert "4 results left out for want of public data: equipoise data fetch baseball citations llmfao" in printed
    assert "cannot be fetched; EQUIPOISE_DATA names the folder" in printed
    assert "go_bots/cross_results_long.csv.gz" in "".join(printed.split())
    assert "319 Go programs" not in printed


def test_every_file_that_a_result_needs_is_of_a_known_set():
    needed = {figure.needs for paper in PAPERS.values() for figure in paper.results if figure.needs}
    assert needed
    assert not [file for file in needed if set_of(file) is None]


def test_other_workers_recompute_the_same_figures():
    done = []
    with ThreadPoolExecutor(2) as threads:
        spread = reproduce_papers(["baseline", "evaluation"], executor=threads, progress=done.append)
    assert [paper.lines for paper in spread] == [without_data(name).lines for name in ("baseline", "evaluation")]
    assert done == list(range(1, len(done) + 1))
    assert len(done) == sum(len(paper.lines) for paper in spread)


def test_the_command_draws_figures_and_links_them_from_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))
    page, folder = tmp_path / "page.md", tmp_path / "docs" / "figures"
    assert main(["reproduce", "evaluation", "--figures", str(folder), "--page", str(page)]) == 0
    drawn = sorted(path.name for path in folder.iterdir())
    assert drawn == ["evaluation-alphago-disc.svg", "evaluation-cyclic-disc.svg", "evaluation-transitive-disc.svg"]
    linked = re.findall(r"^!\[.*\]\((.*)\)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(linked) == [f"docs/figures/{name}" for name in drawn]
    assert "on a circle" in capsys.readouterr().err


def test_figures_that_need_no_data_are_drawn_without_any(tmp_path):
    drawn = draw_paper_figures(tmp_path / "figures", ["indicators", "incomplete"])
    assert [figure.name for figure in drawn] == ["fixation", "item-curve", "synthetic-spread"]
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in drawn.values())


def test_every_figure_that_data_allow_is_on_the_page():
    linked = re.findall(r"^!\[.*\]\((.*)\)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(linked) == sorted(f"figures/{figure.paper}-{figure.name}.svg" for figure in FIGURES)


def test_figures_of_the_docs_are_files_and_belong_to_papers():
    linked = re.findall(r"^!\[.*\]\((.*)\)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    there = {f"figures/{figure.paper}-{figure.name}.svg" for figure in FIGURES}
    assert set(linked) <= there
    assert len(linked) > 5
    assert all((PAGE.parent / file).stat().st_size < 200_000 for file in linked)
    assert {figure.paper for figure in FIGURES} <= set(PAPERS)
    assert len({(figure.paper, figure.name) for figure in FIGURES}) == len(FIGURES)
