"""How much was luck? Dealt hands to what agents win once the luck of the deal is taken out."""

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

from equipoise.analyses.analysis import Analysis, refuse_idle
from equipoise.analyses.source import is_data, open_source
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import check, positive
from equipoise.core.results import frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.columns import EPISODES, HANDS, SESSIONS, find
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source, read_episodes
from equipoise.data.readers.recognise import bundled
from equipoise.data.types.episodes import Episodes
from equipoise.luck.baseline import baseline
from equipoise.luck.baseline import zero_sum as centred
from equipoise.luck.duplicate import Permutations, any_duplicates, duplicate
from equipoise.luck.luck_table import LuckTable
from equipoise.luck.plain_mean import plain_mean
from equipoise.luck.seating import By

LuckMethod = Literal["baseline", "duplicate", "plain"]
"""Ways to take out luck, or not to."""

PLAIN = info(
    "plain-mean",
    "no control was named and no deal was played in several seats, so no luck was taken out: these are plain means.",
    advice=[Advice("name a control agent or column with ", Option("control"))],
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class HandsWithoutLuck(Analysis):
    """What agents win, with less luck in it.

    Attributes
    ----------
    method
        ``baseline``, ``duplicate`` or ``plain``.
    means
        The estimates.
    half_width
        Half width of an interval for which hands were counted; None where nobody asked.
    hands_needed
        Hands that it would take, for each row of ``means.frame()``; empty where nobody asked.
    """

    main: ClassVar[str] = "means"

    method: LuckMethod
    means: LuckTable
    half_width: float | None
    hands_needed: tuple[int, ...]

    @property
    def answer(self) -> tuple[str, ...]:
        """What the hands are worth."""
        return self.means.answer

    def frame(self) -> "pl.DataFrame":
        """Give the estimates, highest first, with the hands that an interval of the half width would take."""
        frame = self.means.frame()
        return frame.with_columns(hands_needed=pl.Series(self.hands_needed)) if self.hands_needed else frame

    def summary(self) -> dict[str, object]:
        """Give the method and what the means say beside its rows."""
        return {"method": self.method, **self.means.summary()}


@former_reading
def remove_luck(
    data: Source,
    *,
    control: str | Sequence[str] | None = None,
    method: LuckMethod | None = None,
    by: By = "agent",
    teams: Mapping[str, str] | None = None,
    coefficient: float | Literal["fitted", "cross-fitted"] = "fitted",
    mean: float | Mapping[str, float] | Literal["estimate"] | None = None,
    permutations: Permutations = "balanced",
    independent: bool = False,
    zero_sum: bool = False,
    half_width: float | None = None,
    level: float = 0.95,
    read: ReadOptions | None = None,
) -> HandsWithoutLuck:
    """What do agents win once the luck of the deal is taken out, and what are their hands worth?

    With a control agent its winnings on the same deals are subtracted (:func:`baseline`), and all hands count; the
    controls that come with episodes are taken by themselves. Without any only deals that were played in several seats
    count (:func:`duplicate`). Where there are none of these either, the unadjusted mean is given (:func:`plain_mean`),
    luck and all; it also serves a utility that was adjusted before.

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, or episodes.
    control
        Controls: columns, or agents whose self-play is among the rows [default: those that episodes come with].
    method
        ``baseline``, ``duplicate`` or ``plain``; by default the first with a control, the second where deals were
        played in several seats, and otherwise the third.
    by, teams, coefficient, mean, permutations
        As in :func:`baseline` and :func:`duplicate`.
    independent
        Treat hands of one deal as independent, as the paper's tables do.
    zero_sum
        Subtract each table's mean first, for games that are not zero-sum.
    half_width
        Also count the hands that intervals of plus or minus this much would take.
    level
        Of the intervals.
    read
        Columns, rows and agents of a file.

    Fails when
        ``method`` and ``control``, or ``by`` and ``teams``, do not go together; as the methods do.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.remove_luck("hands-kuhn2", control="honest").means.agents[:2]
    ('uniform', 'caller')
    """
    controls = [control] if isinstance(control, str) else list(control or ())
    _check_together(method or ("baseline" if controls else "duplicate"), controls, by, teams)
    check(positive(none=True), "half_width", half_width)
    opened = open_source(
        data if is_data(data) or bundled(data) else _twice_readable(data), ("episodes",), read,
        asked_by="remove_luck", reader=partial(_read, controls),
    )  # fmt: skip
    hands, origin = opened.data, opened.origin
    hands = centred(hands) if zero_sum else hands
    notes: tuple[Diagnostic, ...] = ()
    if method is None and permutations == "balanced" and not controls:
        controls = list(hands.controls)
    chosen = method or ("baseline" if controls else "duplicate")
    if method is None and not controls and not any_duplicates(hands):
        chosen, notes = "plain", (PLAIN,)
    if chosen != "baseline":
        refuse_idle({"coefficient": (coefficient, "fitted"), "mean": (mean, None)}, Option("method", chosen))
    if chosen != "duplicate":
        refuse_idle({"permutations": (permutations, "balanced")}, Option("method", chosen))
    else:
        refuse_idle({"independent": (independent, False)}, Option("method", chosen))
    if chosen == "plain":
        estimates = plain_mean(hands, by=by, teams=teams, cluster=not independent, level=level)
    elif chosen == "duplicate":
        estimates = duplicate(hands, by=by, teams=teams, permutations=permutations, level=level)
    else:
        estimates = baseline(
            hands, control=controls, by=by, teams=teams, mean=mean, coefficient=coefficient, cluster=not independent,
            level=level,
        )  # fmt: skip
    return HandsWithoutLuck(
        data=hands, origin=origin, method=chosen, means=estimates, half_width=half_width,
        hands_needed=() if half_width is None else _hands_needed(estimates, half_width),
        diagnostics=(*estimates.diagnostics, *notes), fit=estimates.fit, params=frozen_params(**estimates.params),
    )  # fmt: skip


def _check_together(method: str, controls: Sequence[str], by: By, teams: Mapping[str, str] | None) -> None:
    if method == "baseline" and not controls:
        raise ParameterError(
            Option("method", "baseline"), " needs ", Option("control"),
            ": a column, or an agent whose self-play is in the file",
        )  # fmt: skip
    if method != "baseline" and controls:
        raise ParameterError(Option("control"), " does not go with ", Option("method", method), "; leave one out")
    if (by == "team") != bool(teams):
        raise ParameterError(Option("by", "team"), " and ", Option("teams"), " (the team of each agent) go together")


def _twice_readable(source: Any) -> Any:
    """Keep what a stream holds: its columns are looked at before it is read."""
    return io.BytesIO(source.read()) if hasattr(source, "read") else source


def _read(controls: Sequence[str], source: Any, options: ReadOptions) -> Episodes:
    """Read the hands; a control that is no column is left to be found among the agents."""
    from equipoise.data.files.tables import open_table

    there = open_table(options.selection.of(source)).columns
    if hasattr(source, "seek"):
        source.seek(0)
    numbered = options.run or find(there, HANDS)
    if not controls and not options.deals and numbered and not find(there, EPISODES["deal"]):
        # A plain log may number its hands only, in each session anew: then each is a deal of its own.
        session = find(there, SESSIONS)
        options = replace(options, deal=(numbered,) if session is None else (session, numbered), run=None)
    return read_episodes(source, controls=[name for name in controls if name in there], read=options)


def _hands_needed(table: LuckTable, half_width: float) -> tuple[int, ...]:
    """Hands for an interval of this half width, if hands and deals go on as in the table: widths fall as 1/sqrt(n)."""
    rows = table.frame().to_dicts()
    return tuple(
        max(2, math.ceil(int(row["hands"]) * (float(row["high"] - row["low"]) / 2.0 / half_width) ** 2)) for row in rows
    )
