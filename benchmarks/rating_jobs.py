"""Ratings: Bradley-Terry with intervals, its bootstrap, online Elo, and a million agents.

Every side starts from the same data frame of names and words, and puts it in its own form itself.
"""

from typing import Any

import numpy as np
import polars as pl

from benchmarks.job import Agreement, Answer, Job, Side, close

__all__ = ["JOBS"]

AGENTS, FEW = 200, 10
"""Agents of logs of ten thousand matches or more, and of shorter ones."""
RESAMPLED = 100_000
"""Matches that a bootstrap draws from."""


def agents_of(matches: int) -> int:
    return AGENTS if matches >= 10_000 else FEW


def log(matches: int) -> pl.DataFrame:
    """Give matches without ties between named agents of known strength, in the columns of an arena's log."""
    rng, agents = np.random.default_rng(matches), agents_of(matches)
    strength = rng.normal(scale=0.7, size=agents)
    a = rng.integers(agents, size=matches)
    b = (a + rng.integers(1, agents, size=matches)) % agents
    won = rng.random(matches) < 1 / (1 + np.exp(strength[b] - strength[a]))
    names = pl.Series([f"model-{k:03d}-chat" for k in range(agents)])
    words = pl.Series(["model_b", "model_a"])
    return pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": words[won.astype(int)]})


def by_name(names: Any, values: Any, width: Any = None) -> Answer:
    """Centre ratings and put them in the order of names."""
    order = np.argsort(np.asarray(names))
    rating = np.asarray(values, dtype=float)[order]
    found = {"rating": rating - rating.mean()}
    return found if width is None else found | {"width": np.asarray(width, dtype=float)[order]}


def ours_bradley_terry(frame: pl.DataFrame) -> Answer:
    import equipoise as eq

    found = eq.bradley_terry(eq.read_pairs(frame))
    return by_name(found.agents, found.rating, found.high - found.low)


def as_lists(frame: pl.DataFrame) -> Any:
    from evalica import Winner

    winners = [Winner.X if word == "model_a" else Winner.Y for word in frame["winner"]]
    return frame["model_a"].to_list(), frame["model_b"].to_list(), winners


def evalica_bradley_terry(frame: pl.DataFrame) -> Answer:
    import evalica

    scores = evalica.bradley_terry(*as_lists(frame)).scores
    return by_name(scores.index, np.log(scores.to_numpy()))


def arena_rank(frame: Any) -> Answer:
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    data = PairDataset.from_pandas(frame)
    found = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)
    point = 400 / np.log(10)
    width = np.asarray(found["rating_upper"]) - np.asarray(found["rating_lower"])
    return by_name(found["competitors"], np.asarray(found["ratings"]) / point, width / point)


def as_pairs(frame: pl.DataFrame) -> Any:
    first = frame["winner"].to_numpy() == "model_a"
    a, b = (frame[column].str.slice(6, 3).cast(pl.Int64).to_numpy() for column in ("model_a", "model_b"))
    return list(zip(np.where(first, a, b).tolist(), np.where(first, b, a).tolist(), strict=True))


def choix_bradley_terry(frame: pl.DataFrame) -> Answer:
    import choix

    agents = agents_of(frame.height)
    return by_name([f"{k:03d}" for k in range(agents)], choix.ilsr_pairwise(agents, as_pairs(frame)))


def same_ratings(ours: Answer, theirs: Answer) -> Agreement:
    """Give the largest difference in units of our standard error; a twentieth of it is nothing."""
    error = ours["width"] / 3.92
    gap = float(np.max(np.abs(ours["rating"] - theirs["rating"]) / error))
    words = f"ratings differ by at most {gap:.0e} standard errors"
    if "width" in theirs:
        ratio = float(np.median(theirs["width"] / ours["width"]))
        words += f", interval widths by a factor of {ratio:.2f}"
    return gap <= 0.05, words


def ours_bootstrap(data: Any) -> Answer:
    import equipoise as eq

    frame, replicates = data
    found = eq.bootstrap(eq.bradley_terry, eq.read_pairs(frame), n=replicates)
    return by_name(found.agents, found.estimate, found.high - found.low)


def evalica_bootstrap(data: Any) -> Answer:
    import evalica

    frame, replicates = data
    found = evalica.bootstrap(
        evalica.bradley_terry, *as_lists(frame), n_resamples=replicates, bootstrap_method="percentile", random_state=0
    )
    low, high = np.log(found.low.to_numpy()), np.log(found.high.to_numpy())
    return by_name(found.low.index, (low + high) / 2, high - low)


def same_widths(ours: Answer, theirs: Answer) -> Agreement:
    ratio = float(np.median(theirs["width"] / ours["width"]))
    return 0.8 <= ratio <= 1.25, f"median ratio of interval widths {ratio:.2f}"


