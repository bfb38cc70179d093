"""Numbers as people write them: read, and said; or asked back."""

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq


def scores(*cells, separator=","):
    lines = [separator.join(["agent", "t"]), *(separator.join([f"m{i}", cell]) for i, cell in enumerate(cells))]
    return eq.read_scores(io.BytesIO("\n".join(lines).encode()), tasks="t")


def codes(data):
    return {note.code for note in data.diagnostics}


@pytest.mark.parametrize(
    ("cell", "value", "code"),
    [
        ("61.77%", 61.77, "percent-signs"), ("61.77 %", 61.77, "percent-signs"), ("-5%", -5, "percent-signs"),
        ("61.77 +- 1.2", 61.77, "margins-left-out"), ("61.77+-1.2", 61.77, "margins-left-out"),
        ("61.77 ± 1.2", 61.77, "margins-left-out"), ("61.77 +/- 1.2", 61.77, "margins-left-out"),
        ("$61.77 \\pm 1.2$", 61.77, "margins-left-out"), ("1e-3±2e-4", 1e-3, "margins-left-out"),
        ('"61,770"', 61770, "thousands"), ('"1,234,567.5"', 1234567.5, "thousands"), ('"-61,770"', -61770, "thousands"),
    ],
)  # fmt: skip
def test_odd_cells_are_read_and_said(cell, value, code):
    read = scores(cell, cell)
    assert read.values[:, 0] == pytest.approx([value, value])
    assert code in codes(read)
    note = next(note for note in read.diagnostics if note.code == code)
    assert note.subjects == ("t",)
    assert cell.strip('"') in note.message


def test_percent_with_a_margin_of_percent():
    read = scores("61.77% ± 1.2%", "50 ± 2%")
    assert read.values[:, 0].tolist() == [61.77, 50]
    assert {"percent-signs", "margins-left-out"} <= codes(read)


@pytest.mark.parametrize("gap", ["", "-", "--", "—", "–", "N/A", "n/a", "NA", "nan", "null", "None", "?", "#N/A"])
def test_dashes_and_words_for_nothing_are_gaps(gap):
    read = scores("1.5", gap, "2")
    assert math.isnan(read.values[1, 0])
    assert "missing-cells" in codes(read)


def test_gaps_in_a_square_table():
    table = eq.read_pairs(io.BytesIO("m,x,y,z\nx,-,60%,50%\ny,40%,—,50%\nz,50%,50%,N/A\n".encode()))
    assert table.games.tolist() == [100, 100, 100]
    assert "percent-signs" in codes(table)


@pytest.mark.parametrize(
    "cell", ['"61,77"', '"0,512"', '"1,23,456"', "61.77 (1.2)", "about 5", "5 +- ", "%", "±", "5%%"]
)
def test_what_is_no_number_is_asked_back(cell):
    with pytest.raises(eq.DataError):
        scores("1", cell, "2")


def test_percent_signs_in_some_cells_only_are_asked_back():
    with pytest.raises(eq.DataError, match='"t" has percent signs in some cells'):
        scores("61.77%", "0.5")
    assert scores("61.77%", "0").values[:, 0].tolist() == [61.77, 0]


def test_commas_that_mean_two_things_are_asked_back():
    data = io.BytesIO(b'agent,task,score\nx,p,"61,770"\ny,p,"0,5"\n')
    with pytest.raises(eq.DataError, match="commas between thousands"):
        eq.read_scores(data, read=eq.ReadOptions(on_error="skip"))


def test_a_semicolon_brings_a_decimal_comma():
    assert scores("61,77", "5", separator=";").values[:, 0].tolist() == [61.77, 5]
    assert scores("1.234,5", "2.000,0", separator=";").values[:, 0].tolist() == [1234.5, 2000]


def test_columns_that_are_not_used_are_not_spoken_of():
    data = b"a,b,outcome,share\nx,y,1,50%\ny,x,1,60%\n"
    assert "percent-signs" not in codes(eq.read_matches(io.BytesIO(data)))


def test_weights_and_counts_are_read_likewise():
    data = b'player,opponent,wins,games\nx,y,"1,000","2,000"\ny,z,500,"1,000"\n'
    assert eq.read_pairs(io.BytesIO(data)).games.tolist() == [2000, 1000]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1, max_size=5))
def test_a_number_is_the_same_however_it_is_written(values):
    plain = scores(*(repr(value) for value in values)).values[:, 0].tolist()
    assert plain == values
    assert scores(*(f"{value!r}%" for value in values)).values[:, 0].tolist() == values
    assert scores(*(f"{value!r} ± 0.5" for value in values)).values[:, 0].tolist() == values
    assert scores(*(f'"{value:,.3f}"' for value in values)).values[:, 0] == pytest.approx(
        [round(value, 3) for value in values]
    )
