"""Poker in a real arena: blocks on the same cards, controls that come out as episodes, everything recounted."""

import re
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.games.load import load_game
from equipoise.players.load import load_player

PAGE = Path(__file__).parents[2] / "docs" / "arena-poker.md"


def played(path: Path, spec: eq.ArenaSpec) -> eq.Arena:
    """An arena played to its end in this process."""
    game = load_game(spec.game, spec.options)
    assert spec.score_range == game.score_range
    players = {player.name: load_player(player, game=game) for player in spec.players}
    arena = eq.Arena.create(path, spec)
    while leases := arena.ask(n=24, worker="test"):
        for lease in leases:
            outcome = game.play([players[name] for name in lease.trial.players], seed=lease.trial.seed)
            arena.tell(lease, scores=outcome.scores, controls=outcome.controls, transcript=outcome.transcript)
    return arena


def test_hands_of_an_arena_are_episodes_for_every_method_of_luck(tmp_path):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: the extra games")
    spec = eq.ArenaSpec(
        name="table", game="holdem", options={"players": 3}, seats=3, players=["tight", "loose", "equity", "bluffer"],
        goal="budget", policy="round-robin", budget=96, score_range=(-24, 48), seed=3,
    )  # fmt: skip
    with played(tmp_path / "arena.db", spec) as arena:
        assert arena.verify().ok
        hands = arena.episodes()
    assert len(hands) == 3 * 96
    assert len(hands.deal.labels) == 96 // 3
    assert set(hands.controls) == {"baseline", "cards", "aivat"}
    assert eq.baseline(hands, control="baseline", cluster=False).agents == eq.duplicate(hands).agents
    for deal in range(len(hands.deal.labels)):
        # Three rotations: every seat of the deal has one value of the control, whoever sat there.
        own = hands.deal.codes == deal
        cells = {
            (int(seat), value)
            for seat, value in zip(hands.seat.codes[own], hands.controls["baseline"][own], strict=True)
        }
        assert len(cells) == 3


def test_in_mirrored_blocks_the_baseline_cancels(tmp_path):
    spec = eq.ArenaSpec(
        name="pair", game="leduc", players=["nash", "maniac"], goal="budget", budget=60, score_range=(-13, 13), seed=5
    )
    with played(tmp_path / "arena.db", spec) as arena:
        hands = arena.episodes()
    mine = hands.agent.codes == hands.agents.index("nash")
    total = np.bincount(hands.deal.codes[mine], weights=hands.controls["baseline"][mine])
    assert total == pytest.approx(np.zeros(30), abs=1e-9)
    assert hands.controls["baseline"].std() > 1.0


def test_leduc_bots_are_put_in_their_true_order(tmp_path):
    """The true means follow from enumeration: honest beats bluffer by 0.61 chips a hand, bluffer maniac by 0.97."""
    spec = eq.ArenaSpec(
        name="ladder", game="leduc", players=["maniac", "honest", "bluffer"], margin=None, budget=4000, check=10,
        score_range=(-13, 13), seed=1,
    )  # fmt: skip
    with played(tmp_path / "arena.db", spec) as arena:
        assert arena.state == "answered"
        assert "honest > bluffer > maniac" in arena.progress().sentence


def test_the_spec_of_the_page_is_one(tmp_path):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: the extra games")
    [text] = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    file = tmp_path / "spec.toml"
    file.write_text(text, encoding="utf-8")
    spec = eq.ArenaSpec.from_toml(file)
    game = load_game(spec.game, spec.options)
    assert spec.score_range == game.score_range
    for player in spec.players:
        if player.bot is None:
            load_player(player, game=game).close()
