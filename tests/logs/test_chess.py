"""Chess games by their headers, and the results that fastchess saves."""

import gzip
import json
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.errors import EquipoiseError
from equipoise.logs.games import pgn_headers
from tests.logs.game_samples import sample

TCEC = {
    "TCEC_Season_15_-_Champion_Houdini_3_Vs_Glaurung": {"Houdini 3 Sufi 4": (6, 1, 0), "Glaurung 2.2": (0, 1, 6)},
    "TCEC_Season_16_-_Viewer_Submitted_Openings_Bonus_8": {
        "Ethereal 11.78_attack_tables_debug2": (3, 5, 2), "Stockfish 20191203": (2, 0, 0),
        "Xiphos 0.6 256th": (0, 2, 0), "rofChade 2.207": (0, 1, 1), "Marvin 3.4.0 256th": (0, 1, 1),
        "Gull 191130": (0, 1, 1),
    },
    "TCEC_Tournament_4": {
        "Rybka 4": (6, 3, 1), "Ivanhoe B52aF": (6, 3, 1), "Naum 4.2": (3, 6, 1), "Sjeng 2008": (0, 7, 3),
        "Jonny 4": (1, 4, 5), "Zappa Mexico II": (0, 5, 5),
    },
    "TCEC_Season_17_-_Stockfish_1pct_Vs_L2_Test_4": {"Stockfish1pct 2020011312": (1, 2, 0), "Fritz 17": (0, 2, 1)},
    "TCEC_Cup_6_Bronze": {"Stockfish 2020071122": (2, 1, 0), "Fire 8_beta": (0, 1, 2)},
}  # fmt: skip


def tallies(matches: eq.Matches) -> dict[str, tuple[int, int, int]]:
    found = {name: [0, 0, 0] for name in matches.agents}
    for a, b, score in zip(matches.a, matches.b, matches.outcome, strict=True):
        found[matches.agents[a]][int(2 - 2 * score)] += 1
        found[matches.agents[b]][int(2 * score)] += 1
    return {name: (won, drawn, lost) for name, (won, drawn, lost) in found.items()}


def codes(data: object) -> set[str]:
    return {note.code for note in data.diagnostics}  # type: ignore[attr-defined]


def game(white: str, black: str, result: str, *more: str, moves: str = "1. e4 e5") -> str:
    headers = [f'[White "{white}"]', f'[Black "{black}"]', f'[Result "{result}"]', *more]
    return "\n".join(['[Event "e"]', *headers, "", f"{moves} {result}", "", ""])


@pytest.mark.parametrize("name", TCEC)
def test_wins_draws_and_losses(name: str) -> None:
    assert tallies(eq.read(sample(f"pgn/{name}.pgn"), format="pgn")) == TCEC[name]


def test_what_is_odd_is_named() -> None:
    assert "games-without-result" in codes(eq.read(sample(f"pgn/{next(iter(TCEC))}.pgn"), format="pgn"))
    told = eq.read(sample("pgn/TCEC_Tournament_4.pgn"), format="pgn").diagnostics
    assert any("Black loses on time" in note.message for note in told)
    assert "games-without-last-word" in {note.code for note in told}


def test_colour_pairs_by_round() -> None:
    matches = eq.read(sample("pgn/fastchess_gauntlet_games.pgn"), format="pgn")
    assert tallies(matches)["hivechess"] == (14, 8, 28)
    assert len(matches.agents) == 20
    assert matches.group is not None
    assert len(matches.group.labels) < len(matches)


def test_saved_results() -> None:
    matches = eq.read(sample("pgn/fastchess_gauntlet_config.json"), format="fastchess")
    assert [(matches.outcome == score).sum() for score in (1, 0.5, 0)] == [64, 41, 84]
    with pytest.raises(EquipoiseError, match="no game that counts"):
        eq.read(sample("pgn/fastchess_test_config_zero_stats.json"), format="fastchess")


