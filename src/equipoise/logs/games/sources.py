"""One reader a source of games, battles and runs, for who knows what the logs are."""

from typing import Any, Literal

from equipoise.core.options import checked, whole
from equipoise.data.readers.columns import OnError
from equipoise.data.readers.options import ReadOptions
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.scores import Scores
from equipoise.logs.files.paths import Source
from equipoise.logs.format import Per
from equipoise.logs.read import LogData, read_logs

__all__ = [
    "read_arena",
    "read_cutechess",
    "read_fastchess",
    "read_judgments",
    "read_kaggle_env",
    "read_pgn",
    "read_poker",
    "read_runs",
    "read_single_judgments",
]

Keep = Literal["fair", "all"]
"""Whether games count that a source itself would not count, or counts several times."""
KeepVerdicts = Literal["fair", "all", "graded"]
"""The same of verdicts, or the strength of each with it."""


def _read(source: Source, only: str, **given: Any) -> LogData:
    return read_logs(source, ReadOptions().also(**given), only=only)


def _matches(source: Source, only: str, **given: Any) -> Matches:
    data = _read(source, only, **given)
    assert isinstance(data, Matches)
    return data


@checked()
def read_arena(source: Source, *, keep: Keep = "fair", on_error: OnError = "raise") -> Matches:
    """Read battles of Chatbot Arena and of arenas like it, and of the contest on Kaggle.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    keep
        ``fair``: battles whose judge saw the names ("anony" is false) are left out, as the arenas do. ``all``: they
        count, too.
    on_error
        ``raise`` where a row has no winner, or ``skip`` it and say so.

    Fails when
        there are no such battles, or a winner is neither a side, a model nor a tie.
    """
    return _matches(source, "arena", keep=keep, on_error=on_error)


@checked()
def read_judgments(source: Source, *, keep: KeepVerdicts = "fair", on_error: OnError = "raise") -> Matches:
    """Read verdicts on pairs of answers: AlpacaEval annotations, MT-bench pairs, arena-hard judgments and battles.

    Each question is a task, and a group: its verdicts are not independent. What was judged in both orders is two games.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    keep
        ``fair``: each verdict counts once. ``all``: strong verdicts of arena-hard count three times, as it does itself.
        ``graded``: each is one vote with its strength, A>>B a whole win and A>B three quarters of one.
    on_error
        ``raise`` where a row cannot be understood, or ``skip`` it and say so.

    Fails when
        there are no such judgments.
    """
    return _matches(source, "judgments", keep=keep, on_error=on_error)


@checked()
def read_single_judgments(source: Source, *, per: Per | None = None, on_error: OnError = "raise") -> Scores:
    """Read scores that a model gave to single answers, as MT-bench writes them; turns of a question are tasks.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    per
        ``sample``: a task for each question and turn. ``evaluation``: one for each judge.
    on_error
        ``raise`` where a score is no number, or ``skip`` it and say so; -1 means that the judge gave none.

    Fails when
        there are no such judgments.
    """
    data = _read(source, "single-judgments", per=per, on_error=on_error)
    assert isinstance(data, Scores)
    return data


@checked()
def read_pgn(source: Source) -> Matches:
    """Read chess games: players, result, round and date of each, from the headers alone; White is the first side.

    Two games of a round between the same players are one group. Games without a result or without players are left
    out, and games that ended otherwise than by play are named.

    Parameters
    ----------
    source
        A file (packed or not), a folder, a glob, or a list of them.

    Fails when
        there are no such games, or none has a result.
    """
    return _matches(source, "pgn")


@checked()
def read_fastchess(source: Source) -> Matches:
    """Read the results that fastchess saves in its configuration; games counted in pairs are groups of two.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.

    Fails when
        there is no such file, or no game was played.
    """
    return _matches(source, "fastchess")


@checked()
def read_cutechess(source: Source) -> Matches:
    """Read what cutechess or fastchess printed: each finished game, or else the last score of two engines.

    Two games of an opening (1 and 2, 3 and 4 ...) are one group. Scores are printed again after each game: only the
    last one of two engines counts.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.

    Fails when
        there is no such file, no game was finished, or both engines have one name.
    """
    return _matches(source, "cutechess")


@checked(last=whole(1, none=True))
def read_runs(
    source: Source, *, metric: str | None = None, last: int | None = None, on_error: OnError = "raise"
) -> Scores:
    """Read scores of runs of learning agents; the runs of an agent on a task are its trials.

    Monitors and ``progress.csv`` of Stable-Baselines3, lists of scores by task (as rliable takes them, one file an
    agent), curves with ``task``, ``method``, ``seed`` and ``ys``, tables of openrlbenchmark, charts exported by W&B.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    metric
        Column of ``progress.csv``; by default the reward of its evaluations, or else of its training.
    last
        How many of the last episodes of a monitor are averaged; all by default.
    on_error
        ``raise`` where an episode has no reward, or ``skip`` it.

    Fails when
        there are no such runs, or they hold no score.
    """
    data = _read(source, "runs", metric=metric, last=last, on_error=on_error)
    assert isinstance(data, Scores)
    return data


@checked()
def read_kaggle_env(source: Source, *, keep: Keep = "fair") -> Matches:
    """Read replays of kaggle-environments: the higher reward wins; of more than two players each two are a match.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them.
    keep
        ``fair``: replays in which an agent failed (error, timeout, no legal move) are left out, for that is no loss by
        play. ``all``: they count as losses.

    Fails when
        there are no such replays, or none counts.
    """
    return _matches(source, "kaggle-env", keep=keep)


@checked()
def read_poker(source: Source, *, on_error: OnError = "raise") -> Episodes:
    """Read hands of poker: poker hand histories (PHH) with final stacks, and logs of the ACPC's dealer.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them; ACPC matches with one seed share their deals.
    on_error
        ``raise`` where a line is no hand, or ``skip`` it.

    Fails when
        there are no such hands, or none says what its players won.
    """
    data = _read(source, "poker", on_error=on_error)
    assert isinstance(data, Episodes)
    return data
