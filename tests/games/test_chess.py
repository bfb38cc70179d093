"""Chess with engines that behave and engines that do not; skipped where python-chess is not installed."""

import io
import os
import shutil
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.arena.spec.protocols import GameTable, Move, TurnView
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault
from equipoise.games.load import load_game
from equipoise.players.load import load_player
from equipoise.players.python import PythonPlayer

chess = pytest.importorskip("chess", reason="python-chess is not installed")
pytest.importorskip("chess.pgn")

from equipoise.games.chess.game import Adjudicator  # noqa: E402
from equipoise.games.chess.openings import RandomOpenings, is_balanced  # noqa: E402

FAKE = Path(__file__).parents[1] / "players" / "fake_engine.py"
FOOLS_MATE = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"


def engine(fault="none", name="fake", **options):
    limits = {"nodes": 100, "patience": 20.0} | options
    return load_player(PlayerSpec(name=name, bot=f"uci:{sys.executable} {FAKE} {fault}", options=limits))


def mover(name="mover"):
    """A player who draws moves from its seed."""

    class Dice:
        def begin(self, table):
            self.dice = Random(table.seed)

        def act(self, view):
            return self.dice.choice(view.legal)

    return PythonPlayer(name, {}, Dice())


def read(transcript):
    game = chess.pgn.read_game(io.StringIO(transcript))
    assert not game.errors
    return game


def test_a_game_is_a_pgn_with_all_headers():
    game = load_game("chess", {"longest": 30})
    outcome = game.play([mover("Ann"), mover("Bob")], seed=3)
    pgn = read(outcome.transcript)
    assert {"Event", "Site", "Date", "Round", "White", "Black", "Result", "Termination", "PlyCount"} <= set(pgn.headers)
    assert (pgn.headers["White"], pgn.headers["Black"], pgn.headers["Seed"]) == ("Ann", "Bob", "3")
    assert {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}[pgn.headers["Result"]] == outcome.scores
    assert len(list(pgn.mainline_moves())) == int(pgn.headers["PlyCount"])


def test_an_opening_is_the_same_from_both_sides_and_another_for_another_seed():
    game = load_game("chess", {"longest": 10, "plies": 4})
    starts = [
        [move.uci() for move in read(game.play(pair, seed=seed).transcript).mainline_moves()][:4]
        for seed in (1, 2) for pair in ([mover("a"), mover("b")], [mover("b"), mover("a")])
    ]  # fmt: skip
    assert starts[0] == starts[1] != starts[2] == starts[3]


@given(st.integers(0, 10_000), st.integers(0, 10))
@settings(max_examples=60)
def test_a_random_opening_is_balanced_by_rule(seed, plies):
    board = RandomOpenings(plies).drawn(Random(seed))
    assert len(board.move_stack) == plies
    assert not board.is_check()
    count = {color: sorted(piece.piece_type for piece in board.piece_map().values() if piece.color == color)
             for color in chess.COLORS}  # fmt: skip
    worth = {color: sum([0, 1, 3, 3, 5, 9, 0][kind] for kind in kinds) for color, kinds in count.items()}
    assert worth[chess.WHITE] == worth[chess.BLACK]
    for move in board.legal_moves:
        taken = board.piece_at(move.to_square)
        if (
            taken is not None
            and taken.piece_type == chess.QUEEN
            and not board.is_attacked_by(not board.turn, move.to_square)
        ):
            pytest.fail(f"a queen hangs after {board.move_stack}")


@pytest.mark.parametrize(
    "fen",
    [
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",  # a queen is missing
        FOOLS_MATE,  # mate in one
        "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1",  # a queen hangs
        "rnbqkbnr/pppp1Qpp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 0 3",  # in check
    ],
)
def test_a_position_in_which_somebody_stands_better_is_not_balanced(fen):
    assert not is_balanced(chess.Board(fen))
    assert is_balanced(chess.Board())


