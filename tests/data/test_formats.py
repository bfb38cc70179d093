"""Every kind of file gives the same table; a file that is none is refused in one line."""

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import sys

import polars as pl
import pytest

import equipoise as eq
from equipoise.data.files.formats import FORMATS
from equipoise.data.readers.recognise import recognise
from tests.faults.workbook import workbook

GAMES = pl.DataFrame(
    {
        "model_a": ["x", "y", "z", "x"],
        "model_b": ["y", "z", "x", "z"],
        "winner": ["model_a", "tie", "model_b", "model_a"],
    }
)
EXPECTED = eq.read_matches(GAMES)


def sqlite(path, *tables):
    with sqlite3.connect(path) as database:
        for name in tables:
            database.execute(f'CREATE TABLE "{name}" (model_a TEXT, model_b TEXT, winner TEXT)')
            database.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?)', GAMES.rows())
    database.close()


def duck(path, *tables):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as database:
        for name in tables:
            database.execute(f'CREATE TABLE "{name}" (model_a TEXT, model_b TEXT, winner TEXT)')
            database.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?)', GAMES.rows())


def sheet(frame=GAMES):
    return [frame.columns, *frame.rows()]


def page(above: str) -> str:
    """Give the games as a table of Markdown below some text."""
    rows = [GAMES.columns, ["---"] * GAMES.width, *GAMES.rows()]
    return above + "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows) + "\nThe end.\n"


WRITERS = {
    ".csv": GAMES.write_csv,
    ".tsv": lambda path: GAMES.write_csv(path, separator="\t"),
    ".tab": lambda path: GAMES.write_csv(path, separator="\t"),
    ".jsonl": GAMES.write_ndjson,
    ".ndjson": GAMES.write_ndjson,
    ".jsonlines": GAMES.write_ndjson,
    ".json": lambda path: path.write_text(json.dumps(GAMES.to_dicts())),
    ".parquet": GAMES.write_parquet,
    ".pq": GAMES.write_parquet,
    ".arrow": GAMES.write_ipc,
    ".feather": lambda path: GAMES.write_ipc(path, compression="zstd"),
    ".ipc": GAMES.write_ipc,
    ".xlsx": lambda path: path.write_bytes(workbook({"games": sheet()})),
    ".xlsm": lambda path: path.write_bytes(workbook({"games": sheet(), "empty": []})),
    ".sqlite": lambda path: sqlite(path, "games"),
    ".sqlite3": lambda path: sqlite(path, "my games"),
    ".db": lambda path: sqlite(path, 'odd "name"'.replace('"', "")),
    ".duckdb": lambda path: duck(path, "games"),
    ".ddb": lambda path: duck(path, "my games"),
    ".md": lambda path: path.write_text(page("# Games\n\nAll of them.\n\n")),
    ".markdown": lambda path: path.write_text(page("")),
}
"""How a file of each kind is written; old workbooks (.xls, .xlsb, .ods) are read by the same package as new ones."""


def same(matches, expected=EXPECTED):
    assert matches.agents == expected.agents
    assert [matches.a.tolist(), matches.b.tolist(), matches.outcome.tolist()] == [
        expected.a.tolist(), expected.b.tolist(), expected.outcome.tolist(),
    ]  # fmt: skip
    assert matches.account.rows == matches.account.used == len(GAMES)


def test_every_kind_of_file_is_tried_here():
    assert set(FORMATS) - {".xls", ".xlsb", ".ods"} == set(WRITERS)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_table_is_the_same_in_every_kind_of_file(tmp_path, suffix):
    path = tmp_path / f"games{suffix}"
    WRITERS[suffix](path)
    same(eq.read_matches(path))
    assert recognise(path).data.games.sum() == len(GAMES)


@pytest.mark.parametrize("suffix", sorted(set(WRITERS) - {".duckdb", ".ddb"}))
def test_a_stream_is_told_by_its_content(tmp_path, suffix):
    path = tmp_path / f"games{suffix}"
    WRITERS[suffix](path)
    same(eq.read_matches(io.BytesIO(path.read_bytes())))


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".arrow"])
def test_a_compressed_file_is_the_file(tmp_path, suffix, packing):
    plain = tmp_path / f"games{suffix}"
    WRITERS[suffix](plain)
    packed = tmp_path / f"games{suffix}{packing}"
    packed.write_bytes(PACKERS[packing](plain.read_bytes()))
    same(eq.read_matches(packed))
    if suffix != ".tsv":
        same(eq.read_matches(io.BytesIO(packed.read_bytes())))
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(eq.ReadError) as refused:
        eq.read_matches(packed)
    assert str(packed) in str(refused.value)


