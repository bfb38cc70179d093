"""The page of the site on files: every kind of file, header and word that the readers know, from their own tables."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from equipoise.data.encode.cells import GAPS
from equipoise.data.encode.outcomes import CODES, OUTCOME_WORDS
from equipoise.data.files.formats import COMPRESSIONS, FORMATS, TABLED
from equipoise.data.readers import columns
from equipoise.data.readers.clusters import FEWEST
from equipoise.data.readers.covariate_columns import USUAL
from equipoise.data.readers.cross_tables import PAYOFFS
from equipoise.data.readers.implausible import ROW_NAMES, ROW_NUMBERS
from equipoise.data.readers.orders import PLACES, SHARED_GAMES
from equipoise.data.readers.outcome_question import CODED
from equipoise.data.readers.task_columns import AVERAGES, NO_TASKS, TWINS
from equipoise.data.readers.wide.known_names import KNOWN_TASKS
from equipoise.data.readers.wide.label_columns import FREQUENCIES
from equipoise.logs.registry import FORMATS as LOGS

__all__ = ["files_reference", "your_file_reference"]

HEAD = """# Files and headers

Everything that readers recognise, made from their own tables by `make exports`.
Names are compared in their plainest form: `Home.Team`, `home team` and `home_team` are one; earlier names win over
later ones. What is not recognised can be named (`--agents`, `--score`, `--agent` ...; `ReadOptions` in
Python). What could be read in two ways is asked back, in one line that names the option to answer with.

Every row has as many fields as the header, or the file is refused with the line; `on_error="skip"` (`--on-error skip`)
leaves such rows out and counts them, up to a tenth of a table (`skip-all`: any number). Data know what became of each
row and column: `data.account`, under `data` in JSON, on the page of a report, and with `--verbose` on the terminal.
"""

LOOKED_AT = """What else a file says is on a page of its own: [what Equipoise looks at in your file](your-file.md).
"""

YOUR_FILE = """# What Equipoise looks at in your file

Columns that say more than who won or scored are used without being asked, because numbers that leave them out are
wrong: four equal models judged by 20 people in 1,000 votes are ranked apart in 36 of 100 such files where votes are
taken for independent, and in 4 of 100 where they are clustered by voter. Columns are found by their names, in any
spelling (`Voter ID`, `voter_id`), as long as nothing else in the reading takes them; a note says which were used. The
questions (`rank`, `compare`, `tasks` ... and their commands) look by themselves; readers do so with `group="auto"`.
The tables below are made from those of the readers.

"""

ASIDE = """
What is not looked at: columns with other names (name them: `--cluster`, `--adjust`, `categories FILE COLUMN`), lists
and structures inside cells, and anything in counted results or square tables, which have no single games. A column
that was named is always used as it was named. `--verbose` (or `data.account` in Python) says what became of each
column.
"""

MATCHES = """## Match logs and counted results

Read by `read_matches` and `read_pairs`, and by `equipoise rank` and `plan`. A row is a match with an outcome, or counts
the results of a pair. A square table whose first column repeats its header is read as win rates or as counts of wins.
"""

NAMES = """Names that differ only in case, look-alike letters (Cyrillic, Greek), Unicode forms, dashes and blanks are
pointed out, and so are names with and without a version at the end, and an agent called `none`, `null`, `unknown` ...;
`merge_names="spelling"` or `"versions"` (`--merge-names`) joins them under the spelling that comes most often.
"""

COUNTS = """Where a row has an outcome, or names a winner and a loser, a column that counts says how often the row
happened; with a count, an outcome is that of each game or their mean. `weight="none"` (`--weight none`) counts every
row once. A column that looks like a count and has no place (two of them, or `wins` beside an outcome) is asked back.
"""

CODES_HEAD = """A number from 0 to 1 is the first side's score. In a column that says who won ({names}) bare 0, 1 and 2
are asked back, unless they are names of the two sides; `score_means` (`--score-means`) says what they are:
"""

REPEATS = """Rows that repeat an earlier one are counted in a note; `duplicates="drop"` or `"error"`
(`--duplicates`) does more. They repeat where the row's id, both sides and whatever tells rows of one id apart agree
(its time, who voted, the round, the moves), or where all columns do and one of them says when or on what. Dropping is
not advised where rows that agree in all but the result have other results, too: they are several games or votes.
"""

LETTERS = """Beside columns of home and away H and A are those two, beside left and right L and R; elsewhere A is the
first side. A word that is the name of a side's column, or begins it (`response_1` of `response_1_model`), is that side.
"""

CROWDS = """Free-for-alls and ranked ballots are read by `read_rankings` and `read_ballots`, and by `equipoise choose`:
a column of places ({places}) beside one of games or voters ({games});
a column a choice (`rank_1`, `2nd choice`); PrefLib files (`.soc`, `.soi`, `.toc`, `.toi`). A third side is refused.
"""

LOG_HEAD = """## Logs of other tools

