"""Votes of a model on two answers (AlpacaEval, MT-bench pairs, arena-hard), and scores of single ones (MT-bench).

Of pairs, each question is a task, and a group: its votes are not independent. What was judged in both orders is two
games. ``keep`` may be ``fair``: each vote counts once; ``all``: strong votes of arena-hard count three times, as
it does itself; or ``graded``: each is one vote with its strength, A>>B a whole win and A>B three quarters of one.

Of single answers, turns of a question are tasks. ``per`` may be ``sample``: a task for each question and turn; or
``evaluation``: one for each judge. A score of -1 means that the judge gave none.

``on_error`` may be ``raise`` where a row cannot be understood or a score is no number, or ``skip`` it and say so.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.data.encode.outcomes import graded_score, outcome_score
from equipoise.data.types.matches import Matches
from equipoise.logs.files.json_files import number_of, objects_of
from equipoise.logs.format import LogReading, Notes, Run
from equipoise.logs.games.matches import Games, refuse_without_games
from equipoise.logs.tables.rows import rows_of, short_name

BASELINE = "gpt-4-0314"
"""What arena-hard compares with where its files do not say it."""
VERDICTS = {"A>>B": (1.0, True), "A>B": (1.0, False), "A=B": (0.5, False), "B>A": (0.0, False), "B>>A": (0.0, True)}
"""The first answer's score, and whether the vote is a strong one."""
STRONG = 3
"""How often arena-hard writes and counts a strong vote."""
NO_VERDICT = "without a vote"

Take = Callable[[Mapping[str, Any], Games, Notes, LogReading], str]


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:
    """Read votes of one kind or several; each question is a task and a group: its votes are not independent."""
    games = Games()
    for path in files:
        take: Take | None = None
        battles: list[dict[str, Any]] = []
        for number, row in rows_of(path):
            if "winner" in row and "model_a" in row:
                battles.append(row)
                continue
            take = take or _kind(row)
            if take is None:
                raise DataError(f"{path}: row {number:,} contains no vote on two answers")
            complaint = take(row, games, notes, how)
            if complaint and how.on_error == "raise":
                raise DataError(f"{path}: row {number:,}: {complaint}")
            if complaint:
                notes.drop("that contain no vote")
        _written_thrice(battles, games, notes, how, path)
    lost = notes.dropped.get(NO_VERDICT, 0)
    if lost:
        notes.warning("verdicts-missing", f"The judge gave no vote in {lost:,} games; they do not count.")
    refuse_without_games(len(games.first), "judgments", notes)
    return games.matches(ordered=False)


def _kind(row: Mapping[str, Any]) -> Take | None:
    signs = {"preference": _alpaca, "g1_winner": _mt_bench, "games": _arena_hard}
    return next((take for key, take in signs.items() if key in row), None)


def _alpaca(row: Mapping[str, Any], games: Games, notes: Notes, _: LogReading) -> str:
    """1 is the first answer, 2 the second, and what lies between a share; 0, as of old, is a draw."""
    notes.mapped("generator_1 (a)", "generator_2 (b)", "preference (outcome)", "instruction (task)")
    a, b = str(row.get("generator_1") or ""), str(row.get("generator_2") or "")
    preference = number_of(row["preference"])
    if preference is None or preference - preference:
        notes.drop(NO_VERDICT)
        return ""
    if not a or not b or not (preference == 0 or 1 <= preference <= 2):
        return f'"generator_1", "generator_2" and a preference from 1 to 2 are expected, not {row["preference"]}'
    if a == b:
        notes.drop("of a model against itself")
        return ""
    task = short_name(str(row.get("instruction") or ""))
    notes.use(1)
    games.add(a, b, 0.5 if preference == 0 else 2 - preference, task, task)
    return ""


def _mt_bench(row: Mapping[str, Any], games: Games, notes: Notes, _: LogReading) -> str:
    """A row is two games: the second with the answers in the other order."""
    notes.mapped("model_1, model_2 (a and b)", "g1_winner, g2_winner (outcome)", "question_id, turn (task)")
    first, second = str(row.get("model_1") or ""), str(row.get("model_2") or "")
    if not first or not second or first == second:
        return '"model_1" and "model_2" must name two models'
    task = _question(row)
    for key, a, b in (("g1_winner", first, second), ("g2_winner", second, first)):
        word = str(row.get(key) or "error").strip()
        score = {"model_1": 1.0, "model_2": 0.0, first: 1.0, second: 0.0}.get(word)
        score = 0.5 if word.lower().startswith("tie") else score
        if score is None and word != "error":
            return f'"{short_name(str(word))}" is no winner'
        if score is None:
            notes.drop(NO_VERDICT)
            continue
        notes.use(1)
        games.add(a, b, score if a == first else 1 - score, task, task)
    _once(notes, "judged-twice", "Each pair of answers was judged in both orders: two games on one question.")
    return ""


