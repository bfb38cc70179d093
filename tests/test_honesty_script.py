"""The script that writes the observed column of the page about honest uncertainty."""

import json

from tools.honesty import chosen, observed_by_test, with_observed

PAGE = """| printed | stated | observed | test |
|---|---|---|---|
| an interval | 95% | 0.9 | `test_a.py::test_covers` |
| a p-value | uniform | 0.1 below 0.05 | `test_a.py::test_uniform` |
| a rule | none | said | `test_a.py::test_other` |"""


def line(test, observed):
    return json.dumps({"test": f"tests/statistical/{test}", "what": "", "stated": 0.95, "observed": observed})


def test_a_row_gets_the_range_of_its_tests_and_keeps_the_words_behind_it():
    lines = [line("test_a.py::test_covers[1]", 0.951), line("test_a.py::test_covers[2]", {"x": 0.943})]
    lines.append(line("test_a.py::test_uniform", [0.044]))
    rows = with_observed(PAGE, observed_by_test(lines)).split("\n")
    assert rows[2].split(" | ")[2] == "0.943 to 0.951"
    assert rows[3].split(" | ")[2] == "0.044 below 0.05"
    both = observed_by_test([*lines, line("test_a.py::test_covers[3]", 0.04)])
    assert with_observed(PAGE, both).split("\n")[2].split(" | ")[2] == "0.943 to 0.951 cover, 0.04 wrong"
    assert rows[4] == PAGE.split("\n")[4]


def test_some_simulations_can_be_chosen_by_parts_of_their_names():
    tests = ["test_irt.py::test_covers", "test_luck.py::test_covers", "test_luck.py::test_stops"]
    assert chosen(tests, "") == tests
    assert chosen(tests, "irt, stops") == [tests[0], tests[2]]
