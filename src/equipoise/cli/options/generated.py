"""Options that all commands share, made from the values that declare them.

A command takes ``read: ReadOptions`` and ``to: OutputOptions``; in their places its command line has one option for
each field, under the panels Columns, Rows and Output, and the command is called with the values made from what was
given.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

import typer

from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.readers.declared import Declared
from equipoise.data.readers.options import ReadOptions, declared_options, named_options

Form = Literal["table", "json", "csv", "latex", "markdown", "html"]
"""Forms of output."""
FORMS: Mapping[str, Form | Literal["chart"]] = {
    ".json": "json", ".csv": "csv", ".tex": "latex", ".md": "markdown", ".txt": "table", ".svg": "chart",
    ".pdf": "chart", ".png": "chart", ".html": "html", ".htm": "html",
}  # fmt: skip
"""Forms by the suffix of a file."""
PANELS = ("Columns", "Rows", "Intervals", "Output")
"""What all commands share, in the order in which the help shows it below a command's own options."""
LevelOption = Annotated[float, typer.Option(help="Level of the intervals.", rich_help_panel="Intervals")]
SEED = typer.Option(
    min=0, help="Seed of everything random; the same seed gives the same output.", rich_help_panel="Intervals"
)
SeedOption = Annotated[int, SEED]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs", min=1, help="Processes that share what takes long; the answer is the same.", hidden=True,
        rich_help_panel="Intervals",
    ),
]  # fmt: skip
READING = "reading"
"""The parameter behind ``--read``."""
IN_PYTHON = {
    "seed": "rng", READING: "read", "board": "hold", "steps": "clean", "side": "position",
    "unconnected": "components", "covariates": "adjust", "tau": "between_sd",
    "least_p": "min_p",
}  # fmt: skip
"""Options whose parameter in Python has another name: a seed may be a generator there, and reading is one value."""
IN_METHODS = {**IN_PYTHON, "step_size": "k", "dimensions": "k"}
"""The same, and options whose parameter has another name in the method behind a question: its errors name that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintOptions:
    """Where an answer goes, in which form, and how much of it is shown.

    Attributes
    ----------
    form
        ``table``, ``json``, ``csv``, ``latex``, ``markdown`` or ``html`` (a page); by the suffix of the file otherwise,
        else a table.
    output
        The file to write to instead of the screen; a picture's name asks for the main chart, a page's for a page.
    show
        Names of the tables to show instead of the usual ones, in this order; ``all`` are those not named before.
    rows
        How many rows of long tables are printed: a number, or ``all``.
    title, caption
        What stands above and below: of a page, a picture, a table of a paper.
    """

    panel: ClassVar[str] = "Output"

    form: Annotated[
        Form | None,
        typer.Option("--format", help="Form of the output [default: by the suffix of --output, else table]."),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write to a file: .txt, .json, .csv, .tex, .md; the main chart as .svg, .pdf, .png; a page as .html.",
        ),
    ] = None
    show: Annotated[
        str | None,
        typer.Option("--show", help="What else to show: names of the last line printed, with commas between, or all."),
    ] = None
    rows: Annotated[
        str | None, typer.Option("--rows", help="Rows to print: a number, or all [default: all up to 25, else 15].")
    ] = None
    title: Annotated[str | None, typer.Option("--title", help="Title of a page, a chart or a table of a paper.")] = None
    caption: Annotated[str | None, typer.Option("--caption", help="Caption of a chart or a table of a paper.")] = None

    def __post_init__(self) -> None:
        # Before anything is computed, and whatever the form: JSON has all rows, but a slip is still one.
        if self.rows not in (None, "all") and not (self.rows.isdecimal() and int(self.rows) >= 1):
            raise ParameterError(Option("rows"), f' is a number of rows or all, not "{self.rows}"')
        if self.form is None and self.output is not None and self.output.suffix.lower() not in FORMS:
            known = ", ".join(suffix for suffix in FORMS if suffix != ".htm")
            raise ParameterError(f"{self.output}: its name ends in none of {known}; or say ", Option("form"))

    @property
    def chosen(self) -> Form | Literal["chart"]:
        """The form asked for, or that the suffix of the file means."""
        return self.form or ("table" if self.output is None else FORMS[self.output.suffix.lower()])

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of what is to be shown, as results call their tables; none where the usual tables are."""
        return tuple(name.strip().replace("-", "_") for name in (self.show or "").split(",") if name.strip())

    @property
    def unshortened(self) -> "PrintOptions":
        """The same with all rows, unless a number of them was asked for: for lists that are read as a whole."""
        return self if self.rows is not None else replace(self, rows="all")

    @property
    def most(self) -> int | None:
        """Give how many rows were asked for; None for all, and where nothing was said."""
        return None if self.rows in (None, "all") else int(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions(PrintOptions):
    """The same for an analysis of a file, which may have a page, too.

    Attributes
    ----------
    page
        A page with charts and tables to write as well.
    verbose
        Say what became of every row and column of the file.
    """

    page: Annotated[
        Path | None,
        typer.Option("--page", help="Write a page with charts and tables to this .html file too; it needs no network."),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", help="Say what became of every row and column of the file.")] = (
        False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """How sure intervals are to be, what seed everything random has, and how many processes share the work."""

    panel: ClassVar[str] = "Intervals"

    level: LevelOption = 0.95
    seed: SeedOption = 0
    jobs: JobsOption = 1


def expanded(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Give the parameters of a command with the options of each value that it takes in the value's place.

    An option that a command declares itself comes before one of reading that is spelled like it, or means the same.
    """
    given = inspect.signature(function).parameters.values()
    made = {
        each.name: _options_of(each.annotation)
        for each in given
        if isinstance(each.annotation, type) and is_dataclass(each.annotation)
    }
    own = [option for each in given for option in made.get(each.name, [each])]
    taken = {_spelled(option) for option in own} | {f"--{IN_PYTHON.get(option.name)}" for option in own}
    parameters = [
        option
        for each in given
        for option in (_reading(taken) if each.annotation is ReadOptions else made.get(each.name, [each]))
    ]
    parameters.sort(key=_place)
    return [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]


def panel_of(option: inspect.Parameter) -> str | None:
    """Give the panel of the help that lists an option; None for what a command asks itself."""
    return getattr(next(iter(get_args(option.annotation)[1:]), None), "rich_help_panel", None)


def _place(option: inspect.Parameter) -> int:
    panel = panel_of(option)
    return PANELS.index(panel) if panel in PANELS else -1


def gathered(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a command is called with: its own options, and the values made of the others."""
    parameters = inspect.signature(function).parameters
    called = {name: value for name, value in given.items() if name in parameters}
    for name, parameter in parameters.items():
        kind: Any = parameter.annotation
        if kind is ReadOptions:
            called[name] = _as_read_options(given)
        elif is_dataclass(kind):
            names = [one.name for one in fields(kind)]
            called[name] = kind(**{field: given[field] for field in names})  # type: ignore[operator]  # a class
    return called


def _spelled(option: inspect.Parameter) -> str:
    """Give the first name of an option on the command line."""
    info = next(iter(get_args(option.annotation)[1:]), None)
    declared = (getattr(info, "default", None), *(getattr(info, "param_decls", None) or ()))
    names = [name for name in declared if isinstance(name, str) and name.startswith("--")]
    return names[0] if names else f"--{option.name.replace('_', '-')}"


def _reading(taken: Collection[str]) -> list[inspect.Parameter]:
    return [option for each in _read_parameters().values() if _spelled(option := _parameter(each)) not in taken]


@dataclass(frozen=True, slots=True)
class _Shared:
    """One option of the command line and the fields that it fills."""

    name: str
    fields: tuple[Declared, ...]


@cache
def _read_parameters() -> Mapping[str, _Shared]:
    shared: dict[str, _Shared] = {}
    for one in declared_options():
        if one.panel:
            name = one.option.removeprefix("--").replace("-", "_")
            before = shared.get(name)
            shared[name] = _Shared(name, (one,) if before is None else (*before.fields, one))
    return {**shared, READING: _Shared(READING, ())}


def _parameter(shared: _Shared) -> inspect.Parameter:
    if shared.name == READING:
        text = "OPTION=VALUE of the reader, such as score=res or tasks=a,b. Can be repeated."
        annotation: Any = Annotated[
            list[str] | None, typer.Option("--read", help=text, hidden=True, rich_help_panel="Rows")
        ]
        return inspect.Parameter(READING, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    first = shared.fields[0]
    kind = _on_a_line(first.annotation) if len(shared.fields) == 1 else str | None
    metavar = ",".join(one.name.upper() for one in shared.fields) if len(shared.fields) > 1 else None
    option = typer.Option(first.option, help=first.help, rich_help_panel=first.panel, metavar=metavar)
    return inspect.Parameter(
        shared.name, inspect.Parameter.KEYWORD_ONLY, default=first.default, annotation=Annotated[kind, option]
    )


def _on_a_line(annotation: Any) -> Any:
    """Give what an option of the command line takes for a field: a whole number, one of some words, or a text."""
    parts = get_args(annotation) or (annotation,)
    if get_origin(annotation) is Literal:
        return annotation
    if int in parts and str not in parts:
        return int | None
    words = next((part for part in parts if get_origin(part) is Literal), None)
    return str | None if words is None or str in parts else words | None


@cache
def _options_of(kind: Any) -> list[inspect.Parameter]:
    """Give an option for each field of a value; all of one panel where the value has one."""
    if kind is ReadOptions:
        return []
    for one in fields(kind):
        if getattr(kind, "panel", None):
            get_args(one.type)[1].rich_help_panel = kind.panel
    return [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
        for one in fields(kind)
    ]


def fields_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give what was given for each field of reading that has an option of its own or shares one; None for nothing.

    Fails when
        an option has more parts than fields.
    """
    made: dict[str, Any] = {}
    for name, shared in _read_parameters().items():
        value = given.get(name)
        if len(shared.fields) == 1:
            made[shared.fields[0].name] = value
        if len(shared.fields) < 2:
            continue
        parts = [] if value is None else [part.strip() for part in str(value).split(",")]
        if len(parts) > len(shared.fields):
            wanted = ",".join(one.name.upper() for one in shared.fields)
            raise ParameterError(Option(name), f' is {wanted}, not "{value}"')
        made |= {one.name: part or None for one, part in zip_longest(shared.fields, parts)}
    return made


def _as_read_options(given: Mapping[str, Any]) -> ReadOptions:
    """Put together the value of what was given."""
    made = {name: value for name, value in fields_given(given).items() if value is not None}
    return ReadOptions(**made).also(**named_options(_entries(given.get(READING))))


def _entries(given: list[str] | None) -> dict[str, object]:
    """Give OPTION=VALUE entries as options by name."""
    entries = [entry.partition("=") for entry in given or ()]
    bad = [entry for entry, (name, _, value) in zip(given or (), entries, strict=True) if not name or not value]
    if bad:
        raise ParameterError(Option(READING), f' "{bad[0]}" is not of the form OPTION=VALUE')
    return {name.strip().replace("-", "_"): value for name, _, value in entries}