def test_games_in_pairs(tmp_path: Path) -> None:
    stats = {"wins": 3, "losses": 1, "draws": 2, "penta_WW": 1, "penta_WD": 1, "penta_LD": 1}
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"engines": [], "stats": {"x vs y": stats, "y vs x": dict.fromkeys(stats, 0)}}))
    matches = eq.read(path, format="fastchess")
    assert matches.outcome.tolist() == [1, 1, 1, 0.5, 0, 0.5]
    assert matches.group is not None
    assert matches.group.codes.tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("block", [1, 7, 64, 300, 1 << 23])
def test_blocks_cut_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    text = game("x", "y", "1-0", moves='1. e4 {[%clk 1]\n[%eval "2"] } e5') + game("y", "x", "1/2-1/2")
    text += game("?", "?", "*") + game('J. "Jo\\"', "Müller", "0-1").replace('"Jo\\"', '\\"Jo\\"')
    (tmp_path / "g.pgn").write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    monkeypatch.setattr(pgn_headers, "BLOCK", block)
    matches = eq.read(tmp_path / "g.pgn", format="pgn")
    assert matches.agents == ("x", "y", 'J. "Jo"', "Müller")
    assert matches.outcome.tolist() == [1.0, 0.5, 0.0]


def test_packed_and_dated(tmp_path: Path) -> None:
    later, sooner = '[UTCDate "2024.01.02"]', '[UTCDate "2024.01.01"]'
    text = game("x", "y", "1-0", later) + game("y", "x", "0-1", sooner, '[UTCTime "10:00:00"]')
    (tmp_path / "g.pgn.gz").write_bytes(gzip.compress(text.encode()))
    matches = eq.read(tmp_path / "g.pgn.gz", format="pgn")
    assert matches.order().tolist() == [1, 0]


