"""Votes of people on answers to questions, in tables with the columns that such files have.

Tastes of annotators have heavy tails (Laplace), questions come in two kinds that favour other halves of the models,
annotators give between a few and hundreds of votes, popular models meet more often, and a fifth of the votes are ties.
None of these is among the worlds that the constants of the clustered errors were chosen on.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

TIE = 0.2


@dataclass(frozen=True)
class VotesWorld:
    """How many vote on what, and how far tastes differ."""

    models: int
    annotators: int
    questions: int
    votes: int
    taste: float
    kinds: float
    strengths: tuple[float, ...] = ()

    def draw(self, rng: np.random.Generator) -> pl.DataFrame:
        """Draw a table of votes."""
        k = self.models
        taste = rng.laplace(scale=self.taste / np.sqrt(2), size=(self.annotators, k))
        kind = rng.integers(2, size=self.questions) * 2 - 1
        favour = np.where(np.arange(k) < k // 2, 1.0, -1.0)
        swap = rng.permuted(np.tile(favour, (self.questions, 1)), axis=1)
        asked = self.kinds * kind[:, None] * swap
        busy = rng.geometric(min(1.0, 3 * self.annotators / self.votes), size=self.annotators).astype(float)
        who = rng.choice(self.annotators, size=self.votes, p=busy / busy.sum())
        what = rng.integers(self.questions, size=self.votes)
        popular = np.arange(k, 0, -1.0)
        first = rng.choice(k, size=self.votes, p=popular / popular.sum())
        second = (first + 1 + rng.integers(k - 1, size=self.votes)) % k
        strength = (np.array(self.strengths) if self.strengths else np.zeros(k)) + taste[who] + asked[what]
        rows = np.arange(self.votes)
        gap = strength[rows, first] - strength[rows, second]
        won = rng.random(self.votes) < 1 / (1 + np.exp(-gap))
        word = np.where(rng.random(self.votes) < TIE, "tie", np.where(won, "model_a", "model_b"))
        return pl.DataFrame(
            {
                "model_a": [f"m{i}" for i in first], "model_b": [f"m{i}" for i in second], "winner": word,
                "annotator": [f"a{i}" for i in who], "question_id": [f"q{i}" for i in what],
            }
        )  # fmt: skip


CROWDS = {
    "many annotators, few questions": VotesWorld(5, 80, 15, 900, 0.3, 0.4),
    "few annotators, many questions": VotesWorld(5, 9, 120, 900, 0.6, 0.2),
    "both matter": VotesWorld(7, 25, 25, 1500, 0.5, 0.4),
    "neither matters": VotesWorld(5, 30, 30, 900, 0.0, 0.0),
}
"""Models are equally good in all of them: their true ratings are 0, and nobody is better than anybody."""
