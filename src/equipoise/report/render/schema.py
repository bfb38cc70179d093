"""JSON Schemas of what the commands print: the envelope that all share, and the rows of each command's tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.data.datasets import BUNDLED
from equipoise.report.render.export import ENVELOPE, SCHEMA_VERSION
from equipoise.reproduce.papers import PAPERS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT: dict[str, Any] = {"type": "string"}
MAYBE_TEXT: dict[str, Any] = {"type": ["string", "null"]}
NUMBER: dict[str, Any] = {"type": ["number", "null"], "description": "null where no finite number exists"}
COUNT: dict[str, Any] = {"type": ["integer", "null"]}
SHARE: dict[str, Any] = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
YES_OR_NO: dict[str, Any] = {"type": "boolean"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
UNITS: dict[str, Any] = {"type": "object", "additionalProperties": TEXT}


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table: columns that are always there, columns that may be, and whether more can come."""

    always: Mapping[str, dict[str, Any]]
    perhaps: Mapping[str, dict[str, Any]]
    more: dict[str, Any] | bool = False

    def schema(self) -> dict[str, Any]:
        """Give the schema of the array of rows."""
        known = {**self.always, **self.perhaps}
        row = {
            "type": "object", "properties": known, "required": list(self.always), "additionalProperties": self.more
        }  # fmt: skip
        return {"type": "array", "items": row}


@dataclass(frozen=True, slots=True)
class Command:
    """What a command prints: tables that are always there, tables that may be, and single values of its own."""

    always: Mapping[str, Rows]
    perhaps: Mapping[str, Rows]
    values: Mapping[str, dict[str, Any]]


def _columns(kind: dict[str, Any], *names: str) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(names, kind)


def _ends(kind: dict[str, Any], *names: str) -> dict[str, dict[str, Any]]:
    return {f"{name}{end}": kind for name in names for end in ("_low", "_high")}


STATED = ("value", "stderr", "low", "high")
ESTIMATE = {"type": ["object", "null"], "properties": _columns(NUMBER, *STATED), "required": [*STATED]}
INTERVAL = {"type": ["object", "null"], "properties": {"kind": TEXT, "level": NUMBER}, "required": ["kind", "level"]}
METHOD = {"method": TEXT, "params": {"type": "object"}}
CYCLIC = {**_columns(NUMBER, "cyclic_share", "p_value"), "cycles": {"type": "array"}, "text": TEXT}
VERDICT = {"type": "object", "properties": CYCLIC, "required": [*CYCLIC]}


def _terms(name: str) -> Rows:
    numbers = _columns(NUMBER, "votes", "advantage", "stderr", "low", "high")
    return Rows({name: TEXT, **numbers, **_columns(SHARE, "first_share", "p_value"), "flagged": YES_OR_NO}, {})


BOARD = Rows(
    {
        "agent": TEXT, **_columns(NUMBER, "rating", "low", "high"), **_columns(COUNT, "rank_low", "rank_high"),
        "games": NUMBER, "win_rate": SHARE, **_columns(SHARE, "nash", "nash_low", "nash_high"),
        **_columns(NUMBER, "nash_average", "nash_average_low", "nash_average_high"),
        **_columns(SHARE, "alpha_rank", "alpha_rank_low", "alpha_rank_high"),
    },
    {**_columns(COUNT, "component", "island"), **_columns(COUNT, "plain_rank", "controlled_rank"),
     "change_verdict": {"enum": ["rose", "fell", "within noise"]}},
    more=NUMBER,
)  # fmt: skip
SCALE: dict[str, Any] = {"enum": ["elo", "logit"]}
PLACED = {"agent": TEXT, **_columns(NUMBER, "rating", "low", "high", "games"),
          **_columns(COUNT, "rank_low", "rank_high")}  # fmt: skip