@pytest.mark.parametrize("name", ["games.csv.zst", "games.jsonl.zst"])
def test_zstandard(tmp_path, name):
    path = tmp_path / name
    if ".csv" in name:
        GAMES.lazy().sink_csv(path, compression="zstd", check_extension=False)
    else:
        GAMES.lazy().sink_ndjson(path, compression="zstd", check_extension=False)
    same(eq.read_matches(path))
    same(eq.read_matches(io.BytesIO(path.read_bytes())))


@pytest.mark.parametrize("name", ["games.sqlite.gz", "games.xlsx.xz", "games.parquet.zst"])
def test_what_is_not_read_compressed_is_said(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x1f\x8b")
    with pytest.raises(eq.ReadError, match="unpack it first"):
        eq.read_matches(tmp_path / name)


RECORDS = GAMES.to_dicts()
COLUMNS = GAMES.to_dict(as_series=False)
FORMS = {
    "records": RECORDS,
    "columns": COLUMNS,
    "pandas, by columns": {name: {str(i): v for i, v in enumerate(values)} for name, values in COLUMNS.items()},
    "pandas, by rows": {str(10 + i): record for i, record in enumerate(RECORDS)},
    "pandas, split": {"columns": GAMES.columns, "index": [0, 1, 2, 3], "data": [list(row) for row in GAMES.rows()]},
    "pandas, table": {"schema": {"fields": []}, "data": RECORDS},
    "under a key": {"made": "today", "rows": RECORDS},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_json(tmp_path, form):
    path = tmp_path / "games.json"
    path.write_text("\ufeff" * (form == "records") + json.dumps(FORMS[form], indent=1), encoding="utf-8")
    same(eq.read_matches(path))
    same(eq.read_matches(io.BytesIO(path.read_bytes())))


def test_json_by_agents_is_a_wide_table(tmp_path):
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"x": {"t1": 1, "t2": 0.5}, "y": {"t1": 0.25}}))
    scores = eq.read(path)
    assert (scores.agents, scores.tasks) == (("x", "y"), ("t1", "t2"))
    assert scores.values[0].tolist() == [1, 0.5]
    assert int(scores.missing.sum()) == 1


def test_nan_in_json_is_a_gap(tmp_path):
    path = tmp_path / "scores.json"
    path.write_text('[{"agent": "x", "t1": 1, "t2": NaN}, {"agent": "y", "t1": 0, "t2": 2}]')
    assert int(eq.read_scores(path).missing.sum()) == 1


def test_payoffs_in_json_stay_payoffs(tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps({"payoffs": [[0, 1], [-1, 0]], "strategies": ["r", "s"]}))
    assert eq.read(path).kind == "metagame"


@pytest.mark.parametrize(
    "content",
    ['{"a": 1', '{"a": [1, 2], "b": [1]}', '{"a": [1], "b": {"c": 1}}', "[1, 2]", "[]",
     '{"columns": ["a"], "data": [1]}', "{}"],
)  # fmt: skip
def test_json_that_is_no_table_is_refused(tmp_path, content):
    path = tmp_path / "games.json"
    path.write_text(content)
    with pytest.raises(eq.DataError):
        eq.read_scores(path)


@pytest.mark.parametrize("write", [sqlite, duck])
def test_a_database_with_several_tables_is_asked_back(tmp_path, write):
    path = tmp_path / "all.db"
    write(path, "games", "older games")
    with pytest.raises(eq.DataError, match='2 tables: games, older games; say which with table="games"'):
        eq.read_matches(path)
    same(eq.read_matches(path, read=eq.ReadOptions(table="older games")))
    same(eq.read_matches(path, read=eq.ReadOptions(table="games")))
    with pytest.raises(eq.DataError, match=r'no table "game" .did you mean "games"'):
        eq.read_matches(path, read=eq.ReadOptions(table="game"))