def test_result_behind_the_moves_only(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(game("x", "y", "1-0").replace('[Result "1-0"]', '[Result "*"]'))
    assert eq.read(tmp_path / "g.pgn", format="pgn").outcome.tolist() == [1.0]


def test_nothing_but_open_games(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(game("x", "y", "*"))
    with pytest.raises(EquipoiseError, match=r"1 without a result \(\*\)"):
        eq.read(tmp_path / "g.pgn", format="pgn")


def test_unfinished_merge(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(game("x", "y", "*") + "<<<<<<< HEAD\n" + game("x", "y", "*"))
    with pytest.raises(EquipoiseError, match="line 8 is a mark of an unfinished merge"):
        eq.read(tmp_path / "g.pgn", format="pgn")


PRINTED = """Started game 1 of 4 (new vs old)
Finished game 1 (new vs old): 1-0 {White mates}
Score of new vs old: 1 - 0 - 0  [1.000] 1
Finished game 2 (old vs new): 1/2-1/2 {Draw by 3-fold repetition}
Score of new vs old: 1 - 0 - 1  [0.750] 2
Finished game 4 (old vs new): 1-0 {Black loses on time}
Score of new vs old: 1 - 1 - 1  [0.500] 3
...      new playing White: 1 - 0 - 0  [1.000] 1
Finished game 3 (new vs old): * {No result}
Elo difference: 0.0 +/- 300.0, LOS: 50.0 %, DrawRatio: 33.3 %
Rank Name                          Elo     +/-   Games   Score    Draw
   1 new                             0     300       3   50.0%   33.3%
"""
TOTALS = """Results of new vs old (8+0.08, 1t, 16MB, book.epd):
Games: 2, Wins: 1, Losses: 1, Draws: 0, Points: 1.0 (50.00 %)
Ptnml(0-2): [0, 0, 1, 0, 0], WL/DD Ratio: inf
--------------------------------------------------
Results of new vs old (8+0.08, 1t, 16MB, book.epd):
Elo: 0.00 +/- 50.00, nElo: 0.00 +/- 50.00
Games: 10, Wins: 4, Losses: 3, Draws: 3, Points: 5.5 (55.00 %)
Ptnml(0-2): [0, 1, 3, 0, 1], WL/DD Ratio: 2.00
"""


def test_printed_games(tmp_path: Path) -> None:
    (tmp_path / "match.log").write_text(PRINTED)
    assert eq.read(tmp_path / "match.log").agents == ("new", "old")
    matches = eq.read(tmp_path / "match.log", format="cutechess")
    assert [(matches.agents[a], s) for a, s in zip(matches.a, matches.outcome, strict=True)] == [
        ("new", 1.0), ("old", 0.5), ("old", 1.0),
    ]  # fmt: skip
    assert matches.group is not None
    assert matches.group.codes.tolist() == [0, 0, 1]
    assert matches.account.dropped == {"without a result (*)": 1}
    assert "games-ended-otherwise" in codes(matches)


def test_last_score_counts(tmp_path: Path) -> None:
    """Scores are printed after each game: they are not added up."""
    lines = [line for line in PRINTED.splitlines() if not line.startswith("Finished game")]
    (tmp_path / "match.log").write_text("\n".join(lines))
    matches = eq.read(tmp_path / "match.log", format="cutechess")
    assert tallies(matches) == {"new": (1, 1, 1), "old": (1, 1, 1)}
    assert "last-score-taken" in codes(matches)


def test_printed_pairs_of_games(tmp_path: Path) -> None:
    (tmp_path / "match.log").write_text(TOTALS)
    matches = eq.read(tmp_path / "match.log", format="cutechess")
    assert tallies(matches)["new"] == (4, 3, 3)
    assert matches.group is not None
    pairs = sorted(matches.outcome[matches.group.codes == k].tolist() for k in range(5))
    assert pairs == [[0.0, 0.5], [0.5, 0.5], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]


def test_two_engines_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "match.log").write_text("Score of new vs new: 1 - 0 - 0  [1.000] 1\n")
    with pytest.raises(EquipoiseError, match="names that differ"):
        eq.read(tmp_path / "match.log", format="cutechess")


def test_games_of_a_log_with_the_same_result_are_no_copies(tmp_path, capsys):
    game = '[Event "E"]\n[Round "{}"]\n[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 {} 1-0\n\n'
    rows = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")]
    log = tmp_path / "games.pgn"
    log.write_text("".join(game.format(k, white, black, f"e{k}") for k, (white, black) in enumerate(rows)))
    assert main(["rank", str(log), "--duplicates", "drop"]) == 2
    assert "are no copies" in capsys.readouterr().err
    assert main(["rank", str(log), "--transitivity", "none", "--format", "csv"]) == 0
    assert ",4.0," in capsys.readouterr().out


def moves(number: int) -> str:
    return " ".join(f"{k + 1}. e4 Nf{number + k}" for k in range(20))


def long_game(white: str, black: str, number: int, site: str = "s") -> str:
    head = f'[Event "E"]\n[Site "{site}"]\n[Round "1"]\n[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n'
    return f"{head}\n{moves(number)} 1-0\n\n"


def test_games_with_the_same_headers_and_moves_are_copies(tmp_path):
    path = tmp_path / "games.pgn"
    games = [long_game("x", "y", 1), long_game("x", "y", 2), long_game("y", "x", 1), long_game("x", "z", 1)]
    bare = '[White "x"]\n[Black "y"]\n[Result "1-0"]\n\n1-0\n\n' * 2  # without moves nothing tells copies from games
    path.write_text("".join([*games, bare]))
    assert "repeated-games" not in codes(eq.read(path, format="pgn"))
    path.write_text("".join([*games, bare, *games[:2]]))
    every = eq.read(path, format="pgn")
    said = next(note.message for note in every.diagnostics if note.code == "repeated-games")
    assert said.startswith("2 of 8 games repeat an earlier one in headers and moves; all of them count.")
    assert len(every) == 8
    once = eq.read(path, format="pgn", read=eq.ReadOptions(keep="first"))
    assert [*zip(once.a, once.b, strict=True)] == [*zip(every.a[:6], every.b[:6], strict=True)]
    assert dict(once.account.dropped) == {"that repeat an earlier game": 2}
    with pytest.raises(EquipoiseError, match="keep"):
        eq.read(path, format="pgn", read=eq.ReadOptions(keep="fair"))
