"""Scores as people have them, names that can be told apart, and a budget that is spent evenly."""

import numpy as np
import pytest

import equipoise as eq

SPEC = {"name": "x", "game": "python:x:y", "players": ["a", "b"], "goal": "budget", "budget": 40}


@pytest.mark.parametrize(
    "scores",
    [
        (True, False), [np.True_, np.False_], np.array([True, False]), np.array([1, 0], dtype=np.int8),
        np.array([1.0, 0.0], dtype=np.float32), (np.float16(1), np.uint8(0)), (np.array(1.0)[()], 0),
    ],
)  # fmt: skip
def test_scores_of_bool_and_numpy_are_taken(tmp_path, scores):
    with eq.Arena.create(tmp_path / "x.db", SPEC) as arena:
        arena.serve()
        leases = arena.ask(n=4)
        assert arena.tell(leases[0], scores).counted
        assert arena.tell_many([{"lease": leases[1], "scores": scores}])[0].counted
        with eq.Arena.connect(tmp_path / "x.db") as client:
            controls = {"luck": np.zeros(2, dtype=np.float32)}
            assert client.tell(leases[2], scores, controls=controls, costs={"tokens": np.int64(3)}).counted
            assert client.tell_many([{"lease": leases[3], "scores": scores}])[0].counted
        told = [event.content()["scores"] for event in arena.events() if event.kind == "result"]
        assert told == [[1.0, 0.0]] * 4
        assert arena.verify().ok


ALIKE = [
    ("Stockfish", "stockfish"), ("bot", "bоt"), ("ann", "аnn"), ("bot-1", "bot-l"), ("AI", "Al"), ("GPT-4O", "GPT-40"),
    ("mcts", "mcts\ufe0f"), ("mcts", "mcts\u3164"), ("a b", "a  b"), ("ﬁsh", "fish"), ("bot-2", "bot–2"),
    ("ΒΟΤ", "BOT"), ("strasse", "straße"),
]  # fmt: skip


@pytest.mark.parametrize("names", ALIKE)
def test_players_whose_names_look_alike_are_refused(tmp_path, names):
    with pytest.raises(eq.DataError, match="names that look different"):
        eq.Arena.create(tmp_path / "x.db", {**SPEC, "players": list(names)})
    with eq.Arena.create(tmp_path / "y.db", {**SPEC, "players": [names[0], "other"], "open": True}) as arena:
        with pytest.raises(eq.DataError, match="names that look different"):
            arena.add_player(names[1])
        assert [player.name for player in arena.spec.players] == [names[0], "other"]


def test_names_that_differ_to_the_eye_are_taken(tmp_path):
    names = ["mcts-10", "mcts-100", "a", "b", "o1", "o3", "Élan", "Elan", "бот", "漢字", "i", "j", "v1.0", "v10"]
    eq.Arena.create(tmp_path / "x.db", {**SPEC, "players": names}).close()


def test_an_arena_that_has_such_names_already_is_still_read():
    assert eq.ArenaSpec.from_dict({**SPEC, "players": ["A", "a"]}).names == ("A", "a")


def played_pairs(arena):
    pairs = {}
    while leases := arena.ask(n=2):
        for lease in leases:
            met = tuple(sorted(lease.trial.players))
            pairs[met] = pairs.get(met, 0) + 1
            arena.tell(lease, [float(name == min(met)) for name in lease.trial.players])
    return pairs


def test_a_budget_is_spent_evenly(tmp_path):
    spec = {**SPEC, "players": list("abcde"), "budget": 60}
    with eq.Arena.create(tmp_path / "x.db", spec) as arena:
        assert set(played_pairs(arena).values()) == {6}
        assert next(iter(arena.events())).content()["spec"]["policy"] == "round-robin"
        assert arena.verify().ok
    with eq.Arena.create(tmp_path / "y.db", {**spec, "policy": "ranking"}) as arena:
        assert len(set(played_pairs(arena).values())) > 1
    assert eq.ArenaSpec.from_dict(arena.spec.to_dict()).policy == "ranking"
    assert eq.ArenaSpec.from_dict({**spec, "goal": "best"}).policy == "ranking"


def test_a_journal_that_names_no_policy_was_played_by_ranking(tmp_path, monkeypatch):
    plain = eq.ArenaSpec.to_dict
    monkeypatch.setattr(eq.ArenaSpec, "to_dict", lambda spec: {k: v for k, v in plain(spec).items() if k != "policy"})
    eq.Arena.create(tmp_path / "x.db", {**SPEC, "players": list("abcde")}).close()
    monkeypatch.undo()
    with eq.Arena.open(tmp_path / "x.db") as arena:
        assert arena.spec.policy == "ranking"
        assert arena.verify().ok
