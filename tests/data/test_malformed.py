"""Malformed files thrown at the readers: an answer, or one clear line; never a traceback, never a silent answer."""

import io

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import equipoise as eq

READERS = [eq.read_matches, eq.read_pairs, eq.read_scores, eq.read_episodes, eq.read_metagame]

header = st.sampled_from(
    [
        "a,b,outcome", "model_a,model_b,winner", "player,opponent,wins,games", "a;b;outcome", "winner,loser", ",x,y",
        "agent,task,score", "agent,t1,t2", "agent,deal,utility", "a,a,outcome", "", ",,", "a,b,outcome,weight",
        '"a,b', "a\tb\toutcome",
    ]
)  # fmt: skip
cell = st.one_of(
    st.sampled_from(
        ["x", "y", "1", "0", "0.5", "tie", "nan", "inf", "-1", "1e400", "", " ", '"', "\x00", "a,b", "é", "=1+1"]
    ),
    st.text(max_size=6),
)
row = st.lists(cell, min_size=0, max_size=5).map(",".join)
file = st.tuples(header, st.lists(row, max_size=6), st.sampled_from(["\n", "\r\n", "\r"])).map(
    lambda parts: parts[2].join([parts[0], *parts[1]]).encode("utf-8", "replace")
)


def attempt(read, content):
    """Read; give the data, or None where the answer was one clear line."""
    try:
        return read(io.BytesIO(content))
    except eq.EquipoiseError as error:
        message = str(error)
    assert message, "an error without a message"
    assert "\n" not in message, "an error of more than one line"
    return None


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(file | st.binary(max_size=60))
@example(b"a,b,outcome\nx,y,1")
@example(b"a,b,outcome\r\rx,y,1")
@example(b"\xff\xfea\x00")
@example(b"a,b,outcome\n" + b"x" * 10000 + b",y,1\n")
def test_no_reader_crashes(content):
    for read in READERS:
        attempt(read, content)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(*[st.sampled_from(["x", "y", "1", "0", "0.5", "tie", "no", "", "nan", "-1"])] * 3),
        min_size=1,
        max_size=6,
    )
)
def test_every_row_of_a_log_is_counted_or_the_file_is_refused(rows):
    content = "a,b,outcome\n" + "".join(",".join(row) + "\n" for row in rows)
    table = attempt(eq.read_pairs, content.encode())
    matches = attempt(eq.read_matches, content.encode())
    assert (table is None) == (matches is None)
    if table is not None:
        blank = sum(row == ("", "", "") for row in rows)
        assert table.games.sum() == len(rows) - blank == len(matches)
        assert blank == 0 or any(note.code == "blank-rows" for note in table.diagnostics)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.text("pq", min_size=1, max_size=2), cell, cell), min_size=1, max_size=4))
def test_every_cell_of_a_score_table_is_a_number_missing_or_refused(rows):
    written = [
        (name, *(c.replace(",", "").replace('"', "").replace("\n", "").replace("\r", "") for c in cells))
        for name, *cells in rows
    ]
    content = "agent,t1,t2\n" + "".join(",".join(row) + "\n" for row in written)
    scores = attempt(eq.read_scores, content.encode("utf-8", "replace"))
    if scores is not None:
        gaps = int(scores.missing.sum())
        assert gaps == 0 or any(note.code == "missing-cells" for note in scores.diagnostics)
