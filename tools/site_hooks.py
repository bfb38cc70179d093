"""What mkdocs asks for while it builds the site: the menu of methods, and formulas as MathML.

MathML is set by browsers themselves: no script and no network is needed to read a formula.
"""

import html
import re
from pathlib import Path
from typing import Any

FORMULA = re.compile(r'<(div|span) class="arithmatex">\\([\[(])(.*?)\\[\])]</\1>', re.DOTALL)
LISTED = re.compile(r"^## (?P<group>.+)$|^\| \[[^]]+\]\((?P<page>[^)]+)\)", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Give the menu the groups and pages that the page of methods lists."""
    listed = (Path(config.docs_dir) / "methods" / "index.md").read_text(encoding="utf-8")
    for section in config.nav:
        if "Methods" in section:
            section["Methods"] += menu(listed)
    return config


def menu(listed: str) -> list[dict[str, list[str]]]:
    r"""Read groups of pages off the tables of a page.

    >>> menu("## Luck\n\n| method | answers |\n|---|---|\n| [Plain mean](plain-mean.md) | what was won? |")
    [{'Luck': ['methods/plain-mean.md']}]
    """
    groups: list[dict[str, list[str]]] = []
    for found in LISTED.finditer(listed):
        if found["group"]:
            groups.append({found["group"]: []})
        else:
            groups[-1][next(iter(groups[-1]))].append(f"methods/{found['page']}")
    return groups


def on_page_content(content: str, **_: Any) -> str:
    """Set the formulas of a page."""
    return FORMULA.sub(_set, content)


def _set(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    element, bracket, formula = found.groups()
    display = "block" if bracket == "[" else "inline"
    return f'<{element} class="formula">{convert(html.unescape(formula).strip(), display=display)}</{element}>'
