"""Pages and pictures from files: everything that fits them, recognised, analysed and drawn."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import equipoise
from equipoise.analyses.analysis import Origin, refuse_idle
from equipoise.analyses.reports.everything import SECTIONS, TAKEN, Section, SectionOptions, analyse, fitting
from equipoise.analyses.reports.files import FilePart, WantedFile, Working, analyse_files
from equipoise.core.diagnostics import warning
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, did_you_mean
from equipoise.core.former import options_in_one
from equipoise.core.results import Result
from equipoise.core.wording import PYTHON, Option, Spelling
from equipoise.data.files.arena_files import is_arena_file
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.recognise import Recognised
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores
from equipoise.logs.read import recognise
from equipoise.report.charts.drawing.look import ChartLook, Plot
from equipoise.report.charts.names import ASKED, CHARTS
from equipoise.report.charts.registry import charts_of
from equipoise.report.charts.scores.scores_results import LearningCurvesChart as LearningChart
from equipoise.report.render.html import Part, to_html
from equipoise.report.views.listings import runs_view
from equipoise.report.views.registry import section_view, view_of
from equipoise.report.views.scale import Scale
from equipoise.report.views.view import View, origin_of

ITEM_CHARTS = ("forest", "item-map", "item-curves", "generality-map", "agent-curves", "mean-variance")
RUN_CHARTS = ("aggregates", "ranks", "performance-profile", "improvement")
CHARTS_OF: dict[str, tuple[str, ...]] = {
    "Ratings": ("forest", "ranks", "split", "head-to-head", "crosstable", "rating-error"),
    "Ratings by places": ("forest",),
    "Discs": ("disc",),
    "Nash averages": ("nash-agents", "nash-masses"),
    "alpha-Rank": ("response-graph",),
    "Sweep over alpha": ("alpha-sweep",),
    "What to play next": ("progress",),
    "Benchmark": (*RUN_CHARTS, "nash-agents", "nash-tasks", "nash-masses", "split", "latent-skills"),
    "Averages": ("split",),
    "Voting rules": ("forest",),
    "Items and abilities": ITEM_CHARTS,
    "Which one to read": (),
    "Luck": ("forest", "variance-reduction"),
}
"""Which charts each section of a report makes."""
assert list(CHARTS_OF) == [kind.title for kind in SECTIONS]

VOTES = "Voting rules"
"""The section whose chart is of places: asked for by a name that others have too, theirs comes first."""
ITEMS = "Items and abilities"
"""The section of scores that are right or wrong, or become so by a threshold."""
NASH = "Nash averages"
"""The section that has what the board would have in a table of its own."""
SWEEP = "Sweep over alpha"
"""The section that the page of an arena does without."""
LEFT_OUT = "Files left out"
"""Title of the part of a page that says which files are not in it."""


@former_reading
def write_report(
    files: str | Path | Iterable[str | Path],
    output: str | Path = "report.html",
    *,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
    spelling: Spelling = PYTHON,
    working: Working = lambda _: nullcontext(),
    executor: Executor | None = None,
    command: str = "",
    title: str | None = None,
) -> Path:
    """Recognise what each file is, run all that fits, and write one page with words, charts and tables.

    Where a log of games has columns of style (``length_a`` and ``length_b`` ...), categories, voters or judges, by
    their usual names, each gets a section; a note says which columns were taken for what.

    Parameters
    ----------
    files
        Logs of other tools, match logs, pair tables, score tables, payoffs or dealt hands; folders and globs of
        them; or bundled sets by name. Logs of one kind are joined. A file of a folder that is none of these is named on
        the page.
    output
        The page to write; it is one file and needs no network.
    level
        Of all intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents, for all files.
    spelling
        How messages name options: as a user of the library writes them, or of the command line.
    working
        Called with what is being done; gives a context that lasts as long.
    executor
        Who does what is computed again and again, as in :func:`bootstrap`; the page is the same.
    command
        The command that makes the page again, which its foot shows; empty for none.
    title
        Of the page; the name of the file or of the tournament if none is given.

    Fails when
        a file is none of these, or the page cannot be written. An analysis that fails is said on the page; where all of
        them do, the page is written and the error says why.

    Examples
    --------
    >>> import equipoise as eq, tempfile, pathlib
    >>> page = eq.write_report("alphago", pathlib.Path(tempfile.mkdtemp()) / "go.html")
    >>> page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    given: Sequence[str | Path] = [files] if isinstance(files, str | Path) else list(files)
    if not given:
        raise ParameterError("no files to report on")
    target = page_name(output)
    analysed = analyse_files(given, read or ReadOptions(), level=level, rng=rng, working=working, executor=executor)
    seed = rng if isinstance(rng, int) else None
    played = {Path(file).name: Path(file) for file in given if is_arena_file(file)}
    parts = [_with_play(_part(each, seed, command), played.get(each.recognised.title)) for each in analysed.parts]
    parts += unread_part(analysed.unread, bool(parts))
    if title and len(parts) == 1:
        parts = [replace(parts[0], title=title)]
    title = title or (parts[0].title if analysed.files_read == 1 else f"{analysed.files_read} files")
    with working("Drawing"):
        write_page(parts, target, title=title, spelling=spelling)
    answered = any(section.result is not None for section in analysed.sections)
    if not answered and not any(view.tables for part in parts for view in part.views):
        raise _no_answer(analysed.sections, target)
    return target


