"""Every test that takes ``place`` runs over SQLite and over PostgreSQL."""

import time

import pytest

from tests.arena.stores import Server, server_of_session


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """Give a PostgreSQL server."""
    yield from server_of_session(tmp_path_factory)


@pytest.fixture
def postgres_place(postgres: Server):
    """Give the address of an empty place in it."""
    return postgres.fresh()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Give a place where no arena is yet."""
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    return request.getfixturevalue("postgres_place")


@pytest.fixture
def later(monkeypatch):
    """Give a function that lets seconds pass for every clock of this process.

    The clock of a PostgreSQL server is not among them: an arena there follows the stopwatch while it is open.
    """
    passed, wall, watch = [0.0], time.time, time.monotonic
    monkeypatch.setattr(time, "time", lambda: wall() + passed[0])
    monkeypatch.setattr(time, "monotonic", lambda: watch() + passed[0])

    def let_pass(seconds: float) -> None:
        passed[0] += seconds

    return let_pass
