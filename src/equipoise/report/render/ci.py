"""Decisions for machines that run tests: JUnit's XML, a summary and annotations for GitHub Actions."""

from xml.sax.saxutils import quoteattr

from equipoise.analyses.gate.result import GateResult
from equipoise.report.render.paper import to_markdown
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.gate import gate_view

LEVELS = {"pass": "notice", "fail": "error", "undecided": "warning"}
"""How loud an annotation is."""
LONGEST = 2000
"""Characters of a text that a machine shows."""


def junit(gate: GateResult, *, strict: bool = False) -> str:
    """Give the decision as one test case: failed, skipped where undecided (failed with ``strict``), or passed."""
    texts = (f"{gate.new} against {gate.base}", " ".join(gate.answer))
    name, said = (quoteattr(harmless(text, LONGEST)) for text in texts)
    failed = gate.verdict == "fail" or (strict and gate.verdict == "undecided")
    skipped = gate.verdict == "undecided" and not strict
    inner = f"<failure message={said}/>" if failed else f"<skipped message={said}/>" if skipped else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuite name="equipoise gate" tests="1" failures="{int(failed)}" errors="0" skipped="{int(skipped)}">\n'
        f'  <testcase classname="equipoise.gate" name={name}>{inner}</testcase>\n'
        "</testsuite>\n"
    )


def github_summary(gate: GateResult) -> str:
    """Give the decision and the tasks that changed as Markdown; names are escaped."""
    view = gate_view(gate)
    first, *rest = (_plain(sentence) for sentence in gate.answer)
    table = to_markdown(view) if gate.changed(1) or gate.changed(-1) else ""
    return "\n\n".join([f"### {first}", *rest, table]).rstrip() + "\n"


def github_annotation(gate: GateResult, *, strict: bool = False) -> str:
    """Give the decision as a workflow command, in one line: what a task is called can start no other command."""
    verdict = "fail" if strict and gate.verdict == "undecided" else gate.verdict or "pass"
    text = harmless(" ".join(gate.answer), LONGEST).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{LEVELS[verdict]} title=equipoise gate::{text}"


def _plain(sentence: str) -> str:
    """Escape what Markdown and HTML would take for more than text."""
    text = harmless(sentence, LONGEST)
    return "".join(f"\\{c}" if c in "\\`*_[]|#!" else {"<": "&lt;", "&": "&amp;"}.get(c, c) for c in text)
