"""In front of an arena of votes: answers as they are shown, and what is written while nobody asks."""

import asyncio
import contextlib
import hashlib
import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from equipoise.arena.engine import voting
from equipoise.arena.spec.votes import VoteOptions
from equipoise.core.errors import EquipoiseError, ParameterError, StoreError
from equipoise.logs.votes.answers import AnswerTable
from equipoise.web.bridge import ArenaBridge
from equipoise.web.votes.board import VoteBoards
from equipoise.web.votes.rendering import render

LOOK_EVERY = 1.0
"""Seconds between looks whether the window of a vote is over."""


def read_words(language: str) -> Mapping[str, str]:
    """Read the words of the page: one of ours by its name, or a file in TOML with the same keys.

    Fails when
        there is no such language, or the file lacks words or has others.
    """
    ours = files("equipoise.web").joinpath("assets")
    english: dict[str, str] = tomllib.loads(ours.joinpath("vote.en.toml").read_text(encoding="utf-8"))
    own = ours.joinpath(f"vote.{language}.toml")
    try:
        text = own.read_text(encoding="utf-8") if own.is_file() else Path(language).read_text(encoding="utf-8")
        words: dict[str, str] = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise ParameterError(f'there are no words in "{language}": {" ".join(str(error).split())}') from None
    odd = sorted({*words} ^ {*english})
    if odd:
        raise ParameterError(f'the words in "{language}" differ from those in English at {odd[0]}')
    for key, word in words.items():
        if not isinstance(word, str) or _holes(word) != _holes(english[key]):
            raise ParameterError(f'the words in "{language}" need {_holes(english[key]) or "no braces"} at {key}')
    return words


def _holes(word: str) -> list[str]:
    return sorted(part.partition("}")[0] for part in word.split("{")[1:])


class VoteDesk:
    """Answers of an arena of votes, rendered once, and its votes within their window.

    Parameters
    ----------
    bridge
        To the arena.
    """

    def __init__(self, bridge: ArenaBridge) -> None:
        self._bridge = bridge
        self._arena = bridge.arena
        spec = self._arena.spec
        self.options = VoteOptions.of(spec.options)
        self.words = read_words(self.options.language)
        self._seed = spec.seed
        with self._arena.store.read() as transaction:
            text = transaction.transcript(str(self.options.answers))
        if text is None:
            raise StoreError(f"the answers of {self._arena.place} are gone: restore it from its journal")
        self.table = AnswerTable.from_text(text)
        self._prompts = {name: render(prompt) for name, prompt in self.table.prompts.items()}
        self._answers = {key: render(answer) for key, answer in self.table.answers.items()}
        self._golds = [(render(better), render(worse)) for _, better, worse in self.table.golds]
        self.boards = VoteBoards(self._arena, self.table)
        self._settling: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look after votes; call from the event loop."""
        self._settling = asyncio.create_task(self._settle())

    async def close(self) -> None:
        """Count what was cast: without a page nobody takes a vote back."""
        if self._settling is not None:
            self._settling.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._settling
        with contextlib.suppress(EquipoiseError):
            await self._bridge.run(voting.settle_all)

    async def _settle(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            with contextlib.suppress(EquipoiseError):  # the database is away for a moment
                if await self._bridge.look(lambda state: bool(voting.book_of(state).casts)):
                    await self._bridge.run(voting.settle)

    @cached_property
    def golds(self) -> int:
        """How many pairs have a known answer."""
        return len(self._golds)

    def shown(self, seen: voting.SeenPair, voter: str) -> dict[str, Any]:
        """Give what a voter sees of a pair: a prompt, two answers, and nothing that says whose they are."""
        if seen.trial is not None:
            name, (first, second) = seen.trial.task or "", seen.trial.players
            sides = self._answers[name, first], self._answers[name, second]
            which = {"trial": seen.trial.number}
        else:
            assert seen.gold is not None
            name = self.table.golds[seen.gold][0]
            better, worse = self._golds[seen.gold]
            sides = (better, worse) if self.better_side(voter, seen.gold) == "a" else (worse, better)
            which = {"gold": seen.gold}
        return {"prompt": self._prompts[name], "a": sides[0], "b": sides[1], "which": which}

    def better_side(self, voter: str, gold: int) -> str:
        """Draw the side of the better answer of a pair with a known answer: the same whenever it is asked."""
        return "ab"[hashlib.sha256(f"{self._seed}/{voter}/gold {gold}".encode()).digest()[0] & 1]
