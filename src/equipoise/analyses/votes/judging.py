"""How far can the judges be trusted? A log of votes to side advantages, both orders, self-preference and agreement."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from equipoise.analyses.analysis import Analysis, each_once, opened
from equipoise.analyses.from_logs import log_options
from equipoise.analyses.game_columns import GameColumns
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.columns import plain
from equipoise.data.readers.read import Duplicates, OnError, OutcomeMeans, Source, read_matches
from equipoise.data.select.selection import Choice, Islands, Moment
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.agreement import Agreement, agreement
from equipoise.ratings.judges.judges import Judges, judges
from equipoise.ratings.judges.krippendorff import Distance
from equipoise.ratings.judges.self_preference import JUDGE, SIDES
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES

if TYPE_CHECKING:
    import polars as pl

__all__ = ["WeighedJudges", "weigh_judges"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WeighedJudges(Analysis):
    """The judges of a log of votes.

    Attributes
    ----------
    judged
        Side advantages, both orders and self-preference.
    agreement
        How far judges agree on the same items; None where no item has votes of two.
    """

    rows_name: ClassVar[str] = "judges"
    main: ClassVar[str] = "judged"

    judged: Judges
    agreement: Agreement | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What is known of the judges, first things first."""
        return (*self.judged.words, *(() if self.agreement is None else self.agreement.words))

    def frame(self) -> "pl.DataFrame":
        """Give the judges, most votes first."""
        return self.judged.frame()

    def summary(self) -> dict[str, object]:
        """Give all that is not about single judges, and agreement."""
        told = None if self.agreement is None else self.agreement.summary()
        return {**self.judged.summary(), "agreement": told}


def weigh_judges(
    data: Source,
    *,
    judge: str | None = None,
    item: str | None = None,
    organisation: Mapping[str, str] | str | Path | None = None,
    distance: Distance = "nominal",
    level: float = 0.95,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
    weight: str | None = None,
    outcome_means: OutcomeMeans | None = None,
    duplicates: Duplicates | None = None,
    group: str | None = None,
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    time: str | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
    reading: Mapping[str, object] | None = None,
    on_error: OnError = "raise",
) -> WeighedJudges:
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
    level
        Of the intervals and flags.
    a, b, outcome, weight, group, outcome_means, duplicates
        How to read a file, as in :func:`read_matches`. Errors are clustered by ``group``.
    table, where, since, until, time, min_games, islands
        Which table, rows and agents of a file are wanted, as in :func:`read_matches`.
    reading
        Options of readers of logs by name, as in :func:`read`.
    on_error
        ``raise`` on a bad row, or ``skip`` and count.

    Fails when
        as :func:`judges` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xyxyxyxy", "yxyxyxyx", [1, 1, 1, 0, 1, 1, 0, 1], task="ppqqrrss")
    >>> eq.weigh_judges(m).judged.orders.pairs
    4
    """
    choice = Choice(table, where, since, until, None, min_games, islands)
    columns = GameColumns(
        a, b, outcome, weight, group, time, on_error, choice, outcome_means=outcome_means, duplicates=duplicates
    )
    named = {} if isinstance(data, Matches) else {"judge": judge, "item": item}
    votes, origin = opened(
        data, ("matches",), partial(_read, columns=columns, judge=judge, item=item), asked_by="weigh_judges",
        columns={**columns.named(), **named}, logs=log_options(None, reading, on_error),
    )  # fmt: skip
    houses = _houses(organisation)
    judged = judges(votes, judge=judge, item=item, organisation=houses, level=level)
    agreed, notes = _agreement(votes, judge, item, distance, level)
    return WeighedJudges(
        data=votes, origin=origin, judged=judged, agreement=agreed, fit=judged.fit,
        diagnostics=each_once(judged.diagnostics, () if agreed is None else agreed.diagnostics, notes),
        params=frozen_params(**judged.params, distance=distance),
    )  # fmt: skip


def _read(source: Source, *, columns: GameColumns, judge: str | None, item: str | None) -> Matches:
    """Read votes with the columns that say who judged what, and of which organisation everybody is."""
    from equipoise.data.files.tables import open_table

    here: Any = source
    if hasattr(source, "read"):  # a stream is looked at twice
        here = source.read()
        there = open_table(io.BytesIO(here)).columns
    else:
        there = open_table(columns.choice.of(source)).columns
    houses = _usual(there, (*SIDES,)), _usual(there, JUDGE)[:1]
    kept = [judge or _usual(there, JUDGES)[:1], item or _usual(there, ITEMS)[:1], *houses]
    labels = [name for names in kept for name in ([names] if isinstance(names, str) else names)]
    options = {name: value for name, value in columns.named().items() if name != "labels"}
    found = read_matches(
        io.BytesIO(here) if isinstance(here, bytes) else here, labels=list(dict.fromkeys(labels)),
        on_error=columns.on_error, **options,  # type: ignore[arg-type]  # as the user gave them
    )  # fmt: skip
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
        return None, (info("no-agreement", ("Agreement of judges is not told: ", *error.words, ".")),)
