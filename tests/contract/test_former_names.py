"""Names that were public keep working for one version, and say what they are called now."""

import re
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.analyses.votes.voting import weigh_voters
from equipoise.core.former import FORMER_ATTRIBUTES, FORMER_NAMES, FORMER_OPTIONS, FORMER_VALUES, SYNONYMS
from equipoise.data.encode.labels import Factor

TABLES = {"equipoise": eq, "equipoise.methods": eq.methods, "equipoise.results": eq.results}


@pytest.mark.parametrize(("old", "now"), FORMER_NAMES.items())
def test_a_former_name_gives_what_it_is_called_now(old, now):
    with pytest.warns(DeprecationWarning, match=re.escape(f"equipoise.{old} is now equipoise.{now};")) as caught:
        former = getattr(eq, old)
    assert caught[0].filename == __file__, "the warning points at the line that uses the old name"
    path, _, options = now.partition("(")
    module, _, name = f"equipoise.{path}".rpartition(".")
    assert name in TABLES[module].__all__
    found = getattr(TABLES[module], name)
    assert (former.func if options else former) is found
    assert old not in eq.__all__


def test_former_names_of_options_work_where_a_method_has_some():
    @eq.method(takes="array", answers="?", reference="?", renamed={"resamples": "n"})
    def count(x, *, n: int = 3):
        return n

    with pytest.warns(DeprecationWarning, match=r"count\(resamples=\.\.\.\) is now n=\.\.\.; the old name ends in"):
        assert count([1.0], resamples=5) == 5
    with (
        pytest.warns(DeprecationWarning, match="is now n"),
        pytest.raises(eq.ParameterError, match=r"^n is a whole number"),
    ):
        count([1.0], resamples=2.5)
    with pytest.raises(eq.ParameterError, match="resamples is the former name of n"):
        count([1.0], resamples=5, n=4)


def test_scores_are_compared_by_the_call_that_did_it_before():
    scores = eq.Scores.from_matrix([[[0.1, 0.2], [0.5, 0.6]], [[0.7, 0.8], [0.9, 0.8]]])
    with pytest.warns(DeprecationWarning, match="is now equipoise.probability_of_improvement") as caught:
        former = eq.compare(scores, n=20)
    assert caught[0].filename == __file__
    assert former.to_dict() == eq.probability_of_improvement(scores, n=20).to_dict()
    assert eq.compare(scores, *scores.agents).first == scores.agents[0]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError):
        eq.nonsense  # noqa: B018


def test_a_bootstrap_takes_its_unit_by_either_name():
    scores = eq.Scores.from_matrix([[0.1, 0.5, 0.9], [0.2, 0.4, 0.1]])
    one, other = (
        eq.bootstrap(eq.nash_average, scores, n=4, statistic="skill", **given)
        for given in ({"unit": "task"}, {"over": "tasks"})
    )
    np.testing.assert_array_equal(one.replicates, other.replicates)
    with pytest.raises(eq.ParameterError, match="unit is another name of over"):
        eq.bootstrap(eq.nash_average, scores, unit="task", over="tasks")


RUNS = eq.Scores.from_matrix([[[0.1, 0.2], [0.5, 0.6]], [[0.7, 0.8], [0.9, 0.8]]])


@pytest.mark.parametrize(
    ("method", "trial"),
    [
        (eq.aggregate, "run"),
        (eq.performance_profile, "run"),
        (eq.probability_of_improvement, "run"),
        (partial(eq.nash_average, units="none"), "trial"),
        (partial(eq.bootstrap, lambda s: eq.nash_average(s, units="none")), "trial"),
    ],
)
def test_what_is_drawn_has_the_words_of_the_command_line_and_takes_the_former_ones(method, trial):
    for former, now in ((trial, "runs"), ("task", "tasks")):
        with pytest.warns(DeprecationWarning, match="resample=...\\) is now over=") as caught:
            old = method(RUNS, n=4, resample=former)
        assert caught[0].filename == __file__
        new = method(RUNS, n=4, over=now)
        assert new.params["over"] == now
        assert f"over {now}" in new.interval.kind
        assert old.to_dict() == new.to_dict()


