"""Tables of win probabilities, and the games behind them: what they must be."""

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.data.encode.arrays import as_numbers

__all__ = ["check_probabilities", "games_behind"]

COMPLEMENT_TOLERANCE = 1e-6
"""How far P + P^T may be from 1: published tables are rounded in binary, not in decimals."""


def check_probabilities(chance: FloatArray, names: tuple[str, ...]) -> None:
    """Refuse what is no table of win probabilities, and name the pairs."""
    off = ~np.eye(len(chance), dtype=bool)
    missing = np.isnan(chance)
    own = np.diag(chance)
    strange = ~(np.isnan(own) | (own == 0) | (np.abs(own - 0.5) <= COMPLEMENT_TOLERANCE))
    if strange.any():
        who = some_of(names[i] for i in np.flatnonzero(strange))
        raise DataError(f"the diagonal of a table of win probabilities is 1/2, 0 or empty, but not for {who}")
    outside = off & ~missing & ~((chance >= 0) & (chance <= 1))
    if outside.any():
        raise DataError(f"probabilities outside [0, 1] for {_pairs_at(outside, names)}")
    crooked = off & ((missing != missing.T) | (np.abs(chance + chance.T - 1) > COMPLEMENT_TOLERANCE))
    if crooked.any():
        raise DataError(
            f"P + P^T is not 1 for {_pairs_at(np.triu(crooked | crooked.T), names)}; p[i, j] is how often i beats j"
        )


def games_behind(games: npt.ArrayLike | None, chance: FloatArray) -> FloatArray:
    """Give the games of each pair of a table of probabilities: as stated, or one."""
    played = ~np.isnan(chance)
    given = as_numbers(1.0 if games is None else games, "games")
    if given.shape not in ((), chance.shape):
        raise DataError(f"games must be one number or of shape {chance.shape}, not of shape {given.shape}")
    counts = np.array(np.broadcast_to(given, chance.shape))
    np.fill_diagonal(counts, 0)
    if not np.isfinite(counts[played]).all() or (counts[played] < 0).any() or not np.array_equal(counts, counts.T):
        raise DataError("games must be finite, at least 0 and the same for (i, j) and (j, i)")
    return np.where(played, counts, 0.0)


def _pairs_at(where: npt.NDArray[np.bool_], names: tuple[str, ...]) -> str:
    return some_of(f"{names[i]} vs {names[j]}" for i, j in np.argwhere(where))
