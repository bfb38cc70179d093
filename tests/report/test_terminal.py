"""Tables in terminals of 60, 80 and 120 columns, with names as leaderboards have them."""

import io
import re

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

import equipoise as eq
from equipoise.core.diagnostics import info, warning
from equipoise.report.render.layout import wrapped
from equipoise.report.render.notes import notes_of
from equipoise.report.render.terminal import print_view
from equipoise.report.views import cells
from equipoise.report.views.leaderboard import leaderboard
from equipoise.report.views.view import Column, TableView, View

NAMES = (
    "meta-llama/Meta-Llama-3.1-405B-Instruct-",  # 40 characters
    "claude-3-5-sonnet-20241022-thinking-high",
    "通义千问二点五七百二十亿参数指令微调版本模型",
    "👩‍🚀🚀 space-agent-of-the-42nd-generation 🇨🇭",
    "Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4-long",
    "x",
)
WIDTHS = (60, 80, 120)
each_width = pytest.mark.parametrize("width", WIDTHS)


def printed(view, width, **options):
    shown = io.StringIO()
    print_view(view, Console(file=shown, width=width, highlight=False), **options)
    return shown.getvalue()


@pytest.fixture(scope="module")
def board():
    rating = np.linspace(1.5, -1.5, len(NAMES))
    chance = 1 / (1 + np.exp(rating[None, :] - rating[:, None]))
    return leaderboard(eq.rank(eq.PairTable.from_matrix(chance, NAMES, games=40)))


@each_width
def test_no_line_is_wider_than_the_terminal(board, width):
    assert max(cell_len(line) for line in printed(board, width).splitlines()) <= width


@each_width
def test_rank_rating_and_interval_are_never_cut(board, width):
    shown = printed(board, width)
    assert "…" not in shown
    one = re.compile(r"^ *\d+(?:–\d+)? .* [+−]\d+ +[+−]\d+ to +[+−]\d+(?: |$)", re.MULTILINE)
    assert len(one.findall(shown)) == len(NAMES)


@each_width
def test_names_are_whole_on_as_many_lines_as_they_need(board, width):
    shown = re.sub(r"\s", "", printed(board, width))
    for name in NAMES:
        start = re.sub(r"\s", "", name)[: 8 if width == 60 else 20]
        assert start in shown


def test_the_answer_comes_before_the_table_and_the_notes_after_it(board):
    shown = printed(board, 80)
    assert shown.startswith(board.sentences[0][:40])
    assert shown.index("rating") < shown.index("Bradley-Terry in Elo points")


def rows_of(n, drops=(0, 1, 2)):
    columns = [Column(f"column {k}", cells.text(f"c{k}"), drop=drop) for k, drop in enumerate(drops)]
    return View((TableView("t", [{f"c{k}": "1" * 20 for k in range(len(drops))}] * n, columns),))


def test_columns_go_by_their_priority_and_are_named():
    assert "Too narrow" not in printed(rows_of(1), 70)
    assert "Too narrow for: column 2." in printed(rows_of(1), 60)
    assert "Too narrow for: column 1, column 2." in printed(rows_of(1), 40)
    assert "Too narrow for: column 0." in printed(rows_of(1, (3, 1, 2)), 60)


def test_what_always_stays_wraps_at_last():
    shown = printed(rows_of(1, (0, 0, 0)), 30)
    assert shown.partition("\n")[2].count("1") == 60
    assert max(map(len, shown.splitlines())) <= 30


def test_thirty_rows_and_how_many_more():
    shown = printed(rows_of(1000), 80, most=30)
    assert "970 more: --rows all" in shown
    assert len(shown.splitlines()) < 35
    assert len(printed(rows_of(1000), 80).splitlines()) > 1000
    assert "more:" not in printed(rows_of(30), 80, most=30)


def test_notes_of_one_kind_are_one_line_with_a_count_and_three_names():
    many = [warning("odd", f"{name}: weaker agents do better (p = {k}).", [name]) for k, name in enumerate("abcdefg")]
    (note,) = notes_of(many)
    assert note.text == "a: weaker agents do better (p = 0). 6 more like this: b, c, d and 3 more."
    assert note.count == 7


def test_two_notes_of_one_code_that_say_different_things_stay_apart():
    assert len(notes_of([warning("odd", "The table is odd."), warning("odd", "So is its maker.")])) == 2
    assert len(notes_of([warning("odd", "a is odd.", ["a"]), warning("odd", "b is odd.", ["b"])])) == 1


def test_warnings_come_first():
    view = View((), diagnostics=(info("i", "Something was done."), warning("w", "Beware.")))
    assert printed(view, 80).splitlines() == ["! Beware.", "· Something was done."]


@pytest.mark.parametrize("width", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("name", NAMES)
def test_a_wrapped_name_loses_nothing(name, width):
    lines = wrapped(name, width, "  ", " -/_.")
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", name)
    assert all(cell_len(line) <= max(width, 2) for line in lines)
