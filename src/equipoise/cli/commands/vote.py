"""The command ``vote``: from a file of answers to a page where people vote."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from equipoise.core.errors import MissingDependencyError


@dataclass(frozen=True, slots=True, kw_only=True)
class RareVoteOptions:
    """What few people change: how sure and how close, who is asked what how often, and who forwards."""

    level: Annotated[
        float, typer.Option(hidden=True, help="Probability with which all decisions together are right.")
    ] = 0.95
    margin: Annotated[
        float,
        typer.Option(
            hidden=True, help="Models whose shares of votes are within 1/2 plus or minus this count as equal."
        ),
    ] = 0.05
    policy: Annotated[
        Literal["uniform", "ranking", "uncertainty", "round-robin"],
        typer.Option(hidden=True, help="Which pair comes next."),
    ] = "uniform"
    votes_per_block: Annotated[
        int, typer.Option(hidden=True, min=1, max=100, help="Votes of one person on a pair, averaged.")
    ] = 1
    votes_each: Annotated[int | None, typer.Option(hidden=True, min=1, help="Most votes of one person.")] = None
    judgments: Annotated[int, typer.Option(hidden=True, min=1, help="Pairs that the judge judges, in both orders.")] = (
        500
    )
    proxy: Annotated[
        str | None, typer.Option(hidden=True, help="Address of a proxy that ends TLS; it alone may forward.")
    ] = None


def vote(
    answers: Annotated[
        list[str],
        typer.Argument(
            metavar="ANSWERS...",
            help="Files or folders with columns prompt, model, answer; or logs of Inspect, lm-eval, AlpacaEval, "
            "MT-bench with their texts.",
        ),
    ],
    rare: RareVoteOptions,
    database: Annotated[
        str | None,
        typer.Option("--database", "-d", help="Where votes are kept [default: a file beside the answers, .votes.db]."),
    ] = None,
    goal: Annotated[str, typer.Option(help="What is asked: best, top:K, order, place:NAME, budget.")] = "best",
    budget: Annotated[int | None, typer.Option(min=1, help="Most votes that count [default: no limit].")] = None,
    question: Annotated[str, typer.Option(help="What voters are asked [default: Which answer is better?].")] = "",
    invite: Annotated[
        list[str] | None,
        typer.Option(help="A person to invite, who gets a link of their own [default: anybody with the link]."),
    ] = None,
    panel: Annotated[
        bool, typer.Option("--panel", help="Those invited all vote on the same prompts: for a team of a few.")
    ] = False,
    left: Annotated[
        Literal["again", "against"],
        typer.Option(help="Pairs that were left: offered to another, or counted against every claim."),
    ] = "again",
    reveal: Annotated[
        Literal["end", "vote"], typer.Option(help="Show names after the last vote, or after each one.")
    ] = "end",
    language: Annotated[str, typer.Option(help="Of the page: en, de, or a file of words in TOML.")] = "en",
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="python:MODULE:FUNCTION",
            help="A model that judges, too: an asynchronous function of prompt, a and b. It decides nothing.",
        ),
    ] = None,
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to listen.")] = "127.0.0.1:8000",
    hosts: Annotated[
        list[str] | None, typer.Option("--host", help="A name under which the server is called. Can be repeated.")
    ] = None,
) -> None:
    """Let people vote blindly between models' answers, until it is known which model is best.

    Makes the arena and serves its page; run again, it goes on where it was. `equipoise rank` and `judges` take the file
    of votes, and `equipoise arena status` says what is decided. Ctrl-C ends the server.

    In Python: `equipoise.Arena.create("votes.db", {"game": "votes", "name": "chat", "answers": "answers.csv"})`

    Examples
    --------
    - `equipoise vote answers.csv`

    - `equipoise vote answers.csv -d votes.db --panel --invite anna --invite ben --invite cleo`
    """
    try:
        from equipoise.web.serving import serve
        from equipoise.web.votes.opening import judging, open_votes, voters_links
    except ImportError as error:
        raise MissingDependencyError(f'{error.name} is needed: install Equipoise with its extra "serve"') from None
    first = Path(answers[0])
    where = database or str(first.with_name(f"{first.stem or 'answers'}.votes.db"))
    invited = list(invite or ())
    given = {
        "goal": goal, "level": rare.level, "margin": rare.margin, "budget": budget, "policy": rare.policy,
        "question": question, "panel": len(invited) if panel else None, "votes_per_block": rare.votes_per_block,
        "votes_each": rare.votes_each,
        "left": left, "reveal": reveal, "language": language, "voters": "invited" if invited else "link",
    }  # fmt: skip
    open_votes(answers, where, given, panel=panel, invited=len(invited), say=lambda line: print(line, flush=True))
    serve(
        [where], listen, hosts=hosts or (), proxy=rare.proxy, say=lambda line: print(line, flush=True),
        greet=lambda arena, url: [*voters_links(arena, url, invited), *judging(arena, judge, rare.judgments)],
    )  # fmt: skip
