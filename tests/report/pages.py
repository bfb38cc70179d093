"""Pages for the tests: one of everything, one of hostile names."""

from functools import cache

import numpy as np

import equipoise as eq
from equipoise.report.analyses import Request, analyse
from equipoise.report.html import Part, to_html
from equipoise.report.recognise import recognise

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


@cache
def page_of(*sources: str) -> str:
    parts = []
    for source in sources:
        found = recognise(source)
        parts.append(Part(found.title, analyse(found.data, Request(version="0")), found.what))
    return to_html("All", parts, version="0")


@cache
def hostile_page() -> str:
    table = games(HOSTILE_NAMES).pairs()
    return to_html(HOSTILE_NAMES[0], [Part(HOSTILE_NAMES[1], analyse(table, Request(version="0")))], version="0")
