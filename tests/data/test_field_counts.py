"""Every row of a delimited text is counted: against a slow reading by the standard library, by both kinds of loop."""

import csv
import gzip
import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.files import field_counts
from equipoise.data.files.field_counts import count_fields
from equipoise.data.files.text_sources import TextSource

TEXTS = st.lists(st.sampled_from(["x", ",", "\n", '"', " ", "\r\n", "ü", '""', ",,"]), max_size=40).map("".join)


def slowly(text, width):
    """Rows of the wanted width, blank lines, longer and shorter rows."""
    body = text if text.endswith("\n") or not text else text + "\n"
    rows = list(csv.reader(io.StringIO(body, newline="")))
    blank = [row for row in rows if len(row) == 0 or (len(row) == 1 and not row[0].strip(" \r"))]
    rest = [row for row in rows if row not in blank]
    sizes = [len(row) for row in rest]
    return (
        sum(size == width for size in sizes), len(blank), sum(size > width for size in sizes),
        sum(size < width for size in sizes),
    )  # fmt: skip


def closed(text):
    """Tell whether every opening quote has its closing one, by the rule of the standard library."""
    inside, opening, at = False, True, 0
    while at < len(text):
        if inside and text[at] == '"':
            if text[at + 1 : at + 2] == '"':
                at += 1
            else:
                inside = False
        elif not inside and text[at] == '"' and opening:
            inside, opening = True, False
        elif not inside:
            opening = text[at] in ",\n"
        at += 1
    return not inside


@settings(max_examples=400, deadline=None)
@given(TEXTS.filter(closed), st.integers(1, 4), st.integers(1, 9))
def test_rows_are_counted_as_the_standard_library_reads_them(text, width, piece):
    source = TextSource(text.encode(), "", ",")
    found = count_fields(source, width, "it", keep=True)
    if '"' in text and any(
        len(row) == 1 and not row[0].strip(" \r") for row in csv.reader(io.StringIO(text, newline=""))
    ):
        return  # an empty quoted field is a row of one field here, and like a blank line there
    rows, blank, longer, shorter = slowly(text, width)
    assert (max(rows - 1, 0), blank, longer, shorter) == (found.rows, found.blank, found.longer, found.shorter)
    cut = Cut(text.encode(), piece)
    assert count_fields(cut, width, "it", keep=True) == found


class Cut(io.BytesIO):
    """A text that comes in small pieces."""

    separator, skip = ",", 0

    def __init__(self, content, piece):
        super().__init__(content)
        self.piece, self.size, self.skip = piece, piece, 0

    def open(self):
        return self

    def readinto(self, buffer):
        return super().readinto(buffer[: self.piece])


@settings(max_examples=150, deadline=None)
@given(TEXTS.filter(closed), st.integers(1, 3), st.sampled_from([1, 4096]))
def test_long_texts_are_counted_as_short_ones_are(text, width, window):
    source = TextSource(text.encode(), "", ",")
    plain = count_fields(source, width, "it", keep=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(field_counts, "LONG", -1)
        patch.setattr(field_counts, "WINDOW", window)
        assert count_fields(source, width, "it", keep=True) == plain


RAGGED = {
    "surplus_behind_the_last_column_used": ("a,b,outcome,note\nx,y,1,ok\ny,x,0,well, played\n", 3, 5),
    "surplus_that_shifts_names": ("note,a,b,outcome,round\nn,x,y,1,5\nwell, played,x,y,1,5\n", 3, 6),
    "short": ("a,b,outcome,note\nx,y,1,ok\n\nx,y,1\n", 4, 3),
    "after_a_line_end_in_quotes": ('note,a,b,outcome\n"one\ntwo, three",x,y,1\nx,y,1\n', 4, 3),
    "last_line_without_its_end": ("a,b,outcome\nx,y,1\nx,y", 3, 2),
    "quoted_separators_are_text": ('a,b,outcome\n"x,1",y,1\n"x ""1"", 2",y,1,1\n', 3, 4),
}


@pytest.mark.parametrize(("text", "line", "fields"), RAGGED.values(), ids=RAGGED)
@pytest.mark.parametrize("read", [eq.read_pairs, eq.read_matches])
@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.csv.zst", "stream"])
def test_a_row_of_another_width_is_refused_with_its_line(tmp_path, text, line, fields, read, name):
    with pytest.raises(eq.ReadError, match=f"line {line} has {fields} fields"):
        read(packed(tmp_path, text, name))


def packed(tmp_path, text, name):
    path = tmp_path / name
    if name == "stream":
        return io.BytesIO(text.encode())
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    elif name.endswith(".zst"):
        lines = pl.DataFrame({"line": text.removesuffix("\n").split("\n")}).lazy()
        lines.sink_csv(path, include_header=False, quote_style="never", compression="zstd")
    else:
        path.write_text(text, encoding="utf-8", newline="")
    return path


def test_every_reader_counts_fields():
    for read, text in (
        (eq.read_scores, "agent,t1,t2\nx,1,2\ny,3\n"),
        (eq.read_scores, "agent,task,score,note\nx,t,1,n\nx,u,1,n, n\n"),
        (eq.read_episodes, "deal,agent,utility,note\n1,x,1,n\n1,y,-1\n"),
        (eq.read_metagame, ",a,b\na,0,1\nb,-1\n"),
    ):
        with pytest.raises(eq.ReadError, match="line 3 has"):
            read(io.BytesIO(text.encode()))


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.csv.zst", "stream"])
def test_rows_of_another_width_can_be_skipped_and_the_others_stay_as_they_are(tmp_path, name):
    text = 'a,b,outcome,note\n"x, 1",y,1,"a ""b"""\nx,y,1,2,3\ny,"x, 1",0\ny,"x, 1",0,\n'
    table = eq.read_matches(packed(tmp_path, text, name), read=eq.ReadOptions(on_error="skip"))
    assert table.agents == ("x, 1", "y")
    assert table.outcome.tolist() == [1, 0]
    assert dict(table.account.dropped) == {
        "rows with more fields than the header": 1,
        "rows with fewer fields than the header": 1,
    }


def test_a_byte_order_mark_before_a_quote_hides_no_separator(tmp_path):
    path = tmp_path / "bom.csv"
    path.write_bytes('\ufeff"a",b,outcome,"no, te"\nx,y,1,n\n'.encode())
    assert len(eq.read_matches(path)) == 1
    path.write_bytes('\ufeff"no, te",a,b,outcome\nn,x,y,1\n'.encode())
    assert len(eq.read_matches(path)) == 1


def test_an_unfinished_quote_is_refused():
    with pytest.raises(eq.ReadError, match="unfinished quoted field"):
        eq.read_pairs(io.BytesIO(b'a,b,outcome\nx,y,1\n"x,y,1\nx,y,0\n'))
