"""The views of voting rules: agents in the order that was chosen, what each rule says, and all duels."""

from functools import partial

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.votes.choosing import VotingBoard
from equipoise.analyses.votes.explaining import PROPERTIES, Explanation
from equipoise.choice.social_choice import RULES, SocialChoice
from equipoise.core.diagnostics import has_code
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Card, Column, TableView, View, answer_of

SHARES = dict.fromkeys(("vote_share", "first", "in_smith"), "share")


def voting_view(board: VotingBoard) -> View:
    """Show who is chosen; rules and duels wait until they are asked for."""
    others = len(board.agents) - 1
    rule = RULES[board.chosen.rule]
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("agent", cells.text("agent"), right=False),
        Column("beats", lambda row: f"{row['beats']} of {others}"),
        Column("vote share", cells.percent("vote_share")),
    ]
    if rule.score not in ("place", "points"):
        digits = 2 if rule.score == "chance" else 1
        columns.insert(2, Column(rule.score, cells.decimal("score", digits)))
    if board.stability is not None:
        columns += [
            Column("first in", cells.percent("first"), drop=1),
            Column("places in samples", cells.ends(cells.decimal, "place", 0), right=False, drop=2),
        ]
    tables = [
        TableView("agents", board.frame().to_dicts(), columns, units=SHARES),
        TableView(
            "rules", board.rule_frame().to_dicts(),
            [Column("rule", cells.text("rule"), right=False), Column("first", cells.text("first"), right=False),
             Column("order", cells.text("order"), right=False, prose=True, drop=1)],
            "What each rule says", aside=True,
        ),
        TableView("pairs", board.pair_frame().to_dicts(), _pair_columns(board), "All duels", aside=True),
    ]  # fmt: skip
    return View(
        tables=tuple(tables),
        **answer_of(board, "social-choice"),
        method=_how(board),
        charts=partial(_charts, board),
        cites=("social_choice",),
        title="Voting rules",
        data=partial(board.origin.facts, board.data),
        card=lambda: Card("Which agent is chosen?", board.answer, counts=counts_of(board.data)),
    )  # fmt: skip


def _pair_columns(board: VotingBoard) -> list[Column]:
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("against", cells.text("other"), right=False),
        Column("votes", cells.count("votes")),
        Column("against it", cells.count("against")),
        Column("ties", cells.count("tied"), drop=1),
    ]
    if board.p_values is not None:
        columns.append(Column("p (Holm)", cells.decimal("holm_p", 3)))
    return columns


def _how(board: VotingBoard) -> str:
    """Name the rule, what a vote is, and what bands are."""
    unit = {"scores": "a task is a vote", "ballots": "ranked ballots", "rankings": "a race is a vote"}
    said = f"{RULES[board.chosen.rule].title} by margins ({board.params['margins']}); "
    said += unit.get(board.data.kind, "a game is a vote of two")
    if board.stability is not None:
        said += f"; {board.stability.samples:,} bootstrap samples give a bootstrap range, no confidence interval"
    elif has_code(board.diagnostics, "no-samples"):
        said += "; bootstrap samples, which would take long, only when asked for"
    return f"{said[0].upper()}{said[1:]}."


def _charts(board: VotingBoard) -> tuple[Forest, ...]:
    rows = board.frame().to_dicts()
    ends = ("place_low", "place_high") if board.stability is not None else ("rank_low", "rank_high")
    spans = [
        Span(row["agent"], (row["rank_low"] + row["rank_high"]) / 2, float(row[ends[0]]), float(row[ends[1]]))
        for row in rows
    ]
    described = "bootstrap range" if board.stability is not None else "range of tied places"
    return (Forest(spans, "place", described, 0, "Who is chosen, and who next?", compared=False),)


def choice_view(choice: SocialChoice) -> View:
    """Show one rule."""
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("agent", cells.text("agent"), right=False),
        Column(RULES[choice.rule].score, cells.decimal("score", 2)),
        Column("beats", cells.count("beats")),
    ]
    return View(
        tables=(TableView("agents", choice.frame().to_dicts(), columns),),
        **answer_of(choice, "social-choice"),
        method=f"{RULES[choice.rule].title[0].upper()}{RULES[choice.rule].title[1:]}.",
        cites=("social_choice",),
        title="Voting rules",
    )


def explanation_view(found: Explanation) -> View:
    """Show which summary answers what, and who is first by it."""
    columns = [
        Column("summary", cells.text("summary"), right=False),
        Column("first", lambda row: row["first"] or NOTHING, right=False, prose=True),
        Column("answers", cells.text("asks"), right=False, prose=True),
        Column("copies move it", lambda row: "no" if row["copies"] else "yes", right=False, drop=1),
    ]
    holds = [
        Column("summary", cells.text("summary"), right=False),
        *(Column(name, lambda row, name=name: "yes" if row[name] else "no", right=False)  # type: ignore[misc]
          for name in PROPERTIES),
        Column("how sure", cells.text("certainty"), right=False, drop=1),
    ]  # fmt: skip
    rows = found.frame().to_dicts()
    left = [Column("summary", cells.text("summary"), right=False), Column("why not", cells.text("missing"), prose=True)]
    without = [row for row in rows if row["missing"]]
    further = [TableView("properties", rows, holds, title="What changes nothing", aside=True)]
    further += [TableView("missing", without, left, title="Not computed", aside=True)] if without else []
    return View(
        tables=(TableView("summaries", rows, columns), *further),
        **answer_of(found),
        method="What each summary is insensitive to: --show properties.",
        title="Which one to read",
        data=partial(found.origin.facts, found.data),
        card=lambda: Card("Which summary should I read?", found.answer, counts=counts_of(found.data)),
    )


VIEWS = {"VotingBoard": voting_view, "SocialChoice": choice_view, "Explanation": explanation_view}
"""Who shows which class of results."""
