"""Every command that reads has the options of its kind, names them where it asks, and says what became of rows."""

import json

import pytest

from equipoise.cli.app import every_command
from equipoise.cli.main import main
from equipoise.cli.options.invocation import option_names

COMMANDS = {name: option_names(function) for name, function in every_command().items()}
GAMES = {"agents", "score", "score_means", "counts", "weight", "cluster", "time", "duplicates"}
SCORES = {"agent", "task", "score", "run", "tasks", "not_tasks", "agents_in", "duplicates"}
HANDS = {"agent", "score", "deal", "seat", "run", "duplicates"}
ALL = GAMES | SCORES | HANDS | {"reading"}


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("rank", ALL), ("plan", ALL), ("tasks", ALL), ("irt", ALL), ("luck", ALL), ("report", ALL), ("chart", ALL),
        ("compare", ALL), ("categories", ALL), ("length", ALL), ("place", ALL), ("changes", ALL), ("clean", ALL),
        ("predict", ALL), ("judges", ALL - {"task"} | {"item"}), ("metagame", ALL), ("import", ALL),
    ],
)  # fmt: skip
def test_every_command_that_reads_has_the_options_of_its_kind(command, options):
    assert options <= set(COMMANDS[command])
    assert "verbose" in COMMANDS[command] or command in ("report", "chart", "import")


LOG = "p,q,res,n\n" + "x,y,1,3\ny,z,0,2\nz,x,1,4\nx,z,2,1\n" * 3


