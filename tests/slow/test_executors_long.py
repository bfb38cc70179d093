"""Long loops give the same, whoever does the work and however many they are."""

import pytest

from equipoise.inference.executors import processes as pool_of
from tests.inference.test_executors import LOOPS


@pytest.fixture(scope="module")
def workers():
    """Pools as the commands make them."""
    with pool_of(2) as two, pool_of(3) as three:
        yield two, three


@pytest.mark.parametrize("loop", LOOPS)
def test_a_long_loop_gives_the_same_with_one_two_and_three_workers(loop, workers):
    alone = repr(LOOPS[loop](None).to_dict())
    assert [repr(LOOPS[loop](pool).to_dict()) for pool in workers] == [alone, alone]
