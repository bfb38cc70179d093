"""``report``, ``chart`` and ``--page``: files in, pages and pictures out."""

import html
import inspect
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

import equipoise as eq
from equipoise.cli.app import every_command
from equipoise.cli.main import main
from tests.report.pages import HOSTILE_NAMES

GAMES = "a,b,outcome\n" + "x,y,a\ny,z,a\nz,x,draw\ny,x,a\n" * 8


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return str(path)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_rank_writes_a_page_beside_its_table(capsys, log, tmp_path):
    page = tmp_path / "out.html"
    code, out, err = run(capsys, "rank", log, "--page", page)
    assert code == 0
    assert "rank  agent" in out
    assert str(page) in err
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_luck_writes_a_page(capsys, tmp_path):
    hands, page = tmp_path / "hands.csv", tmp_path / "out.html"
    assert run(capsys, "data", "hands-kuhn2", "-o", hands)[0] == 0
    assert run(capsys, "luck", hands, "--control", "honest", "--page", page)[0] == 0
    assert "How much of the noise was luck?" in page.read_text(encoding="utf-8")


BOARDS = ["compare", "categories", "length", "place", "changes", "clean"]


@pytest.mark.parametrize("name", ["rank", "tasks", "irt", "predict", "luck", "metagame", "plan", "judges", *BOARDS])
def test_every_analysis_command_takes_page(name):
    assert "page" in inspect.signature(every_command()[name]).parameters


def test_the_foot_of_a_page_has_the_command_as_it_is_typed(capsys, tmp_path):
    log, page = tmp_path / "my games.csv", tmp_path / "out.html"
    log.write_text("p,q,res,judge\n" + "x,y,1,j\ny,x,1,k\nx,y,0,l\ny,z,1,j\nz,y,1,k\nz,x,0,l\n" * 9)
    given = ["compare", log, "x", "y", "--agents", "p,q", "--score", "res", "--cluster", "judge", "--position"]
    assert run(capsys, *given, "--page", page)[0] == 0
    foot = html.unescape(page.read_text(encoding="utf-8"))
    told = re.search(r"equipoise compare '.*my games.csv' .*", foot)[0]
    for words in ("my games.csv' x y ", "--agents p,q", "--score res", "--cluster judge", "--position"):
        assert words in told


def test_scores_and_payoffs_get_pages(capsys, tmp_path):
    answers, game, page = tmp_path / "lsat.csv", tmp_path / "game.json", tmp_path / "all.html"
    run(capsys, "data", "lsat", "-o", answers)
    game.write_text(json.dumps({"payoffs": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]], "strategies": ["r", "p", "s"]}))
    assert run(capsys, "metagame", game, "--page", page)[0] == 0
    assert 'data-chart="response-graph"' in page.read_text(encoding="utf-8")
    assert run(capsys, "irt", answers, "--page", page, "-o", tmp_path / "fit.json")[0] == 0
    text = page.read_text(encoding="utf-8")
    assert all(f'data-chart="{name}"' in text for name in ("item-map", "item-curves"))
    assert "sortable board" in text
    assert len(text.encode()) < 3_000_000


def test_report_recognises_each_file(capsys, log, tmp_path):
    hands, square, page = (tmp_path / name for name in ("hands.csv", "alphago.csv", "all.html"))
    run(capsys, "data", "hands-kuhn2", "-o", hands)
    run(capsys, "data", "alphago", "-o", square)
    run(capsys, "report", log, "-o", page, "--title", "Spring <cup>")
    assert "<title>Spring &lt;cup&gt;</title>" in page.read_text(encoding="utf-8")
    code, _, err = run(capsys, "report", log, hands, square, "-o", page)
    assert (code, err) == (0, f"Written to {page}: a page with words, charts and tables\n")
    text = page.read_text(encoding="utf-8")
    assert "Taken for games: 32 games between 3 agents." in text
    assert "Taken for dealt hands" in text
    assert "Taken for games: win rates without numbers of games between 8 agents." in text


