"""More sample logs, folder by folder, through import, report, a command and Python: the answers that they state."""

import csv
import json
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.diagnostics import has_code


def sample(name: str) -> Path:
    """Give the path of a sample; the test is skipped where there are none."""
    path = Path(os.environ.get("EQUIPOISE_DATA", "")) / "more_logs" / name
    if not os.environ.get("EQUIPOISE_DATA") or not path.exists():
        pytest.skip(f"needs EQUIPOISE_DATA with more_logs/{name}")
    return path


MEANS = {
    "swebench_pro": {
        "claude-4sonnet-10132025": 0.428571, "gpt-4o-paper": 0.084337, "kimi-k2-instruct-10132025": 0.29,
    },
    "swebench_experiments/java_verified": {
        "20240825_SWE-agent_gpt-4o-2024-05-13": 0.070588, "20240825_SWE-agent_deepseek-chat-v2": 0.098901,
    },
    "swebench_experiments/derived_no_generation_form": {
        "20240825_SWE-agent_gpt-4o-2024-05-13": 0.065934, "20240825_SWE-agent_deepseek-chat-v2": 0.098901,
    },
    "tau_bench": {
        "tool-calling-gpt-4.1-0.0": 0.582609, "tool-calling-gpt-4.1-mini-0.0": 0.53913, "act-gemini-2.0-flash-0.0": 0.5,
    },
    "mteb": {
        "sentence-transformers/all-MiniLM-L6-v2": 0.610586, "intfloat/e5-small-v2": 0.642222,
        "BAAI/bge-small-en-v1.5": 0.659537,
    },
    "terminal_bench": {
        "20250811_cursor-cli_claude-4-sonnet": 0.2375, "20250829_goose_claude-4-opus": 0.4875,
        "20250906_orchestrator_claude-4.1-opus": 0.3975,
    },
}  # fmt: skip
"""The mean over its own tasks of each agent."""
TASKS = {
    "swebench_pro": 100, "swebench_experiments/java_verified": 91, "swebench_experiments/derived_no_generation_form": 1,
    "tau_bench": 115, "mteb": 6, "terminal_bench": 80,
}  # fmt: skip


def means(scores: eq.Scores) -> dict[str, float]:
    return dict(zip(scores.agents, np.nanmean(scores.values, axis=1).tolist(), strict=True))


@pytest.mark.parametrize("folder", MEANS)
def test_python(folder):
    scores = eq.read(sample(folder))
    assert means(scores) == pytest.approx(MEANS[folder], abs=1e-6)
    assert len(scores.tasks) == TASKS[folder]


@pytest.mark.parametrize("folder", MEANS)
def test_import_writes_the_same_numbers(folder, tmp_path, capsys):
    table = tmp_path / "table.csv"
    assert main(["import", str(sample(folder)), "-o", str(table)]) == 0
    capsys.readouterr()
    assert means(eq.read_scores(table)) == pytest.approx(MEANS[folder], abs=1e-6)


@pytest.mark.parametrize("folder", [*MEANS, "openfootball/2020-21/nl.1.json", "poker_phhs", "sb3_zoo/benchmark.md"])
def test_report_makes_a_page(folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["report", str(sample(folder)), "-o", str(page)]) == 0
    capsys.readouterr()
    assert page.stat().st_size > 1000


