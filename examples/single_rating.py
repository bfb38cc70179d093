"""One question, asked of four tables: does a single rating describe the games?

1. a ladder: games that follow from one number each;
2. rock-paper-scissors, where a rating says nothing;
3. the same with one agent entered twice, which moves the rating of the others;
4. seven AlphaGo variants and Zen, rated with and without a disc (Balduzzi et al., 2018, section 3.2).

Run: ``python examples/single_rating.py`` (a few seconds).
"""

import numpy as np

import equipoise as eq
from equipoise.flows.operators import grad

RING = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def drawn(odds: np.ndarray, agents: list[str], games: int, rng: np.random.Generator) -> eq.PairTable:
    """Play ``games`` between every two agents."""
    wins = np.triu(rng.binomial(games, 1 / (1 + np.exp(-odds))), 1)
    return eq.PairTable.from_wins(wins + np.tril(games - wins.T, -1), agents=agents)


def asked(title: str, table: eq.PairTable) -> eq.results.Transitivity:
    """Print ratings and the test of transitivity."""
    verdict = eq.transitivity(table)
    print(f"\n{title}")
    for row in eq.bradley_terry(table).frame().iter_rows(named=True):
        print(f"  {row['agent']:10} {row['rating']:+.0f} Elo")
    print(verdict.text)
    for note in verdict.diagnostics:
        print(f"  ({note.code}) {note.message}")
    return verdict


def alphago() -> None:
    table = eq.load("alphago")
    assert isinstance(table, eq.PairTable)
    print("\nAlphaGo and Zen: observed win rate, rating alone, rating and one disc")
    seen, plain, disc = table.probabilities(), eq.melo(table, k=0), eq.melo(table, k=1)
    for a, b in (("v", "p"), ("v", "Zen"), ("p", "Zen")):
        rate = seen[table.agents.index(a), table.agents.index(b)]
        print(f"  {a:3} beats {b:3}  {rate:.2f}  {plain.probability(a, b):.2f}  {disc.probability(a, b):.2f}")
    print(f"  log-loss {plain.log_loss:.4f} and {disc.log_loss:.4f}")


def main() -> None:
    rng = np.random.default_rng(3)
    asked("A ladder", drawn(grad(np.linspace(1.2, -1.2, 5)), list("abcde"), 100, rng))
    asked("Rock-paper-scissors", drawn(2.0 * RING, ["rock", "scissors", "paper"], 60, rng))
    twice = [0, 1, 2, 2]
    asked(
        "... with paper entered twice",
        drawn(2.0 * RING[np.ix_(twice, twice)], ["rock", "scissors", "paper", "card"], 120, rng),
    )
    alphago()


if __name__ == "__main__":
    main()
