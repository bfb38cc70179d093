"""Shared by all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def equipoise_data() -> Path:
    """Folder of public data that is not ours to ship."""
    folder = os.environ.get("EQUIPOISE_DATA")
    if not folder:
        pytest.skip("EQUIPOISE_DATA is not set: the public data sets are not at hand")
    return Path(folder)
