"""All goals stand in one registry: how they are written, what they need, and what follows from it."""

import pytest

import equipoise as eq
from equipoise.arena.contests.goals import GOALS, goal_of
from equipoise.data.files.arena_files import PLAIN_POLICIES, arena_notes
from tests.arena.playing import small

EXAMPLES = {"top": "top:2", "place": "place:c"}
NEEDED = {"ability": {"seats": 1, "criterion": "pass:0.5", "calibration": "items.json"}}


def test_the_message_about_an_unknown_goal_names_all_of_them():
    with pytest.raises(eq.ParameterError) as refused:
        small(goal="odrer")
    assert all(goal.form in str(refused.value) for goal in GOALS.values())
    assert "order" in str(refused.value).rpartition("did you mean")[2]


@pytest.mark.parametrize("name", GOALS)
def test_every_goal_is_read_as_it_is_written(name):
    text = EXAMPLES.get(name, name)
    assert small(goal=text, **NEEDED.get(name, {})).question is GOALS[name]
    wrong = name if text != name else f"{name}:x"
    for refused in (wrong, f"{name}:"):
        with pytest.raises(eq.ParameterError, match="is one of order"):
            goal_of(refused)


@pytest.mark.parametrize("name", [name for name, goal in GOALS.items() if goal.contest == "pairs"])
@pytest.mark.parametrize("policy", ["ranking", "uniform"])
def test_a_file_is_said_to_be_adaptive_where_its_goal_lets_results_decide(tmp_path, name, policy):
    """The reader of files knows arenas by their journal alone; both must say the same."""
    place = tmp_path / "arena.db"
    with eq.Arena.create(place, small(goal=EXAMPLES.get(name, name), policy=policy)):
        pass
    chosen = bool(arena_notes(place))
    assert chosen == (GOALS[name].decides or policy not in PLAIN_POLICIES)