EVIDENCE = Rows({"evidence": TEXT, "games": NUMBER, **_columns(SHARE, "score", "low", "high", "chance")}, {})
CHANGES = Rows(
    {"agent": TEXT, **_columns(NUMBER, "change", "low", "high", "old", "new"),
     **_columns(COUNT, "old_rank", "new_rank"), "verdict": {"enum": ["rose", "fell", "within noise", "unknown"]}},
    {"by_newcomers": NUMBER},
)  # fmt: skip
COVARIATES = Rows({"covariate": TEXT, **_columns(NUMBER, "coefficient", "stderr", "low", "high", "scale")}, {})
CONTROLLED_NUMBERS = ("lc_win_rate", "stderr", "low", "high", "win_rate", "phi", "phi_stderr", "psi", "theta", "games")
CONTROLLED = Rows(
    {"agent": TEXT, **_columns(NUMBER, *CONTROLLED_NUMBERS), **_columns(COUNT, "rank_low", "rank_high")}, {}
)
FIGURE_WORDS = _columns(TEXT, "paper", "figure", "where", "verdict", "beside")
FIGURES = Rows({**FIGURE_WORDS, **_columns(MAYBE_TEXT, "published", "ours", "because")}, {})
CHANGED = Rows({"task": TEXT, **_columns(NUMBER, "base", "new", "difference")}, {})
COMMANDS: dict[str, Command] = {
    "rank": Command(
        {"agents": BOARD}, {"covariates": COVARIATES, "nash_averages": Rows({"agent": TEXT}, {}, more=NUMBER)},
        {**METHOD, "scale": SCALE, "verdict": VERDICT, "side": ESTIMATE, "tie": ESTIMATE, "interval": INTERVAL,
         "log_likelihood": NUMBER},
    ),
    "compare": Command(
        {"evidence": EVIDENCE}, {},
        {**METHOD, **_columns(TEXT, "first", "second"), **_columns(SHARE, "anytime_low", "anytime_high"),
         **_columns(NUMBER, "e_first", "e_second", "settled_at", "more_games"), "interval": INTERVAL},
    ),
    "categories": Command(
        {"agents": Rows(PLACED, {}, more=NUMBER)}, {},
        {**METHOD, "scale": SCALE, "by": TEXT, "tau": ESTIMATE, "differ": YES_OR_NO, "side": ESTIMATE,
         "dispersion": NUMBER, "interval": INTERVAL, "log_likelihood": NUMBER, "special": {"type": "array"},
         "boards": {"type": "array", "items": {
             "type": "object",
             "properties": {"category": TEXT, "games": NUMBER,
                            "agents": Rows(PLACED, {}, more=NUMBER).schema()},
             "required": ["category", "games", "agents"],
         }}},
    ),
    "length": Command(
        {"controlled": CONTROLLED}, {},
        {**METHOD, "interval": INTERVAL, "baseline": TEXT, "difficulty": {"type": "object"}},
    ),
    "place": Command(
        {"agents": Rows(
            {"agent": TEXT, **_columns(NUMBER, "rating", "low", "high", "games", "would_move"), "newcomer": YES_OR_NO},
            {},
        )},
        {},
        {**METHOD, "scale": SCALE, "held": TEXT, "interval": INTERVAL,
         "contradiction": {"type": ["object", "null"],
                           "properties": {"statistic": NUMBER, "degrees": COUNT, "p_value": SHARE},
                           "required": ["statistic", "degrees", "p_value"]}},
    ),
    "changes": Command(
        {"changes": CHANGES}, {},
        {**METHOD, "since": TEXT, "arrived": TEXTS, "gone": TEXTS, "shift": NUMBER, "interval": INTERVAL},
    ),
    "clean": Command(
        {"boards": Rows(
            {"board": TEXT, **_columns(COUNT, "rows", "costs"), "agent": MAYBE_TEXT,
             **_columns(NUMBER, "change", "low", "high"), **_columns(COUNT, "beyond_noise", "reranked"),
             "leader": MAYBE_TEXT, "leader_changes": {"type": ["boolean", "null"]}},
            {},
         ),
         "agents": Rows({"agent": TEXT, "rating": NUMBER}, {}, more=NUMBER)},
        {},
        {**METHOD, "steps": {"type": "object", "additionalProperties": COUNT}, "used": COUNT, "leader": TEXT,
         "interval": INTERVAL},
    ),
    "tasks": Command(
        {
            "agents": Rows(
                {"agent": TEXT, "skill": NUMBER, "agent_p": SHARE, "uniform_skill": NUMBER,
                 **_columns(COUNT, "rank_low", "rank_high", "lost_to_leader")},
                {**_columns(NUMBER, "iqm", "mean", "median", "mean_rank"), **_ends(NUMBER, "iqm", "mean", "median"),
                 **_ends(NUMBER, "skill", "agent_p")},
            ),
            "nash": Rows(
                {"agent": TEXT, "skill": NUMBER, "agent_p": SHARE, "uniform_skill": NUMBER},
                _ends(NUMBER, "skill", "agent_p"),
            ),
            "tasks": Rows(
                {"task": TEXT, "difficulty": NUMBER, "task_p": SHARE, "uniform_difficulty": NUMBER,
                 "duplicate_of": MAYBE_TEXT, "decides_top": YES_OR_NO},
                _ends(NUMBER, "difficulty", "task_p"),
            ),
        },
        {
            "aggregates": Rows(
                {"agent": TEXT, **_columns(NUMBER, "iqm", "median", "mean", "optimality_gap"),
                 **_ends(NUMBER, "iqm", "median", "mean", "optimality_gap"),
                 **_columns(COUNT, "rank_low", "rank_high"), "group": TEXT},
                {},
            ),
            "profile_shares": Rows({"agent": TEXT}, {}, more=SHARE),
            "pairs": Rows(
                {"agent": TEXT, "other": TEXT, "tied": YES_OR_NO, **_columns(NUMBER, "difference", "low", "high")}, {}
            ),
            "by_task": Rows({"task": TEXT, **_columns(NUMBER, "difference", "low", "high", "mean", "other_mean")}, {}),
            "learning": Rows({"agent": TEXT, **_columns(NUMBER, "reached", "earliest", "latest", "final_iqm")}, {}),
            "improvement": Rows(
                {"agent": TEXT, "other": TEXT, "tied": YES_OR_NO, "difference": NUMBER, **_ends(NUMBER, "difference"),
                 "improvement": SHARE, **_ends(SHARE, "improvement")},
                {},
            ),
        },
        {**METHOD, "value": NUMBER, "exploitability": NUMBER, "kkt": NUMBER, "interval": INTERVAL,
         "audit": {"type": "object"}, "verdict": {"type": "object"}, "board": {"type": "object"},
         "curves": Rows({"agent": TEXT, **_columns(NUMBER, "step", "iqm", "low", "high")}, {}).schema(),
         "profile": Rows({"agent": TEXT, "threshold": NUMBER, **_columns(SHARE, "share", "low", "high")}, {}).schema()},
    ),
    "irt": Command(
        {"agents": Rows({"agent": TEXT, **_columns(NUMBER, "ability", "low", "high")}, {}, more=NUMBER)},
        {
            "items": Rows(
                {"item": TEXT, **_columns(NUMBER, "difficulty", "discrimination"), "flags": TEXTS},
                {}, more={"type": ["number", "integer", "boolean", "null"]},
            ),
            "to_check": Rows(
                {"item": TEXT, **_columns(NUMBER, "difficulty", "discrimination"), "flags": TEXTS},
                {}, more={"type": ["number", "integer", "boolean", "null"]},
            ),
            "by_correct": Rows({"share": SHARE, "agents": COUNT, **_columns(NUMBER, "ability", "low", "high")}, {}),
            "generality": Rows({"agent": TEXT, **_columns(NUMBER, "generality", "regularity", "ability")}, {}, NUMBER),
            "fits": Rows({"fit": TEXT, "items": COUNT, "reliability": NUMBER, "leader": MAYBE_TEXT,
                          "rank_changes": {"type": ["integer", "null"]}}, {}),
            "agent_indicators": Rows({"agent": TEXT, **_columns(NUMBER, "ability", "generality")}, {}, NUMBER),
            "item_indicators": Rows({"item": TEXT, **_columns(NUMBER, "difficulty", "discrimination")}, {}, NUMBER),
        },
        {**METHOD, "interval": INTERVAL, "log_likelihood": NUMBER, "before": {"type": "object"}},
    ),
    "predict": Command(
        {
            "agents": Rows(
                {"agent": TEXT, **_columns(SHARE, "low", "high", "plain"), "answered": NUMBER,
                 **_columns(NUMBER, "score", "stderr", "plain_stderr", "saving")},
                {},
            ),
        },
        {}, {**METHOD, "interval": INTERVAL, "n_items": COUNT, "calibrated_on": TEXT},
    ),
    "luck": Command(
        {
            "agents": Rows(
                {"agent": TEXT, "hands": COUNT, "deals": COUNT,
                 **_columns(NUMBER, "mean", "mean_stderr", "estimate", "stderr", "low", "high", "reduction",
                            "multiplier")},
                {"hands_needed": COUNT},
            ),
        },
        {}, {**METHOD, "interval": INTERVAL, "coefficient": {"type": "object"}},
    ),
    "metagame": Command(
        {},
        {
            "profiles": Rows({"profile": TEXT}, {**_columns(SHARE, "pi", "low", "high", "pi_low", "pi_high"),
                                                 "in_mcc": {"type": ["boolean", "string"]}, "rank": COUNT}),
            "edges": Rows({"from": TEXT, "to": TEXT, "gap": NUMBER}, {}, more=True),
            "alphas": Rows({"alpha": NUMBER, "distance": NUMBER}, {}, more=SHARE),
            "proposals": Rows({"profile": TEXTS, "play": COUNT, "reason": TEXT}, {}),
        },
        {**METHOD, "edges": COUNT},
    ),
    "plan": Command(
        {
            "pairs": Rows(
                {"first": TEXT, "second": TEXT, "play": COUNT, "games": NUMBER, "score": SHARE, "needed": NUMBER,
                 "verdict": {"enum": ["first", "second", "equal", "undecided"]}},
                {},
            ),
        },
        {"decided_pairs": Rows({"first": TEXT, "second": TEXT, "score": SHARE, "games": NUMBER,
                                "verdict": {"enum": ["first", "second", "equal"]}}, {}, more=NUMBER)},
        {**METHOD, "goal": TEXT, "budget": COUNT, "decided": COUNT, "sample_sizes": {"type": "array"}},
    ),
    "judges": Command(
        {"judges": _terms("judge"), "agents": _terms("agent")},
        {"own": Rows({"judge": TEXT, "votes": NUMBER, **_columns(NUMBER, "preference", "stderr", "low", "high"),
                      "p_value": SHARE, "flagged": YES_OR_NO}, {}),
         "raters": Rows({"rater": TEXT, "votes": NUMBER, **_columns(NUMBER, "alpha", "low", "high"),
                         "p_value": SHARE, "odd": YES_OR_NO}, {})},
        {**METHOD, "side": ESTIMATE, "interval": INTERVAL, "self_preference": ESTIMATE,
         **_columns(NUMBER, "judges_common", "judges_spread", "agents_spread"),
         **_columns({"type": ["object", "null"]}, "orders", "agreement")},
    ),
    "arena_status": Command(
        {"players": Rows(
            {"agent": TEXT, **_columns(NUMBER, "rating", "low", "high"), **_columns(COUNT, "rank_low", "rank_high"),
             "score": SHARE, "mean": NUMBER, **_columns(COUNT, "trials", "won", "drawn", "lost", "forfeits")},
            _columns(NUMBER, "adjusted", "adjusted_low", "adjusted_high"),
        )},
        {"decisions": Rows(
            {"said": TEXT, "block": COUNT, "blocks": COUNT, "status": {"enum": ["holds", "withdrawn", "post hoc"]}}, {}
        ),
         "ratings": Rows({}, {}, more=True),
         "crosstable": Rows({"agent": TEXT, "against": {"type": "object"}}, {}),
         "workers": Rows({"worker": TEXT, **_columns(COUNT, "playing", "results"), "seconds": NUMBER}, {}),
         "failures": Rows({**_columns(TEXT, "player", "what", "reason"), "game": COUNT, "time": NUMBER}, {})},
        {"name": TEXT, "counted": COUNT, "params": {"type": "object"}, "activity": {"type": "object"},
         "luck": {"type": ["object", "null"]},
         "state": {"enum": ["running", "paused", "answered", "spent", "stopped"]}, "progress": {"type": "object"},
         "verdict": {"type": ["object", "null"]}},
    ),
    "choose": Command(
        {"agents": Rows({"agent": TEXT}, {}, more=True), "rules": Rows(_columns(TEXT, "rule", "order"), {}, more=True),
         "pairs": Rows(_columns(TEXT, "agent", "other"), {}, more=True)},
        {}, {**METHOD, "rule": TEXT, "condorcet": MAYBE_TEXT, **_columns(NUMBER, "value", "bound"),
             **_columns({"type": "array"}, "layers", "smith", "schwartz", "uncovered")},
    ),
    "explain": Command(
        {name: Rows(_columns(TEXT, "summary", "asks", "certainty"), {}, more=True)
         for name in ("summaries", "properties")},
        {"missing": Rows(_columns(TEXT, "summary", "missing"), {}, more=True)},
        {},
    ),
    "arena_show": Command(
        {}, {},
        {**_columns({"type": "array"}, "attempts", "pairs", "last_games"), "complete": YES_OR_NO,
         **_columns(TEXT, "name", "first", "second"), **_columns(COUNT, "number", "block", "won", "drawn", "lost")},
    ),
    "methods": Command(
        {"methods": Rows(_columns(TEXT, "method", "takes", "answers", "reference", "package"), {})}, {}, {}
    ),
    "gate": Command(
        {"tasks": CHANGED}, {"changed": CHANGED},
        {**METHOD, **_columns(TEXT, "base", "new", "direction", "over"), "verdict": MAYBE_TEXT, "worse": COUNT,
         "better": COUNT, "more_tasks": COUNT,
         **_columns(NUMBER, "difference", "low", "high", "stderr", "level", "margin", "smallest_margin")},
    ),
    "eval-in-parts": Command(
        {"tasks": Rows({"task": TEXT, "score": NUMBER}, {})}, {},
        {**METHOD, "agent": TEXT, **_columns(COUNT, "size", "run"), "verdict": MAYBE_TEXT,
         **_columns(NUMBER, "score", "low", "high", "level"), **_columns({"type": "object"}, "gate", "predicted")},
    ),
    "data": Command(
        {},
        {"sets": Rows(_columns(TEXT, "name", "kind", "about", "source"), {}), "rows": Rows({}, {}, more=True),
         "public": Rows(_columns(TEXT, "name", "about", "source", "licence", "fetch"), {})}
        | {name: Rows({}, {}, more=True) for name in BUNDLED},
        {},
    ),
    "reproduce": Command(
        {}, dict.fromkeys((*PAPERS, "programs"), FIGURES),
        {"verdicts": {"type": "object"}, "missing": {"type": "array"}},
    ),
}  # fmt: skip
"""Every command that prints JSON."""

