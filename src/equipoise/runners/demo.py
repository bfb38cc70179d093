"""A tournament to look at: five bots of Leduc poker, every deal played from both seats, until the best one is known."""

import threading
from dataclasses import dataclass

from equipoise.arena.spec.spec import ArenaSpec, LuckSpec, PlayerSpec
from equipoise.runners.play import Engine, Played, play
from equipoise.runners.snapshot import Listener

BOTS = ("honest", "bluffer", "maniac", "caller", "uniform")
MOST_HANDS = 6000


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demonstration showed: what was played, and what there is to say about it."""

    played: Played
    sentences: tuple[str, ...]


def demo_spec(seed: int = 1) -> ArenaSpec:
    """Give what is played: who wins most chips a hand, with the luck of cards and dice taken out of what is shown."""
    return ArenaSpec(
        name="Five Leduc bots", game="leduc", players=tuple(PlayerSpec(name=name) for name in BOTS), goal="best",
        margin=None, budget=MOST_HANDS, score_range=(-13.0, 13.0), seed=seed, luck=LuckSpec(controls=("aivat",)),
    )  # fmt: skip


def play_demo(
    *,
    seed: int = 1,
    workers: int | None = None,
    engine: Engine | None = None,
    on_change: Listener | None = None,
    stop: threading.Event | None = None,
) -> Demo:
    """Play the demonstration in a temporary arena.

    Parameters
    ----------
    seed
        Of the deals.
    workers, engine, on_change, stop
        As in :func:`equipoise.play`.
    """
    played = play(demo_spec(seed), workers, engine, on_change=on_change, stop=stop)
    return Demo(played, tuple(_sentences(played)))


def _sentences(played: Played) -> list[str]:
    """Say what was decided, what it cost, and what removing luck was worth."""
    standings = played.standings
    said = [standings.progress.sentence]
    usual = standings.progress.round_robin
    if standings.phase == "answered" and usual is not None:
        said.append(
            f"It took {standings.progress.trials:,} hands; a round-robin of fixed length with the same error takes "
            f"about {usual:,} to find the same in nine cases of ten."
        )
    return said if standings.luck is None else [*said, *standings.luck.answer]
