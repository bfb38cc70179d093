"""Votes: windows, what is taken back, who may have which pair, what is left, who is left out and let in again."""

import json
import random
import zipfile
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.arena.engine import managing, voting
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.journal import restore_arena, write_journal
from equipoise.arena.journal.votes import vote_record
from equipoise.core.errors import DataError, ParameterError
from equipoise.games.load import load_game
from equipoise.logs.votes.answers import AnswerTable, read_answers
from tests.arena.voting import Clock, by_strength, crowd, vote_arena, write_answers


@pytest.fixture
def arena(tmp_path):
    with vote_arena(tmp_path) as made:
        yield made


@pytest.fixture
def clock(arena):
    return Clock(arena)


def counted(arena):
    return arena.look(lambda state: state.counted)


def test_players_prompts_and_a_seed_come_from_the_answers(tmp_path):
    answers = write_answers(tmp_path / "answers.csv")
    one, other = (
        eq.ArenaSpec.from_dict({"name": "v", "game": "votes", "answers": str(answers), "goal": "best"}) for _ in "ab"
    )
    assert one.names == ("strong", "middle", "weak")
    assert len(one.tasks) == 8
    assert one.policy == "uniform"
    assert one.seed != other.seed
    assert not one.mirrored


def test_a_vote_counts_after_its_window_and_not_before(arena, clock):
    seen = clock.next("ann")
    clock.cast("ann", seen, "a", reason="clearer")
    assert counted(arena) == 0
    clock.ahead = 59.0
    clock.run(voting.settle)
    assert counted(arena) == 0
    clock.ahead = 61.0
    clock.run(voting.settle)
    assert counted(arena) == 1
    assert arena.verify().ok


def test_a_vote_that_was_taken_back_is_asked_again_and_the_journal_has_both(arena, clock):
    seen = clock.next("ann")
    clock.cast("ann", seen, "a")
    clock.next("ann")
    assert clock.run(lambda batch: voting.undo(batch, "ann")) == seen.trial.number
    assert clock.next("ann").trial == seen.trial
    clock.cast("ann", seen, "b")
    clock.ahead = 61.0
    clock.run(voting.settle)
    said = [event.content() for event in arena.events(kinds=["vote"])]
    assert [one["do"] for one in said] == ["cast", "undone", "cast"]
    (result,) = (event.content() for event in arena.events(kinds=["result"]))
    assert (result["choice"], result["scores"], result["worker"]) == ("b", [0.0, 1.0], "ann")
    with pytest.raises(DataError, match="no vote to take back"):
        clock.run(lambda batch: voting.undo(batch, "ann"))


def test_the_same_vote_twice_is_one_vote_and_another_one_is_refused(arena, clock):
    seen = clock.next("ann")
    for _ in range(2):
        clock.cast("ann", seen, "a")
    with pytest.raises(DataError, match="take it back"):
        clock.cast("ann", seen, "b")
    clock.ahead = 61.0
    clock.run(voting.settle)
    clock.cast("ann", seen, "a")  # a browser that says it again an hour later
    assert counted(arena) == 1


def test_a_pair_waits_for_who_saw_it_and_goes_to_another_after_that(arena, clock):
    seen = clock.next("ann")
    assert clock.next("ann").trial == seen.trial
    assert clock.next("ben").trial != seen.trial
    clock.ahead = 1801.0
    assert clock.next("cleo").trial == seen.trial
    with pytest.raises(DataError, match="not yours any more"):
        clock.cast("ann", seen, "a")
    again = clock.next("ann")
    assert again is None or set(again.trial.players) != set(seen.trial.players)


def test_a_pair_that_is_left_counts_against_every_claim_where_that_was_asked_for(tmp_path):
    with vote_arena(tmp_path, left="against") as arena:
        clock = Clock(arena)
        seen = clock.next("ann")
        clock.ahead = 1801.0
        assert clock.next("ben").trial != seen.trial
        assert arena.look(lambda state: state.voids) == 1
        (opened, *_) = arena.look(lambda state: [sum(state.contest._ledger.evidence.void)])
        assert opened == 1


def test_nobody_is_asked_about_a_pair_twice_and_caps_hold(tmp_path):
    with vote_arena(tmp_path, votes_each=2) as arena:
        crowd(arena, 6)
        rows = [event.content() for event in arena.events(kinds=["result"])]
        assert len(rows) == 12
        pairs = [(row["worker"], frozenset(row["players"])) for row in rows]
        assert len(set(pairs)) == len(pairs)


def test_a_block_of_several_votes_is_one_voters_on_different_prompts(tmp_path):
    with vote_arena(tmp_path, votes_per_block=3) as arena:
        crowd(arena, 4)
        blocks = {}
        for event in arena.events(kinds=["result"]):
            body = event.content()
            blocks.setdefault(body["block"], []).append(body)
        assert all(len(rows) == 3 and len({row["worker"] for row in rows}) == 1 for rows in blocks.values())
        assert all(len({row["task"] for row in rows}) == 3 for rows in blocks.values())
        assert arena.verify().ok


