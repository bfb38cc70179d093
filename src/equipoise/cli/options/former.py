"""Commands and options that had other names: taken for one more version, and a line says what they are called now.

A command line is translated before it is parsed, so that nothing else knows of former names. This table is the only
place that has them: the translation, the lines that are said, the docs and the tests are made from it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

FORMER_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "": {
        "--outcome": "--score",
        "--utility": "--score",
        "--outcome-means": "--score-means",
        "--trial": "--run",
        "--item": "--task",
        "--hand": "--run",
        "--group": "--cluster",
        "--islands": "--components",
        "--side": "--position",
        "--report": "--page",
        "--tau": "--between-sd",
        "--least-p": "--min-p",
    },
    "rank": {
        "--control": "--adjust",
        "--control-prior": "--adjust-prior",
        "--k": "--step-size",
        "--verdict": "--transitivity",
    },
    "tasks": {"--unit": "--over", "--resample": "--over"},
}
"""Options with another name: those of all commands, and those of one."""
FORMER_VALUES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("rank", "--components"): {"separate": "each"},
    ("tasks", "--over"): {"trial": "runs", "task": "tasks"},
    ("plan", "--goal"): {"ranking": "order", "response-graph": "profile"},
    ("metagame", "--show"): {"masses": "profiles"},
}
"""Values of an option of a command that are other words now."""
FORMER_SWITCHES: Mapping[str, tuple[str, str]] = {
    "--transpose": ("--agents-in", "columns"),
    "--all": ("--rows", "all"),
    "--aggregates": ("--show", "all,aggregates"),
    "--no-aggregates": ("--show", "agents,tasks"),
}
"""Switches that are values of an option now."""
FORMER_TABLES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("tasks", "--first"): ("--show", "{},all"),
    ("irt", "--indicators"): ("--show", "agents,items,indicators", "--bootstrap", "{}"),
    ("plan", "--epsilon"): ("--show", "all,guarantee", "--epsilon", "{}"),
    ("plan", "--gap"): ("--show", "all,guarantee", "--gap", "{}"),
    ("plan", "--alpha"): ("--show", "all,guarantee", "--alpha", "{}"),
}
"""Options of a command that asked for a table, which ``--show`` does now; beside it they are what they were."""
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
    made, said = _Names.of(command, arguments).present(list(arguments))
    if command == "rank":
        for question in FORMER_QUESTIONS:
            if any(word.partition("=")[0] == question.option for word in made):
                return _asked(question, made), [
                    f"rank {question.option} is now: equipoise {question.form} {ENDS}",
                    *said,
                ]
    return made, said


@dataclass(slots=True)
class _Names:
    """Former names of a command's options, and what was said of those that were found."""

    renamed: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]
    tables: Mapping[str, tuple[str, ...]]
    joined: Mapping[str, tuple[str, ...]]
    said: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, command: str, arguments: Sequence[str]) -> "_Names":
        """Give those of a command; what some of them mean depends on its other arguments."""
        renamed = {**FORMER_OPTIONS[""], **FORMER_OPTIONS.get(command, {})}
        if any(word in ("melo", "--method=melo") for word in arguments):
            renamed |= {"--k": "--dimensions"}
        shows = any(word.partition("=")[0] == "--show" for word in arguments)
        tables = {} if shows else {option: new for (of, option), new in FORMER_TABLES.items() if of == command}
        values = {option: words for (of, option), words in FORMER_VALUES.items() if of == command}
        # Commands of the arena read no columns: --games is a number of games there.
        return cls(renamed, values, tables, {} if command == "arena" else FORMER_PARTS)

    def present(self, words: list[str]) -> tuple[list[str], list[str]]:
        """Give the words in present names, and what is to be said."""
        made: list[str] = []
        parts: dict[str, str] = {}
        together = {old for olds in self.joined.values() for old in olds}
        while words:
            word = words.pop(0)
            if word == "--":
                made += [word, *words]
                break
            name, equals, value = word.partition("=")
            if name in {*together, *self.tables} and (equals or words):
                value = value if equals else words.pop(0)
                if name in together:
                    parts[name] = value
                else:
                    made += self._told(f"{name} {value}", *(part.format(value) for part in self.tables[name]))
            elif word in FORMER_SWITCHES:
                made += self._told(word, *FORMER_SWITCHES[word])
            else:
                made += self._renamed(name, equals, value, words)
        for new, olds in self.joined.items():
            given = [parts.get(old, "") for old in olds]
            if any(given):
                made += self._told(" ".join(old for old in olds if old in parts), new, ",".join(given).rstrip(","))
        return _one_show(made), self.said

    def _told(self, old: str, *new: str) -> tuple[str, ...]:
        self.said.append(f"{old} is now {' '.join(new)} {ENDS}")
        return new

    def _renamed(self, name: str, equals: str, value: str, words: list[str]) -> Sequence[str]:
        """Give an option under its present name, with its present value; anything else as it is."""
        new = self.renamed.get(name, name)
        taken = self.values.get(new, {})
        if (value if equals else words[0] if words else "") in taken:
            value = value if equals else words.pop(0)
            return self._told(f"{name} {value}", new, taken[value])
        if new != name:
            self._told(name, new)
        return (f"{new}{equals}{value}",)


def _one_show(words: list[str]) -> list[str]:
    """Put all that is to be shown into one option.

    >>> _one_show(["tasks", "--show", "tasks,all", "x.csv", "--show", "all,aggregates"])
    ['tasks', 'x.csv', '--show', 'tasks,all,aggregates']
    """
    at = [k for k, word in enumerate(words) if word == "--show" and k + 1 < len(words)]
    if len(at) < 2:
        return words
    names = dict.fromkeys(name for k in at for name in words[k + 1].split(","))
    rest = [word for k, word in enumerate(words) if k not in at and k - 1 not in at]
    return [*rest, "--show", ",".join(names)]


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
