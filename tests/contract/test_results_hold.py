"""What every method must do on every kind of data it takes, whatever it computes."""

import dataclasses
import json
import pickle
import re

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.results import Result
from equipoise.core.units import DIFFERENCE, LOG_ODDS, POINTS, POINTS_DIFFERENCE
from tests.contract.cases import CASES, LABELLED, NO_RESULT, WITH_RESULTS, attempt

CHANCE = re.compile(r"(^|_)(low|high|in_top|stderr|se|p_value|rank|rank_low|rank_high|needed|play|group)$")
"""Columns that resampling decides."""


OTHER = {"first": "second", "second": "first"}


def named(case):
    return case.name


each_case = pytest.mark.parametrize("case", WITH_RESULTS, ids=named)
each_labelled_case = pytest.mark.parametrize("case", LABELLED, ids=named)
each_order_free_case = pytest.mark.parametrize(
    "case", [case for case in LABELLED if not case.method.declared.order_matters], ids=named
)
each_weighted_case = pytest.mark.parametrize(
    "case",
    [case for case in LABELLED if case.kind == "matches" and not case.method.declared.order_matters],
    ids=named,
)


def renamed(name: str) -> str:
    """Give a name that sorts differently and can be found again in any text."""
    return f"\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}{name[::-1]}\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"


def with_old_names(text: str) -> str:
    return re.sub(r"\u00ab(.*?)\u00bb", lambda match: match[1][::-1], text)


def document(result) -> str:
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)


def rows_of(case, result) -> list[dict[str, object]]:
    """Give the rows of the frame in an order of their own, without what chance decides; ratings in log-odds."""
    frame = result.frame().with_columns(result.frame()[name] * eq.methods.ELO_POINT for name in in_elo_points(result))
    columns = [name for name in frame.columns if not (case.by_chance and CHANCE.search(name))]
    rows = [_in_one_direction(row) for row in frame.select(columns).to_dicts()]
    return sorted(rows, key=lambda row: [str(v) for v in row.values() if _is_label(v)])


def in_elo_points(result) -> list[str]:
    """Name the columns of the frame that declare Elo points."""
    return [name for name in result.frame().columns if result.units.get(name) in (POINTS, POINTS_DIFFERENCE)]


def _in_one_direction(row: dict[str, object]) -> dict[str, object]:
    """Write a pair of agents in the order of their names: which one comes first is the order of the data."""
    if not {"first", "second"} <= row.keys() or row["first"] < row["second"]:
        return row
    turned = {name: 1 - row[name] for name in ("score", "probability") if name in row}
    turned |= {"verdict": OTHER.get(row["verdict"], row["verdict"])} if "verdict" in row else {}
    return row | {"first": row["second"], "second": row["first"]} | turned


def _is_label(value: object) -> bool:
    return isinstance(value, str | bool | int)


def assert_same_rows(one, other, tolerance=1e-6):
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        assert left.keys() == right.keys()
        for name, value in left.items():
            if isinstance(value, float):
                assert right[name] == pytest.approx(value, abs=tolerance, nan_ok=True), (name, left, right)
            else:
                assert value == right[name], (name, left, right)


@each_case
def test_a_method_gives_a_result(case):
    assert isinstance(case.result, Result)


def test_those_that_give_no_result_are_listed():
    plain = {case.method.name for case in CASES if case not in WITH_RESULTS and isinstance(attempt(case.run), float)}
    assert plain == set(NO_RESULT)


@each_labelled_case
def test_relabelling_changes_nothing_but_labels(case):
    relabelled = case.run(case.data(renamed))
    assert with_old_names(document(relabelled)) == document(case.result)


@each_order_free_case
def test_the_order_of_rows_changes_nothing(case):
    assert_same_rows(rows_of(case, case.run(case.data(shuffled=True))), rows_of(case, case.result))


@each_weighted_case
def test_a_doubled_row_equals_weight_two(case):
    m = case.data()
    doubled = m.take(np.r_[np.arange(len(m)), 0, 1])
    weighted = dataclasses.replace(m, weight=np.r_[2.0, 2.0, np.ones(len(m) - 2)])
    assert_same_rows(rows_of(case, case.run(doubled)), rows_of(case, case.run(weighted)))


@each_weighted_case
def test_pair_counts_give_the_same_as_the_matches_behind_them(case):
    if "pairs" not in case.method.declared.takes:
        with pytest.raises(eq.DataError):
            case.run(case.data().pairs())
        return
    assert_same_rows(rows_of(case, case.result), rows_of(case, case.run(case.data().pairs())))


@each_case
def test_the_same_seed_gives_the_same_bytes(case):
    assert document(case.result) == document(case.run())


@pytest.mark.parametrize("case", [case for case in WITH_RESULTS if case.by_chance], ids=named)
def test_a_generator_is_as_good_as_its_seed(case):
    results = [case.run(rng=rng) for rng in (7, np.random.default_rng(7))]
    assert results[0].frame().equals(results[1].frame(), null_equal=True)


@each_case
def test_json_makes_the_round_trip_and_is_strict(case):
    told = case.result.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@each_case
def test_what_a_result_says_of_itself_is_made_of_sentences(case):
    words = case.result.answer
    assert isinstance(words, tuple)
    assert all(isinstance(sentence, str) and sentence.strip() and "\n" not in sentence for sentence in words)


