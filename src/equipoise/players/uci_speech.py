"""The Universal Chess Interface, as lines: what an engine announces, how it is set, what it says while it thinks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.core.errors import DataError, did_you_mean
from equipoise.core.options import shown

__all__ = ["EngineOption", "announced", "read_info", "setting"]

ANNOUNCED = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>\S+)(?P<rest>.*)")
NUMBER = r"\s+{}\s+(-?\d+)"


@dataclass(frozen=True, slots=True)
class EngineOption:
    """An option that an engine announces: its name, type, ends (``spin``) and words (``combo``)."""

    name: str
    type: str
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()


def announced(line: str) -> EngineOption | None:
    """Read a line in which an engine announces an option; None for any other.

    >>> announced("option name Skill Level type spin default 20 min 0 max 20")
    EngineOption(name='Skill Level', type='spin', least=0, most=20, words=())
    """
    found = ANNOUNCED.match(line.strip())
    if found is None:
        return None
    rest = found["rest"]
    least, most = (re.search(NUMBER.format(end), rest) for end in ("min", "max"))
    words = tuple(re.findall(r"\svar\s+(.*?)(?=\s+var\s|$)", rest))
    return EngineOption(
        found["name"], found["type"], int(least[1]) if least else None, int(most[1]) if most else None, words
    )


def setting(name: str, value: Any, known: Mapping[str, EngineOption]) -> str:
    """Give the line that sets an option of an engine; refuse what the engine would pass over in silence.

    >>> setting("Hash", 64, {"hash": EngineOption("Hash", "spin", 1, 1024)})
    'setoption name Hash value 64'
    """
    option = known.get(name.lower())
    if option is None:
        near = did_you_mean(name, [one.name for one in known.values()])
        raise DataError(f'the engine has no option "{name}"{near}')
    right = {
        "spin": isinstance(value, int) and not isinstance(value, bool) and _within(value, option),
        "check": isinstance(value, bool),
        "combo": value in option.words,
        "string": isinstance(value, str),
        "button": value is True,
    }
    if not right.get(option.type, True):
        wanted = {
            "spin": f"a whole number from {option.least} to {option.most}", "check": "true or false",
            "combo": f"one of {', '.join(option.words)}", "string": "a text", "button": "true, to press it",
        }  # fmt: skip
        raise DataError(f'the engine\'s option "{name}" is {wanted[option.type]}, not {shown(value)}')
    said = str(value).lower() if isinstance(value, bool) else str(value)
    if "\n" in said or "\r" in said:
        raise DataError(f'the engine\'s option "{name}" is one line, not {shown(value)}')
    return f"setoption name {option.name}" + ("" if option.type == "button" else f" value {said}")


def read_info(line: str) -> dict[str, int]:
    """Read depth, nodes and score (``cp`` or ``mate``) out of what an engine says while it thinks.

    >>> read_info("info depth 9 score cp -31 nodes 4711 pv e2e4")
    {'depth': 9, 'nodes': 4711, 'cp': -31}
    """
    if not line.startswith("info ") or line.startswith("info string"):
        return {}
    pairs = {name: re.search(NUMBER.format(name), line) for name in ("depth", "nodes", "score cp", "score mate")}
    return {name.removeprefix("score "): int(found[1]) for name, found in pairs.items() if found}


def _within(value: int, option: EngineOption) -> bool:
    return (option.least is None or value >= option.least) and (option.most is None or value <= option.most)
