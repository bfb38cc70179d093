"""Games and bots of OpenSpiel; they are skipped where it is not installed (the extra ``games``)."""

import json
import sys
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.arena.spec import kinds
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.games.load import load_game
from equipoise.players.load import load_player
from equipoise.players.python import PythonPlayer

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples" / "arena"


def bot(kind, name=None, game=None, **options):
    return load_player(PlayerSpec(name=name or kind, bot=f"openspiel:{kind}", options=options), game)


def replayed(transcript):
    """Play the moves of a transcript again."""
    name, _, moves = transcript.partition("\n")
    state = pyspiel.load_game(name).new_initial_state()
    for move in moves.split():
        state.apply_action(int(move))
    return state


def test_scores_are_the_utilities_of_the_transcript_between_0_and_1():
    game = load_game("openspiel:tic_tac_toe")
    assert (game.seats, game.score_range) == ((2, 2), (0.0, 1.0))
    players = [bot("random", "a"), bot("random", "b")]
    seen = set()
    for seed in range(60):
        outcome = game.play(players, seed=seed)
        state = replayed(outcome.transcript)
        assert state.is_terminal()
        assert list(outcome.scores) == [(value + 1) / 2 for value in state.returns()]
        seen.add(outcome.scores)
    assert seen == {(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)}


def test_the_same_seed_is_the_same_game_and_another_is_not():
    game = load_game("openspiel:connect_four")
    players = [bot("mcts", "a", simulations=20), bot("random", "b")]
    games = [game.play(players, seed=seed).transcript for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


def test_search_beats_dice():
    game = load_game("openspiel:connect_four", {"parameters": {"rows": 5}})
    players = [bot("random"), bot("mcts", simulations=50)]
    assert [game.play(players, seed=seed).scores for seed in range(5)] == [(0.0, 1.0)] * 5


def test_chance_comes_from_the_seed_whoever_plays():
    game = load_game("openspiel:kuhn_poker")
    deals = {
        seed: {tuple(game.play(pair, seed=seed).transcript.split("\n")[1].split()[:2]) for pair in pairs}
        for pairs in [[[bot("random"), bot("cfr", iterations=5)], [bot("cfr", iterations=5), bot("random")]]]
        for seed in range(10)
    }
    assert all(len(cards) == 1 for cards in deals.values())
    assert len({next(iter(cards)) for cards in deals.values()}) > 2


def test_a_solved_policy_does_not_lose_to_dice_in_the_long_run():
    game = load_game("openspiel:kuhn_poker", {"normalised": False})
    assert game.score_range == (-2.0, 2.0)
    solved, dice = bot("cfr", iterations=300), bot("random")
    won = [game.play([solved, dice], seed=seed).scores[0] + game.play([dice, solved], seed=seed).scores[1]
           for seed in range(400)]  # fmt: skip
    assert sum(won) > 0


def test_an_opening_is_drawn_from_the_seed_and_the_same_from_both_sides():
    game = load_game("openspiel:connect_four", {"opening": 4})
    first = PythonPlayer("first", {}, lambda view: view.legal[0])
    last = PythonPlayer("last", {}, lambda view: view.legal[-1])
    openings = [game.play(pair, seed=seed).transcript.split("\n")[1].split()[:4]
                for seed in range(5) for pair in ([first, last], [last, first])]  # fmt: skip
    assert all(openings[i] == openings[i + 1] for i in range(0, 10, 2))
    assert len({tuple(opening) for opening in openings}) > 1


def test_more_than_two_and_simultaneous_players_sit_down():
    three = load_game("openspiel:kuhn_poker(players=3)")
    assert three.seats == (3, 3)
    outcome = three.play([bot("random", name) for name in "abc"], seed=1)
    assert sum(outcome.scores) == pytest.approx(3 * -three._low / three._span)
    throws = load_game("openspiel:matrix_rps")
    seen = {throws.play([bot("random", "a"), bot("random", "b")], seed=seed).scores for seed in range(30)}
    assert seen == {(0.5, 0.5), (1.0, 0.0), (0.0, 1.0)}
    with pytest.raises(eq.ParameterError, match='player "b" cannot play this game: ResampleFromInfostate'):
        throws.play([bot("random", "a"), bot("ismcts", "b", simulations=10)])


def test_a_search_over_deals_plays_what_is_hidden():
    game = load_game("openspiel:kuhn_poker")
    assert sum(game.play([bot("ismcts", simulations=20), bot("random")], seed=3).scores) == 1.0


def test_programs_and_functions_see_what_they_may_know():
    game = load_game("openspiel:tic_tac_toe")
    views = []

    def watcher(view):
        views.append(view)
        return view.names[0]

    shell = load_player(PlayerSpec(name="shell", bot=f"program:{EXAMPLES / 'first_move.sh'}"), game)
    game.play([PythonPlayer("watcher", {}, watcher), shell])
    shell.close()
    assert views[0].names[0] == "x(0,0)"
    assert views[1].observation == {"text": "xo.\n...\n...", "moves": [0, 1]}
    hidden = load_game("openspiel:leduc_poker")
    views.clear()
    hidden.play([PythonPlayer("watcher", {}, watcher), bot("random")])
    assert set(views[0].observation) == {"text"}
    assert "Private" in views[0].observation["text"]


def test_a_table_of_probabilities_is_a_player(tmp_path):
    path = tmp_path / "always_bet.json"
    states = ["0", "1", "2", "0p", "1p", "2p", "0b", "1b", "2b", "0pb", "1pb", "2pb"]
    path.write_text(json.dumps({state: {"Bet": 1.0, "0": 0.0} for state in states}))
    game = load_game("openspiel:kuhn_poker")
    better = bot("tabular", "better", file=str(path))
    moves = [game.play([better, bot("tabular", "other", file=str(path))], seed=seed).transcript for seed in range(5)]
    assert {tuple(text.split("\n")[1].split()[2:]) for text in moves} == {("1", "1")}
    path.write_text(json.dumps({"0": {"Bet": 1}}))
    assert bot("tabular", "better", file=str(path)).version != better.version


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no file"),
        ("{", "is no JSON"),
        ("[]", "is a JSON object"),
        ('{"0": {"1": -1}}', 'the row "0" is no table of probabilities'),
        ('{"0": {}}', 'the row "0" is no table of probabilities'),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, text, said):
    path = tmp_path / "policy.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(eq.ReadError, match=said):
        bot("tabular", file=str(path))


