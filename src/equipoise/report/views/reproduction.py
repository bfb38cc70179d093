"""The view of papers recomputed, and the page of the docs that shows it."""

from collections.abc import Iterator, Mapping, Sequence

from equipoise.core.wording import counted
from equipoise.data.public_sets import set_of
from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Column, Row, TableView, View
from equipoise.reproduce.papers import PAPERS, Reproduction
from equipoise.reproduce.published import PublishedAgreement, count_words

HEAD = """# The papers reproduced

What the papers print beside what Equipoise computes, and how far each result agrees. `equipoise reproduce` makes these
tables; `equipoise reproduce --page docs/reproductions.md` wrote this page, with the public data and the peers of
`make bench` at hand. `equipoise data fetch` lists the public data, and fetches those that can be fetched.
*Ours alone* stands where the paper draws a curve without numbers, or says nothing that could be compared. What is
compared with a program instead of a printed figure, such as a *reference value* that the method must give on the
paper's data, stands in tables of its own at the end.
"""
PROGRAMS = "Beside reference programs and values"
JOINT = dict.fromkeys(
    (PublishedAgreement.better, PublishedAgreement.differs, PublishedAgreement.alone, PublishedAgreement.impossible),
    " because ",
)


def reproduction_view(reproduced: Sequence[Reproduction]) -> View:
    """Show one table for each paper, ours beside theirs."""
    printed = {each.citation: (each.paper, _rows(each, "paper")) for each in reproduced}
    programs = [row for each in reproduced for row in _rows(each, "program")]
    tables = [TableView(name, rows, _columns(), title=title) for title, (name, rows) in printed.items() if rows]
    if programs:
        tables.append(TableView("programs", programs, _columns(), title=PROGRAMS))
    return View(
        tables=tuple(tables),
        sentences=(_counted(reproduced), *_missing_words(reproduced)),
        document={
            "verdicts": {each.paper: each.summary()["verdicts"] for each in reproduced},
            "missing": [
                {"paper": each.paper, "figure": line.what, "needs": line.because}
                for each in reproduced
                for line in each.missing
            ],
        },
        method="Equal to rounding: our result rounds to the printed one.",
    )


def _rows(each: Reproduction, beside: str) -> list[dict[str, str | None]]:
    return [row for row in each.rows() if row["beside"] == beside]


def _missing_words(reproduced: Sequence[Reproduction]) -> Iterator[str]:
    """Say which data and packages are missing, and how to get them."""
    lines = [line for each in reproduced for line in each.missing]
    files = [line.because for line in lines if line.agreement is PublishedAgreement.absent]
    sets = {file: set_of(file) for file in files}
    can = dict.fromkeys(found.name for found in sets.values() if found is not None and found.convert)
    if can:
        count = sum(found is not None and found.convert is not None for found in map(set_of, files))
        yield f"{counted(count, 'result')} left out for want of public data: equipoise data fetch {' '.join(can)}"
    others = [file for file, found in sets.items() if found is None or not found.convert]
    if others:
        count = sum(file in others for file in files)
        yield (
            f"{counted(count, 'result')} left out for want of files that cannot be fetched; EQUIPOISE_DATA names the "
            f"folder where they are looked for: {', '.join(others)}."
        )
    packages = dict.fromkeys(line.because for line in lines if line.agreement is not PublishedAgreement.absent)
    if packages:
        count = sum(line.agreement is not PublishedAgreement.absent for line in lines)
        yield f"{counted(count, 'result')} left out for want of packages: {'; '.join(packages)}."


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


def reproduction_page(
    reproduced: Sequence[Reproduction], figures: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Give the page of the docs, in Markdown, with the figures of each paper: files by what they show."""
    parts = [HEAD, f"{_counted(reproduced)}\n"]
    for each in reproduced:
        note = PAPERS[each.paper].note
        parts += [f"## {each.citation}\n\n`equipoise reproduce {each.paper}`\n", *([f"{note}\n"] if note else [])]
        parts += _page_table(_rows(each, "paper"))
        for where, file in (figures or {}).get(each.paper, {}).items():
            parts.append(f"![{where}]({file})\n\n*{where[0].upper()}{where[1:]}.*\n")
    parts.append(f"## {PROGRAMS}\n")
    for each in reproduced:
        if rows := _rows(each, "program"):
            parts += [f"### {each.citation}\n", *_page_table(rows)]
    return "\n".join(parts).rstrip() + "\n"


def _page_table(rows: Sequence[Row]) -> list[str]:
    return ["| result | where | published | ours | agreement |\n|---|---|---|---|---|", *map(_markdown, rows), ""]


def _markdown(row: Row) -> str:
    cells = (row["figure"], row["where"], row["published"], row["ours"] or NOTHING, _agreement(row))
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
