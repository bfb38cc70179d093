"""Few, empty and degenerate data: finite numbers, a diagnostic or an error of ours; never a crash."""

import inspect
import json

import numpy as np
import pytest

import equipoise as eq
from tests.contract.cases import AGENTS, CASES, TASKS, attempt, columns, hand_columns, with_lengths


def scores(values, **more):
    values = np.asarray(values, dtype=float)
    return eq.Scores.from_matrix(values, AGENTS[: values.shape[0]], TASKS[: values.shape[1]], **more)


def assert_one_line(error):
    assert str(error).strip()
    assert "\n" not in str(error)


def undefeated():
    rows = [row for row in zip(*columns(), strict=True) if "ada" not in row[:2]]
    rows += [("ada", name, 1.0) for name in ("bea", "cyd", "dan", "eve")] * 3
    return played(*zip(*rows, strict=True))


def played(*args, **more):
    """Matches of answers of some length."""
    made = eq.Matches.from_columns(*args, **more)
    return with_lengths(made, np.arange(len(made)))


def with_gaps():
    table = np.random.default_rng(0).integers(0, 2, size=(12, 10)).astype(float)
    table[0, 1] = table[3, 3] = np.nan
    return scores(table)


FEW = {
    "matches": {
        "no match": lambda: played([], [], []),
        "one agent": lambda: played(["solo"], ["solo"], [1]),
        "one match": lambda: played(["ada"], ["bea"], [1]),
        "all ties": lambda: played("abcabc", "bcabca", [0.5] * 6, task="ststst"),
        "undefeated": undefeated,
        "components": lambda: played("aabbxxyy", "bbaayyxx", [1, 0, 1, 0.5, 1, 0, 0, 0.5], task="ststttss"),
        "no weight": lambda: played("ab", "ba", [1, 0], weight=[0, 0]),
    },
    "pairs": {
        "one agent": lambda: eq.PairTable.from_wins([[0.0]], ["solo"]),
        "no game": lambda: eq.PairTable.from_wins(np.zeros((3, 3)), list("abc")),
        "one winner": lambda: eq.PairTable.from_wins([[0, 5, 5], [0, 0, 3], [0, 2, 0]], list("abc")),
        "components": lambda: eq.PairTable.from_wins([[0, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]),
        "only probabilities": lambda: eq.PairTable.from_matrix([[0.5, 0.7], [0.3, 0.5]]),
    },
    "scores": {
        "one agent": lambda: scores([[1, 0, 1, 0, 1, 1, 0, 1]]),
        "one task": lambda: scores([[1], [0], [1]]),
        "one cell": lambda: scores([[1]]),
        "constant": lambda: scores(np.ones((4, 8))),
        "gaps": with_gaps,
        "a task nobody tried": lambda: scores(np.where(np.arange(8) == 2, np.nan, np.eye(6, 8))),
        "no scores": lambda: eq.Scores.from_matrix(np.empty((0, 0))),
        "large": lambda: scores(1e300 * np.eye(4, 8)),
        "negative": lambda: scores(-np.random.default_rng(1).random((5, 8))),
    },
    "metagame": {
        "one strategy": lambda: eq.MetaGame.symmetric([[0.0]]),
        "constant": lambda: eq.MetaGame.symmetric(np.zeros((3, 3))),
        "one winner": lambda: eq.MetaGame.symmetric([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]),
        "empty": lambda: eq.MetaGame.symmetric(np.empty((0, 0))),
        "three populations": lambda: eq.MetaGame.from_payoffs([np.ones((2, 2, 2))] * 3),
        "large": lambda: eq.MetaGame.symmetric([[0, 1e300], [-1e300, 0]]),
    },
    "episodes": {
        "one deal": lambda: eq.Episodes.from_columns(**hand_columns(deals=1)),
        "two deals": lambda: eq.Episodes.from_columns(**hand_columns(deals=2)),
        "no hand": lambda: eq.Episodes.from_columns([], [], []),
        "one agent": lambda: eq.Episodes.from_columns(["ada"] * 4, range(4), [1.0, 2.0, 3.0, 4.0]),
        "no luck": lambda: eq.Episodes.from_columns(**hand_columns() | {"controls": {"bot": [1.0] * 160}}),
        "no variance": lambda: eq.Episodes.from_columns(**hand_columns() | {"utility": [0.0] * 160}),
    },
    "calibration": {
        "one item": lambda: eq.results.Calibration.from_parameters(["sums"], difficulty=[0.0]),
        "equal items": lambda: eq.results.Calibration.from_parameters(TASKS, difficulty=np.zeros(len(TASKS))),
    },
}
"""Degenerate data of each kind; what cannot even be made is refused by the data type itself."""

FIRST_SHAPES = {"answers", "matches", "pairs", "one population", "hands", "calibration"}
WITH_FEW = [
    (case, name) for case in CASES if case.kind in FEW and case.shape in FIRST_SHAPES for name in FEW[case.kind]
]


@pytest.mark.parametrize(("case", "name"), WITH_FEW, ids=lambda value: getattr(value, "name", value))
def test_degenerate_data_give_finite_numbers_or_a_diagnostic_or_an_error(case, name):
    result = attempt(lambda: case.run(FEW[case.kind][name]()))
    if isinstance(result, eq.EquipoiseError):
        assert_one_line(result)
        return
    json.dumps(result.to_dict(), allow_nan=False)
    main = getattr(result, result.main, None)
    numbers = np.asarray(main, dtype=float) if isinstance(main, np.ndarray | float | int) else np.zeros(1)
    assert np.isfinite(numbers).all() or result.diagnostics


ARRAYS = {
    "one number": lambda: np.array([1.0]),
    "constant": lambda: np.ones(10),
    "NaN": lambda: np.array([1.0, np.nan, 2.0]),
    "infinite": lambda: np.array([1.0, np.inf, 2.0]),
    "too many axes": lambda: np.ones((2, 2, 2, 2)),
    "not square": lambda: np.ones((2, 3)),
    "one cell": lambda: np.zeros((1, 1)),
    "zeros": lambda: np.zeros((3, 3)),
    "unequal lengths": lambda: (np.ones(3), np.ones(4)),
}
ON_ARRAYS = [(case, name) for case in CASES if case.kind == "array" for name in ARRAYS]


@pytest.mark.parametrize(("case", "name"), ON_ARRAYS, ids=lambda value: getattr(value, "name", value))
def test_degenerate_arrays_give_finite_numbers_or_a_diagnostic_or_an_error(case, name):
    made = ARRAYS[name]()
    parameters = inspect.signature(case.method.function).parameters.values()
    places = sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    given = made if isinstance(made, tuple) else (made,) * places
    result = attempt(lambda: case.method.function(*given[:places], **case.settings()))
    if isinstance(result, eq.EquipoiseError):
        assert_one_line(result)
        return
    if isinstance(result, float):
        assert np.isfinite(result)
        return
    json.dumps(result.to_dict(), allow_nan=False)
    numbers = np.asarray(getattr(result, result.main), dtype=float)
    assert np.isfinite(numbers).all() or result.diagnostics


COMPARES_NOBODY = {"plan": "it asks for the games between those who never met"}


def test_bradley_terry_names_the_undefeated_agent():
    (note,) = [note for note in eq.bradley_terry(undefeated()).diagnostics if note.code == "no-finite-mle"]
    assert note.subjects == ("ada",)


@pytest.mark.parametrize("case", [case for case in CASES if case.kind in ("matches", "episodes")], ids=lambda c: c.name)
@pytest.mark.parametrize("name", ["no match", "one agent", "one deal", "no hand"])
def test_nothing_to_compare_is_refused(case, name):
    if name in FEW[case.kind] and not (case.kind == "episodes" and name == "one agent"):
        with pytest.raises(eq.DataError):
            case.run(FEW[case.kind][name]())


@pytest.mark.parametrize("case", [case for case in CASES if case.kind == "matches"], ids=lambda case: case.name)
def test_groups_that_never_met_are_refused_or_told(case):
    result = attempt(lambda: case.run(FEW["matches"]["components"]()))
    if not isinstance(result, eq.EquipoiseError):
        assert result.diagnostics or case.method.declared.order_matters or case.method.name in COMPARES_NOBODY
