"""Advantage sums and learnt value functions on played hands."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.luck.games import HONEST, MANIAC, Poker, PokerState, expected, kuhn, leduc, play

GAME = leduc()
TABLE = [HONEST, MANIAC]


def features(state: PokerState) -> np.ndarray:
    cards = [GAME.deck.index(card) / 2 - 1 for card in state.cards] + [0.0] * (2 - len(state.cards))
    paired = [float(card == state.public) for card in state.cards] + [0.0] * (2 - len(state.cards))
    pot, public = sum(state.paid), GAME.deck.index(state.public) / 2 - 1 if state.public else 0.0
    return np.array([cards[0], cards[1], pot * (paired[0] - paired[1]), pot * public * cards[0]])


@pytest.fixture(scope="module")
def played() -> tuple[np.ndarray, np.ndarray]:
    hands = [play(GAME, TABLE, seed) for seed in range(800)]
    luck = np.array([eq.methods.luck_terms(GAME, hand.history, features) for hand in hands])
    return luck, np.array([hand.utilities[0] for hand in hands])


def test_utility_minus_luck_estimates_the_true_value(played: tuple) -> None:
    luck, utility = played
    true = expected(GAME, TABLE)[0]
    for coefficient in (-1.0, "cross-fitted"):
        result = eq.advantage_sum(utility, luck @ [1.0, -1.0, 1.0, 0.5], coefficient=coefficient)
        assert abs(result.estimate - true) < 4 * result.stderr
        assert result.reduction > 10
        assert not result.diagnostics


def test_a_learnt_value_function_cuts_the_error_on_new_hands(played: tuple) -> None:
    luck, utility = played
    learnt = eq.methods.learn_value(luck[:400], utility[:400], names=["own", "other", "pair", "card"])
    result = eq.advantage_sum(utility[400:], learnt.luck(luck[400:]))
    assert result.reduction > 25
    assert learnt.frame()["feature"].to_list()[0] in learnt.features
    assert learnt.estimate.reduction > 25


def test_learning_is_several_control_variates(played: tuple) -> None:
    luck, utility = played
    learnt = eq.methods.learn_value(luck, utility)
    np.testing.assert_allclose(learnt.weights, -eq.control_variates(utility, luck).coefficient)
    design = np.column_stack([np.ones(len(luck)), luck])
    np.testing.assert_allclose(learnt.weights, np.linalg.lstsq(design, utility, rcond=None)[0][1:], rtol=1e-9)


def test_luck_that_is_not_zero_on_average_is_reported(played: tuple) -> None:
    luck, utility = played
    result = eq.advantage_sum(utility, luck[:, 0] + 0.5)
    assert [d.code for d in result.diagnostics] == ["zero-luck"]
    assert "zero-luck" in [d.code for d in eq.methods.learn_value(luck + 0.5, utility).diagnostics]


def test_a_hand_without_chance_after_the_deal_has_the_luck_of_the_deal() -> None:
    game = kuhn()
    rank = {"J": -1.0, "Q": 0.0, "K": 1.0}

    def value(state: PokerState) -> float:
        return rank[state.cards[0]] - rank[state.cards[1]] if len(state.cards) == 2 else 0.0

    # After the king the other card is the jack or the queen, worth 2 or 1: the jack is half a point of luck.
    assert float(eq.methods.luck_terms(game, "KJrc", value)) == pytest.approx(0.5)
    assert float(eq.methods.luck_terms(game, "KQrc", value)) == pytest.approx(-0.5)


class Loaded(Poker):
    """Chances that do not add up."""

    def chances(self, state: PokerState) -> tuple[float, ...]:
        return (0.5,) * len(self.moves(state))


def test_misuse_is_answered_in_words(played: tuple) -> None:
    luck, utility = played
    with pytest.raises(eq.ParameterError, match=r"add up to 1\.5"):
        eq.methods.luck_terms(Loaded("x", 2, "JQK", (1,), 1), "JKcc", lambda _: 0.0)
    with pytest.raises(eq.DataError, match="not finite"):
        eq.methods.luck_terms(kuhn(), "JKcc", lambda _: float("nan"))
    with pytest.raises(eq.DataError, match="800 samples but 799"):
        eq.advantage_sum(utility, luck[1:, 0])
    with pytest.raises(eq.DataError, match="no variance"):
        eq.advantage_sum(utility, np.zeros(800))
    with pytest.raises(eq.ParameterError, match="2 names for 4 features"):
        eq.methods.learn_value(luck, utility, names=["a", "b"])
    with pytest.raises(eq.DataError, match="4 features were learnt"):
        eq.methods.learn_value(luck, utility).luck(luck[:, :2])
