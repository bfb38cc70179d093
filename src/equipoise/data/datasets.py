"""The small data sets that ship with the package."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import combinations

import numpy as np

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Ballots, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

AnyData = Matches | PairTable | Scores | MetaGame | Episodes | Rankings | Ballots

ALPHAGO_PLAYERS = ("rvp", "vp", "rp", "rv", "r", "v", "p", "Zen")
# Percent of games won by the earlier player against each later one.
ALPHAGO_PERCENT = (
    (99, 95, 100, 100, 100, 100, 99),
    (39, 65, 94, 100, 99, 84),
    (87, 100, 100, 96, 98),
    (100, 71, 52, 92),
    (22, 22, 6),
    (70, 40),
    (100,),
)

LSAT_PATTERNS = """
00000:3 00001:6 00010:2 00011:11 00100:1 00101:1 00110:3 00111:4 01000:1 01001:8 01011:16 01101:3 01110:2 01111:15
10000:10 10001:29 10010:14 10011:81 10100:3 10101:28 10110:15 10111:80 11000:16 11001:56 11010:21 11011:173
11100:11 11101:61 11110:28 11111:298
"""


@dataclass(frozen=True, slots=True)
class BundledSet:
    """A data set that ships with the package: what it is, where it comes from, and how it is loaded."""

    name: str
    kind: str
    about: str
    source: str
    load: Callable[[], AnyData]


def load(name: str) -> AnyData:
    """Load a bundled data set by name.

    >>> load("alphago").agents
    ('rvp', 'vp', 'rp', 'rv', 'r', 'v', 'p', 'Zen')

    Fails when
        there is no such set; the error lists those there are.
    """
    if name not in BUNDLED:
        raise ParameterError(
            f'no bundled data set "{name}"{did_you_mean(name, list(BUNDLED))}; there are: {", ".join(BUNDLED)}'
        )
    return BUNDLED[name].load()


def bundled_file(name: str) -> Traversable:
    """Give the place of a bundled file."""
    return resources.files("equipoise.data") / "bundled" / name


def _alphago() -> PairTable:
    p = np.full((len(ALPHAGO_PLAYERS),) * 2, 0.5)
    percents = (percent for row in ALPHAGO_PERCENT for percent in row)
    for (i, j), percent in zip(combinations(range(len(ALPHAGO_PLAYERS)), 2), percents, strict=True):
        p[i, j], p[j, i] = percent / 100, (100 - percent) / 100
    return PairTable.from_matrix(p, agents=ALPHAGO_PLAYERS)


def _lsat() -> Scores:
    rows = []
    for entry in LSAT_PATTERNS.split():
        pattern, count = entry.split(":")
        rows += [[int(answer) for answer in pattern]] * int(count)
    people = [f"person {index + 1}" for index in range(len(rows))]
    return Scores.from_matrix(rows, agents=people, tasks=[f"item {k}" for k in range(1, 6)])


def _classifiers() -> Scores:
    from equipoise.data.readers.read import read_scores

    return read_scores(str(bundled_file("classifiers.csv.gz")))


def _digits() -> Scores:
    from equipoise.data.readers.read import read_scores

    return read_scores(str(bundled_file("digits.csv.gz")))


def _hands(name: str) -> Episodes:
    from equipoise.data.readers.read import read_episodes

    return read_episodes(str(bundled_file(f"{name}.csv.gz")), controls=("honest",))


BUNDLED = {
    entry.name: entry
    for entry in (
        BundledSet(
            "alphago", "pair table", "win rates of seven AlphaGo variants and Zen against each other",
            "Silver et al. (2016), Mastering the game of Go, Extended Data Table 9", _alphago,
        ),
        BundledSet(
            "lsat", "scores", "1,000 people on five items of the Law School Admission Test (right or wrong)",
            "Bock and Lieberman (1970), Fitting a response model for n dichotomously scored items", _lsat,
        ),
        BundledSet(
            "classifiers", "scores", "18 scikit-learn classifiers on 18 small data sets, accuracy in five trials",
            "made by examples/make_data/classifiers.py", _classifiers,
        ),
        BundledSet(
            "digits", "scores", "80 classifiers, good and bad, on 400 handwritten digits (right or wrong)",
            "made by examples/make_data/digits.py", _digits,
        ),
        BundledSet(
            "hands", "episodes", "Leduc poker hands of five bots on duplicate and single deals, with two controls",
            "made by examples/make_data/hands.py", partial(_hands, "hands"),
        ),
        BundledSet(
            "hands-kuhn2", "episodes", "the same for two-player Kuhn poker",
            "made by examples/make_data/hands.py", partial(_hands, "hands-kuhn2"),
        ),
        BundledSet(
            "hands-kuhn3", "episodes", "three-player Kuhn poker hands of four bots, likewise",
            "made by examples/make_data/hands.py", partial(_hands, "hands-kuhn3"),
        ),
    )
}  # fmt: skip
