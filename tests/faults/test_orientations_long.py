"""Ten thousand tables that tell where agents stand, or do not: none is read the wrong way round."""

from collections import Counter

from tests.faults.orientations import answer, made

CASES = 10_000


def test_no_table_is_read_the_wrong_way_round():
    answers = Counter((table.sign, answer(table)) for table in map(made, range(CASES)))
    assert {what for _, what in answers} <= {"right", "asked"}, answers
    assert answers["none", "right"] == 0
    for sign, least in (("header", 1.0), ("long", 1.0), ("known", 0.99), ("scale", 0.9)):
        told = answers[sign, "right"] + answers[sign, "asked"]
        assert answers[sign, "right"] >= least * told, answers
