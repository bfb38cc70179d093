"""Where an arena is kept: killed while it loads, gone on with, read where nothing can be written; locks."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.arena.arena import Arena
from equipoise.arena.store.ownership import owner_of
from equipoise.core.errors import EquipoiseError, ReadError, StoreError
from tests.arena.playing import finish, head, small

ROOT = Path(__file__).parents[2]
LOOK = """
import sys
import equipoise as eq
with eq.Arena.look_at(sys.argv[1]) as arena:
    print(arena.state, arena.standings().counted, arena.verify().ok, len(eq.read(sys.argv[1]).agents))
"""
OPEN = """
import os, sys
from equipoise.arena.arena import Arena
arena = Arena.open(sys.argv[1])
os.kill(os.getpid(), 9)
"""


def python(code, *arguments, before=()):
    """Run a script in another process."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), *filter(None, sys.path)])
    return subprocess.run(
        [*before, sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120,
        cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, check=False,
    )  # fmt: skip


def test_a_kill_before_the_first_game_does_not_look_like_a_copy(tmp_path):
    """Players load for minutes: the owner has the file open and has written nothing."""
    path = tmp_path / "a.db"
    Arena.create(path, small()).close()
    for _ in range(2):
        assert python(OPEN, path).returncode == -9
    with Arena.open(path) as arena:
        assert arena.notes == ()
        finish(arena)
    with Arena.open(path) as arena:
        assert arena.notes == ()


@pytest.mark.parametrize("end", ["", "; del arena; Arena.open(sys.argv[1])"])
def test_an_arena_that_nobody_closed_does_not_look_like_a_copy(tmp_path, end):
    path = tmp_path / "a.db"
    Arena.create(path, small()).close()
    opens = f"import sys; from equipoise.arena.arena import Arena; arena = Arena.open(sys.argv[1]){end}"
    ran = python(opens, path)
    assert ran.returncode == 0, ran.stderr
    with Arena.open(path) as arena:
        assert arena.notes == ()


def test_a_copy_of_an_arena_that_is_open_is_noticed_before_the_first_game(tmp_path):
    with Arena.create(tmp_path / "a.db", small()):
        shutil.copy(tmp_path / "a.db", tmp_path / "copy.db")
    with Arena.open(tmp_path / "copy.db") as copy:
        assert "was open in another process when it was copied" in copy.notes[0]


def test_a_spec_that_is_played_again_goes_on_where_it_was(place):
    spec = small(game="python:tests.runners.bots:strength")
    with Arena.create(place, spec) as arena:
        (lease,) = arena.ask(worker="w")
        arena.tell(lease, (1.0, 0.0))
        before = head(arena)[0]
    played = eq.play(spec, to=place, engine="threads", workers=1)
    assert (played.state, played.trials) == ("spent", 11)
    assert eq.play(spec, to=place, engine="threads", workers=1).trials == 0
    with Arena.open(place) as arena:
        assert head(arena)[0] > before
        assert arena.verify().ok
    with pytest.raises(eq.ParameterError, match="contains an arena with another spec"):
        eq.play(small(seed=99), to=place)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_where_locks_are_not_supported_that_is_said(tmp_path, monkeypatch, number):
    fcntl = pytest.importorskip("fcntl", reason="locks of another kind")
    Arena.create(tmp_path / "a.db", small()).close()

    def refuse(_file, _how):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StoreError, match=r"a\.db\.lock cannot be locked here .* keep the arena on a disk of this"):
        Arena.open(tmp_path / "a.db")


def test_who_looks_for_the_owner_takes_no_lock_and_needs_no_right_to_write(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="locks of another kind")
    path = tmp_path / "a.db"
    assert owner_of(path) == {}
    with Arena.create(path, small()) as arena:
        lock = path.with_name("a.db.lock")
        lock.chmod(0o444)
        monkeypatch.setattr(fcntl, "flock", lambda *_: pytest.fail("looking took a lock"))
        assert owner_of(path)["pid"] == os.getpid()
        arena.serve()
        assert "address" in owner_of(path)
    assert owner_of(path) == {}


def test_an_owner_that_was_killed_owns_nothing_even_if_its_number_is_taken_again(tmp_path):
    path = tmp_path / "a.db"
    Arena.create(path, small()).close()
    assert python(OPEN, path).returncode == -9
    assert owner_of(path) == {}
    lock = path.with_name("a.db.lock")
    said = lock.read_text()
    pid = int(said.split('"pid": ')[1].split(",")[0])
    lock.write_text(said.replace(f'"pid": {pid}', f'"pid": {os.getpid()}'))
    if Path("/proc/self/stat").exists():
        assert owner_of(path) == {}, "this process has the number now, and began at another time"


def _reader():
    """What makes a process one of another user, who may read everything and write nothing; else the reason."""
    if os.getuid() != 0:
        return None, ()
    if shutil.which("setpriv") is None:
        return "setpriv is missing", ()
    may = ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search", "--bounding-set=+all"]
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *may, "--"]
    done = subprocess.run([*become, sys.executable, "-c", "0"], capture_output=True, check=False)
    return (None if done.returncode == 0 else "no user who may read all files"), become


@pytest.fixture
def public():
    """A folder that everybody may look into: the one of the tests is for its owner alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
        os.chmod(folder, 0o755)


@pytest.mark.parametrize("how", ["finished", "killed", "open"])
def test_an_arena_is_read_from_a_read_only_place_and_by_another_user(public, how):
    reason, become = _reader()
    if reason:
        pytest.skip(reason)
    path = public / "a.db"
    arena = Arena.create(path, small())
    finish(arena)
    expected = "spent 12 True 3\n"
    if how != "open":
        arena.close()
    if how == "killed":
        assert python(OPEN, path).returncode == -9
    before = sorted(os.listdir(public))
    public.chmod(0o555)
    said = python(LOOK, path, before=become)
    assert (said.stdout, said.stderr) == (expected, "")
    status = python("from equipoise.cli.main import main; main()", "arena", "status", "-d", path, before=become)
    assert "udget used up after 12 games" in " ".join(status.stdout.split()), status.stderr
    last = python(OPEN, path, before=become).stderr.strip().splitlines()[-1]
    assert last.startswith("equipoise.core.errors.StoreError:")
    assert "cannot be written: Permission denied" in last
    assert before == sorted(os.listdir(public))
    arena.close()


def test_a_log_that_cannot_be_read_is_one_line(public):
    reason, become = _reader()
    if reason:
        pytest.skip(reason)
    path = public / "a.db"
    Arena.create(path, small()).close()
    assert python(OPEN, path).returncode == -9
    path.with_name("a.db-shm").unlink()
    public.chmod(0o555)
    last = python(LOOK, path, before=become).stderr.strip().splitlines()[-1]
    assert "a.db-wal) that cannot be read where nothing can be written: copy both into a folder of yours" in last


def test_a_file_that_may_not_be_read_is_one_line(tmp_path):
    if os.getuid() == 0:
        path = tmp_path / "a folder"
        path.mkdir()
    else:
        path = tmp_path / "a.db"
        Arena.create(path, small()).close()
        path.chmod(0)
    with pytest.raises(ReadError, match=r"cannot be read: Permission denied|is a folder") as refused:
        Arena.look_at(path)
    assert isinstance(refused.value, EquipoiseError)
