"""Models that judge the pairs people vote on, marked as such: their votes stand beside people's, and decide nothing.

A judge is an asynchronous function ``(prompt, a, b)`` that gives ``"a"``, ``"b"``, ``"tie"``, or the first answer's
score from 0 to 1. It is asked in both orders, on pairs that people saw and on others drawn at random.
"""

import asyncio
import inspect
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from equipoise.arena.arena import Arena
from equipoise.arena.engine.batch import Batch
from equipoise.arena.spec.names import escaped
from equipoise.arena.spec.references import load_object
from equipoise.arena.spec.votes import GAME, VoteOptions, prompts_of
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.options import shown
from equipoise.core.wording import Option
from equipoise.logs.votes.answers import AnswerTable

WORDS: Mapping[str, float] = {"a": 1.0, "b": 0.0, "tie": 0.5}
AT_ONCE = 8
"""Questions that a judge is asked at the same time."""


def judge_votes(arena: Arena, judge: str, *, most: int = 500) -> int:
    """Let a model judge what people saw, and further pairs at random; give how many pairs it judged.

    Parameters
    ----------
    arena
        Of votes.
    judge
        ``python:module:function``.
    most
        Pairs of answers that it judges at most, those of earlier calls included; each is two questions.

    Fails when
        there is no such function, or what it says is no vote.
    """
    kind, _, reference = judge.partition(":")
    if kind != "python":
        raise ParameterError(Option("judge"), f" is python:module:function, not {shown(judge)}")
    if arena.spec.game != GAME:
        raise DataError("a judge judges in an arena of votes")
    function = load_object(reference)
    if not inspect.iscoroutinefunction(function):
        raise ParameterError(
            f"{reference} is no asynchronous function: write async def, with the arguments prompt, a, b"
        )
    with arena.store.read() as transaction:
        text = transaction.transcript(str(VoteOptions.of(arena.spec.options).answers))
    if text is None:
        raise DataError("the answers are gone")
    wanted = _wanted(arena, judge, most)
    table = AnswerTable.from_text(text)
    with ThreadPoolExecutor(1) as thread:  # a notebook has an event loop of its own in this one
        thread.submit(lambda: asyncio.run(_judge(arena, judge, function, table, wanted))).result()
    return len(wanted)


def _wanted(arena: Arena, judge: str, most: int) -> list[tuple[str, str, str]]:
    """Choose what is judged: first what people saw, then the rest in a random order; without what was judged before."""
    done = {
        (body["players"][0], body["players"][1], body["task"])
        for event in arena.events(kinds=["vote"])
        if (body := event.content())["do"] == "judged" and body["judge"] == judge
    }
    spec = arena.spec
    seen = {
        (*sorted(body["players"]), body["task"]): None
        for event in arena.events(kinds=["result"]) if (body := event.content())["task"] is not None
    }  # fmt: skip
    missing = spec.options.get("missing", {})
    every = [
        (*sorted(pair), task) for pair in combinations(spec.names, 2) for task in prompts_of(spec.tasks, missing, *pair)
    ]
    order = np.random.default_rng([spec.seed, 2]).permutation(len(every))
    drawn = [*seen, *(every[k] for k in order if every[k] not in seen)]
    left = max(most - len(done), 0)
    return [(one[0], one[1], one[2]) for one in drawn if one not in done][:left]


async def _judge(
    arena: Arena, judge: str, function: Any, table: AnswerTable, wanted: list[tuple[str, str, str]]
) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(first: str, second: str, task: str) -> None:
        async with gate:
            prompt, answers = table.prompts[task], (table.answers[task, first], table.answers[task, second])
            forth = _score(await function(prompt, *answers))
            back = 1.0 - _score(await function(prompt, *answers[::-1]))
        body = {"do": "judged", "judge": judge, "players": [first, second], "task": task, "both": [forth, back]}
        await asyncio.to_thread(arena.commits.run, lambda batch: _emit(batch, body))

    await asyncio.gather(*(one(*what) for what in wanted))


def _emit(batch: Batch, body: Mapping[str, Any]) -> None:
    batch.emit("vote", body)


def _score(said: object) -> float:
    if isinstance(said, str) and said.strip().lower() in WORDS:
        return WORDS[said.strip().lower()]
    if isinstance(said, Real) and not isinstance(said, bool) and 0.0 <= float(said) <= 1.0:
        return float(said)
    raise DataError(f'a judge says "a", "b", "tie" or a number from 0 to 1, not {escaped(repr(said))[:100]}')
