"""Near-duplicates: agents that do the same against everybody.

Where games are cyclic, a uniform average over opponents, and with it Elo, moves when an agent is entered twice: those
whom it beats lose, those who beat it gain. So near-duplicates are named wherever that can happen.
"""

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray
from equipoise.data.types.pairs import PairTable
from equipoise.inference.threads import one_thread

Relation = npt.NDArray[np.bool_]


LARGEST = 500
"""Most agents that are compared two by two."""
NEAR = 0.2
"""Largest difference of near-duplicates (at the upper end of what noise allows), as a share of the typical one."""

ONE_SIDED = 1.645
"""Standard errors to the upper end of a one-sided 95% interval."""


def near_clones(table: PairTable, rating: FloatArray, *, cyclic: bool) -> tuple[Diagnostic, ...]:
    """Name groups of near-duplicates: statistical ones where games are ``cyclic``, exact copies anywhere."""
    if len(table.agents) > LARGEST:
        return ()
    groups = clone_groups(table, rating, cyclic=cyclic)
    if not groups:
        return ()
    named = [" = ".join(table.agents[i] for i in group) for group in groups]
    harm = (
        "The games are cyclic, so entering an agent twice moves the ratings of the others"
        if cyclic
        else "Copies count twice in every average"
    )
    message = (
        f"Near-duplicates: {some_of(named)}. {harm}; drop copies, or use Nash averaging, which does not mind them."
    )
    return (warning("near-clones", message, [table.agents[i] for group in groups for i in group]),)


def clone_groups(table: PairTable, rating: FloatArray, *, cyclic: bool) -> list[list[int]]:
    """Groups of agents whose win rates against the others agree, and not just because their ratings do.

    Agents of equal strength have equal win rates without being copies. Copies also share what the rating does not
    explain, so both are compared: the rates, and the rates minus those that the ratings predict. The table has one row
    a pair (``PairTable.unordered``).
    """
    rate = table.probabilities(smooth=0.5 if table.counted else 0.0)
    noise = rate * (1 - rate) / (table.games_matrix() + 1) if table.counted else np.zeros_like(rate)
    predicted = scipy.special.expit(rating[:, None] - rating[None, :])
    same = _copies(table) if table.counted else np.zeros(rate.shape, dtype=bool)
    if cyclic:
        with one_thread(len(rate)):
            same |= _alike(rate - 0.5, noise) & _alike(rate - predicted, noise)
    np.fill_diagonal(same, False)
    return _cliques(same)


def _alike(profile: FloatArray, noise: FloatArray) -> Relation:
    """Whether two agents differ by at most ``NEAR`` of what agents typically differ by, noise allowed for.

    Compared are the opponents whom both met, and the game between the two, which copies would play at even odds.
    """
    met = ~np.isnan(profile)
    np.fill_diagonal(met, False)
    known, a, v = met.astype(float), np.where(met, profile, 0.0), np.where(met, noise, 0.0)
    common = known @ known.T
    square = (a**2) @ known.T + known @ (a**2).T - 2 * a @ a.T + a**2
    spread = v @ known.T + known @ v.T + v
    fourth = (v**2) @ known.T + known @ (v**2).T + 2 * v @ v.T + v**2
    cells = np.maximum(common + known, 1.0)
    excess = np.maximum(square - spread, 0.0)
    # Standard error of a sum of squares of normal variables with these variances, at the observed excess.
    error = np.sqrt(2 * fourth + 4 * excess * spread / cells)
    comparable = np.triu(common >= 2, 1)
    if not comparable.any():
        return np.zeros(profile.shape, dtype=bool)
    typical = float(np.median((excess / cells)[comparable]))
    upper = (excess + ONE_SIDED * error) / cells
    return np.asarray((upper <= NEAR**2 * typical) & (common >= 2) & (typical > 0))


def _copies(table: PairTable) -> Relation:
    """Same rate against every common opponent, and too many games for that to be chance.

    Sums over common opponents are products of matrices; rates are compared only where there are enough games.
    """
    games, wins = table.games_matrix(), table.win_matrix()
    np.fill_diagonal(games, 0.0)
    met = (games > 0).astype(float)
    with one_thread(len(games)):
        opponents = met @ met.T
        undecided = met @ (met * (wins > 0) * (wins < games)).T
        enough = (opponents >= 3) & (undecided >= 2) & (met @ games.T >= 10 * opponents)
    same = enough & enough.T
    np.fill_diagonal(same, False)
    for i in np.flatnonzero(same.any(axis=1)):
        some = np.flatnonzero(same[i])
        ours, theirs = wins[i] * games[some], wins[some] * games[i]
        apart = np.abs(ours - theirs) > 1e-12 + 1e-12 * np.abs(theirs)
        same[i, some] = ~(apart & (games[i] > 0) & (games[some] > 0)).any(axis=1)
    return np.asarray(same & same.T)


def _cliques(same: Relation) -> list[list[int]]:
    """Groups in which everybody is like everybody, greedily from the first agent on."""
    left = set(np.flatnonzero(same.any(axis=1)).tolist())
    groups = []
    for i in sorted(left):
        if i not in left:
            continue
        group = [i]
        for j in np.flatnonzero(same[i]).tolist():
            if j in left and all(same[j, g] for g in group):
                group.append(j)
        if len(group) > 1:
            groups.append(group)
            left -= set(group)
    return groups