def _part(each: FilePart, seed: int | None, command: str) -> Part:
    """Show one part of a report: the runs of its logs, what was computed, and what else there is to say."""
    if not each.sections:
        return Part(each.recognised.title, runs_view(each.recognised, *each.notes), _told(each.recognised), seed,
                    command, each.facts)  # fmt: skip
    views = [*(section_view(section) for section in each.sections), *runs_view(each.recognised)]
    if any(section.title == NASH and section.result is not None for section in each.sections):
        board, *others = views
        there = tuple(replace(one, rows=()) if one.called == "nash" else one for one in board.tables)
        views = [replace(board, tables=there), *others]
    if views and each.notes:
        views[0] = replace(views[0], diagnostics=(*views[0].diagnostics, *each.notes))
    return Part(each.recognised.title, views, _told(each.recognised), seed, command, each.facts)


def _with_play(part: Part, arena: Path | None) -> Part:
    """Let the part of an arena begin with its own name, standings and decisions.

    A sweep over alpha is another question, which nobody asked of a tournament (``equipoise metagame``).
    """
    if arena is None:
        return part
    from equipoise.arena.access.reader import ArenaReader
    from equipoise.report.views.arena import arena_view

    with ArenaReader.look_at(arena) as played:
        standings = played.standings()
        first = arena_view(standings, played.activity())
    return replace(part, title=standings.name, views=[first, *(one for one in part.views if one.title != SWEEP)])


def unread_part(unread: Sequence[tuple[WantedFile, EquipoiseError]], read: bool) -> list[Part]:
    """Say which files of a folder are not in the report, and why; nothing where all are.

    Fails when
        none was read.
    """
    if not unread:
        return []
    if not read:
        first, error = unread[0]
        more = f"none of the {len(unread):,} files can be reported on. " if len(unread) > 1 else ""
        raise DataError(more, f"{Path(first.file).name}: ", *error.words, advice=error.advice)
    notes = tuple(
        warning("not-read", (f"{Path(one.file).name}: ", *error.words, "."), [Path(one.file).name], advice=error.advice)
        for one, error in unread
    )
    counted = f"{len(unread):,} file{'s are' if len(unread) > 1 else ' is'} not in this report."
    return [Part(LEFT_OUT, [View((), (counted,), notes)])]


