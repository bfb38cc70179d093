"""Names that may be one agent's: other case, look-alike letters, Unicode forms, a version at the end; and no name.

``GPT-4O`` and ``gpt-4o`` are two agents to a program and one to everybody else. They are named, and joined only where
the user says so, under the spelling that comes most often.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.wording import Advice, Option, counted
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import Duplicates, MergeNames
from equipoise.data.types.scores import Scores

LOOK_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u043a\u043c\u0442\u043d\u0432\u0455\u0501\u04bb\u03bf\u03b1\u03c1\u03bd\u03ba\u03b9",
    "aeopcxyijkmthbsdhoapvki",
)
"""Small Cyrillic and Greek letters that look like Latin ones."""
DASHES = re.compile(r"[\s_\u2010-\u2015\u2212-]+")
VERSION = re.compile(r"[\s_@:/-]+(v?\d+(\.\d+)*|\d{4}-?\d{2}(-?\d{2})?|latest|preview|final|new|old)$")
NOBODY = frozenset({"none", "null", "nan", "n/a", "na", "unknown", "undefined", "none/none", "null/null", "-", "?"})
"""What programs write where there is no name."""
RUNS = (
    Advice("take them for repeated runs with ", Option("duplicates", "keep")),
    Advice("or take the first of each with ", Option("duplicates", "drop")),
)
"""What a user can say of scores that come again."""
OWN = "between spellings of one agent"
"""Reason for which games are left out when names are joined."""
MOST = 20_000
"""Names up to which they are compared unasked."""


def folded(name: str) -> str:
    """Give a name without what people overlook: case, look-alike letters, Unicode forms, kinds of dashes and blanks.

    >>> folded("GPT\u20114O") == folded("gpt-4o") == folded("g\u0440t 4\u043e")
    True
    """
    plain = unicodedata.normalize("NFKC", name).casefold().translate(LOOK_ALIKE)
    return DASHES.sub("-", plain.strip())


def similar_names(names: Iterable[str]) -> tuple[Diagnostic, ...]:
    """Point out agents whose names differ only in spelling or by a version, and one that has no name."""
    every = list(names)
    if len(every) > MOST:
        return ()
    notes = []
    spelt = [group for group in _groups(every, versions=False) if len(group) > 1]
    if spelt:
        shown = some_of(" and ".join(f'"{name}"' for name in group) for group in spelt)
        advice = [Advice("join them with ", Option("merge_names", "spelling"))]
        text = f"Names that differ only in case, look-alike letters or signs count as different agents: {shown}."
        notes.append(warning("similar-names", text, [name for group in spelt for name in group], advice=advice))
    versions = [group for group in _groups(every, versions=True) if len({folded(name) for name in group}) > 1]
    if versions:
        shown = some_of(" and ".join(f'"{name}"' for name in group) for group in versions)
        advice = [Advice("join them with ", Option("merge_names", "versions"))]
        text = f"Names with and without a version count as different agents: {shown}."
        notes.append(info("versions-of-names", text, [name for group in versions for name in group], advice=advice))
    nobody = [name for name in every if name.strip().lower() in NOBODY]
    if nobody:
        text = f"An agent is called {some_of(nobody)}, which often stands for no name."
        notes.append(warning("nameless-agent", text, nobody, advice=[Advice("leave rows out with ", Option("where"))]))
    return tuple(notes)


def not_about_names(notes: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Leave out what was said of names, where that is said anew."""
    return tuple(note for note in notes if note.code not in ("similar-names", "versions-of-names", "nameless-agent"))


def _groups(names: Iterable[str], *, versions: bool) -> list[list[str]]:
    """Give names that may be one agent's together; a version is only taken off where the rest is a name, too."""
    every = list(names)
    there = {folded(name) for name in every}
    groups: dict[str, list[str]] = {}
    for name in every:
        key = folded(name)
        while versions and (shorter := VERSION.sub("", key)) != key and shorter in there:
            key = shorter
        groups.setdefault(key, []).append(name)
    return list(groups.values())