GAMES = eq.Matches.from_columns("aabbcc" * 10, "bcacab" * 10, [1, 1, 0, 1, 0, 1] * 10, task="st" * 30)
BANK = eq.results.Calibration.from_parameters(map(str, range(20)), difficulty=np.linspace(-2, 2, 20))
PART = eq.Scores.from_matrix([[1.0] * 6 + [0.0] * 6], tasks=[str(k) for k in range(0, 20, 2)] + ["1", "3"])
FORMER_RESULTS = {
    ("Result", "words"): lambda: eq.bradley_terry(GAMES),
    **{("Standings", name): lambda: eq.rank(GAMES) for name in ("verdict", "ratings")},
    ("WeighedVoters", "ratings"): lambda: weigh_voters(
        replace(GAMES, labels={"voter": Factor.of(["v", "w"] * 30)}), voter="voter"
    ),
    ("BradleyTerry", "island"): lambda: eq.bradley_terry(GAMES),
    ("PairComparison", "comparison"): lambda: eq.compare(GAMES, "a", "b"),
    ("CategoryBoards", "boards"): lambda: eq.categories(GAMES, "task"),
    ("Plan", "plan"): lambda: eq.plan(GAMES),
    ("Judges", "judged"): lambda: eq.judges(GAMES),
    ("Judges", "data"): lambda: eq.judges(GAMES),
    ("Judges", "origin"): lambda: eq.judges(GAMES),
    ("IRT", "data"): lambda: eq.irt("lsat", model="rasch"),
    ("IRT", "origin"): lambda: eq.irt("lsat", model="rasch"),
    **{("Scored", name): lambda: eq.irt(PART, calibration=BANK) for name in ("scored", "data", "origin")},
    **{("Predicted", name): lambda: eq.predict(PART, BANK) for name in ("predicted", "data", "origin")},
    ("LengthControlled", "controlled"): lambda: eq.length_control(
        pl.DataFrame(
            {
                "model_a": ["new"] * 60,
                "model_b": ["old"] * 60,
                "winner": ["a", "b", "b"] * 20,
                "length_a": [300 + 40 * (k % 7) for k in range(60)],
                "length_b": [400] * 60,
            }
        ),
        baseline="old",
    ),
}


@pytest.mark.parametrize("key", FORMER_ATTRIBUTES, ids=".".join)
def test_a_former_attribute_gives_what_it_was_and_says_what_it_is_now(key):
    result = FORMER_RESULTS[key]()
    assert key[0] in [kind.__name__ for kind in type(result).__mro__]
    with pytest.warns(DeprecationWarning, match=rf"\w+\.{key[1]} is now .*ends in version 0\.4") as caught:
        former = getattr(result, key[1])
    assert caught[0].filename == __file__
    now = FORMER_ATTRIBUTES[key]
    assert former is (attrgetter(now)(result) if now else result)


QUESTIONS = {
    "rank": lambda **given: eq.rank(GAMES, **given),
    "categories": lambda **given: eq.categories(GAMES, "task", **given),
    "place": lambda **given: eq.place(GAMES, eq.rank(GAMES), **given),
    "tasks": lambda **given: eq.tasks(RUNS, n=5, **given),
    "metagame": lambda **given: eq.metagame(GAMES.pairs(), **given),
}
RUNS = eq.Scores.from_matrix([[[0.1, 0.3], [0.5, 0.6]], [[0.7, 0.8], [0.9, 0.2]]])
OF = {"components": "rank", "over": "tasks", "show": "metagame"}
VALUES = {"over": "tasks", "adjust": "length", "components": "largest", "between_sd": 0.2, "min_p": 0.0}


@pytest.mark.parametrize(("question", "old"), FORMER_OPTIONS)
def test_a_former_option_of_a_question_does_what_it_did(question, old):
    now = FORMER_OPTIONS[question, old]

    def outcome(name):
        try:
            return QUESTIONS[question](**{name: VALUES[now]}).to_dict()
        except eq.EquipoiseError as error:  # there are no lengths in these games, under either name
            return str(error)

    with pytest.warns(DeprecationWarning, match=rf"{question}\({old}=\.\.\.\) is now {now}=") as caught:
        former = outcome(old)
    assert caught[0].filename == __file__
    assert former == outcome(now)
    with pytest.raises(eq.ParameterError, match=f"{old} is another name of {now}"):
        QUESTIONS[question](**{old: VALUES[now], now: VALUES[now]})


