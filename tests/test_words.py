"""One term per thing: no text of the package or its docs says what the glossary says otherwise.

``TERMS`` is the glossary: what is not written, and what is written for it. It is looked for in string literals,
docstrings and comments of the rooms in ``ROOMS`` and in the pages of ``PAGES``. A literal of a single word is a name
(a column, an option's value, a JSON key) and no text; so is what stands in backticks, and so are lines of code in
docstrings and pages.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "equipoise"

ROOMS = (
    "core",
    "data",
    "inference",
    "flows",
    "ratings",
    "nash",
    "alpharank",
    "items",
    "aggregates",
    "luck",
    "schedule",
    "analyses",
)
PAGES = ("README.md", "docs/methods/*.md")

TERMS = {
    r"honest(y|ly)?": "say what is described, or how well: calibrated, valid, unbiased",
    r"verdicts?": "result, decision, answer",
    r"carr(y|ies|ied|ying)": "has, holds, has weight",
    r"weigh(s|ed|ing)?": "weight, evaluate, compare",
    r"surely": "significantly",
    r"really": "leave it out",
    r"nobody can say": "cannot be tested",
    r"taken together": "simultaneous, Holm-adjusted, jointly",
    r"small but real": "the number and its interval",
    r"hold together": "simultaneous rank intervals",
    r"may be the best": "cannot be ruled out as best",
    r"do not separate (them|these)": "not significantly different",
    r"stand(s|ing)? behind": "cluster, or: is computed from",
    r"stand or fall": "clustered",
    r"islands?": "connected components",
    r"follow(s|ed)? (from )?results": "adaptive pairing",
    r"Side advantage": "first-position advantage",
    r"coming first": "position bias",
    r"favours? (its|their) own": "self-preference",
    r"agrees? less": "low inter-rater agreement",
    r"X2": "chi-square",
    r"has other members": "the Nash support is unstable",
    r"decides? the top": "leader changes without it",
    r"plain averages?": "mean score",
    r"duplicates in effect|in effect (the )?(same|duplicates?)": "redundant (correlation of at least 0.99)",
    r"talents?": "residual interactions",
    r"suites drawn": "bootstrap over tasks",
    r"resamples": "bootstrap samples",
    r"stability bands?": "bootstrap range",
    r"a run is better": "probability of improvement",
    r"min-max units": "min-max normalised scores",
    r"tell(s|ing)? (\w+ )?(agents|them|two|everybody|nobody) apart": "separate, discriminate",
    r"integrated out": "hierarchical item model",
    r"curves? of (its|their) own": "separate item parameters",
    r"slopes? may be zero": "discrimination not distinguishable from 0",
    r"ablest": "highest ability",
    r"one number (is|would be) (mostly )?honest": "a single rating describes the games",
    r"cyclic shares?": "intransitive share",
    r"Beware": "Warning",
    r"drawn together": "partially pooled",
    r"hand(s|ed|ing)? out": "lease",
    r"told(?! (apart|from))": "observations, reports",
    r"neighbours (are )?decided": "adjacent pairs decided",
    r"budget is spent": "budget used up",
    r"all special|special (in|at|categor\w+)": "category effects",
    r"(holds?|held) a board|board (that )?is held": "anchor to a published board",
    r"reach(es)? as far": "cannot be ruled out",
    r"sparse counts": "few games per pair",
    r"error cut": "reduction of the standard error",
    r"plain mean": "unadjusted mean",
    r"Evolution ends": "alpha-Rank's limit is",
    r"single chain": "one sink component",
    r"who beats whom": "response graph",
    r"How it was computed": "Method",
}
"""What is not written (a regular expression of whole words, in any case) and what is written for it."""

ALLOWED: dict[tuple[str, str], str] = {
    ("src/equipoise/core/former.py", "islands"): "the former name itself, in the table of former names",
}
"""A file, the text that may stand in it (a regular expression), and why: a name that people know, a quoted word."""

NAME = re.compile(r"[\w.:/<>=+-]+")
"""A literal without spaces: the name of a column, a code, an option's value."""
QUOTED = re.compile(r"``[^`]*``|`[^`]*`|:\w+:`[^`]*`|\]\([^)]*\)|\{[^{}]*\}")
"""Names in backticks, addresses of links, and what an f-string puts into its braces."""
CODE_LINE = re.compile(r"^\s*((>>>|\.\.\. ).*|\w+(, \w+)*)$")
"""A line of an example, or the names of parameters and attributes that the next line explains."""


def _text_tokens(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of text in a module: comments, docstrings, and the words of its literals."""
    middle = getattr(tokenize, "FSTRING_MIDDLE", None)
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type in (tokenize.COMMENT, middle):
            yield token.start[0], token.string
        elif token.type == tokenize.STRING and not NAME.fullmatch(token.string.strip("rbu'\"")):
            # Adjacent words may be parted by the end of a line: a line is read with the start of the next.
            yield from ((token.start[0] + number, line) for number, line in enumerate(token.string.splitlines()))


def _page_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a page outside of its blocks of code."""
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def _complaints(path: Path) -> list[str]:
    """Give each place of a file that says a term otherwise than the glossary."""
    name = path.relative_to(ROOT).as_posix()
    allowed = [text for (file, text) in ALLOWED if re.fullmatch(file, name)]
    wrong = []
    for number, line in _text_tokens(path) if path.suffix == ".py" else _page_lines(path):
        if CODE_LINE.match(line):
            continue
        text = QUOTED.sub("", line)
        for pattern in allowed:
            text = re.sub(pattern, "", text)
        wrong += [
            f"{name}:{number}: {line.strip()}  ({write})"
            for term, write in TERMS.items()
            if re.search(rf"(?<![\w-]){term}(?![\w-])", text, re.IGNORECASE)
        ]
    return wrong


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_the_words_of_the_field(room: str) -> None:
    wrong = [each for path in sorted((SOURCE / room).rglob("*.py")) for each in _complaints(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("pages", PAGES)
def test_pages_say_the_words_of_the_field(pages: str) -> None:
    wrong = [each for path in sorted(ROOT.glob(pages)) for each in _complaints(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("term", TERMS)
def test_every_term_can_be_found(term: str) -> None:
    assert re.compile(term)


def test_what_may_be_said_is_said() -> None:
    for file, text in ALLOWED:
        paths = [path for path in ROOT.rglob(file.rsplit("/", 1)[-1].replace(r"\.", ".")) if ".git" not in path.parts]
        assert any(re.search(text, path.read_text(encoding="utf-8")) for path in paths), (file, text)


def test_words_are_found_in_text_and_not_in_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_words.ROOT", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(
        '"""An honest ``verdict``.\n\n>>> verdict = 1\n"""\nx = "verdict"\ny = f"{x} islands"  # Beware\n'
    )
    assert [each.split(":")[1] for each in _complaints(module)] == ["1", "6", "6"]
    page = tmp_path / "page.md"
    page.write_text("One resample, two resamples.\n```\nresamples\n```\n")
    assert [each.split(":")[1] for each in _complaints(page)] == ["1"]
