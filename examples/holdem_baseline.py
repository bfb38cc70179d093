"""Hold'em with the luck taken out: one match by every method, then tables like those of the baseline paper.

1. One of our bots against another, heads-up limit: the unadjusted mean, baseline with a control agent's self-play,
   duplicate, MIVAT (luck of the cards) and AIVAT (luck of the cards and of what both policies rolled).
2. Nine bots in three-player limit hold'em, as Table 1 of Davidson, Archibald and Bowling (2013).
3. Seven bots in 21 matches of heads-up no-limit hold'em, as Table 2.

As in the paper every hand is a sample of its own, but for duplicate every deal. Utilities are milli big blinds a hand.
The rules are OpenSpiel's: ``pip install "equipoise[games]"``.

Run: ``python examples/holdem_baseline.py [share]`` (about a minute; a share of 0.1 plays a tenth of the hands).
"""

import sys

import numpy as np

import equipoise as eq
from equipoise.games.holdem import BOTS, Holdem, HoldemHands, play_tournament
from equipoise.reproduce.baseline import HoldemComparison, Sizes, heads_up, three_players

FIRST, SECOND, CONTROL = "sharp", "loose", "equity"

Rows = list[list[str]]


def without_luck(hands: HoldemHands, features: np.ndarray) -> eq.results.ControlVariates:
    """What the first bot wins without luck, by a value function that was learnt on the other half of the deals."""
    data = hands.episodes
    mine, odd = data.agent.codes == data.agents.index(FIRST), data.deal.codes % 2 == 1
    luck = np.empty(len(data))
    for part in (odd, ~odd):
        luck[part] = eq.methods.learn_value(features[~part], data.utility[~part]).luck(features[part])
    return eq.advantage_sum(data.utility[mine], luck[mine], coefficient="fitted")


def one_match(deals: int) -> Rows:
    """What the first bot wins from the second, by every method."""
    hands = play_tournament(
        Holdem(2, "limit"),
        [BOTS[FIRST], BOTS[SECOND]],
        deals=deals,
        controls=[BOTS[CONTROL]],
        repeats=5,
        seed=3,
    )
    tables = {
        "unadjusted": eq.methods.plain_mean(hands.episodes, cluster=False),
        "baseline": eq.baseline(hands.episodes, control=CONTROL, cluster=False),
        "duplicate": eq.duplicate(hands.episodes),
    }
    found = {name: (table.estimate[0], table.stderr[0]) for name, table in tables.items()}
    for name, features in (("MIVAT", hands.cards), ("AIVAT", hands.luck)):
        result = without_luck(hands, features)
        found[name] = (result.estimate, result.stderr)
    plain = found["unadjusted"][1]
    return [
        [
            name,
            f"{1000 * estimate:.0f} ± {1960 * error:.0f}",
            f"{100 * (1 - error / plain):.1f}",
            f"{(plain / error) ** 2:.1f}",
        ]
        for name, (estimate, error) in found.items()
    ]


def table_of(result: HoldemComparison) -> tuple[list[str], Rows]:
    """A table in the shape of the paper's: the unadjusted mean, then by how many percent errors are smaller."""
    rows = []
    for row, label in enumerate(result.labels):
        plain = f"{result.mean[row]:.0f} ± {result.half[row]:.0f}"
        rows.append([label, plain, *(f"{values[row]:.1f}" for values in result.reduction.values())])
    return ["", "unadjusted", *result.reduction], rows


def show(title: str, heading: list[str], rows: Rows) -> None:
    """Print a table."""
    widths = [max(len(line[k]) for line in [heading, *rows]) for k in range(len(heading))]
    print(f"\n{title}")
    for line in [heading, *rows]:
        cells = [line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))]
        print("  ".join(cells).rstrip())


def main(share: float = 1.0) -> None:
    """Make and print all tables."""
    sizes = Sizes()
    deals = max(int(5000 * share), 40)
    heading = ["", "mbb/h", "smaller (%)", "times the hands"]
    show(f"{FIRST} against {SECOND}, heads-up limit ({2 * deals:,} hands)", heading, one_match(deals))
    three = max(int(sizes.three_players * share), 4)
    show(
        f"Three-player limit, as Table 1 ({three * 84 * 6:,} hands): standard errors smaller by %",
        *table_of(three_players(three, sizes.repeats)),
    )
    two = max(int(sizes.heads_up * share), 40)
    show(
        f"Heads-up no-limit, as Table 2 ({two * 21 * 2:,} hands): standard errors smaller by %",
        *table_of(heads_up(two, sizes.repeats)),
    )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