def test_a_folder_is_reported_file_by_file_and_what_cannot_be_read_is_named(capsys, log, tmp_path):
    folder, page = tmp_path / "results", tmp_path / "all.html"
    folder.mkdir()
    (folder / "games.csv").write_bytes(Path(log).read_bytes())
    (folder / "notes.md").write_text("nothing to read")
    (folder / ".hidden.csv").write_text("a,b\n")
    (folder / "words.csv").write_text("to,be\nor,not\n")
    run(capsys, "data", "alphago", "-o", folder / "alphago.csv")
    assert run(capsys, "report", folder, "-o", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "Taken for games: 32 games between 3 agents." in text
    assert "win rates without numbers of games between 8 agents." in text
    assert "1 file is not in this report." in text
    assert "words.csv: " in text
    assert "notes.md" not in text
    assert ".hidden.csv" not in text


def test_a_page_without_an_answer_says_so_in_one_line(capsys, tmp_path):
    (tmp_path / "one.csv").write_text("agent,task,score\na,t,1\n")
    code, out, err = run(capsys, "report", str(tmp_path / "one.csv"), "-o", str(tmp_path / "page.html"))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "nothing could be computed: one agent only (a)" in err
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "could not be computed: one agent only (a)" in page
    assert "1 agent on 1 task. 1 row: 1 used, none dropped." in page


def test_a_page_with_one_answer_of_two_is_a_page(capsys, log, tmp_path):
    (tmp_path / "one.csv").write_text("agent,task,score\na,t,1\n")
    code, _, err = run(capsys, "report", str(tmp_path / "one.csv"), str(log), "-o", str(tmp_path / "page.html"))
    assert code == 0
    assert err.startswith("Written to")


def test_a_folder_without_data_is_refused_in_one_line(capsys, tmp_path):
    (tmp_path / "notes.md").write_text("nothing to read")
    code, _, err = run(capsys, "report", tmp_path)
    assert code == 2
    assert err == f"equipoise: {tmp_path}: no file in this folder is of a kind that can be read\n"
    (tmp_path / "words.csv").write_text("to,be\nor,not\n")
    code, _, err = run(capsys, "report", tmp_path)
    assert code == 2
    assert err.startswith("equipoise: words.csv: ")
    assert err.count("\n") == 1


def test_a_chart_has_the_size_and_the_agents_that_were_asked_for(capsys, log, tmp_path):
    picture = tmp_path / "a.pdf"
    options = ["--width", "3.25in", "--height", "50.8mm", "--theme", "paper", "--font-size", "8", "--legend", "off"]
    assert run(capsys, "chart", "ranking", log, "-o", picture, *options)[0] == 0
    assert re.search(rb"MediaBox ?\[0 0 234 144\]", picture.read_bytes())
    code, _, err = run(capsys, "chart", "ranking", log, "-o", picture, "--agents-shown", "nobody")
    assert code == 2
    assert '--agents-shown: the forest chart has no "nobody"' in err
    title = ["--title", "The cup", "--caption", "Of this year."]
    assert run(capsys, "chart", "pairs", log, "-o", tmp_path / "b.svg", *title)[0] == 0
    assert all(f">{text}</text>" in (tmp_path / "b.svg").read_text() for text in ("The cup", "Of this year."))


def test_a_chart_takes_the_options_of_the_question_behind_it(capsys, log, tmp_path):
    games, table, picture = tmp_path / "g.csv", tmp_path / "s.csv", tmp_path / "a.json"
    games.write_text("a,b,outcome\n" + "x,y,1\ny,x,1\ny,z,0\nz,y,1\nz,x,0.5\nx,z,1\nx,y,0\n" * 3, encoding="utf-8")
    drawn = []
    for options in ((), ("--offset", "1500"), ("--position",)):
        assert run(capsys, "chart", "forest", games, "-o", picture, *options)[0] == 0
        drawn.append(picture.read_text(encoding="utf-8"))
    assert len(set(drawn)) == 3
    code, _, err = run(capsys, "chart", "pairs", games, "-o", picture, "--threshold", "3")
    assert code != 0
    assert "--threshold has no effect with the head-to-head chart" in err
    rows = [f"a{i},t{j},{(7 * i + 5 * j + i * j) % 11}" for i in range(8) for j in range(6)]
    table.write_text("\n".join(["agent,task,score", *rows]), encoding="utf-8")
    assert run(capsys, "chart", "item-map", table, "-o", picture)[0] != 0
    assert run(capsys, "chart", "item-map", table, "-o", picture, "--threshold", "5")[0] == 0


def test_chart_options_as_keywords_still_work_and_warn(log, tmp_path):
    with pytest.warns(DeprecationWarning, match=r"chart\(ties=\.\.\.\) is now options=SectionOptions"):
        assert eq.chart("forest", log, tmp_path / "a.json", ties="davidson").is_file()


def test_chart_draws_one_picture(capsys, log, tmp_path):
    for name in ("a.svg", "a.png", "a.json"):
        said = f"Written to {tmp_path / name}: the ranks chart of {log}\n"
        assert run(capsys, "chart", "ranks", log, "-o", tmp_path / name) == (0, "", said)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["layer"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "nowhere.csv"], "nowhere.csv does not exist"),
        (["report", "{log}", "-o", "page.pdf"], "ends in .html"),
        (["report", "{log}", "-o", "/nowhere/page.html"], "cannot write"),
        (["rank", "{log}", "--page", "page.txt"], "ends in .html"),
        (["chart", "forst", "{log}", "-o", "a.svg"], 'did you mean "forest"'),
        (
            ["chart", "variance-reduction", "{log}", "-o", "a.svg"],
            "Charts that fit: forest, ranks, split, head-to-head",
        ),
        (["chart", "forest", "{log}", "-o", "a.gif"], ".svg, .pdf, .png, .html, .json"),
        (["chart", "ranks", "alphago", "-o", "a.svg"], "without games"),
        (["report"], "Missing argument"),
    ],
)
def test_what_goes_wrong_is_one_line_and_exit_2(capsys, log, arguments, said):
    code, out, err = run(capsys, *(argument.format(log=log) for argument in arguments))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_hostile_names_are_text_in_the_terminal_in_csv_and_in_the_page(capsys, tmp_path):
    path, page = tmp_path / "games.csv", tmp_path / "page.html"
    names = [*HOSTILE_NAMES, "\x1b[2Jcleared", "@SUM(A1)", "+1", "-1"]
    quoted = ['"{}"'.format(name.replace('"', '""')) for name in names]
    rows = [f"{a},{b},{(i + j) % 2}" for i, a in enumerate(quoted) for j, b in enumerate(quoted) if i != j]
    path.write_text("a,b,outcome\n" + "\n".join(rows * 2), encoding="utf-8")
    code, table, _ = run(capsys, "rank", path, "--page", page)
    assert code == 0
    assert not {"\x1b", "\N{RIGHT-TO-LEFT OVERRIDE}"} & set(table)
    assert all(cell_len(line) <= 160 for line in table.splitlines())
    _, sheet, _ = run(capsys, "rank", path, "--format", "csv")
    assert not [line for line in sheet.splitlines() if line.lstrip('"').startswith(("=", "@", "+", "-"))]
    assert "<script>document" not in page.read_text(encoding="utf-8")
