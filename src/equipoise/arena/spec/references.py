"""Objects by ``module:object``, installed or in the current folder, and versions that change with their files."""

import asyncio
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeVar

from equipoise.arena.spec.outcome import canonical
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.results import jsonable


def load_object(reference: str) -> Any:
    """Import what ``module:object`` names; the object may be ``Class.method``.

    >>> load_object("math:sqrt")(4.0)
    2.0
    >>> load_object("math:sqr")
    Traceback (most recent call last):
        ...
    equipoise.core.errors.ParameterError: module math has no "sqr" (did you mean "sqrt"?)
    """
    module, colon, path = (part.strip() for part in reference.partition(":"))
    if not (module and colon and path):
        raise ParameterError(f'"{reference}" is no module:object, such as bots:play')
    loaded = _imported(module)
    for name in path.split("."):
        if not hasattr(loaded, name):
            near = did_you_mean(name, [known for known in dir(loaded) if not known.startswith("_")])
            raise ParameterError(f'module {module} has no "{path}"{near}')
        loaded = getattr(loaded, name)
    return loaded


def _imported(module: str) -> Any:
    folder = os.getcwd()  # what `python -m` puts on its path: as a text
    if folder not in sys.path:
        # It stays there: a module may import its neighbours later, in the middle of a game.
        sys.path.insert(0, folder)
    invalidate_caches()
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            raise ParameterError(
                f'there is no module "{module}", neither in the folder {folder} nor installed'
            ) from error
        raise ParameterError(f'module {module} needs "{error.name}", which is not installed') from error
    except (Exception, SystemExit) as error:
        raise ParameterError(f"module {module} cannot be imported: {described(error)}") from error


def described(error: BaseException) -> str:
    r"""Say an exception in one line, with the last line of code it came through.

    >>> described(ValueError("no such\nmove"))
    'ValueError: no such move'
    """
    said = " ".join(str(error).split())
    frames = extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{f': {said[:300]}' if said else ''}{where}"


def source_file(loaded: object) -> Path | None:
    """Give the file that an object was written in, where there is one."""
    try:
        name = inspect.getsourcefile(inspect.unwrap(loaded) if callable(loaded) else type(loaded))
    except (TypeError, OSError):
        return None
    return Path(name) if name else None


def version_of(bot: str, options: Mapping[str, Any], *files: Path | None) -> str:
    """Give a version: twelve digits that change with how a player is found, its options, or one of its files."""
    hashes = [_hash_of(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files if path is not None]
    text = canonical({"bot": bot, "options": jsonable(dict(options)), "files": hashes})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@lru_cache(maxsize=256)
def _hash_of(path: str, changed: int, size: int) -> str:  # noqa: ARG001  # a file that changed is read again
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Event loops of others: in a notebook one runs in the main thread, and nothing of ours can run in it.

_Answer = TypeVar("_Answer")


def apart(call: Callable[[], _Answer]) -> _Answer:
    """Call from a thread in which no event loop runs: this one, or another.

    >>> apart(lambda: 3)
    3
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    with ThreadPoolExecutor(max_workers=1) as elsewhere:
        return elsewhere.submit(call).result()
