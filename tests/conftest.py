"""Shared by all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from tests.browsing import chromium

__all__ = ["chromium"]

# Times vary from machine to machine, and a suite that fails by luck teaches people to look away.
settings.register_profile("suite", deadline=None, derandomize=True)
# Who only asks whether a test fails needs no simplest example of how.
settings.register_profile("mutants", settings.get_profile("suite"), phases=[Phase.explicit, Phase.generate])
settings.load_profile("suite")


@pytest.fixture(scope="session")
def equipoise_data() -> Path:
    """Folder of public data that is not ours to ship."""
    folder = os.environ.get("EQUIPOISE_DATA")
    if not folder:
        pytest.skip("EQUIPOISE_DATA is not set: the public data sets are not at hand")
    return Path(folder)


@pytest.fixture(scope="module")
def few_hands() -> Iterator[None]:
    """Hold'em hands of our own for the tables of a paper: few, for by itself the command plays for a minute."""
    from equipoise.reproduce import baseline

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(baseline, "SIZES", baseline.Sizes(three_players=4, heads_up=40, repeats=1))
        yield
