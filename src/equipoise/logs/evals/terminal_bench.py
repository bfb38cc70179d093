"""Results of terminal-bench: an object whose ``results`` are trials of tasks, solved or not.

A trial without an answer (``is_resolved`` is null: the tests could not be run or understood) counts as not solved, as
in terminal-bench's own accuracy; how many there are is said. ``per`` is as in ``inspect_ai``. Reading fails where
``results`` is no list of trials.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.files.names import agent_of
from equipoise.logs.format import LogReading, Notes, Run

EVALUATION = "terminal-bench"
METADATA = "run_metadata.json"
"""What terminal-bench writes beside its results, with the names of agent and model."""
SAME = 1e-6


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:  # noqa: ARG001
    """Give the runs: attempts at a task are its trials, and so are several files of one agent."""
    notes.mapped("folder (agent)", "task_id (task)", "trial_name (run)", "is_resolved (score)")
    notes.left("instruction", "failure_mode", "parser_results")
    of_agents: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in files:
        log = whole_object(path)
        trials = log.get("results") if isinstance(log, dict) else None
        if not isinstance(trials, list) or not trials or not all(_is_trial(trial) for trial in trials):
            raise DataError(f'{path}: "results" must be trials with "task_id" and "is_resolved"')
        agent = _agent(path)
        of_agents[agent, EVALUATION].append(path)
        scores = [float(trial["is_resolved"] is True) for trial in trials]
        unclear = sum(trial["is_resolved"] is None for trial in trials)
        if unclear:
            sentence = f"{unclear:,} of {len(trials):,} trials have no answer (null) and count as not solved"
            notes.gather("null-as-failure", sentence, agent, severity="warning")
        stated, mean = number_of(log.get("accuracy")), sum(scores) / len(scores)
        if stated is not None and abs(stated - mean) > SAME:
            notes.warning("stated-mean-differs", f"{path}: trials give {mean:.4g} instead of {stated:.4g} (accuracy).")
        notes.use(len(scores))
        yield Run(agent, EVALUATION, [str(trial["task_id"]) for trial in trials], scores)
    notes.several_runs(of_agents, "they count as runs of one agent")


def _is_trial(trial: Any) -> bool:
    return isinstance(trial, dict) and "task_id" in trial and trial.get("is_resolved", 0) in (True, False, None)


def _agent(path: Path) -> str:
    """Name the agent as the file beside the results does, or else after the folder."""
    beside: Mapping[str, Any] = {}
    if (path.parent / METADATA).is_file():
        said = whole_object(path.parent / METADATA)
        beside = said if isinstance(said, dict) else {}
    names = [str(beside[key]) for key in ("agent_name", "model_name") if beside.get(key)]
    return " ".join(names) if "agent_name" in beside and names else agent_of(path)
