"""Judges: side advantages by judge and agent, both orders, self-preference; held against the obvious way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import equipoise as eq
import equipoise.ratings.judges.position_effects as terms
from equipoise.data.encode.labels import Factor
from equipoise.data.encode.outcomes import coded_score
from equipoise.inference.confidence import holm
from equipoise.ratings.judges.position_effects import side_terms


def votes(seed=0, rows=600, lean=(0.0, 0.2, 1.2, -0.4), agents=4, ties=0.2, group=None):
    """Votes of judges with leanings of their own."""
    rng = np.random.default_rng(seed)
    a = rng.integers(agents, size=rows)
    b = (a + rng.integers(1, agents, size=rows)) % agents
    k = rng.integers(len(lean), size=rows)
    d = np.linspace(0.8, -0.8, agents)[a] - np.linspace(0.8, -0.8, agents)[b] + np.array(lean)[k]
    won = np.where(rng.random(rows) < ties, 0.5, rng.random(rows) < 1 / (1 + np.exp(-d)))
    names = [f"p{i}" for i in range(agents)]
    made = eq.Matches.from_columns([names[i] for i in a], [names[i] for i in b], won, group=group)
    return replace(made, labels={"judge": Factor.of([f"j{i}" for i in k])})


def test_terms_are_the_optimum_of_the_spelt_out_likelihood():
    m = votes(1)
    found = eq.judges(m).by_judge
    k, n = m.labels["judge"].codes, len(m.agents)
    # The penalty of each term is dispersion / spread^2.
    cells = terms._counted(m, m.labels["judge"], 0.0)
    rough = terms._fit(cells, np.zeros(n + 1), 1.0)
    dispersion = terms._dispersion(m, m.labels["judge"], rough, None) * len(m) / (len(m) - n)
    penalty = dispersion / found.spread**2

    def loss(x):
        r, g, u = x[:n] - x[:n].mean(), x[n], x[n + 1 :]
        d = r[m.a] - r[m.b] + g + u[k]
        return np.logaddexp(0, d).sum() - m.outcome @ d + penalty * u @ u / 2

    best = minimize(loss, np.zeros(n + 5), method="BFGS", options={"gtol": 1e-8})
    assert found.advantage == pytest.approx(best.x[n] + best.x[n + 1 :], abs=1e-4)
    assert found.common == pytest.approx(best.x[n], abs=1e-4)
    # Errors: the inverse of all second derivatives, spelt out.
    d = best.x[:n][m.a] - best.x[:n][m.b] + best.x[n] + best.x[n + 1 :][k]
    weight = np.exp(-np.logaddexp(0, d) - np.logaddexp(0, -d))
    x = np.zeros((len(m), n + 5))
    x[np.arange(len(m)), m.a] += 1
    x[np.arange(len(m)), m.b] -= 1
    x[:, n] = 1
    x[np.arange(len(m)), n + 1 + k] = 1
    hessian = x.T @ (weight[:, None] * x) + np.diag([0.0] * (n + 1) + [penalty] * 4)
    inverse = dispersion * np.linalg.pinv(hessian)
    each = np.zeros((4, n + 5))
    each[:, n], each[np.arange(4), n + 1 + np.arange(4)] = 1, 1
    assert found.stderr == pytest.approx(np.sqrt(np.diag(each @ inverse @ each.T)), rel=1e-3)


def test_a_leaning_judge_is_flagged_and_others_are_not():
    found = eq.judges(votes(2, rows=1200, lean=(0.0, 0.0, 1.2, 0.0)))
    assert found.flagged == ("j2",)
    at = found.judges.index("j2")
    points = f"{400 / np.log(10) * found.advantage[at]:+.0f} Elo points"
    assert found.answer[1] == f"1 of 4 judges favours a side (Holm-adjusted): j2 ({points})."
    assert not found.by_agent.flagged.any()


def test_swapping_every_vote_turns_the_advantages_round():
    m = votes(3)
    turned = replace(m, a=m.b, b=m.a, outcome=1 - m.outcome)
    one, other = eq.judges(m), eq.judges(turned)
    assert one.advantage == pytest.approx(-other.advantage, abs=1e-6)
    assert float(one.side) == pytest.approx(-float(other.side), abs=1e-8)
    assert one.by_judge.p_value == pytest.approx(other.by_judge.p_value, abs=1e-6)


def test_an_undecided_judge_with_few_votes_is_drawn_to_the_others_and_one_with_many_is_not():
    many, few = votes(4, rows=2000, lean=(0.5, 0.5, 0.5, 0.5), ties=0.0), 4
    names = [*(many.labels["judge"].labels[c] for c in many.labels["judge"].codes[:-few]), *["new"] * few]
    m = replace(many, outcome=np.append(many.outcome[:-few], np.zeros(few)), labels={"judge": Factor.of(names)})
    found = eq.judges(m)
    new = found.judges.index("new")
    assert np.isfinite(found.advantage[new])  # four losses in four votes have no estimate of their own
    assert found.low[new] < 0.5 < found.high[new]
    assert not found.by_judge.flagged[new]


def test_without_judges_all_votes_are_one():
    found = eq.judges(eq.Matches.from_columns("xyxyxyxz", "yxzxzxzx", [1, 0, 1, 0.5, 1, 0, 0, 1]))
    assert found.judges == ("all votes",)
    assert {note.code for note in found.diagnostics} >= {"no-judges"}


def test_a_gain_by_coming_first_is_found_for_the_agent_that_has_it():
    rng = np.random.default_rng(5)
    a = rng.integers(5, size=3000)
    b = (a + rng.integers(1, 5, size=3000)) % 5
    won = rng.random(3000) < 1 / (1 + np.exp(-0.2 - 1.0 * (a == 3)))
    names = list("vwxyz")
    found = eq.judges(eq.Matches.from_columns([names[i] for i in a], [names[i] for i in b], won.astype(float)))
    flagged = [name for name, odd in zip(found.by_agent.names, found.by_agent.flagged, strict=True) if odd]
    assert flagged == ["y"]
    at = found.by_agent.names.index("y")
    assert found.by_agent.low[at] < 1.2 < found.by_agent.high[at]


def test_both_orders_are_counted_as_by_hand():
    m = eq.Matches.from_columns(
        ["x", "y", "x", "y", "x", "y", "x", "y", "x"], ["y", "x", "y", "x", "y", "x", "y", "x", "y"],
        [1, 0, 1, 1, 0, 0, 0.5, 1, 1], task=["p", "p", "q", "q", "r", "r", "s", "s", "t"],
    )  # fmt: skip
    found = eq.judges(m).orders
    assert found.pairs == 4  # the last was judged in one order only
    assert float(found.consistent) == 0.25
    assert (found.first_twice, found.second_twice, found.undecided) == (0.25, 0.25, 0.25)
    assert float(found.with_position) == 0.5
    assert found.consistent.low < 0.25 < found.consistent.high


def own_votes(seed=0, rows=1500, own=0.8):
    rng = np.random.default_rng(seed)
    house = {"p0": "A", "p1": "A", "p2": "B", "p3": "C", "jA": "A", "jB": "B", "jD": "D"}
    agents, who = ["p0", "p1", "p2", "p3"], ["jA", "jB", "jD"]
    a = rng.integers(4, size=rows)
    b = (a + rng.integers(1, 4, size=rows)) % 4
    k = rng.integers(3, size=rows)
    z = np.array([(house[agents[i]] == house[who[j]]) * 1.0 for i, j in zip(a, k, strict=True)])
    z -= np.array([(house[agents[i]] == house[who[j]]) * 1.0 for i, j in zip(b, k, strict=True)])
    won = rng.random(rows) < 1 / (1 + np.exp(-(0.3 * (b - a) + own * z)))
    m = eq.Matches.from_columns([agents[i] for i in a], [agents[i] for i in b], won.astype(float))
    return replace(m, labels={"judge": Factor.of([who[j] for j in k])}), house, z


def test_self_preference_is_the_coefficient_of_the_indicator():
    m, house, z = own_votes()
    found = eq.judges(m, organisation=house).own
    fit = eq.bradley_terry(m, side=True, covariates={"own": z})
    assert float(found.pooled) == pytest.approx(fit.coefficients.value[0], abs=1e-9)
    assert found.pooled.stderr == pytest.approx(fit.coefficients.stderr[0])
    assert set(found.judges) == {"jA", "jB"}
    assert found.flagged.all()
    assert ((found.low < 0.8) & (found.high > 0.8)).all()
    assert found.words[0].startswith("Self-preference of judges for their own organisation: +")


def test_organisations_in_columns_are_as_good_as_by_name():
    m, house, _ = own_votes(3)
    judge = m.labels["judge"]
    columns = {
        "organisation_a": [house[m.agents[i]] for i in m.a], "organisation_b": [house[m.agents[i]] for i in m.b],
        "organisation_judge": [house[judge.labels[i]] for i in judge.codes],
    }  # fmt: skip
    labelled = replace(m, labels={"judge": judge, **{name: Factor.of(column) for name, column in columns.items()}})
    assert float(eq.judges(labelled).own.pooled) == float(eq.judges(m, organisation=house).own.pooled)


def test_self_preference_of_one_judge_alone_is_told_from_nothing():
    m, house, _ = own_votes(1)
    alone = replace(m, labels={"judge": Factor.of(["jA"] * len(m))})
    found = eq.judges(alone, organisation=house)
    assert found.own is None
    assert "cannot be told from strength" in next(
        note.message for note in found.diagnostics if note.code == "self-preference-unknown"
    )


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"judge": "judg"}, 'no label of these matches (did you mean "judge"?)'),
        ({"item": "prompt"}, '"prompt" is no label'),
        ({"organisation": {"nobody": "A"}}, "names the organisation of none of the agents"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options, problem):
    with pytest.raises(eq.ParameterError) as error:
        eq.judges(votes(), **options)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_an_agent_that_always_comes_first_is_refused():
    m = eq.Matches.from_columns(["x"] * 6, list("yzyzyz"), [1, 0, 1, 1, 0, 0])
    with pytest.raises(eq.EquipoiseError):
        eq.judges(m)


def test_voters_of_llmfao(equipoise_data):
    path = equipoise_data / "llmfao" / "llmfao.csv"
    m = eq.read_matches(path, a="left", b="right", labels=["worker", "id"])
    found = eq.judges(m)
    assert {"32", "20"} <= set(found.flagged)  # left 21 times to 0, and 204 to 86
    assert len(found.flagged) < 6
    at = found.judges.index("32")
    assert (found.by_judge.votes[at], found.by_judge.first_share[at]) == (21, 1.0)


def test_probabilities_of_a_judge_have_errors_of_their_own_size(equipoise_data):
    path = equipoise_data / "arena_style" / "battles.csv.gz"
    columns = eq.read_matches(
        path, outcome="p_a", read=eq.ReadOptions(where='model_a == "claude-2.1" or model_b == "claude-2.1"')
    )
    soft = eq.bradley_terry(columns)
    share = np.where(columns.a == columns.agents.index("claude-2.1"), columns.outcome, 1 - columns.outcome)
    mean = share.mean()
    gap = soft.rating[soft.agents.index("claude-2.1")] * 2
    assert gap == pytest.approx(np.log(mean / (1 - mean)), abs=1e-6)
    # One mean and its logit: the error is that of the mean by the delta method.
    error = share.std(ddof=1) / np.sqrt(len(share)) / (mean * (1 - mean))
    assert soft.stderr[0] * 2 == pytest.approx(error, rel=1e-3)


def test_graded_verdicts_are_one_vote_with_a_strength(tmp_path):
    assert [coded_score(word, "graded") for word in ("A>>B", "[[A>B]]", "A=B", "b>a", "B>>A", "tie", "1", "A")] == [
        1, 0.75, 0.5, 0.25, 0, 0.5, None, None,
    ]  # fmt: skip
    path = tmp_path / "verdicts.csv"
    path.write_text("model_a,model_b,verdict\nx,y,A>>B\ny,x,[[B>A]]\nx,y,B>>A\ny,x,A=B\n")
    m = eq.read_matches(path, outcome="verdict", read=eq.ReadOptions(score_means="graded"))
    assert m.outcome.tolist() == [1, 0.25, 0, 0.5]
    assert len(m) == 4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_holm_lies_between_the_p_values_and_bonferroni(p):
    p = np.array(p)
    assert (holm(p) >= p - 1e-15).all()
    assert (holm(p) <= np.minimum(len(p) * p.max(), 1) + 1e-12).all()
    assert holm(p).min() == pytest.approx(min(len(p) * p.min(), 1))


def test_many_judges_do_without_what_each_teaches_the_ratings(monkeypatch):
    m = votes(7, rows=1500, lean=tuple(np.linspace(-0.5, 0.5, 30)))
    whole = side_terms(m, m.labels["judge"], np.zeros(4), against_common=False, level=0.95)
    monkeypatch.setattr("equipoise.ratings.judges.position_effects.MOST_PROJECTED", 0)
    rough = side_terms(m, m.labels["judge"], np.zeros(4), against_common=False, level=0.95)
    assert rough.advantage == pytest.approx(whole.advantage)
    assert rough.stderr == pytest.approx(whole.stderr, rel=0.1)
    assert rough.p_value == pytest.approx(whole.p_value, abs=0.1)


def test_a_table_of_organisations_that_is_not_there_is_refused():
    with pytest.raises(eq.ReadError, match="A does not exist"):
        eq.judges(votes(), organisation="A")
