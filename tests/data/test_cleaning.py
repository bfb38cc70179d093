"""Steps of cleaning: what each leaves out, in which order, with which count."""

import io
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.cli.main import main
from equipoise.data.select.cleaning_steps import STEPS, cleaning_steps

HEADER = "model_a,model_b,winner,judge,question_id,anony,tstamp,prompt,response_a"
ROWS = [
    "gpt-4,claude,model_a,u1,q1,true,5,hi,I am GPT-4!",
    "claude,gpt-4,model_b,u1,q1,true,1,hi,fine",
    "gpt-4,claude,tie (bothbad),u2,q1,True,2,hi,fine",
    "gpt-4,claude,model_b,u2,q2,false,3,hi,fine",
    "gpt-4,llama,model_b,u1,q3,true,4,hi,made by openai",
    "llama,claude,model_b,u1,q4,1,6,hi,gpt-4x is no name here",
    ",,,,,,,,",
]


def log(*rows, header=HEADER):
    return io.BytesIO("\n".join([header, *(rows or ROWS)]).encode())


def times(clean, **more):
    kept = eq.read_matches(log(), read=eq.ReadOptions(clean=clean), labels=["tstamp"], **more)
    account = kept.account
    assert account.rows == len(ROWS) == account.used + sum(account.dropped.values())
    assert account.used == len(kept) == eq.read_pairs(log(), read=eq.ReadOptions(clean=clean)).games.sum()
    label = kept.labels["tstamp"]
    return [int(label.labels[code]) for code in label.codes]


@pytest.mark.parametrize(
    ("clean", "left"),
    [
        ("anonymous", [5, 1, 2, 4, 6]),
        ("no-both-bad", [5, 1, 3, 4, 6]),
        ("once-per-prompt", [1, 3, 4, 6]),  # the first by time, whoever is named first
        ("once-per-vote", [1, 2, 3, 4, 6]),
        ("most-per-voter:2", [1, 2, 3, 4]),
        ("most-per-prompt:1", [1, 3, 4, 6]),
        ("no-leaks", [1, 2, 3, 4, 6]),
        ("no-leaks:OpenAI", [1, 2, 3, 6]),
        ("no-leaks:openai@prompt", [5, 1, 2, 3, 4, 6]),
        ("most-per-voter:1@question_id", [1, 3, 4, 6]),
        ("most-per-voter:1,anonymous,no-both-bad", [1]),  # taken in their own order
        (["anonymous", "once-per-vote@judge+question_id"], [1, 2, 4, 6]),
    ],
)
def test_a_step_keeps_the_rows_it_should(clean, left):
    assert times(clean) == left


def test_nothing_is_cleaned_unless_asked():
    assert times(None) == [5, 1, 2, 3, 4, 6]
    assert eq.read_matches(log()).outcome[2] == 0.5  # both bad is a tie


def test_the_note_says_each_step_and_which_votes_are_first():
    note = next(
        n
        for n in eq.read_matches(log(), read=eq.ReadOptions(clean="no-both-bad,most-per-voter:9")).diagnostics
        if n.code == "cleaned"
    )
    assert "1 (no-both-bad), 0 (most-per-voter:9)" in note.message
    assert "by tstamp" in note.message


def test_without_times_the_first_rows_stay():
    bare = [",".join(row.split(",")[:4]) for row in ROWS]
    kept = eq.read_matches(
        log(*bare, header="model_a,model_b,winner,judge"), read=eq.ReadOptions(clean="most-per-voter:1")
    )
    assert kept.outcome.tolist() == [1.0, 0.5]


def test_a_vote_without_a_voter_is_not_counted_against_anyone():
    kept = eq.read_matches(
        log("x,y,x,", "x,y,x,", "x,y,y,u", "x,y,x,u", header="a,b,winner,user"),
        read=eq.ReadOptions(clean="most-per-voter:1"),
    )
    assert kept.outcome.tolist() == [1.0, 1.0, 0.0]


