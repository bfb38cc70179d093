"""Tables like those of "Baseline: practical control variates" (Davidson et al., 2013), on hands of our own.

The paper's hands are not public, so the same comparisons are made with the bots of the game room:

1. three players (Kuhn): baseline against duplicate;
2. heads-up (Leduc): duplicate, three controls, and the three combined;
3. two "humans" against a machine on opposite sides of each deal (Leduc): individuals and team;
4. a stochastic control, averaged over more and more repeats of each deal;
5. the duplicate hands of LBR against Hyperborean, where EQUIPOISE_DATA says where they are.

As in the paper, X is the unadjusted mean with its 95% interval, and the other columns say by how many percent the
standard error is smaller. Baseline treats every hand as a sample of its own there (``cluster=False``), duplicate every
deal.

Run: ``python examples/luck_tables.py [deals]`` (about half a minute with the 300 deals it takes by itself).
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations, product
from pathlib import Path

import numpy as np

import equipoise as eq
from equipoise.luck.games import (
    BLUFFER,
    CALLER,
    HONEST,
    MANIAC,
    ROCK,
    UNIFORM,
    Bot,
    Poker,
    equilibrium,
    kuhn,
    leduc,
    play,
)

Played = tuple[int, Sequence[Bot]]
Table = tuple[str, Sequence[str], list[Sequence[str]]]


def repeats_of(game: Poker, control: Bot, deals: int, repeats: int) -> np.ndarray:
    """What the control wins against itself (deals x repeats x seats)."""
    table = [control] * game.seats
    hands = [[play(game, table, deal, repeat=10**6 + r).utilities for r in range(repeats)] for deal in range(deals)]
    return np.array(hands)


def self_play(game: Poker, control: Bot, deals: int, repeats: int) -> np.ndarray:
    """The same, averaged over repeats (deals x seats)."""
    return repeats_of(game, control, deals, repeats).mean(axis=1)


def tournament(game: Poker, schedule: Iterable[Played], controls: Mapping[str, np.ndarray]) -> eq.Episodes:
    """Play a schedule of deals and tables; no two hands share the rolls of their bots."""
    agent, deal, hand, seat, utility = [], [], [], [], []
    for number, (d, table) in enumerate(schedule):
        won = play(game, table, d, repeat=number).utilities
        agent += [bot.name for bot in table]
        deal += [d] * game.seats
        hand += [number] * game.seats
        seat += range(game.seats)
        utility += won
    values = {name: own[deal, seat] for name, own in controls.items()}
    return eq.Episodes.from_columns(agent, deal, utility, seat=seat, hand=hand, controls=values)


def everybody(bots: Sequence[Bot], seats: int, deals: int) -> Iterable[Played]:
    """Every table in every order on every deal."""
    return product(range(deals), permutations(bots, seats))


def plain(result: eq.results.LuckTable, row: int) -> str:
    """The unadjusted mean and half width of a 95% interval from as many independent hands, as the paper prints it."""
    alone = result.stderr[row] / (1.0 - result.reduction[row] / 100.0)
    return f"{result.mean[row]:8.3f} ± {1.96 * alone:.3f}"


def best(cells: Sequence[float]) -> list[str]:
    """Percentages, the largest with a star."""
    top = max(cells)
    return [f"{cell:.2f}{'*' if cell == top else ' '}" for cell in cells]


def three_players(deals: int) -> Table:
    """Table 1 of the paper."""
    game, bots = kuhn(3), [UNIFORM, CALLER, MANIAC, ROCK]
    hands = tournament(game, everybody(bots, 3, deals), {"β": self_play(game, HONEST, deals, 1)})
    dup, beta = eq.duplicate(hands), eq.baseline(hands, control="β", cluster=False)
    rows = [
        [name, plain(beta, row), *best([dup.reduction[row], beta.reduction[row]])]
        for row, name in enumerate(beta.agents)
    ]
    return f"Three-player Kuhn ({len(hands) // 3:,} hands)", ["Match", "X", "Dup (%)", "β (%)"], rows


def heads_up(deals: int) -> Table:
    """Table 2 of the paper: three controls and their combination M."""
    game, bots = leduc(), [UNIFORM, CALLER, MANIAC, ROCK]
    nash = equilibrium(game)[1]
    controls = {
        "β1": self_play(game, HONEST, deals, 1),
        "β2": self_play(game, BLUFFER, deals, 10),
        "β3": self_play(game, nash, deals, 10),
    }
    hands = tournament(game, everybody(bots, 2, deals), controls)
    dup = eq.duplicate(hands, by="pair")
    results = [eq.baseline(hands, control=c, by="pair", cluster=False) for c in ("β1", "β2", "β3", list(controls))]
    rows = [
        [name, plain(dup, row), *best([result.reduction[row] for result in (dup, *results)])]
        for row, name in enumerate(dup.agents)
    ]
    heading = ["Match", "X", "Dup (%)", *(f"{name} (%)" for name in controls), "M (%)"]
    return f"Heads-up Leduc ({len(hands) // 2:,} hands)", heading, rows


def humans_and_machine(deals: int) -> Table:
    """Tables 3 and 4 of the paper: two humans meet the machine on opposite sides of each deal."""
    game, machine = leduc(), equilibrium(leduc(), name="machine")[1]
    ann, bob = Bot("Human 1", BLUFFER.policy), Bot("Human 2", HONEST.policy)
    sides = [[(ann, machine), (machine, bob)], [(bob, machine), (machine, ann)]]
    schedule = [(deal, table) for deal in range(2 * deals) for table in sides[deal >= deals]]
    hands = tournament(game, schedule, {"β": self_play(game, HONEST, 2 * deals, 1)})
    teams = {"Human 1": "Team", "Human 2": "Team"}
    single = eq.baseline(hands, control="β", cluster=False)
    team = eq.baseline(hands, control="β", by="team", teams=teams, cluster=False)
    dup = eq.duplicate(hands, by="team", teams=teams)
    rows = [
        [name, plain(single, single.agents.index(name)), f"{single.reduction[single.agents.index(name)]:.2f} ", "—"]
        for name in teams
    ]
    rows.append(["Team", plain(team, 0), *best([team.reduction[0], dup.reduction[0]])])
    return f"Humans against the machine ({4 * deals:,} hands)", ["Match", "X", "β (%)", "Dup (%)"], rows


def repeated_control(deals: int) -> Table:
    """What averaging a stochastic control over repeats of each deal is worth (equation 14 of the paper)."""
    game, pair = leduc(), (HONEST, MANIAC)
    counts = (1, 2, 5, 10, 30)
    plays = repeats_of(game, BLUFFER, deals, max(counts))
    controls = {str(r): plays[:, :r].mean(axis=1) for r in counts}
    hands = tournament(game, [(deal, pair[:: 1 - 2 * (deal % 2)]) for deal in range(deals)], controls)
    result = {r: eq.baseline(hands, control=str(r)) for r in counts}
    rows = [[f"{r} repeats", f"{result[r].reduction[0]:.2f}", f"{result[r].multiplier[0]:.2f}"] for r in counts]
    return f"Repeats of a stochastic control ({deals:,} hands)", ["β", "cut (%)", "worth"], rows


def real_hands(folder: Path) -> Table:
    """LBR against Hyperborean: duplicate, and the authors' own luck terms taken out as well."""
    import polars as pl

    file = folder / "poker" / "lbr_vs_hyperborean14_duplicate_hands.csv.gz"
    table = pl.read_csv(file).with_columns(plain=pl.col("br_chips") * 10, reduced=pl.col("br_chips_varred") * 10)
    columns = {"agent": "lbr_setting", "deal": ["lbr_setting", "seed", "hand"], "seat": "br_position"}
    raw = eq.duplicate(eq.read_episodes(table, utility="plain", **columns))
    reduced = eq.duplicate(eq.read_episodes(table, utility="reduced", **columns))
    rows = []
    for row, name in enumerate(raw.agents):
        alone = raw.stderr[row] / (1 - raw.reduction[row] / 100)
        cut = 100 * (1 - reduced.stderr[row] / alone)
        half = (reduced.high[row] - reduced.low[row]) / 2
        shown = f"{reduced.estimate[row]:.0f} ± {half:.0f}"
        cells = [f"{raw.mean[row]:.0f} ± {1.96 * alone:.0f}", f"{raw.reduction[row]:.2f}", f"{cut:.2f}", shown]
        rows.append([name, *cells])
    heading = ["Match", "X (mbb/g)", "Dup (%)", "Dup + luck (%)", "estimate"]
    return "LBR against Hyperborean (100,000 hands each)", heading, rows


def show(table: Table) -> None:
    """Print a table."""
    title, heading, rows = table
    widths = [max(len(line[k]) for line in [heading, *rows]) for k in range(len(heading))]
    print(f"\n{title}")
    for line in [heading, *rows]:
        cells = [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
        print("  ".join(cells))


def main(deals: int = 300) -> list[Table]:
    """Make and print all tables."""
    tables = [three_players(deals), heads_up(deals), humans_and_machine(deals), repeated_control(deals)]
    if folder := os.environ.get("EQUIPOISE_DATA"):
        tables.append(real_hands(Path(folder)))
    for table in tables:
        show(table)
    return tables


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
