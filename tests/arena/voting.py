"""An arena of votes whose models have a known strength, and people who vote in it without a page."""

import csv
import random

import equipoise as eq
from equipoise.arena.engine import voting

MODELS = {"strong": 2.0, "middle": 0.0, "weak": -2.0}


def write_answers(path, models=MODELS, prompts=8, golds=0):
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "prompt", "model", "answer", "category", "gold"])
        for k in range(prompts):
            for model in models:
                table.writerow([f"q{k}", f"What is {k}?", model, f"It is {k}." + " Indeed." * len(model), "sums", ""])
        for k in range(golds):
            table.writerow([f"g{k}", "Is it?", "", "Yes, it is.", "", "better"])
            table.writerow([f"g{k}", "Is it?", "", "mud", "", "worse"])
    return path


def vote_arena(folder, models=MODELS, prompts=8, golds=0, **more):
    answers = write_answers(folder / "answers.csv", models, prompts, golds)
    spec = {"name": "votes", "game": "votes", "answers": str(answers), "goal": "best", "seed": 7, **more}
    return eq.Arena.create(folder / "votes.db", eq.ArenaSpec.from_dict(spec))


class Clock:
    """The time of an arena, which a test moves."""

    def __init__(self, arena):
        self.commits, self.ahead = arena.commits, 0.0

    def run(self, function):
        """Run something so many seconds ahead of now."""

        def later(batch):
            batch.now += self.ahead
            return function(batch)

        return self.commits.run(later)

    def next(self, voter, golds=0):
        return self.run(lambda batch: voting.next_pair(batch, voter, golds))

    def cast(self, voter, seen, choice, **said):
        return self.run(lambda batch: voting.cast(batch, voter, seen.trial.number, choice, **said))

    def everything(self, voter, choose):
        """Let somebody vote until there is nothing more for them, and count their votes at once."""
        while (seen := self.next(voter)) is not None:
            self.cast(voter, seen, choose(seen))
            self.run(lambda batch: voting.settle(batch, voter=voter))


def by_strength(rng=None, models=MODELS):
    """Choose by the logistic of the strengths, or the stronger one."""

    def choose(seen):
        a, b = (models[name] for name in seen.trial.players)
        rising = a > b if rng is None else rng.random() < 1.0 / (1.0 + 2.718281828 ** (b - a))
        return "a" if rising else "b"

    return choose


def crowd(arena, voters, seed=0, models=MODELS):
    clock, rng = Clock(arena), random.Random(seed)
    for k in range(voters):
        clock.everything(f"voter {k}", by_strength(rng, models))
    return clock
