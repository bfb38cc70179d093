"""Answers of models to prompts, with their texts: tables, and logs that keep samples.

A table has columns ``prompt, model, answer``, in CSV, JSON or JSON lines; ``id`` and ``category`` name a prompt and
what it is about, and a ``gold`` of ``better`` or ``worse`` marks two rows of a prompt whose answer is known. Logs are
those of Inspect (``.eval``, ``.json``), lm-eval (``samples_*.jsonl``), AlpacaEval (model outputs) and MT-bench (model
answers).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from equipoise.core.errors import DataError, ReadError, some_of
from equipoise.data.readers.columns import plain

NAMES: Mapping[str, tuple[str, ...]] = {
    "prompt": ("prompt", "question", "instruction", "input"),
    "model": ("model", "generator", "model_id", "agent", "system"),
    "answer": ("answer", "response", "output", "completion"),
    "id": ("id", "prompt_id", "question_id"), "category": ("category", "language", "topic"), "gold": ("gold",),
}  # fmt: skip
"""Columns, and the names that they go by."""
SUFFIXES = (".csv", ".json", ".jsonl", ".eval")
LONGEST_LOG = 2**28
"""Bytes of a log of Inspect, which is read whole."""
GOLD = ("better", "worse")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one model; ``name`` is the prompt's."""

    name: str
    prompt: str
    model: str
    answer: str
    category: str = ""
    gold: str = ""


@dataclass(slots=True)
class AnswerTable:
    """Answers by prompt and model.

    Attributes
    ----------
    prompts, categories
        The text of each prompt by its name, and what it is about.
    models
        In the order of the file.
    answers
        By prompt and model.
    golds
        Prompts whose better answer is known: their name, the better and the worse one.
    """

    prompts: dict[str, str] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)
    models: list[str] = field(default_factory=list)
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    golds: list[tuple[str, str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterable[Answer]) -> Self:
        """Sort answers; refuse two different ones of a model to one prompt, and fewer than two models."""
        new, golds = cls(), dict[str, dict[str, str]]()
        for row in rows:
            if new.prompts.setdefault(row.name, row.prompt) != row.prompt:
                raise DataError(f'two prompts are called "{row.name}"')
            if row.category:
                new.categories[row.name] = row.category
            if row.gold:
                golds.setdefault(row.name, {})[row.gold] = row.answer
            elif new.answers.setdefault((row.name, row.model), row.answer) != row.answer:
                raise DataError(f'{row.model} has two different answers to the prompt "{row.name}"')
            elif row.model not in new.models:
                new.models.append(row.model)
        for name, both in golds.items():
            if {*both} != {*GOLD} or any(prompt == name for prompt, _ in new.answers):
                raise DataError(
                    f'the prompt "{name}" needs one gold answer that is better, one that is worse, no other'
                )
            new.golds.append((name, both["better"], both["worse"]))
        if len(new.models) < 2:
            raise DataError(f"votes need answers of two models or more, not of {some_of(new.models) or 'none'}")
        return new

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the prompts that models are compared on."""
        known = {name for name, _, _ in self.golds}
        return tuple(name for name in self.prompts if name not in known)

    @property
    def missing(self) -> dict[str, list[int]]:
        """Prompts that each model has no answer to, by number."""
        at = {
            model: [k for k, task in enumerate(self.tasks) if (task, model) not in self.answers]
            for model in self.models
        }
        return {model: without for model, without in at.items() if without}

    def refuse_strangers(self) -> None:
        """Refuse two models that have no prompt in common: nobody can compare them."""
        had = {model: {task for task, who in self.answers if who == model} for model in self.models}
        for at, one in enumerate(self.models):
            for other in self.models[at + 1 :]:
                if not had[one] & had[other]:
                    raise DataError(f"{one} and {other} have answered no prompt that is the same")

    def text(self) -> str:
        """Write everything as lines of JSON, the same for the same answers."""
        gold = [(name, kind, text) for name, *both in self.golds for kind, text in zip(GOLD, both, strict=True)]
        lines = [
            *((name, self.prompts[name], model, text, self.categories.get(name, ""), "")
              for (name, model), text in self.answers.items()),
            *((name, self.prompts[name], "", text, self.categories.get(name, ""), kind) for name, kind, text in gold),
        ]  # fmt: skip
        return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what :meth:`text` wrote."""
        return cls.of(Answer(*json.loads(line)) for line in text.split("\n"))


def read_answers(sources: str | Path | Sequence[str | Path]) -> AnswerTable:
    """Read answers from files and folders.

    Fails when
        a file has no answers, a row lacks one of its parts, or a model has two answers to one prompt.
    """
    several = [sources] if isinstance(sources, str | Path) else list(sources)
    files = [file for source in several for file in _files(Path(source))]
    return AnswerTable.of(answer for file in files for answer in _answers(file))


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES)
        if not found:
            raise ReadError(f"{path} has no file of answers: {', '.join(SUFFIXES)}")
        return found
    if not path.exists():
        raise ReadError(f"there is no file {path}")
    if path.suffix.lower() not in SUFFIXES:
        raise ReadError(f"{path} is no file of answers: {', '.join(SUFFIXES)} are")
    return [path]


