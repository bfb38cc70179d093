"""How a file is read: one frozen value, declared once.

Readers, the functions that ask a question of a file and the command line all take a :class:`ReadOptions`. Each option
is declared here with its help, the kinds of data that it concerns and the option of the command line behind it; nothing
about reading is listed anywhere else.
"""

import inspect
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_type_hints

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.former import FORMER_READING, READING_NAMES, outside
from equipoise.core.wording import Option
from equipoise.data.readers.columns import AUTO, Duplicates, MergeNames, OnError, OutcomeMeans, listed
from equipoise.data.readers.declared import ALL, TABLES, DataWord, Declared, Per
from equipoise.data.select.selection import Components, Moment, Selection, refuse_time_alone

if TYPE_CHECKING:
    from equipoise.core.options import Check


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _option(text: str, *kinds: DataWord, option: str = "", panel: str = "Columns", default: Any = None) -> Any:
    return field(default=default, metadata={"help": text, "kinds": kinds or ALL, "option": option, "panel": panel})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How a file is read: which columns say what, and which rows and agents are taken.

    What is not given is recognised by the usual names of columns. An option that does not concern the kind of data that
    a file holds is refused.

    Attributes
    ----------
    a, b
        Columns of the two sides of a game.
    score
        Column of the result: the outcome of a game, a score, or what was won in a hand. The outcome of a game is a
        number in [0, 1] (score of the first side), a word, or the winner's name.
    score_means
        What numbers in the column of outcomes say: ``first-score`` or ``second-score`` (that side's score), ``index``
        (0 the first side, 1 the second, 2 a tie), ``index-from-1`` (1 and 2; 0 or 1.5 a tie), ``sign`` (1, -1, 0). In a
        column that says who won (winner, preference, vote ...) bare numbers are asked back. ``graded``: A>>B, A>B, A=B,
        B>A and B>>A are one vote each, with its strength kept (1, 0.75, 0.5, 0.25, 0); so are preferences from 1 to 5
        (3, 7, 9, or -2 to 2), with 1 for the first side and the middle a tie (``graded-reversed``: 5 for that side).
        Or what words count, in games for the first side: ``good=1,poor=0``.
    wins, losses, games, ties
        Columns of counts, where a row counts the results of a pair.
    weight
        Column that says how often a row happened. Columns called weight, games, count, n, votes ... are taken by
        themselves, which is said; ``"none"`` counts every row once. With a count an outcome is the mean of so many
        games.
    group
        Column of clusters (voters, sessions): errors are clustered by it.
    time
        Column of times or rounds; ``since`` and ``until`` look at it, else at one that is called so, or the only one
        that holds dates.
    agent, task, run
        Columns of a long table of scores, or of hands: who, on what, and which run (or hand).
    tasks, not_tasks
        Tasks to take, or to leave out (names, or one text with commas). By default a wide table gives those columns
        that are tasks: text, averages of other columns, sizes, dates, counts and errors are left out and named.
    lower_is_better
        Tasks on which less is better (losses, errors, times), ``"all"`` or ``"none"``; their scores are turned round.
        Where names of tasks speak of losses it is asked.
    agents_in
        Whether agents stand in the ``rows`` or the ``columns`` of a wide table.
    layout
        ``wide``, ``long``, or recognised by the columns (``auto``).
    deal, seat, controls
        Columns of dealt hands: which rows saw the same luck (several are combined), the seat, control values.
    table
        Table of a database (SQLite, DuckDB) or sheet of a workbook; needed where there are several.
    where
        Condition that rows must meet, such as ``language == "English" and turn <= 3``.
    since, until
        First and last moment: a date, a time, a month (2024-05), a year, or a number where times are numbers.
    min_games
        Leave out agents with fewer games (scores, hands), until all that are left have so many against each other.
    components
        ``largest`` keeps the largest set of agents that are connected by games (by tasks, by deals).
    clean
        Steps of cleaning, each of which leaves votes out and counts them in the account: ``anonymous``, ``no-reveal``,
        ``no-leaks`` (or ``no-leaks:openai+claude``), ``no-both-bad``, ``once-per-vote`` (the first of a voter on a
        prompt and pair), ``once-per-prompt`` (the first on a prompt and pair), ``most-per-voter:100``,
        ``most-per-prompt:100``. They are taken in this order. Columns have usual names (voter, judge, user ...; prompt,
        question_id ...; anony ...), or are named: ``most-per-voter:100@rater``.
    merge_names
        Join agents whose names differ in case, look-alike letters or signs (``spelling``), or by a version, too.
    duplicates
        Rows that repeat an earlier one: ``keep``, ``drop`` or ``error``. Of games and hands None keeps and counts them
        in a diagnostic; of scores those of one agent and task that no column of runs tells apart are asked back, and
        ``keep`` takes them for runs.
    on_error
        ``raise`` on the first kind of bad row, cell or file, or ``skip`` them, counting them in a diagnostic; more than
        a tenth of a table is only skipped with ``skip-all``.
    metric, scorer, filter, split, per, denominator, keep, last
        Of logs that hold more than one answer: which is taken; the reader's own choice if None, which it says.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.ReadOptions(score="res", where="turn == 1").given
    {'score': 'res', 'where': 'turn == 1'}
    """

    a: str | None = _option("Columns of the first and the second side.", "games", option="--agents")
    b: str | None = _option("Columns of the first and the second side.", "games", option="--agents")
    score: str | None = _option("Column of the result: an outcome, a score, what was won.", *TABLES)
    score_means: OutcomeMeans | str | None = _option(
        "What words count (good=1,poor=0); or what numbers in the column of outcomes say: first-score, second-score,"
        " index, index-from-1, sign; or graded, graded-reversed: A>>B counts for more than A>B, 1 of 5 more than 2.",
        "games", "scores",
    )  # fmt: skip
    wins: str | None = _option("Columns that count the first side's wins, its losses, and games.", "games",
                               option="--counts")  # fmt: skip
    losses: str | None = _option("", "games", option="--counts")
    games: str | None = _option("", "games", option="--counts")
    ties: str | None = _option("Column that counts ties.", "games", panel="")
    weight: str | None = _option("Column that says how often a row happened; none counts every row once.", "games")
    group: str | None = _option("Column of clusters (voters, sessions); errors are clustered by it.", "games",
                                option="--cluster")  # fmt: skip
    time: str | None = _option("Column of times or rounds [default: the only one that holds dates].", *TABLES)
    agent: str | None = _option("Column of agents.", "scores", "dealt hands")
    task: str | None = _option("Column of tasks (long tables).", "scores")
    run: str | None = _option("Column of runs: seeds, trials, hands (long tables).", "scores", "dealt hands")
    tasks: str | Sequence[str] | None = _option(
        "Tasks to take, separated by commas [default: all that are tasks].", "scores", panel="Rows"
    )
    not_tasks: str | Sequence[str] | None = _option("Tasks to leave out, separated by commas.", "scores", panel="Rows")
    lower_is_better: str | Sequence[str] | None = _option(
        "Tasks on which less is better, separated by commas; or all, or none.", "scores", panel="Rows"
    )
    agents_in: Literal["rows", "columns"] | None = _option("Where agents stand in a wide table.", "scores")
    layout: Literal["auto", "wide", "long"] = _option("Wide or long tables.", "scores", panel="", default="auto")
    deal: str | Sequence[str] | None = _option("Column of deals: rows that saw the same luck.", "dealt hands")
    seat: str | None = _option("Column of seats.", "dealt hands")
    controls: str | Sequence[str] | None = _option("Columns of control values, separated by commas.", "dealt hands")
    table: str | None = _option("Table of a database, or sheet of a workbook, where there are several.", panel="Rows")
    where: str | None = _option("Only rows that meet a condition, such as 'language == \"English\" and turn <= 3'.",
                                panel="Rows")  # fmt: skip
    since: Moment | None = _option("Only rows from this date, time, month or year on.", panel="Rows")
    until: Moment | None = _option("Only rows up to this date, time, month or year.", panel="Rows")
    min_games: int | None = _option("Leave out agents with fewer games (scores, hands), until all left have so many.",
                                    panel="Rows")  # fmt: skip
    components: Components | None = _option("largest keeps only the largest set of agents that are connected by games.",
                                         panel="Rows")  # fmt: skip
    merge_names: MergeNames | None = _option("Join names that differ in spelling only, or also by a version.",
                                             *TABLES, panel="Rows")  # fmt: skip
    clean: str | Sequence[str] | None = _option(
        "Steps of cleaning, such as anonymous,no-both-bad,once-per-prompt,most-per-voter:100; also once-per-vote,"
        " most-per-prompt:N, no-reveal, no-leaks:WORD+WORD. Each says how many rows it left out.",
        "games", panel="Rows",
    )  # fmt: skip
    duplicates: Duplicates | None = _option(
        "Rows that repeat an earlier one [default: keep, and say how many; scores of one cell are asked back].",
        *TABLES, panel="Rows",
    )  # fmt: skip
    on_error: OnError = _option("Stop at a bad row, or skip and count.", panel="Rows", default="raise")
    metric: str | None = _option("Which metric is taken where a log holds several.", "logs", panel="Rows")
    scorer: str | None = _option("Which scorer of an Inspect log is taken.", "logs", panel="")
    filter: str | None = _option("Which filter of an lm-eval log is taken.", "logs", panel="")
    split: str | None = _option("Which split of a HELM run is taken.", "logs", panel="")
    per: Per | None = _option("Whether a task is a sample or an evaluation.", "logs", panel="")
    denominator: str | None = _option("What SWE-bench's share is of.", "logs", panel="")
    keep: str | None = _option("Which of several records of a game is kept.", "logs", panel="")
    last: Any = _option("How much of the end of a run counts.", "logs", panel="")

    def __post_init__(self) -> None:
        # Asking for help declares options without setting any, and must not load what checks arrays, too.
        from equipoise.core.options import check, check_options, choice

        check_options(_checks(), {one.name: getattr(self, one.name) for one in fields(self)})
        if self.score_means is not None and not self.words:
            check(choice(*get_args(OutcomeMeans), "words such as good=1,poor=0"), "score_means", self.score_means)

    @property
    def given(self) -> dict[str, Any]:
        """The options that were set, in the order of their declaration."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}

    def also(self, **given: Any) -> "ReadOptions":
        """Set further options; those that are None stay as they are.

        Fails when
            one of them is set already, to something else.
        """
        here = {name: value for name, value in given.items() if value is not None}
        for name, value in here.items():
            if name in self.given and getattr(self, name) != value:
                raise ParameterError(Option(name), " was given twice, the second time in ", Option("read"))
        return replace(self, **here) if here else self

    @property
    def clustered(self) -> "ReadOptions":
        """The same, with clusters of games found by the names of their columns where nobody said."""
        return self if self.group is not None else replace(self, group=AUTO)

    @property
    def columns(self) -> dict[str, Any]:
        """What was said of columns and cells: everything but which rows and agents are taken."""
        return {name: value for name, value in self.given.items() if name not in Selection.__slots__}

    @property
    def selection(self) -> Selection:
        """Which table, rows and agents are taken; the column of times goes with the limits."""
        limited = self.since is not None or self.until is not None
        return Selection(
            self.table, self.where, self.since, self.until, self.time if limited else None, self.min_games,
            self.components, self.clean,
        )  # fmt: skip

    @property
    def by_limits(self) -> Selection:
        """The same where only the limits look at times: a column of times without any of them is refused there."""
        return replace(self.selection, time=self.time)

    @property
    def rows(self) -> "ReadOptions":
        """Which rows and agents are taken, and nothing else."""
        return ReadOptions(**self.by_limits.named())

    @property
    def all_rows(self) -> "ReadOptions":
        """The same columns, but all rows and agents."""
        return self.without(self.selection.named())

    def without(self, names: Collection[str]) -> "ReadOptions":
        """Leave out some of the options that were set."""
        return ReadOptions(**{name: value for name, value in self.given.items() if name not in names})

    @property
    def words(self) -> Mapping[str, float]:
        """What words count, as far as it was said."""
        from equipoise.data.encode.answers import word_scores  # help declares options without loading polars

        return word_scores(self.score_means)

    def _concerns(self, name: str) -> tuple[DataWord, ...]:
        """Give the kinds of data that an option concerns with its value: of scores only words can be explained."""
        return ("games",) if name == "score_means" and not self.words else _declared()[name].kinds

    @property
    def kind(self) -> DataWord | None:
        """The kind of data that has all options of columns that were set; None where several or none have."""
        narrowing = [kinds for name in self.columns if (kinds := self._concerns(name)) not in (ALL, TABLES)]
        able = [kind for kind in ALL if all(kind in kinds for kinds in narrowing)]
        return able[0] if narrowing and len(able) == 1 else None

    def refuse_time_alone(self) -> None:
        """Refuse a column of times where nothing but the limits would look at it, and there are none."""
        refuse_time_alone(self.time, self.since, self.until)

    def could_be(self, kind: DataWord) -> bool:
        """Tell whether data of a kind have all options that were set."""
        return all(kind in self._concerns(name) for name in self.given)

    def refuse_all(self, because: Callable[[str], str] | str) -> None:
        """Refuse every option that was set, the first of them by name."""
        for name in self.given:
            raise ParameterError(Option(name), because if isinstance(because, str) else because(name))

    def of(self, kind: str, besides: Collection[str] = ()) -> "ReadOptions":
        """Give the same, for a reader of a kind of data.

        Fails when
            an option was set that does not concern such data.
        """
        for name in self.given:
            if kind not in self._concerns(name) and name not in besides:
                raise ParameterError(Option(name), f" has no effect: the file was taken for {kind}")
        return self

    @property
    def several_controls(self) -> tuple[str, ...]:
        """Columns of control values as a tuple."""
        return listed(self.controls) or ()

    @property
    def deals(self) -> tuple[str, ...]:
        """Columns of deals as a tuple."""
        return listed(self.deal) or ()


@cache
def _declared() -> Mapping[str, Declared]:
    hints = get_type_hints(ReadOptions)
    return {
        one.name: Declared(
            one.name, one.metadata["help"], one.metadata["kinds"],
            one.metadata["option"] or f"--{one.name.replace('_', '-')}", one.metadata["panel"], hints[one.name],
            one.default,
        )
        for one in fields(ReadOptions)
    }  # fmt: skip


def declared_options() -> tuple[Declared, ...]:
    """Give all options of reading as they are declared."""
    return tuple(_declared().values())


@cache
def _checks() -> Mapping[str, "Check"]:
    from equipoise.core.options import checks_of, whole

    return checks_of(get_type_hints(ReadOptions), dict.fromkeys(("min_games", "last"), whole(1, none=True)))


def former_reading(function: _Function) -> _Function:
    """Let a function that takes ``read`` take options of reading as parameters of their own for one more version.

    A parameter that the function has is its own; others that it had (:data:`FORMER_READING`) are put into ``read``,
    with a ``DeprecationWarning``. What it never had is refused, with what to say instead.
    """
    own = inspect.signature(function).parameters
    names = set(FORMER_READING.get(function.__name__, "").split()) - set(own)
    others = {one.name for one in fields(ReadOptions)} - names - set(own)

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        for name in [name for name in given if name in others]:
            hint = f"reading has it: read=ReadOptions({name}=...)"
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'; {hint}")
        former = {name: given.pop(name) for name in [*given] if name in names}
        if former:
            now = former_options(former)
            text = ", ".join(
                f"{name}=..." for name in now or [READING_NAMES.get(name, name) for name in former] if name
            )
            warnings.warn(
                f"{function.__name__}({next(iter(former))}=...) is now read=ReadOptions({text});"
                " the old form ends in version 0.4",
                DeprecationWarning,
                stacklevel=outside(),
            )
            ReadOptions(**now)  # what no option may be is refused, None as well as other values
            given["read"] = (given.get("read") or ReadOptions()).also(**now)
        return function(*args, **given)

    return run  # type: ignore[return-value]  # same signature, and former names


def former_options(former: Mapping[str, Any]) -> dict[str, Any]:
    """Give former options of reading under their present names; those that were not set are left out."""
    now: dict[str, Any] = {}
    for name, value in former.items():
        if name == "reading":
            now |= named_options(value or {})
        elif name == "transpose":
            now |= {"agents_in": "columns"} if value else {}
        elif value != () and (value is not None or name in ("on_error", "layout")):
            now[READING_NAMES.get(name, name)] = value
    return now


def named_options(given: Mapping[str, object]) -> dict[str, Any]:
    """Read options given by name, in their present or former names, some of them as texts.

    Fails when
        there is no such option.
    """
    known = _declared()
    for name in given:
        if READING_NAMES.get(name, name) not in known and name != "transpose":
            hint = did_you_mean(str(name), sorted(known))
            raise ParameterError(Option("read"), f' has no "{name}"{hint}; it takes: {", ".join(sorted(known))}')
    plain = {
        name: value.lower() in ("true", "yes", "1") if name == "transpose" and isinstance(value, str) else value
        for name, value in given.items()
    }
    if isinstance(least := plain.get("min_games"), str):
        plain["min_games"] = int(least) if least.isdecimal() else least
    return former_options(plain)
