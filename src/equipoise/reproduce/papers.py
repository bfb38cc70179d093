"""The papers that can be recomputed: each is a list of figures, from the modules named after it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.progress import counted
from equipoise.core.results import Result, frozen_params
from equipoise.core.wording import Option
from equipoise.inference.executors import in_order
from equipoise.reproduce import (
    baseline,
    evaluation,
    incomplete_alpharank,
    incomplete_sampling,
    indicators_atari,
    indicators_synthetic,
    literature,
)
from equipoise.reproduce.figure import Figure, FigureLine, Verdict, count_words, judge

if TYPE_CHECKING:
    import polars as pl


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
            evaluation.FIGURES,
        ),
        Paper(
            "incomplete",
            "Rowland et al. (2019), Multiagent Evaluation under Incomplete Information",
            incomplete_alpharank.FIGURES + incomplete_sampling.FIGURES,
        ),
        Paper(
            "indicators",
            "Martínez-Plumed and Hernández-Orallo (2018), Analysing Results from AI Benchmarks: Key Indicators and How "
            "to Obtain Them",
            indicators_synthetic.FIGURES + indicators_atari.FIGURES,
        ),
        Paper(
            "baseline",
            "Davidson, Archibald and Bowling (2013), Baseline: Practical Control Variates for Agent Evaluation in "
            "Zero-Sum Domains",
            baseline.FIGURES,
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
    lines: tuple[FigureLine, ...]

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

    @property
    def words(self) -> tuple[str, ...]:
        """How many figures got each verdict."""
        return (count_words(line.verdict for line in self.lines),)


def reproduce_papers(
    papers: str | Sequence[str] | None = None,
    *,
    data: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> tuple[Reproduction, ...]:
    """Recompute the figures of papers and set them beside the published ones.

    Parameters
    ----------
    papers
        One or several of ``evaluation``, ``incomplete``, ``indicators``, ``baseline`` and ``literature``; all of them
        where none is named.
    data
        Folder of public data sets; figures that need one of them are listed without a value where it is absent.
    progress
        Called with the number of figures done.
    executor
        Who recomputes the figures: any ``concurrent.futures.Executor``; this process if not given.

    >>> [paper] = reproduce_papers("literature")
    >>> paper.count(Verdict.unexplained)
    0

    Fails when
        there is no such paper, or no such folder.
    """
    names = list(PAPERS) if papers is None else [papers] if isinstance(papers, str) else list(dict.fromkeys(papers))
    unknown = [name for name in names if name not in PAPERS]
    if unknown:
        near = did_you_mean(str(unknown[0]), list(PAPERS))
        raise ParameterError(f'no paper "{unknown[0]}"{near}; there are: {", ".join(PAPERS)}')
    folder = None if data is None else Path(data)
    if folder is not None and not folder.is_dir():
        raise ParameterError(Option("data"), f": no folder {folder}; EQUIPOISE_DATA names that of the public data sets")
    wanted = [(name, place) for name in names for place in range(len(PAPERS[name].figures))]
    lines: dict[str, list[FigureLine]] = {name: [] for name in names}
    pieces = [(name, place, folder) for name, place in wanted]
    judged = counted(in_order(_judged, pieces, executor), "figures", [1] * len(pieces))
    for done, ((name, _), line) in enumerate(zip(wanted, judged, strict=True), 1):
        lines[name].append(line)
        if progress is not None:
            progress(done)
    return tuple(_reproduction(PAPERS[name], lines[name], folder) for name in names)


def _judged(paper: str, place: int, folder: Path | None) -> FigureLine:
    """Recompute one figure: named by its place, since what computes it cannot be sent to another process."""
    return judge(PAPERS[paper].figures[place], folder)


def _reproduction(paper: Paper, lines: list[FigureLine], folder: Path | None) -> Reproduction:
    return Reproduction(
        paper=paper.name,
        citation=paper.citation,
        lines=tuple(lines),
        params=frozen_params(paper=paper.name, data=None if folder is None else "given"),
    )
