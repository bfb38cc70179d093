import re

from tests.mutants import (
    LEFT_OUT,
    MODULES,
    TREE,
    Mutant,
    chosen,
    command_for,
    copy_tree,
    missing_modules,
    room_of,
    unmutated_places,
)

SOURCE = """
from typing import Literal

Kind = Literal["a"] | int

@method(checks={"n": 2})
def f(x: int | None, n: int = 3) -> float | None:
    if n < 4:
        raise ValueError(5)
    return x + 1
"""


def mutants(*places):
    return [Mutant("room/module", f"op{k}", k, line, column) for k, (line, column) in enumerate(places)]


def test_every_chosen_module_is_there():
    assert missing_modules(MODULES) == []


def test_a_module_that_is_not_there_is_named(tmp_path):
    assert missing_modules(["nash/attic"]) == ["nash/attic"]


def test_annotations_decorators_and_errors_are_left_alone_and_numbers_are_not():
    apart = unmutated_places(SOURCE)
    lines = SOURCE.splitlines()

    def at(line, text):
        return line, lines[line - 1].index(text)

    assert at(4, "|") in apart
    assert at(6, "2") in apart
    assert at(7, "|") in apart
    assert at(9, "5") in apart
    assert at(7, "3") not in apart
    assert at(8, "<") not in apart
    assert at(10, "+") not in apart


def test_every_place_gets_one_mutant_before_any_gets_a_second():
    some = mutants((1, 0), (1, 0), (1, 0), (2, 0), (3, 5))
    assert {mutant.line for mutant in chosen(some, 3, seed=0)} == {1, 2, 3}
    assert sorted(chosen(some, 9, seed=0), key=lambda m: m.occurrence) == some


def test_the_seed_alone_decides_which():
    some = mutants(*((line, 0) for line in range(30)))
    assert chosen(some, 10, seed=1) == chosen(some, 10, seed=1)
    assert chosen(some, 10, seed=1) != chosen(some, 10, seed=2)


def test_a_module_of_a_room_within_a_room_is_tested_by_the_tests_of_the_outer_one(tmp_path):
    near = tmp_path / "tests" / "room" / "inner" / "test_near.py"
    near.parent.mkdir(parents=True)
    near.write_text("from equipoise.room.inner.module import f")
    near.with_name("test_far.py").write_text("")
    command = command_for("room/inner/module", tmp_path)
    assert command.endswith("src/equipoise/room/inner/module.py tests/room/inner/test_near.py tests/room'")


def test_what_the_tests_of_chosen_modules_import_is_in_a_copy_of_the_tree(tmp_path):
    named = re.compile(r"^(?:from|import) ((?:tests|tools|benchmarks|examples)(?:\.\w+)+)", re.MULTILINE)
    copied = copy_tree(tmp_path / "copy")
    needed = {
        name
        for room in {room_of(module) for module in MODULES}
        for file in (TREE / "tests" / room).rglob("*.py")
        for name in named.findall(file.read_text(encoding="utf-8"))
    }
    assert "tests.statistical.honesty" in needed
    places = {name: copied.joinpath(*name.split(".")) for name in needed}
    assert [name for name, at in places.items() if not at.is_dir() and not at.with_suffix(".py").is_file()] == []


def test_rooms_whose_tests_are_left_out_are_there():
    assert [room for room in LEFT_OUT if not (TREE / "tests" / room).is_dir()] == []
    assert command_for("arena/state", TREE).count("not (") == 1
