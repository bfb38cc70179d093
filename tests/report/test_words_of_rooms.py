"""The rooms that people see (arena, logs, reports, the command line) and the docs say the terms of the field.

Text is what stands in docstrings, comments, and string literals of more than one word; names in backticks, code of
examples and links are none.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("logs", "arena", "games", "players", "runners", "reproduce", "report", "cli")
PAGES = ("docs/*.md", "docs/howto/*.md", "docs/logs/*.md", "CONTRIBUTING.md", "examples/**/*.py")
TERMS = {
    r"(dis)?honest(y|ly)?": "calibrated, valid; a single rating describes the games",
    r"verdicts?": "answer, decision, vote, agreement",
    r"carr(y|ies|ied|ying)": "has, contains, has weight",
    r"weigh(s|ed|ing)?": "evaluate, analyse, has weight",
    r"surely": "significantly, certainly",
    r"really": "leave it out",
    r"nobody can say": "is unknown",
    r"taken together": "simultaneous, Holm-adjusted",
    r"small but real": "the number and its interval",
    r"hand(s|ed|ing)? out|handing": "lease",
    r"told": "reported, sent, listed",
    r"tells? (\w+ )?apart|tell whether": "discriminate, decide between; say whether",
    r"neighbours (are )?decided": "adjacent pairs decided",
    r"budget (is )?spent": "budget used up",
    r"How it was computed": "Method",
    r"Beware": "Warning",
    r"hold together": "simultaneous rank intervals",
    r"hold(s|ing)? at every look": "valid at every look",
    r"drawn together": "partially pooled",
    r"go(es)? round": "intransitive, cyclic part",
    r"who beats whom": "response graph",
    r"coming first": "first-position advantage",
    r"islands?": "connected components",
    r"resamples": "bootstrap samples",
    r"(error cut|cut by)": "reduction of the standard error",
    r"plain (mean|average)s?": "unadjusted mean, mean score",
    r"certificate": "solver check",
    r"ablest|abler": "highest ability, higher ability",
    r"talents?": "residual interactions",
    r"stability bands?": "bootstrap range",
    r"decides the top": "the leader changes without it",
    r"cyclic shares?": "intransitive share",
}
"""What is not written (whole words, in any case) and what is written for it."""
ALLOWED = {
    "docs/design.md": ("one number is honest",),  # drawn from the docstrings of other rooms
    "examples/make_data/hands.py": ("honest",),  # a player of that name
}
"""By file, words that may stand there."""
NAMES = re.compile(r"``[^`]*``|`[^`]*`|\]\([^)]*\)|\{[^{}]*\}")
CODE = re.compile(r"^\s*(>>>|\.\.\. |\w+(, \w+)*$)")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines of text of a module, or of a page outside of its code."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        for number, part in enumerate(source.split("```")):
            yield from ((number, line) for line in part.splitlines() if number % 2 == 0)
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
            yield from enumerate(token.string.splitlines(), token.start[0])


def complaints(path: Path, name: str) -> list[str]:
    """Give each line that says something otherwise."""
    said = []
    for number, line in texts(path):
        text = "" if CODE.match(line) else NAMES.sub("", line)
        for word in ALLOWED.get(name, ()):
            text = text.replace(word, "")
        said += [
            f"{name}:{number}: {line.strip()} (write: {instead})"
            for term, instead in TERMS.items()
            if re.search(rf"(?<![\w-])({term})(?![\w-])", text, re.IGNORECASE)
        ]
    return said


@pytest.mark.parametrize("where", [*(f"src/equipoise/{room}/**/*.py" for room in ROOMS), *PAGES])
def test_texts_say_the_terms_of_the_field(where: str) -> None:
    paths = sorted(ROOT.glob(where))
    assert paths
    wrong = [each for path in paths for each in complaints(path, path.relative_to(ROOT).as_posix())]
    assert wrong == []


def test_words_are_found_in_texts_and_not_in_names(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""An honest ``verdict``.\n\n>>> told = 1\n"""\nx = "verdict"\ny = f"{x} is told"  # Beware\n')
    assert [each.split(":")[1] for each in complaints(module, "module.py")] == ["1", "6", "6"]
    page = tmp_path / "page.md"
    page.write_text("Two resamples.\n```\nresamples\n```\nThe `verdict` stands.\n")
    assert len(complaints(page, "page.md")) == 1
