"""Advantage sums: utility is skill, luck and position; take out the luck that chance is known to have dealt."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import FloatArray
from equipoise.luck.adjusted_mean import fixed, totals
from equipoise.luck.arrays import Labels, column, group_codes, matrix, same_length
from equipoise.luck.control_variates import ARRAYS, FOLDS, Coefficient, ControlVariates, unchecked

S = TypeVar("S")
ZERO_LUCK_P_VALUE = 1e-3
CHANCE = -1


class SequentialGame(Protocol[S]):
    """What :func:`luck_terms` needs of a game; those of ``equipoise.luck.games`` have it."""

    def path(self, history: str, /) -> Sequence[S]:
        """Every state of a hand, the start first."""

    def actor(self, state: S, /) -> int:
        """The seat that moves, -1 for chance."""

    def moves(self, state: S, /) -> Sequence[str]:
        """What may happen next."""

    def chances(self, state: S, /) -> Sequence[float]:
        """The probabilities of the moves at a chance node."""

    def after(self, state: S, move: str, /) -> S:
        """The state after a move."""


def luck_terms(
    game: SequentialGame[S],
    history: str,
    value: Callable[[S], npt.ArrayLike],
    *,
    policies: Sequence[Callable[[S], Sequence[float]] | None] = (),
) -> FloatArray:
    """The luck in one hand: what chance dealt, against what it deals on average.

    For every chance node of the hand, ``V(ha) - sum_b p(b) V(hb)``: its expectation is zero by construction, for any
    value function V. With the policies of some seats known, their own dice are luck as well and the same terms are
    added at their decision nodes.

    Parameters
    ----------
    game
        The rules.
    history
        The hand.
    value
        V: maps a state to a number, or to an array (a value for each seat, or features).
    policies
        For each seat the probabilities of its moves in a state, or None where they are not known.

    Fails when
        a value is not finite, or probabilities do not add up to one.

    References
    ----------
    M. Zinkevich, M. Bowling and N. Bard (2006), Optimal unbiased estimators for evaluating agent performance (chance
    nodes). N. Burch, M. Schmid, M. Moravcik, D. Morrill and M. Bowling (2018), AIVAT (decision nodes with known
    policies).

    Examples
    --------
    >>> from equipoise.luck.games import kuhn
    >>> game = kuhn()
    >>> first_card = lambda state: game.deck.index(state.cards[0]) if state.cards else 0.0
    >>> luck_terms(game, "KJrc", first_card)
    array(1.)
    """
    total: FloatArray | None = None
    states = game.path(history)
    for before, now in pairwise(states):
        chances = _chances(game, before, policies)
        if chances is None:
            continue
        if abs(sum(chances) - 1.0) > 1e-9:
            raise ParameterError(
                f"luck_terms: the probabilities of the moves after {before} add up to {sum(chances):g}, not to 1"
            )
        every = [np.asarray(value(game.after(before, move)), dtype=float) for move in game.moves(before)]
        term = np.asarray(value(now), dtype=float) - sum(p * v for p, v in zip(chances, every, strict=True))
        total = term if total is None else total + term
    if total is None:
        return np.zeros_like(np.asarray(value(states[0]), dtype=float))
    if not np.isfinite(total).all():
        raise DataError(f"luck_terms: the value function is not finite along {history!r}")
    return np.asarray(total)


def _chances(
    game: SequentialGame[S], state: S, policies: Sequence[Callable[[S], Sequence[float]] | None]
) -> Sequence[float] | None:
    actor = game.actor(state)
    if actor == CHANCE:
        return game.chances(state)
    policy = policies[actor] if 0 <= actor < len(policies) else None
    return None if policy is None else policy(state)


@method(
    takes="array",
    answers="What is won by skill and position, without the luck that chance dealt?",
    reference="Zinkevich, Bowling and Bard (2006); Burch et al. (2018)",
    checks={"folds": FOLDS},
    resampled=ARRAYS,
)
def advantage_sum(
    utility: npt.ArrayLike,
    luck: npt.ArrayLike,
    *,
    deal: Labels | None = None,
    coefficient: Coefficient = -1.0,
    folds: int = 10,
    level: float = 0.95,
) -> ControlVariates:
    """Estimate what an agent wins by skill and position: utility without luck.

    Utility is skill + luck + position; the mean of luck is zero, so the mean of ``utility - luck`` is the mean utility
    with less noise. The better the value function behind the luck terms, the less noise is left; no value function
    makes it biased.

    Parameters
    ----------
    utility
        What was won in each hand.
    luck
        The luck in each hand (see :func:`luck_terms`), one column or several.
    deal
        Hands with the same value are one cluster.
    coefficient
        -1 subtracts the luck as it is; ``"fitted"`` or ``"cross-fitted"`` scale it, which helps a poor value function.
    folds
        Number of folds for cross-fitting.
    level
        Level of the interval.

    Fails when
        a value is missing, lengths disagree, or the luck is the same in every hand. The mean of luck is compared with
        zero: a clear difference is reported as ``zero-luck``.

    References
    ----------
    M. Zinkevich, M. Bowling and N. Bard (2006). D. Billings and M. Kan (2006), A tool for the direct assessment of
    poker decisions (DIVAT).

    Examples
    --------
    >>> luck = np.array([1.0, -1.0, 2.0, -2.0])
    >>> round(advantage_sum(luck + [0.4, 0.6, 0.5, 0.5], luck).estimate, 12)
    0.5
    """
    samples, columns = column(utility, "utility"), matrix(luck, "luck")
    same_length(samples, columns, "luck values")
    codes = group_codes(deal, len(samples), "deal")
    controls = columns[:, 0] if np.ndim(luck) == 1 else columns
    result = unchecked(samples, controls, coefficient=coefficient, folds=folds, cluster=codes, level=level)
    return replace(result, diagnostics=(*result.diagnostics, *check_zero_luck(columns, codes)))


def check_zero_luck(luck: FloatArray, codes: npt.NDArray[np.intp] | None) -> tuple[Diagnostic, ...]:
    """Compare the mean of each column of luck with zero: the check that luck is luck."""
    import scipy

    notes = []
    for index, values in enumerate(luck.T):
        mean = fixed(totals(values, np.zeros((len(values), 0)), codes), np.zeros(0))
        error = float(np.sqrt(mean.variance))
        p = 2.0 * float(scipy.special.stdtr(mean.dof, -abs(float(mean.estimate)) / error)) if error > 0.0 else 1.0
        if p * luck.shape[1] < ZERO_LUCK_P_VALUE:
            text = (
                f"luck {index + 1} has mean {float(mean.estimate):.3g} +- {error:.2g} (p = {p:.1g}), but luck must "
                "have mean zero: the chances behind it are not those of the game, and the estimate is biased."
            )
            notes.append(warning("zero-luck", text))
    return tuple(notes)
