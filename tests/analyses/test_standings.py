"""``rank``: one leaderboard from one table of pair counts, whatever the data came as."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.newton import bradley_terry_newton

RNG = np.random.default_rng(1)
NAMES = np.array(list("abcde"))


@pytest.fixture(scope="module")
def matches():
    i = RNG.integers(5, size=800)
    j = (i + RNG.integers(1, 5, size=800)) % 5
    won = RNG.random(800) < 1 / (1 + np.exp((i - j) / 3))
    return eq.Matches.from_columns(NAMES[i], NAMES[j], won, group=RNG.integers(30, size=800))


@pytest.fixture
def file(tmp_path, matches):
    path = tmp_path / "games.csv"
    rows = [
        f"{matches.agents[a]},{matches.agents[b]},{s},{g}"
        for a, b, s, g in zip(matches.a, matches.b, matches.outcome, matches.group.codes, strict=True)
    ]
    path.write_text("\n".join(["a,b,outcome,voter", *rows]))
    return path


def test_the_parts_are_the_methods_own_answers(matches):
    board = eq.rank(matches)
    fit, verdict = eq.bradley_terry(matches), eq.transitivity(matches)
    weighted = fit.relative_to_mean(fit.games)
    np.testing.assert_allclose(board.rated.rating, weighted.rating)
    np.testing.assert_allclose(board.rated.low, weighted.low)
    assert board.transitivity.p_value == verdict.p_value
    np.testing.assert_allclose(board.nash.p, eq.nash_average(matches).p)
    np.testing.assert_allclose(board.alpha_rank.pi, eq.alpha_rank(matches, confidence=None).pi)
    assert board.answer == (*weighted.answer, *verdict.answer)


def test_a_file_a_frame_and_matches_give_one_board(matches, file):
    import polars as pl

    boards = [
        eq.rank(file, cluster="voter"),
        eq.rank(pl.read_csv(file), cluster="voter"),
        eq.rank(matches),
        eq.rank(matches.pairs(by_group=True)),
    ]
    for board in boards:
        assert board.frame()["agent"].to_list() == boards[0].frame()["agent"].to_list()
        np.testing.assert_allclose(board.frame()["low"], boards[0].frame()["low"])
        assert "clustered by group" in board.rated.interval.kind


def test_the_board_has_the_promised_columns(matches):
    promised = [
        "agent", "rating", "low", "high", "rank_low", "rank_high", "games", "win_rate", "nash", "nash_average",
        "alpha_rank",
    ]  # fmt: skip
    for method in ("bradley-terry", "elo", "melo"):
        frame = eq.rank(matches, method=method).frame()
        assert set(promised) <= set(frame.columns)
        assert frame["rating"].is_sorted(descending=True)


@pytest.mark.parametrize("method", ["bradley-terry", "elo"])
def test_replicates_give_the_intervals(matches, method):
    board = eq.rank(matches, method=method, options=eq.RankOptions(n=30), rng=3)
    low = dict(zip(board.replicates.agents, board.replicates.low / eq.methods.ELO_POINT, strict=True))
    assert {row["agent"]: row["low"] for row in board.rows()} == pytest.approx(low)
    assert "over clusters" in str(board.replicates.interval)


def test_melo_takes_replicates_of_its_own(matches):
    board = eq.rank(matches, method="melo", options=eq.RankOptions(n=20))
    assert board.replicates is None
    assert all(row["low"] < row["high"] for row in board.rows())


def test_pairs_are_counted_once_and_fitted_once(monkeypatch, matches):
    counted, fitted = [], []
    pairs, newton = eq.Matches.pairs, bradley_terry_newton

    def counting(self, *args, **options):
        counted.append(self)
        return pairs(self, *args, **options)

    def fitting(*args, **options):
        fitted.append(args)
        return newton(*args, **options)

    monkeypatch.setattr(eq.Matches, "pairs", counting)
    monkeypatch.setattr("equipoise.ratings.paired.bradley_terry.bradley_terry_newton", fitting)
    monkeypatch.setattr("equipoise.ratings.transitivity.rating_fit.bradley_terry_newton", fitting)
    eq.rank(matches)
    assert (len(counted), len(fitted)) == (1, 1)


def test_an_anchor_leaves_the_verdict_alone(matches):
    free, tied = eq.rank(matches), eq.rank(matches, anchor="c")
    assert tied.transitivity.p_value == free.transitivity.p_value
    (row,) = [row for row in tied.rows() if row["agent"] == "c"]
    assert row["rating"] == row["low"] == row["high"] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "elo", "side": True}, 'side does not go with method="elo"; use method="bradley-terry"'),
        (
            {"options": eq.RankOptions(step_size=2)},
            'step_size does not go with method="bradley-terry"; use method="elo"',
        ),
        ({"method": "melo", "anchor": "a"}, 'anchor does not go with method="melo"'),
        ({"anchor": "a", "options": eq.RankOptions(n=10)}, "anchor and n do not go together"),
        ({"method": "hodge"}, "does not rate agents by games"),
        ({"method": "bradly-terry"}, "did you mean"),
        ({"group": "voter"}, "group tells how to read a file"),
        ({"level": 95}, "level is between 0 and 1"),
        ({"rng": -1}, "rng is a seed"),
    ],
)
def test_what_makes_no_sense_is_refused(matches, options, said):
    with pytest.raises(eq.ParameterError, match="(?s)" + said.replace("(", r"\(")):
        eq.rank(matches, **options)


def test_the_wrong_kind_of_data_is_refused():
    with pytest.raises(eq.DataError, match="rank takes matches"):
        eq.rank("hands")
    with pytest.raises(eq.DataError, match="tasks takes scores"):
        eq.tasks("alphago")
    with pytest.raises(eq.DataError, match="remove_luck takes dealt hands"):
        eq.remove_luck("alphago")


def test_components_are_refused_or_rated_apart():
    table = PairTable.from_wins([[0, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 4], [0, 0, 1, 0]], agents="wxyz")
    with pytest.raises(eq.DisconnectedError):
        eq.rank(table)
    board = eq.rank(table, components="each")
    assert board.nash is board.alpha_rank is None
    assert set(board.frame()["nash"]) == {None}
    assert [note.code for note in board.diagnostics].count("incomplete-table") == 1


def plugin():
    """A count of wins, as a package of somebody else would bring it."""
    from dataclasses import dataclass
    from typing import ClassVar

    import polars as pl

    from equipoise.core.declaration import method
    from equipoise.core.results import FloatArray, frozen, frozen_params

    @dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
    class Borda(eq.results.Result):
        main: ClassVar[str] = "score"
        units: ClassVar[dict[str, str]] = {"score": "wins"}
        agents: tuple[str, ...]
        score: FloatArray

        @property
        def answer(self) -> tuple[str, ...]:
            return (f"{self.frame()['agent'][0]} wins most.",)

        def frame(self) -> pl.DataFrame:
            table = pl.DataFrame({"agent": list(self.agents), "score": self.score})
            return table.sort("score", descending=True, maintain_order=True)

    @method(takes=("matches", "pairs"), answers="Who wins most?", reference="Borda (1781)", rates=True, section="Borda")
    def borda(data: eq.Matches | PairTable) -> Borda:
        table = data if isinstance(data, PairTable) else data.pairs()
        return Borda(agents=table.agents, score=frozen(table.scores_of_agents()), params=frozen_params())

    return borda


@pytest.fixture
def with_a_plugin(monkeypatch):
    """Install a package that brings a rating of its own."""
    from equipoise import catalogue as module

    class Point:
        name, value, dist = "borda", "borda_package:borda", None

        @staticmethod
        def load():
            return brought

    brought = plugin()
    module._of_others.cache_clear()
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [Point])
    yield
    module._of_others.cache_clear()


def test_a_method_of_another_package_ranks_and_is_reported(with_a_plugin, matches, file, capsys, monkeypatch):
    from equipoise.cli.main import main
    from equipoise.report.views.registry import section_view

    board = eq.rank(matches, method="borda")
    wins = matches.pairs().scores_of_agents()
    assert board.frame()["agent"][0] == matches.agents[int(np.argmax(wins))]
    assert board.units["rating"] == "wins"
    assert board.answer[0].endswith("wins most.")
    assert {row["agent"]: row["games"] for row in board.rows()} == pytest.approx(
        dict(zip(matches.agents, matches.pairs().games_of_agents(), strict=True))
    )
    assert eq.rank(matches, method="borda", options=eq.RankOptions(n=10)).replicates.estimate == pytest.approx(wins)
    assert main(["rank", str(file), "--method", "borda"]) == 0
    assert "Borda (1781)" in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["methods"]) == 0
    assert "Borda (1781)" in capsys.readouterr().out
    (section,) = [section for section in eq.analyse(matches) if section.title == "Borda"]
    view = section_view(section)
    assert (view.title, view.tables[0].units) == ("Borda", {"score": "wins"})
    assert view.sentences == (board.answer[0],)
    (forest,) = view.charts()
    assert [span.value for span in forest.spans] == pytest.approx(sorted(wins, reverse=True))


def test_scores_are_ranked_as_matches_on_tasks_with_errors_by_task_and_by_runs_that_share_something():
    scores = eq.load("classifiers")
    board, by_task = eq.rank(scores), eq.rank(eq.methods.matches_from_scores(scores))
    assert board.frame()["rating"].to_list() == by_task.frame()["rating"].to_list()
    assert (board.rated.high - board.rated.low).mean() > (by_task.rated.high - by_task.rated.low).mean()
    assert {"scores-as-matches"} <= {note.code for note in board.diagnostics}
    two = eq.compare("classifiers", "extra-trees", "forest")
    assert two.low[0] < 0.48  # 90 independent games would say 0.48 and more


def test_plans_ask_for_games_because_they_know_no_groups():
    with pytest.raises(eq.DataError, match="plan takes matches"):
        eq.plan("classifiers")


def test_the_demo_is_a_leaderboard():
    board = eq.run_demo()
    assert board.frame()["agent"][0] == "extra-trees"
    assert "clustered by 2 columns" in board.rated.interval.kind
