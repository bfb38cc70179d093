"""The papers that can be recomputed: each is a list of results, from the modules named after it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.lazy import pl
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
    indicators_gvgai,
    indicators_synthetic,
    literature,
)
from equipoise.reproduce.published import (
    MISSING,
    ComparedResult,
    PublishedAgreement,
    PublishedResult,
    count_words,
    judge,
)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: its name here, its citation, its results, and what they come to where that is more than rows say."""

    name: str
    citation: str
    results: tuple[PublishedResult, ...]
    note: str = ""


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "evaluation",
            "Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation",
            evaluation.RESULTS,
        ),
        Paper(
            "incomplete",
            "Rowland et al. (2019), Multiagent Evaluation under Incomplete Information",
            incomplete_alpharank.RESULTS + incomplete_sampling.RESULTS,
        ),
        Paper(
            "indicators",
            "Martínez-Plumed and Hernández-Orallo (2018), Analysing Results from AI Benchmarks: Key Indicators and How "
            "to Obtain Them",
            indicators_synthetic.RESULTS + indicators_atari.RESULTS + indicators_gvgai.RESULTS,
            indicators_gvgai.NOTE,
        ),
        Paper(
            "baseline",
            "Davidson, Archibald and Bowling (2013), Baseline: Practical Control Variates for Agent Evaluation in "
            "Zero-Sum Domains",
            baseline.RESULTS,
        ),
        Paper("literature", "Text books and packages, on public data", literature.RESULTS),
    )
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Reproduction(Result):
    """The results of one paper, ours beside theirs.

    Attributes
    ----------
    lines
        One for each result, in the order of the paper.
    """

    rows_name: ClassVar[str] = "figures"
    main: ClassVar[str] = "lines"

    paper: str
    citation: str
    lines: tuple[ComparedResult, ...]

    def count(self, agreement: PublishedAgreement) -> int:
        """Count the results that agree so far."""
        return sum(line.agreement is agreement for line in self.lines)

    @property
    def missing(self) -> tuple[ComparedResult, ...]:
        """The results that lack data, or a package."""
        return tuple(line for line in self.lines if line.agreement in MISSING)

    def rows(self) -> list[dict[str, str | None]]:
        """Give one row for each result that nothing is missing for."""
        return [
            {
                "paper": self.paper,
                "figure": line.what,
                "where": line.where,
                "published": line.published,
                "ours": line.ours,
                "verdict": str(line.agreement),
                "because": line.because,
                "beside": line.beside,
            }
            for line in self.lines
            if line.agreement not in MISSING
        ]

    def frame(self) -> "pl.DataFrame":
        """Give the results in the order of the paper."""
        return pl.DataFrame(self.rows(), infer_schema_length=None)

    def summary(self) -> dict[str, object]:
        """Give the citation and how many results agree how far."""
        agreements = {
            str(agreement): self.count(agreement) for agreement in PublishedAgreement if self.count(agreement)
        }
        return {"paper": self.paper, "citation": self.citation, "verdicts": agreements}

    @property
    def answer(self) -> tuple[str, ...]:
        """How many results agree how far."""
        return (count_words(line.agreement for line in self.lines),)


def reproduce_papers(
    papers: str | Sequence[str] | None = None,
    *,
    data: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> tuple[Reproduction, ...]:
    """Recompute the results of papers and set them beside the published ones.

    Parameters
    ----------
    papers
        One or several of ``evaluation``, ``incomplete``, ``indicators``, ``baseline`` and ``literature``; all of them
        where none is named.
    data
        Folder of public data sets, as :func:`fetch_data` makes it; what lacks one of them is in ``missing``.
    progress
        Called with the number of results done.
    executor
        Who recomputes the results: any ``concurrent.futures.Executor``; this process if not given.

    >>> [paper] = reproduce_papers("literature")
    >>> paper.count(PublishedAgreement.unexplained)
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
    wanted = [(name, place) for name in names for place in range(len(PAPERS[name].results))]
    lines: dict[str, list[ComparedResult]] = {name: [] for name in names}
    pieces = [(name, place, folder) for name, place in wanted]
    judged = counted(in_order(_judged, pieces, executor), "results", [1] * len(pieces))
    for done, ((name, _), line) in enumerate(zip(wanted, judged, strict=True), 1):
        lines[name].append(line)
        if progress is not None:
            progress(done)
    return tuple(_reproduction(PAPERS[name], lines[name], folder) for name in names)


def _judged(paper: str, place: int, folder: Path | None) -> ComparedResult:
    """Recompute one result: named by its place, since what computes it cannot be sent to another process."""
    return judge(PAPERS[paper].results[place], folder)


def _reproduction(paper: Paper, lines: list[ComparedResult], folder: Path | None) -> Reproduction:
    return Reproduction(
        paper=paper.name,
        citation=paper.citation,
        lines=tuple(lines),
        params=frozen_params(paper=paper.name, data=None if folder is None else "given"),
    )
