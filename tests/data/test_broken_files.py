"""Broken files, odd names of files, and frames of mixed types: read, or refused in one line."""

import gzip
import io

import numpy as np
import polars as pl
import pytest

import equipoise as eq

LOG = "a,b,outcome\n" + "x,y,1\ny,x,0.5\n" * 300
FRAME = pl.DataFrame({"a": ["x", "y"] * 50, "b": ["y", "x"] * 50, "outcome": [1.0, 0.5] * 50})


def mutants(content, rng, count):
    """Change bytes, cut pieces out, repeat pieces, cut the end off."""
    for _ in range(count):
        data = bytearray(content)
        for _ in range(rng.integers(1, 6)):
            at, size = int(rng.integers(0, len(data))), int(rng.integers(1, 20))
            way = rng.integers(0, 4)
            if way == 0:
                data[at] = int(rng.integers(0, 256))
            elif way == 1:
                del data[at : at + size]
            elif way == 2:
                data[at:at] = data[at : at + size]
            else:
                del data[at + 1 :]
            data = data or bytearray(b"a")
        yield bytes(data)


def parquet():
    packed = io.BytesIO()
    FRAME.write_parquet(packed)
    return packed.getvalue()


BROKEN = {
    "log.csv": LOG.encode(),
    "log.csv.gz": gzip.compress(LOG.encode(), mtime=0),
    "log.jsonl": FRAME.write_ndjson().encode(),
    "log.jsonl.gz": gzip.compress(FRAME.write_ndjson().encode(), mtime=0),
    "log.json": FRAME.write_json().encode(),
    "log.parquet": parquet(),
}


def attempt(source, on_error):
    """Read; give the account, or what was said."""
    try:
        return eq.read_pairs(source, read=eq.ReadOptions(on_error=on_error)).account, ""
    except eq.EquipoiseError as error:
        return None, str(error)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_read_or_refused_in_one_line(tmp_path, name):
    path = tmp_path / name
    for content in mutants(BROKEN[name], np.random.default_rng(1), 25):
        path.write_bytes(content)
        for source in (path, io.BytesIO(content)):
            for on_error in ("raise", "skip"):
                account, refused = attempt(source, on_error)
                assert "\n" not in refused
                assert refused or account.rows == account.used + sum(account.dropped.values())


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("name", ["log.csv.gz", "log.jsonl.gz"])
def test_a_gzip_with_a_changed_byte_is_refused_in_one_line(tmp_path, name, on_error):
    path = tmp_path / name
    packed = bytearray(BROKEN[name])
    packed[30] ^= 0xFF
    path.write_bytes(packed)
    with pytest.raises(eq.ReadError):
        eq.read_pairs(path, read=eq.ReadOptions(on_error=on_error))


def test_json_lines_that_are_no_objects_can_be_skipped_from_any_source(tmp_path):
    text = '{"a":"x","b":"y","outcome":1}\n[1]\n{"a":\n\n{"a":"y","b":"x","outcome":0}\n'
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for source in (packed, io.BytesIO(text.encode())):
        table = eq.read_pairs(source, read=eq.ReadOptions(on_error="skip"))
        assert table.games.sum() == 2
        assert dict(table.account.dropped) == {"lines that are not JSON": 2}


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "json", "csv.gz"])
@pytest.mark.parametrize("stem", ["scores[1]", "part?", "all*", "a{b,c}d"])
def test_a_file_that_exists_is_that_file_whatever_its_name(tmp_path, stem, kind):
    for name, games in ((stem, 1), ("part1", 2), ("all2", 3), ("scores1", 4), ("abd", 5)):
        frame = pl.DataFrame({"a": ["x"] * games, "b": ["y"] * games, "outcome": [1.0] * games})
        path = tmp_path / f"{name}.{kind}"
        if kind == "csv":
            path.write_text(frame.write_csv())
        elif kind == "csv.gz":
            path.write_bytes(gzip.compress(frame.write_csv().encode()))
        elif kind == "parquet":
            packed = io.BytesIO()
            frame.write_parquet(packed)
            path.write_bytes(packed.getvalue())
        else:
            path.write_text(frame.write_ndjson() if kind == "jsonl" else frame.write_json())
    assert eq.read_pairs(tmp_path / f"{stem}.{kind}").games.sum() == 1
    assert eq.read_pairs(str(tmp_path / f"{stem}.{kind}"), read=eq.ReadOptions(on_error="skip")).games.sum() == 1


def test_a_pandas_column_of_mixed_types_is_read_as_text():
    import pandas as pd

    frame = pd.DataFrame({"a": ["x", 1, "x"], "b": [2.5, "x", "y"], "outcome": [1, "tie", 0.0]})
    matches = eq.read_matches(frame)
    assert matches.agents == ("x", "2.5", "1", "y")
    assert matches.outcome.tolist() == [1, 0.5, 0]
    assert "mixed-types" in [note.code for note in matches.diagnostics]
    holes = pd.DataFrame({"a": ["x", None, 1], "b": ["y", "z", "z"], "outcome": [1, "tie", 0.0]})
    with pytest.raises(eq.DataError, match="no agent's name in row 2"):
        eq.read_matches(holes)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (eq.read_matches, 'a,b,outcome\n"x\n1",y,1\n'),
        (eq.read_pairs, 'player,opponent,wins,losses\n"x\n1",y,1,2\n'),
        (eq.read_scores, 'agent,t1\n"x\n1",2\ny,3\n'),
        (eq.read_scores, 'agent,task,score\n"x\n1",t,2\ny,t,3\n'),
        (eq.read_episodes, 'deal,agent,utility\n1,"x\n1",2\n1,y,-2\n'),
    ],
)
def test_a_line_end_inside_a_name_gets_a_note(read, text):
    data = read(io.BytesIO(text.encode()))
    assert "x\n1" in data.agents
    (note,) = [note for note in data.diagnostics if note.code == "odd-names"]
    assert "\n" not in note.message


def test_a_header_of_thousands_of_columns_is_refused_in_time():
    text = ",".join(f"column {number}" for number in range(3000)) + "\n"
    with pytest.raises(eq.ColumnError, match="no pair of columns"):
        eq.read_pairs(io.BytesIO(text.encode()))