Recognised by what is in a file. Options are given as `--metric`, `--read per=sample` ...; each format has its page
under [logs](../logs/index.md).
"""

SCORES = """## Scores

Read by `read_scores`, and by `equipoise tasks` and `irt`. A long table has a row for each agent, task and trial; a wide
one a row for each agent and a column for each task, or the reverse. `true` and `false` are 1 and 0. The same agent and
task come again only with a run (in a wide table, rows of an agent, or of a task, with a column of runs); otherwise that
is asked back (`duplicates`). A task or an agent may be several columns: `--task game,level`.
"""

SIDES = """The names of a wide table's rows stand in the column that is called so, else in the first; `--agent` or
`--task` names it, and `--task` says that its rows are tasks. Which side is which is told by the header of the names
({tasks} ... above tasks; {agents} ...
above agents); where that is silent, by names that are known ({known:,} environments, data sets and benchmarks, forms of
their ids, algorithms, families of language models); where these are silent, by scores: those of one task share a scale,
so lines whose scales differ tenfold are tasks (percentages do not tell). A note says what told. Where nothing tells the
reader asks for `--agents-in rows` or `--agents-in columns` (`agents_in=`).
"""

WIDE = """In a wide table these columns are left out, and named: text; flags, where others are numbers; averages, by
name or because they are the mean of other columns (where that is the average of the whole table, its parts
are the tasks); the same scores in other units; numbers that describe an agent or the precision of a score.
`tasks` and `not_tasks` (`--tasks a,b`, `--not-tasks c`) choose otherwise. Where rows have no names, {freq} says how
often each happened. Asked back: a first column that numbers the rows ({rows}) or counts steps, agents called true or
false, counts beside their total, one task on which all score the same.
"""

HANDS = """## Dealt hands

Read by `read_episodes`, and by `equipoise luck`. A row is one seat of one hand.
"""

PAYOFF = """## Payoffs

