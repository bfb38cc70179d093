"""Scores of runs of learning agents: what Stable-Baselines3, rliable, openrlbenchmark and W&B write.

Arrays (``evaluations.npz`` of Stable-Baselines3; runs x tasks by agent), monitors and ``progress.csv`` of
Stable-Baselines3, lists of scores by task (as rliable takes them, one file an agent), curves with ``task``, ``method``,
``seed`` and ``ys``, tables of openrlbenchmark, charts exported by W&B. The runs of an agent on a task are its runs.

``metric`` is a column of ``progress.csv``; by default the reward of its evaluations, or else of its training. ``last``
says how many of the last episodes of a monitor are averaged; all by default. Reading fails where an episode has no
reward, unless ``on_error`` is ``skip``, and when the runs contain no score.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from equipoise.core.errors import DataError, some_of
from equipoise.data.files.markdown import markdown_tables
from equipoise.data.types.scores import Scores
from equipoise.logs.files.bytes_read import opened
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.tables.rows import short_name, text_rows

Row = tuple[str, str, float]
"""An agent, a task and the score of one run."""
NUMBERED = re.compile(r"(?P<env>.+-v\d+)(?:_\d+)?")
"""How the zoo of Stable-Baselines3 names folders of runs: CartPole-v1_2."""
CLEANRL = re.compile(r"(?P<env>[^_].*?)__(?P<agent>.+)__(?P<seed>\d+)__\d+")
REWARDS = ("eval/mean_reward", "rollout/ep_rew_mean")
TWINS = ("__MIN", "__MAX")


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Scores:
    """Read runs: several scores of an agent on a task are its runs."""
    by_kind: dict[Callable[..., Iterator[Row]], list[Path]] = defaultdict(list)
    for path in files:
        by_kind[_kind(Peek.at(path))].append(path)
    rows = [row for kind, paths in by_kind.items() for row in kind(paths, how, notes)]
    if not rows:
        raise DataError(f"the runs contain no score: {some_of(path.name for path in files)}")
    agents = list(dict.fromkeys(row[0] for row in rows))
    tasks = list(dict.fromkeys(row[1] for row in rows))
    row_of = {name: code for code, name in enumerate(agents)}
    column_of = {name: code for code, name in enumerate(tasks)}
    agent = np.array([row_of[row[0]] for row in rows], np.int64)
    task = np.array([column_of[row[1]] for row in rows], np.int64)
    notes.use(len(rows))
    return Scores.from_long(tuple(agents), tuple(tasks), agent, task, np.array([row[2] for row in rows], float))


def _kind(peek: Peek) -> Callable[..., Iterator[Row]]:
    if peek.names:
        return _arrays
    if peek.text.startswith("#{"):
        return _monitors
    if peek.listed:
        return _curves
    if peek.text.startswith("{"):
        return _score_files
    if "±" in peek.text:
        return _benchmark_tables
    return _progress if "rollout/ep_rew_mean" in peek.first_line or "time/" in peek.first_line else _exports


def _monitors(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:
    """Give the mean reward of each run; the monitors in one folder belong to environments of one run."""
    notes.mapped("env_id (task)", "r (score)", "folder (agent)")
    notes.left("l", "t")
    runs: dict[tuple[Path, str], list[float]] = defaultdict(list)
    last = how.more.get("last")
    for path in sorted(files):
        with opened(path) as file:
            first = file.readline()
        try:
            env = str(json.loads(first[1:])["env_id"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f'{path}: line 1 must be "#" and an object with "env_id"') from error
        rewards = [number_of(row.get("r")) for _, row in text_rows(path, skip=1)]
        if None in rewards and how.on_error == "raise":
            raise DataError(f"{path}: episode {rewards.index(None) + 1:,} has no reward")
        known = [reward for reward in rewards if reward is not None]
        notes.drop("episodes without a reward", len(rewards) - len(known))
        runs[path.parent, env] += known[-int(last) :] if last else known
    episodes = sum(map(len, runs.values()))
    which = f"its last {int(last):,}" if last else "all its"
    notes.info("episodes-averaged", f"A run's score is the mean over {which} episodes ({episodes:,} in all).")
    for (folder, env), scores in runs.items():
        if scores:
            yield _agent(folder, env), env, float(np.mean(scores))


def _agent(folder: Path, env: str) -> str:
    """Call an agent after the folder: ``a2c-CartPole-v1`` and ``a2c/CartPole-v1_1`` are of a2c."""
    name = folder.name
    numbered = NUMBERED.fullmatch(name)
    if name.endswith(f"-{env}") or name.endswith(f"_{env}"):
        return name[: -len(env) - 1]
    return folder.parent.name if numbered and numbered["env"] == env else name


def _arrays(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:  # noqa: ARG001
    """Give the last evaluation of each run of Stable-Baselines3, or arrays runs x tasks by agent, as of rliable."""
    for path in files:
        try:
            with np.load(path) as stored:  # objects of Python, which could run code, are refused
                arrays = {name: np.asarray(stored[name], float) for name in stored.files}
        except ValueError as error:
            raise DataError(f"{path}: its arrays are no plain numbers; save them with numpy.savez(...)") from error
        if {"timesteps", "results"} <= set(arrays):
            notes.mapped("folder (agent and task)", "results (score)")
            notes.gather("last-of-curve", "A run's score is the mean of its last evaluation", path.parent.name)
            numbered = NUMBERED.fullmatch(path.parent.name)
            agent = path.parent.parent.name if numbered else path.parent.name
            yield agent, numbered["env"] if numbered else "evaluation", float(np.mean(arrays["results"][-1]))
            continue
        notes.mapped("array (agent)", "rows (runs)", "columns (tasks)")
        for agent, array in arrays.items():
            if array.ndim != 2:
                raise DataError(f"{path}: scores of {agent} must be runs x tasks, not of shape {array.shape}")
            yield from ((agent, f"task {task + 1}", float(value)) for (_, task), value in np.ndenumerate(array))


def _progress(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:
    """Give the last reward of each run: of its evaluations, where it has some, or of its training."""
    notes.mapped("folder (agent and task)")
    for path in files:
        rows = [row for _, row in text_rows(path)]
        there = [name for name in (rows[0] if rows else {}) if name is not None]
        metric = how.metric or next((name for name in REWARDS if name in there), None)
        if metric is None or metric not in there:
            raise DataError(f'{path}: no column "{metric or REWARDS[0]}"; found: {some_of(there, 12)}')
        values = [value for row in rows if (value := number_of(row[metric])) is not None]
        notes.info("metric-taken", f"{path.parent.name}/{path.name}: the last value of {metric} is the score.")
        notes.left(*(name for name in there if name != metric))
        numbered = NUMBERED.fullmatch(path.parent.name)
        agent = path.parent.parent.name if numbered else path.parent.name
        if values:
            yield agent, numbered["env"] if numbered else metric, values[-1]


def _score_files(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:  # noqa: ARG001
    """Give scores by task: the file is called after the agent, or contains several of them by name."""
    notes.mapped("file (agent)", "key (task)", "list (runs)")
    for path in files:
        whole = whole_object(path)
        nested = all(isinstance(value, dict) for value in whole.values())
        for agent, tasks in whole.items() if nested else [(path.name.partition(".")[0], whole)]:
            for task, values in tasks.items():
                for value in np.ravel(np.asarray(values, dtype=object)):
                    number = number_of(value)
                    if number is None:
                        raise DataError(f"{path}: {agent} on {task}: {short_name(str(value))} is no score")
                    yield agent, task, number


def _curves(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:  # noqa: ARG001
    """Give the last value of each curve."""
    notes.mapped("method (agent)", "task", "seed (run)", "ys (score)")
    notes.left("xs")
    notes.info("last-of-curve", "A run's score is the last value of its curve.")
    for path in files:
        for number, run in enumerate(whole_object(path), 1):
            values = [number_of(y) for y in run.get("ys") or []] if isinstance(run, Mapping) else [None]
            if not values or values[-1] is None:
                raise DataError(f'{path}: run {number:,}: "ys" must end with a number')
            yield str(run["method"]), str(run["task"]), values[-1]


def _benchmark_tables(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:  # noqa: ARG001
    """Give the means of a table of ``mean ± sd``: agents in columns, tasks in rows."""
    notes.mapped("columns (agents)", "first column (task)")
    notes.info("margins-left-out", "What follows a plus-minus sign was left out.")
    for path in files:
        for row in _table_rows(path):
            first, *agents = row
            for agent in agents:
                value = number_of(str(row[agent] or "").partition("±")[0].strip())
                if value is None:
                    notes.drop("cells without a number")
                    continue
                yield agent.removesuffix(" ({})"), str(row[first]), value


def _table_rows(path: Path) -> Iterator[Mapping[str, str | None]]:
    """Give the rows of a delimited table, or of the tables in a page of Markdown."""
    if not Peek.at(path).text.startswith("|"):
        yield from (row for _, row in text_rows(path))
        return
    with opened(path) as file:
        text = file.read().decode("utf-8-sig", errors="replace")
    for table in markdown_tables(text).values():
        yield from table.iter_rows(named=True)


def _exports(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Row]:  # noqa: ARG001
    """Give the last value of each run in a chart that W&B exported; the twins with its extremes are passed over."""
    notes.mapped("columns (agents)")
    notes.info("last-of-curve", "A run's score is the last value of its curve.")
    for path in files:
        last: dict[str, float] = {}
        for _, row in text_rows(path):
            for name, cell in row.items():
                value = number_of(cell) if " - " in str(name) and not str(name).endswith(TWINS) else None
                if value is not None:
                    last[name] = value
        for name, value in last.items():
            run, _, metric = name.rpartition(" - ")
            known = CLEANRL.fullmatch(run)
            yield (known["agent"], known["env"], value) if known else (run, metric, value)
