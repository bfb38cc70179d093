"""A published result, how we compute it, and how far the two agree."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Literal

Compute = Callable[[Path], Sequence[float] | str]
"""From the folder of public data (unused by results that need none) to our result."""


class PublishedAgreement(StrEnum):
    """What may be said of our result beside the published one."""

    equal = "equal to rounding"
    within = "within our range"
    better = "better"
    differs = "differs"
    unexplained = "differs, and we do not know why"
    alone = "ours alone"
    impossible = "not reproducible"
    absent = "needs data"
    no_peer = "needs a peer"
    no_extra = "needs an extra"


PLURAL = {
    PublishedAgreement.differs: "differ",
    PublishedAgreement.unexplained: "differ, and we do not know why",
    PublishedAgreement.absent: "need data",
    PublishedAgreement.no_peer: "need a peer",
    PublishedAgreement.no_extra: "need an extra",
}

MISSING = frozenset({PublishedAgreement.absent, PublishedAgreement.no_peer, PublishedAgreement.no_extra})
"""What is not there cannot be compared."""


def count_words(agreements: Iterable[PublishedAgreement]) -> str:
    """Count in a sentence how far results agree.

    >>> count_words([PublishedAgreement.equal, PublishedAgreement.differs, PublishedAgreement.equal])
    '3 results: 2 equal to rounding, 1 differs.'
    """
    counts = Counter(agreements)
    words = [
        f"{counts[agreement]} {PLURAL.get(agreement, agreement) if counts[agreement] > 1 else agreement}"
        for agreement in PublishedAgreement
        if counts[agreement]
    ]
    total = counts.total()
    return f"{total} result{'' if total == 1 else 's'}: {', '.join(words)}."


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One result of a paper.

    Attributes
    ----------
    what
        What it is a result of.
    published
        The result as printed: numbers, or words for a statement (ours may add more in brackets); empty where there are
        none to read.
    compute
        Gives our result in the same form, or None where nobody can.
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
        A file of the public data without which there is no result.
    peer
        A module of another package without which there is nothing to compare with.
    extra
        A module without which ours cannot be computed, and the extra of ours that installs it: ``pyspiel, games``.
    printed
        Whether it is compared with what the paper prints; else with what a program computes (a reference value).
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
    printed: bool = True

    @property
    def beside(self) -> Literal["paper", "program"]:
        """What ours stands beside."""
        return "paper" if self.printed and not self.where.startswith("reference value") else "program"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedResult:
    """A result with what came of it, ready to be read."""

    what: str
    where: str
    published: str
    ours: str | None
    agreement: PublishedAgreement
    because: str
    beside: Literal["paper", "program"]


def judge(result: PublishedResult, folder: Path | None) -> ComparedResult:
    """Compute our result if its data are at hand, and compare."""
    if result.compute is None:
        return _line(result, None, PublishedAgreement.impossible, result.because)
    if result.needs and (folder is None or not (folder / result.needs).is_file()):
        return _line(result, None, PublishedAgreement.absent, result.needs)
    if missing := _missing(result.peer):
        return _line(result, None, PublishedAgreement.no_peer, missing)
    module, _, extra = result.extra.partition(", ")
    if missing := _missing(module):
        return _line(result, None, PublishedAgreement.no_extra, f'{missing}: pip install "equipoise[{extra}]"')
    ours = result.compute(folder or Path())
    agreement = _agreement(result, ours)
    reason = "" if agreement in {PublishedAgreement.equal, PublishedAgreement.unexplained} else result.because
    return _line(result, _printed(result, ours, agreement), agreement, reason)


def _printed(result: PublishedResult, ours: Sequence[float] | str, agreement: PublishedAgreement) -> str:
    """Print ours with the digits of the published result, and one more where a tie was rounded the other way."""
    text = shown(ours, result.digits, result.within)
    tie = agreement is PublishedAgreement.equal and result.digits >= 0 and not isinstance(ours, str)
    return shown(ours, result.digits + 1) if tie and text != shown(result.published, result.digits) else text


def _missing(peer: str) -> str:
    """Say which module a peer lacks; nothing if it can be imported."""
    if not peer:
        return ""
    try:
        import_module(peer)
    except ImportError as error:
        return f"{error.name} is not installed"
    return ""


def _line(result: PublishedResult, ours: str | None, agreement: PublishedAgreement, because: str) -> ComparedResult:
    published = shown(result.published, result.digits) or "no numbers"
    return ComparedResult(
        what=result.what, where=result.where, published=published, ours=ours, agreement=agreement, because=because,
        beside=result.beside,
    )  # fmt: skip


def _agreement(result: PublishedResult, ours: Sequence[float] | str) -> PublishedAgreement:
    if result.published == "":
        return PublishedAgreement.alone
    if _equal(result, ours):
        return PublishedAgreement.within if result.within else PublishedAgreement.equal
    if not result.because:
        return PublishedAgreement.unexplained
    return PublishedAgreement.better if result.better and _improved(result, ours) else PublishedAgreement.differs


def _equal(result: PublishedResult, ours: Sequence[float] | str) -> bool:
    if isinstance(ours, str) or isinstance(result.published, str):
        # Ours may say more in brackets.
        return isinstance(ours, str) and ours.partition(" (")[0] == result.published
    if result.within:
        _, low, high = ours
        return all(low <= value <= high for value in result.published)
    # Half a unit of the last printed digit, and a hair for the decimals that floating point cannot hold.
    unit = 0.5 * 10.0**-result.digits * (1 + 1e-6)
    pairs = zip(ours, result.published, strict=True)
    return all(a == b or abs(a - b) <= unit for a, b in pairs)


def _improved(result: PublishedResult, ours: Sequence[float] | str) -> bool:
    if isinstance(ours, str) or isinstance(result.published, str):
        return False
    sign = 1 if result.better == "higher" else -1
    return all(sign * (a - b) > 0 for a, b in zip(ours, result.published, strict=True))


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
