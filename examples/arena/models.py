"""Functions that behave like language models behind a server: slow, costly, now and then too busy, not always right.

`compare` is the referee: it puts the same question to two models at once and keeps what they cost.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence

import equipoise as eq

weather = random.Random()  # of the server: not of the trial, so that a repeated trial may get through


async def compare(players: Sequence, task: str, seed: int) -> dict[str, object]:
    """Ask all models the same question; the score of an answer is how close it is."""
    answers = await asyncio.gather(*(player(task, seed + seat) for seat, player in enumerate(players)))
    truth = eval(task)  # our own questions, below in the spec
    scores = [1.0 if answer["text"] == str(truth) else 0.0 for answer in answers]
    costs = {f"tokens of {player.name}": answer["tokens"] for player, answer in zip(players, answers, strict=True)}
    return {"scores": scores, "costs": costs, "transcript": "\n".join(answer["text"] for answer in answers)}


async def model(question: str, seed: int, options: Mapping[str, float]) -> dict[str, object]:
    """Answer a sum, rightly with the chance `skill`; a busy server is nobody's fault, and the trial is tried again."""
    await asyncio.sleep(weather.expovariate(1 / options["seconds"]))
    if weather.random() < options["busy"]:
        raise eq.WorkerFault("503: the server is busy")
    dice = random.Random(f"{question} {seed}")
    right = dice.random() < options["skill"]
    return {"text": str(eval(question) + (0 if right else dice.choice([-1, 1]))), "tokens": dice.randint(20, 200)}
