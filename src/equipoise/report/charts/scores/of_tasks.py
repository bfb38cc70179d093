"""Charts of a table of scores: which agents and tasks carry it, and what averages leave over."""

from typing import TYPE_CHECKING

import numpy as np

from equipoise.core.results import FloatArray, Result
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.disc import Place
from equipoise.report.charts.games.nash_averages import Averages, NashAgents, NashTasks
from equipoise.report.charts.games.split import Split
from equipoise.report.charts.scores.latent_map import LatentMap
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.flows.additivity import Additivity
    from equipoise.nash.audit import Audit
    from equipoise.nash.tasks import TaskNash

__all__ = ["additivity_charts", "audit_charts", "latent_map", "scores_in", "task_nash_charts"]


def task_nash_charts(result: "TaskNash") -> tuple[ChartView, ...]:
    """Draw plain and Nash averages of agents and of tasks."""
    units = f"in {scores_in(result)} units"
    agents = [
        Averages(row["agent"], row["uniform_skill"], row["skill"], row["agent_p"])
        for row in result.frame().to_dicts()
        if row["agent"] not in result.unranked
    ]
    tasks = [
        Averages(row["task"], result.full + row["uniform_difficulty"], result.full + row["difficulty"], row["task_p"])
        for row in result.task_frame().to_dicts()
    ]
    return (NashAgents(agents, f"average score, {units}"), NashTasks(tasks, f"difficulty, {units}"))


def additivity_charts(result: "Additivity") -> tuple[ChartView, ...]:
    """Draw what averages explain, and the two strongest talents beside them."""
    if known(result.residual_share) is None:
        return ()
    share = min(1.0, max(0.0, result.residual_share))
    split = Split(
        share, explained="averages explain it", rest="is talent for some tasks and not for others",
        corrected=known(result.p_value) is not None, subject="scores",
    )  # fmt: skip
    size = float((result.values**2).sum())
    if len(result.values) < 2 or size <= 0:
        return (split,)
    scale = np.sqrt(result.values[:2])
    return (
        split,
        latent_map(
            result.agents,
            result.tasks,
            result.abilities[:, :2] * scale,
            result.problems[:, :2] * scale,
            float((result.values[:2] ** 2).sum() / size),
        ),
    )


def audit_charts(result: "Audit") -> tuple[ChartView, ...]:
    """Draw the averages, and the two strongest latent skills."""
    latent = result.latent
    if len(latent.share) < 2:
        return task_nash_charts(result.nash)
    share = float(latent.share[:2].sum())
    return (
        *task_nash_charts(result.nash),
        latent_map(result.nash.agents, result.nash.tasks, latent.agents, latent.tasks, share),
    )


def latent_map(
    agents: tuple[str, ...], tasks: tuple[str, ...], of_agents: FloatArray, of_tasks: FloatArray, share: float
) -> LatentMap:
    """Both sides in one plane."""
    return LatentMap(_places(agents, of_agents), _places(tasks, of_tasks), share)


def _places(names: tuple[str, ...], points: FloatArray) -> list[Place]:
    """Scale to the unit square, the farthest from the centre first."""
    reach = float(np.abs(points[:, :2]).max()) or 1.0
    placed = [
        Place(name, float(x) / reach, float(y) / reach) for name, (x, y) in zip(names, points[:, :2], strict=True)
    ]
    return sorted(placed, key=lambda place: -(place.x**2 + place.y**2))


def scores_in(result: Result) -> str:
    """Name the units of scores."""
    units = str(result.params["units"])
    return "the scores' own" if units == "none" else units


CHARTS = {"Additivity": additivity_charts, "Audit": audit_charts, "TaskNash": task_nash_charts}
"""Who draws which class of results."""