def write(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_options_reach_the_reader(tmp_path, capsys):
    path = write(tmp_path, LOG)
    given = ["--agents", "p,q", "--score", "res", "--score-means", "index", "--weight", "n"]
    for command in ("rank", "plan"):
        assert main([command, path, *given, "--format", "json"]) == 0, capsys.readouterr().err
        told = json.loads(capsys.readouterr().out)["data"]["account"]
        assert (told["rows"], told["used"], told["columns_used"]) == (12, 12, ["p", "q", "res", "n"])


@pytest.mark.parametrize("command", ["rank", "plan", "report"])
def test_codes_are_asked_back_with_the_option_of_the_command(tmp_path, capsys, command):
    path = write(tmp_path, "a,b,winner\nx,y,1\ny,z,0\nz,x,1\n")
    more = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    assert main([command, path, *more]) == 2
    said = "--score-means index"
    assert said in capsys.readouterr().err
    answer = said.split()
    assert main([command, path, *answer, *more]) == 0


def test_a_report_and_a_chart_take_options_of_any_reader(tmp_path, capsys):
    path = write(tmp_path, LOG)
    page = tmp_path / "page.html"
    given = [part for each in ("a=p", "b=q", "score=res", "score-means=index") for part in ("--read", each)]
    assert main(["report", path, *given, "-o", str(page)]) == 0, capsys.readouterr().err
    assert "12 rows: 12 used, none dropped." in page.read_text(encoding="utf-8")
    assert main(["chart", "forest", path, *given, "-o", str(tmp_path / "f.svg")]) == 0
    capsys.readouterr()
    assert main(["report", path, "--read", "a=p", "--read", "deal=res", "-o", str(page)]) == 2
    assert "has no effect" in capsys.readouterr().err
    assert main(["report", path, "--read", "scroe=res", "-o", str(page)]) == 2
    assert 'did you mean "score"' in capsys.readouterr().err
    assert main(["report", path, "--read", "score", "-o", str(page)]) == 2
    assert "OPTION=VALUE" in capsys.readouterr().err
    scores = write(tmp_path, "who,t1,t2,size\nx,1,2,7\ny,3,1,8\nz,2,2,9\n", "scores.csv")
    assert main(["report", scores, "--read", "tasks=t1,size", "-o", str(page)]) == 0
    assert "2 tasks" in page.read_text(encoding="utf-8")


def test_the_account_is_said_when_asked_for_and_always_in_json_and_on_pages(tmp_path, capsys):
    path = write(tmp_path, "a,b,outcome,note\nx,y,1,n\ny,x,0.5,n\nx,y,what,n\n\n" + "x,y,1,n\ny,x,1,n\n" * 20)
    page = tmp_path / "page.html"
    told = "44 rows: 42 used, 2 dropped (1 blank, 1 unknown outcome)."
    assert main(["rank", path, "--on-error", "skip", "--verbose", "--page", str(page)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert told in said
    assert "Columns used: a, b, outcome. Not used: note." in said
    assert told in page.read_text(encoding="utf-8")
    assert main(["rank", path, "--on-error", "skip"]) == 0
    assert told not in capsys.readouterr().out
    assert main(["rank", path, "--on-error", "skip", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["data"]["account"]["dropped"] == {"blank": 1, "unknown outcome": 1}
    assert "verbose" not in document["parameters"]


def test_leaderboards_and_long_tables_of_answers_are_read_by_their_commands(tmp_path, capsys):
    board = "model,average,t1,t2,size\n" + "".join(f"m{k},{(k + 9 - k) / 2},{k},{9 - k},{k * 7}\n" for k in range(9))
    path = write(tmp_path, board)
    assert main(["tasks", path, "--format", "json"]) == 0, capsys.readouterr().err
    document = json.loads(capsys.readouterr().out)
    assert {row["task"] for row in document["tasks"]} == {"t1", "t2"}
    assert main(["tasks", path, "--tasks", "t1,size", "--format", "json"]) == 0
    assert {row["task"] for row in json.loads(capsys.readouterr().out)["tasks"]} == {"t1", "size"}
    rows = "".join(f"s{i},q{j},{int((i * 7 + j * 3) % 11 > 4 + j % 3)}\n" for i in range(20) for j in range(6))
    answers = write(tmp_path, "who,what,right\n" + rows, "answers.csv")
    assert main(["irt", answers]) == 2
    assert "name its columns with --agent, --task and --score" in capsys.readouterr().err
    assert main(["irt", answers, "--agent", "who", "--task", "what", "--score", "right", "--model", "rasch"]) == 0


def test_luck_names_the_option_for_a_column_it_misses(tmp_path, capsys):
    path = write(tmp_path, "deal,who,utility,seat\n1,x,1,0\n1,y,-1,1\n")
    assert main(["luck", path]) == 2
    assert "name it with --agent" in capsys.readouterr().err


GAMES_OF_VOTERS = "a,b,outcome,voter,round\n" + "".join(
    f"{a},{b},{(s + k // 5) % 2},v{k % 7},{k % 4}\n"
    for k, (a, b, s) in enumerate([("x", "y", 1), ("y", "z", 1), ("z", "x", 0), ("y", "x", 1)] * 12)
)


@pytest.mark.parametrize(
    "call",
    [
        ["compare", "x", "y"], ["categories", "voter"], ["clean", "--steps", "most-per-voter:3"], ["plan"], ["judges"],
        ["place", "--board", "nowhere.json"], ["length"],
    ],
    ids=lambda call: call[0],
)  # fmt: skip
def test_a_column_of_times_that_nothing_looks_at_is_refused(tmp_path, capsys, call):
    path = write(tmp_path, GAMES_OF_VOTERS)
    assert main([call[0], path, *call[1:], "--time", "round"]) == 2
    assert capsys.readouterr().err == "equipoise: --time has no effect without --since or --until\n"


def test_each_option_of_rows_reaches_the_board_of_cleaning(tmp_path, capsys):
    apart = "".join(f"u,w,{k % 2},v{k},1\n" for k in range(5))
    path = write(tmp_path, GAMES_OF_VOTERS + apart)
    call = ["clean", path, "--steps", "most-per-voter:40"]
    assert main(call) == 2
    assert main([*call, "--components", "largest", "--format", "json"]) == 0
    assert {row["agent"] for row in json.loads(capsys.readouterr().out)["agents"]} == {"x", "y", "z"}
    assert main([*call, "--min-games", "500"]) == 2
    assert capsys.readouterr().err.startswith("equipoise: --min-games 500: no agent has so many games")
    assert main(["clean", path, "--steps", "most-per-votr:3"]) == 2
    assert '--steps "most-per-votr" is no step (did you mean "most-per-voter"?)' in capsys.readouterr().err


def test_boards_are_not_read_as_games(tmp_path, capsys):
    path, board = write(tmp_path, GAMES_OF_VOTERS), str(tmp_path / "board.json")
    assert main(["rank", path, "-o", board]) == 0
    assert main(["changes", board, path, "--where", "round > 0"]) == 0
    capsys.readouterr()
    assert main(["changes", board, board, "--where", "round > 0"]) == 2
    assert "--where has no effect" in capsys.readouterr().err


def test_options_of_scores_make_rank_read_scores(tmp_path, capsys):
    rows = "".join(f"{who},t{k},{seed},{(7 * i + 5 * k + seed) % 11}\n" for i, who in enumerate("uvw") for k in range(4)
                   for seed in range(2))  # fmt: skip
    path = write(tmp_path, "agent,task,round,score\n" + rows)
    assert main(["rank", path, "--run", "round", "--format", "json"]) == 0, capsys.readouterr().err
    assert {row["agent"] for row in json.loads(capsys.readouterr().out)["agents"]} == set("uvw")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--rows", "x"], '--rows is a number of rows or all, not "x"'),
        (["--rows", "0", "--format", "json"], '--rows is a number of rows or all, not "0"'),
        (["--agents", "a,b,c"], '--agents is A,B, not "a,b,c"'),
        (["--counts", "a,b,c,d"], '--counts is WINS,LOSSES,GAMES, not "a,b,c,d"'),
        (["--read", "nonsense=1"], '--read has no "nonsense"'),
        (["--score", "res", "--read", "score=outcome"], "--score was given twice, the second time in --read"),
    ],
)
def test_slips_in_options_are_one_line(tmp_path, capsys, given, said):
    assert main(["rank", write(tmp_path, GAMES_OF_VOTERS), *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"equipoise: {said}")
    assert err.count("\n") == 1


def test_two_sides_are_asked_for_in_one_option(tmp_path, capsys):
    assert main(["rank", write(tmp_path, "p,q,outcome\nx,y,1\n")]) == 2
    assert capsys.readouterr().err.endswith("name them with --agents A,B\n")