def _no_answer(made: Sequence[Section], page: Path) -> DataError:
    """Say that a page has no answer, and the first reason why."""
    why = next((section.error for section in made if section.error is not None), None)
    why = why or DataError("no analysis fits these data")
    return DataError(
        "nothing could be computed: ", *why.words, f" ({page} was written and says so)", advice=why.advice
    )  # fmt: skip


def _told(recognised: Recognised) -> str:
    """Say what a file was taken for, and what became of its rows and columns."""
    account = recognised.data.account
    return " ".join((recognised.what, *(() if account is None else account.words)))


def write_page(
    parts: Sequence[Part], output: str | Path, *, title: str | None = None, spelling: Spelling = PYTHON
) -> Path:
    """Write one page that shows all parts."""
    target = page_name(output)
    page = page_text(parts, title, spelling)
    try:
        target.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror}") from error
    return target


def page_name(output: str | Path) -> Path:
    """Refuse a name that is not a page's."""
    target = Path(output)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"{target}: a report is a page; give it a name that ends in .html")
    if not target.parent.is_dir():
        raise ParameterError(f"cannot write {target}: there is no folder {target.parent}")
    return target


def page_text(parts: Sequence[Part], title: str | None = None, spelling: Spelling = PYTHON) -> str:
    """Give one page that shows all parts."""
    read = [part for part in parts if part.title != LEFT_OUT]
    called = title or (read[0].title if len(read) == 1 else f"{len(read)} files")
    return to_html(called, parts, version=equipoise.__version__, spelling=spelling)


@options_in_one(SectionOptions)
@former_reading
def chart(
    name: str,
    file: str | Path,
    output: str | Path,
    *,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
    step: str | None = None,
    options: SectionOptions | None = None,
    look: ChartLook | None = None,
    working: Working = lambda _: nullcontext(),
) -> Path:
    """Draw one chart of a file as SVG, PDF or PNG, without a browser.

    Parameters
    ----------
    name
        Of the chart: ``forest``, ``head-to-head``, ``ranks`` ..., or what it is asked for: ``ranking``, ``pairs``,
        ``profile``, ``tasks``, ``items``, ``curves``.
    file
        A file as for :func:`write_report`, or a bundled set by name.
    output
        A name that ends in .svg, .pdf, .png, .html, or .json (the spec).
    level
        Of all intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents.
    step
        Of ``learning-curves``: the column of training steps.
    options
        Of the question that the chart answers, such as its ``model`` or how it counts ``ties``:
        :class:`equipoise.methods.SectionOptions`.
    look
        Size, letters, theme, title and caption, and whom it shows: :class:`equipoise.methods.ChartLook`.
    working
        Called with what is being done; gives a context that lasts as long.

    Fails when
        there is no such chart, or the file gives none; the error names those that fit.

    Examples
    --------
    >>> import equipoise as eq, tempfile, pathlib
    >>> eq.chart("forest", "alphago", pathlib.Path(tempfile.mkdtemp()) / "go.svg").suffix
    '.svg'
    >>> look = eq.methods.ChartLook(width="column", theme="paper", font_size=8)
    >>> eq.chart("pairs", "alphago", pathlib.Path(tempfile.mkdtemp()) / "go.pdf", look=look).suffix
    '.pdf'
    """
    if name not in {**CHARTS, **ASKED}:
        known = [*CHARTS, *ASKED]
        raise ParameterError(f'there is no chart "{name}"{did_you_mean(name, known)}; charts: {", ".join(known)}')
    look, options = look or ChartLook(), options or SectionOptions()
    if name == LearningChart.name or (name == "curves" and step is not None):
        with working("Drawing"):
            if step is None:
                raise ParameterError(f"{name}: name the column of training steps with ", Option("step"))
            from equipoise.analyses.scores.learning import learning_curves

            idle = {key: (value, None) for key, value in asdict(options).items() if key != "normalise"}
            refuse_idle(idle, f"the {name} chart")
            curves = learning_curves(file, step=step, normalise=options.normalise, level=level, rng=rng, read=read)
            drawn = charts_of(curves)[0]
            facts = {"file": Path(file).name, "agents": len(curves.agents)}
            Plot(drawn, look, origin_of(view_of(curves), drawn, facts)).save(output)
        return Path(output)
    refuse_idle({"step": (step, None)}, f"the {name} chart")
    with working(f"Reading {Path(file).name}"):
        recognised = recognise(file, read or ReadOptions())
    sections: list[str] = []
    if name not in FURTHER:
        name, sections = _sections_with(name, recognised, file, answered=options.threshold is not None)
    looked_at = {option for title in sections for option in TAKEN.get(title, ())}
    refuse_idle(
        {key: (value, None) for key, value in asdict(options).items() if key not in looked_at}, f"the {name} chart"
    )
    with working("Drawing"):
        made = (
            (Section(name, FURTHER[name](recognised.data)),)
            if name in FURTHER
            else analyse(recognised.data, level=level, rng=rng, only=sections, options=options)
        )
        for section in made:
            if section.error is not None:
                raise section.error
        views = [_view_with(section, options.offset) for section in made]
        found = next(((view, chart) for view in views for chart in view.charts() if chart.name == name), None)
        if found is None:
            notes = [part for view in views for note in view.diagnostics for part in (" ", *note.words)]
            raise DataError(f"{file} gives no {name} chart.", *notes)
        Plot(found[1], look, origin_of(*found, Origin(Path(file).name).facts(recognised.data))).save(output)
    return Path(output)


