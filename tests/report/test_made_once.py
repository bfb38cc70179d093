"""A result makes its frame and its sentences once, however many tables, charts, cards and files show them."""

import copy
import importlib
import pickle
import pkgutil
from collections import Counter
from dataclasses import fields, replace

import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.results import MADE_ONCE, Result, made_once
from equipoise.report import views

GAMES = eq.Matches.from_columns("aabbcc" * 10, "bcacab" * 10, [1, 1, 0, 1, 0, 1] * 10)

COMMANDS = [
    ["rank", "classifiers"],
    ["rank", "classifiers", "--format", "json"],
    ["rank", "alphago", "--page", "page.html"],
    ["irt", "lsat", "--page", "page.html"],
    ["tasks", "classifiers", "--page", "page.html"],
    ["luck", "hands", "--page", "page.html"],
    ["metagame", "alphago", "--page", "page.html"],
    ["plan", "games.csv", "--page", "page.html"],
    ["judges", "games.csv", "--page", "page.html"],
    ["report", "alphago", "-o", "page.html"],
]


def kinds(kind: type[Result]) -> set[type[Result]]:
    return {kind}.union(*(kinds(each) for each in kind.__subclasses__()))


def counting(counts: Counter, name: str, make):
    """Count how often a result makes something, by the result and by who makes it; all results are kept alive."""

    def made(result):
        counts[type(result).__name__, name, make, result] += 1
        return make(result)

    made.__name__ = name
    return made


@pytest.fixture
def counts(monkeypatch):
    """Count what results make from now on."""
    for name in dir(eq.results):
        getattr(eq.results, name)  # loads the module of each
    for module in pkgutil.iter_modules(views.__path__, f"{views.__name__}."):
        importlib.import_module(module.name)  # these know the rest
    found: Counter = Counter()
    for kind in kinds(Result) - {Result}:
        for name in MADE_ONCE & vars(kind).keys():
            own = vars(kind)[name]
            make = (own.fget if isinstance(own, property) else own).__wrapped__
            again = made_once(counting(found, name, make))
            monkeypatch.setattr(kind, name, property(again) if isinstance(own, property) else again)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Put a log of votes where commands look for it."""
    votes = zip("xyzx" * 9, "yzxz" * 9, ["model_a", "model_a", "model_b"] * 12, "pqr" * 12, strict=True)
    lines = ["model_a,model_b,winner,judge", *(",".join(vote) for vote in votes)]
    (tmp_path / "games.csv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_has_every_frame_and_every_sentence_made_once(command, folder, counts, capsys):
    known = kinds(Result)
    assert main(command) == 0, capsys.readouterr().err
    assert {name for _, name, _, _ in counts} == MADE_ONCE
    assert {(kind, name): times for (kind, name, _, _), times in counts.items() if times > 1} == {}
    assert kinds(Result) == known  # none came late, uncounted


def test_a_frame_that_somebody_changes_is_their_own():
    result = eq.bradley_terry(GAMES)
    frame = result.frame()
    frame.insert_column(0, pl.Series("mine", [1, 2, 3]))
    assert "mine" not in result.frame().columns


def test_a_changed_copy_makes_its_own():
    result = eq.bradley_terry(GAMES)
    before, words = result.frame(), result.answer
    turned = replace(result, agents=result.agents[::-1])
    assert turned.frame()["agent"].to_list() != before["agent"].to_list()
    assert pickle.loads(pickle.dumps(result)).answer == words
    assert copy.copy(result).frame().equals(before)


def test_a_subclass_that_adds_to_a_frame_gets_both():
    class Wider(eq.results.BradleyTerry):
        __slots__ = ()

        def frame(self):
            return super().frame().with_columns(more=pl.lit(1))

    plain = eq.bradley_terry(GAMES)
    wider = Wider(**{name: getattr(plain, name) for name in [one.name for one in fields(plain)]})
    assert wider.frame().columns == [*plain.frame().columns, "more"]
    assert wider.frame().columns == [*plain.frame().columns, "more"]
