import asyncio
import textwrap

import pytest

import equipoise as eq
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import ArenaGame, Player, TurnPlayer
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.games.load import load_game
from equipoise.players.load import load_player


@pytest.fixture
def module(tmp_path, monkeypatch, request):
    """Write a module into the current folder under a name of its own, and give the name."""
    monkeypatch.chdir(tmp_path)
    name = f"bots_{abs(hash(request.node.nodeid))}"

    def write(code):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(code))
        return name

    return write


def opened(name, bot=None, **options):
    return load_player(PlayerSpec(name=name, bot=bot, options=options))


def test_three_lines_are_a_game(module):
    name = module("""
        def play(players, seed):
            strong = [player.options["skill"] for player in players]
            return [float(skill == max(strong)) for skill in strong]
    """)
    game = load_game(f"python:{name}:play")
    assert isinstance(game, ArenaGame)
    assert game.play([opened("a", skill=1), opened("b", skill=3)], seed=4).scores == (0.0, 1.0)


def test_an_agent_is_scored_on_a_task(module):
    name = module("""
        def score(agent, task, seed):
            return agent(task) == "4"

        def answer(question):
            return str(eval(question))
    """)
    game = load_game(f"tasks:{name}:score")
    agent = opened("sums", f"python:{name}:answer")
    assert [game.play([agent], task=task).scores for task in ("2 + 2", "2 + 3")] == [(1.0,), (0.0,)]
    with pytest.raises(eq.ParameterError, match="one agent at a time, not 2"):
        game.play([agent, agent], task="2 + 2")


def test_a_referee_gives_controls_a_transcript_and_costs(module):
    name = module("""
        def play(players, task, seed, options):
            said = f"{task} {seed} {options['deck']}"
            controls = {"baseline": [0.5, -0.5]}
            return {"scores": [1, 0], "controls": controls, "transcript": said, "costs": {"tokens": 12}}
    """)
    game = load_game(f"python:{name}:play", {"deck": "short"})
    outcome = game.play([opened("a"), opened("b")], task="t", seed=9)
    assert outcome == Outcome.checked(
        [1, 0], 2, controls={"baseline": [0.5, -0.5]}, transcript="t 9 short", costs={"tokens": 12}
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("[1, 0, 0]", "one number for each of 2 seats, not 3"),
        ("0.5", "one number for each of 2 seats, not 0.5"),
        ("None", "one number for each of 2 seats, not None"),
        ("[1, float('nan')]", "nan is no finite number"),
        ("{'score': [1, 0], 'costs': {'tokens': 'many'}}", "cost"),
        ("{'scors': [1, 0]}", 'unknown key scors \\(did you mean "scores"'),
        ("'10'", "one number for each of 2 seats"),
    ],
)
def test_an_answer_that_is_no_outcome_is_the_referees_fault(module, answer, said):
    name = module(f"def play(players):\n    return {answer}\n")
    with pytest.raises(WorkerFault, match=f"^python:{name}:play gave no outcome: .*{said}"):
        load_game(f"python:{name}:play").play([opened("a"), opened("b")])


def test_what_a_bot_raises_is_its_players_fault_and_what_the_referee_raises_is_not(module):
    name = module("""
        def play(players):
            return [player(3) for player in players]

        def good(number):
            return 1 / number

        def bad(number):
            return 1 / (number - 3)

        def broken(players):
            return 1 / 0
    """)
    good, bad = opened("good", f"python:{name}:good"), opened("bad", f"python:{name}:bad")
    with pytest.raises(PlayerFault, match=f"^bad: ZeroDivisionError: .*{name}.py, line 9") as fault:
        load_game(f"python:{name}:play").play([good, bad])
    assert fault.value.seat == 1
    with pytest.raises(WorkerFault, match=f"^python:{name}:broken: ZeroDivisionError"):
        load_game(f"python:{name}:broken").play([good, bad])


@pytest.mark.parametrize(
    "raised",
    [
        "ConnectionResetError('gone')",
        "TimeoutError()",
        "MemoryError()",
        "FileNotFoundError('weights')",
        "Busy('later')",
        "WorkerFault('the model is loading')",
    ],
)
def test_what_is_not_surely_the_players_is_tried_again(module, raised):
    name = module(f"""
        from equipoise.arena.spec.trial import WorkerFault

        class Busy(Exception):
            status_code = 429

        def play(players):
            return [player() for player in players]

        def bot():
            raise {raised}
    """)
    with pytest.raises(WorkerFault):
        load_game(f"python:{name}:play").play([opened("a", f"python:{name}:bot")])


def test_a_bot_called_with_the_wrong_arguments_is_the_referees_fault(module):
    name = module("""
        def play(players):
            return [player(1, 2, 3) for player in players]

        def bot(one):
            return one
    """)
    with pytest.raises(WorkerFault, match="takes 1 positional argument but 3 were given"):
        load_game(f"python:{name}:play").play([opened("a", f"python:{name}:bot")])


