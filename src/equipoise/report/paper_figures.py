"""The figures of the papers that data allow, drawn by the charts of our results: ours in the papers' form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.alpharank.alpha_rank import alpha_rank
from equipoise.alpharank.alpha_sweep import alpha_sweep
from equipoise.alpharank.bounds import alpha_rank_bounds
from equipoise.core.errors import ParameterError
from equipoise.core.results import Result
from equipoise.flows.schur import schur
from equipoise.report import paper_charts
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.look import ChartLook, Plot
from equipoise.reproduce.baseline import auction
from equipoise.reproduce.evaluation import LINE, NOOP, ROUND, alphago_melo, atari_nash
from equipoise.reproduce.incomplete_alpharank import meta_game
from equipoise.reproduce.incomplete_learning import SOCCER, kuhn_file
from equipoise.reproduce.indicators_atari import BINARY as ALE
from equipoise.reproduce.indicators_atari import atari
from equipoise.reproduce.indicators_gvgai import BINARY as GVGAI
from equipoise.reproduce.indicators_gvgai import gvgai
from equipoise.reproduce.indicators_synthetic import synthetic


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure of a paper.

    Attributes
    ----------
    paper, name
        Whose it is, and what the file is called.
    where
        Which figure of the paper it has the form of, and what it shows.
    make
        Gives the result that is drawn, or the chart itself, from the folder of public data.
    kind
        Which chart of that result; None for the main one.
    needs
        A file of the public data.
    agents
        Who is drawn; empty for all.
    """

    paper: str
    name: str
    where: str
    make: Callable[[Path], Result | ChartView]
    kind: str | None = None
    needs: str = ""
    agents: tuple[str, ...] = ()


def _soccer_bounds(folder: Path) -> Result:
    win = meta_game(folder / SOCCER).payoffs[0]
    return alpha_rank_bounds([win - WITHIN], [win + WITHIN])


WITHIN = 0.05
"""How far payoffs of figure 1.1b are known."""
DRAWN_GVGAI = ("AIJim", "jaydee", "mrtndwrd", "NovTea", "sampleMCTS", "simulatedAnnealing")
"""Agents of the paper's figure 8."""
FIGURES = (
    PaperFigure("evaluation", "atari-core-agents", "figure 1A, 2A: Nash averages of agents on Atari", atari_nash,
                "nash-agents", NOOP),
    PaperFigure("evaluation", "atari-core-tasks", "figure 1B: core games of Atari", atari_nash, "nash-tasks", NOOP),
    PaperFigure("evaluation", "alphago-disc", "section 3.2: AlphaGo and Zen on the disc of mElo2",
                lambda _: alphago_melo(1), "disc"),
    PaperFigure("evaluation", "transitive-disc", "appendix F, figure 3: a transitive table is on a line",
                lambda _: schur(LINE[:, None] - LINE[None, :]), "disc"),
    PaperFigure("evaluation", "cyclic-disc", "appendix F, figure 3: a cyclic table is on a circle",
                lambda _: schur(ROUND), "disc"),
    PaperFigure("incomplete", "soccer-response-graph", "figure 1.1: response graph of the soccer meta-game",
                lambda folder: alpha_rank(meta_game(folder / SOCCER)), "response-graph", SOCCER),
    PaperFigure("incomplete", "soccer-bounds", "figure 1.1b: bounds on soccer's masses, payoffs known within 0.05",
                _soccer_bounds, "alpha-bounds", SOCCER),
    PaperFigure("incomplete", "fixation", "figure B.1: chance that a mutant takes over", paper_charts.fixation),
    PaperFigure("incomplete", "kuhn-alpha-sweep", "alpha-Rank of three-player Kuhn poker against alpha",
                lambda folder: alpha_sweep(meta_game(folder / kuhn_file(3))), "alpha-sweep", kuhn_file(3)),
    PaperFigure("indicators", "item-curve", "figure 1: a curve of three parameters", paper_charts.item_curve),
    PaperFigure("indicators", "synthetic-spread", "figure 3: means and variances of the models of Table I",
                lambda _: synthetic(), "mean-variance"),
    PaperFigure("indicators", "atari-spread", "figure 7, left: means and variances on Atari",
                paper_charts.atari_spread, needs=ALE),
    PaperFigure("indicators", "gvgai-spread", "figure 7, right: means and variances on GVGAI",
                paper_charts.gvgai_spread, needs=GVGAI),
    PaperFigure("indicators", "atari-slopes", "figure 9, left: slope against regularity on Atari",
                paper_charts.atari_slopes, needs=ALE),
    PaperFigure("indicators", "gvgai-slopes", "figure 9, right: slope against regularity on GVGAI",
                paper_charts.gvgai_slopes, needs=GVGAI),
    PaperFigure("indicators", "atari-item-curves", "figures 4 to 6, left: item curves of Atari games",
                lambda folder: atari(folder).fit, "item-curves", ALE),
    PaperFigure("indicators", "gvgai-item-curves", "figures 4 to 6, right: item curves of GVGAI levels",
                lambda folder: gvgai(folder).fit, "item-curves", GVGAI),
    PaperFigure("indicators", "atari-agent-curves", "figure 8, left: agent curves on Atari, the authors' bins",
                lambda folder: atari(folder).general(), "agent-curves", ALE),
    PaperFigure("indicators", "gvgai-agent-curves", "figure 8, right: agent curves on GVGAI, the authors' bins",
                lambda folder: gvgai(folder).general(), "agent-curves", GVGAI, DRAWN_GVGAI),
    PaperFigure("baseline", "auction-reduction", "table 5: an ad auction of our own, control half",
                lambda _: auction()[0], "variance-reduction"),
)  # fmt: skip


def draw_paper_figures(
    folder: str | Path, papers: str | Sequence[str] | None = None, *, data: str | Path | None = None, form: str = "svg"
) -> dict[PaperFigure, Path]:
    """Draw the figures of papers into a folder, and give their files.

    Parameters
    ----------
    folder
        Where pictures go; it is made if need be.
    papers
        One or several of the papers of :func:`reproduce_papers`; all where none is named.
    data
        Folder of public data sets; figures that lack one are not drawn.
    form
        ``svg``, ``png`` or ``pdf``.

    Fails when
        the folder cannot be made.
    """
    wanted = {papers} if isinstance(papers, str) else None if papers is None else set(papers)
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"cannot make {target}: {error.strerror}") from error
    source = None if data is None else Path(data)
    drawn = {}
    for figure in FIGURES:
        there = not figure.needs or (source is not None and (source / figure.needs).is_file())
        if there and (wanted is None or figure.paper in wanted):
            made = figure.make(source or Path())
            shown = ChartLook(agents_shown=figure.agents)
            chart = (
                Plot(made, shown) if isinstance(made, ChartView) else made.plot(figure.kind, agents_shown=figure.agents)
            )
            drawn[figure] = Path(chart.save(target / f"{figure.paper}-{figure.name}.{form}"))
    return drawn