@pytest.mark.parametrize("folder", ["mteb", "terminal_bench"])
def test_tasks_gives_the_means(folder, capsys):
    assert main(["tasks", str(sample(folder)), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["agents"] == len(MEANS[folder])


def test_what_is_common_to_the_agents_of_swe_bench_pro():
    scores = eq.read(sample("swebench_pro"))
    common = ~np.isnan(scores.values).any(axis=0)
    solved = dict(zip(scores.agents, scores.values[:, common].sum(axis=1).tolist(), strict=True))
    assert common.sum() == 64
    assert solved == {"claude-4sonnet-10132025": 27, "gpt-4o-paper": 5, "kimi-k2-instruct-10132025": 15}


def test_all_instances_of_a_harness_report():
    every = eq.read(
        sample("swebench_experiments/java_verified"), format="swe-bench", read=eq.ReadOptions(denominator="all")
    )
    assert means(every)["20240825_SWE-agent_gpt-4o-2024-05-13"] == pytest.approx(6 / 91)
    assert not every.missing.any()


def test_counts_by_repository_are_refused_with_a_hint():
    folder = sample("swebench_experiments/derived_no_generation_form")
    with pytest.raises(eq.DataError, match=r"results\.json"):
        eq.read(next(folder.rglob("resolved_by_repo.json")))


def test_errors_of_tau_bench_are_counted_apart():
    scores = eq.read(sample("tau_bench"))
    assert any("13 of 19 records ended in an error" in note.message for note in scores.diagnostics)
    counted = eq.read(sample("tau_bench"), format="tau-bench", read=eq.ReadOptions(keep="all"))
    assert means(counted)["act-gemini-2.0-flash-0.0"] == pytest.approx(3 / 19)


def test_embeddings_by_task_and_subset():
    scores = eq.read(sample("mteb"))
    mini = dict(
        zip(scores.tasks, scores.values[scores.agents.index("sentence-transformers/all-MiniLM-L6-v2")], strict=True)
    )
    assert mini == pytest.approx(
        {
            "Banking77Classification": 0.800422, "NFCorpus": 0.31594, "SciFact": 0.64508, "STSBenchmark": 0.820325,
            "TwitterSemEval2015": 0.67858, "STS22": 0.40317,
        },
        abs=1e-6,
    )  # fmt: skip
    assert any("model_meta.json" in note.message for note in scores.diagnostics)
    subsets = eq.read(sample("mteb"), format="mteb", read=eq.ReadOptions(per="sample"))
    english = subsets.values[:, subsets.tasks.index("STS22/en")]
    assert sorted(english) == pytest.approx([0.657866, 0.66299, 0.677112], abs=1e-6)


def test_attempts_of_terminal_bench():
    scores = eq.read(sample("terminal_bench/20250906_orchestrator_claude-4.1-opus"))
    solved = np.nansum(scores.repeats[0], axis=1)
    assert (scores.repeats.shape, solved.sum()) == ((1, 80, 5), 159)
    assert (solved > 0).mean() == 0.575
    assert (solved == 5).mean() == 0.225
    assert has_code(scores.diagnostics, "null-as-failure")


FOOTBALL = {
    "2020-21/nl.1.json": (306, 18, (126, 78, 102), {"AFC Ajax": 88, "PSV Eindhoven": 72, "ADO Den Haag": 22}),
    "2019-20/fr.1.json": (
        279, 20, (134, 70, 75), {"Paris Saint-Germain": 68, "Olympique Marseille": 56, "Toulouse FC": 13},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOOTBALL)
def test_fixtures(name, capsys, tmp_path):
    played, teams, results, points = FOOTBALL[name]
    path = sample(f"openfootball/{name}")
    games = eq.read(path, format="fixtures")
    found = tuple(int((games.outcome == outcome).sum()) for outcome in (1.0, 0.5, 0.0))
    assert (len(games.outcome), len(games.agents), found) == (played, teams, results)
    total: dict[str, float] = defaultdict(float)
    for first, second, outcome in zip(games.a, games.b, games.outcome, strict=True):
        total[games.agents[first]] += {1.0: 3, 0.5: 1, 0.0: 0}[outcome]
        total[games.agents[second]] += {1.0: 0, 0.5: 1, 0.0: 3}[outcome]
    assert {team: total[team] for team in points} == points
    assert max(total, key=lambda team: total[team]) == next(iter(points))
    assert main(["rank", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["agents"] == teams
    assert main(["import", str(path), "-o", str(tmp_path / "games.csv")]) == 0
    assert eq.read_pairs(tmp_path / "games.csv").games.sum() == played


@pytest.mark.parametrize(
    "name",
    ["abs_100NL_325", "pty_25NL_1610_first15", "ftp_50NL_1448_first15", "ipn_400NL_951_first6_infinite_stacks"],
)
def test_hands_are_settled_as_the_answers_say(name):
    pytest.importorskip("pokerkit")
    path = sample(f"poker_phhs/{name}.phhs")
    with (path.parent / "answers_net.csv").open() as file:
        answers = {
            (row["n"], row["player"]): float(row["net_without_rake"])
            for row in csv.DictReader(file) if row["file"] == path.name and row["net_without_rake"]
        }  # fmt: skip
    hands = eq.read(path)
    numbers = [hands.hand.labels[code].rpartition(" ")[2] for code in hands.hand.codes]
    players = [hands.agents[code] for code in hands.agent.codes]
    found = dict(zip(zip(numbers, players, strict=True), hands.utility.tolist(), strict=True))
    assert found == pytest.approx(answers, abs=1e-9)


def test_a_folder_of_hands_leaves_the_answers_and_the_unfinished_hand_out():
    pytest.importorskip("pokerkit")
    hands = eq.read(sample("poker_phhs"))
    assert (hands.account.used, dict(hands.account.dropped)) == (46, {"that are not finished": 1})
    assert any("answers_net.csv" in note.message for note in hands.diagnostics)


def test_a_table_in_markdown(capsys):
    path = sample("sb3_zoo/benchmark.md")
    scores = eq.read(path)
    assert (len(scores.agents), len(scores.tasks), int((~scores.missing).sum())) == (11, 55, 199)
    count = dict(zip(scores.agents, (~scores.missing).sum(axis=1).tolist(), strict=True))
    assert (count["a2c"], count["ppo"], count["trpo"]) == (30, 41, 18)
    alone = int(((~scores.missing).sum(axis=0) == 1).sum())
    cell = {
        (agent, task): scores.values[i, j]
        for i, agent in enumerate(scores.agents)
        for j, task in enumerate(scores.tasks)
    }
    assert (alone, cell["a2c", "Acrobot-v1"], cell["trpo", "Walker2d-v3"]) == (24, -83.353, 4933.148)
    assert main(["rank", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["agents"] == 11


MARGINS = {
    "baselines_vs_cleanrl_vs_jaxrl.csv": (6, (1410.20, 1559.03, 3840.14)),
    "baselines_vs_cleanrl_vs_jaxrl.md": (6, (1410.20, 1559.03, 3840.14)),
    "td3_vs_cleanrl.csv": (3, (5481.02, 5278.52, 3920.77)),
    "ppg_vs_cleanrl.csv": (3, (22.533, 18.183, 23.447)),
    "cleanrl_vs_baselines_hns.csv": (57, (4.5458, 6.8412)),
}


@pytest.mark.parametrize("name", MARGINS)
def test_columns_of_a_benchmark_are_agents(name):
    tasks, columns = MARGINS[name]
    scores = eq.read(sample(f"openrlbenchmark/{name}"))
    assert scores.values.shape == (len(columns), tasks)
    assert scores.values.mean(axis=1) == pytest.approx(columns, abs=0.005)


ORDERS = {
    "free_for_all/f1_2020_places.csv": (eq.Rankings, 23, 17, 17, 0, 0, 3_230, None),
    "free_for_all/marble_league_2020_places.csv": (eq.Rankings, 17, 16, 16, 0, 1, 1_936, None),
    "free_for_all/00052-00000071.soi": (eq.Ballots, 23, 17, 17, 0, 0, 3_230, None),
    "free_for_all/00065-00000004.soi": (eq.Ballots, 17, 16, 16, 0, 1, 1_936, None),
    "ranked_ballots/00006-00000003.soc": (eq.Ballots, 14, 9, 9, 0, 9, 819, "Berezhnaya Sikharulidze"),
    "ranked_ballots/00006-00000001.toc": (eq.Ballots, 30, 9, 9, 3, 9, 3_912, "Alexei Yagudin"),
    "ranked_ballots/00016-00000002.toi": (eq.Ballots, 5, 2_527, 112, 7, 4, 8_503, "Marilyn Marks"),
    "ranked_ballots/00064-00000006.soi": (eq.Ballots, 19, 19, 19, 0, 0, 855, None),
}
"""Type, agents, votes, lines, lines with ties, votes that rank all, ordered pairs, and who beats all in pairs.

Hamilton beats all whom he met, but a driver who took his place in one race never met him.
"""
SHARES = {
    "free_for_all/f1_2020_places.csv": {"hamilton": 0.9474, "bottas": 0.7740, "max_verstappen": 0.6780},
    "free_for_all/marble_league_2020_places.csv": {
        "Savage Speeders": 0.6639, "Midnight Wisps": 0.6390, "O'rangers": 0.6224,
    },
    "ranked_ballots/00064-00000006.soi": {"Ireland": 0.7778, "Germany": 0.7083, "Morocco": 0.6667},
}  # fmt: skip
"""Share of its pairs that an agent won, the three highest."""
FIRSTS = {
    "free_for_all/f1_2020_places.csv": {"hamilton": 11, "bottas": 2, "max_verstappen": 2},
    "free_for_all/marble_league_2020_places.csv": {
        "Minty Maniacs": 4, "O'rangers": 3, "Savage Speeders": 3, "Midnight Wisps": 2,
    },
    "ranked_ballots/00006-00000003.soc": {"Berezhnaya Sikharulidze": 9},
    "ranked_ballots/00006-00000001.toc": {"Alexei Yagudin": 9},
    "ranked_ballots/00016-00000002.toi": {"Mick Ireland": 1_090, "Marilyn Marks": 876},
}  # fmt: skip
"""Who came first how often, the most first."""


def won(orders: eq.Rankings | eq.Ballots) -> np.ndarray:
    """Count how often each agent came before each other one, pair by pair."""
    wins = np.zeros((len(orders.agents),) * 2)
    for first, last, weight in zip(orders.start[:-1], orders.start[1:], orders.weight, strict=True):
        who, place = orders.who[first:last], orders.place[first:last]
        wins[np.ix_(who, who)] += weight * (place[:, None] < place[None, :])
    return wins


@pytest.mark.parametrize("name", ORDERS)
def test_places_and_ballots_are_counted(name):
    kind, agents, votes, lines, tied, complete, pairs, best = ORDERS[name]
    orders = eq.read(sample(name))
    assert type(orders) is kind
    parts = [orders.place[first:last] for first, last in zip(orders.start[:-1], orders.start[1:], strict=True)]
    assert (len(orders.agents), orders.weight.sum(), len(parts)) == (agents, votes, lines)
    assert sum(len(set(part.tolist())) < len(part) for part in parts) == tied
    wins = won(orders)
    assert wins.sum() == pairs
    whole = sum(w for w, part in zip(orders.weight, parts, strict=True) if len(part) == agents)
    assert whole == complete
    beats = ((wins > wins.T) | np.eye(agents, dtype=bool)).all(axis=1)
    assert [orders.agents[k] for k in np.flatnonzero(beats)] == ([best] if best else [])
    share = wins.sum(axis=1) / (wins + wins.T).sum(axis=1)
    if name in SHARES:
        assert {agent: share[orders.agents.index(agent)] for agent in SHARES[name]} == pytest.approx(
            SHARES[name], abs=5e-5
        )
        assert np.sort(share)[:-4:-1] == pytest.approx(list(SHARES[name].values()), abs=5e-5)


@pytest.mark.parametrize("name", FIRSTS)
def test_first_places_are_counted(name):
    orders = eq.read(sample(name))
    firsts: dict[str, float] = defaultdict(float)
    for first, last, weight in zip(orders.start[:-1], orders.start[1:], orders.weight, strict=True):
        place = orders.place[first:last]
        leaders = orders.who[first:last][place == place.min()]
        if len(leaders) == 1:
            firsts[orders.agents[leaders[0]]] += weight
    most = sorted(firsts.values(), reverse=True)[: len(FIRSTS[name])]
    assert {agent: firsts[agent] for agent in FIRSTS[name]} == FIRSTS[name]
    assert most == list(FIRSTS[name].values())


@pytest.mark.parametrize("name", ORDERS)
def test_places_and_ballots_are_rated_and_chosen_from(name, capsys):
    agents, lines, best = ORDERS[name][1], ORDERS[name][3], ORDERS[name][-1]
    kind = "rankings" if ORDERS[name][0] is eq.Rankings else "ballots"
    for command in ("rank", "choose"):
        assert main([command, str(sample(name)), "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["data"]["kind"], found["data"]["rows"], found["data"]["agents"]) == (kind, lines, agents)
        assert len(found["agents"]) == agents
        rows = {row["agent"]: row for row in found["agents"]}
        if command == "choose":
            assert [agent for agent, row in rows.items() if row["beats"] == agents - 1] == ([best] if best else [])
        elif best:
            assert found["agents"][0]["agent"] == best
            assert rows[best]["low"] < rows[best]["rating"] < rows[best]["high"]


def test_mean_places_are_those_of_the_tables(capsys):
    for name, agent, mean in (("f1_2020", "hamilton", 2.0), ("marble_league_2020", "Savage Speeders", 6.062)):
        assert main(["rank", str(sample(f"free_for_all/{name}_places.csv")), "--format", "json"]) == 0
        places = {row["agent"]: row["mean_place"] for row in json.loads(capsys.readouterr().out)["agents"]}
        assert places[agent] == min(places.values()) == pytest.approx(mean, abs=6e-4)


@pytest.mark.parametrize("name", ORDERS)
def test_places_and_ballots_are_no_table_of_scores(name, capsys):
    assert main(["tasks", str(sample(name))]) == 2
    said = capsys.readouterr().err
    assert "`equipoise choose`" in said
    assert said.count("\n") == 1


def test_tables_of_r_are_asked_back_or_read_by_named_columns():
    for name in ("MASS__bacteria", "HSAUR__respiratory", "mlmRev__guImmun", "NeuroDataSets__ADHD_df"):
        with pytest.raises(eq.DataError, match="numbers the rows and names no agents"):
            eq.read(sample(f"r_csv/{name}.csv"))
    weeks = eq.read_scores(sample("r_csv/MASS__bacteria.csv"), agent="ID", task="week", score="y")
    found = dict(zip(weeks.tasks, np.nanmean(weeks.values, axis=0).tolist(), strict=True))
    assert found == pytest.approx({"0": 0.9, "2": 0.9091, "4": 0.7381, "6": 0.725, "11": 0.7273}, abs=1e-4)
    assert (len(weeks.agents), np.nansum(weeks.values), int((~weeks.missing).sum())) == (50, 177, 220)
