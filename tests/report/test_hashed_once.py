"""What identifies a data set is made once, however many surfaces ask for it."""

from collections import Counter

import pytest

import equipoise as eq
from equipoise.analyses import analysis
from equipoise.cli.main import main


@pytest.fixture
def hashed(monkeypatch):
    """Count the hashes that are made, of files and of data."""
    counts = Counter()
    for name in ("_digest_of_file", "_digest_of_data"):
        made = getattr(analysis, name)
        monkeypatch.setattr(analysis, name, lambda it, made=made: counts.update([type(it).__name__]) or made(it))
    return counts


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\ny,z,1\nz,x,1\nx,y,0\n" * 5)
    return path


def test_a_report_hashes_a_file_once(games, hashed, tmp_path):
    assert main(["report", str(games), "--output", str(tmp_path / "page.html")]) == 0
    assert hashed.total() == 1


def test_a_board_hashes_its_data_once(games, hashed):
    board = eq.rank(eq.read_matches(games))
    first, second = (board.origin.facts(board.data) for _ in range(2))
    assert first == second
    assert hashed == {"PairTable": 1}


def test_other_data_of_one_origin_have_a_hash_of_their_own(games):
    matches = eq.read_matches(games)
    origin = analysis.Origin()
    assert origin.facts(matches)["sha256"] != origin.facts(matches.pairs())["sha256"]
    assert origin.facts(matches)["sha256"] == analysis.Origin().facts(matches)["sha256"]