def test_a_panel_votes_on_the_same_prompts(tmp_path):
    with vote_arena(tmp_path, panel=3, votes_each=10) as arena:
        clock = Clock(arena)
        for voter in ("ann", "ben", "cleo"):
            clock.everything(voter, by_strength())
        blocks = {}
        for event in arena.events(kinds=["result"]):
            body = event.content()
            blocks.setdefault(body["block"], []).append(body)
        full = [rows for rows in blocks.values() if len(rows) == 3]
        assert len(full) >= 8
        assert all(
            (len({row["worker"] for row in rows}), len({row["task"] for row in rows})) == (3, 1) for rows in full
        )


def test_the_best_model_is_found_and_a_snapshot_goes_on_alike(tmp_path):
    with vote_arena(tmp_path) as arena:
        crowd(arena, 60)
        assert arena.state == "answered"
        better = {(one.first, one.second) for one in arena.look(lambda state: state.contest.decisions)}
        assert ("strong", "middle") in better
        saved = arena.look(lambda state: state.snapshot())
        assert ArenaState.from_snapshot(saved).snapshot() == saved
        votes = arena.matches()
        assert len(votes) == saved["counts"][0]
        assert (votes.group, [*votes.crossed]) == (votes.labels["voter"], ["prompt"])


def test_excluding_somebody_is_taken_back_with_everything_they_voted(arena):
    clock = crowd(arena, 12)
    before = arena.look(lambda state: (state.counted, state.tally.state()))
    gone = arena.exclude("voter 3", "clicks at random")
    assert gone == 3
    assert counted(arena) == before[0] - 3
    assert clock.next("voter 3") is None
    assert len(arena.matches()) == before[0] - 3
    arena.include("voter 3", "it was a misunderstanding")
    assert arena.look(lambda state: (state.counted, state.tally.state())) == before
    arena.exclude("voter 3", "again")
    assert counted(arena) == before[0] - 3
    assert arena.verify().words[0].endswith("everything agrees.")


def test_who_asks_to_be_forgotten_leaves_no_words_and_no_votes(arena, clock):
    seen = clock.next("ann")
    clock.cast("ann", seen, "a", reason="I live in Sampleville")
    assert clock.run(lambda batch: managing.forget_voter(batch, "ann")) == 1
    journal = arena.place.replace("votes.db", "journal.jsonl")
    write_journal(arena, journal)
    assert "Sampleville" not in Path(journal).read_text(encoding="utf-8")
    assert arena.look(lambda state: state.voids) == 1
    assert clock.next("ann") is None
    assert arena.verify().ok


def test_a_journal_takes_the_answers_along(arena, clock, tmp_path):
    crowd(arena, 2)
    write_journal(arena, tmp_path / "journal.jsonl")
    restore_arena(tmp_path / "journal.jsonl", tmp_path / "again.db")
    arena.purge_transcripts()
    for place in (arena.place, tmp_path / "again.db"):
        with eq.Arena.look_at(place) as one, one.store.read() as transaction:
            assert "Indeed." in transaction.transcript(one.spec.options["answers"])


def test_names_are_shown_after_the_last_vote_alone(arena, clock):
    seen = clock.next("ann")
    clock.cast("ann", seen, "a")
    clock.run(lambda batch: voting.finish(batch, "ann"))
    assert counted(arena) == 1
    assert clock.next("ann") is None


def test_pairs_with_a_known_answer_count_for_nobody(tmp_path):
    with vote_arena(tmp_path, golds=2, gold=0.5) as arena:
        clock, golds = Clock(arena), 0
        for k in range(12):
            while (seen := clock.next(f"voter {k}", 2)) is not None:
                if seen.gold is None:
                    clock.cast(f"voter {k}", seen, "a")
                    continue
                golds += 1
                number = seen.gold
                clock.run(lambda batch: voting.answer_gold(batch, f"voter {k}", number, "b", "a"))  # noqa: B023
        assert golds > 6
        assert counted(arena) + len(arena.look(lambda state: state.votes.casts)) <= 36


def test_a_worker_is_given_no_vote_and_the_game_is_not_played_elsewhere(arena):
    with pytest.raises(DataError, match="people vote here"):
        arena.ask()
    with pytest.raises(ParameterError, match="equipoise vote"):
        load_game("votes")


@pytest.mark.parametrize(("rows", "words"), [
    ("prompt,model,answer\np,x,1\n", "two models"),
    ("prompt,model,answer\np,x,1\np,x,2\np,y,1\n", "two different answers"),
    ("prompt,model,answer\np,x,1\nq,y,1\n", "no prompt that is the same"),
    ("prompt,model,answer\np,,1\np,y,1\n", "model is empty"),
    ("prompt,modle,answer\np,x,1\n", "no column model"),
    ("prompt,model,answer,gold\np,x,1,\np,y,1,\ng,,1,better\n", "one gold answer"),
    ("", "is empty"),
])  # fmt: skip
def test_files_that_nobody_can_vote_on_are_refused_in_one_line(tmp_path, rows, words):
    path = tmp_path / "answers.csv"
    path.write_text(rows)
    with pytest.raises((DataError, ParameterError, eq.EquipoiseError), match=words) as refused:
        eq.Arena.create(tmp_path / "votes.db", {"name": "v", "game": "votes", "answers": str(path), "goal": "best"})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("member", ['{"eval": {"task": "t"}}', '{"eval": 1}', "{}"])
