"""A Ray cluster of two nodes on this machine, one of them killed midway: the answer is the same, and it comes."""

import os
import time

import numpy as np
import pytest

import equipoise as eq
from equipoise.inference.executors import blocks, in_blocks

os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # stay on loopback, as Ray does on those systems
ray = pytest.importorskip("ray", reason="Ray is an extra: make test-faults installs it")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.filterwarnings("default")  # Ray opens files and sockets that it leaves to the interpreter


def slow_draws(size, rng):
    """Say where the work was done, too: the test must see that the lost node had some."""
    time.sleep(0.2)
    return ray.get_runtime_context().get_node_id(), rng.random(size).tolist()


@pytest.fixture
def cluster():
    arguments = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "include_dashboard": False}
    nodes = cluster_utils.Cluster(initialize_head=True, head_node_args=arguments)
    second = nodes.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes, second
    ray.shutdown()
    nodes.shutdown()


def test_a_node_that_dies_midway_changes_nothing(cluster):
    nodes, second = cluster
    sizes = blocks(16 * 40)
    alone = [drawn for _, drawn in in_blocks(without_ray, sizes, np.random.default_rng(4))]
    executor = eq.methods.RayExecutor()
    answers, lost_after = [], None
    for node, drawn in in_blocks(slow_draws, sizes, np.random.default_rng(4), executor):
        answers.append(drawn)
        if lost_after is None and node == second.node_id:
            nodes.remove_node(second, allow_graceful=False)
            lost_after = len(answers)
    assert lost_after is not None, "the second node had no work that could be lost"
    assert lost_after < len(sizes) - 2, "the node was lost when the work was done"
    assert answers == alone


def without_ray(size, rng):
    return None, rng.random(size).tolist()


def test_a_bootstrap_on_ray_is_the_one_at_home(cluster):
    games = eq.PairTable.from_wins([[0, 6, 5], [3, 0, 7], [4, 2, 0]])
    alone = eq.bootstrap(eq.bradley_terry, games, n=64, rng=2)
    spread = eq.bootstrap(eq.bradley_terry, games, n=64, rng=2, executor=eq.methods.RayExecutor())
    np.testing.assert_array_equal(spread.replicates, alone.replicates)