def test_openings_come_from_a_file(tmp_path):
    epd = tmp_path / "book.epd"
    epd.write_text("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n\n# a comment\n")
    pgn = read(load_game("chess", {"openings": str(epd), "longest": 3}).play([mover(), mover("b")]).transcript)
    assert pgn.headers["FEN"].startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3")
    book = tmp_path / "book.pgn"
    book.write_text('[Event "?"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n[Event "?"]\n\n1. d4 d5 2. c4 *\n')
    game = load_game("chess", {"openings": str(book), "plies": 3, "longest": 5})
    seen = {
        tuple(move.uci() for move in read(game.play([mover(), mover("b")], seed=seed).transcript).mainline_moves())[:3]
        for seed in range(12)
    }
    assert seen == {("e2e4", "e7e5", "g1f3"), ("d2d4", "d7d5", "c2c4")}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.epd", None, "there is no file .*openings are random, start, or an EPD or PGN file"),
        ("book.epd", "", "contains no opening"),
        ("book.epd", "rnbqkbnr/pppp w KQkq -", "line 1: no position"),
        ("book.epd", "8/8/8/8/8/8/8/8 w - - 0 1", "line 1: a position that cannot come up"),
        ("book.epd", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "line 1: a position in which the game is over"),
        ("book.pgn", '[Event "?"]\n\n1. e4 e5 2. Ke3 *\n', "game 1: illegal san"),
        ("book.pgn", "nothing of the kind", "game 1: no moves and no position"),
    ],
)
def test_a_book_that_cannot_be_used_is_refused_in_one_line(tmp_path, name, text, said, caplog):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(eq.ReadError, match=said) as error:
        load_game("chess", {"openings": str(path), "plies": 4})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"opening": "start"}, 'chess has no option "opening" \\(did you mean "openings"'),
        ({"plies": -1}, "plies is a whole number of at least 0"),
        ({"longest": 0}, "longest is a whole number of at least 1"),
        ({"openings": 3}, "openings is .*file's path"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(eq.EquipoiseError, match=said):
        load_game("chess", options)
    with pytest.raises(eq.ParameterError, match='the game "chess" stands alone'):
        load_game("chess:blitz")


def test_a_task_is_the_position_in_which_the_game_begins():
    game = load_game("chess")
    outcome = game.play([mover(), PythonPlayer("mates", {}, lambda _: "d8h4")], task=FOOLS_MATE)
    assert outcome.scores == (0.0, 1.0)
    assert read(outcome.transcript).headers["Termination"] == "checkmate"
    with pytest.raises(eq.ParameterError, match="a task of chess is a position"):
        game.play([mover(), mover("b")], task="e4")


def test_chess_ends_by_its_rules():
    game = load_game("chess")
    shuffle = {"w": iter(["g1f3", "f3g1"] * 9), "b": iter(["g8f6", "f6g8"] * 9)}
    players = [PythonPlayer(side, {}, lambda _, side=side: next(shuffle[side])) for side in "wb"]
    outcome = load_game("chess", {"openings": "start"}).play(players)
    assert (outcome.scores, read(outcome.transcript).headers["Termination"]) == ((0.5, 0.5), "third repetition")
    first = PythonPlayer("first", {}, lambda view: view.legal[0])
    for fen, action, why in (
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1b1", "fifty-move rule"),
        ("8/8/8/8/8/8/1p5k/K7 w - - 0 1", "a1b2", "insufficient material"),
        ("7k/5K2/6p1/8/8/8/8/6Q1 w - - 0 1", "g1g6", "stalemate"),
    ):
        white = PythonPlayer("white", {}, lambda _, action=action: action)
        outcome = game.play([white, first], task=fen)
        assert (outcome.scores, read(outcome.transcript).headers["Termination"]) == ((0.5, 0.5), why)


def thinker(name, score):
    """A player who moves at random and always thinks the same of its position."""
    base = mover(name)

    class Thinker:
        def begin(self, table):
            base.begin(table)

        def act(self, view):
            return Move(base.act(view).action, {}, {"cp": score})

    return PythonPlayer(name, {}, Thinker())


def test_adjudication_is_off_unless_asked_for_and_then_goes_by_what_both_say():
    ahead, behind, level = thinker("ahead", 900), thinker("behind", -900), thinker("level", 3)
    rules = {"openings": "start", "resign_score": 600, "resign_moves": 2, "longest": 20}
    for pair, scores in (([ahead, behind], (1.0, 0.0)), ([behind, ahead], (0.0, 1.0))):
        outcome = load_game("chess", rules).play(pair)
        assert outcome.scores == scores
        assert read(outcome.transcript).headers["Termination"] == "adjudication: both sides agree who is winning"
        assert read(outcome.transcript).headers["PlyCount"] == "4"
    for pair in ([ahead, level], [level, behind], [ahead, thinker("also", 900)]):
        assert "agree" not in read(load_game("chess", rules).play(pair).transcript).headers["Termination"]
    plain = load_game("chess", {"openings": "start", "longest": 20}).play([ahead, behind])
    assert "agree" not in read(plain.transcript).headers["Termination"]
    drawn = load_game("chess", {"openings": "start", "draw_score": 5, "draw_moves": 3, "draw_after": 4, "longest": 20})
    outcome = drawn.play([level, thinker("too", -2)])
    assert (
        read(outcome.transcript).headers["Termination"]
        == "adjudication: both sides agree that neither has an advantage"
    )
    assert read(outcome.transcript).headers["PlyCount"] == "8"


def test_a_side_that_says_nothing_is_not_adjudicated():
    rules = Adjudicator(resign_score=100, resign_moves=1)
    board = chess.Board()
    assert rules.ending(board, [None, -500]) is None
    assert rules.ending(board, [500]) is None
    assert rules.ending(board, [500, -500]).white == 1.0


def test_what_players_think_stands_in_the_pgn_from_whites_side():
    outcome = load_game("chess", {"openings": "start", "longest": 2}).play([thinker("a", 50), thinker("b", -20)])
    evals = [node.eval().white().score() for node in read(outcome.transcript).mainline()]
    assert evals[:2] == [50, 20]


def test_an_engine_plays_and_says_what_it_thinks():
    one, other = engine(name="one"), engine(name="other")
    outcome = load_game("chess", {"longest": 4, "plies": 2}).play([one, other], seed=1)
    assert one.engine == "Fake 1.0"
    assert outcome.costs["nodes of one"] == 35.0 * 3
    assert "[%eval -0.07]" in outcome.transcript
    one.close()
    other.close()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("hang", "no best move within 0.5 s"),
        ("babble", "no best move within 0.5 s"),
        ("crash", r"it was killed \(SIGABRT\); it said: assertion failed: king is gone"),
        ("none-at-all", r'it gave no move, but "bestmove \(none\)"'),
        ("illegal", 'illegal move "e2e5"'),
    ],
)
def test_a_broken_engine_forfeits_and_starts_anew(fault, said):
    game, bad = (
        load_game("chess", {"openings": "start"}),
        engine(fault, "bad", patience=0.5 if fault in ("hang", "babble") else 20.0),
    )
    for _ in range(2):
        with pytest.raises(PlayerFault, match=said) as found:
            game.play([mover(), bad])
        assert found.value.seat == 1
        assert read(found.value.transcript).headers["Result"] == "*"
        assert "1. " in found.value.transcript
    bad.close()


