"""What a log of votes tells beside its board: style, categories, voters and judges, where it has such columns.

Which columns say what is recognised by their names and values.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from equipoise.analyses.reports.everything import Section
from equipoise.analyses.votes.judging import judges
from equipoise.analyses.votes.voting import weigh_voters
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, EquipoiseError, some_of
from equipoise.core.progress import counted as each_counted
from equipoise.core.results import Result
from equipoise.core.wording import counted
from equipoise.data.encode.labels import Factor
from equipoise.data.readers.columns import CATEGORIES, JUDGES, PROMPTS, VOTERS, plain
from equipoise.data.readers.covariate_columns import covariate_columns, usual_style
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import read_matches
from equipoise.data.types.matches import CLUSTERS_FOUND, Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.categories.boards_by import categories
from equipoise.ratings.covariates.style_control import style_control
from equipoise.ratings.judges.self_preference import JUDGE, SIDES
from equipoise.ratings.judges.vote_columns import ITEMS, named_column

MOST_CATEGORIES, MOST_BOARDS, MOST_JUDGES = 30, 3, 100
"""Categories of one column, columns of categories, and judges that a page has room for."""
NEARLY_UNIQUE = 0.8
"""Values for each row from which on a column is taken for a number of the row."""
HOUSES = (*SIDES, *JUDGE)
PEOPLE = [name for name in VOTERS if name not in JUDGES]
JUDGED = tuple(dict.fromkeys((*ITEMS, *PROMPTS)))


@dataclass(frozen=True, slots=True)
class VoteRoles:
    """What the columns beside the two sides and the outcome are.

    Attributes
    ----------
    categories
        Columns with a board for each value.
    voter, judge, item
        Columns that say who voted, who judged and on what; None where there is none.
    cluster
        What errors are clustered by: the columns of groups which reading found, else voters, else what was voted on;
        None where a user named the matches' groups.
    left_out
        Columns that might be one of these and are not taken, with the reason.
    """

    categories: tuple[str, ...] = ()
    voter: str | None = None
    judge: str | None = None
    item: str | None = None
    cluster: str | None = None
    left_out: tuple[str, ...] = ()


def candidates(columns: Sequence[str], taken: Sequence[object]) -> list[str]:
    """Give the columns whose names may mean one of the roles, without those that are taken."""
    by_name = {plain(column): column for column in reversed(columns)}
    usual = dict.fromkeys((*CATEGORIES, *PEOPLE, *JUDGES, *JUDGED, *HOUSES))
    return [by_name[name] for name in usual if name in by_name and by_name[name] not in taken]


def roles_of(matches: Matches) -> VoteRoles:
    """Sort the labels of matches into roles by their names and by how many values they have."""
    by_name = {plain(name): name for name in reversed(list(matches.labels))}
    useful = {key: name for key, name in by_name.items() if _tells(matches.labels[name])}
    boards, left_out = _categories([useful[key] for key in CATEGORIES if key in useful], matches.labels)
    voter = _first(PEOPLE, useful)
    judge = _first(JUDGES, useful)
    if judge is not None and _values(matches.labels[judge]) > MOST_JUDGES:
        if voter is None:
            voter = judge
        else:
            left_out.append(f"{judge} ({_many(matches.labels[judge])}; judges are shown up to {MOST_JUDGES})")
        judge = None
    item = _first(JUDGED, {key: name for key, name in useful.items() if name not in boards})
    whole = [name for name in (voter, item) if name is not None and _whole(matches.labels[name])]
    cluster = next(iter(whole), None) if matches.group is None else " and ".join(_found(matches)) or None
    return VoteRoles(boards, voter, judge, item, cluster, tuple(left_out))


def _found(matches: Matches) -> tuple[str, ...]:
    """Name the columns of clusters that reading found by their names, that of the groups first."""
    return next((note.subjects for note in matches.diagnostics if note.code == CLUSTERS_FOUND), ())


def filled(matches: Matches, *names: str | None) -> Matches:
    """Give the matches that have a value in all these labels."""
    keep = np.ones(len(matches), dtype=bool)
    for name in names:
        if name is not None and name in matches.labels and not _whole(matches.labels[name]):
            keep &= _given(matches.labels[name])
    return matches if keep.all() else matches.take(np.flatnonzero(keep))


def _categories(names: Sequence[str], labels: Mapping[str, Factor]) -> tuple[tuple[str, ...], list[str]]:
    """Tell columns that a page has room for from those with too many values, or that come too late."""
    few = [name for name in names if _values(labels[name]) <= MOST_CATEGORIES]
    left_out = [
        f"{name} ({_many(labels[name])}; a page has room for {MOST_CATEGORIES})" for name in names if name not in few
    ]
    if len(few) > MOST_BOARDS:
        left_out.append(f"{some_of(few[MOST_BOARDS:])} (boards by {MOST_BOARDS} columns are enough for a page)")
    return tuple(few[:MOST_BOARDS]), left_out


def _first(names: Sequence[str], there: Mapping[str, str]) -> str | None:
    return next((there[name] for name in names if name in there), None)


def _tells(column: Factor) -> bool:
    """Tell whether a column says anything: not empty, not constant, not a number of the row."""
    rows = int(_given(column).sum())
    return 2 <= _values(column) <= NEARLY_UNIQUE * rows


def _values(column: Factor) -> int:
    return sum(bool(label.strip()) for label in column.labels)


def _given(column: Factor) -> "np.ndarray":
    return np.array([bool(label.strip()) for label in column.labels], dtype=bool)[column.codes]


def _whole(column: Factor) -> bool:
    return all(label.strip() for label in column.labels)


def _many(column: Factor) -> str:
    return counted(_values(column), "value")


MOST_ROWS, WEIGHED = 1_000_000, 3_000
"""Rows up to which fits to single votes, and those with weighted judges, keep a report within seconds."""
OTHERS = (
    "To name other columns: equipoise rank FILE --adjust or --cluster, equipoise categories FILE COLUMN, and equipoise"
    " judges FILE --judge and --item; in Python style_control, categories, rank and judges."
)


@dataclass(frozen=True, slots=True)
class VoteSections:
    """Sections that columns of a log gave, and what was taken for what."""

    sections: tuple[Section, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


def vote_sections(
    file: str | Path,
    data: object,
    options: ReadOptions,
    *,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> VoteSections:
    """Look for columns of style, categories, voters and judges in a table of games; nothing where there are none.

    ``data`` is what the file was taken for: only games have sides.
    """
    from equipoise.data.files.tables import open_table

    if not isinstance(data, PairTable) or data.account is None or not Path(file).is_file():
        return VoteSections()
    options = options.of("games")
    try:
        columns = open_table(options.selection.of(str(file))).columns
    except EquipoiseError:
        return VoteSections()
    style = usual_style(columns)
    labels = candidates(columns, [value for name, value in options.given.items() if name not in ("group", "time")])
    if not style and not labels:
        return VoteSections()
    if data.account.rows > MOST_ROWS:
        there = [*style, *labels]
        message = f"Columns {some_of(there, 12)} are not looked at on a page of more than {MOST_ROWS:,} rows. {OTHERS}"
        return VoteSections(notes=(info("columns-left-out", message, there),))
    try:
        matches, failed = _read(file, covariate_columns(columns, style), labels, options)
    except EquipoiseError:  # counted results and cross-tables have no single votes
        return VoteSections()
    found = sections_of_votes(matches, level=level, rng=rng, regroup=False)
    first = () if failed is None else (Section("Style", None, failed),)
    return replace(found, sections=(*first, *found.sections))


def sections_of_votes(
    matches: Matches, *, level: float = 0.95, rng: int | np.random.Generator = 0, regroup: bool = True
) -> VoteSections:
    """Make a section for each role that the labels and covariates of matches have; what fails is said in its section.

    Errors are clustered by the matches' groups where they have some, else with ``regroup`` by voters, else by what was
    judged; without it the reader, or the user, found nothing to cluster by.
    """
    roles, style = roles_of(matches), _telling(matches)
    if matches.group is None and not regroup:
        roles = replace(roles, cluster=None)
    notes = _notes(style, roles, alone=matches.group is None)
    if roles.cluster is not None and matches.group is None:
        matches = replace(matches, group=named_column(matches, "group", roles.cluster))
    clustered = "" if roles.cluster is None else f"; errors are clustered by {roles.cluster}"
    jobs: list[tuple[str, str, Callable[[], Result]]] = []
    if style:
        control = partial(style_control, matches, covariates=style, components="each", level=level, rng=rng)
        jobs.append(("Style", f"Controlled for {some_of(style, 12)}{clustered}.", control))
    for name in roles.categories:
        kept = filled(matches, name)
        said = f"Categories are those of the column {name}{_without(matches, kept)}{clustered}."
        jobs.append((f"Boards by {name}", said, partial(categories, kept, by=name, level=level, rng=rng)))
    if roles.voter is not None:
        kept = filled(matches, roles.voter, roles.item)
        said = f"Voters are those of the column {roles.voter}{_on(roles)}{_without(matches, kept)}."
        weigh = partial(weigh_voters, kept, voter=roles.voter, item=roles.item, level=level)
        jobs.append(("Voters", said, weigh))
    if roles.judge is not None:
        kept = filled(matches, roles.judge, roles.item)
        # A judge's own advantage does not use what reading found.
        found = roles.cluster if matches.group is not None else None
        errors = f"; errors of the advantage over all judges are clustered by {found}" if found else clustered
        plain = bool(np.isin(kept.outcome, (0.0, 0.5, 1.0)).all())
        weighted = plain and len(kept) <= WEIGHED and bool((kept.outcome != 0.5).any())
        said = f"Judges are those of the column {roles.judge}{_on(roles)}{_without(matches, kept)}{errors}."
        jobs.append(
            ("Judges", said, partial(judges, kept, judge=roles.judge, item=roles.item, weighted=weighted, level=level))
        )
    return VoteSections(tuple(_made(jobs)), notes)


def sections_of_arena(
    matches: Matches | None, *, level: float = 0.95, rng: int | np.random.Generator = 0
) -> VoteSections:
    """Look at the languages and judges that the reader of arena battles keeps as tasks and groups."""
    if matches is None or len(matches) > MOST_ROWS:
        return VoteSections()
    kept = {"language": matches.task, "judge": matches.group}
    labels = {name: column for name, column in kept.items() if column is not None}
    votes = replace(matches, task=None, group=None, crossed={}, labels=labels)
    return sections_of_votes(votes, level=level, rng=rng)


def _telling(matches: Matches) -> list[str]:
    """Name the covariates in which sides ever differ."""
    if matches.covariates is None:
        return []
    spread = np.ptp(matches.covariates.values, axis=0) > 0
    return [name for name, differs in zip(matches.covariates.names, spread, strict=True) if differs]


def _made(jobs: Sequence[tuple[str, str, Callable[[], Result]]]) -> Iterator[Section]:
    for title, said, run in each_counted(jobs, "sections", [1] * len(jobs)):
        try:
            yield Section(title, run(), words=(said,))
        except EquipoiseError as error:
            yield Section(title, None, error)


def _read(
    file: str | Path, style: Mapping[str, tuple[str, ...]], labels: Sequence[str], options: ReadOptions
) -> tuple[Matches, EquipoiseError | None]:
    """Read single votes with all columns; where style cannot be read, the others, and why. Empty columns are no style.

    ``style`` has the columns behind each covariate.
    """
    if not style:
        return read_matches(file, labels=labels, read=options.clustered), None
    try:
        return read_matches(file, covariates=list(style), labels=labels, read=options.clustered), None
    except DataError as error:
        sides = [name for columns in style.values() for name in columns]
        votes = read_matches(file, labels=[*labels, *sides], read=options.clustered)
        empty = {name for name in sides if not any(label.strip() for label in votes.labels[name].labels)}
        written = {name: columns for name, columns in style.items() if not empty & set(columns)}
        if len(written) < len(style):
            return _read(file, written, labels, options)
        return replace(votes, labels={name: votes.labels[name] for name in labels}), error


def _notes(style: Sequence[str], roles: VoteRoles, *, alone: bool) -> tuple[Diagnostic, ...]:
    """Say which columns were taken for what, how to name others, and what was left out.

    ``alone`` where only these sections are clustered, not the first board.
    """
    taken = {
        "style": style,
        "categories": roles.categories,
        "voters": [roles.voter] if roles.voter else [],
        "judges": [roles.judge] if roles.judge else [],
        "what was judged": [roles.item] if roles.item and (roles.voter or roles.judge or style) else [],
    }
    columns = "; ".join(f"{some_of(names, 12)} for {what}" for what, names in taken.items() if names)
    left = f" Left out: {'; '.join(roles.left_out)}." if roles.left_out else ""
    if not columns and not left:
        return ()
    words = f"Columns taken by their names: {columns}." if columns else "No further columns were taken."
    if roles.cluster and columns:
        board = "; those of the first board are not" if alone else ""
        words += f" Errors of these sections are clustered by {roles.cluster}{board}."
    return (info("columns-taken", f"{words}{left} {OTHERS}"),)


def _on(roles: VoteRoles) -> str:
    return "" if roles.item is None else f", what they judged those of {roles.item}"


def _without(whole: Matches, kept: Matches) -> str:
    missing = len(whole) - len(kept)
    return f" ({missing:,} votes without one are left out)" if missing else ""
