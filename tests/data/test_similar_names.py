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
