"""What counts as a difference between the answers of two trees."""

import json

import pytest

from tools.same_compare import compare_runs, compare_texts, page_text

BOARD = {"equipoise": "0.2.0", "parameters": {"file": "a"}, "agents": [{"agent": "ant", "rating": 12.5}]}


def answer(**parts):
    return {"code": 0, "kind": "text", "stdout": "", "stderr": "", "files": {}, "changing": []} | parts


def changed(**parts):
    return compare_texts(json.dumps(BOARD), json.dumps(BOARD | parts), "json")


def test_a_number_that_differs_by_rounding_is_near():
    found = changed(agents=[{"agent": "ant", "rating": 12.5 * (1 + 1e-12)}])
    assert found.near == 1
    assert found.largest == pytest.approx(1e-12, rel=1e-3)
    assert not found.differs(exact=False)
    assert found.differs(exact=True)


def test_a_number_that_differs_by_more_is_different():
    assert changed(agents=[{"agent": "ant", "rating": 12.5 * (1 + 1e-6)}]).differs(exact=False)


def test_a_key_may_be_added_but_not_lost():
    added = changed(agents=[{"agent": "ant", "rating": 12.5, "games": 3}])
    assert added.added == [".agents[0].games"]
    assert not added.differs(exact=False)
    assert added.differs(exact=True)
    lost = changed(agents=[{"agent": "ant"}])
    assert lost.different == [".agents[0].rating is missing"]


def test_parameters_and_versions_are_left_out():
    assert not changed(equipoise="0.3.0", parameters={"path": "b"}).differs(exact=False)


def test_parameters_count_where_every_byte_does():
    found = compare_texts(json.dumps(BOARD), json.dumps(BOARD | {"parameters": {"file": "b"}}), "json", exact=True)
    assert found.differs(exact=True)


def test_values_of_another_type_or_length_are_different():
    assert changed(agents=[]).differs(exact=False)
    assert changed(agents=[{"agent": "ant", "rating": None}]).differs(exact=False)
    assert changed(agents=[{"agent": "ant", "rating": True}]).differs(exact=False)


def test_an_order_of_keys_counts_only_where_every_byte_does():
    turned = json.dumps(dict(reversed(BOARD.items())))
    assert not compare_texts(json.dumps(BOARD), turned, "json").differs(exact=False)
    assert compare_texts(json.dumps(BOARD), turned, "json", exact=True).differs(exact=True)


def test_cells_go_by_the_names_of_their_columns():
    base = "agent,rating\nant,1.5\n"
    assert compare_texts(base, "agent,rating\nant,1.5000000000001\n", "csv").near == 1
    assert compare_texts(base, "agent,rating\nant,1.6\n", "csv").differs(exact=False)
    wider = compare_texts(base, "rank,agent,rating\n1,ant,1.5\n", "csv")
    assert wider.added == ["rank"]
    assert not wider.differs(exact=False)
    assert compare_texts(base, "agent\nant\n", "csv").differs(exact=False)
    assert compare_texts(base, "agent,rating\n", "csv").differs(exact=False)


def test_lines_of_text_are_equal_or_different():
    found = compare_texts("ant 1.50\nbee 1.40\n", "ant 1.50\nbee 1.41\n", "text")
    assert "-bee 1.40" in found.different
    assert "+bee 1.41" in found.different


def test_pages_are_compared_by_what_they_show():
    page = '<style>p {}</style><h1>Board</h1><script>let x = 1</script><p class="a">ant  leads</p>'
    assert page_text(page) == "Board\nant leads"
    assert not compare_texts(page, page.replace("let x = 1", "let y = 2"), "html", exact=True).differs(exact=True)
    assert compare_texts(page, page.replace("ant", "bee"), "html").differs(exact=False)


def test_drawings_may_differ_by_rounding():
    drawn = '<svg><path d="M1.5,2h3"/></svg>'
    assert compare_texts(drawn, drawn.replace("1.5", "1.50000000000001"), "svg").near == 1
    assert compare_texts(drawn, drawn.replace("1.5", "1.6"), "svg").differs(exact=False)


def test_a_line_that_says_that_a_spelling_ends_is_told_and_no_difference():
    line = "equipoise: --group is now --cluster (the old form ends in 0.4)"
    found = compare_runs(answer(), answer(stderr=f"{line}\n"), exact=True)
    assert found.deprecated == [line]
    assert not found.differs(exact=True)
    assert compare_runs(answer(), answer(stderr="equipoise: no such file\n")).differs(exact=False)


def test_exit_codes_and_files_count():
    assert compare_runs(answer(), answer(code=2)).differs(exact=False)
    assert compare_runs(answer(files={"a.csv": "x\n"}), answer()).differs(exact=False)
    assert compare_runs(answer(), answer(files={"a.csv": "x\n"})).differs(exact=False)
    assert compare_runs(answer(files={"a.csv": "x\n1\n"}), answer(files={"a.csv": "x\n2\n"})).differs(exact=False)


def test_what_changes_with_every_run_is_left_out():
    base, now = answer(files={"a.csv": "x,time\n1,5\n"}), answer(files={"a.csv": "x,time\n1,6\n"})
    assert compare_runs(base, now).differs(exact=False)
    assert not compare_runs(base | {"changing": ["time"]}, now, exact=True).differs(exact=True)
