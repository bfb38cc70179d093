"""Pages for the tests: one of everything, one of hostile names."""

from functools import cache

import numpy as np

import equipoise as eq
from equipoise.data.readers.recognise import recognise
from equipoise.report.render.html import Part, to_html
from equipoise.report.views.registry import section_view
from equipoise.report.views.view import View

HOSTILE_NAMES = [
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    '=HYPERLINK("evil")',
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe",
    "x" * 10_000,
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET} emoji",
    "{{ 7 * 7 }} </svg></style></script>",
    "شطرنج",
]


def games(names: list[str], seed: int = 0) -> eq.Matches:
    """Draw a log in which everybody wins and loses."""
    rng = np.random.default_rng(seed)
    a = rng.integers(len(names), size=600)
    b = (a + rng.integers(1, len(names), size=600)) % len(names)
    better = 1 / (1 + np.exp((a - b) / len(names)))
    return eq.Matches.from_columns([names[i] for i in a], [names[j] for j in b], rng.random(600) < better)


def views_of(data: object) -> list[View]:
    """Give everything that fits the data, as a page shows it."""
    return [section_view(section) for section in eq.analyse(data)]


@cache
def page_of(*sources: str) -> str:
    parts = []
    for source in sources:
        recognised = recognise(source)
        parts.append(Part(recognised.title, views_of(recognised.data), recognised.what, seed=0))
    return to_html("All", parts, version="0")


@cache
def hostile_page() -> str:
    table = games(HOSTILE_NAMES).pairs()
    return to_html(HOSTILE_NAMES[0], [Part(HOSTILE_NAMES[1], views_of(table))], version="0")
