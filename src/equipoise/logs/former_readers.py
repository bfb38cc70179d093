"""One reader a format, as there were before ``read(source, format="pgn")``: they read the same with the same options.

Each is made from its declaration in the registry; what its options mean stands in the module of its reader.
"""

import inspect
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from equipoise.core.options import checked, whole
from equipoise.data.readers.columns import OnError
from equipoise.data.readers.options import Per, ReadOptions
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.scores import Scores
from equipoise.logs.files.paths import Source
from equipoise.logs.format import LogFormat
from equipoise.logs.read import read_logs
from equipoise.logs.registry import FORMATS

Data = TypeVar("Data", bound=Scores | Matches | Episodes)
OPTIONS: dict[str, tuple[Any, object]] = {
    "denominator": (Literal["submitted", "all"], "submitted"),
    "keep": (Literal["fair", "all"], "fair"),
    "last": (int | None, None),
    "on_error": (OnError, "raise"),
    "per": (Per | None, None),
}
"""What an option may be, and its default; the others are texts or None."""


def _reader(kind: str, gives: type[Data], *, on_error: bool = True, **wider: Any) -> Callable[..., Data]:
    """Make the reader of one format; ``wider`` says what an option may be that allows more here than elsewhere."""
    known: LogFormat = FORMATS[kind]
    names = (*known.options, "on_error") if on_error else known.options
    options = {name: OPTIONS.get(name, (str | None, None)) for name in names}
    options |= {name: (annotation, options[name][1]) for name, annotation in wider.items()}

    def read(source: Source, **given: Any) -> Data:
        for name in given:
            if name not in options:
                raise TypeError(f"{read.__name__}() got an unexpected keyword argument '{name}'")
        data = read_logs(source, ReadOptions().also(**given), only=kind)
        assert isinstance(data, gives)
        return data

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("source", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Source)]
    parameters += [inspect.Parameter(name, keyword, default=value, annotation=annotation)
                   for name, (annotation, value) in options.items()]  # fmt: skip
    read.__signature__ = inspect.Signature(parameters, return_annotation=gives)  # type: ignore[attr-defined]
    read.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": gives}
    read.__name__ = read.__qualname__ = f"read_{kind.replace('-', '_')}"
    read.__doc__ = f"""Read {known.title}, as ``read(source, format="{kind}")`` does; options are given by name.

    Fails when
        there are none, or they cannot be read.
    """
    narrower = {"last": whole(1, none=True)} if "last" in options else {}
    return checked(**narrower)(read)


read_inspect = _reader("inspect", Scores)
read_lm_eval = _reader("lm-eval", Scores)
read_helm = _reader("helm", Scores)
read_openai_evals = _reader("openai-evals", Scores)
read_py_irt = _reader("py-irt", Scores)
read_swe_bench = _reader("swe-bench", Scores)
read_arena = _reader("arena", Matches)
read_judgments = _reader("judgments", Matches, keep=Literal["fair", "all", "graded"])
read_single_judgments = _reader("single-judgments", Scores)
read_pgn = _reader("pgn", Matches, on_error=False)
read_fastchess = _reader("fastchess", Matches, on_error=False)
read_cutechess = _reader("cutechess", Matches, on_error=False)
read_runs = _reader("runs", Scores)
read_kaggle_env = _reader("kaggle-env", Matches, on_error=False)
read_poker = _reader("poker", Episodes)