@pytest.mark.parametrize(("option", "old"), FORMER_VALUES)
def test_a_former_value_of_an_option_does_what_it_did(option, old):
    now, asked = FORMER_VALUES[option, old], OF[option]
    with pytest.warns(DeprecationWarning, match=f'{asked}\\({option}="{old}"\\) is now {option}="{now}"'):
        former = QUESTIONS[asked](**{option: old})
    assert former.to_dict() == QUESTIONS[asked](**{option: now}).to_dict()


def test_a_bootstrap_of_tasks_draws_what_it_drew():
    with pytest.warns(DeprecationWarning, match="is now over"):
        former = QUESTIONS["tasks"](resample="task")
    drawn = [QUESTIONS["tasks"](over=over).to_dict() for over in ("tasks", "runs")]
    assert former.to_dict() == drawn[0] != drawn[1]


@pytest.mark.parametrize(("method", "option", "value"), [("elo", "step_size", 32.0), ("melo", "dimensions", 0)])
def test_the_number_of_a_method_has_two_names_there_and_one_of_its_own_in_the_question(method, option, value):
    rate = getattr(eq, method)
    assert rate(GAMES, **{option: value}).to_dict() == rate(GAMES, k=value).to_dict() != rate(GAMES).to_dict()
    board = eq.rank(GAMES, method=method, options=eq.RankOptions(**{option: value}))
    with pytest.warns(DeprecationWarning, match=rf"options=RankOptions\({option}="):
        assert eq.rank(GAMES, method=method, k=value).to_dict() == board.to_dict()
    np.testing.assert_array_equal(board.rated.rating, rate(GAMES, k=value).rating)


def test_other_names_of_options_stay(tmp_path):
    assert SYNONYMS == {"side": "position", "group": "cluster"}
    assert eq.rank(GAMES, side=True).to_dict() == eq.rank(GAMES, position=True).to_dict()
    log = pl.DataFrame(
        {"a": ["x", "y", "x"] * 9, "b": ["y", "x", "y"] * 9, "outcome": [1, 1, 0] * 9, "who": [*"uvw"] * 9}
    )
    assert eq.rank(log, group="who").to_dict() == eq.rank(log, cluster="who").to_dict()
    with pytest.raises(eq.ParameterError, match="side is another name of position"):
        eq.rank(GAMES, side=True, position=False)


def test_every_result_has_an_answer_tables_and_warnings():
    found = eq.irt("lsat", model="rasch")
    assert "items" in found.answer[0]
    assert all(sentence.endswith(".") for sentence in found.answer)
    assert found.table.equals(found.frame())
    assert list(found.tables) == ["agents", "items"]
    assert all(note.advice is not None and note.severity == "warning" for note in found.warnings)


def test_a_class_of_another_package_may_still_call_its_answer_words():
    class Former(eq.results.Result):
        __slots__ = ()

        @property
        def words(self):
            return ("All is well.",)

        def frame(self):
            return pl.DataFrame({"agent": ["x"]})

    assert Former().answer == ("All is well.",)
    assert Former().to_dict()["agents"] == [{"agent": "x"}]


def test_an_attribute_that_never_was_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        eq.compare(GAMES, "a", "b").nonsense  # noqa: B018


def test_a_method_takes_the_names_that_questions_have():
    apart = eq.PairTable.from_wins([[0, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 3], [0, 0, 1, 0]], "abxy")
    one = eq.bradley_terry(apart, components="each")
    with pytest.warns(DeprecationWarning, match=r"bradley_terry\(islands=...\) is now components="):
        other = eq.bradley_terry(apart, islands="separate")
    np.testing.assert_array_equal(one.rating, other.rating)
    with pytest.raises(eq.DisconnectedError, match='components="each"'):
        eq.bradley_terry(apart)
    assert float(eq.bradley_terry(GAMES, position=True).side) == float(eq.bradley_terry(GAMES, side=True).side)