def _arena_hard(row: Mapping[str, Any], games: Games, notes: Notes, how: LogReading) -> str:
    """Two games against one baseline: in the first the baseline's answer comes first, in the second the model's."""
    notes.mapped("model, baseline (a and b)", "games.score (outcome)", "question_id (task)")
    model, baseline = str(row.get("model") or ""), row.get("baseline")
    if baseline is None:
        _once(notes, "baseline-assumed", f'The judgments do not name their baseline; it is taken to be "{BASELINE}".')
    other = str(baseline or BASELINE)
    if not model or not isinstance(row["games"], list):
        return '"model" and a list of "games" are expected'
    if model == other:
        notes.drop("of a model against itself", len(row["games"]))
        return ""
    task = _question(row)
    for place, game in enumerate(row["games"]):
        word = str((game or {}).get("score")).strip().strip("[]")
        verdict = VERDICTS.get(word)
        if verdict is None:
            notes.drop(NO_VERDICT)
            continue
        a, b = (other, model) if place % 2 == 0 else (model, other)
        notes.use(1)
        score = graded_score(word) if how.more.get("keep") == "graded" else None
        for _ in range(STRONG if verdict[1] and how.more.get("keep") == "all" else 1):
            games.add(a, b, verdict[0] if score is None else score, task, task)
    _once(notes, "judged-twice", "Each pair of answers was judged in both orders: two games on one question.")
    return ""


def _written_thrice(rows: list[dict[str, Any]], games: Games, notes: Notes, how: LogReading, path: Path) -> None:
    """Take battles as arena-hard writes them: two votes on a pair and question, a strong one written three times."""
    if not rows:
        return
    notes.mapped("model_a (a)", "model_b (b)", "winner (outcome)", "question_id (task)")
    votes: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for number, row in enumerate(rows, 1):
        score = outcome_score(str(row["winner"]))
        if score is None:
            raise DataError(f'{path}: row {number:,}: "{short_name(str(row["winner"]))}" is no winner')
        votes[_question(row), str(row["model_a"]), str(row["model_b"])].append(score)
    thrice = {2, 2 * STRONG, 1 + STRONG} >= {len(scores) for scores in votes.values()} and how.more.get("keep") != "all"
    again = 0
    for (task, a, b), scores in votes.items():
        again += len(scores) - 2 if thrice else 0
        if thrice:  # of four rows either the first three or the last three are one vote
            games.add(a, b, scores[0], task, task)
            games.add(b, a, 1 - scores[-1], task, task)
            continue
        for score in scores:
            games.add(a, b, score, task, task)
    notes.use(len(rows) - again)
    if again:
        notes.drop("that write a strong vote again", again)
        notes.info(
            "strong-verdicts-once",
            f"Strong votes are written {STRONG} times in the file; each counts once, which leaves out {again:,} rows.",
        )
    if thrice:
        _once(notes, "judged-twice", "Each pair of answers was judged in both orders: two games on one question.")


def _question(row: Mapping[str, Any]) -> str:
    name = next((str(row[key]) for key in ("question_id", "uid") if row.get(key) is not None), "")
    return name if row.get("turn") in (None, 1) else f"{name} turn {row['turn']}"


def _once(notes: Notes, code: str, sentence: str) -> None:
    if not any(note.code == code for note in notes.said):
        notes.info(code, sentence)


def read_single(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the score of each question and turn; -1 means that the judge gave none."""
    notes.mapped("model (agent)", "question_id, turn (task)", "score")
    missing = 0
    for path in files:
        for line, row in objects_of(path):
            score = number_of(row.get("score"))
            if score is None and how.on_error == "raise" and row.get("score") is not None:
                raise DataError(f'{path}: line {line:,}: the score "{short_name(str(row["score"]))}" is no number')
            if score is None or score < 0:
                notes.drop("without a score")
                missing += 1
                continue
            notes.use(1)
            turn = row.get("turn")
            item = str(row.get("question_id")) + (f" turn {turn}" if turn is not None else "")
            yield Run(str(row["model"]), f"judged by {_judge(row)}", [item], [score])
    if missing:
        notes.warning("samples-without-score", f"The judge gave no score to {missing:,} answers.")


def _judge(row: dict[str, Any]) -> str:
    judge = row.get("judge")
    return str(judge[0] if isinstance(judge, list) and judge else judge)
