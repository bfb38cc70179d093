"""Broken logs: whatever is wrong with one, the answer is data that account for it or one line, and never a bug."""

import json
import random

import numpy as np
import pytest

import equipoise as eq
from equipoise.logs.files.peek import Peek
from equipoise.logs.registry import format_of_log
from tests.logs.log_seeds import JSON, SEEDS

ODD_VALUES = [
    None, True, -1, 0, 2, 1e308, -1e308, 10**400, float("nan"), float("inf"), "", "x", "1e999", "nan", "\x00", "\ud800",
    [], {}, [[1]], {"a": []}, [None], ["x", 1], {"": None}, [{}], "9" * 5000, "ä" * 70,
]  # fmt: skip
"""What nobody expects in a field."""
JUNK = [
    b"", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\n", b"\r", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":",
    b"|", b"-", b"9" * 400, b"1e999", b"NaN", b"null", b"\n<<<<<<< HEAD\n", b"\n=======\n", b"\n>>>>>>> main\n",
    b"\x1f\x8b", b"PK\x03\x04",
]  # fmt: skip


def places(value, path=()):
    """Give the way to every value inside a value."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def put(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def without(value, path):
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(value[path[0]], path[1:])
    return copy


def look(path, data):
    """Read it: data with only finite figures and an account, or one line of what is wrong."""
    path.write_bytes(data)
    try:
        found = eq.read(path)
    except eq.EquipoiseError as error:
        assert "\n" not in str(error), (data[:300], str(error))  # noqa: PT017  # either answer is right
        assert len(str(error)) < 1000, str(error)[:2000]  # noqa: PT017
        return None
    figures = getattr(found, "values", getattr(found, "utility", getattr(found, "outcome", None)))
    if figures is not None:
        assert not np.isinf(figures).any(), data[:300]
        assert not np.isnan(figures).all(), data[:300]
    return found


@pytest.mark.parametrize("name", SEEDS)
def test_a_sound_log_is_known_and_read(tmp_path, name):
    path = tmp_path / "log"
    path.write_bytes(SEEDS[name])
    assert format_of_log(Peek.at(path)) is not None
    assert look(path, SEEDS[name]) is not None


@pytest.mark.parametrize("name", JSON)
def test_anything_in_any_field(tmp_path, name):
    log, path = JSON[name], tmp_path / "log.json"
    for where in places(log):
        if where:
            look(path, json.dumps(without(log, where)).encode())
        for value in ODD_VALUES:
            look(path, json.dumps(put(log, where, value)).encode())


@pytest.mark.parametrize("name", SEEDS)
def test_cut_off_anywhere(tmp_path, name):
    data = SEEDS[name]
    for end in range(0, len(data), max(1, len(data) // 60)):
        look(tmp_path / "log", data[:end])


@pytest.mark.parametrize("name", SEEDS)
def test_junk_anywhere(tmp_path, name):
    data, draw = SEEDS[name], random.Random(name)
    for junk in JUNK:
        for _ in range(4):
            at = draw.randrange(len(data))
            look(tmp_path / "log", data[:at] + junk + data[at + draw.choice([0, 1, 5]) :])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "cp037"])
@pytest.mark.parametrize("name", [name for name in SEEDS if name != "archive"])
def test_other_encodings(tmp_path, name, encoding):
    look(tmp_path / "log", SEEDS[name].decode().replace(" ± ", " +- ").encode(encoding))


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "=======", ">>>>>>> main"])
@pytest.mark.parametrize("name", [name for name in SEEDS if name != "archive"])
def test_marks_of_a_merge_are_named(tmp_path, name, mark):
    """A mark at the beginning of any line: the log is refused, and the line named."""
    lines = SEEDS[name].decode().splitlines()
    path = tmp_path / "log"
    for at in range(len(lines) + 1):
        path.write_text("\n".join([*lines[:at], mark, *lines[at:], ""]))
        with pytest.raises(eq.EquipoiseError, match=f"line {at + 1} is a mark of an unfinished merge"):
            eq.read(path)
