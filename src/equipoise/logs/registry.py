"""The kinds of logs that are known: each with its signature, by which its files are recognised, and its reader.

A signature looks at the contents of a file, not at its name. It stands here and not in the module of its reader, for
every file that is read is held against all of them, and readers are loaded only when such a file was met.
"""

import re
from collections.abc import Mapping

from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogFormat

HARNESS_METRIC = re.compile(r'"\w+_stderr(,[^"]+)?"\s*:|"\w+,(none|[a-z-]+)"\s*:')
BATTLE = frozenset({"model_a", "model_b", "winner"})
OF_ARENAS = frozenset({"anony", "tstamp", "judge", "judge_hash", "language", "conv_metadata", "conversation_a"})
PGN = re.compile(r'(?:(?:%|;)[^\n]*\n|\s)*\[[A-Za-z]\w*[ \t]+"[^\n]*\]\s*\n\s*\[')
SCORE_LISTS = re.compile(r'\{\s*(?:"[^"]+"\s*:\s*\[[\s\d.,eE+-]*\]\s*,?\s*){5,}(\}|"|$)')
PHH = re.compile(r"^variant\s*=\s*['\"]", re.MULTILINE)
DEALER = re.compile(r"^STATE:\d+:", re.MULTILINE)
SOLVED = re.compile(r'\{\s*(?:"[^"]*\d[^"]*"\s*:\s*(?:true|false|null)\s*,?\s*){2,}(?:\}|"[^"]*"?\s*:?\s*[a-z]*$)')
"""An object of truth values whose keys are numbered, as instances are, and settings are not."""
REPORTED = re.compile(r'\{\s*"[^"]*\d[^"]*"\s*:\s*\{[^{}]*"resolved"\s*:\s*(?:true|false|null)')
"""An object of instances, each with a report that says whether it was resolved."""
BY_REPOSITORY = re.compile(r'\{\s*"[^"]+"\s*:\s*\{\s*"resolved"\s*:\s*\d+\s*,\s*"total"\s*:\s*\d+\s*\}')
BENCHMARK = re.compile(r",|\|\s*\|")
"""A header without a name over the tasks: delimited, or in Markdown."""
ONE_HOT = frozenset({"winner_model_a", "winner_model_b", "winner_tie"})
PLAYED = re.compile(
    r"^[ \t]*(?:Finished game \d+ \(.+ vs .+\): |Score of .+ vs .+: \d+ - \d+ - \d+|Results of .+ vs .+:[ \t]*\r?$)",
    re.MULTILINE,
)


def is_inspect(peek: Peek) -> bool:
    """A zip with a journal or a header, or JSON with the parts of a log."""
    if peek.names:
        return "header.json" in peek.names or "_journal/start.json" in peek.names
    return {"version", "status", "eval"} <= peek.keys or {"eval", "plan", "samples"} <= peek.keys


def is_lm_eval(peek: Peek) -> bool:
    """Results with a configuration, or one document after the other."""
    if peek.listed:
        return False
    if {"doc_id", "target", "filtered_resps"} <= peek.keys or {"doc_id", "doc", "target", "arguments"} <= peek.keys:
        return True
    return "results" in peek.keys and bool(
        peek.keys & {"group_subtasks", "configs", "versions", "n-shot"} or HARNESS_METRIC.search(peek.text)
    )


def is_helm(peek: Peek) -> bool:
    """The statistics of each instance."""
    return peek.listed and {"instance_id", "stats"} <= peek.keys


def is_openai_evals(peek: Peek) -> bool:
    """Lines of events after a specification."""
    spec = "spec" in peek.keys and "completion_fns" in peek.text
    return not peek.listed and (spec or {"run_id", "event_id", "sample_id", "type"} <= peek.keys)


def is_py_irt(peek: Peek) -> bool:
    """Lines with a subject and its responses to items."""
    return not peek.listed and {"subject_id", "responses"} <= peek.keys


def is_swe_bench(peek: Peek) -> bool:
    """Lists of instances by what became of them."""
    if peek.listed:
        return False
    lists = "no_generation" in peek.keys and bool(peek.keys & {"generated", "no_logs", "resolved"})
    harness = {"resolved_instances", "total_instances"} <= peek.keys
    return harness or lists or bool(BY_REPOSITORY.match(peek.text))


