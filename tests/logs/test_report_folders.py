import numpy as np
import pytest

import equipoise as eq
from equipoise.analyses.reports.evaluations import compared, distinguished_by_tasks, with_two_hands
from equipoise.data.readers.recognise import Recognised

FOLDERS = ["battles", "helm", "inspect", "kaggle_env", "leaderboards", "lm_eval", "openai_evals", "pgn", "poker", "rl"]


@pytest.mark.parametrize("name", FOLDERS)
def test_every_folder_of_samples_is_a_page_with_answers(equipoise_data, tmp_path, name):
    folder = equipoise_data / "logs" / name
    if not folder.is_dir():
        pytest.skip("the sample logs are not at hand")
    page = eq.write_report(folder, tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<table") > 0


def test_learning_runs_on_tasks_that_nobody_shares_are_told_in_parts():
    values = np.full((5, 5), np.nan)
    values[:3, :3] = [[1.0, 2, 3], [2, 1, 3], [3, 3, 1]]
    values[3:, 3:] = [[1.0, 0], [0, 1]]
    whole = Recognised("runs", eq.Scores.from_matrix(values, agents="abcde", tasks="vwxyz"), "scores")
    told = distinguished_by_tasks(whole)
    assert len(told.runs) == 13
    assert (told.runs[0].agent, told.runs[0].evaluation, told.runs[0].mean, told.runs[0].samples) == ("a", "v", 1.0, 1)
    apart = compared(told, lambda: pytest.fail("means are enough"))
    assert [part.data.agents for part in apart.parts] == [("a", "b", "c"), ("d", "e")]
    assert [part.data.tasks for part in apart.parts] == [("v", "w", "x"), ("y", "z")]


def test_agents_joined_by_shared_tasks_stay_one_table():
    whole = Recognised("runs", eq.Scores.from_matrix([[1.0, 2], [np.nan, 1]], agents="ab", tasks="xy"), "scores")
    assert distinguished_by_tasks(whole) is whole


def test_agents_of_a_single_hand_are_left_out_by_name_where_others_have_more():
    agent, deal = ["x", "y", "x", "y", "guest"], ["d1", "d1", "d2", "d2", "d2"]
    hands = eq.Episodes.from_columns(agent, deal, [1.0, -1, 2, -3, 1])
    kept = with_two_hands(Recognised("hands", hands, "hands")).data
    assert (kept.agents, len(kept)) == (("x", "y"), 4)
    [note] = [note for note in kept.diagnostics if note.code == "few-games"]
    assert "guest" in note.message
    single = Recognised("hands", eq.Episodes.from_columns(["x", "y"], ["d", "d"], [1.0, -1]), "hands")
    assert with_two_hands(single) is single
