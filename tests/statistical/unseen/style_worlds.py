"""Votes by people on answers to questions, where both have a liking for length; and votes in several languages.

Likings are gamma among people and of two signs among questions; strengths are uniform; answers to a question are long
or short for all models at once; people are active as a geometric variable says. Languages are unequally large, a
question is in one of them, and people vote in one or two.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

import equipoise as eq

MANY = 400_000


def busy(rng, people, votes):
    """Draw who votes: some often, most seldom."""
    activity = rng.geometric(0.15, size=people).astype(float)
    return rng.choice(people, size=votes, p=activity / activity.sum())


@dataclass(frozen=True)
class StyleWorld:
    """How many vote on what, how far their tastes differ, and how far their likings for length."""

    models: int
    people: int
    questions: int
    votes: int
    taste: float
    liking: float

    def draw(self, rng: np.random.Generator) -> pl.DataFrame:
        """Draw a table of votes."""
        k = self.models
        strength, wordy = np.linspace(0.6, -0.6, k), np.where(np.arange(k) % 2, 0.4, -0.4)
        taste = self.taste * rng.standard_t(5, size=(self.people, k)) / np.sqrt(5 / 3)
        asked = self.taste * rng.choice([-1.0, 1.0], size=(self.questions, k))
        likes = 0.3 + self.liking * (rng.gamma(2.0, size=self.people) - 2.0) / np.sqrt(2)
        wants = self.liking * rng.choice([-1.0, 1.0], size=self.questions)
        who, what = busy(rng, self.people, self.votes), rng.integers(self.questions, size=self.votes)
        first = rng.integers(k, size=self.votes)
        second = (first + 1 + rng.integers(k - 1, size=self.votes)) % k
        # How much longer an answer is depends on the model and on how much room the question leaves.
        room = rng.uniform(0.3, 1.5, size=self.questions)
        longer = room[what] * (wordy[first] - wordy[second] + rng.logistic(scale=0.4, size=self.votes))
        mine = strength + taste[who] + asked[what]
        rows = np.arange(self.votes)
        gap = mine[rows, first] - mine[rows, second] + longer * (likes[who] + wants[what])
        won = rng.random(self.votes) < 1 / (1 + np.exp(-gap))
        return pl.DataFrame(
            {
                "model_a": [f"m{i}" for i in first], "model_b": [f"m{i}" for i in second],
                "winner": np.where(won, "model_a", "model_b"), "longer": longer,
                "annotator": [f"a{i}" for i in who], "question_id": [f"q{i}" for i in what],
            }
        )  # fmt: skip


@cache
def limit(world: StyleWorld) -> tuple[dict[str, float], dict[str, float], float]:
    """Give plain and controlled ratings and the coefficient, from very many votes of which no two share anything."""
    alone = StyleWorld(world.models, MANY, MANY, MANY, world.taste, world.liking)
    both = eq.style_control(matches(alone.draw(np.random.default_rng(5)), "none"))
    plain, controlled = (
        dict(zip(both.agents, fit.rating.tolist(), strict=True)) for fit in (both.plain, both.controlled)
    )
    return plain, controlled, float(both.coefficients.value[0] / both.coefficients.scale[0])


def matches(votes: pl.DataFrame, group: str) -> eq.Matches:
    """Give the votes with their lengths, clustered by what the columns say or not."""
    read = eq.read_matches(votes.drop("longer"), group=group)
    return read.with_covariates({"longer": votes["longer"].to_numpy()})


STYLES = {
    "people and questions matter": StyleWorld(5, 30, 25, 1200, 0.4, 0.5),
    "questions matter, people are many": StyleWorld(4, 150, 15, 1000, 0.3, 0.6),
    "few people, many questions": StyleWorld(5, 9, 150, 1000, 0.4, 0.5),
    "neither matters": StyleWorld(5, 30, 25, 1000, 0.0, 0.0),
}


@dataclass(frozen=True)
class Languages:
    """How many vote in what, how far tastes differ, and how far languages move models."""

    models: int
    people: int
    questions: int
    votes: int
    taste: float
    moves: float
    languages: int = 3

    def draw(self, rng: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
        """Draw a table of votes, and the strengths of the models in each language."""
        k = self.models
        strength = np.linspace(0.5, -0.5, k)[:, None] + self.moves * rng.laplace(size=(k, self.languages)) / np.sqrt(2)
        taste = self.taste * rng.laplace(size=(self.people, k)) / np.sqrt(2)
        asked = self.taste * rng.laplace(size=(self.questions, k)) / np.sqrt(2)
        spoken = np.stack([rng.integers(self.languages, size=self.people) for _ in range(2)], axis=1)
        language = np.arange(self.questions) % self.languages
        who = busy(rng, self.people, self.votes)
        tongue = spoken[who, rng.integers(2, size=self.votes)]
        many = (self.questions - tongue + self.languages - 1) // self.languages
        what = tongue + self.languages * (rng.random(self.votes) * many).astype(int)
        assert (language[what] == tongue).all()
        first = rng.integers(k, size=self.votes)
        second = (first + 1 + rng.integers(k - 1, size=self.votes)) % k
        rows = np.arange(self.votes)
        mine = strength[:, tongue].T + taste[who] + asked[what]
        won = rng.random(self.votes) < 1 / (1 + np.exp(mine[rows, second] - mine[rows, first]))
        votes = pl.DataFrame(
            {
                "model_a": [f"m{i}" for i in first], "model_b": [f"m{i}" for i in second],
                "winner": np.where(won, "model_a", "model_b"), "language": [f"l{i}" for i in tongue],
                "annotator": [f"a{i}" for i in who], "question_id": [f"q{i}" for i in what],
            }
        )  # fmt: skip
        return votes, strength

    def average_ratings(self, strength: np.ndarray) -> np.ndarray:
        """Give the ratings of the chances over all people and questions, which are nearer than strengths are."""
        drawn = np.random.default_rng(8).laplace(size=(4, 20_000)) / np.sqrt(2)
        noise = self.taste * (drawn[0] + drawn[1] - drawn[2] - drawn[3])
        average = []
        for column in strength.T:
            gap = column[:, None] - column[None, :]
            chance = np.mean(1 / (1 + np.exp(-(gap[..., None] + np.concatenate([noise, -noise])))), axis=-1)
            average.append(eq.bradley_terry(eq.PairTable.from_matrix(chance, games=1)).rating)
        return np.stack(average, axis=1)


TONGUES = {
    "people and questions matter": Languages(6, 40, 60, 1500, 0.6, 0.4),
    "few questions a language": Languages(5, 200, 24, 1500, 0.6, 0.4),
    "few people": Languages(5, 14, 200, 1500, 0.7, 0.4),
    "languages are alike": Languages(5, 30, 45, 1500, 0.6, 0.0),
    "nothing is shared": Languages(5, 40, 60, 1200, 0.0, 0.3),
}