def is_solved(peek: Peek) -> bool:
    """Instances, each with true or false, or with a report that says so."""
    return bool(SOLVED.match(peek.text) or REPORTED.match(peek.text))


def is_tau_bench(peek: Peek) -> bool:
    """Tasks with a reward and how they went, or simulations."""
    if not peek.listed:
        return {"info", "tasks"} <= peek.keys and '"agent_info"' in peek.text
    return {"task_id", "reward"} <= peek.keys and bool(peek.keys & {"traj", "trial"})


def is_terminal_bench(peek: Peek) -> bool:
    """Trials of tasks, solved or not."""
    trials = '"task_id"' in peek.text and '"is_resolved"' in peek.text
    return not peek.listed and "results" in peek.keys and trials


def is_promptfoo(peek: Peek) -> bool:
    """Tests of prompts, each with its provider."""
    return "results" in peek.keys and '"testIdx"' in peek.text and '"provider"' in peek.text


def is_code_samples(peek: Peek) -> bool:
    """Samples of programs by task, with what became of their tests."""
    statuses = any(f'"{key}"' in peek.text for key in ("status", "base_status", "base"))
    return not peek.listed and {"eval", "date"} <= peek.keys and "/" in peek.text and statuses


def is_mteb(peek: Peek) -> bool:
    """The scores of a task by split, with the version of the tool or of the data."""
    return {"task_name", "scores"} <= peek.keys and bool(peek.keys & {"mteb_version", "dataset_revision"})


def is_fixtures(peek: Peek) -> bool:
    """Matches of two teams, with their scores."""
    if '"team1"' not in peek.text or '"team2"' not in peek.text:
        return False
    if peek.listed:
        return {"team1", "team2", "score"} <= peek.keys and '"ft"' in peek.text
    return bool(peek.keys & {"matches", "rounds"})


def is_arena(peek: Peek) -> bool:
    """Battles with what only arenas write, or three columns of which one is 1."""
    header = frozenset(cell.strip().strip('"') for cell in peek.first_line.split(","))
    return (peek.keys >= BATTLE and bool(peek.keys & OF_ARENAS)) or (header | peek.keys) >= ONE_HOT


def is_judgment(peek: Peek) -> bool:
    """Preferences of AlpacaEval, pairs of MT-bench, judgments of arena-hard and what it makes of them."""
    keys = peek.keys
    if {"generator_1", "generator_2", "preference"} <= keys or {"model_1", "model_2", "g1_winner", "g2_winner"} <= keys:
        return True
    return keys == BATTLE | {"question_id"} or (
        {"model", "judge", "games"} <= keys and bool(keys & {"question_id", "uid"})
    )


def is_single_judgment(peek: Peek) -> bool:
    """Scores of single answers by a judge."""
    return not peek.listed and {"question_id", "model", "judge", "score"} <= peek.keys


def is_pgn(peek: Peek) -> bool:
    """Headers of chess games, with the two players."""
    return bool(PGN.match(peek.text)) and '[White "' in peek.text and '[Black "' in peek.text


def is_fastchess(peek: Peek) -> bool:
    """The state of a tournament: engines, and results of pairs."""
    return not peek.listed and ({"engines", "stats"} <= peek.keys or {"engines", "sprt", "rounds"} <= peek.keys)


def is_cutechess(peek: Peek) -> bool:
    """Lines that a match of engines prints; notes for people that quote them (Markdown) are none."""
    return peek.suffix != ".md" and not peek.text.startswith(("{", "[")) and bool(PLAYED.search(peek.text))


def is_runs(peek: Peek) -> bool:
    """What learning agents scored, as Stable-Baselines3, rliable, openrlbenchmark and W&B write it."""
    head = peek.first_line
    if peek.names:
        return bool(peek.names) and all(name.endswith(".npy") for name in peek.names)
    if head.startswith("#{"):
        return '"env_id"' in head
    if peek.text.startswith(("{", "[")):
        return bool(SCORE_LISTS.match(peek.text)) or (peek.listed and {"task", "method", "ys"} <= peek.keys)
    exported = '__MIN"' in head or "__MIN," in head
    tables = bool(BENCHMARK.match(head)) and " ± " in peek.text and ("/" in head or "({" in head)
    return exported or "time/total_timesteps" in head or tables


