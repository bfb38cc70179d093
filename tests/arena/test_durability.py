"""Nobody is answered before the disk is: shown by tracing what the process asks the system for."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.arena.killing import ROOT

TOLD = """
import os, sys
from equipoise.arena.arena import Arena
from tests.arena.playing import outcome_of, small
arena = Arena.create(sys.argv[1], small())
for lease in arena.ask(n=12):
    arena.tell(lease, outcome_of(lease.trial))
    os.write(1, b"acknowledged\\n")
arena.close()
"""


def traced(tmp_path, *command):
    """Run under strace; give its lines, or skip where tracing is not allowed."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed: apt-get install strace")
    log = tmp_path / "trace.txt"
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    calls = "trace=fsync,fdatasync,write,pwrite64,pwritev,pwritev2,openat"
    ran = subprocess.run(
        [strace, "-f", "-y", "-e", calls, "-o", log, *command], env=os.environ | {"PYTHONPATH": path}, check=False,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if "ptrace" in ran.stderr.lower() or not log.exists():
        pytest.skip(f"tracing is not allowed here: {ran.stderr.strip()[:100]}")
    assert ran.returncode == 0, ran.stderr
    return log.read_text().splitlines()


def test_a_file_is_synced_before_each_acknowledgement(tmp_path):
    lines = traced(tmp_path, sys.executable, "-c", TOLD, str(tmp_path / "a.db"))
    written = synced = False
    acknowledged, folder_synced = 0, False
    for line in lines:
        if re.search(r"f(data)?sync\(\d+<.*a\.db-wal>\).*= 0", line):
            written, synced = False, True
        elif re.search(r"pwrite\w*\(\d+<.*a\.db-wal>", line):
            written = True
        elif re.search(rf"f(data)?sync\(\d+<{re.escape(str(tmp_path))}>\)", line):
            folder_synced = True
        elif '"acknowledged' in line:
            acknowledged += 1
            assert synced, f"acknowledgement {acknowledged} came without a sync after the one before"
            assert not written, f"acknowledgement {acknowledged} came before what was written was synced"
            synced = False
    assert acknowledged == 12
    assert folder_synced, "a file whose name is not on disk is lost with the power"


def test_postgresql_syncs_before_it_answers(postgres_place):
    """PostgreSQL does as it is told: nothing of ours may tell it otherwise."""
    from equipoise.arena.arena import Arena
    from tests.arena.playing import small

    with Arena.create(postgres_place, small()) as arena, arena.store.write() as transaction:
        assert transaction._connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
