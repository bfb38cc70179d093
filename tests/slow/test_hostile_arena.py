"""A whole arena with everything that can be wrong with a program: it ends, and the sound players are not touched."""

import textwrap
from pathlib import Path

import equipoise as eq

EXAMPLES = Path(__file__).parents[2] / "examples" / "arena"
HOSTILE = {
    "silent": "time.sleep(1000)",
    "crashes": "os.abort()",
    "babbles": "print('hm', flush=True)",
    "never stops": "while True: sys.stdout.write('x' * 10_000)",
    "cheats": "print('{\"move\": 99}', flush=True)",
    "lingers": "signal.signal(signal.SIGTERM, signal.SIG_IGN); subprocess.Popen(['sleep', '1000']); time.sleep(1000)",
}
BOT = """
import json, os, signal, subprocess, sys, time
for line in sys.stdin:
    if '"hello"' in line:
        print('{"ready": true}', flush=True)
    if '"act"' in line:
        ACT
"""


def test_every_fault_is_a_forfeit_and_the_arena_ends(tmp_path):
    players = [
        {"name": "shell", "bot": f"program:{EXAMPLES / 'first_move.sh'}"},
        {
            "name": "python",
            "bot": f"program:{{python}} {EXAMPLES / 'random_bot.py'}",
            "options": {"move_seconds": 60.0},
        },
    ]
    for name, act in HOSTILE.items():
        path = tmp_path / f"{name.replace(' ', '_')}.py"
        path.write_text(BOT.replace("ACT", textwrap.dedent(act)))
        players.append({"name": name, "bot": f"program:{{python}} -S {path}", "options": {"move_seconds": 0.3}})
    spec = eq.ArenaSpec.from_dict({
        "name": "hostile", "game": f"program:{{python}} {EXAMPLES / 'nim_referee.py'}", "players": players,
        "goal": "budget", "budget": 56, "policy": "round-robin",
    })  # fmt: skip
    played = eq.play(spec, 1)
    assert (played.state, played.failures, played.late) == ("spent", 0, 0)
    score = dict(zip(played.standings.agents, played.standings.score, strict=True))
    # Every pair met twice. Whoever is asked first at a table of two hostile programs loses.
    assert min(score["shell"], score["python"]) > 0.8
    assert max(score[name] for name in HOSTILE) < 0.6
    assert played.forfeits == 54  # all games but those of the two sound players