def is_kaggle_env(peek: Peek) -> bool:
    """A replay: steps, and what game it is."""
    if peek.listed or not peek.text.startswith("{"):
        return False
    signs = {"configuration", "steps"} <= peek.keys or {"configuration", "specification", "schema_version"} <= peek.keys
    return signs and bool(peek.keys & {"name", "info", "rewards"})


def is_poker(peek: Peek) -> bool:
    """A hand history, or lines of a dealer."""
    history = bool(PHH.search(peek.text)) and "starting_stacks" in peek.text and "actions" in peek.text
    return history or bool(DEALER.search(peek.text) and not peek.text.startswith(("{", "[")))


_ALL = [
    LogFormat(
        "inspect", "Inspect AI logs", "evals.inspect_ai", is_inspect, ("scorer", "metric", "per"), runs=True
    ),
    LogFormat(
        "terminal-bench", "terminal-bench results", "evals.terminal_bench", is_terminal_bench, ("per",), runs=True,
        companions=frozenset({"run_metadata.json"}),
    ),
    LogFormat(
        "lm-eval", "lm-evaluation-harness logs", "evals.lm_eval", is_lm_eval, ("metric", "filter", "per"), runs=True
    ),
    LogFormat(
        "helm", "HELM runs", "evals.helm", is_helm, ("metric", "split", "per"), runs=True,
        companions=frozenset({"run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "instances.json"}),
    ),
    LogFormat("openai-evals", "openai/evals logs", "evals.openai_evals", is_openai_evals, ("metric", "per"), runs=True),
    LogFormat("py-irt", "py-irt responses", "evals.py_irt", is_py_irt, runs=True),
    LogFormat("swe-bench", "SWE-bench results", "evals.swe_bench", is_swe_bench, ("denominator", "per"), runs=True),
    LogFormat("solved", "results by instance", "evals.solved", is_solved, ("per",), runs=True),
    LogFormat("tau-bench", "tau-bench results", "evals.tau_bench", is_tau_bench, ("keep", "per"), runs=True),
    LogFormat("promptfoo", "promptfoo results", "evals.promptfoo", is_promptfoo, ("metric", "per"), runs=True),
    LogFormat(
        "code-samples", "EvalPlus and BigCodeBench results", "evals.code_samples", is_code_samples, ("metric", "per"),
        runs=True,
    ),
    LogFormat(
        "mteb", "MTEB results", "evals.mteb", is_mteb, ("metric", "split", "per"), runs=True,
        companions=frozenset({"model_meta.json"}),
    ),
    LogFormat("arena", "arena battles", "votes.arena", is_arena, ("keep",), tables=True),
    LogFormat("judgments", "judgments of pairs", "votes.judgments", is_judgment, ("keep",), tables=True),
    LogFormat(
        "single-judgments", "judgments of single answers", "votes.judgments:read_single", is_single_judgment, ("per",),
        tables=True, runs=True,
    ),
    LogFormat("pgn", "chess games (PGN)", "games.pgn", is_pgn, ("keep",)),
    LogFormat("fastchess", "fastchess results", "games.engine_matches:read_state", is_fastchess),
    LogFormat("cutechess", "outputs of cutechess and fastchess", "games.engine_matches:read_output", is_cutechess),
    LogFormat("fixtures", "fixtures of teams", "games.fixtures", is_fixtures),
    LogFormat("runs", "runs of learning agents", "tables.runs", is_runs, ("metric", "last"), tables=True),
    LogFormat("kaggle-env", "Kaggle replays", "games.kaggle_env", is_kaggle_env, ("keep",)),
    LogFormat("poker", "hands of poker", "games.poker", is_poker),
]  # fmt: skip
FORMATS: Mapping[str, LogFormat] = {known.name: known for known in _ALL}
"""By name, in the order in which files are held against them."""


def format_of_log(peek: Peek) -> LogFormat | None:
    """Say what kind of log a file is; None for anything else."""
    return next((known for known in FORMATS.values() if peek.start and known.recognises(peek)), None)


def is_companion(peek: Peek) -> bool:
    """Say whether a file only goes with a log beside it."""
    return any(peek.path.name in known.companions and peek.siblings - known.companions for known in FORMATS.values())
