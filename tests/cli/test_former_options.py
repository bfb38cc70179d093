"""Options and questions of ``rank`` that have other names now: the answer is the same, and one line says so."""

import re
import shlex
from pathlib import Path

import pytest

from equipoise.cli.app import COMMANDS
from equipoise.cli.main import main
from equipoise.cli.options.former import (
    FORMER_OPTIONS,
    FORMER_PARTS,
    FORMER_QUESTIONS,
    FORMER_SWITCHES,
    FORMER_TABLES,
    FORMER_VALUES,
    translated,
)

ROOT = Path(__file__).parents[2]
GAMES = "p,q,res,code,voter,language,length_a,length_b,anony\n" + "".join(
    f"{a},{b},{(s + k // 8) % 2},{(s + k // 8 + 1) % 2},v{k % 7},{('en', 'de')[k // 4 % 2]},{90 + 7 * k % 40},"
    f"{80 + 11 * k % 40},{('true', 'false')[k % 9 == 0]}\n"
    for k, (a, b, s) in enumerate([("x", "y", 1), ("y", "z", 1), ("z", "x", 0), ("y", "x", 1), ("z", "y", 1)] * 12)
)
COUNTS = "p,q,won,lost,all\nx,y,7,3,10\ny,z,6,4,10\nz,x,5,5,10\n"
AGAINST = "model_a,model_b,winner,length_a,length_b\n" + "".join(
    f"{name},base,{'ab'[(7 * k + 3 * n) % 5 < 2]},{100 + (37 * k + 11 * n) % 90},{100 + (53 * k) % 90}\n"
    for n, name in enumerate("xyz")
    for k in range(30)
)
WIDE = "task,p,q,r\n" + "".join(f"t{k},{k % 5},{(3 * k) % 7},{(2 * k) % 5 + 1}\n" for k in range(6))
LONG = "who,env,seed,points\n" + "".join(
    f"{who},e{k},{seed},{(7 * i + 5 * k + 3 * seed) % 11}\n"
    for i, who in enumerate("uvw")
    for k in range(3)
    for seed in range(3)
)
HANDS = "deal,who,chips,seat,number\n" + "".join(
    f"{deal},{who},{(-1) ** seat * ((3 * deal + 2 * turn) % 7 - 3)},{seat},{2 * deal + turn}\n"
    for deal in range(12)
    for turn in range(2)
    for seat, who in enumerate(("ann", "bob") if turn else ("bob", "ann"))
)

