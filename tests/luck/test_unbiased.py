"""Unbiasedness by enumeration: every hand (or sample of hands) of a small game, weighed by its probability."""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from equipoise.luck import adjusted_mean
from equipoise.luck.advantage_sum import luck_terms
from equipoise.luck.games import (
    BLUFFER,
    HONEST,
    MANIAC,
    ROCK,
    UNIFORM,
    Poker,
    deals,
    expected,
    kuhn,
    leduc,
    lines,
    mirror,
    outcomes,
)
from tests.luck.enumeration import assert_unbiased, bots_for, joint, played, samples, true_value

GAMES = [kuhn(2), leduc()]
ONE = np.array([-1.0])


def ids(game: Poker) -> str:
    return game.name


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_a_fixed_coefficient_leaves_the_expectation_for_every_pair_of_bots(game: Poker) -> None:
    bots = bots_for(game)
    for pair, control in product(combinations(bots, 2), (HONEST, BLUFFER, UNIFORM)):
        law = joint(game, pair, control)
        z = adjusted_mean.fixed(
            adjusted_mean.Totals(
                np.ones((len(law.x), 1)), law.x[:, None], law.y[:, None, None], np.ones((len(law.x), 1))
            ),
            ONE,
        )
        assert_unbiased(z.estimate, law.p, true_value(game, pair))


@pytest.mark.parametrize(
    "lineup",
    list(combinations([UNIFORM, MANIAC, ROCK, HONEST, BLUFFER], 3)),
    ids=lambda bots: "-".join(b.name for b in bots),
)
def test_a_fixed_coefficient_leaves_the_expectation_in_three_player_kuhn(lineup: tuple) -> None:
    game = kuhn(3)
    law = joint(game, lineup, HONEST)
    assert_unbiased(law.x - law.y, law.p, true_value(game, lineup))


def test_cross_fitting_leaves_the_expectation_for_every_pair_of_bots_in_kuhn() -> None:
    game = kuhn(2)
    for pair in combinations(bots_for(game), 2):
        law = joint(game, pair, BLUFFER)
        data, probability = samples(law, 4)
        # Folds are made by position, so every order counts: leave-one-out is the same for all orders.
        assert_unbiased(adjusted_mean.cross_fitted(data, 4).estimate, probability, true_value(game, pair))


def test_cross_fitting_leaves_the_expectation_for_every_pair_of_bots_in_leduc() -> None:
    game = leduc()
    for pair in combinations(bots_for(game), 2):
        law = joint(game, pair, HONEST)
        data, probability = samples(law, 2)
        c = adjusted_mean.coefficients(data)[:, 0]
        # The third hand is estimated with the coefficient of the first two: all samples of three hands.
        estimates = law.x[None, :] + c[:, None] * law.y[None, :]
        assert_unbiased(estimates.ravel(), np.outer(probability, law.p).ravel(), true_value(game, pair))


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_duplicate_leaves_the_expectation_for_every_pair_of_bots(game: Poker) -> None:
    for pair in combinations(bots_for(game), 2):
        total = mass = 0.0
        for deal, chance in deals(game).items():
            here, won = played(game, pair, deal)
            there, lost = played(game, pair[::-1], deal)
            weight = np.outer(here, there).ravel()
            total += chance * float(weight @ duplicate_mean(np.add.outer(won[:, 0], lost[:, 1]).ravel(), 2))
            mass += chance * weight.sum()
        assert mass == pytest.approx(1.0, abs=1e-12)
        assert total == pytest.approx(true_value(game, pair), abs=1e-12)


@pytest.mark.parametrize(
    "orders", [list(permutations(range(3))), [(0, 1, 2), (1, 2, 0), (2, 0, 1)]], ids=["full", "rotations"]
)
def test_three_player_duplicate_leaves_the_expectation(orders: list[tuple[int, ...]]) -> None:
    game, lineup = kuhn(3), [MANIAC, ROCK, UNIFORM]
    expectation = mass = 0.0
    for deal, chance in deals(game).items():
        total, weight = np.zeros(1), np.ones(1)
        for order in orders:
            p, won = played(game, tuple(lineup[who] for who in order), deal)
            # Hands of one deal are independent given the deal: every combination of their outcomes.
            total, index = np.unique(np.add.outer(total, won[:, order.index(0)]).ravel(), return_inverse=True)
            weight = np.bincount(index, weights=np.outer(weight, p).ravel())
        expectation += chance * float(weight @ duplicate_mean(total, len(orders)))
        mass += chance * weight.sum()
    every = [expected(game, [lineup[who] for who in order])[order.index(0)] for order in orders]
    assert mass == pytest.approx(1.0, abs=1e-12)
    assert expectation == pytest.approx(np.mean(every), abs=1e-12)


def duplicate_mean(total: np.ndarray, hands: int) -> np.ndarray:
    """The library's estimate from one deal with this total over so many hands."""
    ones = np.full((total.size, 1), float(hands))
    data = adjusted_mean.Totals(ones, total.reshape(-1, 1), np.zeros((total.size, 1, 0)), np.zeros((total.size, 0)))
    return adjusted_mean.fixed(data, np.zeros(0)).estimate


@pytest.mark.parametrize("game", GAMES, ids=ids)
def test_mirrored_deals_leave_the_expectation(game: Poker) -> None:
    for pair in combinations(bots_for(game), 2):
        value = mass = 0.0
        for deal, chance in deals(game).items():
            here, won = played(game, pair, deal)
            there, also = played(game, pair, mirror(game, deal))
            w = np.add.outer(won[:, 0], also[:, 0]).ravel() / 2
            value += chance * float(np.outer(here, there).ravel() @ w)
            mass += chance * here.sum() * there.sum()
        assert mass == pytest.approx(1.0, abs=1e-12)
        assert value == pytest.approx(float(expected(game, pair)[0]), abs=1e-12)