SHARED: dict[str, dict[str, Any]] = {
    "equipoise": {**TEXT, "description": "The version that made the document."},
    "parameters": {"type": "object", "description": "All options of the command, the seed included."},
    "data": {
        "description": "What identifies the data; null where the command takes none.",
        "type": ["object", "null"],
        "properties": {
            "file": MAYBE_TEXT,
            "kind": {"enum": ["matches", "pairs", "scores", "metagame", "episodes"]},
            "rows": {"type": "integer"},
            "agents": {"type": "integer"},
            "tasks": {"type": "integer"},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "account": {
                "description": "What became of the rows and columns of the file: rows = used + all dropped, by reason.",
                "type": ["object", "null"],
                "properties": {
                    "rows": {"type": "integer"},
                    "used": {"type": "integer"},
                    "dropped": {"type": "object", "additionalProperties": {"type": "integer"}},
                    "columns_used": {"type": "array", "items": TEXT},
                    "columns_not_used": {"type": "array", "items": TEXT},
                    "days": {"description": "First and last day.", "type": "array", "items": TEXT},
                },
                "required": ["rows", "used", "dropped", "columns_used", "columns_not_used"],
            },
        },
        "required": ["file", "kind", "rows", "agents", "sha256", "account"],
    },
    "tables": {
        "description": "How many rows each table has, and the unit of each column that has one.",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {"rows": {"type": "integer"}, "units": UNITS},
            "required": ["rows", "units"],
        },
    },
    "units": {**UNITS, "description": "The units of single numbers beside the tables."},
    "words": {**TEXTS, "description": "The answer in sentences, first things first."},
    "diagnostics": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"code": TEXT, "severity": {"enum": ["info", "warning"]}, "message": TEXT, "subjects": TEXTS},
            "required": ["code", "severity", "message", "subjects"],
            "additionalProperties": False,
        },
    },
}


def schema_of(command: str) -> dict[str, Any]:
    """Give the schema of what a command prints with ``--format json``."""
    prints = COMMANDS[command]
    tables = {name: rows.schema() for name, rows in (*prints.always.items(), *prints.perhaps.items())}
    name = {"const": f"equipoise/{command}"}
    mark = {"name": name, "version": {"const": SCHEMA_VERSION}}
    head = {"schema": {"type": "object", "properties": mark, "required": [*mark]}, "command": {"const": command}}
    # A name may stand for a table in one way of showing things and for a number in another.
    values = {key: {"anyOf": [tables[key], kind]} if key in tables else kind for key, kind in prints.values.items()}
    # Of tables that may be there, one is, where none is there always.
    some = {} if prints.always or not prints.perhaps else {"anyOf": [{"required": [name]} for name in prints.perhaps]}
    return {
        "$schema": DIALECT,
        "title": f"equipoise {command} --format json",
        "type": "object",
        "properties": {**head, **SHARED, **tables, **values},
        "required": [*ENVELOPE, *prints.always],
        **some,
    }
