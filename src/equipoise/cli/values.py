"""Values of options that need no validator, which takes longer to load than all else that reads a command line."""

import inspect
from collections.abc import Callable
from typing import Any, get_args

__all__ = ["take_what_fits"]


def take_what_fits(parsed: Any, function: Callable[..., Any]) -> Any:
    """Let a command take defaults, and text where it asks for text, as they are; the validator sees all else."""
    declared = inspect.signature(function).parameters
    for parameter in parsed.params:
        parameter.process_value = _taker(parameter, declared.get(parameter.name))
    return parsed


def _taker(parameter: Any, declared: inspect.Parameter | None) -> Callable[[Any, Any], Any]:
    process = parameter.process_value
    wanted = None if declared is None else (*get_args(declared.annotation), declared.annotation)[0]
    several = parameter.multiple or parameter.nargs != 1
    text = wanted in (str, str | None, list[str], list[str] | None)

    def take(context: Any, value: Any) -> Any:
        absent = value is None and not parameter.required
        default = declared is not None and value is declared.default and value is not None and not several
        if not (absent or default or (text and value)):
            return process(context, value)
        if several:
            value = list(value) if value else ()
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

    return take