def random_value(seed: int) -> object:
    """A value function without any sense: a number for each position, drawn by lot."""
    rng = np.random.default_rng(seed)
    drawn: dict[str, float] = {}

    def value(state: object) -> float:
        return drawn.setdefault(state.history, float(rng.normal(0.0, 3.0)))  # type: ignore[attr-defined]

    return value


@pytest.mark.parametrize("game", [kuhn(2), kuhn(3), leduc()], ids=ids)
def test_the_advantage_sum_leaves_the_expectation_for_any_value_function_and_every_pair_of_bots(game: Poker) -> None:
    luck = np.array([luck_terms(game, line.state.history, random_value(1)) for line in lines(game)])
    assert np.abs(luck).max() > 1.0
    for pair in combinations(bots_for(game), 2):
        table = [pair[0], *[pair[1]] * (game.seats - 1)]
        probability, utilities = outcomes(game, table)
        assert_unbiased(utilities[:, 0] - luck, probability, float(probability @ utilities[:, 0]))


@pytest.mark.parametrize(
    ("game", "known"), [(kuhn(2), (0, 1)), (kuhn(2), (1,)), (leduc(), (0, 1))], ids=["both", "opponent", "leduc"]
)
def test_known_policies_add_decision_nodes_and_leave_the_expectation(game: Poker, known: tuple[int, ...]) -> None:
    pairs = list(combinations(bots_for(game), 2)) if game.name == "kuhn2" else [(HONEST, BLUFFER), (MANIAC, UNIFORM)]
    for pair in pairs:
        policies = [
            (lambda state, bot=bot: bot.policy(game.situation(state))) if seat in known else None
            for seat, bot in enumerate(pair)
        ]
        luck = np.array(
            [luck_terms(game, line.state.history, random_value(2), policies=policies) for line in lines(game)]
        )
        probability, utilities = outcomes(game, pair)
        assert_unbiased(utilities[:, 0] - luck, probability, float(probability @ utilities[:, 0]))


def test_the_exact_value_function_with_known_policies_leaves_no_variance() -> None:
    game, pair = kuhn(2), (MANIAC, BLUFFER)
    value = exact_value(game, pair)
    policies = [lambda state, bot=bot: bot.policy(game.situation(state)) for bot in pair]
    probability, utilities = outcomes(game, pair)
    z = np.array(
        [line.utilities[0] - luck_terms(game, line.state.history, value, policies=policies) for line in lines(game)]
    )
    np.testing.assert_allclose(z[probability > 0], probability @ utilities[:, 0], rtol=0, atol=1e-12)


def exact_value(game: Poker, table: tuple) -> object:
    """V(h): the expected utility of seat 0 from a position on."""

    def value(state: object) -> float:
        below = [line for line in lines(game) if line.state.history.startswith(state.history)]  # type: ignore[attr-defined]
        weight = np.array([line.probability(table) for line in below])
        return float(weight @ [line.utilities[0] for line in below] / weight.sum()) if weight.sum() > 0 else 0.0

    return value


def test_a_coefficient_from_the_same_sample_is_biased_and_the_bias_vanishes() -> None:
    game, pair = kuhn(2), (ROCK, MANIAC)
    law = joint(game, pair, HONEST)
    bias = {}
    for n in (3, 6, 12, 18):
        data, probability = samples(law, n)
        bias[n] = float(probability @ adjusted_mean.fitted(data).estimate) - true_value(game, pair)
    assert abs(bias[3]) > 1e-3
    assert abs(bias[3]) > abs(bias[6]) > abs(bias[12]) > abs(bias[18])
    # O(1/n): once n is not tiny, n times the bias settles.
    assert 18 * bias[18] == pytest.approx(12 * bias[12], rel=0.25)


def test_the_proof_fails_for_a_biased_estimator() -> None:
    game, pair = kuhn(2), (ROCK, MANIAC)
    law = joint(game, pair, HONEST)
    value = true_value(game, pair)
    peeking = law.x - np.where(law.x > 0, 1.0, 0.5) * law.y
    with pytest.raises(AssertionError):
        assert_unbiased(peeking, law.p, value)


def test_the_proof_fails_for_luck_without_the_zero_luck_property() -> None:
    game = leduc()
    value = random_value(3)

    class Careless(Poker):
        """Forgets which cards are gone: every rank is as likely as any other."""

        def chances(self, state: object) -> tuple[float, ...]:
            moves = self.moves(state)  # type: ignore[arg-type]
            return (1.0 / len(moves),) * len(moves)

    careless = Careless(game.name, game.seats, game.deck, game.bets, game.cap)
    luck = np.array([luck_terms(careless, line.state.history, value) for line in lines(game)])
    probability, utilities = outcomes(game, [HONEST, MANIAC])
    with pytest.raises(AssertionError):
        assert_unbiased(utilities[:, 0] - luck, probability, float(probability @ utilities[:, 0]))


def test_seats_that_are_never_swapped_break_the_expectation_of_the_control() -> None:
    game = kuhn(2)
    own = np.array([chance * np.dot(*_own(game, deal)) for deal, chance in deals(game).items()])
    assert abs(own.sum()) > 1e-3


def _own(game: Poker, deal: str) -> tuple[np.ndarray, np.ndarray]:
    p, won = played(game, (BLUFFER, BLUFFER), deal)
    return p, won[:, 0]
