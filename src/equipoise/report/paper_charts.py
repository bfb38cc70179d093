"""Charts that papers draw of numbers which no result of ours holds: curves of a formula, maps of two indicators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from equipoise.alpharank.transition import fixation_probability
from equipoise.core.results import FloatArray
from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import ChartView, Frame, category_signs, finished
from equipoise.report.charts.drawing.lines import line_names, lines_with_marks
from equipoise.report.charts.games.games_results import Place
from equipoise.report.charts.items.spread import GeneralityMap, MeanVariance
from equipoise.reproduce import indicators_atari, indicators_gvgai
from equipoise.reproduce.indicators_synthetic import example_curve

ALPHAS = (0.01, 0.1, 1.0)
POPULATION = 50
STEPS = 81


@dataclass(frozen=True, slots=True)
class FormulaCurves(ChartView):
    """Curves over a common axis.

    Attributes
    ----------
    asked, words
        Title and caption.
    axes
        What lies across and up.
    places
        Where the curves are known.
    curves
        Their heights, by name.
    """

    name: ClassVar[str] = "formula-curves"
    title: ClassVar[str] = "Curves"
    about: ClassVar[str] = "curves of a formula"
    elastic: ClassVar[bool] = True

    asked: str
    words: str
    axes: tuple[str, str]
    places: Sequence[float]
    curves: Mapping[str, Sequence[float]]

    def heading(self) -> str:
        """Give the title above this very chart."""
        return self.asked

    def caption(self) -> str:
        """Say what is drawn."""
        return self.words

    def draw(self, width: int) -> Any:
        """Draw lines with marks."""
        names = line_names(list(self.curves), width)
        rows = [
            {"shown": shown, "name": name, "x": x, "y": y, "tip": f"{name}: {y:.3g} at {x:.3g}"}
            for shown, (name, heights) in zip(names, self.curves.items(), strict=True)
            for x, y in zip(self.places, heights, strict=True)
        ]
        across = vega.scale(domain=[min(self.places), max(self.places)], nice=False)
        x = vega.channel("x:Q", title=self.axes[0], scale=across)
        lines = lines_with_marks(
            rows, names, x, lambda field: vega.channel(f"{field}:Q", title=self.axes[1]), value="y"
        )
        return finished(*lines, frame=Frame(width, 300, signs=category_signs(names)))


def item_curve(_: Path) -> FormulaCurves:
    """Draw the curve of three parameters that explains the others."""
    abilities = np.linspace(-1.0, 7.0, STEPS)
    return FormulaCurves(
        "A curve of three parameters", "Chance of success over ability; at b it is (1 + c)/2.",
        ("ability", "probability correct"), abilities.tolist(),
        {"a 2, b 3, c 0.1": example_curve(abilities).tolist()},
    )  # fmt: skip


def fixation(_: Path) -> FormulaCurves:
    """Draw the chance that a single mutant takes over, by what it gains."""
    gains = np.linspace(-1.0, 1.0, STEPS)
    return FormulaCurves(
        "Does a mutant take over?",
        f"Fixation probability of one mutant in a population of {POPULATION}, by its gain in payoff, for three alphas.",
        ("gain in payoff", "fixation probability"), gains.tolist(),
        {f"alpha {a:g}": fixation_probability(gains, alpha=a, m=POPULATION).tolist() for a in ALPHAS},
    )  # fmt: skip


def atari_spread(folder: Path) -> MeanVariance:
    """Draw means and variances of normal scores on Atari."""
    agents = indicators_atari.atari(folder).fit.agents
    return _spread(agents, indicators_atari.normal_scores(folder), indicators_atari.regularity(folder))


def gvgai_spread(folder: Path) -> MeanVariance:
    """Draw means and variances of normal scores on GVGAI."""
    agents = indicators_gvgai.gvgai(folder).fit.agents
    return _spread(agents, indicators_gvgai.normal_scores(folder), indicators_gvgai.regularity(folder))


def atari_slopes(folder: Path) -> GeneralityMap:
    """Draw slopes by the authors' rule against regularity on Atari."""
    fitted = indicators_atari.atari(folder)
    return _slopes(fitted.fit.agents, indicators_atari.regularity(folder), fitted.slopes(carried=True))


def gvgai_slopes(folder: Path) -> GeneralityMap:
    """Draw slopes by the authors' rule against regularity on GVGAI, within the limits of their figure."""
    fitted, regular = indicators_gvgai.gvgai(folder), indicators_gvgai.regularity(folder)
    return _slopes(
        fitted.fit.agents, np.where(regular < indicators_gvgai.CUT, regular, np.nan), fitted.slopes(carried=True)
    )


def _spread(agents: Sequence[str], scores: FloatArray, regularity: FloatArray) -> MeanVariance:
    mean = np.nanmean(scores, axis=1)  # tasks on which all are alike have no normal score
    order = [k for k in np.argsort(-mean, kind="stable") if np.isfinite(mean[k]) and np.isfinite(regularity[k])]
    return MeanVariance([Place(agents[k], float(mean[k]), float(1.0 / regularity[k])) for k in order])


def _slopes(agents: Sequence[str], regularity: FloatArray, slope: FloatArray) -> GeneralityMap:
    there = np.flatnonzero(np.isfinite(regularity) & np.isfinite(slope)).tolist()
    places = [Place(agents[k], float(regularity[k]), float(slope[k])) for k in there]
    return GeneralityMap(places, len(agents) - len(places), ("regularity", "slope"))