def with_names_joined(
    table: Table, columns: Iterable[str], merge: MergeNames | None, sides: Sequence[str] = ()
) -> Table:
    """Join the names in some columns of a table, each under the spelling that comes most often.

    Games between spellings of one agent, which stand in the columns of ``sides``, are left out and counted.
    """
    kinds = table.rows.collect_schema()
    texts = [column for column in columns if kinds[column] == pl.String]
    if merge is None or not texts:
        return table
    seen = [table.rows.select(name=table.text(column)) for column in texts]
    counts = collect(
        pl.concat(seen).drop_nulls().group_by("name").len().sort("len", "name", descending=[True, False]), table.name
    )
    mapping = joined_names(counts["name"].to_list(), merge)
    if not mapping:
        return table
    if len(sides) == 2 and set(sides) <= set(texts):
        table = _without_own(table, sides, mapping)
    rows = table.rows.with_columns(table.text(column).replace(mapping).alias(column) for column in texts)
    return replace(table, rows=rows, diagnostics=(*table.diagnostics, *names_joined_note(mapping)))


def _without_own(table: Table, sides: Sequence[str], mapping: Mapping[str, str]) -> Table:
    """Leave out games of two names that are joined; those of one name against itself are wrong in another way."""
    first, second = (table.text(side) for side in sides)
    own = ((first.replace(mapping) == second.replace(mapping)) & (first != second)).fill_null(value=False)
    count = collect(table.rows.select(own.sum()), table.name).item()
    if not count:
        return table
    note = info("own-games", f"{counted(count, 'game')} between spellings of one agent left out.")
    return replace(
        table, rows=table.rows.filter(~own), expected=None if table.expected is None else table.expected - count,
        diagnostics=(*table.diagnostics, note), dropped={**table.dropped, OWN: count},
    )  # fmt: skip


def with_agents_joined(scores: Scores, merge: MergeNames | None, duplicates: Duplicates | None) -> Scores:
    """Join agents of a table that is read, each under the spelling that has most scores.

    Fails when
        two that are one have both a score on a task, and nobody said what becomes of it.
    """
    filled = (~scores.missing).sum(axis=1).tolist()
    names = [name for _, name in sorted(zip((-count for count in filled), scores.agents, strict=True))]
    mapping = joined_names(names, merge)
    if not mapping:
        return scores
    called = [mapping.get(name, name) for name in scores.agents]
    agents = tuple(dict.fromkeys(called))
    of = np.array([agents.index(name) for name in called])
    table = scores.values[:, :, None] if scores.repeats is None else scores.repeats
    for agent in np.flatnonzero(np.bincount(of) > 1):
        rows = np.flatnonzero(of == agent)
        twice = (~scores.missing[rows]).sum(axis=0) > 1
        if twice.any() and duplicates not in ("keep", "drop"):
            where = some_of(scores.tasks[task] for task in np.flatnonzero(twice))
            spelt = " and ".join(f'"{scores.agents[row]}"' for row in rows)
            raise DataError(
                f"{spelt} would be one agent, but more than one of them has a score on {where}", advice=RUNS
            )
        if duplicates == "drop":
            later = np.cumsum(~scores.missing[rows], axis=0) > 1
            table = table.copy()
            table[rows] = np.where(later[:, :, None], np.nan, table[rows])
    row, task, run = np.nonzero(~np.isnan(table))
    joined = Scores.from_long(agents, scores.tasks, of[row], task, table[row, task, run])
    notes = names_joined_note(mapping)
    return replace(joined, diagnostics=(*scores.diagnostics, *notes), account=scores.account, testlets=scores.testlets)


def names_joined_note(mapping: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Say which names were joined with which."""
    if not mapping:
        return ()
    shown = some_of(f'"{one}" as "{other}"' for one, other in mapping.items())
    message = f"{counted(len(mapping), 'name')} joined with another spelling: {shown}."
    return (info("names-joined", message, list(mapping)),)


def joined_names(names: Iterable[str], merge: MergeNames | None) -> Mapping[str, str]:
    """Give what each name that is joined with another is called instead; names come the most frequent first."""
    if merge is None:
        return {}
    groups = _groups(names, versions=merge == "versions")
    return {other: group[0] for group in groups for other in group[1:]}
