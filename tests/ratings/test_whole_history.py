"""Whole-history rating: golden figures, a slow dense oracle, periods of dates and numbers, and ``rank --over-time``."""

import json
from itertools import pairwise

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.cli.main import main
from equipoise.ratings.history.walk import Posterior, Walks
from equipoise.ratings.history.whole_history import _refuse_large

ELO = np.log(10) / 400
WALK = np.sqrt(300) * ELO
SHUSAKU = eq.Matches.from_columns(["shusaku"] * 5, ["shusai"] * 5, [1, 0, 0, 0, 0], time=[1, 2, 3, 4, 4])


def history(data=SHUSAKU, **more):
    return eq.whole_history(data, **{"walk": WALK, "spread": None} | more)


def test_shusaku_against_shusai_has_the_joint_optimum_and_joint_errors():
    found = history()
    part = found.mixture.parts[0]
    assert part.x[::2] / ELO == pytest.approx([-92.093053, -93.823044, -95.115304, -95.974676], abs=1e-6)
    errors = np.sqrt(part.variances(None))[::2] / ELO
    assert errors == pytest.approx([197.173882, 197.451010, 197.846961, 198.360363], abs=1e-6)
    assert (part.value, part.evidence()) == pytest.approx((2.87934952, -3.65647152), abs=1e-8)
    gap = np.sqrt(part.variance_of_differences(np.array([6]), np.array([7])))[0] / ELO
    assert ((part.x[6] - part.x[7]) / ELO, gap) == pytest.approx((-191.949352, 161.846287), abs=1e-6)
    change = found.change("shusaku", 1, 4)
    assert (change.change / ELO, change.stderr / ELO) == pytest.approx((-3.881622, 29.907322), abs=1e-6)
    assert "stays open" in change.answer[0]


def test_three_games_and_evidences_under_a_normal_first_day():
    three = history(SHUSAKU.take(np.arange(3))).mixture.parts[0]
    assert three.x[::2] / ELO == pytest.approx([-43.390361, -44.679686, -45.322853], abs=1e-6)
    found = [history(walk=np.sqrt(v) * ELO, spread=1.0).mixture.parts[0].evidence() for v in (300, 30_000)]
    assert found == pytest.approx([-3.35202730, -2.73919562], abs=1e-8)


def drawn(rng, agents=4, periods=5, games=60):
    a = rng.integers(agents, size=games)
    b = (a + rng.integers(1, agents, size=games)) % agents
    outcome = rng.choice([0.0, 0.5, 1.0], size=games)
    return a, b, outcome, rng.choice([0, 1, 3, 4, 9][:periods], size=games)


def oracle(a, b, outcome, time, walk, side):
    """Write the log posterior down, one number for each agent and time between its first and last, and climb it."""
    times = np.unique(time)
    spans = {i: (time[(a == i) | (b == i)].min(), time[(a == i) | (b == i)].max()) for i in np.unique([a, b])}
    names = [(i, t) for i, (low, high) in spans.items() for t in times if low <= t <= high]
    at = {name: k for k, name in enumerate(names)}

    def negative(x):
        advantage = x[-1] if side else 0.0
        odds = np.array([x[at[i, t]] - x[at[j, t]] + advantage for i, j, t in zip(a, b, time, strict=True)])
        total = np.sum(outcome * scipy.special.log_expit(odds) + (1 - outcome) * scipy.special.log_expit(-odds))
        for i, (low, high) in spans.items():
            own = [t for t in times if low <= t <= high]
            total += scipy.stats.norm.logpdf(x[at[i, low]], 0, 2)
            for before, after in pairwise(own):
                step = x[at[i, after]] - x[at[i, before]]
                total += scipy.stats.norm.logpdf(step, 0, walk * np.sqrt(after - before))
        return -(total + (scipy.stats.norm.logpdf(x[-1], 0, 2) if side else 0.0))

    start = np.zeros(len(names) + side)
    found = scipy.optimize.minimize(negative, start, method="BFGS", options={"gtol": 1e-7})
    return names, found.x, -found.fun


@pytest.mark.parametrize("side", [False, True])
def test_the_optimum_is_that_of_a_slow_likelihood(side):
    a, b, outcome, time = drawn(np.random.default_rng(5))
    names, x, value = oracle(a, b, outcome, time, 0.4, side)
    m = eq.Matches.from_columns([f"p{i}" for i in a], [f"p{i}" for i in b], outcome, time=time)
    found = eq.whole_history(m, walk=0.4, side=side)
    part = found.mixture.parts[0]
    assert part.value == pytest.approx(value, abs=1e-6)
    for (i, t), wanted in zip(names, x, strict=False):
        agent = found.agents.index(f"p{i}")
        unknown = part.walks.unknown[agent, found.period.index(str(t))]
        assert part.x[unknown] == pytest.approx(wanted, abs=1e-3)
    if side:
        assert float(found.side) == pytest.approx(x[-1], abs=1e-3)


