r"""Answers as HTML that can do nothing: Markdown without HTML, formulas as MathML, and a list of what may stand.

Everything is rendered once, when it is loaded. A text beyond :data:`LONGEST` is cut, and says so; one that takes longer
than :data:`DEADLINE` stands as plain text.
"""

import html
import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import nh3
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST, DEADLINE = 32_768, 0.5
"""Bytes of a text that are shown, and the seconds that one may take."""
LONGEST_FORMULA = 2_000
CUT = "\n\n… cut here: only the first 32 kB are shown."
TAGS = frozenset((
    "a", "blockquote", "br", "code", "dd", "del", "div", "dl", "dt", "em", "hr", "li", "ol", "p", "pre", "s", "span",
    "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
))  # fmt: skip
"""What may stand in an answer, besides formulas."""
FORMULA_TAGS = frozenset((
    "math", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace",
    "msqrt", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
))  # fmt: skip
ATTRIBUTES: Mapping[str, set[str]] = {"a": {"href"}, "ol": {"start"}, "math": {"display"}, "mo": {"stretchy", "fence"}}
SCHEMES = {"http", "https", "mailto"}
FORMULA = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|\$(?=\S)([^$\n]*?\S)\$(?!\d)", re.DOTALL)
STARTS = re.compile(r"[$\\]")


class _OverdueError(Exception):
    """A text that takes too long."""


def render(text: str, *, deadline: float = DEADLINE) -> str:
    r"""Give a text as HTML that can do nothing.

    >>> render("Some *words* <script>alert(1)</script>")
    '<p>Some <em>words</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>\n'
    """
    data = text.encode("utf-8", "replace")
    shown = text if len(data) <= LONGEST else data[:LONGEST].decode("utf-8", "ignore") + CUT
    try:
        made = _markdown().render(shown, {"until": time.monotonic() + deadline})
    except (_OverdueError, RecursionError):
        return f"<pre>{html.escape(shown, quote=False)}</pre>\n"
    return nh3.clean(
        made, tags={*TAGS, *FORMULA_TAGS}, attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        url_schemes=SCHEMES, link_rel="noreferrer noopener nofollow", strip_comments=True,
    )  # fmt: skip


@cache
def _markdown() -> MarkdownIt:
    found = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20})
    found.enable(["table", "strikethrough"]).disable(["image"])
    found.block.ruler.before("table", "deadline", _block_deadline)
    found.inline.ruler.before("text", "deadline", _inline_deadline)
    found.inline.ruler.before("escape", "formula", _formula)
    found.inline.add_terminator_char("$") if hasattr(found.inline, "add_terminator_char") else None
    found.add_render_rule("heading_open", _paragraph_open)
    found.add_render_rule("heading_close", _paragraph_close)
    found.add_render_rule("formula", _drawn_formula)
    return found


def _block_deadline(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    return _overdue(state.env)


def _inline_deadline(state: StateInline, _silent: bool) -> bool:
    return _overdue(state.env)


def _overdue(env: Any) -> bool:
    """Look at the clock; a rule that is asked at every place of the text is the one place that a deadline can have."""
    if time.monotonic() > env["until"]:
        raise _OverdueError
    return False


def _formula(state: StateInline, silent: bool) -> bool:
    if not STARTS.match(state.src, state.pos):
        return False
    found = FORMULA.match(state.src, state.pos, min(state.posMax, state.pos + LONGEST_FORMULA))
    if found is None:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content = next(part for part in found.groups() if part is not None)
        token.meta = {"block": found[1] is not None or found[2] is not None, "source": found[0]}
    state.pos = found.end()
    return True


def _paragraph_open(_self: Any, *_: Any) -> str:
    return "<p><strong>"


def _paragraph_close(_self: Any, *_: Any) -> str:
    return "</strong></p>\n"


def _drawn_formula(_self: Any, tokens: Sequence[Any], at: int, _options: Any, env: Any) -> str:
    """Draw a formula; one that cannot be read stands as it was written."""
    token = tokens[at]
    _overdue(env)
    try:
        return convert(token.content, display="block" if token.meta["block"] else "inline")
    except Exception:  # a parser of somebody's text, which raises whatever it stumbles over
        return f"<code>{html.escape(token.meta['source'])}</code>"