def test_an_engine_that_hangs_is_killed():
    bad = engine("hang", patience=0.3)
    bad.begin(GameTable("chess", 0, ("a", "b"), 0))
    process = bad._process._process.pid
    with pytest.raises(PlayerFault):
        bad.act(TurnView(0, ("e2e4",), {"fen": chess.STARTING_FEN, "moves": []}))
    with pytest.raises(ProcessLookupError):
        os.killpg(process, 0)


def test_an_engine_that_never_says_that_it_is_ready_is_refused_before_play():
    with pytest.raises(eq.ParameterError, match='player "fake": the engine did not start: no answer within'):
        engine("mute", start_seconds=0.3)


def test_a_clock_runs_out():
    slow = engine("slow", clock="0.5", nodes=None)
    with pytest.raises(PlayerFault, match=r"lost on time by \d+\.\d\d s"):
        load_game("chess", {"openings": "start"}).play([slow, mover()])
    slow.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"setoption": {"Skil Level": 3}},
            'player "fake": the engine has no option "Skil Level" \\(did you mean "Skill',
        ),
        ({"setoption": {"Skill Level": 21}}, 'option "Skill Level" is a whole number from 0 to 20, not 21'),
        ({"setoption": {"Style": "Wild"}}, 'option "Style" is one of Solid, Very Risky, not "Wild"'),
        ({"setoption": {"Ponder": 1}}, 'option "Ponder" is true or false, not 1'),
    ],
)
def test_an_option_that_the_engine_does_not_have_is_refused(options, said):
    with pytest.raises(eq.DataError, match=said):
        engine(**options)


def test_options_reach_the_engine():
    engine(setoption={"skill level": 3, "Style": "Very Risky", "Ponder": True, "Clear Hash": True}).close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"nodes": None}, "needs to know how long it thinks: nodes, depth, seconds or clock"),
        ({"nodes": 0}, "nodes is a whole number of at least 1"),
        ({"clock": "ten"}, 'clock is seconds and an increment, such as "10\\+0.1", not "ten"'),
        ({"clock": "0+1"}, "clock is seconds and an increment"),
        ({"skill": 3}, 'player "fake" has no option "skill"'),
    ],
)
def test_a_spec_of_an_engine_that_makes_no_sense_is_refused(options, said):
    with pytest.raises(eq.EquipoiseError, match=said):
        engine(**options)


def test_an_engine_does_not_play_other_games():
    player = engine()
    with pytest.raises(eq.ParameterError, match="is a chess engine and plays chess only"):
        player.act(TurnView(0, (1,), {"text": "x"}))
    player.close()


def test_a_changed_binary_is_a_new_version(tmp_path):
    binary = tmp_path / "engine"
    shutil.copy(FAKE, binary)

    def version(**options):
        player = load_player(PlayerSpec(name="e", bot=f"uci:{{python}} {binary}", options={"nodes": 5} | options))
        player.close()
        return player.version

    first = version()
    assert version() == first
    assert version(nodes=6) != first
    binary.write_text(binary.read_text() + "# a change\n")
    assert version() != first
