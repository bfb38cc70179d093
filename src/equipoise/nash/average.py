"""Nash averaging: one door for agents against agents and for agents against tasks."""

from concurrent.futures import Executor
from typing import overload

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.errors import ParameterError
from equipoise.core.options import whole
from equipoise.core.wording import Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.normalisation import Missing, Units
from equipoise.data.types.pairs import PairTable, Payoff
from equipoise.data.types.scores import Scores
from equipoise.inference.resampling import Unit, unit_drawn
from equipoise.nash.agents import AgentNash, AgentOptions, Completion, agent_nash
from equipoise.nash.maxent import as_payoffs, check_antisymmetric
from equipoise.nash.resampling import Resampling
from equipoise.nash.task_resamples import TaskOptions
from equipoise.nash.tasks import TaskNash, task_nash


@overload
def nash_average(
    data: Matches | PairTable | MetaGame | npt.NDArray[np.generic],
    *,
    payoff: Payoff | None = None,
    complete: Completion | None = None,
    merge_clones: bool = True,
    n: int | None = None,
    over: Unit | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> AgentNash: ...


@overload
def nash_average(
    data: Scores,
    *,
    units: Units | None = None,
    missing: Missing | None = None,
    merge_clones: bool = True,
    n: int | None = None,
    over: Unit | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> TaskNash: ...


@method(
    takes=("matches", "pairs", "scores", "metagame", "array"),
    answers="Who is better, so that copies, weak agents and easy tasks cannot bend the answer? Which tasks count?",
    reference="Balduzzi, Tuyls, Perolat and Graepel (2018)",
    checks={"n": whole(0)},
    renamed={"resample": "over"},
)
def nash_average(
    data: Matches | PairTable | MetaGame | Scores | npt.NDArray[np.generic],
    *,
    payoff: Payoff | None = None,
    complete: Completion | None = None,
    units: Units | None = None,
    missing: Missing | None = None,
    merge_clones: bool = True,
    n: int | None = None,
    over: Unit | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> AgentNash | TaskNash:
    r"""Who is better, measured so that copies, weak agents and easy tasks cannot bend the answer?

    Agents against agents: with the antisymmetric payoffs A and its maximum-entropy equilibrium,

    .. math:: n = A\,p^*.

    Agents against tasks: with the scores S in common units, agents choose the best team and tasks the hardest suite,

    .. math::
        \max_{p_a} \min_{p_e} p_a^\top S p_e, \quad \text{skill} = S p_e^*, \quad \text{difficulty} = -S^\top p_a^*,

    both of maximum entropy among their optimal strategies. Tables and charts show what the team lacks of a full score,
    1 more (not in z units, which have no top), so that harder is larger and nothing is negative.

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
        Of scores: ``min-max`` of each task (default), or another of :data:`equipoise.data.types.normalisation.Units`.
    missing
        Scores: ``error`` (default), ``drop-tasks``, ``drop-agents``, or ``complete`` from the agent's and task's
        averages, with the uncertainty of that; agents with scores on less than half of the tasks are then not ranked.
    merge_clones
        Count copies as one that shares its mass equally; False gives the paper's literal definition.
    n
        Number of bootstrap samples for intervals on masses and averages; 0 for none. None draws nothing either,
        but for scores that were filled in: 200 completions say what these might have been.
    over
        What is drawn: ``matches`` (default) or ``clusters``; for scores ``tasks`` (default) or ``runs``.
    level
        Of the intervals.
    rng
        Seed or generator of the bootstrap.
    executor
        Who solves the bootstrap samples, as in :func:`bootstrap`; the answer is the same.

    Returns
    -------
    AgentNash or TaskNash
        Masses, averages or skills and difficulties, certificates, intervals if asked for.

    Fails when
        scores have gaps (unless ``missing`` deals with them), one agent only, or no task separates agents; payoffs
        are not antisymmetric (:class:`DataError`); an option does not belong to the data (:class:`ParameterError`).

    References
    ----------
    Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation, section 4 and appendix D.

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[89, 93, 76], [85, 85, 85], [79, 74, 99]], agents="ABC")
    >>> result = eq.nash_average(s)
    >>> result.agent_p.round(3).tolist(), result.skill.round(3).tolist()
    ([0.5, 0.0, 0.5], [0.5, 0.49, 0.5])
    """
    if n == 1:
        raise ParameterError(Option("n"), " is 0 (no intervals) or at least 2 bootstrap samples, not 1")
    if isinstance(data, Scores):
        _refuse("scores", payoff=payoff, complete=complete)
        return task_nash(
            data,
            TaskOptions(units or "min-max", missing or "error", merge_clones),
            Resampling(n, unit_drawn(data, over), level, rng, executor=executor),
        )
    _refuse("matches and payoffs", units=units, missing=missing)
    options = AgentOptions(payoff or "log-odds", complete, merge_clones)
    if isinstance(data, Matches | PairTable):
        return agent_nash(data, options, Resampling(n, unit_drawn(data, over), level, rng, executor=executor))
    _refuse("payoffs", payoff=payoff, complete=complete, over=over)
    game = data if isinstance(data, MetaGame) else _game(data)
    return agent_nash(game, options, Resampling(n, "matches", level, rng))


def _game(payoff: npt.ArrayLike) -> MetaGame:
    matrix = as_payoffs(payoff)
    check_antisymmetric(matrix, tuple(f"agent {i + 1}" for i in range(len(matrix))))
    return MetaGame.symmetric(matrix, [f"agent {i + 1}" for i in range(len(matrix))])


def _refuse(kind: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ParameterError(Option(name), f" does not apply to {kind}; leave it out")