def test_the_factor_is_that_of_the_whole_hessian():
    a, b, outcome, time = drawn(np.random.default_rng(6))
    m = eq.Matches.from_columns([f"p{i}" for i in a], [f"p{i}" for i in b], outcome, time=time)
    part = eq.whole_history(m, walk=0.3, side=True).mixture.parts[0]
    step = 1e-5
    rows = []
    for k in range(part.walks.width):
        ends = [Posterior(part.walks, part.variance, part.x + sign * step * np.eye(part.walks.width)[k]).gradient
                for sign in (1, -1)]  # fmt: skip
        rows.append((ends[1] - ends[0]) / (2 * step))
    hessian = np.array(rows)
    inverse = np.linalg.inv((hessian + hessian.T) / 2)
    assert part.factor.solve(np.eye(part.walks.width)) == pytest.approx(inverse, abs=1e-6)
    assert part.variances(None) == pytest.approx(np.diag(inverse), abs=1e-6)
    assert part.factor.log_determinant == pytest.approx(np.linalg.slogdet(hessian)[1], abs=1e-6)


def test_a_large_walk_is_each_period_alone_and_none_is_one_rating():
    a, b, outcome, time = drawn(np.random.default_rng(7), games=300)
    m = eq.Matches.from_columns([f"p{i}" for i in a], [f"p{i}" for i in b], outcome, time=time)
    still = eq.whole_history(m, walk=1e-4)
    assert np.nanmax(np.abs(still.rating - still.rating[:, :1])) < 1e-3
    plain = eq.bradley_terry(m, prior=2.0)
    at = [plain.agents.index(name) for name in still.agents]
    assert still.rating[:, 0] == pytest.approx(plain.rating[at], abs=2e-3)


