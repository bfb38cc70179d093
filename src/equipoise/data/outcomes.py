"""The words people write for a result, and the score of the first-named agent that they mean."""

from collections.abc import Mapping

__all__ = ["OUTCOME_WORDS", "outcome_score"]

_WON = "a model_a left white home first player1 player_1 p1 win won w true 1-0 1:0 >"
_LOST = "b model_b right black away visitor second player2 player_2 p2 loss lose lost l false 0-1 0:1 <"
_TIED = "tie tied draw drawn d both_bad bothbad tie_bothbad equal even = 1/2-1/2 ½-½ 0.5-0.5 1/2 ½"

OUTCOME_WORDS: Mapping[str, float] = {
    **dict.fromkeys(_WON.split(), 1.0),
    **dict.fromkeys(_LOST.split(), 0.0),
    **dict.fromkeys(_TIED.split(), 0.5),
    "tie (bothbad)": 0.5,
    "tie (both bad)": 0.5,
    "both bad": 0.5,
    "model a": 1.0,
    "model b": 0.0,
}


def outcome_score(word: str) -> float | None:
    """Give the first-named agent's score in [0, 1], or None for a word nobody knows.

    >>> outcome_score("Draw"), outcome_score("0.25"), outcome_score("maybe")
    (0.5, 0.25, None)
    """
    plain = word.strip().lower()
    for spelt in (plain, plain.replace(" ", "")):
        if spelt in OUTCOME_WORDS:
            return OUTCOME_WORDS[spelt]
    try:
        score = float(plain)
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None
