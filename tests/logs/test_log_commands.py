"""What people do with logs: commands on files, folders and globs of them, tables made of them, and what goes wrong."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main

GAMES = "\n\n".join(
    f'[Event "Cup"]\n[Date "202{k % 3}.01.01"]\n[White "{a}"]\n[Black "{b}"]\n[Result "{won}"]\n\n1. e4 e5 {won}'
    for k in range(6)
    for a, b, won in (("owl", "fox", "1-0"), ("fox", "hen", "1-0"), ("hen", "owl", "1/2-1/2"), ("fox", "owl", "1-0"))
)


def evaluation(path, model, task="quiz", skill=3, samples=12, epochs=1, task_id=None):
    answers = [
        {"id": k, "epoch": e, "scores": {"match": {"value": "CI"[(k + e * k // 3) % 4 >= skill]}}}
        for k in range(samples)
        for e in range(1, epochs + 1)
    ]
    about = {"task": task, "task_id": task_id or f"{task} {model}", "model": model}
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": about, "samples": answers}))
    return path


@pytest.fixture
def quiz(tmp_path):
    folder = tmp_path / "my logs"
    folder.mkdir()
    for model, skill in (("owl", 3), ("fox", 2), ("hen", 1)):
        evaluation(folder / f"{model}.json", model, skill=skill)
    return folder


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)
    return path


def said(capsys, *words):
    code = main([str(word) for word in words])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.mark.parametrize("command", ["tasks", "irt", "rank"])
@pytest.mark.parametrize("named", ["folder", "glob", "files"])
def test_scores_of_logs(quiz, capsys, command, named):
    paths = {"folder": [quiz], "glob": [quiz / "*.json"], "files": sorted(quiz.iterdir())}[named]
    code, out, err = said(capsys, command, *paths)
    assert code == 0, err
    assert all(agent in out for agent in ("owl", "fox", "hen"))


def test_games_of_logs(games, capsys):
    for command in (["rank"], ["plan"], ["rank", "--versus", "owl,fox"]):
        code, out, err = said(capsys, command[0], games, *command[1:])
        assert code == 0, err
        assert "owl" in out


@pytest.mark.parametrize("command", ["tasks", "irt", "luck"])
def test_games_where_others_are_wanted_are_one_line(games, capsys, command):
    code, _, err = said(capsys, command, games)
    assert code == 2
    held = "chess games (PGN) that hold games: 24 games between 3 agents"
    assert err == f"equipoise: games.pgn: {held}; `equipoise rank` and `equipoise plan` take games\n"


def test_rows_of_logs_are_chosen_as_those_of_tables(games, tmp_path, capsys):
    def counted(*options):
        code, out, err = said(capsys, "rank", games, "--format", "json", *options)
        assert code == 0, err
        return json.loads(out)["data"]["account"]["used"]

    assert counted("--since", "2021") == 16
    assert counted("--where", 'a == "owl" or b == "owl"') == 18
    assert "16 games" in eq.write_report(games, tmp_path / "p.html", read=eq.ReadOptions(since=2021)).read_text(
        encoding="utf-8"
    )
    assert said(capsys, "rank", games, "--metric", "acc")[2].startswith("equipoise: --metric has no effect on chess")


def test_tasks_of_logs_are_chosen(quiz, capsys):
    code, out, _ = said(capsys, "tasks", quiz, "--tasks", "quiz/1,quiz/2,quiz/3", "--show", "tasks")
    assert code == 0
    assert "quiz/7" not in out
    assert "has no" in said(capsys, "tasks", quiz, "--read", "scorer=grade")[2]


def test_options_of_logs_make_no_sense_for_tables(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("a,b,outcome\nx,y,1\ny,x,1\n")
    assert "--metric has no effect" in said(capsys, "rank", table, "--metric", "acc")[2]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_a_table_made_of_logs_gives_the_same_answers(quiz, games, tmp_path, suffix):
    for log, ask in ((quiz, eq.tasks), (games, eq.rank), (quiz, eq.rank), (quiz, eq.irt)):
        table = tmp_path / f"table.{suffix}"
        eq.import_logs(log, table)
        assert ask(table).frame().equals(ask(log).frame())


SAMPLES = [
    "battles/genai_arena_clean_battle_a.json", "battles/arena_hard_battles.jsonl",
    "battles/mt_bench_gpt-4_pair_a.jsonl",
    "battles/alpaca_eval_annotations_text_davinci_001.json", "battles/mt_bench_gpt-4_single.jsonl",
    "pgn/TCEC_Tournament_4.pgn", "pgn/fastchess_gauntlet_config.json", "kaggle_env/hungry_geese.json",
    "poker/pluribus_30", "poker/acpc_3p.nolimit.h1000.r0.log", "rl/atari100k", "rl/sb3", "inspect", "lm_eval",
    "openai_evals", "helm", "leaderboards/swebench_lite_aider_results.json",
]  # fmt: skip


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("name", SAMPLES)
def test_each_format_goes_into_a_table_and_back(equipoise_data, tmp_path, name, suffix):
    log = equipoise_data / "logs" / name
    if not log.exists():
        pytest.skip("the sample logs are not at hand")
    table = tmp_path / f"table.{suffix}"
    eq.import_logs(log, table)
    there, back = eq.read(log), eq.read(table)
    assert back.agents == there.agents
    if there.kind == "scores":
        assert sorted(back.tasks) == sorted(there.tasks)
        order = [back.tasks.index(task) for task in there.tasks]
        np.testing.assert_array_equal(back.values[:, order], there.values)
    elif there.kind == "pairs":
        np.testing.assert_array_equal([back.wins, back.ties], [there.wins, there.ties])
    else:
        np.testing.assert_array_equal(back.utility, there.utility)


def test_a_folder_of_several_evaluations_is_told_in_parts(quiz, tmp_path):
    for model, skill in (("owl", 1), ("fox", 3)):
        evaluation(quiz / f"{model}2.json", model, "sums", skill)
    for k in range(4):
        evaluation(quiz / f"alone{k}.json", "cat", f"alone {k}", 2)
    page = eq.write_report(quiz, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Agents that took the same ones are compared in 2 parts below." in page
    assert "Evaluations that one agent only took: alone 0, alone 1, alone 2 and 1 more." in page
    assert "2 agents on 2 evaluations: every evaluation that all of them took." in page
    assert "3 agents on 12 samples" in page


def test_one_agent_is_told_what_is_missing(tmp_path):
    log = evaluation(tmp_path / "owl.json", "owl")
    page = eq.write_report(log, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 run: 1 agent in 1 evaluation." in page
    assert "owl is the only agent: give the logs of others" in page
    assert "could not be computed" not in page


def test_several_runs_of_one_model_are_named(tmp_path, quiz):
    evaluation(quiz / "owl-again.json", "owl", task_id="another")
    scores = eq.read(quiz)
    told = [note.message for note in scores.diagnostics if note.code == "several-runs"]
    assert told == ["owl has 2 runs of quiz (owl-again.json, owl.json): they count as runs of one agent."]


def test_other_files_beside_logs_do_no_harm(quiz, capsys):
    (quiz / "README.md").write_text("# my runs")
    (quiz / "loop").symlink_to(quiz)
    (quiz / ".cache.json").write_text("{")
    assert said(capsys, "tasks", quiz)[0] == 0


def test_a_log_that_is_still_being_written_is_named(quiz, tmp_path, capsys):
    (quiz / "now.eval").write_bytes(b"PK\x03\x04 half of an archive")
    for command in (["tasks"], ["report", "-o", tmp_path / "page.html"]):
        code, _, err = said(capsys, command[0], quiz, *command[1:])
        assert code == 2
        assert "now.eval: an archive without its end" in err
        assert "leave out what cannot be read with" in err
    assert said(capsys, "tasks", quiz, "--on-error", "skip")[0] == 0
    code, _, err = said(capsys, "report", quiz, "--read", "on_error=skip", "-o", tmp_path / "page.html")
    assert code == 0, err
    assert "now.eval" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_kinds_that_cannot_be_one_are_named(quiz, games, capsys):
    games.rename(quiz / "games.pgn")
    code, _, err = said(capsys, "rank", quiz)
    assert code == 2
    assert (
        "give the files of one kind (Inspect AI logs: fox.json, hen.json, owl.json; chess games (PGN): games.pgn)"
        in err
    )


@pytest.mark.parametrize("command", ["rank", "report", "tasks", "import"])
def test_nothing_to_read_is_one_line(tmp_path, capsys, command):
    (tmp_path / "empty").mkdir()
    for named, words in (("empty", "no file in this folder"), ("*.eval", "no file fits this pattern")):
        code, _, err = said(capsys, command, tmp_path / named)
        assert code == 2
        assert words in err
        assert err.count("\n") == 1


def test_a_place_that_cannot_be_written_is_said_before_the_work(quiz, tmp_path, capsys):
    for command, name in (("report", "page.html"), ("import", "table.csv")):
        code, _, err = said(capsys, command, quiz, "-o", tmp_path / "nowhere" / name)
        assert (code, "there is no folder" in err) == (2, True)


def harness(folder, stamp, score, documents=0):
    folder.mkdir(exist_ok=True)
    results = {"results": {"quiz": {"acc,none": score}}, "configs": {}, "model_name": folder.name}
    (folder / f"results_{stamp}.json").write_text(json.dumps(results))
    if documents:
        rows = [{"doc_id": k, "target": "x", "filtered_resps": ["x"], "acc": score} for k in range(documents)]
        (folder / f"samples_quiz_{stamp}.jsonl").write_text("\n".join(map(json.dumps, rows)))


@pytest.mark.parametrize(
    ("documents", "kind", "what"),
    [(4, "samples_quiz", "they count as runs of one agent"), (0, "results", "the mean of the last one counts")],
)
def test_several_runs_of_the_harness_are_named(tmp_path, documents, kind, what):
    for day, score in ((1, 0.0), (2, 1.0)):
        harness(tmp_path / "owl", f"2025-01-0{day}T00-00-00.0", score, documents)
    told = [note.message for note in eq.read(tmp_path).diagnostics if note.code == "several-runs"]
    end = "jsonl" if documents else "json"
    files = ", ".join(f"{kind}_2025-01-0{day}T00-00-00.0.{end}" for day in (1, 2))
    assert told == [f"owl has 2 runs of quiz ({files}): {what}."]


def test_a_file_that_is_missing_among_several_is_named(capsys, games):
    code, _, error = said(capsys, "rank", games, games.with_name("more.pgn"))
    assert code != 0
    assert "more.pgn does not exist" in error


def test_logs_are_not_called_a_data_frame(capsys, games):
    code, _, error = said(capsys, "rank", games, "--since", "2030-01-01")
    assert code != 0
    assert "games.pgn: no row is left of 24" in error


def test_a_replay_with_a_forfeit_only_says_how_it_counts(tmp_path, capsys):
    replay = {"name": "g", "configuration": {}, "info": {"TeamNames": ["x", "y"]}, "rewards": [None, 0]}
    replay |= {"statuses": ["ERROR", "DONE"], "steps": [[{}, {}]]}
    (tmp_path / "replay.json").write_text(json.dumps(replay))
    code, _, error = said(capsys, "rank", tmp_path / "replay.json")
    assert code != 0
    assert "count them with --read keep=all" in error


def test_a_file_in_a_folder_that_begins_with_a_merge(tmp_path, games):
    (tmp_path / "other.pgn").write_text(f"<<<<<<< HEAD\n{GAMES}")
    with pytest.raises(eq.ReadError, match=r"other.pgn: line 1 is a mark of an unfinished merge"):
        eq.read(tmp_path)
