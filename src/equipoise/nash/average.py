"""Nash averaging: one door for agents against agents and for agents against tasks."""

from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.scores import Scores
from equipoise.data.units import Missing, Units
from equipoise.declaration import method
from equipoise.errors import ParameterError
from equipoise.nash.agents import AgentNash, Completion, Payoff, agent_nash
from equipoise.nash.maxent import as_payoffs, check_antisymmetric
from equipoise.nash.tasks import TaskNash, task_nash

__all__ = ["nash_average"]

Unit = Literal["match", "group", "task", "trial"]


@overload
def nash_average(
    data: Matches | PairTable | MetaGame | npt.NDArray[np.generic],
    *,
    payoff: Payoff | None = None,
    complete: Completion | None = None,
    merge_clones: bool = True,
    resamples: int = 0,
    unit: Unit | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> AgentNash: ...


@overload
def nash_average(
    data: Scores,
    *,
    units: Units | None = None,
    missing: Missing | None = None,
    merge_clones: bool = True,
    resamples: int = 0,
    unit: Unit | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> TaskNash: ...


@method(
    takes=("matches", "pairs", "scores", "metagame", "array"),
    answers="Who is better, so that copies, weak agents and easy tasks cannot bend the answer? Which tasks count?",
    reference="Balduzzi, Tuyls, Perolat and Graepel (2018)",
)
def nash_average(
    data: Matches | PairTable | MetaGame | Scores | npt.NDArray[np.generic],
    *,
    payoff: Payoff | None = None,
    complete: Completion | None = None,
    units: Units | None = None,
    missing: Missing | None = None,
    merge_clones: bool = True,
    resamples: int = 0,
    unit: Unit | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> AgentNash | TaskNash:
    r"""Who is better, measured so that copies, weak agents and easy tasks cannot bend the answer?

    Agents against agents: with the antisymmetric payoffs A and its maximum-entropy equilibrium,

    .. math:: n = A\,p^*.

    Agents against tasks: with the scores S in common units, agents choose the best team and tasks the hardest suite,

    .. math::
        \max_{p_a} \min_{p_e} p_a^\top S p_e, \quad \text{skill} = S p_e^*, \quad \text{difficulty} = -S^\top p_a^*,

    both of maximum entropy among their optimal strategies.

    Parameters
    ----------
    data
        Matches, pair counts, a single-population game or an antisymmetric matrix; or scores.
    payoff
        Of pairs: ``log-odds`` (default; counts smoothed by a half) or ``win-rate`` (2 p - 1).
    complete
        Of pairs that never met: None leaves the answer undefined (null, with ``incomplete-table``),
        ``bradley-terry`` or ``melo`` fills them in from ratings, or from ratings with a cyclic part, and says so.
    units
        Of scores: ``min-max`` of each task (default), ``z``, ``rank`` or ``none``.
    missing
        Scores: ``error`` (default), ``drop-tasks``, ``drop-agents``, or ``complete`` from the agent's and task's
        averages.
    merge_clones
        Count copies as one that shares its mass equally; False gives the paper's literal definition.
    resamples
        Number of bootstrap resamples for intervals on masses and averages; 0 for none.
    unit
        What is drawn: ``match`` (default) or ``group``; for scores ``task`` (default) or ``trial``.
    level
        Of the intervals.
    rng
        Seed or generator of the bootstrap.

    Returns
    -------
    AgentNash or TaskNash
        Masses, averages or skills and difficulties, certificates, intervals if asked for.

    Fails when
        scores have gaps (unless told what to do), one agent only, or no task tells agents apart; payoffs are not
        antisymmetric (:class:`DataError`); an option does not belong to the data (:class:`ParameterError`).

    References
    ----------
    Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation, section 4 and appendix D.

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[89, 93, 76], [85, 85, 85], [79, 74, 99]], agents="ABC")
    >>> found = eq.nash_average(s)
    >>> found.agent_p.round(3).tolist(), found.skill.round(3).tolist()
    ([0.5, 0.0, 0.5], [0.5, 0.49, 0.5])
    """
    if resamples < 0 or not 0 < level < 1:
        raise ParameterError(f"resamples is at least 0 and level between 0 and 1, not {resamples} and {level}")
    if isinstance(data, Scores):
        _refuse("scores", payoff=payoff, complete=complete)
        if unit not in (None, "task", "trial"):
            raise ParameterError(f'scores are resampled by unit="task" or "trial", not "{unit}"')
        drawn: Literal["task", "trial"] = "trial" if unit == "trial" else "task"
        return task_nash(
            data, units=units or "min-max", missing=missing or "error", merge_clones=merge_clones,
            resamples=resamples, unit=drawn, level=level, rng=rng,
        )  # fmt: skip
    _refuse("matches and payoffs", units=units, missing=missing)
    if unit not in (None, "match", "group"):
        raise ParameterError(f'matches are resampled by unit="match" or "group", not "{unit}"')
    game = data if isinstance(data, Matches | PairTable | MetaGame) else _game(data)
    if isinstance(game, MetaGame):
        _refuse("payoffs", payoff=payoff, complete=complete)
    return agent_nash(
        game, payoff=payoff or "log-odds", complete=complete, merge_clones=merge_clones,
        resamples=resamples, unit="group" if unit == "group" else "match", level=level, rng=rng,
    )  # fmt: skip


def _game(payoff: npt.ArrayLike) -> MetaGame:
    matrix = as_payoffs(payoff)
    check_antisymmetric(matrix, tuple(f"agent {i + 1}" for i in range(len(matrix))))
    return MetaGame.symmetric(matrix, [f"agent {i + 1}" for i in range(len(matrix))])


def _refuse(kind: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ParameterError(f"{name} does not apply to {kind}; leave it out")
