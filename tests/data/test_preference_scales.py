"""Preferences from 1 to 5 are graded outcomes or asked back; and more than a tenth is not skipped without asking."""

import io

import pytest

import equipoise as eq
from equipoise.cli.main import main


def matches(text, **options):
    return eq.read_matches(io.BytesIO(text.encode()), read=eq.ReadOptions(**options))


def log(grades, column="preference"):
    return f"model_a,model_b,{column}\n" + "".join(f"x,y,{grade}\n" for grade in grades)


@pytest.mark.parametrize("column", ["preference", "score", "label"])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_preferences_from_1_to_5_are_asked_back_whatever_is_skipped(column, on_error):
    text = log([1, 2, 3, 4, 5] * 10, column)
    with pytest.raises(
        eq.EquipoiseError, match=r"from 1 to 5 with a tie in the middle; say .*graded.*graded-reversed"
    ) as asked:
        matches(text, on_error=on_error)
    assert "\n" not in str(asked.value)


@pytest.mark.parametrize(
    ("grades", "means", "scores"),
    [
        ([1, 2, 3, 4, 5], "graded", [1, 0.75, 0.5, 0.25, 0]),
        ([1, 2, 3, 4, 5], "graded-reversed", [0, 0.25, 0.5, 0.75, 1]),
        ([1, 4, 7], "graded", [1, 0.5, 0]),
        ([-2, 0, 1], "graded", [1, 0.5, 0.25]),
        ([0, 1, 4], "graded", [1, 0.75, 0]),
        (["A>>B", "B>A", "tie"], "graded", [1, 0.25, 0.5]),
    ],
)
def test_graded_preferences_keep_their_strength_with_the_middle_a_tie(grades, means, scores):
    assert matches(log(grades), score_means=means).outcome.tolist() == scores


def test_every_unknown_word_is_named_in_what_to_say_of_them():
    words = ["much better", "worse", "1/x"]
    with pytest.raises(eq.EquipoiseError, match='score_means="much better=NUMBER,worse=NUMBER,1/x=NUMBER"'):
        matches(log(words))
    means = "much better=1,worse=0.25,1/x=0.5"
    assert matches(log(words), score_means=means).outcome.tolist() == [1, 0.25, 0.5]


def test_the_command_line_quotes_what_it_advises(tmp_path, capsys):
    (tmp_path / "x.csv").write_text(log(["much better", "worse"]))
    assert main(["rank", str(tmp_path / "x.csv")]) == 2
    assert "--score-means 'much better=NUMBER,worse=NUMBER'" in " ".join(capsys.readouterr().err.split())


def test_a_tenth_is_skipped_and_more_is_asked_back():
    few = log(["a", "b"] * 9 + ["what"] * 2, "winner")
    assert len(matches(few, on_error="skip")) == 18
    many = log(["a", "b"] * 8 + ["what"] * 4, "winner")
    with pytest.raises(eq.EquipoiseError, match=r"4 of 20 would be skipped, more than a tenth .*skip-all"):
        matches(many, on_error="skip")
    assert len(matches(many, on_error="skip-all")) == 16


def test_ragged_lines_and_cells_are_asked_back_likewise():
    ragged = log(["a"] * 15, "winner") + "x,y\n" * 5
    with pytest.raises(eq.EquipoiseError, match="5 of 20 would be skipped"):
        matches(ragged, on_error="skip")
    assert len(matches(ragged, on_error="skip-all")) == 15
    wide = "model,u,v\n" + "".join(f"m{row},{row},{'what' if row < 6 else 1}\n" for row in range(12))
    with pytest.raises(eq.EquipoiseError, match="6 of 24 would be skipped"):
        eq.read_scores(io.BytesIO(wide.encode()), read=eq.ReadOptions(on_error="skip"))
