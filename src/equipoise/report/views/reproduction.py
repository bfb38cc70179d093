"""The view of papers recomputed, and the page of the docs that shows it."""

from collections.abc import Sequence

from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Column, Row, TableView, View
from equipoise.reproduce.papers import Reproduction
from equipoise.reproduce.published import PublishedAgreement, count_words

HEAD = """# The papers reproduced

What the papers print beside what Equipoise computes, and how far each result agrees. `equipoise reproduce` makes these
tables; `equipoise reproduce --page docs/reproductions.md` wrote this page, with the public data and the peers of
`make bench` at hand.
A result marked *reference value* is not printed in the paper: it is what the method must give on the paper's data.
*Ours alone* stands where the paper draws a curve without numbers, or says nothing that could be compared.
"""
JOINT = dict.fromkeys(
    (PublishedAgreement.better, PublishedAgreement.differs, PublishedAgreement.alone, PublishedAgreement.impossible),
    " because ",
)


def reproduction_view(reproduced: Sequence[Reproduction]) -> View:
    """Show one table for each paper, ours beside theirs."""
    return View(
        tables=tuple(TableView(each.paper, each.rows(), _columns(), title=each.citation) for each in reproduced),
        sentences=(_counted(reproduced),),
        document={"verdicts": {each.paper: each.summary()["verdicts"] for each in reproduced}},
        method="Equal to rounding: our result rounds to the printed one. Results without data are listed all the same.",
    )


def _columns() -> list[Column]:
    return [
        Column("result", cells.text("figure"), right=False, prose=True),
        Column("where", cells.text("where"), right=False, prose=True),
        Column("published", cells.text("published"), right=False, prose=True),
        Column("ours", cells.text("ours"), right=False, prose=True),
        Column("agreement", _agreement, right=False, prose=True),
    ]


def _agreement(row: Row) -> str:
    joint = JOINT.get(PublishedAgreement(row["verdict"]), ": ")
    return f"{row['verdict']}{joint}{row['because']}" if row["because"] else str(row["verdict"])


def _counted(reproduced: Sequence[Reproduction]) -> str:
    return count_words(line.agreement for each in reproduced for line in each.lines)


def reproduction_page(reproduced: Sequence[Reproduction]) -> str:
    """Give the page of the docs, in Markdown."""
    parts = [HEAD, f"{_counted(reproduced)}\n"]
    for each in reproduced:
        parts.append(f"## {each.citation}\n\n`equipoise reproduce {each.paper}`\n")
        parts.append("| result | where | published | ours | agreement |\n|---|---|---|---|---|")
        parts += [_markdown(row) for row in each.rows()]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _markdown(row: Row) -> str:
    cells = (row["figure"], row["where"], row["published"], row["ours"] or NOTHING, _agreement(row))
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
