"""Signs by which logs of games, battles and runs are told from each other and from tables."""

import re

from equipoise.logs.files.peek import Peek

__all__ = [
    "is_arena",
    "is_cutechess",
    "is_fastchess",
    "is_judgment",
    "is_kaggle_env",
    "is_pgn",
    "is_poker",
    "is_runs",
    "is_single_judgment",
]

BATTLE = frozenset({"model_a", "model_b", "winner"})
OF_ARENAS = frozenset({"anony", "tstamp", "judge", "judge_hash", "language", "conv_metadata", "conversation_a"})
PGN = re.compile(r'(?:(?:%|;)[^\n]*\n|\s)*\[[A-Za-z]\w*[ \t]+"[^\n]*\]\s*\n\s*\[')
SCORE_LISTS = re.compile(r'\{\s*(?:"[^"]+"\s*:\s*\[[\s\d.,eE+-]*\]\s*,?\s*){5,}(\}|"|$)')
PHH = re.compile(r"^variant\s*=\s*['\"]", re.MULTILINE)
DEALER = re.compile(r"^STATE:\d+:", re.MULTILINE)
ONE_HOT = frozenset({"winner_model_a", "winner_model_b", "winner_tie"})

PLAYED = re.compile(
    r"^[ \t]*(?:Finished game \d+ \(.+ vs .+\): |Score of .+ vs .+: \d+ - \d+ - \d+|Results of .+ vs .+:[ \t]*\r?$)",
    re.MULTILINE,
)


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
    """Monitors and progress of Stable-Baselines3, lists of scores by task, curves, and exported tables."""
    head = peek.first_line
    if head.startswith("#{"):
        return '"env_id"' in head
    if peek.text.startswith(("{", "[")):
        return bool(SCORE_LISTS.match(peek.text)) or (peek.listed and {"task", "method", "ys"} <= peek.keys)
    exported = '__MIN"' in head or "__MIN," in head
    return exported or "time/total_timesteps" in head or (head.startswith(",") and " ± " in peek.text and "/" in head)


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