RIGHT = (
    "agent,"
    + ",".join(f"i{k}" for k in range(8))
    + "\n"
    + "".join(f"a{i}," + ",".join(str(int((5 * i + 3 * k) % 7 > k // 2)) for k in range(8)) + "\n" for i in range(30))
)

RUNS = "tasks long.csv --agent who --task env --score points --run seed --bootstrap 5"
GAME = "rank games.csv --agents p,q --score res"
EXAMPLES = {
    ("", "--outcome"): ("rank games.csv --agents p,q {} res", ""),
    ("", "--outcome-means"): ("rank games.csv --agents p,q --score code {} index", ""),
    ("", "--utility"): ("luck hands.csv --agent who {} chips", ""),
    ("", "--hand"): ("luck hands.csv --agent who --score chips {} number", ""),
    ("", "--trial"): ("tasks long.csv --agent who --task env --score points --bootstrap 5 {} seed", ""),
    ("", "--group"): (f"{GAME} {{}} voter", ""),
    ("", "--islands"): (f"{GAME} {{}} largest", ""),
    ("", "--side"): (f"{GAME} {{}}", ""),
    ("", "--report"): (f"{GAME} {{}} page.html", "page.html"),
    ("", "--tau"): ("categories games.csv language --agents p,q --score res {} 0.2", ""),
    ("", "--least-p"): ("place games.csv --board board.json --agents p,q --score res {} 0", ""),
    ("rank", "--control"): (f"{GAME} {{}} length", ""),
    ("rank", "--control-prior"): (f"{GAME} --adjust length {{}} 0.1", ""),
    ("rank", "--k"): (f"{GAME} --method elo {{}} 24", ""),
    ("rank", "--verdict"): (f"{GAME} {{}} none", ""),
    ("tasks", "--unit"): (f"{RUNS} {{}} tasks", ""),
    ("tasks", "--resample"): (f"{RUNS} {{}} tasks", ""),
    ("", "--item"): ("judges games.csv --agents p,q --score res --judge voter {} language", ""),
}
"""A command line for each former option, {} where it stands, and a file that is written."""
SWITCHES = {
    "--transpose": "tasks wide.csv --bootstrap 0 {}",
    "--all": f"{GAME} {{}}",
    "--aggregates": f"{RUNS} {{}}",
    "--no-aggregates": f"{RUNS} {{}}",
}
VALUES = {
    ("rank", "--components"): f"{GAME} --components {{}}",
    ("tasks", "--over"): f"{RUNS} --over {{}}",
    ("plan", "--goal"): "plan games.csv --agents p,q --score res --budget 5 --goal {}",
    ("metagame", "--show"): "metagame alphago --show {}",
}
"""A command line for each option with former values, {} where the value stands."""
PLAN = "plan games.csv --agents p,q --score res --budget 5 {}"
TABLES = {
    ("tasks", "--first"): (f"{RUNS} {{}}", "tasks"),
    ("irt", "--indicators"): ("irt right.csv --model rasch {}", "4"),
    ("plan", "--epsilon"): (PLAN, "0.2"),
    ("plan", "--gap"): (f"{PLAN} --goal profile", "0.2"),
    ("plan", "--alpha"): (f"{PLAN} --goal profile", "2"),
}
"""A command line for each option that asked for a table, and a value."""
PARTS = {
    "--agents": ("rank games.csv --score res {}", {"--a": "p", "--b": "q"}),
    "--counts": ("rank counts.csv --agents p,q {}", {"--wins": "won", "--games": "all"}),
}
ASKED = {
    "--by": (
        f"{GAME} --by language --tau 0.2",
        "categories games.csv language --agents p,q --score res --between-sd 0.2",
    ),
    "--versus": (f"{GAME} --versus 'x, y' --side", "compare games.csv x y --agents p,q --score res --position"),
    "--length-controlled": (
        "rank against.csv --length-controlled --baseline base",
        "length against.csv --baseline base",
    ),
    "--sensitivity": (
        f"{GAME} --clean=anonymous,most-per-voter:5 --sensitivity",
        "clean games.csv --steps anonymous,most-per-voter:5 --agents p,q --score res",
    ),
    "--hold": (
        f"{GAME} --hold board.json --offset 1000 --seed 3",
        "place games.csv --board board.json --agents p,q --score res --offset 1000",
    ),
    "--since-board": (f"{GAME} --since-board=board.json", "changes board.json games.csv --agents p,q --score res"),
}
"""A command line for each former question, and the command that asks it now."""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch, capsys):
    """Small files of every kind, and a board, in the folder where the commands run."""
    monkeypatch.chdir(tmp_path)
    texts = {"games": GAMES, "counts": COUNTS, "against": AGAINST, "wide": WIDE, "long": LONG, "hands": HANDS,
             "right": RIGHT}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    assert main(shlex.split(f'{GAME} --where \'p != "z" and q != "z"\' -o board.json')) == 0
    capsys.readouterr()
    return tmp_path


def answered(capsys, line):
    """Give what a command line prints beside ``Written to``: the answer, and lines on standard error."""
    code = main(shlex.split(line))
    out, err = capsys.readouterr()
    assert code == 0, err
    return out, [told for told in err.splitlines() if not told.startswith("Written to")]


def assert_same(capsys, old, new, *names):
    answer, silence = answered(capsys, new)
    assert answer
    assert silence == []
    again, said = answered(capsys, old)
    assert again == answer
    (line,) = said
    assert line.startswith("equipoise: ")
    assert "ends in 0.4" in line
    assert [name for name in names if name not in line] == []


@pytest.mark.parametrize(
    ("command", "old"), [(command, old) for command in FORMER_OPTIONS for old in FORMER_OPTIONS[command]]
)
def test_a_former_option_gives_the_same_answer_and_says_its_name(capsys, files, command, old):
    line, written = EXAMPLES[command, old]
    new = FORMER_OPTIONS[command][old]
    assert_same(capsys, line.format(old), line.format(new), old, new)
    if written:
        assert (files / written).is_file()
    value = line.partition("{} ")[2].split()
    if value:
        glued = line.replace(f"{{}} {value[0]}", f"{old}={value[0]}")
        assert_same(capsys, glued, line.format(new), old, new)


@pytest.mark.parametrize("old", FORMER_SWITCHES)
def test_a_former_switch_is_a_value_now(capsys, old):
    new = " ".join(FORMER_SWITCHES[old])
    assert_same(capsys, SWITCHES[old].format(old), SWITCHES[old].format(new), old, new)


@pytest.mark.parametrize(
    ("command", "option", "old"), [(*where, old) for where, words in FORMER_VALUES.items() for old in words]
)
def test_a_former_value_is_another_word_now(capsys, command, option, old):
    line, new = VALUES[command, option], FORMER_VALUES[command, option][old]
    assert_same(capsys, line.format(old), line.format(new), f"{option} {old}", f"{option} {new}")
    glued = line.format(old).replace(f"{option} {old}", f"{option}={old}")
    assert translated(shlex.split(glued))[0] == shlex.split(line.format(new))


@pytest.mark.parametrize(("command", "old"), FORMER_TABLES)
def test_what_asked_for_a_table_is_told_by_showing_it_now(capsys, command, old):
    line, value = TABLES[command, old]
    new = " ".join(FORMER_TABLES[command, old]).format(value)
    assert_same(capsys, line.format(f"{old} {value}"), line.format(new), old, new)
    assert translated(shlex.split(line.format(f"{old}={value}")))[0] == shlex.split(line.format(new))


def test_a_step_and_a_number_of_discs_were_one_option():
    for method, now in (("elo", "--step-size"), ("melo", "--dimensions")):
        for words in (["--method", method], [f"--method={method}"]):
            assert translated(["rank", "x.csv", *words, "--k", "2"])[0] == ["rank", "x.csv", *words, now, "2"]


def test_former_options_that_show_tables_show_all_that_they_ask_for():
    made, said = translated(["tasks", "x.csv", "--first", "tasks", "--aggregates"])
    assert made == ["tasks", "x.csv", "--show", "tasks,all,aggregates"]
    assert len(said) == 2


def test_what_concerns_a_table_that_is_asked_for_is_no_former_option():
    asked = ["plan", "x.csv", "--show", "guarantee", "--gap", "0.2"]
    assert translated(asked) == (asked, [])


def test_a_seed_where_nothing_is_random_is_taken_and_said_to_have_no_effect(capsys):
    line = "luck hands.csv --agent who --score chips"
    answer, silence = answered(capsys, line)
    assert silence == []
    assert answered(capsys, f"{line} --seed 3") == (
        answer, ["equipoise: --seed has no effect: nothing in luck is random"]
    )  # fmt: skip


@pytest.mark.parametrize("new", FORMER_PARTS)
def test_former_options_are_given_together_now(capsys, new):
    line, parts = PARTS[new]
    assert set(parts) <= set(FORMER_PARTS[new])
    together = f"{new} {','.join(parts.get(old, '') for old in FORMER_PARTS[new])}"
    apart = " ".join(f"{old} {value}" for old, value in parts.items())
    assert_same(capsys, line.format(apart), line.format(together), *parts, together)
    glued = " ".join(f"{old}={value}" for old, value in reversed(parts.items()))
    assert_same(capsys, line.format(glued), line.format(together), *parts, together)


@pytest.mark.parametrize("given", ["--b q", "--a p", "--losses lost", "--wins won --games all"])
def test_some_of_the_parts_keep_their_places(given):
    (_, _, new, value), (line,) = translated(["rank", "x.csv", *given.split()])
    assert (new, value) == {
        "--b q": ("--agents", ",q"), "--a p": ("--agents", "p"), "--losses lost": ("--counts", ",lost"),
        "--wins won --games all": ("--counts", "won,,all"),
    }[given]  # fmt: skip
    assert f"{new} {value}" in line


@pytest.mark.parametrize("question", FORMER_QUESTIONS, ids=lambda question: question.option)
def test_a_former_question_of_rank_is_a_command_now(capsys, question):
    old, new = ASKED[question.option]
    answer, silence = answered(capsys, new)
    assert silence == []
    again, said = answered(capsys, old)
    assert again == answer
    assert said[0] == f"equipoise: rank {question.option} is now: equipoise {question.form} (the old form ends in 0.4)"
    renamed = [word for word in shlex.split(old) if word in FORMER_OPTIONS[""]]
    assert len(said) == 1 + len(renamed)
    assert question.form.split()[0] in COMMANDS


@pytest.mark.parametrize("question", FORMER_QUESTIONS, ids=lambda question: question.option)
def test_options_that_changed_nothing_beside_a_question_are_passed_over(capsys, question):
    old, new = ASKED[question.option]
    values = {"--scale": "logit", "--offset": "5", "--jobs": "1", "--seed": "4"}
    more = [f"{name} {values[name]}" for name in question.without]
    assert more
    assert answered(capsys, f"{old} {' '.join(more)}")[0] == answered(capsys, new)[0]


def test_options_of_the_arena_keep_their_meaning():
    asked = ["arena", "check-player", "bot", "--games", "3"]
    assert translated(asked) == (asked, [])


def test_what_stands_after_two_dashes_is_no_option():
    assert translated(["rank", "--", "--outcome"]) == (["rank", "--", "--outcome"], [])


@pytest.mark.parametrize("command", COMMANDS)
def test_former_names_are_hidden_from_help(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "200")
    main([command, "--help"])
    shown = {word.strip("[]│,.;:()`'") for word in capsys.readouterr().out.split()}
    former = {*FORMER_OPTIONS[""], *FORMER_OPTIONS.get(command, {}), *FORMER_SWITCHES}
    former |= {old for olds in FORMER_PARTS.values() for old in olds}
    former |= {old for of, old in FORMER_TABLES if of == command}
    if command == "rank":
        former |= {question.option for question in FORMER_QUESTIONS}
    assert shown & former == set()


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name
)
def test_docs_have_no_former_name(page):
    lines = re.findall(
        r"^ *equipoise [a-z][^\n]*|`equipoise [a-z][^`]*`", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    for line in lines:
        assert translated(line.strip(" `").split()[1:])[1] == []


def test_every_former_name_has_an_example():
    assert set(EXAMPLES) == {(command, old) for command, names in FORMER_OPTIONS.items() for old in names}
    assert set(SWITCHES) == set(FORMER_SWITCHES)
    assert set(PARTS) == set(FORMER_PARTS)
    assert set(VALUES) == set(FORMER_VALUES)
    assert set(TABLES) == set(FORMER_TABLES)
    assert set(ASKED) == {question.option for question in FORMER_QUESTIONS}
