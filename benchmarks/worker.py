"""A process of its own for each side: it keeps the data and does the job when told."""

import contextlib
import importlib
import os
import resource
import sys
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["serve"]


def serve(pipe: Connection, module: str, job_name: str, side_name: str) -> None:
    """Answer ``("load", size)`` and ``("run", answer wanted)`` until told to stop."""
    os.setpgid(0, 0)  # commands that it started end with it
    sys.dont_write_bytecode = False
    warnings.simplefilter("ignore")  # peers warn about their own insides
    job = next(job for job in importlib.import_module(module).JOBS if job.name == job_name)
    side = next(side for side in job.sides if side.name == side_name)
    prepared: Any = None
    before = 0
    while True:
        command, value = pipe.recv()
        if command == "stop":
            return
        try:
            if command == "load":
                prepared = None
                prepared = side.prepare(job.make(value))
                before = _resident()
                pipe.send({})
            else:
                pipe.send(_run(side.run, prepared, value, before))
        except Exception as error:  # a peer that fails is a finding, not the end of the run
            pipe.send({"error": f"{type(error).__name__}: {error}"[:200]})


def _run(work: Any, prepared: Any, wanted: bool, before: int) -> dict[str, Any]:
    _forget_peak()
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        start, spent = time.perf_counter(), _cpu()
        answer = dict(work(prepared))
        seconds, cpu = time.perf_counter() - start, _cpu() - spent
    peak = _peak()
    added = answer.pop("peak", None) or (peak - before if peak else None)
    return {"seconds": seconds, "cpu": cpu, "added": added, "answer": answer if wanted else None}


def _cpu() -> float:
    """Give the seconds of processor that all threads took, and all commands that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _forget_peak() -> None:
    """Let the highest memory be that of the job, not of making its data; where the system does not, none is known."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def _peak() -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        found = next((line for line in file if line.startswith("VmHWM")), "0 0")
    return int(found.split()[1]) * 1024


def _resident() -> int:
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
