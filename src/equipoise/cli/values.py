"""Values of options that need no validator, which takes longer to load than all else that reads a command line."""

import inspect
from collections.abc import Callable
from typing import Any, get_args

__all__ = ["take_what_fits"]


def take_what_fits(parsed: Any, function: Callable[..., Any]) -> Any:
    """Let a command take defaults, and text where it asks for text, as they are; the validator sees all else."""
    declared = inspect.signature(function).parameters
    for parameter in parsed.params:
        if not parameter.multiple and parameter.nargs == 1:
            parameter.process_value = _taker(parameter, declared.get(parameter.name))
    return parsed


def _taker(parameter: Any, declared: inspect.Parameter | None) -> Callable[[Any, Any], Any]:
    process = parameter.process_value
    wanted = None if declared is None else (*get_args(declared.annotation), declared.annotation)[0]
    text = wanted is str or str in get_args(wanted)

    def take(context: Any, value: Any) -> Any:
        absent = value is None and not parameter.required
        default = declared is not None and value is not None and value is declared.default
        if not (absent or default or (text and isinstance(value, str))):
            return process(context, value)
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

    return take
