"""Names that may be one agent's are noticed, named, and joined where the user says so; and an agent called none."""

import io

import pytest

import equipoise as eq


def pairs(rows, **options):
    text = "a,b,winner\n" + "".join(f"{one},{other},{winner}\n" for one, other, winner in rows)
    return eq.read_pairs(io.BytesIO(text.encode()), read=eq.ReadOptions(**options))


def notes(data):
    return {note.code: note for note in data.diagnostics}


@pytest.mark.parametrize("other", ["GPT-4O", "g\u0440t-4o", "gpt\u20114o", "\uff47pt-4o", "gpt 4o", "gpt_4o"])
def test_names_that_look_alike_are_named_and_joined(other):
    rows = [("gpt-4o", "x", "gpt-4o"), ("gpt-4o", "x", "x"), (other, "x", other)]
    table = pairs(rows)
    assert len(table.agents) == 3
    assert notes(table)["similar-names"].subjects == ("gpt-4o", other)
    assert 'merge_names="spelling"' in notes(table)["similar-names"].message
    joined = pairs(rows, merge_names="spelling")
    assert joined.agents == ("gpt-4o", "x")
    assert joined.games.sum() == 3
    assert "similar-names" not in notes(joined)
    assert notes(joined)["names-joined"].subjects == (other,)


def test_versions_are_named_and_joined_only_when_asked():
    rows = [("gpt-4o", "x", "a"), ("gpt-4o-2024-05-13", "x", "b"), ("gpt-4o", "x", "a")]
    table = pairs(rows)
    assert "versions-of-names" in notes(table)
    assert "similar-names" not in notes(table)
    assert len(pairs(rows, merge_names="spelling").agents) == 3
    assert pairs(rows, merge_names="versions").agents == ("gpt-4o", "x")


def test_other_names_are_left_in_peace():
    assert notes(pairs([("llama-2", "llama-3", "a"), ("bot 1", "bot 2", "b")])) == {}


@pytest.mark.parametrize("nobody", ["none", "None/None", "unknown"])
def test_an_agent_without_a_name_is_named(nobody):
    assert notes(pairs([(nobody, "x", "a"), ("x", "y", "b")]))["nameless-agent"].subjects == (nobody,)


def test_scores_of_a_long_table_are_joined():
    text = "agent,task,score\ngpt-4o,t,1\nGPT-4O,u,0\nx,t,0\nx,u,1\n"
    scores = eq.read_scores(io.BytesIO(text.encode()))
    assert "similar-names" in notes(scores)
    joined = eq.read_scores(io.BytesIO(text.encode()), read=eq.ReadOptions(merge_names="spelling"))
    assert len(joined.agents) == 2
    assert not joined.missing.any()


def test_games_between_spellings_of_one_agent_are_left_out_when_they_are_joined():
    rows = [("gpt-4o", "x", "a"), ("gpt-4o", "x", "b"), ("GPT-4O", "gpt-4o", "a"), ("x", "GPT-4O", "a")]
    joined = pairs(rows, merge_names="spelling")
    assert joined.games.sum() == 3
    assert "1 game between spellings" in notes(joined)["own-games"].message
    assert dict(joined.account.dropped) == {"between spellings of one agent": 1}
    with pytest.raises(eq.DataError, match="against itself"):
        pairs([*rows, ("x", "x", "a")], merge_names="spelling")


PLACED = "game,player,place\n1,Ann,1\n1,bob,2\n1,cat,3\n2,ann,1\n2,cat,2\n2,bob,3\n3,ann,1\n"
VOTED = "rank_1,rank_2,rank_3\nAnn,bob,cat\nann,cat,bob\nann,bob,cat\n"
DEALT = "deal,agent,utility\n1,Ann,1\n1,bob,-1\n2,ann,2\n2,bob,-2\n3,ann,2\n3,bob,-2\n"


@pytest.mark.parametrize(
    ("read", "text"), [(eq.read_rankings, PLACED), (eq.read_ballots, VOTED), (eq.read_episodes, DEALT)]
)
def test_places_ballots_and_hands_know_names_that_look_alike(read, text):
    data = read(io.BytesIO(text.encode()))
    assert set(notes(data)["similar-names"].subjects) == {"Ann", "ann"}
    joined = read(io.BytesIO(text.encode()), read=eq.ReadOptions(merge_names="spelling"))
    assert "ann" in joined.agents
    assert "Ann" not in joined.agents
    assert "similar-names" not in notes(joined)
    assert notes(joined)["names-joined"].subjects == ("Ann",)


def test_alternatives_of_preflib_are_joined(tmp_path):
    path = tmp_path / "votes.soi"
    path.write_text("# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: ann\n# ALTERNATIVE NAME 3: bob\n3: 1,3\n2: 3,2\n")
    assert set(notes(eq.read_ballots(path))["similar-names"].subjects) == {"Ann", "ann"}
    joined = eq.read_ballots(path, read=eq.ReadOptions(merge_names="spelling"))
    assert joined.agents == ("Ann", "bob")
    assert len(joined) == 2


def test_players_of_a_log_that_look_alike_are_named_and_joined(tmp_path):
    game = '[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    path = tmp_path / "games.pgn"
    path.write_text(game.format("Ann", "bob") + game.format("bob", "ann") + game.format("ann", "bob"))
    assert set(notes(eq.read(path))["similar-names"].subjects) == {"Ann", "ann"}
    joined = eq.rank(path, read=eq.ReadOptions(merge_names="spelling"))
    assert {row["agent"] for row in joined.frame().to_dicts()} == {"ann", "bob"}
    assert "similar-names" not in {note.code for note in joined.diagnostics}
