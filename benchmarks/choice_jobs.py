"""Voting rules, deviation ratings, races and strength over time."""

import numpy as np

from benchmarks.job import Answer, Job, Side, close

__all__ = ["JOBS"]


def votes_among(agents: int) -> np.ndarray:
    """Give fifteen orders of the agents, all by chance: cycles, which are what makes Kemeny's order hard."""
    rng = np.random.default_rng(agents)
    return np.array([rng.permutation(agents) for _ in range(15)])


def ours_kemeny(orders: np.ndarray) -> Answer:
    import equipoise as eq

    votes = eq.Ballots.from_orders([[str(k) for k in order] for order in orders])
    found = eq.methods.social_choice(votes, rule="kemeny")
    assert found.value is not None
    return {"value": np.array([found.value])}


def openspiel_kemeny(orders: np.ndarray) -> Answer:
    from open_spiel.python.voting import base, kemeny_young

    profile = base.PreferenceProfile(votes=[[str(k) for k in order] for order in orders])
    found = kemeny_young.KemenyYoungVoting().run_election(profile).ranking
    place = {int(name): k for k, name in enumerate(found)}
    margin = sum(
        1 if place[order[i]] < place[order[j]] else -1
        for order in orders for i in range(len(order)) for j in range(i + 1, len(order))
    )  # fmt: skip
    return {"value": np.array([float(margin)])}


def margins_among(agents: int) -> np.ndarray:
    """Give margins by chance, each pair by itself: half of the agents have a chance."""
    rng = np.random.default_rng(agents)
    upper = np.triu(2.0 * rng.integers(-50, 51, (agents, agents)) + 1.0, 1)
    return upper - upper.T


def ours_lottery(margins: np.ndarray) -> Answer:
    import equipoise as eq

    found = eq.maxent_nash(margins)
    return {"p": found.p, "worth": np.array([max(float((margins @ found.p).max()), 0.0)])}


def one_program(margins: np.ndarray) -> Answer:
    """Take some lottery: a vertex, by one linear program of HiGHS."""
    import scipy

    n = len(margins)
    found = scipy.optimize.linprog(
        np.zeros(n), A_ub=margins, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0], method="highs"
    )  # fmt: skip
    return {"p": found.x, "worth": np.array([max(float((margins @ found.x).max()), 0.0)])}


def races(count: int) -> tuple[np.ndarray, int]:
    """Give orders of five of a thousand players."""
    rng = np.random.default_rng(count)
    players = 1000 if count >= 100_000 else 100
    who = rng.integers(players, size=(count, 5))
    who += np.arange(5) * players // 5
    who %= players
    same = (np.sort(who, axis=1)[:, 1:] == np.sort(who, axis=1)[:, :-1]).any(axis=1)
    who = who[~same]
    strength = np.linspace(-1.5, 1.5, players)
    order = np.argsort(-(strength[who] + rng.gumbel(size=who.shape)), axis=1)
    return np.take_along_axis(who, order, axis=1), players


def ours_races(data: tuple[np.ndarray, int]) -> Answer:
    import equipoise as eq
    from equipoise.data.encode.labels import Factor

    orders, players = data
    game = Factor(tuple(map(str, range(len(orders)))), np.repeat(np.arange(len(orders)), 5).astype(np.int32))
    names = Factor(tuple(map(str, range(players))), orders.ravel().astype(np.int32))
    rated = eq.plackett_luce(eq.Rankings.from_factors(game, names, np.tile(np.arange(5.0), len(orders))), prior=0)
    return {"rating": rated.rating[np.argsort(np.array(rated.agents, dtype=int))]}


def choix_races(data: tuple[np.ndarray, int]) -> Answer:
    import choix

    orders, players = data
    rating = choix.ilsr_rankings(players, orders.tolist(), tol=1e-6)
    return {"rating": rating - rating.mean()}


