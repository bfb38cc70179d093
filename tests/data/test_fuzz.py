"""Eight hundred tables with planted faults; `make test-faults` takes a hundred thousand."""

import io
from dataclasses import replace

import pytest

import equipoise as eq
from equipoise.data.readers import bad_rows
from tests.faults.mutated import LostRowError, attempt, case

CASES = 800


@pytest.mark.parametrize("part", range(4))
def test_no_table_breaks_a_reader(part):
    numbers = range(part * CASES // 4, (part + 1) * CASES // 4)
    answers = attempt_all(numbers)
    assert answers.count("read") > len(answers) / 8
    assert answers.count("refused") > len(answers) / 8


def test_cases_are_made_from_their_numbers():
    assert case(17) == case(17)
    assert case(17)[3] != case(17, seed=1)[3]


def test_a_reader_that_loses_rows_is_noticed(monkeypatch):
    """Where fields are not counted, polars passes over what is too much; the account must not hide that."""
    monkeypatch.setattr(bad_rows, "_of_equal_width", _without_the_end)
    with pytest.raises(LostRowError):
        attempt_all(range(300))


def _without_the_end(table, on_error):
    return replace(table, rows=table.rows.head(3))


def attempt_all(numbers):
    return [attempt(number, seed="short") for number in numbers]


def test_a_panic_of_polars_is_one_line():
    class PanicException(BaseException):
        pass

    with pytest.raises(eq.ReadError, match="damaged"), bad_rows.reading("x.parquet"):
        raise PanicException


def test_a_stream_is_read_whatever_it_holds():
    with pytest.raises(eq.ReadError, match="empty"):
        eq.read_pairs(io.BytesIO(b"\x1f\x8b"[:0]))