def test_a_workbook_with_several_sheets_is_asked_back(tmp_path):
    path = tmp_path / "all.xlsx"
    path.write_bytes(workbook({"one": sheet(), "two": sheet(), "notes": []}))
    with pytest.raises(eq.DataError, match="2 sheets: one, two"):
        eq.read_matches(path)
    same(eq.read_matches(path, read=eq.ReadOptions(table="two")))


def test_a_table_is_not_chosen_in_a_file_that_is_one(tmp_path):
    path = tmp_path / "games.csv"
    GAMES.write_csv(path)
    with pytest.raises(eq.DataError, match='table="games" has no effect'):
        eq.read_matches(path, read=eq.ReadOptions(table="games"))


def test_cells_of_sqlite_may_have_any_type(tmp_path):
    path = tmp_path / "scores.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE s (agent, t1, t2)")
        database.executemany("INSERT INTO s VALUES (?, ?, ?)", [("x", 1, 0.5), (b"y", "2.5", None), (3, 1e100, 7)])
    database.close()
    scores = eq.read_scores(path)
    assert scores.agents == ("x", "y", "3")
    assert scores.values[1, 0] == 2.5


@pytest.mark.parametrize(("package", "suffix"), [("fastexcel", ".xlsx"), ("duckdb", ".duckdb")])
def test_a_package_that_is_not_there_is_named(tmp_path, monkeypatch, package, suffix):
    path = tmp_path / f"games{suffix}"
    WRITERS[suffix](path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(eq.MissingDependencyError, match=rf"{package} is needed to read .*equipoise\["):
        eq.read_matches(path)


@pytest.mark.parametrize("suffix", sorted(set(FORMATS) - {".csv", ".tsv", ".tab"}))
def test_a_text_under_a_wrong_name_is_refused(tmp_path, suffix):
    path = tmp_path / f"games{suffix}"
    GAMES.write_csv(path)
    with pytest.raises(eq.ReadError) as refused:
        eq.read_matches(path)
    assert str(path) in str(refused.value)


TEXTS = {
    "a blank line first": "\n\nmodel_a,model_b,winner\n{}",
    "comments first": "# made by hand\n# on a Monday\n\nmodel_a,model_b,winner\n{}",
    "a comment with as many commas elsewhere": "# x\nmodel_a,model_b,winner\n# see here\n{}# the end\n",
    "a mark of byte order": "\ufeffmodel_a,model_b,winner\n{}",
    "a mark and a comment": "\ufeff# note\nmodel_a,model_b,winner\n{}",
    "spaces around names": " model_a ,  model_b, winner \n{}",
    "a header behind a number sign": "# model_a,model_b,winner\n{}",
    "line ends of Windows": "# note\r\nmodel_a,model_b,winner\r\n{}",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("packed", [False, True])
def test_texts_as_people_write_them(tmp_path, name, packed):
    content = TEXTS[name].format("".join(",".join(row) + "\n" for row in GAMES.rows())).encode()
    path = tmp_path / ("games.csv.gz" if packed else "games.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    matches = eq.read_matches(path)
    same(matches)
    same(eq.read_matches(io.BytesIO(content)))
    assert ("comment-lines" in [note.code for note in matches.diagnostics]) == (
        b"# " in content and b"# model_a" not in content
    )


def test_a_blank_line_is_counted_and_an_agent_may_be_called_after_a_number_sign(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n#1,#2,1\n\n# a comment, with a comma\n#2,#1,0\n")
    matches = eq.read_matches(path)
    assert matches.agents == ("#1", "#2")
    assert (matches.account.rows, dict(matches.account.dropped)) == (3, {"blank": 1})


def test_lines_are_numbered_as_in_the_file(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("# one\n\na,b,outcome\nx,y,1\n# five\nx,y\n")
    with pytest.raises(eq.ReadError, match="line 6 has 2 fields"):
        eq.read_matches(path)
    path.write_text("# one\n\na,b,outcome\nx,y,1\n# five\nx,y\nz,x,1\n")
    skipped = eq.read_matches(path, read=eq.ReadOptions(on_error="skip"))
    assert len(skipped) == 2
    assert skipped.account.rows == 3


def test_a_leading_index_is_no_task(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(",model,t1,t2\n0,x,61.5,2\n1,y,50.5,1\n2,z,3.5,9\n")
    scores = eq.read_scores(path)
    assert scores.agents == ("x", "y", "z")
    assert scores.tasks == ("t1", "t2")
