"""Engines that people use, where they are installed: `make engines` brings Debian's where it may."""

import io

import pytest

from equipoise.arena.processes.sandbox import find_program
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault
from equipoise.core.errors import ParameterError
from equipoise.games.load import load_game
from equipoise.players.load import load_player

chess = pytest.importorskip("chess", reason="python-chess is not installed")
pgn = pytest.importorskip("chess.pgn")


@pytest.fixture
def engine():
    """Open an engine, or skip where there is none."""
    opened = []

    def make(command, **options):
        try:
            find_program(command.split()[0])
        except ParameterError as error:
            pytest.skip(f"{error}; `make engines` installs it where that is allowed")
        opened.append(load_player(PlayerSpec(name=f"{command} {options}", bot=f"uci:{command}", options=options)))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_stockfish_is_found_outside_the_search_path_and_beats_its_weaker_self(engine):
    weak = engine("stockfish", nodes=2000, setoption={"Skill Level": 0})
    strong = engine("stockfish", nodes=2000, setoption={"Skill Level": 20})
    game = load_game("chess", {"resign_score": 1000})
    points = sum(game.play([strong, weak], seed=seed).scores[0] for seed in range(2))
    points += sum(game.play([weak, strong], seed=seed).scores[1] for seed in range(2))
    assert strong.engine.startswith("Stockfish")
    assert points >= 3


@pytest.mark.parametrize("name", ["stockfish", "fairy-stockfish"])
def test_no_game_depends_on_the_one_before(engine, name):
    one, other = engine(name, nodes=200), engine(name, nodes=400)
    game = load_game("chess", {"longest": 20})
    games = [game.play([one, other], seed=seed).transcript for seed in (5, 6, 5)]
    assert games[0] == games[2] != games[1]


def test_gnuchess_never_answers_go_nodes_and_forfeits(engine):
    stuck, other = engine("gnuchess --uci", nodes=100, patience=1.0), engine("gnuchess --uci", depth=1)
    game = load_game("chess", {"openings": "start", "longest": 6})
    with pytest.raises(PlayerFault, match="no best move within 1 s") as fault:
        game.play([other, stuck])
    assert fault.value.seat == 1
    outcome = game.play([other, engine("gnuchess --uci", depth=2)])
    assert pgn.read_game(io.StringIO(outcome.transcript)).headers["PlyCount"] == "12"
