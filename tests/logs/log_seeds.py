"""Small sound logs of every kind, to be broken by tests."""

import io
import json
import zipfile

__all__ = ["JSON", "SEEDS", "TEXT"]

JSON = {
    "inspect": {
        "version": 2,
        "status": "success",
        "eval": {"task": "quiz", "model": "m", "task_id": "t"},
        "results": {"scores": [{"name": "match", "metrics": {"accuracy": {"value": 1.0}}}]},
        "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}],
    },
    "harness": {
        "results": {"quiz": {"acc,none": 0.5, "acc_stderr,none": "N/A"}},
        "group_subtasks": {"quiz": []},
        "configs": {},
        "n-samples": {"quiz": {"effective": 4}},
        "model_name": "m",
    },
    "document": {"doc_id": 0, "target": "x", "filtered_resps": ["x"], "filter": "none", "doc_hash": "h", "acc": 1.0},
    "helm": [
        {
            "instance_id": "a",
            "train_trial_index": 0,
            "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0}],
        }
    ],
    "event": {"run_id": "r", "event_id": 1, "sample_id": "s", "type": "match", "data": {"correct": True}},
    "irt": {"subject_id": "m", "responses": {"q": 1}},
    "swe": {"total_instances": 2, "resolved_instances": 1, "resolved_ids": ["a"], "submitted_ids": ["a", "b"]},
    "arena": [{"model_a": "x", "model_b": "y", "winner": "model_a", "anony": True, "judge": "j", "tstamp": 1.5e9}],
    "alpaca": [{"instruction": "i", "generator_1": "x", "generator_2": "y", "preference": 2}],
    "pair": {"question_id": 1, "model_1": "x", "model_2": "y", "g1_winner": "tie", "g2_winner": "model_1"},
    "hard": {"question_id": "q", "model": "m", "judge": "j", "games": [{"score": "A>>B"}, {"score": "B>A"}]},
    "single": {"question_id": 1, "model": "m", "judge": ["g", "v"], "turn": 1, "score": 7},
    "fastchess": {"engines": [], "stats": {
        "x vs y": {"wins": 3, "losses": 1, "draws": 2, "penta_WW": 1, "penta_WD": 1, "penta_LD": 1},
    }},
    "replay": {
        "name": "g", "configuration": {}, "id": "1", "info": {"TeamNames": ["x", "y"]}, "rewards": [1, 0],
        "statuses": ["DONE", "DONE"],
        "steps": [[{"reward": 1, "status": "DONE", "action": {"status": "ok"}}, {"reward": 0, "status": "DONE"}]],
    },
    "scores": {name: [1.0, 2.5] for name in ("Alien", "Amidar", "Assault", "Asterix", "Pong", "Qbert")},
    "solved": {"instance_a-1": True, "instance_b-2": False, "instance_c-3": None},
    "lists": {"no_generation": ["a"], "no_logs": [], "generated": ["a", "b"], "resolved": ["b"]},
    "tau": [{"task_id": 1, "reward": 1.0, "info": {}, "traj": [], "trial": 0}],
    "tau2": {"info": {"agent_info": {"llm": "m"}}, "tasks": [], "simulations": [
        {"task_id": "1", "trial": 0, "reward_info": {"reward": 1.0}, "termination_reason": "user_stop"},
    ]},
    "terminal": {"results": [{"task_id": "t", "trial_name": "t.1-of-1", "is_resolved": True}], "accuracy": 1.0},
    "mteb": {"task_name": "T", "mteb_version": "1", "scores": {"test": [{"hf_subset": "en", "main_score": 0.5}]}},
    "fixtures": {"name": "l", "matches": [
        {"date": "2024-01-02", "team1": "x", "team2": "y", "score": {"ft": [1, 0]}},
        {"date": "2024-01-03", "team1": "y", "team2": "x", "score": {}, "status": "cancelled"},
    ]},
    "curves": [{"task": "Pong", "method": "ppo", "seed": 0, "xs": [1, 2], "ys": [3.0, 4.0]}],
}  # fmt: skip
"""Logs in JSON, by kind."""

TEXT = {
    "games": '[Event "e"]\n[Round "1"]\n[White "x"]\n[Black "y"]\n[Result "1-0"]\n[Date "2024.01.02"]\n\n1. e4 1-0\n\n'
    '[Event "e"]\n[Round "1"]\n[White "y"]\n[Black "x"]\n[Result "1/2-1/2"]\n[Date "2024.01.02"]\n\n1. d4 1/2-1/2\n',
    "output": "Started game 1 of 4 (x vs y)\nFinished game 1 (x vs y): 1-0 {White mates}\n"
    "Score of x vs y: 1 - 0 - 0  [1.000] 1\nFinished game 2 (y vs x): 1/2-1/2 {Draw by stalemate}\n"
    "Score of x vs y: 1 - 0 - 1  [0.750] 2\nFinished match\n",
    "totals": "Results of x vs y (8+0.08, 1t, 16MB, book.epd):\nElo: 0.00 +/- 9.00, nElo: 0.00 +/- 9.00\n"
    "Games: 4, Wins: 1, Losses: 1, Draws: 2, Points: 2.0 (50.00 %)\nPtnml(0-2): [0, 0, 2, 0, 0], WL/DD Ratio: 1.00\n",
    "hand": "variant = 'NT'\nstarting_stacks = [100, 100]\nfinishing_stacks = [110, 90]\nplayers = ['x', 'y']\n"
    "actions = ['d dh p1 ????', 'p1 f']\n",
    "dealer": "# name/game/hands/seed m holdem.game 2 7\nSTATE:0:f:AsKs|2c3d:-1|1:x|y\nSTATE:1:f:AsKs|2c3d:1|-1:y|x\n"
    "SCORE:-2|2:x|y\n",
    "monitor": '#{"t_start": 1.0, "env_id": "Pong-v4"}\nr,l,t\n1.0,10,0.5\n2.0,11,0.9\n',
    "progress": "time/iterations,time/total_timesteps,rollout/ep_rew_mean\n1,100,2.5\n2,200,3.5\n",
    "onehot": "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,y,x,0,0,1\n",
    "means": ",org/one ({}),org/two ({})\nPong,1.5 ± 0.2,2.5 ± 0.1\n",
    "charts": '"Step","Pong__ppo__1__9 - ret","Pong__ppo__1__9 - ret__MIN","Pong__ppo__1__9 - ret__MAX"\n'
    "1,2,0,9\n2,3,0,9\n",
}
"""Logs in text, by kind."""


def _archive() -> bytes:
    out = io.BytesIO()
    log = JSON["inspect"]
    assert isinstance(log, dict)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({key: log[key] for key in ("version", "status", "eval", "results")}))
        archive.writestr("summaries.json", json.dumps(log["samples"]))
    return out.getvalue()


SEEDS = {
    **{name: json.dumps(log, indent=1 if isinstance(log, list) else None).encode() for name, log in JSON.items()},
    **{name: text.encode() for name, text in TEXT.items()},
    "archive": _archive(),
}
"""Sound logs as bytes, by kind."""
