"""A sample of the kill matrix: SIGKILL at every failpoint and at random times, over both stores.

The long suite (``tests/faults``) kills a thousand.
"""

import pytest

from equipoise.arena.engine.failpoints import FAILPOINTS
from tests.arena.killing import HOWS, Killed, Victims, undisturbed


@pytest.fixture(scope="module")
def victims():
    with Victims() as some:
        yield some


@pytest.mark.parametrize("threads", [1, 4])
def test_nothing_acknowledged_is_lost_whenever_the_owner_dies(place, victims, tmp_path, threads):
    arena = Killed(victims, place, seed=threads, threads=threads)
    for how in (*HOWS, *HOWS):
        arena.die(how)
    arena.survive()
    assert len(arena.deaths) >= 12, "the arena was finished before all could die"
    arena.check(undisturbed(arena.spec, tmp_path))


@pytest.mark.parametrize("how", FAILPOINTS)
def test_every_failpoint_kills(victims, tmp_path, how):
    """A failpoint that is never reached would make the matrix an empty promise."""
    arena = Killed(victims, str(tmp_path / "a.db"), seed=3)
    arena.die("after-insert") if how == "after-insert" else arena.die("before-acknowledgement")
    for _ in range(5):
        if arena.die(how):
            break
    assert how in arena.deaths
