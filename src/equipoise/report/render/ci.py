"""Decisions for machines that run tests: JUnit's XML, a summary and annotations for GitHub Actions."""

from xml.sax.saxutils import quoteattr

from equipoise.analyses.gate.parts import JointGate
from equipoise.analyses.gate.result import GateResult
from equipoise.report.render.paper import to_markdown
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.gate import gate_view, joined_parts, joint_view

AnyGate = GateResult | JointGate

LEVELS = {"pass": "notice", "fail": "error", "undecided": "warning"}
"""How loud an annotation is."""
BADGES = {
    "pass": ("pass", "#2f7d32"), "fail": ("fail", "#b3261e"), "undecided": ("undecided", "#8a5a00"),
    None: ("no margin", "#555"),
}  # fmt: skip
"""Words and colours of badges; white on them can be read."""
LONGEST = 2000
"""Characters of a text that a machine shows."""


def junit(gate: AnyGate, *, strict: bool = False) -> str:
    """Give each decision as a test case: failed, skipped where undecided (failed with ``strict``), or passed."""
    parts = [("", gate)] if isinstance(gate, GateResult) else [(f": {name}", part) for name, part in joined_parts(gate)]
    verdicts = ["fail" if strict and part.verdict == "undecided" else part.verdict for _, part in parts]
    cases = []
    for (name, part), verdict in zip(parts, verdicts, strict=True):
        texts = (f"{gate.new} against {gate.base}{name}", " ".join(part.answer))
        named, said = (quoteattr(harmless(text, LONGEST)) for text in texts)
        inner = {"fail": f"<failure message={said}/>", "undecided": f"<skipped message={said}/>"}.get(verdict or "", "")
        cases.append(f'  <testcase classname="equipoise.gate" name={named}>{inner}</testcase>\n')
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuite name="equipoise gate" tests="{len(parts)}" failures="{verdicts.count("fail")}" errors="0"'
        f' skipped="{verdicts.count("undecided")}">\n{"".join(cases)}</testsuite>\n'
    )


def github_summary(gate: AnyGate) -> str:
    """Give the decision and the tasks that changed, or the parts, as Markdown; names are escaped."""
    first, *rest = (_plain(sentence) for sentence in gate.answer)
    if isinstance(gate, GateResult):
        table = to_markdown(gate_view(gate)) if gate.changed(1) or gate.changed(-1) else ""
    else:
        table = to_markdown(joint_view(gate))
    return "\n\n".join([f"### {first}", *rest, table]).rstrip() + "\n"


def github_annotation(gate: AnyGate, *, strict: bool = False) -> str:
    """Give the decision as a workflow command, in one line: what a task is called can start no other command."""
    verdict = "fail" if strict and gate.verdict == "undecided" else gate.verdict or "pass"
    text = harmless(" ".join(gate.answer), LONGEST).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{LEVELS[verdict]} title=equipoise gate::{text}"


def badge(gate: AnyGate) -> str:
    """Give a picture (SVG) that says the decision in two words; :func:`badge_line` shows it in Markdown."""
    word, colour = BADGES[gate.verdict]
    left, right = 76, 14 + 7 * len(word)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img"'
        f' aria-label="equipoise: {word}"><title>equipoise: {word}</title>'
        f'<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">equipoise</text><text x="{left + right / 2:g}" y="14">{word}</text></g></svg>\n'
    )


def badge_line(gate: AnyGate, picture: str) -> str:
    """Give the line of Markdown that shows a badge."""
    return f"![equipoise: {BADGES[gate.verdict][0]}]({picture})"


def _plain(sentence: str) -> str:
    """Escape what Markdown and HTML would take for more than text."""
    text = harmless(sentence, LONGEST)
    return "".join(f"\\{c}" if c in "\\`*_[]|#!" else {"<": "&lt;", "&": "&amp;"}.get(c, c) for c in text)
