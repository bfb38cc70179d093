"""Which rows of a table are wanted, and which agents: conditions, dates, enough games, one connected component.

Rows are chosen while the table is opened, agents once their names are known. How many rows each choice cost is said,
and part of the account.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option
from equipoise.data.encode.labels import Codes
from equipoise.data.files.tables import Table, collect
from equipoise.data.select.selection import Selection
from equipoise.data.select.times import TimeColumn
from equipoise.data.types.graph import connected_components
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

NOT_WHERE = "that do not meet the condition"
FEW, ELSEWHERE = "of agents with too few {}", "of agents in other connected components"
REASONS = {"few-games": "too few", "other-components": "other connected components"}
"""Reasons for which rows are left out, and what of them the codes of notes mean."""


def chosen_rows(table: Table) -> Table:
    """Keep the rows that the user wants, and those without anything in them, which are counted as blank later."""
    choice = table.selection
    reasons: dict[str, pl.Expr] = {}
    used: set[str] = set()
    if choice.where is not None:
        from equipoise.data.select.conditions import condition

        met, used = condition(table, choice.where)
        reasons[NOT_WHERE] = met.fill_null(False)
    if choice.since is not None or choice.until is not None:
        times = TimeColumn.of(table, choice.time)
        used = used | {times.name}
        reasons[f"without a time in {times.name}"] = times.when.is_not_null()
        if choice.since is not None:
            reasons[f"before {choice.since}"] = times.since(choice.since)
        if choice.until is not None:
            reasons[f"after {choice.until}"] = times.until(choice.until)
    return _without(table, reasons, used) if reasons else table


def _without(table: Table, reasons: Mapping[str, pl.Expr], used: set[str]) -> Table:
    """Leave rows out, each for the first reason that fits, and count them."""
    kinds = table.rows.collect_schema()
    flat = [table.text(column).is_null() for column in table.columns if not kinds[column].is_nested()]
    blank = pl.all_horizontal(flat) if len(flat) == len(table.columns) else pl.lit(False)
    counts, kept = {}, ~blank
    for reason, met in reasons.items():
        counts[reason] = (kept & ~met).sum()
        kept = kept & met
    seen = collect(table.rows.select(rows=pl.len(), kept=kept.sum(), **counts), table.name).row(0, named=True)
    dropped = {reason: int(seen[reason]) for reason in reasons if seen[reason]}
    listed = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
    if seen["rows"] and not seen["kept"]:
        raise DataError(f"{table.name}: no row is left of {seen['rows']:,}: {listed or 'all are blank'}")
    note = (info("rows-chosen", f"Rows left out, of {seen['rows']:,}: {listed}."),) if dropped else ()
    return replace(
        table,
        rows=table.rows.filter(kept | blank) if dropped else table.rows,
        expected=None if table.expected is None else table.expected - sum(dropped.values()),
        dropped={**table.dropped, **dropped},
        diagnostics=table.diagnostics + note,
        chosen_by=table.chosen_by | used,
    )


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Rows of agents that are wanted: which, how many others there were by reason, and what to say of them."""

    mask: npt.NDArray[np.bool_]
    dropped: Mapping[str, int]
    notes: tuple[Diagnostic, ...]


def kept_rows(
    choice: Selection,
    names: Sequence[str] | pl.Series,
    first: Codes,
    second: Codes,
    games: FloatArray,
    count: npt.ArrayLike = 1,
    *,
    agents: int | None = None,
    unit: str = "games",
) -> KeptRows | None:
    """Keep the rows of agents with enough games, and of those joined by games with most others; None for all rows.

    Parameters
    ----------
    names
        What codes stand for.
    first, second
        Codes of the two sides of each row.
    games
        Games behind each row.
    count
        Rows of the file behind each row.
    agents
        How many of the codes stand for agents; those behind them are tasks or deals, which join agents as games do.
    unit
        What there must be enough of, in words.
    """
    if choice.min_games is None and choice.components is None:
        return None
    size = len(names)
    least = np.zeros(size)
    least[: size if agents is None else agents] = choice.min_games or 0
    rows = np.broadcast_to(np.asarray(count), first.shape)
    mask = _with_enough(first, second, games, least)
    if not mask.any():
        raise _nobody_left(first, second, games, least, unit)
    agents_left = _LeftOut(names, len(least) if agents is None else agents, first, second)
    dropped = {FEW.format(unit): int(rows[~mask].sum())}
    notes = agents_left.left_out("few-games", f"with fewer than {choice.min_games} {unit}", np.ones_like(mask), mask)
    if choice.components is not None:
        component = mask & _on_largest(mask & (games > 0), first, second, size)
        dropped[ELSEWHERE] = int(rows[mask & ~component].sum())
        notes += agents_left.left_out(
            "other-components", "whom no chain of games joins to the largest group", mask, component
        )
        mask = component
    return KeptRows(mask, dropped, notes)


