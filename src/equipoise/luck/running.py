r"""A control variate whose coefficient is estimated from what came before.

.. math:: c = \frac{\operatorname{Cov}(X, Y)}{\operatorname{Var}(Y)}

over all earlier observations. What is adjusted next by :math:`x - c (y - \mathrm E[Y])` has the mean of x whatever c
is, because c was fixed before: unlike a coefficient fitted on the same observations, it costs no bias.
"""

from collections.abc import Sequence
from typing import Any, Self

__all__ = ["RunningControl"]


class RunningControl:
    """Sums behind the coefficient, kept by Welford's updates.

    >>> running = RunningControl()
    >>> running.add([1.0, 3.0, 2.0], [0.0, 1.0, 0.5])
    >>> running.coefficient
    2.0
    """

    def __init__(self) -> None:
        self._n, self._mean_x, self._mean_y, self._xy, self._yy = 0, 0.0, 0.0, 0.0, 0.0

    def add(self, values: Sequence[float], controls: Sequence[float] | None) -> None:
        """Take observations with their controls; None where there is none."""
        if controls is None:
            return
        for x, y in zip(values, controls, strict=True):
            self._n += 1
            ahead_x, ahead_y = x - self._mean_x, y - self._mean_y
            self._mean_x += ahead_x / self._n
            self._mean_y += ahead_y / self._n
            self._xy += ahead_y * (x - self._mean_x)
            self._yy += ahead_y * (y - self._mean_y)

    @property
    def coefficient(self) -> float:
        """What a unit of control is worth; 0 while nothing is known."""
        return self._xy / self._yy if self._yy > 0.0 else 0.0

    def state(self) -> list[float]:
        """Give the sums as JSON."""
        return [self._n, self._mean_x, self._mean_y, self._xy, self._yy]

    @classmethod
    def from_state(cls, saved: Sequence[Any]) -> Self:
        """Read what :meth:`state` wrote."""
        new = cls()
        new._n, new._mean_x, new._mean_y, new._xy, new._yy = saved
        return new