def running_loop():
    """The loop that runs in this thread, such as that of a browser of other tests; None where there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def test_asynchronous_referees_and_bots_work_with_each_other(module):
    name = module("""
        import asyncio

        async def together(players):
            return await asyncio.gather(*(player(4) for player in players))

        def in_turn(players):
            return [player(4) for player in players]

        async def bot(number):
            await asyncio.sleep(0)
            return number / 8
    """)
    before = running_loop()
    players = [opened(seat, f"python:{name}:bot") for seat in "ab"]
    for referee in ("together", "in_turn"):
        game = load_game(f"python:{name}:{referee}")
        assert [game.play(players).scores for _ in range(2)] == [(0.5, 0.5)] * 2
        game.close()
    for player in players:
        player.close()
    assert running_loop() is before


@pytest.mark.parametrize("gather", ["gather", "group"])
def test_an_asynchronous_bot_is_blamed_by_its_seat(module, gather):
    name = module("""
        import asyncio

        async def gather(players):
            return await asyncio.gather(*(player() for player in players))

        async def group(players):
            async with asyncio.TaskGroup() as tasks:
                asked = [tasks.create_task(player()) for player in players]
            return [task.result() for task in asked]

        async def good():
            return 1.0

        async def bad():
            raise ValueError("no idea")
    """)
    game = load_game(f"python:{name}:{gather}")
    with pytest.raises(PlayerFault, match="no idea") as fault:
        game.play([opened("a", f"python:{name}:good"), opened("b", f"python:{name}:bad")])
    assert fault.value.seat == 1
    game.close()


def test_a_class_is_made_once_with_the_options_and_stays_warm(module):
    name = module("""
        def play(players):
            return [player.call("next") for player in players]

        class Counter:
            def __init__(self, start=0):
                self.count = start

            def next(self):
                self.count += 1
                return self.count

            def reset(self):
                self.count = 0
    """)
    game, player = load_game(f"python:{name}:play"), opened("a", f"python:{name}:Counter", start=5)
    assert isinstance(player, TurnPlayer)
    assert [game.play([player]).scores[0] for _ in range(2)] == [6.0, 7.0]
    player.reset()
    assert game.play([player]).scores == (1.0,)
    assert player.bot.count == 1


def test_a_function_that_wants_options_gets_them(module):
    name = module("""
        def play(players):
            return [player(2) for player in players]

        def bot(number, options):
            return number * options["factor"]
    """)
    assert load_game(f"python:{name}:play").play([opened("a", f"python:{name}:bot", factor=3)]).scores == (6.0,)


def test_a_version_changes_with_the_options_and_the_file(module):
    name = module("def bot(x):\n    return x\n")
    first = opened("a", f"python:{name}:bot")
    assert first.version == opened("b", f"python:{name}:bot").version
    assert first.version != opened("a", f"python:{name}:bot", depth=2).version
    module("def bot(x):\n    return x + 1\n")
    assert first.version != opened("a", f"python:{name}:bot").version


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("python", "lacks what comes after the colon: python:module:function"),
        ("python:", "lacks what comes after the colon"),
        ("python:nothing_of_that_name:play", 'there is no module "nothing_of_that_name", neither in the folder'),
        ("python:json", '"json" is no module:object'),
        ("python:json:dump_it", 'module json has no "dump_it"'),
        ("python:json:__doc__", "is no function"),
        ("pithon:json:dumps", 'there is no kind of game "pithon" \\(did you mean "python"'),
        (7, "game is a text such as"),
    ],
)
def test_a_game_that_cannot_be_found_is_refused_in_one_line(game, said):
    with pytest.raises(eq.ParameterError, match=said) as error:
        load_game(game)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def play(plyers):\n    return [1]", 'wants "plyers" \\(did you mean "players"'),
        ("def play(players, x, /):\n    return [1]", "wants"),
        ("import nothing_of_that_name", 'needs "nothing_of_that_name", which is not installed'),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero \\(.*line 1"),
        ("import sys\nsys.exit(3)", "cannot be imported: SystemExit: 3"),
        ("def play(:", "cannot be imported: SyntaxError"),
    ],
)
def test_a_module_that_does_not_fit_is_refused_in_one_line(module, code, said):
    name = module(code)
    with pytest.raises(eq.ParameterError, match=said) as error:
        load_game(f"python:{name}:play")
    assert "\n" not in str(error.value)


def test_a_class_that_does_not_take_the_options_is_refused(module):
    name = module("""
        class Bot:
            def __init__(self, depth):
                if depth < 0:
                    raise ValueError("depth is negative")
    """)
    with pytest.raises(eq.ParameterError, match=r'player "a": .* does not take these options: .*dept'):
        opened("a", f"python:{name}:Bot", dept=3)
    with pytest.raises(eq.ParameterError, match="cannot be made: ValueError: depth is negative"):
        opened("a", f"python:{name}:Bot", depth=-1)


def test_a_player_without_a_bot_cannot_be_called(module):
    name = module("def play(players):\n    return [player() for player in players]\n")
    player = opened("a")
    assert isinstance(player, Player)
    assert not isinstance(player, TurnPlayer)
    with pytest.raises(WorkerFault, match='player "a" has no bot to call'):
        load_game(f"python:{name}:play").play([player])


def test_progress_reaches_whoever_waits(module):
    name = module("""
        def play(players, progress):
            progress(1)
            progress(2)
            return [0]
    """)
    seen = []
    load_game(f"python:{name}:play").play([opened("a")], progress=seen.append)
    assert seen == [1, 2]
