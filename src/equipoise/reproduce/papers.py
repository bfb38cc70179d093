"""The papers that can be recomputed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from equipoise.errors import ParameterError, did_you_mean
from equipoise.reproduce import (
    averaging,
    control,
    evaluation,
    incomplete,
    indicators,
    literature,
    looking,
    sampling,
    synthetic,
    techniques,
)
from equipoise.reproduce.figure import Figure, Line, Verdict, judge
from equipoise.results import Result, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PAPERS", "Paper", "Reproduction", "reproduce"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: its name here, its citation, and its figures."""

    name: str
    citation: str
    figures: tuple[Figure, ...]


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "evaluation",
            "Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation",
            evaluation.FIGURES + averaging.FIGURES,
        ),
        Paper(
            "incomplete",
            "Rowland et al. (2019), Multiagent Evaluation under Incomplete Information",
            incomplete.FIGURES + sampling.FIGURES + looking.FIGURES,
        ),
        Paper(
            "indicators",
            "Martínez-Plumed and Hernández-Orallo (2018), Analysing Results from AI Benchmarks: Key Indicators and How "
            "to Obtain Them",
            synthetic.FIGURES + indicators.FIGURES + techniques.FIGURES,
        ),
        Paper(
            "baseline",
            "Davidson, Archibald and Bowling (2013), Baseline: Practical Control Variates for Agent Evaluation in "
            "Zero-Sum Domains",
            control.FIGURES,
        ),
        Paper("literature", "Text books and packages, on public data", literature.FIGURES),
    )
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Reproduction(Result):
    """The figures of one paper, ours beside theirs.

    Attributes
    ----------
    lines
        One for each figure, in the order of the paper.
    """

    rows_name: ClassVar[str] = "figures"
    main: ClassVar[str] = "lines"

    paper: str
    citation: str
    lines: tuple[Line, ...]

    def count(self, verdict: Verdict) -> int:
        """Count the figures with a verdict."""
        return sum(line.verdict is verdict for line in self.lines)

    def rows(self) -> list[dict[str, str | None]]:
        """Give one row for each figure."""
        return [
            {
                "paper": self.paper,
                "figure": line.what,
                "where": line.where,
                "published": line.published,
                "ours": line.ours,
                "verdict": str(line.verdict),
                "because": line.because,
            }
            for line in self.lines
        ]

    def frame(self) -> "pl.DataFrame":
        """Give the figures in the order of the paper."""
        import polars as pl

        return pl.DataFrame(self.rows(), infer_schema_length=None)

    def summary(self) -> dict[str, object]:
        """Give the citation and how many figures got each verdict."""
        verdicts = {str(verdict): self.count(verdict) for verdict in Verdict if self.count(verdict)}
        return {"paper": self.paper, "citation": self.citation, "verdicts": verdicts}


def reproduce(paper: str, *, data: str | Path | None = None) -> Reproduction:
    """Recompute the figures of a paper and set them beside the published ones.

    Parameters
    ----------
    paper
        One of ``evaluation``, ``incomplete``, ``indicators``, ``baseline`` and ``literature``.
    data
        Folder of public data sets; figures that need one of them are listed without a value where it is absent.

    >>> reproduce("baseline").count(Verdict.unexplained)
    0

    Fails when
        there is no such paper, or no such folder.
    """
    if paper not in PAPERS:
        raise ParameterError(f'no paper "{paper}"{did_you_mean(paper, list(PAPERS))}; there are: {", ".join(PAPERS)}')
    folder = None if data is None else Path(data)
    if folder is not None and not folder.is_dir():
        raise ParameterError(f"no folder {folder}: EQUIPOISE_DATA names the folder of the public data sets")
    known = PAPERS[paper]
    lines: Sequence[Line] = [judge(figure, folder) for figure in known.figures]
    return Reproduction(
        paper=known.name,
        citation=known.citation,
        lines=tuple(lines),
        params=frozen_params(paper=paper, data=None if folder is None else "given"),
    )
