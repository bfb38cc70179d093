"""Long logs: read in pieces, packed or not, and told of as they are read."""

import gzip
import json
import random

import polars as pl
import pyarrow as pa
import pytest

import equipoise as eq
from equipoise.core.progress import listening
from equipoise.logs.files import bytes_read, json_files

ROWS = [
    {"doc_id": k, "target": "x", "filtered_resps": ["é\u2028"], "filter": "none", "acc": k % 3 == 0} for k in range(50)
]
ODD = {
    "numbers": lambda row: {**row, "acc": float(row["acc"])},
    "truths": lambda row: row,
    "texts": lambda row: {**row, "acc": str(float(row["acc"]))},
    "mixed": lambda row: {**row, "acc": [True, 0.0, "1", None][row["doc_id"] % 4]},
    "gaps": lambda row: {**row, "acc": float("nan") if row["doc_id"] % 5 else 1.0},
    "names": lambda row: {**row, "doc_id": f"q{row['doc_id']}", "acc": 1},
    "filters": lambda row: {**row, "filter": ["a", "b"][row["doc_id"] % 2], "acc": 1},
}


def written(path, rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("piece", [1, 200, 1 << 23])
@pytest.mark.parametrize("odd", ODD)
def test_columns_and_objects_give_the_same(tmp_path, monkeypatch, odd, piece):
    path = written(tmp_path / "m" / "samples_quiz.jsonl", [ODD[odd](row) for row in ROWS])
    monkeypatch.setattr(json_files, "COLUMNS_PIECE", piece)
    quick = eq.read(path, format="lm-eval")
    monkeypatch.setattr(json_files.Piece, "columns", lambda *_: None)
    plain = eq.read(path, format="lm-eval")
    assert (quick.tasks, quick.values.tolist()) == (plain.tasks, plain.values.tolist())
    assert quick.account == plain.account
    assert [note.message for note in quick.diagnostics] == [note.message for note in plain.diagnostics]


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_packed_lines(tmp_path, packed):
    path = written(tmp_path / "org__m" / "samples_quiz_2025-01-01T00-00-00.000001.jsonl", ROWS)
    expected = eq.read(path)
    data = path.read_bytes()
    path.unlink()
    out = path.with_name(f"{path.name}.{packed}")
    if packed == "gz":
        out.write_bytes(gzip.compress(data))
    else:
        with pa.output_stream(out, compression="zstd") as stream:
            stream.write(data)
    scores = eq.read(out)
    assert (scores.agents, scores.tasks) == (("org/m",), expected.tasks)
    assert scores.values.tolist() == expected.values.tolist()
    out.write_bytes(out.read_bytes()[:-9])
    with pytest.raises(eq.EquipoiseError):
        eq.read(out, format="lm-eval")


@pytest.mark.parametrize("piece", [1, 3, 64, 1 << 20])
def test_a_long_list_comes_entry_by_entry(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(json_files, "STREAM_PIECE", piece)
    draw = random.Random(0)
    values = [
        draw.choice([1, 12345, -1.5e3, 'é"\\\n]', None, True, [], [[1], {}], {"a": {"b": "}"}}]) for _ in range(60)
    ]
    whole = {"version": 2, "samples": values, "list": values, "empty": [], "none": None}
    path = tmp_path / "a.json"
    for indent in (None, 2):
        path.write_text(json.dumps(whole, indent=indent, ensure_ascii=False), encoding="utf-8-sig")
        parts = list(json_files.parts_of(path, ("samples", "empty", "none")))
        assert [value for key, value in parts if key == "samples"] == values
        assert [part for part in parts if part[0] != "samples"] == [("version", 2), ("list", values), ("none", None)]
        path.write_text(json.dumps(values, indent=indent), encoding="utf-8")
        assert list(json_files.entries_of(path)) == values


@pytest.mark.parametrize("text", ["", "[", "[1,", "[1 2]", "[1]]", "{}", "[1,]", '["a', "[nul]", "[" * 100_000])
def test_a_list_that_is_broken_is_one_line(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(eq.ReadError, match=r"a\.json: broken JSON: [^\n]+$"):
        list(json_files.entries_of(path))


def test_what_is_read_is_told(tmp_path, monkeypatch):
    for name in "ab":
        written(tmp_path / name / "samples_quiz.jsonl", ROWS)
    monkeypatch.setattr(bytes_read, "MEGABYTE", 1000)
    heard = []
    with listening(lambda *told: heard.append(told)):
        eq.read(tmp_path)
    total = 2 * (tmp_path / "a" / "samples_quiz.jsonl").stat().st_size // 1000
    assert heard[0] == ("megabytes of logs", 0, total)
    assert heard[-1] == ("megabytes of logs", total, total)
    assert [done for _, done, _ in heard] == sorted({done for _, done, _ in heard})
    assert len(heard) > 2


def test_frames_are_small(tmp_path):
    """A piece holds only the keys that are wanted, whatever else the lines hold."""
    data = b"".join(json.dumps({**row, "doc": {"doc_id": "inner"}}).encode() + b"\n" for row in ROWS)
    frame = json_files.Piece(tmp_path, data, 1).columns(("doc_id",), "acc")
    assert frame is not None
    assert frame.schema == {"doc_id": pl.String, "acc": pl.Float64}
    assert frame["doc_id"].to_list() == [str(row["doc_id"]) for row in ROWS]
