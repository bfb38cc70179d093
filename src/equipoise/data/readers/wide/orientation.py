r"""Where the agents of a wide table stand: in its rows, or in its columns.

A table read the wrong way round gives a confident answer to a question that nobody asked ("Atlantis is first"). What
tells, the first that does: what the user said; the header of the column of names (``game`` names tasks); names that are
known (Pong, MMLU, gpt-4o); and scores, because those of one task share a scale. Where nothing tells, the user is asked.

Scales are compared in decimal logarithms :math:`y_{ij} = \log_{10} |x_{ij}|`. The lines (rows, or columns) of a table
are tasks where their medians lie at least tenfold apart, where the scores within a line spread at most half as far,
and where an F test of lines rejects that they are alike by chance; and where none of that is true the other way round.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ColumnError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.columns import AGENTS, TASKS, UNSURE_TASKS, plain
from equipoise.data.readers.wide.known_names import is_known_agent, is_known_task, is_metric

Side = Literal["rows", "columns"]
Role = Literal["agents", "tasks"]

VAGUE_AGENTS = frozenset({"name", "subject"})
"""Headers that stand above agents as a rule, and above tasks often enough to look further first."""
AGENT_WORDS = frozenset({
    *AGENTS, "approach", "architecture", "baseline", "candidate", "competitor", "engine", "entrant", "estimator",
    "learner", "network", "program",
} - VAGUE_AGENTS)  # fmt: skip
TASK_WORDS = frozenset({
    *TASKS, "domain", "eval", "evaluation", "exam", "exercise", "map", "metric", "quiz", "scenario", "subtask", "suite",
    "track",
} - UNSURE_TASKS)  # fmt: skip
"""Words that say in a header what the names below it are; "Atari games" and "Env name" say it, too."""
_USUAL = frozenset({*AGENTS, *TASKS} - VAGUE_AGENTS - UNSURE_TASKS)
"""Headers that decide whatever the names say; other words (``eval_name``) do where known names do not contradict."""
SUMMARIES = re.compile(
    r"((overall|total|global|macro|micro|grand|unweighted|weighted)_)?(average|avg|mean|median|total|sum|overall|iqm)"
    r"(_(score|rank|hns|normali[sz]ed|human_normali[sz]ed\w*|performance))?"
)
"""Names of rows that sum up the tasks above them."""
LOOKED_AT = 2000
"""Lines of a table whose names and scores are looked at."""
SHARE, SEVERAL = 0.25, 3
"""Share of names, or number of them, that must be known on one side for names to tell."""
TENFOLD, BY_CHANCE = 0.9, 1e-4
"""How far the scales of tasks lie apart (decimal logarithm, a little less than ten), and the level of the F test."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """Where agents stand, and why, in words; None where the header said what it usually says.

    ``certain`` is not what rests on one or two names, which may be known by chance.
    """

    agents_in: Side
    because: str | None = None
    certain: bool = True

    def notes(self) -> tuple[Diagnostic, ...]:
        """Say how the table was read, and what to do if that is wrong."""
        if self.because is None:
            return ()
        here, other = ("agents", "columns") if self.agents_in == "rows" else ("tasks", "rows")
        message = f"Read with {here} in rows ({self.because})."
        return (info("orientation", message, advice=[Advice("wrong? ", Option("agents_in", other))]),)


def header_role(header: str) -> Role | None:
    """Tell what a header says of the names below it.

    >>> header_role("Game"), header_role("Atari games"), header_role("env_name"), header_role("model"), header_role("x")
    ('tasks', 'tasks', 'tasks', 'agents', None)
    """
    word = _deciding(header)
    return None if word is None else "agents" if word in AGENT_WORDS else "tasks"


def _deciding(header: str) -> str | None:
    """Give the word of a header that says what stands below it."""
    first = re.split(r"[\\/|]|\s(?:x|vs\.?|by)\s", header.strip())[0]
    word = plain(first)
    last = re.sub(r"_(names?|ids?|no|number)$", "", word).rsplit("_", 1)[-1]
    for spelt in (word, last, word.removesuffix("s"), last.removesuffix("s")):
        if spelt in VAGUE_AGENTS or spelt in UNSURE_TASKS:
            return None
        if spelt in AGENT_WORDS or spelt in TASK_WORDS:
            return spelt
    return None


def decides(header: str) -> bool:
    """Tell whether a header says what stands below it whatever the names say."""
    return _deciding(header) in _USUAL


def orient(
    header: str, rows: Sequence[str], columns: Sequence[str], values: FloatArray, beside: Sequence[str] = ()
) -> Orientation | None:
    """Find where agents stand; None where nothing tells.

    ``values`` are the scores, rows x columns; ``beside`` are further columns, which were found to be no scores.
    """
    role = header_role(header)
    side = None if decides(header) else _by_names(rows, [*columns, *beside])
    if role is not None:
        said = Orientation("rows") if role == "agents" else Orientation("columns", f'column "{header.strip()}"')
        return None if side is not None and side.certain and side.agents_in != said.agents_in else said
    found = _by_scale(values)
    if side is not None:
        return side if found in (None, side.agents_in) or side.certain else None
    if found is not None:
        lines = "rows" if found == "columns" else "columns"
        return Orientation(found, f"the scales of {lines} differ tenfold, as those of tasks do")
    if plain(header) == "name":  # of subjects taught and tested there is no telling
        return Orientation("rows", f'column "{header.strip()}"')
    return None


def ask(name: str, header: str, rows: Sequence[str], columns: Sequence[str]) -> ColumnError:
    """Give the question that is put to the user where nothing tells."""
    above = f'the header "{header.strip()}"' if header.strip() else "a header"
    return ColumnError(
        f"{name}: agents may stand in its rows ({some_of(rows)}) or in its columns ({some_of(columns)}); neither"
        f" {above}, names nor scales tell",
        advice=[Advice("say ", Option("agents_in", "rows"), " or ", Option("agents_in", "columns"))],
    )


def ask_for_agents(name: str, header: str, columns: Sequence[str]) -> ColumnError:
    """Give the question of a table that has tasks in its rows and measures, but nobody, in its columns."""
    return ColumnError(
        f'{name}: column "{header.strip()}" names tasks, and no column an agent'
        f"{': ' if columns else ''}{some_of(columns)}; give a column for each agent",
        advice=[
            Advice("or several such files, each called after its agent"),
            Advice("or name a column of agents with ", Option("agent")),
            Advice("or, if rows are agents, say ", Option("agents_in", "rows")),
        ],
    )


def _by_names(rows: Sequence[str], columns: Sequence[str]) -> Orientation | None:
    """Tell by names that are known: tasks on one side or agents on the other, and nothing that contradicts."""
    rows = [name for name in rows if not SUMMARIES.fullmatch(plain(name))]  # means of agents as well as of tasks
    kinds = [[_kind(name) for name in side[:LOOKED_AT]] for side in (rows, columns)]
    shares = {
        (side, kind): _telling([one == kind for one in kinds[place]])
        for place, side in enumerate(("rows", "columns"))
        for kind in ("tasks", "agents")
    }
    for_columns = shares["rows", "tasks"] + shares["columns", "agents"]
    for_rows = shares["rows", "agents"] + shares["columns", "tasks"]
    if not max(for_columns, for_rows) or min(for_columns, for_rows) * 2 > max(for_columns, for_rows):
        return None
    agents_in: Side = "columns" if for_columns > for_rows else "rows"
    tasks = ("rows", rows, kinds[0]) if agents_in == "columns" else ("columns", columns, kinds[1])
    agents = ("columns", columns, kinds[1]) if agents_in == "columns" else ("rows", rows, kinds[0])
    told = [
        (side, kind, [name for name, one in zip(names, found, strict=False) if one == kind])
        for (side, names, found), kind in ((tasks, "tasks"), (agents, "agents"))
        if shares[side, kind]
    ]
    side, kind, known = told[0]
    certain = max(len(names) for _, _, names in told) >= SEVERAL
    return Orientation(agents_in, f"{kind} by their names in {side}: {some_of(known)}", certain)


def _kind(name: str) -> Role | None:
    agent, task = is_known_agent(name), is_known_task(name) or is_metric(name)
    if agent == task:
        return None
    return "agents" if agent else "tasks"


def _telling(known: Sequence[bool]) -> float:
    """Give the share of known names on one side; 0 where they are so few that chance would do it (one of two)."""
    count = sum(known)
    share = count / max(len(known), 1)
    return share if count >= SEVERAL or (count > 1 and share >= SHARE) or share > 2 * SHARE else 0.0


def _by_scale(values: FloatArray) -> Side | None:
    """Tell by scales: the lines that differ tenfold, and are alike within, are tasks.

    Percentages have one scale by nature, and a weak agent a tenth of the others' on every task: they do not tell.
    """
    known = values[np.isfinite(values)]
    if not len(known) or (known.min() >= 0 and known.max() <= 100):
        return None
    table = np.abs(values[:LOOKED_AT, :LOOKED_AT])
    with np.errstate(divide="ignore"):
        logs = np.where(table > 0, np.log10(table), np.nan)
    rows, columns = _Lines.of(logs), _Lines.of(logs.T)
    if rows.are_tasks() and columns.apart * 2 <= rows.apart:
        return "columns"
    if columns.are_tasks() and rows.apart * 2 <= columns.apart:
        return "rows"
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Lines of a table in logarithms: how far their middles lie apart, and scores within a line; and the F test."""

    apart: float
    within: float
    by_chance: float

    @classmethod
    def of(cls, logs: FloatArray) -> "_Lines":
        from scipy.special import fdtrc

        counts = np.isfinite(logs).sum(axis=1)
        lines, counts = logs[counts > 0], counts[counts > 0]
        if len(lines) < 2 or counts.sum() <= len(lines):
            return cls(0.0, np.inf, 1.0)
        middles = np.nanmedian(lines, axis=1)
        within = float(np.median(np.nanmax(lines, axis=1) - np.nanmin(lines, axis=1)))
        means = np.nanmean(lines, axis=1)
        between = float((counts * (means - np.nansum(lines) / counts.sum()) ** 2).sum()) / (len(lines) - 1)
        left = float(np.nansum((lines - means[:, None]) ** 2)) / float(counts.sum() - len(lines))
        ratio = between / left if left > 0 else np.inf
        chance = float(fdtrc(len(lines) - 1, counts.sum() - len(lines), ratio)) if np.isfinite(ratio) else 0.0
        return cls(_spread(middles), within, chance)

    def are_tasks(self) -> bool:
        """Tell whether the lines have scales of their own."""
        return self.apart >= TENFOLD and self.within * 2 <= self.apart and self.by_chance < BY_CHANCE


def _spread(middles: FloatArray) -> float:
    """Give how far lines lie apart: of many lines the outermost tenths do not count."""
    if len(middles) < 2:
        return 0.0
    if len(middles) <= 10:
        return float(middles.max() - middles.min())
    low, high = np.quantile(middles, [0.1, 0.9])
    return float(high - low)