def games_over_time(games: int) -> tuple[np.ndarray, ...]:
    """Give games of players over 24 periods: a thousand games for each player."""
    rng = np.random.default_rng(games)
    players, periods = max(games // 1000, 5), 24
    strength = rng.normal(size=players) + np.cumsum(rng.normal(scale=0.1, size=(periods, players)), axis=0)
    when = np.sort(rng.integers(periods, size=games))
    a = rng.integers(players, size=games)
    b = (a + rng.integers(1, players, size=games)) % players
    won = rng.random(games) < 1 / (1 + np.exp(strength[when, b] - strength[when, a]))
    return a, b, won.astype(float), when, np.array([players])


def ours_history(data: tuple[np.ndarray, ...]) -> Answer:
    import equipoise as eq

    a, b, won, when, (players,) = data
    names = tuple(map(str, range(players)))
    matches = eq.Matches.from_codes(names, a.astype(np.int32), b.astype(np.int32), won, time=when)
    return {"rating": eq.whole_history(matches, unit="number", walk=0.1).rating[:, -1]}


def package_history(data: tuple[np.ndarray, ...]) -> Answer:
    """Rate by the package whole-history-rating, whose prior is another one; 50 of its sweeps."""
    from whr import whole_history_rating

    a, b, won, when, (players,) = data
    base = whole_history_rating.Base({"w2": int((0.1 * 400 / np.log(10)) ** 2)})
    for i, j, w, t in zip(a.tolist(), b.tolist(), won.tolist(), when.tolist(), strict=True):
        base.create_game(str(i), str(j), "B" if w else "W", t + 1, 0)
    base.iterate(50)
    last = np.array([base.ratings_for_player(str(k))[-1][1] for k in range(players)], dtype=float)
    return {"rating": (last - last.mean()) * np.log(10) / 400}


def alike_at_the_end(ours: Answer, theirs: Answer) -> tuple[bool, str]:
    """Agree where orders by the last ratings do: priors differ."""
    alike = float(np.corrcoef(ours["rating"], theirs["rating"])[0, 1])
    return alike > 0.99, f"last ratings correlate by {alike:.4f}: priors differ"


def game_of_three(strategies: int) -> list[np.ndarray]:
    """Give payoffs of three players by chance."""
    rng = np.random.default_rng(strategies)
    return [rng.normal(size=(strategies,) * 3) for _ in range(3)]


def ours_deviation(payoffs: list[np.ndarray]) -> Answer:
    import equipoise as eq

    return {"rating": np.concatenate(eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs)).rating)}


def whole_programs(payoffs: list[np.ndarray]) -> Answer:
    """Solve every stage with all columns written out."""
    import scipy

    rows = np.array([
        (np.take(payoff, [a], axis=p) - payoff).ravel() for p, payoff in enumerate(payoffs)
        for a in range(payoff.shape[p])
    ])  # fmt: skip
    count, width = rows.shape
    value, free = np.zeros(count), np.ones(count, dtype=bool)
    while free.any():
        found = scipy.optimize.linprog(
            np.append(np.zeros(width), 1.0), np.column_stack([rows, np.where(free, -1.0, 0.0)]),
            np.where(free, 0.0, value + 1e-10), np.append(np.ones(width), 0.0)[None], [1.0],
            [(0, None)] * width + [(None, None)],
        )  # fmt: skip
        kept = free & (-found.ineqlin.marginals > 1e-7)
        value[kept] = found.x[-1]
        free &= ~kept
    return {"rating": value}


JOBS = (
    Job(
        "Kemeny's order",
        votes_among,
        (
            Side("equipoise", ours_kemeny, note="with all optima counted"),
            Side("OpenSpiel", openspiel_kemeny, note="goes through all orders"),
        ),
        (6, 8, 9, 12, 16), (6, 8, 12),
        lambda agents: f"{agents} agents, 15 orders by chance",
        close("value", 1e-9, "the sum of margins"),
    ),
    Job(
        "maximal lottery",
        margins_among,
        (
            Side("equipoise", ours_lottery, note="the lottery of maximum entropy, exactly"),
            Side("one linear program", one_program, note="HiGHS: any lottery, a vertex"),
        ),
        (10, 100, 300, 1_000), (10, 100),
        lambda agents: f"{agents:,} agents, margins by chance",
        close("worth", 1e-5, "what another lottery can win"),
        floor="one linear program",
    ),
    Job(
        "Plackett-Luce",
        races,
        (
            Side("equipoise", ours_races, note="with errors clustered by race and simultaneous ranks"),
            Side("choix", choix_races, note="estimates alone"),
        ),
        (1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000),
        lambda count: f"{count:,} rankings of 5 among {1000 if count >= 100_000 else 100:,}",
        close("rating", 1e-4, "a rating"),
    ),
    Job(
        "whole-history rating",
        games_over_time,
        (
            Side("equipoise", ours_history, note="with joint errors; the walk is given"),
            Side("whole-history-rating", package_history, note="50 sweeps; another prior", once=True),
        ),
        (5_000, 50_000, 200_000, 1_000_000), (5_000, 10_000),
        lambda games: f"{games:,} games, {max(games // 1000, 5):,} players, 24 periods",
        alike_at_the_end,
    ),
    Job(
        "deviation ratings",
        game_of_three,
        (
            Side("equipoise", ours_deviation, note="columns as they are needed"),
            Side("whole programs", whole_programs, note="all columns written out"),
        ),
        (3, 6, 10, 20), (3, 6),
        lambda strategies: f"3 players x {strategies} strategies",
        close("rating", 1e-6, "a rating"),
        floor="",
    ),
)  # fmt: skip
