"""What samples of a log were asked and what was answered: two logs of one task can be held against each other.

Inspect's summaries keep the input and the answer of each sample, the harness digests of its prompts and what its
filters left of the answers. Other logs have nothing of it, and nothing is said of them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from equipoise.logs.evals import inspect_ai, lm_eval
from equipoise.logs.files.json_files import objects_of, parts_of
from equipoise.logs.files.paths import Source, is_path, sort_files
from equipoise.logs.files.peek import Peek

LONGEST = 200
"""Characters of an answer that are kept."""


@dataclass(frozen=True, slots=True)
class SampleDetail:
    """A digest of what was asked, and what was answered; None where the log does not say."""

    prompt: str | None
    answer: str | None


def sample_details(source: Source | object) -> dict[str, SampleDetail]:
    """Give what logs say of their samples, by the names that their tasks have; nothing where there are no such logs.

    Of several runs of a sample the first counts.
    """
    found: dict[str, SampleDetail] = {}
    if is_path(source):
        logs = sort_files(source).logs
        for name, read in READERS.items():
            for path in logs.get(name, ()):
                for task, detail in read(path):
                    found.setdefault(task, detail)
    return found


def _of_inspect(path: Path) -> Iterator[tuple[str, SampleDetail]]:
    with path.open("rb") as file:
        zipped = file.read(2) == b"PK"
    header: Mapping[str, Any]
    samples: Iterable[Mapping[str, Any]]
    if zipped:
        header, samples = inspect_ai.header_and_summaries(path)
    else:
        whole = list(parts_of(path, ("samples",)))
        header = dict(part for part in whole if part[0] != "samples")
        samples = [value for name, value in whole if name == "samples" and value is not None]
    task = (header.get("eval") or {}).get("task")
    for sample in samples:
        scores = sample.get("scores") or {}
        answer = next((score.get("answer") for score in scores.values() if isinstance(score, Mapping)), None)
        yield f"{task}/{sample.get('id')}", SampleDetail(_digest(sample), _shown(answer))


def _digest(sample: Mapping[str, Any]) -> str | None:
    """Digest what the sample asks: the text of its input, and its choices in any order."""
    given = sample.get("input")
    if not given:
        return None
    texts = [given] if isinstance(given, str) else [_text(message) for message in given]
    asked = json.dumps([texts, sorted(map(str, sample.get("choices") or ()))])
    return sha256(asked.encode()).hexdigest()


def _text(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    parts = [content] if isinstance(content, str) else [part.get("text") for part in content or ()]
    return [str(message.get("role")), *(part for part in parts if part)]


def _of_harness(path: Path) -> Iterator[tuple[str, SampleDetail]]:
    if "doc_id" not in Peek.at(path).keys:
        return
    task = lm_eval.task_of(path)
    for _, row in objects_of(path):
        hashed = row.get("prompt_hash")
        prompt = hashed if isinstance(hashed, str) else None
        yield f"{task}/{row.get('doc_id')}", SampleDetail(prompt, _shown(_filtered(row.get("filtered_resps"))))


def _filtered(responses: Any) -> object:
    """Give the answer: the choice with the largest likelihood, or the text."""
    if not isinstance(responses, list) or not responses:
        return None
    if not all(isinstance(one, list) and len(one) == 2 for one in responses):
        return responses[0]
    likelihoods = [float(one[0]) for one in responses]
    return f"choice {likelihoods.index(max(likelihoods)) + 1}"


def _shown(answer: object) -> str | None:
    return " ".join(str(answer).split())[:LONGEST] if answer not in (None, "") else None


READERS: Mapping[str, Callable[[Path], Iterator[tuple[str, SampleDetail]]]] = {
    "inspect": _of_inspect, "lm-eval": _of_harness,
}  # fmt: skip
