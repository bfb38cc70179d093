"""Style of an answer in Markdown: its length, headers, list items and bold runs, as judges see them."""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from equipoise.core.errors import DataError

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
HEADER = re.compile(r"^ {0,3}#{1,6}(?:[ \t]|$)")
LIST = re.compile(r"^[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
RULE = re.compile(r"^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
BOLD = re.compile(r"\*\*(?=\S)(?:[^*\n]|\*(?!\*))+?(?<=\S)\*\*|(?<!\w)__(?=\S)(?:[^_\n]|_(?!_))+?(?<=\S)__(?!\w)")
FEATURES = ("length", "headers", "lists", "bold")


@dataclass(frozen=True, slots=True)
class StyleFeatures:
    """What a text looks like.

    Attributes
    ----------
    length
        Characters, code and all.
    headers
        Lines that begin with one to six # and a space.
    lists
        Items of lists with bullets or numbers, nested ones too.
    bold
        Runs of bold print, in stars or in underscores.
    """

    length: int
    headers: int
    lists: int
    bold: int

    def to_dict(self) -> dict[str, int]:
        """Give the counts by name."""
        return asdict(self)


def style_features(text: str) -> StyleFeatures:
    r"""Count what judges may be taken in by: length, headers, list items and bold runs.

    Blocks of code (between fences of ``` or ~~~, also one that is never closed) and code within a line count for the
    length only: a # in them is a comment, a * a product. The length is in characters, which needs no tokenizer and goes
    with tokens; as a relative difference of two answers both say nearly the same.

    Fails when
        it is no text.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.style_features("# Plan\n\n1. **first**\n   - then\n\n```\n# no header\n```")
    StyleFeatures(length=51, headers=1, lists=2, bold=1)
    """
    if not isinstance(text, str):
        raise DataError(f"style is that of a text, not of {type(text).__name__}")
    lines = _without_code(text)
    bare = INLINE.sub("", "\n".join(lines))
    kept = bare.split("\n")
    return StyleFeatures(
        length=len(text),
        headers=sum(HEADER.match(line) is not None for line in kept),
        lists=sum(LIST.match(line) is not None and RULE.match(line) is None for line in kept),
        bold=len(BOLD.findall(bare)),
    )


def _without_code(text: str) -> list[str]:
    """Give the lines that are in no fenced block: a fence ends at one of the same sign that is as long."""
    kept, open_fence = [], ""
    for line in text.splitlines():
        found = FENCE.match(line)
        if open_fence:
            if found and found[1].startswith(open_fence) and not found[2].strip():
                open_fence = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            open_fence = found[1]
        else:
            kept.append(line)
    return kept


def add_style_features(frame: Any, *, a: str, b: str, text: Callable[[Any], str] = str) -> Any:
    """Add length_a, length_b, headers_a, headers_b ... to a frame of answers: columns that ``--adjust`` finds.

    Parameters
    ----------
    frame
        A pandas, polars or Arrow frame.
    a, b
        Columns of the two answers.
    text
        Makes the text of a cell, where a cell is something else, such as a conversation.

    Fails when
        a column is missing, or an answer is.

    Examples
    --------
    >>> import polars as pl, equipoise as eq
    >>> log = pl.DataFrame({"answer_a": ["**yes**"], "answer_b": ["no"]})
    >>> eq.methods.add_style_features(log, a="answer_a", b="answer_b").columns
    ['answer_a', 'answer_b', 'length_a', 'length_b', 'headers_a', 'headers_b', 'lists_a', 'lists_b', 'bold_a', 'bold_b']
    """
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    sides = {}
    for side, name in (("a", a), ("b", b)):
        if name not in table.columns:
            raise DataError(f'no column "{name}" of answers; there are: {", ".join(table.columns)}')
        cells = table[name].to_list()
        missing = [k + 1 for k, cell in enumerate(cells) if cell is None]
        if missing:
            raise DataError(f'column "{name}" has no answer in row {missing[0]}')
        sides[side] = [style_features(text(cell)) for cell in cells]
    made = [
        nw.new_series(
            f"{name}_{side}",
            [getattr(each, name) for each in sides[side]],
            nw.Int64,
            backend=nw.get_native_namespace(table),
        )
        for name in FEATURES
        for side in ("a", "b")
    ]
    return table.with_columns(*made).to_native()