def _answers(path: Path) -> Iterator[Answer]:
    with path.open("rb") as file:
        start = file.read(4096).lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start:
        raise ReadError(f"{path} is empty")
    if path.suffix.lower() == ".eval" or (path.suffix.lower() == ".json" and start.startswith(b"{")):
        yield from _inspect(path)
        return
    kind = None
    from equipoise.logs.tables.rows import rows_of

    for number, row in rows_of(path):
        kind = kind or _kind(row, path)
        try:
            yield from kind(row, path)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            if isinstance(error, DataError):
                raise DataError(f"{path}: row {number:,}: {error}") from None
            raise DataError(f"{path}: row {number:,} has no prompt, model and answer that can be read") from None


def _kind(row: Mapping[str, Any], path: Path) -> Any:
    """Say which kind of rows a file has, by its first."""
    if "choices" in row and "model_id" in row:
        return _mt_bench
    if "resps" in row and "doc" in row:
        return _lm_eval
    columns = _columns(row)
    lacking = [name for name in ("prompt", "model", "answer") if name not in columns]
    if lacking:
        raise DataError(f"{path} has no column {' or '.join(lacking)}; there are: {some_of([*row])}")
    return _row


def _columns(row: Mapping[str, Any]) -> dict[str, str]:
    there = {plain(name): name for name in reversed([*row]) if name is not None}
    found = {name: next((there[one] for one in usual if one in there), None) for name, usual in NAMES.items()}
    return {name: column for name, column in found.items() if column is not None}


def _row(row: Mapping[str, Any], _path: Path) -> Iterator[Answer]:
    columns = _columns(row)
    said = {name: str(row[column] if row[column] is not None else "") for name, column in columns.items()}
    gold = said.get("gold", "").strip().lower()
    if gold and gold not in GOLD:
        raise DataError(f'gold is better or worse, not "{gold}"')
    for part in ("prompt", "answer", *(() if gold else ("model",))):
        if not said.get(part, "").strip():
            raise DataError(f"the {part} is empty")
    from equipoise.logs.tables.rows import short_name

    name = said.get("id", "").strip() or short_name(said["prompt"])
    yield Answer(name, said["prompt"], said.get("model", "").strip(), said["answer"], said.get("category", ""), gold)


def _mt_bench(row: Mapping[str, Any], _path: Path) -> Iterator[Answer]:
    name, turns = f"question {row['question_id']}", row["choices"][0]["turns"]
    yield Answer(name, str(row.get("question") or name), str(row["model_id"]), "\n\n---\n\n".join(turns))


def _lm_eval(row: Mapping[str, Any], path: Path) -> Iterator[Answer]:
    """Samples say what was asked in their arguments; the model is the folder that they are in."""
    asked = row.get("arguments") or {}
    first = next(iter(asked.values())) if isinstance(asked, Mapping) else asked[0]
    prompt = first["arg_0"] if isinstance(first, Mapping) else first[0]
    given = row["resps"][0]
    text = given[0] if isinstance(given, list) else given
    if not isinstance(text, str) or not isinstance(prompt, str):
        raise DataError("its responses are likelihoods, not texts that people can compare")
    from equipoise.logs.tables.rows import short_name

    yield Answer(short_name(prompt), prompt, str(row.get("model") or path.parent.name), text)


def _inspect(path: Path) -> Iterator[Answer]:
    log = _log_of_inspect(path)
    if not isinstance(log, dict) or "samples" not in log or not isinstance(log.get("eval"), dict):
        raise DataError(f"{path} is no list of answers, and no log of Inspect with its samples")
    about = log["eval"]
    for sample in log["samples"] or ():
        try:
            given, said = sample.get("input"), (sample.get("output") or {}).get("completion")
            prompt = given if isinstance(given, str) else "\n\n".join(_message(one) for one in given or ())
            if prompt.strip() and isinstance(said, str) and said.strip() and sample.get("epoch", 1) == 1:
                yield Answer(f"{about.get('task', '')} {sample.get('id')}".strip(), prompt, str(about["model"]), said)
        except (KeyError, TypeError, AttributeError):
            raise DataError(f"{path} has no model, or a sample without prompt and answer that can be read") from None


def _log_of_inspect(path: Path) -> Any:
    """Read a log: what an archive says of itself with its samples, or a whole object of JSON."""
    if path.suffix.lower() == ".eval":
        from equipoise.logs.evals.inspect_ai import header_and_samples

        header, samples = header_and_samples(path)
        return {**header, "samples": samples}
    if path.stat().st_size > LONGEST_LOG:
        raise ReadError(f"{path} is too large to be read whole: dump its samples as rows of prompt, model, answer")
    from equipoise.logs.files.json_files import whole_object

    return whole_object(path)


def _message(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
    return str(content or "")
