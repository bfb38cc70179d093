"""What a newcomer stumbled over: each was wrong once, and is looked at as its user sees it."""

import re

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.cli.output.waiting import short
from equipoise.data.datasets import BUNDLED
from equipoise.data.files.formats import BUNDLED_NAMES
from equipoise.report.render.layout import lay_out
from equipoise.report.views.view import Column, TableView

SCORES = "agent,task,trial,score\n" + "".join(
    f"{agent},t{task},{trial},{base + 0.01 * ((7 * task + 3 * trial) % 5)}\n"
    for agent, base in (("ada", 0.5), ("bea", 0.51), ("cyd", 0.4))
    for task in range(6)
    for trial in range(3)
)


def test_a_file_of_scores_is_ranked_as_a_bundled_set_of_scores_is(tmp_path, capsys):
    (tmp_path / "scores.csv").write_text(SCORES)
    assert main(["rank", str(tmp_path / "scores.csv"), "--show", "notes"]) == 0
    assert "A match is two agents on one task" in capsys.readouterr().out
    by_file = eq.rank(tmp_path / "scores.csv")
    by_data = eq.rank(eq.read_scores(tmp_path / "scores.csv"))
    assert by_file.frame().equals(by_data.frame())
    assert eq.rank(tmp_path / "scores.csv", read=eq.ReadOptions(where='task != "t0"')).data.games.sum() == 45
    with pytest.raises(eq.ColumnError, match="agent"):
        eq.rank(tmp_path / "scores.csv", read=eq.ReadOptions(a="player"))


def test_a_bundled_name_that_is_misspelt_is_guessed(capsys):
    assert tuple(BUNDLED) == BUNDLED_NAMES
    assert main(["rank", "clasifiers"]) == 2
    assert capsys.readouterr().err == 'equipoise: clasifiers does not exist (did you mean "classifiers"?)\n'


def test_hands_that_every_session_numbers_anew_are_deals_of_their_own(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        {"session": s, "hand": h, "seat": k, "player": name, "net": float(rng.normal())}
        for s in ("100", "101b")
        for h in range(20)
        for k, name in enumerate("xy")
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "log.csv")
    found = eq.remove_luck(tmp_path / "log.csv")
    assert len(found.data.deal.labels) == 40
    assert found.data.account.columns == ("session", "hand", "seat", "player", "net")


def test_a_page_counts_the_files_that_it_shows(tmp_path):
    pytest.importorskip("vl_convert")
    (tmp_path / "in").mkdir()
    for name in ("one.csv", "two.csv"):
        (tmp_path / "in" / name).write_text("a,b,winner\n" + "x,y,a\ny,x,a\ny,z,b\nz,x,b\n" * 5)
    (tmp_path / "in" / "bad.csv").write_text("")
    page = eq.write_report(tmp_path / "in", tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search("<title>(.*)</title>", page).group(1) == "2 files"
    assert "Files left out" in page


def test_the_answer_stands_before_the_word_on_the_page(tmp_path, capfd):
    pytest.importorskip("vl_convert")
    (tmp_path / "log.csv").write_text("a,b,winner\n" + "x,y,a\ny,x,a\ny,z,b\nz,x,b\n" * 5)
    assert main(["rank", str(tmp_path / "log.csv"), "--page", str(tmp_path / "page.html")]) == 0
    said = capfd.readouterr()
    assert "Written to" in said.err
    assert "rating" in said.out


def test_predict_prints_all_rows_on_demand(tmp_path, capsys):
    digits = eq.load("digits")
    values = digits.values.copy()
    values[:35, 60:] = np.nan
    table = pl.DataFrame({"agent": digits.agents} | dict(zip(digits.tasks, values.T.tolist(), strict=True)))
    table.fill_nan(None).write_csv(tmp_path / "answers.csv")
    call = ["predict", str(tmp_path / "answers.csv")]
    assert main(call) == 0
    assert "20 more: --rows all" in capsys.readouterr().out
    assert main([*call, "--rows", "all"]) == 0
    assert "more: --rows all" not in capsys.readouterr().out


def test_columns_that_had_no_room_are_told_apart():
    drops = {"item": 0, "a": 0, "interval": 1, "b": 0, " interval": 2}
    columns = [Column(name.strip(), lambda _: "1234567890", drop=drop) for name, drop in drops.items()]
    table = TableView("items", [{}], columns)
    assert lay_out(table, table.rows, 30).dropped == ["interval", "interval of b"]


def test_how_far_the_work_is_stays_in_sight():
    assert len(short("/a/very/long/folder/" + "results_" * 9 + ".json")) <= 28
    assert short("battles.csv") == "battles.csv"


def test_items_that_hardly_tell_agents_apart_are_not_counted():
    fit = eq.irt(eq.load("digits"))
    many = int(np.sum(fit.discrimination_low > 0))
    assert 0 < many < 400
    assert any(f"{many} of 400 items discriminate significantly" in sentence for sentence in fit.answer)


def test_rows_of_training_steps_are_led_to_the_option_for_them(tmp_path, capsys):
    rows = "".join(f"{agent},t,0,{step},{step}\n" for agent in "ab" for step in (1, 2))
    (tmp_path / "runs.csv").write_text("agent,task,run,iteration,score\n" + rows)
    assert main(["tasks", str(tmp_path / "runs.csv")]) == 2
    assert 'as "iteration" counts training steps, evaluate tasks with --step iteration' in capsys.readouterr().err
