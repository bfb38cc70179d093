"""The example runs and says what it promises."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "single_rating.py"


def test_the_example_gives_three_different_answers(capsys):
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    out = capsys.readouterr().out
    assert "A single rating describes these games: at most" in out
    assert out.count("Do not rank these agents by one number") == 2
    assert "(near-clones) Near-duplicates: paper = card" in out
    assert "log-loss 16.9881 and 14.7297" in out