def test_a_bad_row_takes_no_ones_place():
    rows = ("x,y,,u", "x,y,y,u", "x,y,x,u")
    kept = eq.read_matches(
        log(*rows, header="a,b,winner,user"), read=eq.ReadOptions(clean="most-per-voter:1", on_error="skip")
    )
    assert kept.outcome.tolist() == [0.0]
    assert dict(kept.account.dropped) == {"beyond the first 1 of a voter": 1, "no outcome": 1}


def test_revealed_votes_and_conversations_of_a_frame():
    said = [[{"role": "user", "content": "who?"}, {"role": "assistant", "content": "Claude here"}], [], None]
    frame = pl.DataFrame({
        "model_a": ["claude"] * 3, "model_b": ["owl"] * 3, "winner": ["model_a"] * 3,
        "is_revealed": [False, True, None], "conversation_a": said,
    })  # fmt: skip
    assert len(eq.read_matches(frame, read=eq.ReadOptions(clean="no-reveal"))) == 2
    assert len(eq.read_matches(frame, read=eq.ReadOptions(clean="no-leaks"))) == 2


@pytest.mark.parametrize(
    ("clean", "word"),
    [
        ("foo", "is no step"), ("anonimous", "did you mean"), ("most-per-voter", "such as most-per-voter:100"),
        ("most-per-voter:0", "how many"), ("most-per-voter:1.5", "how many"), ("anonymous,anonymous", "twice"),
        ("", "list of steps"), ([], "list of steps"), ("anonymous:3", "takes nothing"), ("no-leaks:", "takes words"),
        ("no-leaks:a++b", "empty word"), ("anonymous@", "names no column"), ("once-per-vote@x", "voters and"),
        ("no-both-bad@winner", "no column"), ("no-reveal", "no column says whether a name was revealed"),
        ("anonymous@judge", "neither yes nor no: u1, u2"), ("anonymous@nope", 'no column "nope"'),
        (3, "clean is a"), ([3], "list of steps"), ("anonymous,,no-both-bad", "list of steps"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_one_line(clean, word):
    with pytest.raises(eq.EquipoiseError, match=r"clean|column") as failed:
        eq.read_matches(log(), read=eq.ReadOptions(clean=clean))
    assert word in str(failed.value)
    assert "\n" not in str(failed.value)


def test_rows_that_are_several_votes_are_refused(tmp_path):
    with pytest.raises(eq.EquipoiseError, match="weights"):
        eq.read_matches(
            log("x,y,x,u,3", header="a,b,winner,user,weight"), read=eq.ReadOptions(clean="most-per-voter:1")
        )
    with pytest.raises(eq.EquipoiseError, match="no single votes"):
        eq.read_pairs(log("x,y,1,2", header="player,opponent,wins,games"), read=eq.ReadOptions(clean="no-both-bad"))
    with pytest.raises(eq.EquipoiseError, match="everybody against everybody"):
        eq.read_pairs(log("x,0.5,0.6", "y,0.4,0.5", header=",x,y"), read=eq.ReadOptions(clean="anonymous"))
    with pytest.raises(eq.EquipoiseError, match="no row of 2"):
        eq.read_pairs(log("x,y,x,0", "x,y,y,", header="a,b,winner,anony"), read=eq.ReadOptions(clean="anonymous"))
    with pytest.raises(eq.EquipoiseError, match="read already"):
        eq.rank("alphago", read=eq.ReadOptions(clean="anonymous"))
    scores = tmp_path / "scores.csv"
    scores.write_text("model,task,score\nx,t,1\ny,t,2\n")
    with pytest.raises(eq.EquipoiseError, match="match log"):
        eq.write_report(scores, tmp_path / "page.html", read=eq.ReadOptions(clean="anonymous"))


def test_one_hot_votes_are_cleaned_too():
    rows = ("x,y,1,0,0,p", "y,x,0,1,0,p", "x,y,0,0,1,q")
    kept = eq.read_pairs(
        log(*rows, header="model_a,model_b,winner_model_a,winner_model_b,winner_tie,prompt"),
        read=eq.ReadOptions(clean="once-per-prompt"),
    )
    assert kept.games.sum() == 2
    with pytest.raises(eq.EquipoiseError, match="which ties are bad"):
        eq.read_pairs(
            log(*rows, header="model_a,model_b,winner_model_a,winner_model_b,winner_tie,prompt"),
            read=eq.ReadOptions(clean="no-both-bad"),
        )


VOTE = st.tuples(
    st.sampled_from("xyz"), st.sampled_from("xyz"), st.sampled_from(["model_a", "model_b", "tie", "both_bad"]),
    st.sampled_from(["u", "v", ""]), st.sampled_from(["p", "q", ""]), st.booleans(), st.integers(0, 4),
).filter(lambda vote: vote[0] != vote[1])  # fmt: skip
STEP = st.sampled_from(
    ["anonymous", "no-both-bad", "once-per-vote", "once-per-prompt", "most-per-voter:2", "most-per-prompt:2"]
)


def slowly(votes, steps):
    """Take the steps one by one, row by row."""
    left = sorted(range(len(votes)), key=lambda row: votes[row][6])
    for name in STEPS:
        step = next((step for step in steps if step.startswith(name)), None)
        seen, stays = Counter(), []
        for row in left if step else ():
            a, b, winner, voter, prompt, blind, _ = votes[row]
            pair = tuple(sorted([a, b]))
            key = {"once-per-vote": (voter, prompt, pair), "once-per-prompt": (prompt, pair),
                   "most-per-voter": (voter,), "most-per-prompt": (prompt,)}.get(name)  # fmt: skip
            if key is not None:
                seen[key] += "" not in key
                good = "" in key or seen[key] <= int((step + ":1").split(":")[1])
            else:
                good = blind if name == "anonymous" else winner != "both_bad"
            stays += [row] * good
        left = stays if step else left
    return sorted(left)


@settings(max_examples=60, deadline=None)
@given(st.lists(VOTE, min_size=1, max_size=12), st.lists(STEP, unique=True, min_size=1))
def test_steps_keep_what_going_through_the_rows_keeps(votes, steps):
    columns = ["model_a", "model_b", "winner", "voter", "prompt", "anony", "time"]
    frame = pl.DataFrame(votes, schema=columns, orient="row").with_columns(row=pl.int_range(pl.len()))
    left = slowly(votes, steps)
    if not left:
        with pytest.raises(eq.DataError, match="leaves no row"):
            eq.read_matches(frame, read=eq.ReadOptions(clean=steps))
        return
    kept = eq.read_matches(frame, read=eq.ReadOptions(clean=steps), labels=["row"])
    assert [int(kept.labels["row"].labels[code]) for code in kept.labels["row"].codes] == left
    assert kept.account.used == len(left)


def test_from_the_shell(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    rng = np.random.default_rng(0)
    rows = [
        f"{a},{b},model_{'ab'[w]},u{u}"
        for a, b in ("xy", "yz", "zx")
        for w, u in zip(rng.integers(0, 2, 40), range(40), strict=True)
    ]
    path.write_text("\n".join(["model_a,model_b,winner,judge", *rows]))
    assert main(["rank", str(path), "--clean", "most-per-voter:1", "--format", "json"]) == 0
    assert '"beyond the first 1 of a voter": 80' in capsys.readouterr().out
    assert main(["rank", str(path), "--clean", "anonymous"]) != 0
    assert "anonymous@COLUMN" in capsys.readouterr().err


def test_steps_come_in_one_order():
    assert [str(step) for step in cleaning_steps(list(reversed([*STEPS][:6])))] == [*STEPS][:6]
