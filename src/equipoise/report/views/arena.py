"""The view of an arena: who stands where, what is decided, and what is left to play."""

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.arena.access.activity import ArenaActivity, duration
from equipoise.arena.access.standings import ArenaStandings
from equipoise.arena.contests.contest import BUDGET_USED_UP, ended
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import some_of
from equipoise.core.results import jsonable
from equipoise.core.wording import counted
from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Card, Cell, Column, Row, TableView, View, finite

CONSTANT = "if the expected score of each pair stays the same while it plays (else whole sessions: session in the spec)"
"""The condition under which decisions hold."""
CHIPS = ("holdem", "kuhn", "leduc")
"""Games whose scores are chips."""
REASONS = 3
"""Games that failed or were forfeited, on the first screen."""


def arena_view(standings: ArenaStandings, activity: ArenaActivity | None = None) -> View:
    """Show the standings, then what is decided; who plays and what went wrong, where that is known."""
    rows = [finite(row) for row in standings.frame().to_dicts()]
    tables = [TableView("players", rows, _columns(standings, rows), units=standings.units)]
    tables += [_decisions(standings)] if standings.decisions else []
    tables += [_ratings(standings, rows), _crosstable(standings)] if standings.counted else []
    tables += _activity(activity) if activity is not None else ()
    kind = "no rating intervals" if standings.interval is None else f"{standings.interval}s"
    said = (*_sentences(standings), *(activity.answer if activity is not None else ()))
    document = _document(standings) if activity is None else {**_document(standings), "activity": activity.to_dict()}
    return View(
        tables=tuple(tables),
        sentences=said,
        diagnostics=(*standings.diagnostics, *_failures(activity)),
        document={**document, "params": jsonable(standings.params)},
        method=f"Ratings in Elo points, {kind}; ranks from decisions only, valid at every look {CONSTANT}.",
        footer=f"Ranks from decisions only, valid at every look {CONSTANT}.",
        cites=("bradley-terry",),
        title=standings.name,
        card=lambda: Card(_question(standings), _unnamed(said, standings), counts=_counts(standings)),
        leads=("decisions", "crosstable"),
    )  # fmt: skip


def _columns(standings: ArenaStandings, rows: Sequence[Row]) -> list[Column]:
    own = standings.params["score_range"] is not None
    unit = "chips" if str(standings.params["game"]).partition(":")[0] in CHIPS else "score"
    mean = Column(f"{unit}/game", cells.signed("mean", 2)) if own else Column("score", cells.percent("score", 1))
    columns = [Column("rank", cells.span("rank_low", "rank_high")), Column("player", cells.text("agent"), right=False)]
    columns += [mean, Column("games", cells.count("trials"), drop=2)]
    columns += [Column("won–drawn–lost", won_drawn_lost, drop=1)] * any(row["won"] or row["drawn"] for row in rows)
    return columns + [Column("forfeits", cells.count("forfeits"))] * any(row["forfeits"] for row in rows)


def won_drawn_lost(row: Row) -> str:
    """Show games won, drawn and lost."""
    return "–".join(f"{row[key]:,}" for key in ("won", "drawn", "lost"))


def _ratings(standings: ArenaStandings, rows: Sequence[Row]) -> TableView:
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("player", cells.text("agent"), right=False),
        Column("rating", cells.signed("rating")),
        Column("interval", cells.ends(cells.signed), drop=2, bar=("low", "rating", "high")),
        Column("score", cells.percent("score", 1), drop=3),
    ]
    if rows and "adjusted" in rows[0]:
        columns.append(Column("without luck", cells.decimal("adjusted", 3)))
        columns.append(Column("interval", cells.ends(cells.decimal, "adjusted", 3), drop=4))
    return TableView("ratings", rows, columns, "Elo ratings", units=standings.units, aside=True)


def _decisions(standings: ArenaStandings) -> TableView:
    decided = [
        {"said": one.sentence, "block": one.block, "blocks": one.blocks, "status": one.status}
        for one in standings.decisions
    ]
    shown = [
        Column("decided", cells.text("said"), right=False, prose=True),
        Column("status", lambda row: "stands" if row["status"] == "holds" else str(row["status"]), right=False),
    ]
    promise = standings.progress.guarantee
    said = f"{promise[0].upper()}{promise[1:]}." if promise else ""
    return TableView("decisions", decided, shown, "Decisions", aside=True, method=said)