def _view_with(part: Section, offset: float | None) -> View:
    """Show a section, with what is added to its ratings."""
    if offset is None:
        return section_view(part)
    from equipoise.analyses.boards.standings import Standings as Board
    from equipoise.report.views.leaderboard import leaderboard

    return leaderboard(part.result, Scale(offset=offset)) if isinstance(part.result, Board) else section_view(part)


def _dynamics(data: Any) -> Result:
    from equipoise.alpharank.dynamics import replicator

    return replicator(_of_games(data, "dynamics"))


def _alpha_bounds(data: Any) -> Result:
    from equipoise.analyses.play.metagame import metagame

    result: Result = metagame(_of_games(data, "alpha-bounds"), show="bounds").result
    return result


def _sample_sizes(data: Any) -> Result:
    from equipoise.inference.sample_size import response_graph_sample_sizes

    game = _of_games(data, "sample-size")
    return response_graph_sample_sizes(game.shape if isinstance(game, MetaGame) else (len(game.agents),))


def _of_games(data: Any, name: str) -> Any:
    """Give games and payoffs as they are.

    Fails when
        the data are neither.
    """
    if not isinstance(data, PairTable | MetaGame):
        raise DataError(f"the {name} chart is drawn of games or payoffs, not of {type(data).__name__.lower()}")
    return data


FURTHER: Mapping[str, Callable[[Any], Result]] = {
    "dynamics": _dynamics, "logit-dynamics": _dynamics, "alpha-bounds": _alpha_bounds, "sample-size": _sample_sizes,
}  # fmt: skip
"""Charts of results that no page has."""


def _sections_with(
    name: str, recognised: Recognised, file: str | Path, *, answered: bool = False
) -> tuple[str, list[str]]:
    """Give the chart that is asked for by that name, and the sections that may have it.

    With a threshold scores are ``answered`` right or wrong, of which items are asked alone.
    """
    there = [ITEMS] if answered and isinstance(recognised.data, Scores) else fitting(recognised.data)
    for titles in ([title for title in there if title != VOTES], there):
        charts = list(dict.fromkeys(chart for title in titles for chart in CHARTS_OF.get(title, ())))
        found = next((each for each in (name, *ASKED.get(name, ())) if each in charts), None)
        if found is not None:
            return found, [title for title in titles if found in CHARTS_OF.get(title, ())]
    raise DataError(f"{file} gives no {name} chart. {recognised.what} Charts that fit: {', '.join(charts) or 'none'}")
