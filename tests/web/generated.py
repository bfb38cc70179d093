"""Requests that schemathesis makes of the OpenAPI document, as described and against it, with tokens of all roles."""

import contextlib
import random
from collections import Counter
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode

from equipoise.web.openapi import describe

MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
TYPES = {"application/json", "application/problem+json", "text/plain", "application/x-ndjson"}
NOT_HERE = ("moves",)
"""Streams do not end, and have tests of their own."""


def send_generated(server: Any, tokens: dict[str, str], each: int, start: int) -> Counter[int]:
    """Send so many requests of each kind to each operation; give counts by status, after checking every answer."""
    schema = schemathesis.openapi.from_dict(describe())
    schema.config.update(base_url=f"http://127.0.0.1:{server.port}")
    counts: Counter[int] = Counter()
    session, draws = requests.Session(), random.Random(start)
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.definition.raw["operationId"] in NOT_HERE:
            continue
        for mode in MODES:
            _send(operation, mode, session, tokens, each, start, draws, counts)
    session.close()
    return counts


def _send(
    operation: Any, mode: Any, session: Any, tokens: Any, each: int, start: int, draws: random.Random, counts: Any
) -> None:
    known = [tokens["organiser"], tokens["worker"], tokens["viewer"], tokens["voter"], "eq_viewer_0_0", ""]
    weights = (10, 6, 3, 1, 1, 1)

    @seed(start)
    @settings(
        max_examples=each, deadline=None, database=None, phases=[Phase.generate], verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case: Any) -> None:
        if "arena" in case.path_parameters and draws.random() < 0.9:
            case.path_parameters["arena"] = "ladder"
        if "number" in case.path_parameters and draws.random() < 0.5:
            case.path_parameters["number"] = draws.randint(0, 8)
        headers = {"authorization": f"Bearer {draws.choices(known, weights)[0]}"}
        answer = case.call(session=session, headers=headers, allow_redirects=False)
        counts[answer.status_code] += 1
        said = f"{case.method} {case.formatted_path} {case.query} {case.body!r:.300}: {answer.text:.300}"
        assert answer.status_code < 500, said
        kind = answer.headers.get("content-type", ["application/json"])
        kind = (kind[0] if isinstance(kind, list) else kind).partition(";")[0]
        assert answer.status_code == 304 or kind in TYPES, said
        if answer.status_code >= 400 and case.formatted_path.startswith("/api/1"):
            assert kind == "application/problem+json", said
            assert answer.json()["status"] == answer.status_code, said
        assert "Traceback" not in answer.text, said

    with contextlib.suppress(*(() if mode == GenerationMode.POSITIVE else (Unsatisfiable,))):
        one()  # nothing can be said against an operation that takes nothing
