"""The kinds of logs of games, battles and runs that are known, as data."""

from equipoise.logs.format import LogFormat
from equipoise.logs.games import signatures as signs

__all__ = ["GAMES"]

GAMES = [
    LogFormat("arena", "arena battles", "equipoise.logs.votes.arena", signs.is_arena, ("keep",), tables=True),
    LogFormat(
        "judgments", "judgments of pairs", "equipoise.logs.votes.judgments", signs.is_judgment, ("keep",), tables=True
    ),
    LogFormat(
        "single-judgments",
        "judgments of single answers",
        "equipoise.logs.votes.single_judgments",
        signs.is_single_judgment,
        ("per",),
        tables=True,
    ),
    LogFormat("pgn", "chess games (PGN)", "equipoise.logs.games.pgn", signs.is_pgn),
    LogFormat("fastchess", "fastchess results", "equipoise.logs.games.fastchess", signs.is_fastchess),
    LogFormat("cutechess", "outputs of cutechess and fastchess", "equipoise.logs.games.cutechess", signs.is_cutechess),
    LogFormat(
        "runs", "runs of learning agents", "equipoise.logs.tables.runs", signs.is_runs, ("metric", "last"), tables=True
    ),
    LogFormat("kaggle-env", "Kaggle replays", "equipoise.logs.games.kaggle_env", signs.is_kaggle_env, ("keep",)),
    LogFormat("poker", "hands of poker", "equipoise.logs.games.poker", signs.is_poker),
]
