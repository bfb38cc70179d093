"""Results of tau-bench (a list of tasks with rewards) and of tau2-bench (an object with simulations), a file an agent.

Records that ended in an error (a rate limit, say) have the reward 0 although the agent did not fail: ``keep`` may be
``fair``, which leaves them out and says how many, or ``all``, which counts them as failures. ``per`` is as in
``inspect_ai``. Reading fails where a record has no reward, unless ``on_error`` is ``skip``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.diagnostics import warning
from equipoise.core.errors import DataError
from equipoise.core.options import check, choice
from equipoise.core.wording import Advice, Option
from equipoise.logs.files.json_files import entries_of, number_of, parts_of
from equipoise.logs.files.names import agent_of
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogReading, Notes, Run

EVALUATION = "tau-bench"
NAMED = re.compile(r"(?P<agent>.+?)_range_-?\d+-.*")
"""How tau-bench names its files: strategy-model-temperature_range_a-b_user-usermodel-strategy_time."""
ERRORED = "that ended in an error"
BROKEN_OFF = frozenset({"infrastructure_error", "agent_error", "user_error", "unexpected_error", "timeout"})
"""Why simulations of tau2-bench ended, where nobody was done: too many steps or errors of tools are the agent's."""


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: a task that comes again is another trial of it."""
    notes.mapped("file name (agent)", "task_id (task)", "trial (run)", "reward (score)")
    notes.left("info", "traj")
    keep = how.more.get("keep", "fair")
    check(choice("fair", "all"), "keep", keep)
    for path in files:
        agent, evaluation, records = _records(path)
        items: list[str] = []
        scores: list[float] = []
        errors = 0
        for number, record in enumerate(records, 1):
            reward = _reward(record)
            errored = _errored(record)
            errors += errored
            if errored and keep == "fair":
                notes.drop(ERRORED)
                continue
            if reward is None and not errored:
                if how.on_error == "raise":
                    raise DataError(f'{path}: record {number:,}: "reward" is no number')
                notes.drop("without a reward")
                continue
            items.append(str(record.get("task_id")))
            scores.append(reward or 0.0)
        notes.use(len(items))
        if errors:
            _say_errors(notes, agent, errors, errors + len(items) if keep == "fair" else len(items), scores, keep)
        if not items:
            notes.leave_out([path], "no record with a reward that counts")
            continue
        yield Run(agent, evaluation, items, scores)


def _records(path: Path) -> tuple[str, str, Iterator[Mapping[str, Any]]]:
    """Give the agent, the evaluation and the records of a file."""
    known = NAMED.fullmatch(path.stem)
    if Peek.at(path).listed:
        return known["agent"] if known else agent_of(path), EVALUATION, _objects(path, entries_of(path))
    parts: dict[str, list[Any]] = {}
    for name, part in parts_of(path, ("simulations",)):
        parts.setdefault(name, []).append(part)
    info = next(iter(parts.get("info", [])), None) or {}
    model = (info.get("agent_info") or {}).get("llm")
    domain = (info.get("environment_info") or {}).get("domain_name")
    simulations = _objects(path, iter(parts.get("simulations", [])))
    return str(model or agent_of(path)), f"tau2-bench/{domain}" if domain else "tau2-bench", simulations


def _objects(path: Path, records: Iterator[Any]) -> Iterator[Mapping[str, Any]]:
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict) or record.get("task_id") is None:
            raise DataError(f'{path}: record {number:,}: an object with "task_id" is expected')
        yield record


def _reward(record: Mapping[str, Any]) -> float | None:
    if "reward" in record:
        return number_of(record["reward"])
    return number_of((record.get("reward_info") or {}).get("reward"))


def _errored(record: Mapping[str, Any]) -> bool:
    info = record.get("info")
    broken_off = str(record.get("termination_reason") or "").lower() in BROKEN_OFF
    return bool(isinstance(info, dict) and info.get("error")) or broken_off


def _say_errors(notes: Notes, agent: str, errors: int, records: int, scores: Sequence[float], keep: str) -> None:
    """Count records that ended in an error apart, with the mean as it would be otherwise."""
    head = f"{agent}: {errors:,} of {records:,} records ended in an error, not in an answer"
    if keep == "all":
        notes.warning("errors-counted", f"{head}; they count as failures.", [agent])
        return
    share = sum(scores) / records
    sentence = f"{head}; they are left out (counted as failures the mean is {share:.3f})."
    advice = [Advice("count them with ", Option("keep", "all"))]
    notes.said.append(warning("samples-without-score", sentence, [agent], advice=advice))
