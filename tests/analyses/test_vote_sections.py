"""A page finds columns of style, categories, voters and judges; its numbers are those of the library."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.analyses.reports import vote_sections as sections
from equipoise.analyses.reports.vote_sections import vote_sections
from equipoise.analyses.votes.voting import weigh_voters

NAMES = np.array(["owl", "fox", "hen", "cat"])
ROWS = 900


def log(**more):
    """Votes of forty voters and three judges on 150 prompts in two languages, long answers favoured."""
    rng = np.random.default_rng(3)
    a = rng.integers(4, size=ROWS)
    b = (a + rng.integers(1, 4, size=ROWS)) % 4
    length = rng.integers(50, 900, (2, ROWS))
    longer = (length[0] - length[1]) / (length[0] + length[1] + 1)
    won = rng.random(ROWS) < 1 / (1 + np.exp((a - b) * 0.4 - 1.5 * longer))
    columns = {
        "model_a": NAMES[a], "model_b": NAMES[b], "winner": np.where(won, "model_a", "model_b"),
        "prompt_id": [f"p{k}" for k in rng.integers(150, size=ROWS)],
        "length_a": length[0], "length_b": length[1], "Language": np.array(["en", "fr"])[rng.integers(2, size=ROWS)],
        "voter": [f"v{k}" for k in rng.integers(40, size=ROWS)],
        "judge": np.array(["gpt", "claude", "llama"])[rng.integers(3, size=ROWS)],
    }  # fmt: skip
    return pl.DataFrame(columns | more)


def plain():
    return log().select("model_a", "model_b", "winner")


def looked_at(path, frame, reading=None):
    frame.write_csv(path)
    options = eq.ReadOptions(**(reading or {}))
    return vote_sections(path, eq.read(path, read=options), options)


@pytest.fixture
def battles(tmp_path):
    return tmp_path / "battles.csv"


def by_title(found):
    return {section.title: section.result for section in found.sections}


def test_each_column_gives_a_section_with_the_numbers_of_the_library(battles):
    found = looked_at(battles, log())
    results = by_title(found)
    assert list(results) == ["Style", "Boards by Language", "Voters", "Judges"]
    kept = ["Language", "voter", "judge", "prompt_id"]
    votes = eq.read_matches(battles, covariates="length", labels=kept, group="auto")
    style = eq.style_control(votes)
    np.testing.assert_allclose(results["Style"].change, style.change, atol=1e-12)
    np.testing.assert_allclose(results["Style"].coefficients.stderr, style.coefficients.stderr, rtol=1e-12)
    boards = eq.categories(battles, "Language")
    np.testing.assert_allclose(results["Boards by Language"].rating, boards.rating, atol=1e-12)
    np.testing.assert_allclose(results["Boards by Language"].low, boards.low, atol=1e-12)
    clustered = eq.bradley_terry(eq.read_matches(battles, labels=kept, group="voter"))
    alone = eq.bradley_terry(eq.read_matches(battles, group="none"))
    np.testing.assert_allclose(results["Voters"].rated.low, clustered.low, atol=1e-12)
    np.testing.assert_allclose(results["Voters"].independent.low, alone.low, atol=1e-12)
    np.testing.assert_allclose(
        results["Voters"].wider, (clustered.high - clustered.low) / (alone.high - alone.low), rtol=1e-9
    )
    agreed = eq.agreement(votes, rater="voter", item="prompt_id")
    assert results["Voters"].agreement.alpha == agreed.alpha
    judged = eq.judges(battles, judge="judge", item="prompt_id")
    np.testing.assert_allclose(results["Judges"].advantage, judged.advantage, atol=1e-12)
    assert results["Judges"].agreement.alpha == judged.agreement.alpha
    told = {section.title: section.words[0] for section in found.sections}
    assert told["Style"].endswith("; errors are clustered by voter and prompt_id.")
    assert told["Judges"].endswith("errors of the advantage over all judges are clustered by voter and prompt_id.")
    (note,) = found.notes
    for words in ("length for style", "Language for categories", "voter for voters", "judge for judges",
                  "prompt_id for what was judged", "clustered by voter", "rank FILE --adjust"):  # fmt: skip
        assert words in note.message


def test_the_page_shows_them(battles):
    log().write_csv(battles)
    page = eq.write_report(battles, battles.with_suffix(".html")).read_text(encoding="utf-8")
    for told in ("Controlled for length; errors are clustered by voter and prompt_id.", "Coefficients of style",
                 "Categories are those of the column Language",
                 "40 voters gave 900 votes", "Each voter beside the others", "Judges are those of the column judge",
                 "Columns taken by their names"):  # fmt: skip
        assert told in page
    assert "The board with errors clustered by voter" not in page  # one board a page, and that is clustered


def test_a_plain_log_has_none(battles):
    assert looked_at(battles, plain()) == sections.VoteSections()
    page = eq.write_report(battles, battles.with_suffix(".html")).read_text(encoding="utf-8")
    assert "Columns taken" not in page


def test_constant_unique_and_empty_columns_have_none_and_are_not_mentioned(battles):
    number = [str(k) for k in range(ROWS)]
    odd = plain().with_columns(
        pl.lit("en").alias("language"), pl.lit(None, pl.String).alias("category"), pl.Series("voter", number),
        pl.lit("gpt-4").alias("judge"), pl.Series("topic", number), pl.Series("prompt_id", number),
        pl.lit(7).alias("length_a"), pl.lit(7).alias("length_b"), pl.lit("").alias("bold_a"),
        pl.lit("").alias("bold_b"),
    )  # fmt: skip
    assert looked_at(battles, odd) == sections.VoteSections()


def test_too_many_categories_and_columns_are_left_out_and_named(battles):
    many = np.arange(ROWS)
    found = looked_at(battles, plain().with_columns(
        pl.Series("topic", [f"t{k}" for k in many % 45]), pl.Series("category", many % 2),
        pl.Series("language", many % 3), pl.Series("domain", many % 5), pl.Series("turn", many % 7),
    ))  # fmt: skip
    assert list(by_title(found)) == ["Boards by category", "Boards by language", "Boards by domain"]
    (note,) = found.notes
    assert "topic (45 values; a page has room for 30)" in note.message
    assert "turn (boards by 3 columns" in note.message


def test_many_judges_are_voters(battles):
    found = looked_at(battles, log(judge=[f"arena_user_{k % 200}" for k in range(ROWS)]).drop("voter"))
    assert "judge for voters" in found.notes[0].message
    assert "Judges" not in by_title(found)
    found = looked_at(battles, log(judge=[f"arena_user_{k % 200}" for k in range(ROWS)]))
    assert "Left out: judge (200 values; judges are shown up to 100)" in found.notes[0].message


def test_votes_without_a_value_are_left_out_of_their_section_and_counted(battles):
    frame = log().with_columns(
        pl.when(pl.int_range(ROWS) % 3 == 0).then(pl.lit("")).otherwise("Language").alias("Language"),
        pl.when(pl.int_range(ROWS) % 9 == 0).then(pl.lit("")).otherwise("voter").alias("voter"),
    )
    found = looked_at(battles, frame)
    told = {section.title: section.words[0] for section in found.sections}
    assert "(300 votes without one are left out); errors are clustered by voter" in told["Boards by Language"]
    assert "(100 votes without one are left out)" in told["Voters"]
    assert set(by_title(found)["Boards by Language"].categories) == {"en", "fr"}
    assert by_title(found)["Voters"].voters.sum() == 800


def test_a_group_that_was_named_is_what_errors_are_clustered_by(battles):
    found = looked_at(battles, log(), {"group": "prompt_id"})
    votes = eq.read_matches(battles, covariates="length", group="prompt_id")
    np.testing.assert_allclose(by_title(found)["Style"].low, eq.style_control(votes).low, atol=1e-12)
    assert "clustered" not in found.notes[0].message
    assert by_title(found)["Voters"].params["voter"] == "voter"


def test_without_clusters_no_section_but_that_of_voters_has_any(battles):
    found = looked_at(battles, log(), {"group": "none"})
    votes = eq.read_matches(battles, covariates="length", group="none")
    np.testing.assert_allclose(by_title(found)["Style"].low, eq.style_control(votes).low, atol=1e-12)
    assert not any("clustered" in words for section in found.sections for words in section.words)
    assert "clustered" not in found.notes[0].message
    assert not np.allclose(by_title(found)["Voters"].wider, 1)


def test_columns_that_choose_rows_or_are_sides_are_looked_at_or_not(battles):
    log().write_csv(battles)
    options = eq.ReadOptions(where="voter != 'v3'")
    found = vote_sections(battles, eq.read(battles, read=options), options)
    assert len(by_title(found)["Voters"].voters) == 39
    sides = log().rename({"model_a": "voter", "voter": "model_a", "model_b": "judge", "judge": "model_b"})
    options = eq.ReadOptions(a="voter", b="judge", score="winner")
    sides.write_csv(battles)
    found = vote_sections(battles, eq.read(battles, read=options), options)
    assert list(by_title(found)) == ["Style", "Boards by Language"]


def test_what_fails_says_why_and_does_not_stop_the_others(battles):
    gap = log().with_columns(pl.when(pl.int_range(ROWS) != 5).then("length_a").alias("length_a"))
    found = looked_at(battles, gap)
    failed = found.sections[0]
    assert failed.title == "Style"
    assert "row 6" in str(failed.error)
    assert "\n" not in str(failed.error)
    assert [section.title for section in found.sections[1:]] == ["Boards by Language", "Voters", "Judges"]
    assert all(section.result is not None for section in found.sections[1:])
    page = eq.write_report(battles, battles.with_suffix(".html")).read_text(encoding="utf-8")
    assert "Style could not be computed" in page


def test_style_that_is_no_number_does_not_stop_the_others(battles):
    found = looked_at(battles, log(length_a=["long"] * ROWS))
    assert found.sections[0].error is not None
    assert all(section.error is None for section in found.sections[1:])


def test_counted_results_have_none(tmp_path):
    path = tmp_path / "counts.csv"
    counts = {"model_a": ["x", "x", "y"], "model_b": ["y", "z", "z"], "wins": [3, 5, 4], "games": [6, 7, 8]}
    frame = pl.DataFrame({**counts, "language": ["en", "fr", "en"]})
    assert looked_at(path, frame).sections == ()


def test_a_long_log_says_what_is_not_looked_at(battles, monkeypatch):
    monkeypatch.setattr(sections, "MOST_ROWS", 500)
    found = looked_at(battles, log())
    assert found.sections == ()
    assert "Language" in found.notes[0].message
    assert "more than 500 rows" in found.notes[0].message


def test_battles_of_arenas_have_languages_and_judges(tmp_path):
    rows = log().select("model_a", "model_b", "winner", pl.col("Language").alias("language"), "judge").to_dicts()
    path = tmp_path / "arena.json"
    path.write_text(json.dumps([{**row, "anony": True, "tstamp": 1e9 + k} for k, row in enumerate(rows)]), "utf-8")
    page = eq.write_report(path, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Categories are those of the column language." in page
    assert "Judges are those of the column judge." in page


def test_voters_of_one_mind_widen_the_board():
    rng = np.random.default_rng(5)
    voter = rng.integers(30, size=1200)
    won = rng.random(30)[voter] < 0.5  # each voter has a side
    votes = eq.Matches.from_columns(["x", "y"] * 600, ["y", "z"] * 600, won.astype(float))
    votes = replace(votes, labels={"voter": eq.Matches.from_columns(
        ["x"] * 1200, ["y"] * 1200, won, task=[f"v{k}" for k in voter]).task})  # fmt: skip
    found = weigh_voters(votes, voter="voter")
    assert np.median(found.wider) > 3
    assert found.agreement is None
    assert "times as wide" in found.answer[1]
    with pytest.raises(eq.ParameterError, match="voter"):
        weigh_voters(votes, voter="nobody")


def test_raters_of_llmfao(equipoise_data):
    path = equipoise_data / "llmfao" / "llmfao.csv"
    found = vote_sections(path, eq.read(path), eq.ReadOptions())
    (voters,) = by_title(found).values()
    assert len(voters.voters) == 124
    votes = eq.read_matches(path, labels=["worker", "id"])
    assert voters.agreement.alpha == eq.agreement(votes, rater="worker", item="id").alpha


def test_the_figures_of_arena_style(equipoise_data):
    path = equipoise_data / "arena_style" / "battles.csv.gz"
    found = vote_sections(path, eq.read(path), eq.ReadOptions())
    assert list(by_title(found)) == ["Style", "Boards by category"]
    coefficients = by_title(found)["Style"].coefficients
    at = coefficients.names.index("len")
    assert coefficients.value[at] == pytest.approx(0.936, abs=5e-4)
    assert coefficients.stderr[at] == pytest.approx(0.102, abs=5e-4)  # clustered by question