def test_an_archive_that_is_no_log_is_refused_in_one_line(tmp_path, member):
    with zipfile.ZipFile(tmp_path / "z.eval", "w") as archive:
        archive.writestr("header.json", member)
        archive.writestr("samples/1_epoch_1.json", '{"id": 1, "input": "p", "output": {"completion": "a"}}')
    with pytest.raises(DataError, match=r"model|Inspect") as refused:
        read_answers(tmp_path / "z.eval")
    assert "\n" not in str(refused.value)


def test_logs_that_keep_texts_are_read(tmp_path):
    (tmp_path / "alpaca.json").write_text(
        '[{"instruction": "Add 1", "generator": "x", "output": "2"},'
        ' {"instruction": "Add 1", "generator": "y", "output": "3"}]'
    )
    (tmp_path / "mt.jsonl").write_text(
        '{"question_id": 81, "model_id": "x", "choices": [{"turns": ["hello", "again"]}]}\n'
        '{"question_id": 81, "model_id": "y", "choices": [{"turns": ["hi", "there"]}]}\n'
    )
    for model in "xy":
        (tmp_path / model).mkdir()
        (tmp_path / model / "samples_t.jsonl").write_text(
            '{"doc": {}, "arguments": {"gen_args_0": {"arg_0": "Name a tree"}}, "resps": [["oak"]]}\n'
        )
        (tmp_path / f"{model}.json").write_text(
            json.dumps(
                {
                    "eval": {"model": model, "task": "t"},
                    "samples": [{"id": 1, "input": [{"content": "Say it"}], "output": {"completion": "it"}}],
                }
            )
        )
    with zipfile.ZipFile(tmp_path / "z.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "z", "task": "t"}}))
        for epoch in (1, 2):
            sample = {"id": 1, "epoch": epoch, "input": "Say it", "output": {"completion": f"this {epoch}"}}
            archive.writestr(f"samples/1_epoch_{epoch}.json", json.dumps(sample))
    table = read_answers(tmp_path)
    assert table.models == ["x", "y", "z"]
    assert len(table.answers) == 9
    assert table.answers["t 1", "z"] == "this 1"
    assert AnswerTable.from_text(table.text()).answers == table.answers


def test_a_decision_says_how_much_leaving_it_bears(tmp_path):
    with vote_arena(tmp_path, goal="order") as arena:
        clock = Clock(arena)
        for k in range(4):
            clock.next(f"gone {k}")
        clock.ahead = 4_000.0
        for k in range(40):
            clock.everything(f"voter {k}", by_strength(random.Random(k)))
        plain = [one.decision.sentence for one in arena.decisions()]
        said = [one.sentence for one in arena.standings(verdict=False).decisions]
    assert plain
    assert not any("who left" in one for one in plain), "the journal has what was decided, not what was left since"
    assert any("who left would have voted" in one for one in said)
    assert all(whole.startswith(short.rstrip(".")) for whole, short in zip(said, plain, strict=True))


def test_a_model_that_is_withdrawn_is_shown_no_more_and_stays_on_record(tmp_path):
    with vote_arena(tmp_path, goal="order") as arena:
        crowd(arena, 5)
        clock = Clock(arena)
        shown = next(seen for k in range(20) if "weak" in (seen := clock.next(f"late {k}")).trial.players)
        before = arena.look(lambda state: state.counted)
        gone = arena.exclude("weak", "its maker took it back")
        assert gone >= 1
        assert arena.look(lambda state: state.block_of(shown.trial.number)) is None
        assert arena.look(lambda state: state.counted) == before, "votes on it stay"
        with pytest.raises(DataError, match="no two models left"):
            arena.exclude("middle", "too")
        later = [seen.trial.players for k in range(30) if (seen := clock.next(f"new {k}")) is not None]
        assert later
        assert not any("weak" in players for players in later)
        assert any(one.code == "models-withdrawn" for one in arena.standings(verdict=False).diagnostics)
        arena.include("weak", "a mistake")
        again = [seen.trial.players for k in range(30) if (seen := clock.next(f"newest {k}")) is not None]
        assert any("weak" in players for players in again)
        record = vote_record(arena)
        assert [one[:3] for one in record.moves] == [
            ("weak", "withdrawn", "its maker took it back"), ("weak", "back", "a mistake"),
        ]  # fmt: skip
        assert not record.excluded
        assert arena.verify().ok


def test_a_model_without_answers_does_not_join_a_vote(tmp_path):
    with vote_arena(tmp_path, open=True) as arena, pytest.raises(DataError, match="no answers of new"):
        arena.add_player("new")
