import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq


@pytest.mark.parametrize(
    ("text", "headers", "lists", "bold"),
    [
        ("", 0, 0, 0),
        ("# one\n## two\n###### six\n####### seven\n#none", 3, 0, 0),
        ("- a\n* b\n+ c\n1. d\n2) e\n   - f\n\t* g", 0, 7, 0),
        ("-a\n1.5 metres\n---\n* * *\n- - -", 0, 0, 0),
        ("> - quoted", 0, 1, 0),
        ("**one** and __two__ and **three words here**", 0, 0, 3),
        ("2 ** 3 ** 4, a__b__c, ****, ** no **", 0, 0, 0),
        ("***both*** and **with *inner* stars**", 0, 0, 2),
        ("```python\n# no\n- no\n**no**\n```\n# yes", 1, 0, 0),
        ("~~~\n# no\n```\n# no\n~~~\n- yes", 0, 1, 0),
        ("````\n```\n# no\n````\n# yes", 1, 0, 0),
        ("# yes\n```\n# never closed\n- no", 1, 0, 0),
        ("code `**no**` and ``a ` **no**`` but **yes**", 0, 0, 1),
        ("**broken\nover lines**", 0, 0, 0),
    ],
)
def test_markdown_is_counted(text, headers, lists, bold):
    found = eq.style_features(text)
    assert (found.headers, found.lists, found.bold) == (headers, lists, bold)
    assert found.length == len(text)


@given(st.text(alphabet="#*_`~-1. \nax", max_size=200))
def test_any_text_has_a_style_and_code_adds_only_length(text):
    plain = eq.style_features(text)
    if "```" not in text and "~~~" not in text:
        more = eq.style_features("```\n# x\n- y\n**z**\n```\n" + text)
        assert (more.headers, more.lists, more.bold) == (plain.headers, plain.lists, plain.bold)
    assert min(plain.to_dict().values()) >= 0


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_a_frame_of_answers_gets_columns_that_control_finds(frame):
    log = frame({
        "model_a": ["x", "y", "x", "y"], "model_b": ["y", "x", "y", "x"], "winner": ["model_a", "model_b"] * 2,
        "answer_a": ["long answer **here**", "short", "tiny", "a longer one"],
        "answer_b": ["no", "- yes", "well, well", "so"],
    })  # fmt: skip
    wide = eq.methods.add_style_features(log, a="answer_a", b="answer_b")
    assert list(wide["bold_a"]) == [1, 0, 0, 0]
    m = eq.read_matches(wide, covariates=["length"])
    assert m.covariates.names == ("length",)


def test_what_is_no_text_is_refused():
    with pytest.raises(eq.DataError, match="not of int"):
        eq.style_features(7)
    with pytest.raises(eq.DataError, match='no column "c"'):
        eq.methods.add_style_features(pl.DataFrame({"a": ["x"], "b": ["y"]}), a="a", b="c")
    with pytest.raises(eq.DataError, match="no answer in row 1"):
        eq.methods.add_style_features(pl.DataFrame({"a": [None], "b": ["y"]}), a="a", b="b")