def _crosstable(standings: ArenaStandings) -> TableView:
    """Show games won, drawn and lost of each player against each other one, in the order of the standings."""
    order = standings.best_first
    rows = [{"agent": standings.agents[i], "against": _against(standings, i)} for i in order]
    columns = [Column(standings.agents[j], _cell(standings.agents[j])) for j in order]
    return TableView(
        "crosstable", rows, [Column("player", cells.text("agent"), right=False), *columns], "Won–drawn–lost",
        aside=True,
    )  # fmt: skip


def _against(standings: ArenaStandings, i: int) -> dict[str, dict[str, int]]:
    """Give the games of a player against each of those whom it met."""
    won, drawn = standings.won, standings.drawn
    return {
        name: {"won": int(won[i, j]), "drawn": int(drawn[i, j]), "lost": int(won[j, i])}
        for j, name in enumerate(standings.agents)
        if won[i, j] or drawn[i, j] or won[j, i]
    }


def _cell(other: str) -> Cell:
    def shown(row: Row) -> str:
        games: Mapping[str, Any] | None = row["against"].get(other)
        return NOTHING if games is None else won_drawn_lost(games)

    return shown


def _activity(activity: ArenaActivity) -> tuple[TableView, ...]:
    workers = [
        {"worker": one.worker, "playing": one.playing, "results": one.results, "seconds": one.seconds}
        for one in activity.workers
    ]
    columns = [
        Column("worker", cells.text("worker"), right=False),
        Column("playing", cells.count("playing")),
        Column("results", cells.count("results")),
        Column("last", lambda row: NOTHING if row["seconds"] is None else f"{duration(row['seconds'])} ago"),
    ]
    failed = [{"player": who, **one._asdict()} for who, one in activity.mishaps]
    shown = [
        Column("player", cells.text("player"), right=False),
        Column("game", cells.count("game")),
        Column("what", cells.text("what"), right=False),
        Column("reason", cells.text("reason"), right=False, prose=True),
    ]
    tables = []
    if workers:
        tables.append(TableView("workers", workers, columns, "Workers", aside=True))
    if failed:
        tables.append(TableView("failures", failed, shown, "Games that failed or were forfeited", aside=True))
    return tuple(tables)


def _failures(activity: ArenaActivity | None) -> tuple[Diagnostic, ...]:
    """Say why the last games failed, by player."""
    if activity is None or not activity.mishaps:
        return ()
    last = [f"game {one.game}, {who}: {one.reason or one.what}" for who, one in activity.mishaps[:REASONS]]
    players = tuple(dict.fromkeys(who for who, _ in activity.mishaps))
    return (
        warning("failed-games", f"Games that failed or were forfeited, the last first: {'; '.join(last)}.", players),
    )


def _sentences(standings: ArenaStandings) -> tuple[str, ...]:
    """Say how far the goal is, and who can still be first and last."""
    saved = standings.progress.round_robin if standings.progress.answered else None
    often = "half of the cases" if str(standings.params["goal"]) in ("profile", "ability") else "nine cases of ten"
    length = (
        (f"A round-robin of fixed length would take about {counted(saved, 'game')} for that in {often}.",)
        if saved
        else ()
    )
    first, *more = _state(standings)
    return (f"{standings.name}: {first}", *more, *length, *_ends(standings), *standings.answer[1:])


QUESTIONS = {
    "order": "What is the order of all players?",
    "best": "Which player is best?",
    "top": "Which players are best?",
    "place": "Which place has the player?",
    "profile": "Which player has an answer to which?",
    "ability": "How able are the players?",
}


def _question(standings: ArenaStandings) -> str:
    """Say what a page of the arena is asked: its goal."""
    return QUESTIONS.get(str(standings.params["goal"]).partition(":")[0], "Who stands where?")