def test_a_state_without_a_row_is_named(tmp_path):
    path = tmp_path / "policy.json"
    path.write_text('{"7": {"Bet": 1}}')
    with pytest.raises(eq.DataError, match=r"policy\.json has no row for the information state"):
        load_game("openspiel:kuhn_poker").play([bot("tabular", file=str(path)), bot("random")])


def test_any_bot_that_a_function_makes_hears_of_every_move(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot_of_mine.py").write_text("""
import pyspiel

heard = []

class Listener(pyspiel.Bot):
    def __init__(self, last):
        pyspiel.Bot.__init__(self)
        self.last = last

    def inform_action(self, state, player, action):
        heard.append((player, action))

    def step(self, state):
        return state.legal_actions()[-1 if self.last else 0]

def make(game, seat, seed, last=False):
    return Listener(last)
""")
    game = load_game("openspiel:tic_tac_toe")
    transcript = game.play([bot("bot_of_mine:make", "m", last=True), bot("bot_of_mine:make", "n")]).transcript
    moves = [int(move) for move in transcript.split("\n")[1].split()]
    heard = sys.modules["bot_of_mine"].heard
    assert [action for player, action in heard if player == 1] == moves[1::2][: len(moves) // 2]
    assert [action for player, action in heard if player == 0] == moves[0 : len(moves) - 1 : 2]


def test_bots_that_openspiel_has_registered_play():
    game = load_game("openspiel:tic_tac_toe")
    assert game.play([bot("uniform_random", "a"), bot("fixed_action_preference", "b")]).scores
    with pytest.raises(eq.DataError, match='player "a" has no option "depth"; it takes none'):
        bot("uniform_random", "a", depth=3)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("openspiel:conect_four", {}, 'OpenSpiel has no game "conect_four" \\(did you mean "connect_four"'),
        ("openspiel:", {}, "lacks what comes after the colon: openspiel:NAME"),
        ("openspiel:connect_four(rowz=3)", {}, "OpenSpiel cannot load .*Unknown parameter 'rowz'"),
        ("openspiel:connect_four", {"parameters": {"rows": "x"}}, "Wrong type for parameter rows"),
        ("openspiel:connect_four", {"openings": 3}, 'has no option "openings" \\(did you mean "opening"'),
        ("openspiel:connect_four", {"opening": -1}, "opening is a whole number of at least 0"),
        ("openspiel:mfg_crowd_modelling", {}, "is a game of a population"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_one_line(name, options, said):
    with pytest.raises(eq.EquipoiseError, match=said) as error:
        load_game(name, options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("mtcs", {}, 'OpenSpiel has no bot "mtcs" \\(did you mean "mcts"'),
        ("mcts", {"simulation": 3}, 'has no option "simulation" \\(did you mean "simulations"'),
        ("mcts", {"simulations": 0}, "simulations is a whole number of at least 1, not 0"),
        ("tabular", {}, "needs the option file"),
        ("no_module_of_this_name:make", {}, "there is no module"),
    ],
)
def test_a_bot_that_cannot_be_made_is_refused_in_one_line(kind, options, said):
    with pytest.raises(eq.EquipoiseError, match=said):
        bot(kind, **options)


def test_a_search_that_would_see_hidden_cards_is_refused():
    with pytest.raises(eq.ParameterError, match="openspiel:mcts would see what is hidden"):
        load_game("openspiel:kuhn_poker").play([bot("mcts"), bot("random")])


def test_an_illegal_move_is_a_fault_with_what_was_played_until_then():
    game = load_game("openspiel:tic_tac_toe")
    players = [PythonPlayer("a", {}, lambda view: view.legal[0]), PythonPlayer("b", {}, lambda _: 0)]
    with pytest.raises(PlayerFault, match=r"illegal move 0; legal were o\(0,1\)") as fault:
        game.play(players)
    assert (fault.value.seat, fault.value.transcript) == (1, "tic_tac_toe()\n0")


def test_a_game_that_does_not_end_is_given_up():
    game = load_game("openspiel:tic_tac_toe", {"longest": 2})
    with pytest.raises(WorkerFault, match="is not over after 2 moves"):
        game.play([bot("random", "a"), bot("random", "b")])
    with pytest.raises(eq.ParameterError, match="is over within an opening of 9 moves"):
        load_game("openspiel:tic_tac_toe", {"opening": 9}).play([bot("random", "a"), bot("random", "b")])


def test_a_bot_of_openspiel_at_another_table_is_refused(tmp_path):
    game = load_game(f"program:{sys.executable} {EXAMPLES / 'nim_referee.py'}")
    with pytest.raises(eq.ParameterError, match="plays its games only"):
        game.play([bot("random", "a"), bot("random", "b")])
    game.close()


def test_what_is_not_installed_is_said_in_one_line(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(kinds, "import_module", absent)
    with pytest.raises(eq.MissingDependencyError, match=r'pyspiel is needed for .*pip install "equipoise\[games\]"'):
        load_game("openspiel:tic_tac_toe")
