"""Values of options that need no validator, which takes longer to load than all else that reads a command line."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option


def take_what_fits(parsed: Any, function: Callable[..., Any]) -> Any:
    """Let a command take what needs no validator; it sees all else.

    Those are defaults, text and files where they are asked for, and words that are among the choices.
    """
    declared = inspect.signature(function).parameters
    for parameter in parsed.params:
        parameter.process_value = _taker(parameter, declared.get(parameter.name))
    return parsed


def _taker(parameter: Any, declared: inspect.Parameter | None) -> Callable[[Any, Any], Any]:
    process = parameter.process_value
    wanted = None if declared is None else (*get_args(declared.annotation), declared.annotation)[0]
    several = parameter.multiple or parameter.nargs != 1
    text = wanted in (str, str | None, list[str], list[str] | None)
    file = wanted in (Path, Path | None)
    words = _words(wanted)

    def take(context: Any, value: Any) -> Any:
        absent = value is None and not parameter.required
        default = declared is not None and value is declared.default and value is not None and not several
        given = bool(value) and (text or file or (isinstance(value, str) and value in words))
        if not (absent or default or given):
            return process(context, value)
        if several:
            value = list(value) if value else ()
        elif file and given:
            value = Path(value)
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

    return take


def _words(wanted: Any) -> tuple[str, ...]:
    """Give the words that a choice takes.

    >>> _words(Literal["raise", "skip"] | None), _words(int)
    (('raise', 'skip'), ())
    """
    options = (wanted, *get_args(wanted))
    return tuple(word for option in options if get_origin(option) is Literal for word in get_args(option))


def named_values(given: list[str] | None, option: str, form: str) -> dict[str, str] | None:
    """Give entries of the form NAME=VALUE by their names; a name may hold the sign."""
    if not given:
        return None
    parts = [entry.rpartition("=") for entry in given]
    bad = [entry for entry, (name, _, value) in zip(given, parts, strict=True) if not name or not value]
    if bad:
        raise ParameterError(Option(option), f' "{bad[0]}" is not of the form {form}')
    return {name: value for name, _, value in parts}
