"""Further columns of a leaderboard: each is declared once, with its unit, and every surface shows it by that.

A column comes after those of the rating, in the terminal, on a page, in JSON and CSV, in frames and notebooks. Its unit
decides how it is shown: ``log-odds`` and ``log-odds difference`` are brought to the scale of the ratings, a ``share``
is shown in percent, anything else as a number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equipoise.core.results import FloatArray
from equipoise.data.types.pairs import PairTable


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """One column of a leaderboard.

    Attributes
    ----------
    name
        Its key in rows, JSON and CSV.
    heading
        What people read above it.
    unit
        Of its numbers.
    values
        Gives a number for each agent, in the data's order of agents, from the games and the ratings; NaN for none.
    """

    name: str
    heading: str
    unit: str
    values: Callable[[PairTable, Any], FloatArray]


COLUMNS: tuple[BoardColumn, ...] = ()
"""In the order in which they are shown; none comes with the package."""
