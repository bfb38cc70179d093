"""How far can the judges be trusted? A log of votes to side advantages, both orders, self-preference and agreement."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from equipoise.analyses.analysis import each_once
from equipoise.analyses.source import open_source
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.columns import plain
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source, read_matches
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges import judges as judging
from equipoise.ratings.judges.agreement import Agreement, agreement
from equipoise.ratings.judges.judges import Judges
from equipoise.ratings.judges.krippendorff import Distance
from equipoise.ratings.judges.self_preference import JUDGE, SIDES
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES
from equipoise.ratings.raters.rater_weighted import rater_weighted


@former_reading
def judges(
    data: Source,
    *,
    judge: str | None = None,
    item: str | None = None,
    organisation: Mapping[str, str] | str | Path | None = None,
    distance: Distance = "nominal",
    weighted: bool = False,
    level: float = 0.95,
    read: ReadOptions | None = None,
) -> Judges:
    """How far can the judges of a log of votes be trusted?

    Parameters
    ----------
    data
        A file, a log, a frame or matches.
    judge, item
        Columns that say who judged and what, found by their usual names if not given (judge, rater, worker, voter ...;
        item, question_id, prompt ...).
    organisation
        Organisations of agents and judges by name, or a table with a column of names and one of organisations. Without
        it, columns organisation_a, organisation_b and organisation_judge are looked for.
    distance
        What counts as disagreement, as in :func:`agreement`.
    weighted
        Rate agents with judges weighted by how often they look, too (:func:`rater_weighted`).
    level
        Of the intervals and flags.
    read
        Columns, rows and agents of a file.

    Fails when
        as :func:`judges` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xyxyxyxy", "yxyxyxyx", [1, 1, 1, 0, 1, 1, 0, 1], task="ppqqrrss")
    >>> eq.judges(m).orders.pairs
    4
    """
    named = {} if isinstance(data, Matches) else {"judge": judge, "item": item}
    opened = open_source(
        data, ("matches",), read, asked_by="judges", reader=partial(_read, judge=judge, item=item),
        also=[name for name, column in named.items() if column is not None],
    )  # fmt: skip
    votes = opened.data
    judged = judging.judges(votes, judge=judge, item=item, organisation=_houses(organisation), level=level)
    agreed, notes = _agreement(votes, judge, item, distance, level)
    rated = rater_weighted(votes, rater=judge, item=item, level=level) if weighted else None
    return opened.behind(
        replace(
            judged, agreement=agreed, weighted=rated,
            params=frozen_params(**judged.params, distance=distance, weighted=weighted),
            diagnostics=each_once(
                judged.diagnostics, *(() if one is None else one.diagnostics for one in (agreed, rated)), notes
            ),
        )
    )  # fmt: skip


def _read(source: Source, options: ReadOptions, *, judge: str | None, item: str | None) -> Matches:
    """Read votes with the columns that say who judged what, and of which organisation everybody is."""
    from equipoise.data.files.tables import open_table

    here: Any = source
    if hasattr(source, "read"):  # a stream is looked at twice
        here = source.read()
        there = open_table(io.BytesIO(here)).columns
    else:
        there = open_table(options.selection.of(source)).columns
    houses = _usual(there, (*SIDES,)), _usual(there, JUDGE)[:1]
    kept = [judge or _usual(there, JUDGES)[:1], item or _usual(there, ITEMS)[:1], *houses]
    labels = [name for names in kept for name in ([names] if isinstance(names, str) else names)]
    found = read_matches(
        io.BytesIO(here) if isinstance(here, bytes) else here, labels=list(dict.fromkeys(labels)), read=options
    )
    return replace(found, labels={_known(name): kept for name, kept in found.labels.items()})


def _usual(there: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Give the columns with usual names, in the order of these."""
    by_name = {plain(column): column for column in reversed(there)}
    return [by_name[name] for name in usual if name in by_name]


def _known(name: str) -> str:
    """Spell a usual name the usual way, whatever its capitals."""
    return plain(name) if plain(name) in (*JUDGES, *ITEMS, *SIDES, *JUDGE) else name


def _houses(organisation: Mapping[str, str] | str | Path | None) -> Mapping[str, str] | None:
    """Give organisations by name, from a table of two columns where it is one."""
    if organisation is None or isinstance(organisation, Mapping):
        return organisation
    from equipoise.data.files.tables import collect, open_table

    table = open_table(organisation)
    if len(table.columns) != 2:
        raise ParameterError(
            Option("organisation"), f" is a table of names and organisations: {table.name} has {len(table.columns)}"
            " columns, not two",
        )  # fmt: skip
    names, houses = (collect(table.rows, table.name)[column].cast(str).to_list() for column in table.columns)
    pairs = zip(names, houses, strict=True)
    return {name.strip(): house.strip() for name, house in pairs if name and house}


def _agreement(
    votes: Matches, judge: str | None, item: str | None, distance: Distance, level: float
) -> tuple[Agreement | None, tuple[Diagnostic, ...]]:
    """Ask how far judges agree; say why where they cannot be asked."""
    if judge is None and not any(name in votes.labels for name in JUDGES):
        return None, ()
    try:
        return agreement(votes, rater=judge, item=item, distance=distance, level=level), ()
    except DataError as error:
        return None, (info("no-agreement", ("Agreement of judges is not given: ", *error.words, ".")),)
