"""The example of an audit runs, and shows what it is meant to show."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "audit_a_benchmark.py"


def test_copies_of_a_task_move_the_plain_leader_and_not_the_nash_leaders(capsys):
    leaders = runpy.run_path(str(EXAMPLE))["main"]()
    plain = [name for name, _ in leaders.values()]
    nash = [names for _, names in leaders.values()]
    assert len(set(plain)) > 1
    assert nash[0] == nash[1] == nash[2]
    shown = capsys.readouterr().out
    assert "share the highest Nash average" in shown
