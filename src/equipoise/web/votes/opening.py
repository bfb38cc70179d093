"""From files of answers to an arena of votes: a new one, or the one that is there already."""

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.arena.arena import Arena
from equipoise.arena.spec.outcome import digest
from equipoise.arena.spec.votes import GAME, VoteOptions
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.wording import Option, counted
from equipoise.logs.votes.answers import read_answers
from equipoise.web.votes.ballots import read_words

LOG = logging.getLogger("equipoise.web")


def open_votes(
    answers: Sequence[str], where: str, given: Mapping[str, Any], *, panel: bool, invited: int,
    say: Callable[[str], None],
) -> None:  # fmt: skip
    """Make an arena of votes, or look whether the one that is there is about these answers.

    Fails when
        the answers differ from those that were voted on, or an option makes no sense.
    """
    if panel and invited < 2:
        raise ParameterError(
            Option("panel"), " is for people who are invited: name two or more with ", Option("invite")
        )
    read_words(str(given.get("language", "en")))
    table = read_answers(answers)
    text = table.text()
    there = "://" not in where and os.path.exists(where)
    if there:
        _refuse_others(where, digest(text))
        say(f"{where} goes on: its options are those that it was made with.")
        return
    table.refuse_strangers()
    options = {key: value for key, value in given.items() if value is not None and value != ""}
    spec = {"name": Path(answers[0]).stem or "votes", "game": GAME, "answers": list(answers), **options}
    Arena.create(where, spec).close()
    models, prompts = counted(len(table.models), "model"), counted(len(table.tasks), "prompt")
    say(f"{where} was made: {models}, {prompts}, {counted(len(table.answers), 'answer')}.")


def _refuse_others(where: str, known: str) -> None:
    with Arena.look_at(where) as arena:
        spec = arena.spec
    if spec.game != GAME:
        raise DataError(f"{where} is an arena of another kind: choose another file with -d")
    if VoteOptions.of(spec.options).answers != known:
        raise DataError(f"the answers are not those that {where} was made with: choose another file with -d")


def judging(arena: Arena, judge: str | None, most: int) -> list[str]:
    """Let a model judge beside the voters, in a thread of its own; say so."""
    if judge is None:
        return []
    from equipoise.runners.judging import judge_votes

    def run() -> None:
        try:
            judge_votes(arena, judge, most=most)
        except Exception as error:  # the judge is somebody's function, and the votes of people go on without it
            LOG.warning("the judge %s ended: %s", judge, " ".join(str(error).split())[:500])

    threading.Thread(target=run, name="judge", daemon=True).start()
    return [f"{judge} judges up to {most:,} pairs, in both orders; its votes decide nothing."]


def voters_links(arena: Arena, url: str, invited: Sequence[str] = ()) -> list[str]:
    """Say where people vote: the open link, or a link for each person, shown once."""
    if VoteOptions.of(arena.spec.options).voters == "link":
        return [f"Vote (anybody with the link): {url}/vote"]
    known = arena.look(lambda state: {one.name for one in state.admission.tokens.values() if one.role == "voter"})
    new = [name for name in invited if name not in known]
    lines = [f"Vote, {name}, shown once: {url}/enter#{arena.make_token('voter', name)}" for name in new]
    return lines or [f"Invite: equipoise arena token new --role voter --name NAME -d {arena.place}"]
