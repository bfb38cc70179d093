"""Errors clustered by several columns: against plain sums, and as files give them."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.paired import clustered_errors


@pytest.fixture
def votes():
    """Uneven voters and prompts: leaving them out one by one and counting them as they are differ."""
    rng = np.random.default_rng(5)
    size = 240
    first = rng.integers(4, size=size)
    second = (first + 1 + rng.integers(3, size=size)) % 4
    voter = np.minimum(rng.geometric(0.2, size), 9)
    prompt = np.minimum(rng.geometric(0.15, size), 12)
    won = rng.random(size) < 1 / (1 + np.exp(0.3 * (second - first) + 0.4 * np.sin(voter)))
    columns = {"model_a": first, "model_b": second, "winner": np.where(won, "model_a", "model_b")}
    return pl.DataFrame({**columns, "voter": voter, "prompt_id": prompt}).with_columns(
        pl.col("model_a", "model_b").cast(pl.String)
    )


def oracle(fit, matches, columns):
    """The covariances of ratings by their formulas: games one by one, groups left out one by one."""
    k = len(fit.agents)
    x = np.zeros((len(matches), k))
    x[np.arange(len(matches)), matches.a], x[np.arange(len(matches)), matches.b] = 1.0, -1.0
    p = 1 / (1 + np.exp(-x @ fit.rating))
    s = x * (matches.outcome - p)[:, None]
    weight = (p * (1 - p))[:, None]
    inverse = np.linalg.pinv
    h = x.T @ (weight * x)

    def rows(labels):
        return [np.flatnonzero(labels == label) for label in np.unique(labels)]

    def left_out(labels):
        groups = rows(labels)
        moved = [inverse(h - x[g].T @ (weight[g] * x[g])) @ s[g].sum(axis=0) for g in groups]
        return (len(groups) - 1) / len(groups) * sum(np.outer(d, d) for d in moved)

    def as_they_are(labels):
        groups = rows(labels)
        meat = sum(np.outer(s[g].sum(axis=0), s[g].sum(axis=0)) for g in groups)
        return len(groups) / (len(groups) - 1) * inverse(h) @ meat @ inverse(h)

    alone = [left_out(column.codes) for column in columns]
    total, finest = sum(alone), None
    for size in range(2, len(columns) + 1):
        for some in combinations(columns, size):
            finest = as_they_are(Factor.crossed(some).codes)
            total = total + (-1) ** (size + 1) * finest
    values, vectors = np.linalg.eigh(total)
    return [vectors * np.clip(values, 0, None) @ vectors.T, *alone, finest]


def test_the_variance_of_a_contrast_is_the_largest_of_all_columns(votes):
    matches = eq.read_matches(votes, group="auto")
    fit = eq.bradley_terry(matches)
    expected = oracle(fit, matches, [matches.group, *matches.crossed.values()])
    for ours, theirs in zip([fit.covariance, *fit.floors], expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    np.testing.assert_allclose(fit.stderr**2, np.max([np.diag(one) for one in expected], axis=0), atol=1e-9)
    contrast = np.array([1.0, -1.0, 0.0, 0.0])
    at = fit.relative_to(fit.agents[1])
    assert at.stderr[0] ** 2 == pytest.approx(max(contrast @ one @ contrast for one in expected))


def test_pair_counts_and_single_games_give_the_same_errors(votes):
    one, other = (
        eq.bradley_terry(eq.read_matches(votes, group="auto")),
        eq.bradley_terry(eq.read_pairs(votes, group="auto")),
    )
    np.testing.assert_allclose(one.stderr, other.stderr, rtol=1e-9)
    assert (one.rank_low == other.rank_low).all()


def test_columns_that_say_who_voted_on_what_are_found_and_said(votes):
    matches = eq.read_matches(votes, group="auto")
    assert len(matches.group.labels) == 9
    assert list(matches.crossed) == ["prompt_id"]
    (note,) = [note for note in matches.diagnostics if note.code == "clusters-found"]
    assert note.message == 'Errors are clustered by voter and prompt_id, found by name. Turn it off with group="none".'


def test_questions_find_clusters_and_readers_do_so_when_asked(votes):
    assert eq.read_matches(votes).group is None
    assert len(eq.rank(votes).data.group.labels) == 9
    assert eq.rank(votes, cluster="none").data.group is None


def test_a_column_that_is_named_is_the_only_one(votes):
    named = eq.read_matches(votes, group="prompt_id")
    assert len(named.group.labels) == 12
    assert not named.crossed
    none = eq.read_matches(votes, group="none")
    assert none.group is None
    assert not none.crossed
    both = eq.read_matches(votes, group="prompt_id,voter")
    assert list(both.crossed) == ["voter"]
    np.testing.assert_allclose(
        eq.bradley_terry(both).stderr, eq.bradley_terry(eq.read_matches(votes, group="auto")).stderr
    )
    with pytest.raises(eq.ColumnError, match='no column "vter" for clusters'):
        eq.read_matches(votes, group="vter,prompt_id")


def test_few_judges_are_named_and_no_clusters(votes):
    judged = votes.with_columns(judge=pl.Series(np.arange(len(votes)) % 3).cast(pl.String)).drop("voter")
    matches = eq.read_matches(judged, group="auto")
    assert len(matches.group.labels) == 12
    (note,) = [note for note in matches.diagnostics if note.code == "few-clusters"]
    assert note.message.startswith("Results are for these 3 values of judge, which are too few to say more: 0, 1, 2")
    assert len(eq.read_matches(judged, group="judge").group.labels) == 3


def test_columns_that_tell_every_row_apart_or_none_say_nothing(votes):
    rows = votes.with_columns(voter=pl.int_range(pl.len()), prompt_id=pl.lit("one"))
    assert eq.read_matches(rows, group="auto").group is None


def test_rows_without_a_voter_are_voters_of_their_own(votes):
    some = votes.drop("prompt_id").with_columns(voter=pl.when(pl.int_range(pl.len()) > 9).then(pl.col("voter")))
    assert len(eq.read_matches(some, group="auto").group.labels) == 19


def test_tables_without_such_columns_are_read_as_they_are(tmp_path):
    (tmp_path / "cross.csv").write_text("agent,a,b,c\na,,3,5\nb,2,,4\nc,1,2,\n")
    (tmp_path / "counts.csv").write_text("player,opponent,wins,games\na,b,3,5\nb,c,2,4\nc,a,1,5\n")
    for name in ("cross.csv", "counts.csv"):
        for cluster in (None, "none"):
            assert eq.rank(tmp_path / name, cluster=cluster).data.group is None
    with pytest.raises(eq.ColumnError, match="has no effect"):
        eq.rank(tmp_path / "cross.csv", cluster="voter")


def test_voters_are_found_beside_a_few_judges_and_under_several_names(votes):
    rows = votes.rename({"voter": "user_id"}).with_columns(
        judge=pl.Series(np.arange(len(votes)) % 3).cast(pl.String), ip=pl.col("user_id").cast(pl.String) + " at home"
    )
    found = eq.read_matches(rows, group="auto")
    assert len(found.group.labels) == 9
    assert list(found.crossed) == ["prompt_id"]
    assert {note.code for note in found.diagnostics} >= {"clusters-found", "few-clusters"}
    dated = rows.with_columns(tstamp=pl.int_range(pl.len()))
    assert eq.rank(dated).data.group.labels == eq.rank(rows).data.group.labels


@pytest.mark.parametrize("columns", [1, 2])
def test_effective_clusters_are_worked_out_once_a_fit(monkeypatch, columns):
    rng = np.random.default_rng(0)
    a = rng.integers(5, size=400)
    b = (a + rng.integers(1, 5, size=400)) % 5
    votes = pl.DataFrame(
        {"model_a": [f"m{k}" for k in a], "model_b": [f"m{k}" for k in b], "winner": ["model_a", "model_b"] * 200}
        | {"voter": [f"v{k}" for k in rng.integers(40, size=400)]}
        | ({"prompt": [f"q{k}" for k in rng.integers(30, size=400)]} if columns == 2 else {})
    )
    asked, work = [], clustered_errors._effective_clusters
    monkeypatch.setattr(clustered_errors, "_effective_clusters", lambda *given: asked.append(1) or work(*given))
    eq.bradley_terry(eq.read_matches(votes, group="auto"))
    assert len(asked) == columns
