"""Cleaning of a match log: votes left out for a reason, step after step, each with its count.

Steps come in one fixed order (``cleaning_steps``). Each looks only at rows that those before it kept, and a row is
counted under the first step that leaves it out. Rows without two names and an outcome, and rows without the voter or
prompt that a step goes by, pass: they are judged by the reader, or nothing is known against them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ColumnError, DataError, some_of
from equipoise.core.results import IntArray
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.outcomes import BOTH_BAD
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import ANONYMOUS, PROMPTS, REVEALED, TIMES, VOTED_ON, VOTERS, find, named, plain
from equipoise.data.readers.match_layouts import CountLayout, OutcomeLayout
from equipoise.data.select.cleaning_steps import Role, Step
from equipoise.data.select.times import TimeColumn

Mask = npt.NDArray[np.bool_]
USUAL: Mapping[Role, Sequence[str]] = {
    "anonymous": ANONYMOUS, "revealed": REVEALED, "voter": VOTERS, "prompt": PROMPTS, "texts": VOTED_ON,
}  # fmt: skip
HOLDS: Mapping[Role, str] = {
    "anonymous": "says whether votes are anonymous", "revealed": "says whether a name was revealed",
    "voter": "says who voted", "prompt": "says what the prompt was", "texts": "holds what voters read",
}  # fmt: skip
YES, NO = ("true", "t", "yes", "y", "1", "1.0"), ("false", "f", "no", "n", "0", "0.0")
SHORTEST = 3
"""Letters that a name needs to be looked for in texts."""
ROW = "row of the table"


@dataclass(frozen=True, slots=True, eq=False)
class Cleaner:
    """What steps need to know of a table's rows.

    Attributes
    ----------
    steps
        In their order.
    passes
        For steps that judge a row by itself: which rows pass.
    keys
        For steps that keep the first few: what rows they count together; -1 for rows that they do not count.
    order
        Rows, the first vote first.
    used
        Columns looked at.
    by
        The column of times that says which votes are first; None where the order of rows does.
    notes
        What to say beside the counts.
    """

    steps: tuple[Step, ...]
    rows: int
    passes: Mapping[str, Mask]
    keys: Mapping[str, IntArray]
    order: IntArray
    used: frozenset[str]
    by: str | None
    notes: tuple[Diagnostic, ...]

    @classmethod
    def of(
        cls, table: Table, layout: OutcomeLayout | CountLayout, steps: Sequence[Step], time: str | None
    ) -> "Cleaner":
        """Find the columns, and look at each row once.

        Fails when
            a column is not there, or rows count several votes.
        """
        return _Looking(table, layout, tuple(steps), time).cleaner()

    def kept(self, steps: Sequence[Step] | None = None) -> tuple[Mask, dict[str, int]]:
        """Give the rows that some of the steps keep (None: all steps), and how many rows each of them leaves out."""
        mask = np.ones(self.rows, dtype=bool)
        counts: dict[str, int] = {}
        for step in self.steps if steps is None else steps:
            name = step.kind.name
            stays = mask & (self.passes[name] if name in self.passes else self._first(name, step.amount, mask))
            counts[str(step)] = int(mask.sum() - stays.sum())
            mask = stays
        return mask, counts

    def _first(self, name: str, most: int, mask: Mask) -> Mask:
        """Keep the first few of the rows counted together."""
        keys = self.keys[name]
        rows = self.order[(mask & (keys >= 0))[self.order]]
        together = np.argsort(keys[rows], kind="stable")
        sorted_keys = keys[rows][together]
        starts = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]]) if len(rows) else np.zeros(0, int)
        place = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
        stays = keys < 0
        stays[rows[together[place < most]]] = True
        return stays


def clean_rows(table: Table, layout: OutcomeLayout | CountLayout, steps: Sequence[Step], time: str | None) -> Table:
    """Leave out the rows that steps of cleaning are against, and count them."""
    if not steps:
        return table
    cleaner = Cleaner.of(table, layout, steps, time)
    mask, counts = cleaner.kept()
    listed = ", ".join(f"{counts[str(step)]:,} ({step})" for step in cleaner.steps)
    if cleaner.rows and not mask.any():
        raise DataError(f"{table.name}: cleaning leaves no row of {cleaner.rows:,}: {listed}")
    note = info("cleaned", f"Cleaning left out, of {cleaner.rows:,} rows and in this order: {listed}.{_which(cleaner)}")
    dropped = {step.reason: counts[str(step)] for step in cleaner.steps if counts[str(step)]}
    keeps = pl.Series(mask)
    rows = table.rows
    if dropped:
        at = pl.col(ROW).map_batches(keeps.gather, return_dtype=pl.Boolean, is_elementwise=True)
        rows = rows.with_row_index(ROW).filter(at).drop(ROW)
    return replace(
        table, rows=rows, dropped={**table.dropped, **dropped}, chosen_by=table.chosen_by | cleaner.used,
        expected=None if table.expected is None else table.expected - sum(dropped.values()),
        diagnostics=(*table.diagnostics, note, *cleaner.notes),
    )  # fmt: skip


def _which(cleaner: Cleaner) -> str:
    if not cleaner.keys:
        return ""
    return f" Of votes counted together the first ones stay, by {cleaner.by or 'their order in the file'}."


@dataclass(frozen=True, slots=True)
class _Looking:
    """Looks at a table for what the steps need."""

    table: Table
    layout: OutcomeLayout | CountLayout
    steps: tuple[Step, ...]
    time: str | None

    def cleaner(self) -> Cleaner:
        names = {role: self.columns_for(step) for step in self.steps for role in [step.kind.name]}
        counting = [step for step in self.steps if not self.judges(step)]
        self.refuse_counts(counting)
        times = self.times() if counting else None
        a, b, outcome = self.sides()
        wanted = {"a": a, "b": b, "outcome": outcome}
        for step in self.steps:
            if "texts" not in step.kind.needs:
                wanted |= {column: self.table.text(column) for column in names[step.kind.name]}
        columns = {f"_{k}": expression for k, expression in enumerate(wanted.values())}
        columns |= {} if times is None else {"_time": times.when}
        frame = collect(self.table.rows.select(**columns), self.table.name)
        seen = {name: frame[f"_{k}"] for k, name in enumerate(wanted)}
        complete = (seen["a"].is_not_null() & seen["b"].is_not_null() & seen["outcome"].is_not_null()).to_numpy()
        passes: dict[str, Mask] = {}
        keys: dict[str, IntArray] = {}
        notes: list[Diagnostic] = []
        for step in self.steps:
            name = step.kind.name
            if name == "no-leaks":
                passes[name] = self.without_leaks(step, names[name], seen, notes) | ~complete
            elif name == "no-both-bad":
                passes[name] = _not_both_bad(seen["outcome"]) | ~complete
            elif self.judges(step):
                passes[name] = self.said(seen[names[name][0]], names[name][0], yes=name == "anonymous") | ~complete
            else:
                pair = name.startswith("once")
                by = [seen[column] for column in names[name]]
                keys[name] = np.where(complete, _together(by, (seen["a"], seen["b"]) if pair else None), -1)
        used = frozenset(column for columns in names.values() for column in columns)
        order = np.arange(frame.height)
        if times is not None:  # equal times stay in the order of the file
            place = frame["_time"].rank("dense").fill_null(frame.height + 1).to_numpy()
            order = np.argsort(place, kind="stable")
        return Cleaner(
            self.steps, frame.height, passes, keys, order.astype(np.int64),
            used | ({times.name} if times is not None else frozenset()), None if times is None else times.name,
            tuple(notes),
        )  # fmt: skip

    @staticmethod
    def judges(step: Step) -> bool:
        """Whether a step judges each row by itself."""
        return not step.kind.name.startswith(("once", "most"))

    def columns_for(self, step: Step) -> tuple[str, ...]:
        """Give the columns that a step looks at: those that the user named, or those with usual names."""
        if step.columns:
            return tuple(named(self.table.columns, column, "clean") for column in step.columns)
        free = [column for column in self.table.columns if column not in self.layout.used]
        if step.kind.needs == ("texts",):
            there = tuple(column for column in free if plain(column) in VOTED_ON)
            return there or (self.absent(step, "texts"),)
        found = [(role, find(free, USUAL[role])) for role in step.kind.needs]
        return tuple(self.absent(step, role) if column is None else column for role, column in found)

    def absent(self, step: Step, role: Role) -> str:
        example = "+".join("COLUMN" for _ in step.kind.needs)
        raise ColumnError(
            f"{self.table.name}: clean {step.kind.name}: no column {HOLDS[role]} (such as {some_of(USUAL[role], 4)});"
            f" name it as {step}@{example}; found: {some_of(self.table.columns, most=12)}"
        )

    def refuse_counts(self, counting: Sequence[Step]) -> None:
        """Refuse steps that count votes where a row may be several."""
        if counting and isinstance(self.layout, OutcomeLayout) and self.layout.weight is not None:
            raise ColumnError(
                f"{self.table.name}: clean {counting[0].kind.name} counts single votes, and a column of weights says"
                " that rows are several",
                advice=[Advice("count every row once with ", Option("weight", "none"))],
            )

    def sides(self) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
        """Give the two names and the outcome as trimmed texts."""
        if isinstance(self.layout, CountLayout):
            if any(step.kind.name == "no-both-bad" for step in self.steps):
                raise ColumnError(
                    f"{self.table.name}: clean no-both-bad: no column of outcomes says which ties are bad"
                )
            a, b = self.layout.parts[0][:2]
            return _trimmed(a), _trimmed(b), pl.lit("")
        if self.layout.column is None and any(step.kind.name == "no-both-bad" for step in self.steps):
            raise ColumnError(f"{self.table.name}: clean no-both-bad: no column of outcomes says which ties are bad")
        return _trimmed(self.layout.a), _trimmed(self.layout.b), _trimmed(self.layout.outcome)

    def times(self) -> TimeColumn | None:
        """Give the column of times, where one is named or has a usual name and holds times."""
        column = self.time or find([name for name in self.table.columns if name not in self.layout.used], TIMES)
        if column is None:
            return None
        try:
            return TimeColumn.of(self.table, column)
        except ColumnError:
            if self.time is not None:
                raise
            return None

    def said(self, column: pl.Series, name: str, *, yes: bool) -> Mask:
        """Read a column of yes and no; a row that does not say is not anonymous, and not revealed either."""
        words = column.str.to_lowercase()
        odd = column.filter(words.is_not_null() & ~words.is_in([*YES, *NO]))
        if odd.len():
            words_said = some_of(odd.unique(maintain_order=True))
            raise ColumnError(f'{self.table.name}: column "{name}" says neither yes nor no: {words_said}')
        return (words.is_in(list(YES)).fill_null(False) == yes).to_numpy()

    def without_leaks(
        self, step: Step, columns: Sequence[str], seen: Mapping[str, pl.Series], notes: list[Diagnostic]
    ) -> Mask:
        """Tell which rows' texts hold neither an agent's name nor a given word, as whole words in any case."""
        names = pl.concat([seen["a"], seen["b"]]).drop_nulls().unique(maintain_order=True).to_list()
        short = [name for name in names if len(name) < SHORTEST]
        words = dict.fromkeys([*(name for name in names if len(name) >= SHORTEST), *step.words])
        if short:
            notes.append(info("short-names", f"Names too short to be looked for in texts: {some_of(short)}.", short))
        if not words:
            return np.ones(len(seen["a"]), dtype=bool)
        pattern = r"(?i)(?:^|\W)(?:" + "|".join(map(re.escape, words)) + r")(?:\W|$)"
        kinds = self.table.rows.collect_schema()
        texts = [_as_text(column, kinds[column]).str.contains(pattern).fill_null(False) for column in columns]
        found = collect(self.table.rows.select(leaks=pl.any_horizontal(texts)), self.table.name)
        return ~found["leaks"].to_numpy()


def _trimmed(text: pl.Expr) -> pl.Expr:
    trimmed = text.cast(pl.String).str.strip_chars()
    return pl.when(trimmed != "").then(trimmed)


def _as_text(column: str, kind: pl.DataType) -> pl.Expr:
    """Give what a column says; of lists of messages, all of them."""
    if isinstance(kind, pl.Struct):
        return pl.col(column).struct.json_encode()
    if isinstance(kind, pl.List):
        one = pl.element().struct.json_encode() if isinstance(kind.inner, pl.Struct) else pl.element().cast(pl.String)
        return pl.col(column).list.eval(one).list.join(" ")
    return pl.col(column).cast(pl.String)


def _not_both_bad(outcome: pl.Series) -> Mask:
    word = outcome.str.to_lowercase().str.replace_all(" ", "", literal=True).str.strip_chars("[]")
    return ~word.is_in(list(BOTH_BAD)).fill_null(False).to_numpy()


def _together(columns: Sequence[pl.Series], pair: tuple[pl.Series, pl.Series] | None) -> IntArray:
    """Number rows that agree in some columns, and in who met whom in any order; -1 where a column is empty."""
    parts = [_coded(column) for column in columns]
    if pair is not None:
        both = _coded(pl.concat(pair))
        half = len(both) // 2
        parts += [np.minimum(both[:half], both[half:]), np.maximum(both[:half], both[half:])]
    known = np.all([part >= 0 for part in parts], axis=0)
    key = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        size = int(part.max(initial=0)) + 1
        if int(key.max(initial=0)) + 1 > np.iinfo(np.int64).max // size:
            key = np.unique(key, return_inverse=True)[1]
        key = key * size + part
    return np.where(known, key, -1)


def _coded(column: pl.Series) -> IntArray:
    return column.cast(pl.Categorical).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