ROWS = {
    "agents": ("agent", lambda result: result.agents),
    "tasks": ("task", lambda result: result.tasks),
    "items": ("item", lambda result: result.common if hasattr(result, "common") else result.items),
    "features": ("feature", lambda result: result.features),
    "profiles": ("profile", lambda result: result.agents),
    "judges": ("judge", lambda result: result.judges),
    "raters": ("rater", lambda result: result.raters),
    "evidence": ("evidence", lambda result: result.evidence),
}
"""For what rows are about: the column with its name, and all there are."""

COUNTED = {
    "points": lambda result: len(result.agents) * len(result.thresholds),
    "edges": lambda result: len(result.source),
    "pairs": lambda result: len(result.first) if hasattr(result, "first") else int(np.triu(~result.observed, 1).sum()),
    "estimates": lambda _: 1,
    "plan": lambda _: 1,
    "strategies": lambda result: sum(map(len, result.rating)),
    "splits": lambda result: len(result.stderr),
    "boards": lambda result: len(result.agents) * len(result.categories),
    "periods": lambda result: len(result.agents) * len(result.period),
    "alphas": lambda result: len(result.alphas) * len(result.agents),
}
"""For rows that are about something without a name: how many there are."""


@each_case
def test_the_frame_has_a_row_for_everything_that_the_result_is_about(case):
    result = case.result
    frame = result.frame()
    assert len(result.to_dict()[result.rows_name]) == len(frame)
    if result.rows_name in COUNTED:
        assert len(frame) == COUNTED[result.rows_name](result)
        return
    column, names = ROWS[result.rows_name]
    assert sorted(frame[column]) == sorted(names(result))


@each_case
def test_ratings_say_their_units(case):
    result = case.result
    assert all(isinstance(unit, str) and unit for unit in result.units.values())
    assert {"rating"} & set(result.frame().columns) <= set(result.units)
    assert "points" not in result.frame().columns


@each_case
def test_frames_have_elo_points_where_arrays_have_log_odds(case):
    result, frame = case.result, case.result.frame()
    assert not {LOG_ODDS, DIFFERENCE} & {result.units.get(name) for name in frame.columns}
    for name in in_elo_points(result):
        array = getattr(result, name, None)
        if isinstance(array, np.ndarray):
            expected = 400 / np.log(10) * by_row(result, frame, array)
            np.testing.assert_allclose(frame[name].to_numpy(), expected, rtol=1e-12)


def by_row(result, frame, array):
    """Give the numbers of an array in the order of the frame's rows."""
    if result.rows_name == "boards":
        place = zip(frame["agent"], frame["category"], strict=True)
        return np.array([array[result.agents.index(a), result.categories.index(c)] for a, c in place])
    if result.rows_name == "periods":
        place = zip(frame["agent"], frame["period"], strict=True)
        return np.array([array[result.agents.index(a), result.period.index(t)] for a, t in place])
    column, names = ROWS[result.rows_name]
    return np.array([array[list(names(result)).index(name)] for name in frame[column]])


def test_that_looks_at_all_results_that_rate_by_games():
    looked_at = {type(case.result).__name__ for case in WITH_RESULTS if in_elo_points(case.result)}
    assert looked_at >= {
        "AgentNash", "BradleyTerry", "CategoryBoards", "Elo", "Hodge", "Judges", "Melo", "MeloOnline",
        "StyleControl", "Transitivity",
    }  # fmt: skip


@each_case
def test_json_says_the_units_of_its_numbers(case):
    body = json.loads(json.dumps(case.result.to_dict()))
    assert body["units"] == dict(case.result.units)


@each_case
def test_results_are_frozen(case):
    result = case.result
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.fit = None
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, f"{field.name} can be written"
    with pytest.raises(TypeError):
        result.params["level"] = 0.5


@each_case
def test_no_interval_is_none_and_not_nan(case):
    result = case.result
    if hasattr(result, "interval") and result.interval is None:
        ends = [name for name in dir(result) if name in ("low", "high") or name.endswith(("_low", "_high"))]
        assert all(getattr(result, name) is None for name in ends if not name.startswith(("rank", "_")))


@each_labelled_case
def test_a_notebook_gets_html_with_names_escaped(case):
    assert "<b>" not in case.run(case.data(lambda name: f"<b>{name}"))._repr_html_()


@each_case
def test_a_result_draws_itself(case):
    if case.result.frame().is_empty():  # a table without a gap has nothing that was filled in
        with pytest.raises(eq.ParameterError, match="has no chart"):
            case.result.plot()
    else:
        assert case.result.plot().chart.draw(400)["layer"]


WIDE = {"AlphaSweep"}
"""Whose table has a column for each of the few with the largest mass."""


@each_case
def test_tables_for_papers_name_everybody_that_the_result_is_about(case):
    frame = case.result.frame()
    latex, markdown = case.result.to_latex(), case.result.to_markdown()
    assert next(line for line in latex.splitlines() if not line.startswith("% ")).startswith(r"\begin{tabular}")
    assert markdown.startswith("| ")
    if type(case.result).__name__ in WIDE:
        frame = frame.sort("limit", "pi", descending=True)[:1]
    for name in frame["agent"] if "agent" in frame.columns else ():
        assert name in latex
        assert name in markdown


@each_case
def test_a_result_prints(case):
    assert type(case.result).__name__ in repr(case.result)


@each_case
def test_a_result_goes_between_processes(case):
    result = case.result
    assert document(pickle.loads(pickle.dumps(result))) == document(result)  # ours, just written
