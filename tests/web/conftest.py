"""A server with a token of each role."""

import pytest

from tests.web.served import served

ROLES = ("viewer", "worker", "voter", "organiser")


@pytest.fixture
def server(tmp_path):
    """Give a server of a new arena."""
    with served(tmp_path) as running:
        yield running


@pytest.fixture
def tokens(server):
    """Give a token of each role."""
    return {role: server.token(role, f"the {role}") for role in ROLES}
