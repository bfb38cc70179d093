"""The help of each command: its own options first, few of them, then what all share; the rest by ``--help-all``."""

import inspect
import re
from typing import get_args

import pytest

from equipoise.cli.app import ALL_HELP, every_arena_command, every_command
from equipoise.cli.main import main
from equipoise.cli.options.generated import PANELS, panel_of
from equipoise.cli.options.invocation import option_names

COMMANDS = {**every_command(), **{f"arena {name}": run for name, run in every_arena_command().items()}}
MOST = 12
KEPT = {"--method", "--ties", "--position", "--cluster", "--adjust", "--anchor", "--reference", "--scale", "--pairing",
        "--components"}  # fmt: skip
"""Options of ``rank`` that its help always shows."""
each_command = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture
def shown(capsys, monkeypatch):
    """Give the help of a command, on a wide terminal."""
    monkeypatch.setenv("COLUMNS", "220")

    def show(name, option="--help"):
        assert main([*name.split(), option]) == 0
        return capsys.readouterr().out

    return show


def listed(text):
    """Give the options that a help lists, by panel, in their order."""
    parts = re.split(r"^╭─ (.+?) ─+╮$", text, flags=re.MULTILINE)
    return {
        panel: re.findall(r"^│ (?:\* )? *(--[a-z-]+)", body, flags=re.MULTILINE)
        for panel, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def options_of(name):
    """Give the first name and the panel of each option of a command, and whether it is hidden."""
    names, parameters = option_names(COMMANDS[name]), inspect.signature(COMMANDS[name]).parameters
    info = {option: get_args(parameters[option].annotation)[1] for option in names}
    return [(names[o][0].partition("/")[0], panel_of(parameters[o]), bool(info[o].hidden)) for o in names]


@each_command
def test_a_command_shows_at_most_twelve_options_of_its_own_and_then_the_shared_panels(name, shown):
    panels = listed(shown(name))
    own = [option for option in panels.get("Options", []) if option != "--help"]
    assert len(own) <= MOST
    assert sorted(own) == sorted(option for option, panel, hidden in options_of(name) if panel is None and not hidden)
    others = [panel for panel in panels if panel not in ("Arguments", "Options")]
    assert others == [panel for panel in PANELS if panel in others]


@pytest.mark.parametrize("panel", ["Columns", "Rows", "Output"])
def test_shared_panels_are_the_same_everywhere(panel, shown):
    helps = {name: listed(shown(name)) for name in COMMANDS}
    own = {name: {option for option, where, _ in options_of(name) if where is None} for name in COMMANDS}
    whole = helps["compare"][panel]
    for name, panels in helps.items():
        if panel == "Output" and "--page" not in panels.get(panel, []):
            continue  # what is no analysis of a file has no page
        meant = {"clean": {"--clean"}}.get(name, set())  # its steps
        there = [option for option in whole if option not in own[name] | meant]
        assert panels.get(panel, there) == there, name


@each_command
def test_all_options_are_shown_when_asked_for(name, shown):
    everything = [option for options in listed(shown(name, ALL_HELP)).values() for option in options]
    assert sorted(set(everything) - {"--help"}) == sorted(option for option, *_ in options_of(name))
    rare = [option for option, _, hidden in options_of(name) if hidden]
    assert (ALL_HELP in shown(name)) == bool(rare)


def test_rank_keeps_what_people_ask_most_and_hides_the_rest(shown):
    seen = {option for options in listed(shown("rank")).values() for option in options}
    assert seen >= KEPT
    assert seen.isdisjoint({"--prior", "--adjust-prior", "--read", "--jobs", "--offset", "--step-size", "--dimensions"})


@each_command
def test_the_help_ends_with_the_call_in_python(name, shown):
    for option in ("--help", ALL_HELP):
        assert shown(name, option).strip().splitlines()[-1].strip().startswith("In Python: ")


def test_help_of_a_program_that_is_checked_is_not_ours(capsys):
    assert main(["arena", "check-player", "--", "./no-such-bot", ALL_HELP]) == 2
    assert "Usage" not in capsys.readouterr().out
