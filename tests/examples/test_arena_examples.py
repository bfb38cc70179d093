"""The arenas of the examples play in their short form."""

import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

from equipoise.arena.processes.sandbox import find_program
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.core.errors import ParameterError

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "arena"
NEEDS = {
    "stockfish_ladder": "chess",
    "hanging_engine": "chess",
    "connect_four_ladder": "pyspiel",
    "models": "equipoise",
}


@pytest.mark.parametrize("name", NEEDS)
def test_an_arena_of_the_examples_plays(name, capsys, monkeypatch):
    if find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    if name == "stockfish_ladder":
        try:
            find_program("stockfish")
        except ParameterError as error:
            pytest.skip(f"{error}; `make engines` installs it where that is allowed")
    monkeypatch.chdir(FOLDER)  # and back again, wherever the example goes
    example = runpy.run_path(str(FOLDER / "run.py"))
    played = example["main"]([name, "--short", "--workers", "1"])
    assert played.state in ("spent", "answered")
    assert played.trials >= example["SHORT"][name] or played.state == "answered"
    assert played.sentence in capsys.readouterr().out


def test_every_spec_of_the_examples_is_tried():
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(NEEDS)
    for name in NEEDS:
        assert ArenaSpec.from_toml(FOLDER / f"{name}.toml").budget
