"""Which columns of a log of votes say what: categories, voters, judges, and what was voted on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.core.errors import some_of
from equipoise.core.wording import counted
from equipoise.data.encode.labels import Factor
from equipoise.data.readers.columns import CATEGORIES, JUDGES, PROMPTS, VOTERS, plain
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.self_preference import JUDGE, SIDES
from equipoise.ratings.judges.vote_columns import ITEMS

__all__ = ["MOST_CATEGORIES", "VoteRoles", "candidates", "filled", "roles_of"]

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
        The column by which errors are clustered: voters, else what was voted on; None where the matches have groups.
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
            left_out.append(f"{judge} ({_many(matches.labels[judge])}; judges are told of up to {MOST_JUDGES})")
        judge = None
    item = _first(JUDGED, {key: name for key, name in useful.items() if name not in boards})
    whole = [name for name in (voter, item) if name is not None and _whole(matches.labels[name])]
    cluster = None if matches.group is not None else next(iter(whole), None)
    return VoteRoles(boards, voter, judge, item, cluster, tuple(left_out))


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
