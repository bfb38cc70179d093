"""The adaptive order beats the random one in the example."""

import runpy
from pathlib import Path

import numpy as np

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "adaptive_testing.py"


def test_chosen_items_reach_an_error_with_a_fraction_of_those_drawn_at_random(capsys):
    example = runpy.run_path(str(EXAMPLE))
    results = example["simulate"](example["bank"](), 40, 0)
    needed = {select: np.median(np.argmax(stderr <= 0.3, axis=1) + 1) for select, (_, stderr) in results.items()}
    assert needed["information"] < 0.4 * needed["random"]
    errors = {select: np.sqrt(squared.mean(axis=0)) for select, (squared, _) in results.items()}
    assert (errors["information"][4:40] < 0.85 * errors["random"][4:40]).all()
    example["main"](["--agents", "4"])
    assert "standard error of 0.3" in capsys.readouterr().out
