"""Commands and options that had other names: taken for one more version, and a line says what they are called now.

A command line is translated before it is parsed, so that nothing else knows of former names. This table is the only
place that has them: the translation, the lines that are said, the docs and the tests are made from it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

FORMER_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "": {
        "--outcome": "--score",
        "--utility": "--score",
        "--outcome-means": "--score-means",
        "--trial": "--run",
        "--hand": "--run",
        "--group": "--cluster",
        "--islands": "--components",
        "--side": "--position",
        "--report": "--page",
        "--tau": "--between-sd",
        "--least-p": "--min-p",
    },
    "rank": {"--control": "--adjust", "--control-prior": "--adjust-prior"},
    "tasks": {"--unit": "--resample"},
}
"""Options with another name and the same values: those of all commands, and those of one."""
FORMER_SWITCHES: Mapping[str, tuple[str, str]] = {"--transpose": ("--agents-in", "columns"), "--all": ("--rows", "all")}
"""Switches that are values of an option now."""
FORMER_PARTS: Mapping[str, tuple[str, ...]] = {
    "--agents": ("--a", "--b"),
    "--counts": ("--wins", "--losses", "--games"),
}
"""Options whose values are given together now, separated by commas."""
ENDS = "(the old form ends in 0.4)"


@dataclass(frozen=True, slots=True)
class FormerQuestion:
    """An option of ``rank`` that asked another question, and the command that asks it now.

    Attributes
    ----------
    option
        The option.
    form
        The command as it is typed now, for the line that says so.
    made
        Gives its arguments, from the files, the value of the option and all other arguments.
    without
        Options of ``rank`` with a value that it took beside this one, where they changed nothing, and that the command
        does not have.
    switch
        True where the option had no value.
    """

    option: str
    form: str
    made: Callable[[list[str], str, list[str]], list[str]]
    without: tuple[str, ...] = ("--jobs",)
    switch: bool = False


def _two_names(files: list[str], pair: str, others: list[str]) -> list[str]:
    return ["compare", *files, *(name.strip() for name in pair.split(",", 1)), *others]


def _with_steps(files: list[str], _: str, others: list[str]) -> list[str]:
    return ["clean", *files, *(re.sub("^--clean(?==|$)", "--steps", word) for word in others)]


NO_RATINGS = ("--scale", "--offset", "--jobs")
FORMER_QUESTIONS = (
    FormerQuestion("--by", "categories FILE COLUMN", lambda files, by, others: ["categories", *files, by, *others]),
    FormerQuestion("--versus", "compare FILE A B", _two_names, NO_RATINGS),
    FormerQuestion(
        "--length-controlled", "length FILE", lambda files, _, others: ["length", *files, *others], NO_RATINGS, True
    ),
    FormerQuestion("--sensitivity", "clean FILE --steps STEPS", _with_steps, NO_RATINGS, True),
    FormerQuestion(
        "--hold", "place FILE --board BOARD", lambda files, board, others: ["place", *files, "--board", board, *others],
        ("--seed", "--jobs"),
    ),
    FormerQuestion(
        "--since-board", "changes OLD NEW", lambda files, old, others: ["changes", old, *files, *others],
        ("--offset", "--jobs"),
    ),
)  # fmt: skip
"""What ``rank`` answered besides a leaderboard, in the order in which its options were looked at."""
SWITCHES = {"--position", "--verbose", "--help", "--version", *(one.option for one in FORMER_QUESTIONS if one.switch)}
"""Options of ``rank`` without a value."""


def translated(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give a command line in present names, and a line for each former name in it.

    >>> translated(["rank", "x.csv", "--outcome", "res", "--a=p1", "--b", "p2"])[0]
    ['rank', 'x.csv', '--score', 'res', '--agents', 'p1,p2']
    >>> translated(["rank", "x.csv", "--versus", "x,y"])
    (['compare', 'x.csv', 'x', 'y'], ['rank --versus is now: equipoise compare FILE A B (the old form ends in 0.4)'])
    """
    command = next((word for word in arguments if not word.startswith("-")), "")
    renamed = {**FORMER_OPTIONS[""], **FORMER_OPTIONS.get(command, {})}
    # Commands of the arena read no columns: --games is a number of games there.
    made, said = _renamed(list(arguments), renamed, {} if command == "arena" else FORMER_PARTS)
    if command == "rank":
        for question in FORMER_QUESTIONS:
            if any(word.partition("=")[0] == question.option for word in made):
                return _asked(question, made), [
                    f"rank {question.option} is now: equipoise {question.form} {ENDS}",
                    *said,
                ]
    return made, said


def _renamed(
    words: list[str], renamed: Mapping[str, str], joined: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], list[str]]:
    made: list[str] = []
    said: list[str] = []
    parts: dict[str, str] = {}
    together = {old for olds in joined.values() for old in olds}
    while words:
        word = words.pop(0)
        if word == "--":
            made += [word, *words]
            break
        name, equals, value = word.partition("=")
        if name in together and (equals or words):
            parts[name] = value if equals else words.pop(0)
        elif name in renamed:
            made.append(f"{renamed[name]}{equals}{value}")
            said.append(f"{name} is now {renamed[name]} {ENDS}")
        elif word in FORMER_SWITCHES:
            made += FORMER_SWITCHES[word]
            said.append(f"{word} is now {' '.join(FORMER_SWITCHES[word])} {ENDS}")
        else:
            made.append(word)
    for new, olds in joined.items():
        given = [parts.get(old, "") for old in olds]
        if any(given):
            made += [new, ",".join(given).rstrip(",")]
            said.append(f"{' '.join(old for old in olds if old in parts)} is now {new} {made[-1]} {ENDS}")
    return made, said


def _asked(question: FormerQuestion, words: list[str]) -> list[str]:
    """Give the command that asks the question now: files first, then everything else as it was given."""
    files: list[str] = []
    others: list[str] = []
    value = ""
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        name, equals, after = word.partition("=")
        if not word.startswith("-") or word == "-":
            files.append(word)
        elif name == question.option:
            value = after if equals else "" if question.switch or not rest else rest.pop(0)
        else:
            whole = [word] if equals or name in SWITCHES or not rest else [word, rest.pop(0)]
            others += [] if name in question.without else whole
    return question.made(files, value, others)
