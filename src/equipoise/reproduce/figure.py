"""A published figure, how we compute it, and the verdict on the two side by side."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Literal

Compute = Callable[[Path], Sequence[float] | str]
"""From the folder of public data (unused by figures that need none) to our figure."""


class Verdict(StrEnum):
    """What may be said of our figure beside the published one."""

    equal = "equal to rounding"
    within = "within our range"
    better = "better"
    differs = "differs"
    unexplained = "differs, and we do not know why"
    alone = "ours alone"
    impossible = "not reproducible"
    absent = "needs EQUIPOISE_DATA"
    no_peer = "needs a peer"
    no_extra = "needs an extra"


PLURAL = {
    Verdict.differs: "differ",
    Verdict.unexplained: "differ, and we do not know why",
    Verdict.absent: "need EQUIPOISE_DATA",
    Verdict.no_peer: "need a peer",
    Verdict.no_extra: "need an extra",
}


def count_words(verdicts: Iterable[Verdict]) -> str:
    """Count verdicts in a sentence.

    >>> count_words([Verdict.equal, Verdict.differs, Verdict.equal])
    '3 figures: 2 equal to rounding, 1 differs.'
    """
    counts = Counter(verdicts)
    words = [
        f"{counts[verdict]} {PLURAL.get(verdict, verdict) if counts[verdict] > 1 else verdict}"
        for verdict in Verdict
        if counts[verdict]
    ]
    total = counts.total()
    return f"{total} figure{'' if total == 1 else 's'}: {', '.join(words)}."


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a paper.

    Attributes
    ----------
    what
        What it is a figure of.
    published
        The figure as printed: numbers, or words for a statement (ours may add more in brackets); empty where there are
        none to read.
    compute
        Gives our figure in the same form, or None where nobody can.
    where
        Where it is printed.
    digits
        Decimals that are printed, -1 for tens: our numbers are equal if they round to the published ones.
    within
        Published values are single runs: they agree if they lie in our range, given by ``compute`` as mean, low, high.
    better
        ``lower`` or ``higher`` where such a value is an improvement on the published one.
    because
        Why ours is better or differs, why there is none, or why there is nothing to compare it with.
    needs
        A file of the public data without which there is no figure.
    peer
        A module of another package without which there is nothing to compare with.
    extra
        A module without which ours cannot be computed, and the extra of ours that installs it: ``pyspiel, games``.
    """

    what: str
    published: tuple[float, ...] | str
    compute: Compute | None
    _: KW_ONLY
    where: str
    digits: int = 2
    within: bool = False
    better: Literal["lower", "higher"] | None = None
    because: str = ""
    needs: str = ""
    peer: str = ""
    extra: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """A figure with what came of it, ready to be read."""

    what: str
    where: str
    published: str
    ours: str | None
    verdict: Verdict
    because: str


def judge(figure: Figure, folder: Path | None) -> FigureLine:
    """Compute our figure if its data are at hand, and compare."""
    if figure.compute is None:
        return _line(figure, None, Verdict.impossible, figure.because)
    if figure.needs and (folder is None or not (folder / figure.needs).is_file()):
        return _line(figure, None, Verdict.absent, figure.needs)
    if missing := _missing(figure.peer):
        return _line(figure, None, Verdict.no_peer, missing)
    module, _, extra = figure.extra.partition(", ")
    if missing := _missing(module):
        return _line(figure, None, Verdict.no_extra, f'{missing}: pip install "equipoise[{extra}]"')
    ours = figure.compute(folder or Path())
    verdict = _verdict(figure, ours)
    reason = "" if verdict in {Verdict.equal, Verdict.unexplained} else figure.because
    return _line(figure, _printed(figure, ours, verdict), verdict, reason)


def _printed(figure: Figure, ours: Sequence[float] | str, verdict: Verdict) -> str:
    """Print ours with the digits of the published figure, and one more where a tie was rounded the other way."""
    text = shown(ours, figure.digits, figure.within)
    tie = verdict is Verdict.equal and figure.digits >= 0 and not isinstance(ours, str)
    return shown(ours, figure.digits + 1) if tie and text != shown(figure.published, figure.digits) else text


def _missing(peer: str) -> str:
    """Say which module a peer lacks; nothing if it can be imported."""
    if not peer:
        return ""
    try:
        import_module(peer)
    except ImportError as error:
        return f"{error.name} is not installed"
    return ""


def _line(figure: Figure, ours: str | None, verdict: Verdict, because: str) -> FigureLine:
    published = shown(figure.published, figure.digits) or "no numbers"
    return FigureLine(
        what=figure.what, where=figure.where, published=published, ours=ours, verdict=verdict, because=because
    )


def _verdict(figure: Figure, ours: Sequence[float] | str) -> Verdict:
    if figure.published == "":
        return Verdict.alone
    if _equal(figure, ours):
        return Verdict.within if figure.within else Verdict.equal
    if not figure.because:
        return Verdict.unexplained
    return Verdict.better if figure.better and _improved(figure, ours) else Verdict.differs


def _equal(figure: Figure, ours: Sequence[float] | str) -> bool:
    if isinstance(ours, str) or isinstance(figure.published, str):
        # Ours may say more in brackets.
        return isinstance(ours, str) and ours.partition(" (")[0] == figure.published
    if figure.within:
        _, low, high = ours
        return all(low <= value <= high for value in figure.published)
    # Half a unit of the last printed digit, and a hair for the decimals that floating point cannot hold.
    unit = 0.5 * 10.0**-figure.digits * (1 + 1e-6)
    pairs = zip(ours, figure.published, strict=True)
    return all(a == b or abs(a - b) <= unit for a, b in pairs)


def _improved(figure: Figure, ours: Sequence[float] | str) -> bool:
    if isinstance(ours, str) or isinstance(figure.published, str):
        return False
    sign = 1 if figure.better == "higher" else -1
    return all(sign * (a - b) > 0 for a, b in zip(ours, figure.published, strict=True))


def shown(values: Sequence[float] | str, digits: int, ranged: bool = False) -> str:
    """Print numbers with so many decimals; a range as mean and ends."""
    if isinstance(values, str):
        return values
    texts = [_number(value, digits) for value in values]
    return f"{texts[0]} ({texts[1]} to {texts[2]})" if ranged else ", ".join(texts)


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "infinite"
    text = f"{value:.{max(digits, 0)}f}"
    return text[1:] if text.startswith("-") and float(text) == 0 else text