def test_games_that_clusters_repeat_are_taken_for_one():
    rng = np.random.default_rng(8)
    one, other = rng.integers(4, size=400), rng.integers(1, 4, size=400)
    columns = [one, (one + other) % 4, rng.integers(2, size=400), np.arange(400) // 100]
    thrice = [np.repeat(column, 3) for column in columns]

    def found(columns, group=None):
        a, b, score, time = columns
        return history(eq.Matches.from_columns(a.astype(str), b.astype(str), score, time=time, group=group), spread=2.0)

    games, repeated, taken = found(columns), found(thrice), found(thrice, np.repeat(np.arange(400), 3))
    np.testing.assert_allclose(taken.stderr, games.stderr, rtol=0.1)
    assert (repeated.stderr < 0.8 * games.stderr).all()
    assert [note.code for note in taken.diagnostics] == ["common-level", "design-effect"]
    np.testing.assert_array_equal(taken.played, repeated.played)


def test_dates_fall_into_periods():
    days = ["2024-01-01", "2024-01-31", "2024-02-01", "2024-12-31", "2025-01-06"]
    m = eq.Matches.from_columns("ababa", "babab", [1, 1, 0, 1, 0], time=np.array(days, "datetime64[D]"))
    labels = {unit: eq.whole_history(m, unit=unit).period for unit in ("week", "month", "quarter", "year")}
    assert labels["month"] == ("2024-01", "2024-02", "2024-12", "2025-01")
    assert labels["quarter"] == ("2024-Q1", "2024-Q4", "2025-Q1")
    assert labels["year"] == ("2024", "2025")
    assert labels["week"] == ("2024-01-01", "2024-01-29", "2024-12-30", "2025-01-06")
    found = eq.whole_history(m, unit="month")
    assert found.change("a", "2024-01-15", "2025-01").since == "2024-01"
    seconds = m.time.astype("datetime64[s]").astype(float)
    timed = eq.Matches.from_columns("ababa", "babab", [1, 1, 0, 1, 0], time=seconds)
    assert eq.whole_history(timed, unit="month").rating.tolist() == found.rating.tolist()


def test_an_anchor_stays_at_zero_and_a_release_takes_a_larger_step():
    won = [1, 0, 1, 0] * 5 + [1] * 20
    m = eq.Matches.from_columns(["new"] * 40, ["old"] * 40, won, time=[1] * 20 + [2] * 20)
    held = history(m, anchor="old", spread=2.0, walk=0.05)
    assert not held.rating[held.agents.index("old")].any()
    assert not held.stderr[held.agents.index("old")].any()
    released = history(m, anchor="old", spread=2.0, walk=0.05, releases={"new": 2}, release_spread=2.0)
    new = held.agents.index("new")
    assert released.gain[new] > 5 * held.gain[new]
    assert released.verdict[new] == "improved"
    assert released.answer[1].startswith("new (+")


@pytest.mark.parametrize(
    ("made", "options", "message"),
    [
        (lambda: eq.Matches.from_columns("ab", "ba", [1, 0]), {}, "needs times"),
        (lambda: eq.Matches.from_columns("ab", "ba", [1, 0], time=[3, 3]), {}, "one period"),
        (lambda: eq.Matches.from_columns("abxy", "bayx", [1, 0, 1, 0], time=[1, 2, 1, 2]), {}, "never met"),
        (lambda: eq.Matches.from_columns("ab", "ba", [1, 0], time=[1, 2]), {"unit": "month"}, "no dates"),
        (lambda: eq.Matches.from_columns("ab", "ba", [1, 0], time=[1, 2]), {"anchor": "c"}, 'no agent "c"'),
        (lambda: eq.Matches.from_columns("ab", "ba", [1, 0], time=[1, 2]), {"releases": {"a": 7}}, "no games in 7"),
        (lambda: eq.Matches.from_columns("ab", "ba", [1, 0], time=["x", "y"]), {}, "neither numbers nor dates"),
    ],
)  # fmt: skip
def test_what_has_no_answer_is_refused(made, options, message):
    with pytest.raises(eq.EquipoiseError, match=message):
        eq.whole_history(made(), **options)


def test_too_many_agents_in_too_many_periods_are_refused():
    n, periods = 6000, 6
    none = np.zeros(0, dtype=np.int64)
    walks = Walks(n, np.zeros(n, int), np.full(n, periods - 1), np.ones(periods - 1), none, none, none,
                  np.zeros(0), np.zeros(0), 2.0, False, None, np.zeros((n, periods)))  # fmt: skip
    with pytest.raises(eq.DataError, match="6,000 agents in 6 periods"):
        _refuse_large(walks)


@pytest.fixture
def log(tmp_path):
    rng = np.random.default_rng(3)
    rows = ["a,b,winner,date"]
    for day in range(240):
        better = 0.15 + 0.7 * day / 240
        rows.append(f"ann,bob,{'a' if rng.random() < better else 'b'},2024-{1 + day // 30:02}-{1 + day % 28:02}")
    path = tmp_path / "games.csv"
    path.write_text("\n".join(rows))
    return path


def test_rank_over_time_says_who_improved(log, capsys):
    assert main(["rank", str(log), "--over-time", "month", "--anchor", "bob"]) == 0
    printed = capsys.readouterr().out
    assert "ann (+" in printed
    assert "improved (95%, all agents together)" in printed
    assert main(["rank", str(log), "--over-time", "quarter", "--anchor", "bob", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["agent"] for row in document["agents"]] == ["ann", "bob"]
    assert len(document["periods"]) == 6
    assert document["parameters"]["anchor"] == "bob"


def test_a_release_on_the_command_line_is_that_of_the_method(log, capsys):
    asked = ["rank", str(log), "--over-time", "month", "--format", "json"]
    assert main([*asked, "--release", "ann=2024-04"]) == 0
    found = json.loads(capsys.readouterr().out)["periods"]
    games = eq.read_matches(log, read=eq.ReadOptions(time="date"))
    for releases in ({"ann": "2024-04"}, None):
        rating = eq.whole_history(games, unit="month", releases=releases).rating
        elo = np.sort(rating[np.isfinite(rating)]) * 400 / np.log(10)
        assert np.allclose(np.sort([row["rating"] for row in found]), elo, atol=1e-6) == (releases is not None)
    assert main([*asked, "--release", "ann"]) == 2
    assert "AGENT=DATE" in capsys.readouterr().err
    assert main(["rank", str(log), "--release", "ann=2024-04"]) == 2
    assert "goes with --over-time" in capsys.readouterr().err


def test_the_chart_is_drawn_and_options_without_sense_are_refused(log, tmp_path, capsys):
    assert main(["rank", str(log), "--over-time", "month", "-o", str(tmp_path / "s.svg")]) == 0
    assert "How did strength change?" in (tmp_path / "s.svg").read_text()
    capsys.readouterr()
    assert main(["rank", str(log), "--over-time", "month", "--ties", "davidson"]) == 2
    assert "--ties has no effect with --over-time month" in capsys.readouterr().err
    bare = tmp_path / "bare.csv"
    bare.write_text("a,b,winner\nx,y,a\ny,x,a\n")
    assert main(["rank", str(bare), "--over-time", "month"]) == 2
    assert "name it with --time" in capsys.readouterr().err
    board = eq.rank(log, options=eq.RankOptions(over_time="month"))
    assert isinstance(board, eq.results.WholeHistory)