def ours_elo(frame: pl.DataFrame) -> Answer:
    import equipoise as eq

    found = eq.elo(eq.read_matches(frame), k=16.0)
    return by_name(found.agents, found.rating / eq.methods.ELO_POINT)


def evalica_elo(frame: pl.DataFrame) -> Answer:
    import evalica

    scores = evalica.elo(*as_lists(frame), k=16.0).scores
    return by_name(scores.index, scores.to_numpy())


def many_agents(agents: int) -> Any:
    """Twenty games for each of very many agents, as codes."""
    rng = np.random.default_rng(agents)
    strength = rng.normal(scale=0.5, size=agents)
    a = rng.integers(agents, size=20 * agents, dtype=np.int32)
    b = ((a + rng.integers(1, agents, size=len(a))) % agents).astype(np.int32)
    won = (rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    return tuple(str(k) for k in range(agents)), a, b, won


def ours_many(columns: Any) -> Answer:
    import equipoise as eq

    board = eq.bradley_terry(eq.Matches.from_codes(*columns))
    return {"rating": board.rating, "width": board.high - board.low}


def counted_floor(frame: pl.DataFrame) -> Answer:
    """Group equal rows: nobody can rate agents without reading their names."""
    frame.group_by("model_a", "model_b", "winner").len()
    return {}


def drawn_floor(data: Any) -> Answer:
    """Draw the resampled counts and do nothing with them."""
    frame, replicates = data
    share = frame.group_by("model_a", "model_b", "winner").len()["len"].to_numpy() / frame.height
    np.random.default_rng(0).multinomial(frame.height, share, size=replicates)
    return {}


def coded_floor(frame: pl.DataFrame) -> Answer:
    """Turn names and words into codes, and do nothing with them."""
    for column in frame.columns:
        frame[column].cast(pl.Categorical).to_physical().to_numpy()
    return {}


def summed_floor(columns: Any) -> Answer:
    """Count games and wins of each pair in a sparse matrix, and multiply it once."""
    import scipy

    names, a, b, won = columns
    pairs = scipy.sparse.coo_array((won, (a, b)), shape=(len(names), len(names))).tocsr()
    pairs @ np.ones(len(names))
    return {}


def matches_of(size: int) -> str:
    return f"{size:,} matches, {agents_of(size)} agents"


EVALICA = Side("evalica", evalica_bradley_terry, note="Rust; no intervals")
JOBS = (
    Job(
        "Bradley-Terry with intervals",
        log,
        (
            Side("equipoise", ours_bradley_terry, note="intervals; rank intervals only when they are asked for"),
            EVALICA,
            Side("arena-rank", arena_rank, lambda frame: frame.to_pandas(), "JAX"),
            Side("choix", choix_bradley_terry, note="no intervals"),
            Side("group by", counted_floor, note="polars groups equal rows"),
        ),
        (1_000, 10_000, 100_000, 1_000_000),
        (1_000, 10_000, 100_000),
        matches_of,
        same_ratings,
        floor="group by",
    ),
    Job(
        "bootstrap of Bradley-Terry",
        lambda replicates: (log(RESAMPLED), replicates),
        (
            Side("equipoise", ours_bootstrap, note="drawing the games is about half of it, refits a third"),
            Side("evalica", evalica_bootstrap, note="Rust"),
            Side("draws", drawn_floor, note="group equal rows and draw multinomial counts, no fit"),
        ),
        (20, 100, 1_000),
        (10, 20, 40),
        lambda replicates: f"{replicates:,} replicates, {RESAMPLED:,} matches, {AGENTS} agents",
        same_widths,
        floor="draws",
    ),
    Job(
        "online Elo",
        log,
        (
            Side("equipoise", ours_elo),
            Side("evalica", evalica_elo, note="Rust"),
            Side("codes", coded_floor, note="polars codes the three columns"),
        ),
        (1_000, 10_000, 100_000, 1_000_000),
        (1_000, 10_000, 100_000),
        matches_of,
        close("rating", 1e-6, "a rating in Elo points"),
        floor="codes",
    ),
    Job(
        "sparse Bradley-Terry",
        many_agents,
        (
            Side(
                "equipoise",
                ours_many,
                note="exact estimates, approximate errors; of a million agents over half is five Newton steps (22"
                " products and five looks at all games, which read from all over memory: up to four times as long while"
                " other work uses the cache), a sixth counting rows and their layout, a tenth loading compiled loops",
            ),
            Side("one product", summed_floor, note="a sparse matrix of all pairs, built and multiplied once"),
        ),
        (1_000, 10_000, 100_000, 1_000_000),
        (1_000, 5_000, 20_000),
        lambda size: f"{size:,} agents, {20 * size:,} matches",
        same_ratings,
        floor="one product",
    ),
)