Read by `read_metagame`, and by `equipoise metagame`: a square table, or JSON with K nested lists under one of {keys},
and the names of `strategies`.
"""


def files_reference() -> str:
    """Give the page."""
    parts = [
        HEAD,
        *_formats(),
        LOOKED_AT,
        MATCHES,
        *_matches(),
        SCORES,
        *_scores(),
        HANDS,
        *_hands(),
        LOG_HEAD,
        *_logs(),
    ]
    return "\n".join([*parts, PAYOFF.format(keys=_code(PAYOFFS))])


def _formats() -> list[str]:
    kinds = groupby(sorted(FORMATS.items(), key=itemgetter(1)), key=itemgetter(1))
    rows = [(kind, _code(ending for ending, _ in endings)) for kind, endings in kinds]
    packed = f"Compressed as {_code(COMPRESSIONS)}: all but {', '.join(TABLED)}; these hold tables (`--table`)."
    return ["## Kinds of files", "", *_table(("kind", "endings"), rows), "", packed, ""]


def _matches() -> list[str]:
    rows = [
        ("two sides", _sets(columns.PAIRS)),
        ("winner and loser, no outcome needed", _sets(columns.WINNER_AND_LOSER)),
        ("outcome", _code(columns.OUTCOMES)),
        ("points of each side, more wins", _sets(columns.POINTS)),
        ("verdicts in both orders, ties where they disagree", _sets(columns.JUDGED_TWICE)),
        ("wins of each side", _sets(columns.WIN_COUNTS)),
        ("wins and games", _sets(columns.GAMES)),
        ("wins and games by side", f"`{columns.WINS_AS}X`/`{columns.GAMES_AS}X` for two sides X"),
        ("losses, ties beside them", f"{_code(columns.LOSSES)}; {_code(columns.TIES)}"),
        ("how often a row happened", _code([*columns.WEIGHTS, *columns.ROW_COUNTS])),
        ("likewise, beside a winner and a loser", _code(columns.ROW_WINS)),
        ("a row's id", _code(columns.ROW_IDS)),
        ("when, or on what", _code([*columns.TIMES, *columns.CONTEXT_IDS])),
        ("which of several games", _code([*columns.ROUNDS, *columns.MOVES])),
    ]
    words = [
        (said, _code(word for word, score in OUTCOME_WORDS.items() if score == value))
        for said, value in (("first side", 1.0), ("second side", 0.0), ("tie", 0.5))
    ]
    return [
        *_table(("columns", "names"), rows), "", COUNTS,
        "Words in the outcome column, in any case, and the sides' names or columns:", "",
        *_table(("outcome", "words"), words), "", LETTERS,
        CODES_HEAD.format(names=_code(columns.WHO_WON)), *_codes(), "", REPEATS, NAMES,
        CROWDS.format(places=_code(PLACES), games=_code(SHARED_GAMES)),
    ]  # fmt: skip


def your_file_reference() -> str:
    """Give the page on columns that are used without being asked."""
    few = f"Fewer than {FEWEST} values are hardly a sample: results are then for these, and are said to be"
    parts = [
        ("Who voted, who judged, on what", "Errors are clustered by all of these columns that are found (at most three,"
         f" those with the fewest values). {few}. `--cluster none` turns it off, `--cluster COLUMN` names one.",
         [("who voted", columns.VOTERS), ("who judged", columns.JUDGES), ("what was voted on", columns.PROMPTS)]),
        ("Rounds and times", "Whether pairs followed results, as in a Swiss tournament or a ladder: agents are then"
         " rated as drawn from a population (`--pairing fixed`: not). Times also tell whether agents changed while they"
         " played, before ratings are said not to explain the games.",
         [("rounds", columns.ROUNDS), ("times", columns.TIMES)]),
        ("Named positions", "An advantage of the first position that shows is in the model (`--no-position` leaves it"
         " out). Of other pairs of names, such as `model_a` and `model_b`, it is said, with `--position` to adjust.",
         [("first position", sorted(columns.SIDED))]),
        ("Runs of scores", "Whether runs share something over tasks, such as one checkpoint on every task: intervals"
         " then take whole runs as the sample (`--runs shared|independent` says it), and games that `rank` makes of"
         " scores are clustered by run.",
         [("runs", columns.TRIALS)]),
        ("Groups of items", "Whether items of a group move together beyond what ability explains (a warning), and, of"
         " fewer than 100 agents, intervals of abilities that take the groups as the sample.",
         [("groups", columns.TESTLETS)]),
        ("On a page (`report`, `--page`)", "A section for each: boards by category, how much of a rating is the style"
         " of answers, voters and judges.",
         [("categories", columns.CATEGORIES), ("style, a column for each side",
          [name for usual, others in USUAL.items() for name in (usual, *others)])]),
    ]  # fmt: skip
    lines = [YOUR_FILE.rstrip()]
    for title, said, rows in parts:
        named = [(role, _code(names)) for role, names in rows]
        lines += ["", f"## {title}", "", said, "", *_table(("columns", "names"), named)]
    return "\n".join(lines) + "\n" + ASIDE


def _codes() -> list[str]:
    said = {1.0: "first side", 0.0: "second side", 0.5: "tie"}
    rows = [("`first-score`, `second-score`", "score of that side, from 0 to 1")]
    rows += [
        (f"`{means}`", ", ".join(f"{code:g}: {said[score]}" for code, score in codes.items()))
        for means, codes in CODES.items()
    ]
    graded = "1 to 3, 5, 7 or 9, 0 to 4, 6, 8 or 10, or -2 to 2: the middle a tie, the ends clear wins"
    rows.append(("`graded`, `graded-reversed`", graded))
    rows.append(("`good=1,poor=0`", "words of your own and what each counts; in tables of scores, too"))
    known = [f"{_code(header)} are taken for `{means}`." for header, means in CODED.items()]
    return [*_table(("score_means", "numbers"), rows), "", *known]


def _scores() -> list[str]:
    rows = [
        ("agent", _code(columns.AGENTS)), ("task", _code(columns.TASKS)), ("score", _code(columns.SCORES)),
        ("trial", _code(columns.TRIALS)), ("cells without a score", _code(gap for gap in GAPS if gap)),
    ]  # fmt: skip
    left = [
        ("averages", _pattern(AVERAGES.pattern)), ("other units", _pattern(TWINS.pattern)),
        ("no scores", _pattern(NO_TASKS.pattern)),
    ]  # fmt: skip
    unsure = f"{_code(sorted(columns.UNSURE_TASKS))} name tasks only where agents repeat."
    sides = SIDES.format(
        tasks=_code(("game", "env", "task", "dataset")),
        agents=_code(("model", "agent", "player")),
        known=len(KNOWN_TASKS),
    )
    wide = WIDE.format(freq=_code(sorted(FREQUENCIES)), rows=_code(sorted((ROW_NAMES | ROW_NUMBERS) - {""})))
    return [*_table(("columns", "names"), rows), "", unsure, "", sides, wide, *_table(("left out", "names"), left), ""]


def _hands() -> list[str]:
    rows = [(role, _code(names)) for role, names in columns.EPISODES.items()]
    return [*_table(("columns", "names"), [*rows, ("seat", _code(columns.SEATS)), ("hand", _code(columns.HANDS))]), ""]


def _logs() -> list[str]:
    rows = [(f"`{known.name}`", known.title, _code(known.options)) for known in LOGS.values()]
    return [*_table(("format", "what it is", "options"), rows), ""]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`".replace("|", "\\|") for name in names)


def _sets(names: Iterable[Sequence[str]]) -> str:
    return ", ".join("/".join(f"`{name}`" for name in each) for each in names)


def _pattern(pattern: str) -> str:
    return "`" + pattern.replace("|", "\\|") + "`"
