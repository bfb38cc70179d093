"""Where logs of real tools lie, for tests that hold readers against them."""

import os
from pathlib import Path

import pytest


def sample(name: str) -> Path:
    """Give the path of a sample; the test is skipped where there are none."""
    path = Path(os.environ.get("EQUIPOISE_DATA", "")) / "logs" / name
    if not os.environ.get("EQUIPOISE_DATA") or not path.exists():
        pytest.skip(f"needs EQUIPOISE_DATA with logs/{name}")
    return path