def _unnamed(said: Sequence[str], standings: ArenaStandings) -> tuple[str, ...]:
    """Give the sentences without the arena's name, which is the title of its page."""
    first = said[0].removeprefix(f"{standings.name}: ")
    return (f"{first[:1].upper()}{first[1:]}", *said[1:])


def _counts(standings: ArenaStandings) -> dict[str, object]:
    return {"players": len(standings.agents), "games": standings.counted}


def _state(standings: ArenaStandings) -> tuple[str, ...]:
    """Say in which state play is, and how far."""
    progress, budget = standings.progress, standings.params["budget"]
    most = "" if budget is None else f" of at most {budget:,}"
    played = f"{standings.counted:,}{most} games"
    if progress.ending == BUDGET_USED_UP or standings.phase == "spent":
        goal = str(standings.params["goal"])
        words = ended(BUDGET_USED_UP, standings.counted, "game", asked=goal != "budget")
        asked = ASKED.get(goal.partition(":")[0], "").format(n=len(standings.agents), what=goal.partition(":")[2])
        return (f"{_lower(words)}. {asked}{_decided(standings)}.",)
    if progress.ending is not None:
        return (_lower(standings.answer[0]),)
    if standings.phase == "running" and not standings.counted:
        limit = "" if budget is None else f", up to {budget:,} games"
        forecast = progress.forecast
        expected = (
            "" if forecast is None else f"; expect about {forecast.expected:,} ({forecast.low:,} to {forecast.high:,})"
        )
        return (f"not started. {counted(len(standings.agents), 'player')}{limit}{expected}.",)
    of_itself = standings.phase == "running" or any(one.code == "stopped" for one in standings.diagnostics)
    state = "" if standings.phase == "running" else f"{standings.phase}{'' if of_itself else ' by command'}: "
    return (f"{state}{played}; {_decided(standings)}.", *_left(standings))


ASKED = {
    "order": "The order of all {n} players was asked for; ",
    "best": "The best of {n} players was asked for; ",
    "top": "The best {what} of {n} players were asked for; ",
    "place": "The place of {what} was asked for; ",
    "profile": "The response graph of {n} players was asked for; ",
}
"""What was asked for, where the budget ended before the answer."""


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _decided(standings: ArenaStandings) -> str:
    """Count the pairs that are decided, of all; of other questions, what their own sentence says."""
    pairs = {
        frozenset((one.first, one.second))
        for one in standings.decisions
        if one.second is not None and one.status == "holds" and one.kind in ("better", "equal", "edge")
    }
    if str(standings.params["goal"]).partition(":")[0] == "ability":
        return _lower(standings.progress.sentence.rstrip("."))
    n = len(standings.agents)
    return f"{len(pairs):,} of {counted(n * (n - 1) // 2, 'pair')} {'is' if len(pairs) == 1 else 'are'} decided"


def _left(standings: ArenaStandings) -> tuple[str, ...]:
    """Forecast what is left, and say where that is more than the budget allows."""
    forecast, budget = standings.progress.forecast, standings.params["budget"]
    if forecast is None:
        return ()
    over = isinstance(budget, int) and standings.counted + forecast.expected > budget
    pair = standings.progress.bottleneck
    mostly = "" if pair is None else f", mostly {pair[0]} against {pair[1]}"
    more = ": more than the budget" if over else ""
    return (f"About {forecast.expected:,} more expected ({forecast.low:,} to {forecast.high:,}{mostly}){more}.",)


def _ends(standings: ArenaStandings) -> tuple[str, ...]:
    """Say who can still be best and last, while the goal is not answered and few can."""
    if standings.progress.answer or not standings.progress.together:
        return ()
    n = len(standings.agents)
    said = []
    for word, ranks, end in (("best", standings.rank_low, 1), ("last", standings.rank_high, n)):
        names = [name for name, rank in zip(standings.agents, ranks, strict=True) if rank == end]
        if len(names) <= min(3, n - 2):
            said.append(f"{some_of(names).replace(' and ', ' or ')} is {word}")
    return (f"{'; '.join(said)}.",) if said else ()


def _document(standings: ArenaStandings) -> dict[str, Any]:
    summary: dict[str, Any] = jsonable(standings.summary())
    return {key: value for key, value in summary.items() if key not in ("decisions", "interval")}
