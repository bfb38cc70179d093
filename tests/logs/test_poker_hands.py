"""Hands of poker of which the file does not say who won: several in one file, decimal money, unknown stacks."""

import pytest

import equipoise as eq
from equipoise.logs.games import poker

HEAD = "variant = 'NT'\nante_trimming_status = false\nmin_bet = 1\n"


def hand(actions: str, *, stacks: str = "[100, 100, 100]", antes: str = "[0, 0, 0]", blinds: str = "[0.5, 1, 0]",
         players: str = "['x', 'y', 'z']", more: str = "") -> str:  # fmt: skip
    listed = [f"'{action.strip()}'" for action in actions.split(",")]
    return (
        f"{HEAD}antes = {antes}\nblinds_or_straddles = {blinds}\nstarting_stacks = {stacks}\n"
        f"actions = [{', '.join(listed)}]\nplayers = {players}\ntime = 14:53:46\n{more}"
    )


DEALT = "d dh p1 ????, d dh p2 ????, d dh p3 ????"
FOLDED = hand(f"{DEALT}, p3 cbr 2.75, p1 f, p2 cc, d db 2s3s4s, p2 cc, p3 cbr 4.10, p2 f",
              stacks="[92.75, 434.70, 101.08]", antes="[0.25, 0.25, 0.25]",
              more="winnings = [0, 0, 6.5]\n")  # fmt: skip
SHOWN = hand("d dh p1 AsAh, d dh p2 2c7d, d dh p3 ????, p3 f, p1 cc, p2 cc, d db Ks9h4d, p1 cc, p2 cc, d db 3c,"
             " p1 cc, p2 cc, d db 5h, p1 cc, p2 cc, p1 sm AsAh, p2 sm 2c7d", stacks="[inf, inf, inf]")  # fmt: skip
OPEN = hand(f"{DEALT}, p3 cbr 3, p1 cc")


def net(episodes: eq.Episodes) -> dict[tuple[str, str], float]:
    hands = [episodes.hand.labels[code].rpartition(" ")[2] for code in episodes.hand.codes]
    names = [episodes.agents[code] for code in episodes.agent.codes]
    return dict(zip(zip(hands, names, strict=True), episodes.utility.tolist(), strict=True))


def test_hands_that_end_by_folding_are_settled_exactly(tmp_path):
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{FOLDED}\n[2]\n{FOLDED}\n")
    found = net(eq.read(path))
    # Antes .25 each; the small blind .5 is lost by folding; y called 2.75 and folded later; what z bet last comes back.
    assert found["1", "x"] == -0.75
    assert found["1", "y"] == -3.0
    assert found["1", "z"] == 3.75
    assert [found["2", name] for name in "xyz"] == [found["1", name] for name in "xyz"]


def test_of_two_players_the_second_posts_the_small_blind(tmp_path):
    path = tmp_path / "hand.phh"
    two = {"stacks": "[50, 50]", "antes": "[0, 0]", "blinds": "[0.5, 1]", "players": "['x', 'y']"}
    path.write_text(hand("d dh p1 ????, d dh p2 ????, p2 f", **two))
    assert list(net(eq.read(path)).values()) == [0.5, -0.5]


def test_a_bet_that_is_more_than_the_stack_is_the_stack(tmp_path):
    path = tmp_path / "hand.phh"
    path.write_text(hand(f"{DEALT}, p3 cbr 90, p1 cc, p2 f, d db 2s3s4s, p1 f", stacks="[10, 100, 100]"))
    assert list(net(eq.read(path)).values()) == [-10, -1, 11]


def test_a_showdown_is_played_out_even_with_unknown_stacks(tmp_path):
    pytest.importorskip("pokerkit")
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{SHOWN}\n[2]\n{OPEN}\n")
    episodes = eq.read(path)
    assert net(episodes) == {("1", "x"): 1.0, ("1", "y"): -1.0, ("1", "z"): 0.0}
    assert dict(episodes.account.dropped) == {poker.NOT_FINISHED: 1}
    assert any(note.code == "hands-left-out" for note in episodes.diagnostics)


def test_without_the_library_folded_hands_are_read_and_it_is_named(tmp_path, monkeypatch):
    for module in ("poker", "poker_results"):
        monkeypatch.setattr(f"equipoise.logs.games.{module}.can_play_out", lambda: False)
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{SHOWN}\n[2]\n{FOLDED}\n")
    episodes = eq.read(path)
    assert {key for key, _ in net(episodes)} == {"2"}
    assert any('pip install "equipoise[poker]"' in note.message for note in episodes.diagnostics)


def test_a_library_that_is_there_is_not_asked_for(tmp_path):
    pytest.importorskip("pokerkit")
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{OPEN}\n")
    with pytest.raises(eq.DataError, match="no hand is played to its end") as refused:
        eq.read(path)
    assert "pip" not in str(refused.value)


@pytest.mark.parametrize("wrong", ["p9 f", "p1 cbr nan", "p1 cbr x", "p1 cbr -3"])
def test_an_action_that_is_none_is_refused_or_counted(tmp_path, wrong):
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{FOLDED}\n[2]\n{hand(f'{DEALT}, {wrong}, p3 f')}\n")
    with pytest.raises(eq.DataError, match=r"hands\.phhs: hand 2: "):
        eq.read(path)
    kept = eq.read(path, read=eq.ReadOptions(on_error="skip"))
    assert dict(kept.account.dropped) == {"that cannot be understood": 1}
