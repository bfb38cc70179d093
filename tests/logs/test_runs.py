"""Runs of learning agents, replays of Kaggle and hands of poker, held against real files and small awkward ones."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.errors import EquipoiseError
from tests.logs.game_samples import sample


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def totals(data: eq.Episodes) -> dict[str, float]:
    return dict(zip(data.agents, np.bincount(data.agent.codes, data.utility).tolist(), strict=True))


def test_monitors() -> None:
    scores = eq.read(sample("rl/sb3"), format="runs")
    assert (scores.agents, scores.tasks) == (("a2c", "dqn", "ppo"), ("Acrobot-v1", "CartPole-v1"))
    assert np.round(scores.values, 4).tolist() == [[-83.3526, 500], [-76.6387, 500], [-73.5057, 500]]


def test_score_files_of_several_agents() -> None:
    scores = eq.read(sample("rl/atari100k"), format="runs")
    at = {name: k for k, name in enumerate(scores.agents)}
    alien, amidar = scores.tasks.index("Alien"), scores.tasks.index("Amidar")
    assert scores.values.shape == (5, 26)
    means = {
        "IRIS": (420.02, 142.98),
        "SimPLe": (616.875, 74.2562),
        "SPR": (841.891, 179.711),
        "HUMAN": (7127.7, 1719.5),
    }
    for name, expected in means.items():
        assert scores.values[at[name], [alien, amidar]].tolist() == pytest.approx(expected, rel=1e-5)
    assert scores.trials is not None
    assert scores.trials[at["SPR"], alien] == 100


def test_curves() -> None:
    scores = eq.read(sample("rl/dreamerv3_atari100k.json.gz"), format="runs")
    assert scores.repeats is not None
    assert scores.repeats.shape == (1, 26, 5)
    assert scores.repeats[0, scores.tasks.index("atari_alien"), 0] == 760


def test_tables_of_means() -> None:
    scores = eq.read(sample("rl/openrlbenchmark_cleanrl_vs_baselines.csv"), format="runs")
    assert scores.values.shape == (2, 57)
    assert scores.values[:, 0].tolist() == [1705.8, 1755.0]
    with pytest.raises(EquipoiseError, match="the runs contain no score"):
        eq.read(sample("rl/openrlbenchmark_multi-metrics.csv"), format="runs")


def test_progress() -> None:
    path = sample("rl/sb3_ppo_progress.csv")
    assert eq.read(path, format="runs").tasks == ("eval/mean_reward",)
    assert eq.read(path, format="runs", read=eq.ReadOptions(metric="rollout/ep_rew_mean")).tasks == (
        "rollout/ep_rew_mean",
    )
    with pytest.raises(EquipoiseError, match='no column "loss"'):
        eq.read(path, format="runs", read=eq.ReadOptions(metric="loss"))


def test_environments_of_one_run_and_runs(tmp_path: Path) -> None:
    head = '#{"t_start": 1, "env_id": "Pong-v4"}\nr,l,t\n'
    for name, rewards in {"Pong-v4_1/0": "1\n2", "Pong-v4_1/1": "9", "Pong-v4_2/0": "5"}.items():
        rows = "\n".join(f"{reward},1,1" for reward in rewards.split())
        written(tmp_path / "ppo" / f"{name}.monitor.csv", f"{head}{rows}\n")
    scores = eq.read(tmp_path, format="runs")
    assert scores.agents == ("ppo",)
    assert scores.repeats is not None
    assert scores.repeats.tolist() == [[[4.0, 5.0]]]
    assert eq.read(tmp_path, format="runs", read=eq.ReadOptions(last=1)).values.tolist() == [[5.25]]


def test_twins_of_exported_charts(tmp_path: Path) -> None:
    head = "Step,Pong__ppo__1__99 - ret,Pong__ppo__1__99 - ret__MIN,Pong__ppo__1__99 - ret__MAX,own - ret"
    path = written(tmp_path / "w.csv", f"{head}\n1,2,0,9,\n2,3,0,9,7\n3,,,,\n")
    scores = eq.read(path, format="runs")
    assert scores.agents == ("ppo", "own")
    assert np.nansum(scores.values) == 10


def test_replays() -> None:
    two = eq.read(sample("kaggle_env/connectx.json"), format="kaggle-env")
    assert (two.agents, two.outcome.tolist()) == (("matt", "Vsevolod Gerasimov"), [1.0])
    late = eq.read(sample("kaggle_env/repeated_game_ipd.json"), format="kaggle-env")
    assert (late.agents, late.outcome.tolist()) == (("DeepSeek V3.2", "GPT-5.2"), [0.0])
    four = eq.read(sample("kaggle_env/hungry_geese.json"), format="kaggle-env")
    assert four.outcome.tolist() == [1, 1, 0, 1, 0, 0]


def test_forfeits_are_no_losses_by_play() -> None:
    path = sample("kaggle_env/oshi_zumo_forfeit.json")
    with pytest.raises(EquipoiseError, match="1 forfeited"):
        eq.read(path, format="kaggle-env")
    assert eq.read(path, format="kaggle-env", read=eq.ReadOptions(keep="all")).outcome.tolist() == [0.0]


def replay(path: Path, **more: Any) -> Path:
    whole = {"name": "g", "configuration": {}, "info": {"TeamNames": ["x", "y"]}, "steps": [], "id": path.name}
    return written(path, json.dumps(whole | {"rewards": [1, 0], "statuses": ["DONE", "DONE"]} | more))


def test_awkward_replays(tmp_path: Path) -> None:
    replay(tmp_path / "1.json")
    replay(tmp_path / "2.json", statuses=["ERROR", "DONE"], rewards=[None, 0])
    replay(tmp_path / "3.json", info={"TeamNames": ["x", "x"]})
    replay(tmp_path / "4.json", rewards=[None, None])
    fair = eq.read(tmp_path, format="kaggle-env")
    assert fair.outcome.tolist() == [1.0]
    assert fair.account is not None
    assert fair.account.rows == 4
    assert eq.read(tmp_path, format="kaggle-env", read=eq.ReadOptions(keep="all")).outcome.tolist() == [1.0, 0.0]


def test_hand_histories() -> None:
    data = eq.read(sample("poker/pluribus_30"), format="poker")
    expected = {"Pluribus": 200, "MrWhite": -300, "Gogo": -1550, "Budd": 3050, "Eddie": 3, "Bill": -1403}
    assert totals(data) == expected
    assert len(data.deal.labels) == 12


@pytest.mark.parametrize("name", ["alice-carol-wikipedia", "dwan-ivey-2009"])
def test_hands_that_must_be_played_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(EquipoiseError, match=r"no hand says what its players won.*pip install"):
        eq.read(sample(f"poker/{name}.phh"), format="poker")


def test_hands_played_out() -> None:
    pytest.importorskip("pokerkit")
    assert totals(eq.read(sample("poker/alice-carol-wikipedia.phh"), format="poker")) == {
        "Bob": -4, "Carol": 20, "Ted": 0, "Alice": -16,
    }  # fmt: skip
    assert totals(eq.read(sample("poker/dwan-ivey-2009.phh"), format="poker"))["Tom Dwan"] == 556_000


def test_dealers_logs() -> None:
    assert totals(eq.read(sample("poker/acpc_2p.limit.h1000.r0.log"), format="poker")) == {"p1": 455, "p2": -455}
    three = eq.read(sample("poker/acpc_3p.nolimit.h1000.r0.log"), format="poker")
    assert totals(three) == {"p1": 684452, "p2": 552584.5, "p3": -1237036.5}
    assert not three.diagnostics


def test_seats_rotate_and_matches_share_deals(tmp_path: Path) -> None:
    head = "# name/game/hands/seed m /x/holdem.game 2 7\n"
    one = "STATE:0:f:AsKs|2c3d:-1|1:x|y\nSTATE:1:f:AsKs|2c3d:-1|1:y|x\nSCORE:0|0:x|y\n"
    written(tmp_path / "a.log", head + one)
    written(tmp_path / "b.log", head + one.replace("x|y", "y|x", 1) + "SCORE:5|5:x|y\n")
    data = eq.read(tmp_path, format="poker")
    assert len(data.deal.labels) == 2
    assert data.hand is not None
    assert len(data.hand.labels) == 4
    assert totals(data) == {"x": 2.0, "y": -2.0}
    assert [note.code for note in data.diagnostics] == ["stated-total-differs"]


def test_broken_hands(tmp_path: Path) -> None:
    path = written(tmp_path / "a.log", "STATE:0:f:As|2c:-1|1:x|y\nSTATE:1:f:As|2c:-1|:x|y\n")
    with pytest.raises(EquipoiseError, match="line 2 is no hand"):
        eq.read(path, format="poker")
    assert len(eq.read(path, format="poker", read=eq.ReadOptions(on_error="skip"))) == 2
    merged = written(tmp_path / "h.phh", "variant = 'NT'\nstarting_stacks = []\nactions = []\n<<<<<<< HEAD\n")
    with pytest.raises(EquipoiseError, match="line 4 is a mark of an unfinished merge"):
        eq.read(merged, format="poker")
