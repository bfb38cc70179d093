"""Play hands in which all chance comes from the seed.

The cards depend on the seed alone. What the agents roll depends on the seed, the repeat and the seat. So any
deal can be replayed, given to the same agents in other seats, or given to a control agent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.core.options import check, whole
from equipoise.luck.games.bots import Bot
from equipoise.luck.games.poker import CHANCE, TERMINAL, Poker
from equipoise.luck.games.tree import check_seats


@dataclass(frozen=True, slots=True)
class Hand:
    """A played hand: the deal, everything that happened, and what each seat won."""

    deal: str
    history: str
    utilities: tuple[float, ...]


def shuffle(game: Poker, seed: int) -> str:
    """The deal of a seed: the private cards in seat order, then the public cards."""
    check(whole(0), "seed", seed)
    order = np.random.default_rng((seed, 0)).permutation(len(game.deck))
    size = game.seats + len(game.bets) - 1
    return "".join(game.deck[card] for card in order[:size])


def mirror(game: Poker, deal: str) -> str:
    """The antithetic deal: every card replaced by its opposite in the deck (jack for king, ...).

    It is as likely as the deal itself, and where one is lucky the other is not.
    """
    return "".join(game.deck[-1 - game.deck.index(card)] for card in deal)


def play(game: Poker, agents: Sequence[Bot], seed: int, *, repeat: int = 0, deal: str | None = None) -> Hand:
    """Play one hand.

    Parameters
    ----------
    game
        The rules.
    agents
        The agents in seats 0, 1, ...
    seed
        Decides the cards, and with ``repeat`` what the agents roll.
    repeat
        Another value plays the same cards with other rolls of stochastic agents.
    deal
        These cards instead of the seed's (for an antithetic deal, see :func:`mirror`).

    Examples
    --------
    >>> from equipoise.luck.games import HONEST, MANIAC, kuhn
    >>> one, two = play(kuhn(), [HONEST, MANIAC], 7), play(kuhn(), [MANIAC, HONEST], 7)
    >>> one.deal == two.deal
    True
    """
    check_seats(game, agents)
    check(whole(0), "seed", seed)
    check(whole(0), "repeat", repeat)
    cards = iter(shuffle(game, seed) if deal is None else deal)
    rolls = [np.random.default_rng((seed, 1, repeat, seat)) for seat in range(game.seats)]
    state = game.start()
    while (actor := game.actor(state)) != TERMINAL:
        if actor == CHANCE:
            state = game.after(state, next(cards))
            continue
        at = game.situation(state)
        state = game.after(state, at.moves[_draw(agents[actor].policy(at), rolls[actor].random())])
    dealt = shuffle(game, seed) if deal is None else deal
    return Hand(dealt, state.history, game.utilities(state))


def _draw(chances: tuple[float, ...], roll: float) -> int:
    total = 0.0
    for index, chance in enumerate(chances):
        total += chance
        if roll < total:
            return index
    # Rounding may leave the total just under one: the last possible move is meant.
    return max(index for index, chance in enumerate(chances) if chance > 0.0)