def _with_enough(first: Codes, second: Codes, games: FloatArray, least: FloatArray) -> npt.NDArray[np.bool_]:
    """Leave agents out until all that are left have enough games against each other."""
    mask = np.ones(len(first), dtype=bool)
    while True:
        played = sum(np.bincount(side[mask], games[mask], len(least)) for side in (first, second))
        enough = played >= least
        kept = mask & enough[first] & enough[second]
        if (kept == mask).all():
            return mask
        mask = kept


def _nobody_left(first: Codes, second: Codes, games: FloatArray, least: FloatArray, unit: str) -> DataError:
    """Say that nobody has so many games among those who have, how many have them in all, and what would leave some."""
    played = sum(np.bincount(side, games, len(least)) for side in (first, second))
    have, wanted = int(((played >= least) & (least > 0)).sum()), int(least.max())
    low, high = 0, wanted - 1  # with none asked for everybody is left
    while low < high:
        middle = (low + high + 1) // 2
        left = _with_enough(first, second, games, np.where(least > 0, middle, 0)).any()
        low, high = (middle, high) if left else (low, middle - 1)
    enough = f"{have:,} have so many in all, and {low:,} is the most that leaves some"
    message = f": no agent has so many {unit} among those left; {enough}"
    return DataError(Option("min_games", wanted), message)


def _on_largest(met: npt.NDArray[np.bool_], first: Codes, second: Codes, size: int) -> npt.NDArray[np.bool_]:
    """Tell which rows are of the component with the most agents; of several such, the one that comes first."""
    component = connected_components(size, first[met], second[met])
    there = _present(met, first, second, size)
    largest = np.bincount(component[there]).argmax() if there.any() else -1
    on_it: npt.NDArray[np.bool_] = (component[first] == largest) & (component[second] == largest)
    return on_it


def _present(mask: npt.NDArray[np.bool_], first: Codes, second: Codes, size: int) -> npt.NDArray[np.bool_]:
    there = np.zeros(size, dtype=bool)
    there[first[mask]] = there[second[mask]] = True
    return there


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Says which agents were left out."""

    names: Sequence[str] | pl.Series
    agents: int
    first: Codes
    second: Codes

    def left_out(
        self, code: str, who: str, before: npt.NDArray[np.bool_], after: npt.NDArray[np.bool_]
    ) -> tuple[Diagnostic, ...]:
        there, left = (_present(mask, self.first, self.second, len(self.names)) for mask in (before, after))
        out = [self.names[int(code)] for code in np.flatnonzero(there & ~left) if code < self.agents]
        if not out:
            return ()
        what = "1 agent" if len(out) == 1 else f"{len(out):,} agents"
        return (info(code, f"{what} {who} {'was' if len(out) == 1 else 'were'} left out: {some_of(out)}.", out),)


def chosen_pairs(pairs: PairTable, choice: Selection) -> tuple[PairTable, dict[str, int]]:
    """Keep the agents of a table of pairs that are wanted; also say how many others there were, by reason."""
    if choice.min_games is not None and not pairs.counted:
        raise DataError(Option("min_games"), " has no effect: win rates say nothing of numbers of games")
    kept = kept_rows(choice, pairs.agents, pairs.first, pairs.second, pairs.games)
    if kept is None:
        return pairs, {}
    there = _present(kept.mask, pairs.first, pairs.second, len(pairs.agents))
    number = np.cumsum(there) - 1
    mask = kept.mask
    left = PairTable.from_counts(
        tuple(name for name, stays in zip(pairs.agents, there, strict=True) if stays),
        number[pairs.first[mask]], number[pairs.second[mask]], pairs.wins[mask], pairs.losses[mask], pairs.ties[mask],
        counted=pairs.counted, diagnostics=pairs.diagnostics + kept.notes, account=pairs.account,
    )  # fmt: skip
    return left, _agents_out(kept)


def chosen_scores(scores: Scores, choice: Selection) -> tuple[Scores, dict[str, int]]:
    """Keep the agents of a table of scores that are wanted; also say how many others there were, by reason."""
    agent, task = np.nonzero(~scores.missing)
    size = len(scores.agents)
    weight = np.ones(len(agent)) if scores.trials is None else scores.trials[agent, task].astype(float)
    kept = kept_rows(
        choice, (*scores.agents, *scores.tasks), agent.astype(np.int32), (size + task).astype(np.int32), weight,
        agents=size, unit="scores",
    )  # fmt: skip
    if kept is None:
        return scores, {}
    left = scores.take(agents=np.unique(agent[kept.mask]), tasks=np.unique(task[kept.mask]))
    return replace(left, diagnostics=scores.diagnostics + kept.notes), _agents_out(kept)


def _agents_out(kept: KeptRows) -> dict[str, int]:
    return {
        reason: len(note.subjects) for note in kept.notes for reason in kept.dropped if REASONS[note.code] in reason
    }
