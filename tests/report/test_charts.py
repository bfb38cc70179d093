"""Charts are compared by their specs, never by pixels."""

import dataclasses
import json
import re
from xml.etree import ElementTree

import pytest

import equipoise as eq
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.images import inline_svg, spec, to_png, to_svg, write_chart
from equipoise.report.charts.names import CHARTS
from tests.report.samples import HOSTILE, SAMPLES, SPECS, told

each_chart = pytest.mark.parametrize("view", SAMPLES.values(), ids=SAMPLES)


def test_every_chart_has_a_sample():
    assert list(SAMPLES) == list(CHARTS)


@each_chart
def test_the_spec_is_the_one_agreed_on(view):
    agreed = json.loads((SPECS / f"{view.name}.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(told(view))) == agreed, "if the change is meant: python -m tests.report.samples"


@each_chart
def test_a_view_model_holds_no_data_set(view):
    values = [getattr(view, field.name) for field in dataclasses.fields(view)]
    assert not any(
        isinstance(value, eq.Matches | eq.PairTable | eq.Scores | eq.Episodes | eq.results.Result) for value in values
    )


@each_chart
def test_the_caption_is_made_of_sentences(view):
    assert view.caption().endswith(".")
    assert len(view.caption().split()) >= 12


@each_chart
@pytest.mark.parametrize("width", [326, 1000])
def test_the_drawing_is_as_wide_as_asked(view, width):
    root = ElementTree.fromstring(inline_svg(view, width))
    assert float(root.get("width")) <= width


@each_chart
def test_a_drawing_in_a_page_has_a_name_and_no_address(view):
    drawn = inline_svg(view, 640)
    assert "http" not in drawn
    assert ElementTree.fromstring(drawn).get("aria-label").startswith(view.heading())


@each_chart
def test_a_hostile_name_is_only_text(view):
    for drawn in (inline_svg(view, 640), to_svg(view)):
        assert "<script" not in drawn
        root = ElementTree.fromstring(drawn)
        # A long name is cut in a drawing, and a part of a bar is named only when pointed at.
        told = [*root.itertext(), *(value for element in root.iter() for value in element.attrib.values())]
        assert any(HOSTILE[:16] in text for text in told)


def test_pictures_come_without_a_browser(tmp_path):
    view = SAMPLES["forest"]
    assert to_png(view).startswith(b"\x89PNG")
    write_chart(view, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    write_chart(view, tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == spec(view, titled=True)


def test_an_unknown_form_of_picture_is_refused(tmp_path):
    with pytest.raises(eq.ParameterError, match=r"\.svg, \.pdf, \.png, \.html, \.json"):
        write_chart(SAMPLES["forest"], tmp_path / "a.bmp")


def test_names_that_look_the_same_when_cut_stay_apart():
    long = "x" * 10_000
    drawn = json.dumps(spec(Forest([Span(f"{long}{k}", float(k)) for k in range(3)], "rating")))
    assert len(set(re.findall(r'"shown": "(.*?)"', drawn))) == 3


def test_results_draw_themselves_in_a_notebook():
    shown = eq.bradley_terry(eq.PairTable.from_matrix([[0.5, 0.8], [0.2, 0.5]], ["ada", "bea"], games=10))._repr_html_()
    assert shown.count("<svg") == 2
    assert shown.index("tied for first") < shown.index("<svg") < shown.index("<table")


def test_a_notebook_shows_the_unit_of_the_drawing_in_the_table_and_few_columns():
    games = eq.PairTable.from_matrix([[0.5, 0.9], [0.1, 0.5]], ["ada", "bea"], games=100)
    result = eq.bradley_terry(games)
    shown = result._repr_html_()
    points = max(result.frame()["rating"])
    assert f">{points:+.0f}<" in shown
    assert "in Elo points" in shown
    assert shown.count("<th") <= 8
    assert "stderr" not in shown


def test_a_notebook_shows_the_first_rows_and_counts_notes_of_one_kind():
    shown = eq.irt("lsat")._repr_html_()
    assert "970 more rows" in shown
    assert shown.count("<tr>") < 50


@each_chart
def test_a_spec_is_as_the_schema_says(view):
    import altair

    drawn = spec(view, 640)
    assert altair.Chart.from_dict(drawn, validate=True).to_dict(validate=True) == drawn


def test_what_breaks_the_schema_would_be_noticed():
    import altair
    from jsonschema.exceptions import ValidationError

    drawn = spec(SAMPLES["forest"], 640)
    with pytest.raises(ValidationError, match="nonsense"):
        altair.Chart.from_dict(drawn | {"autosize": "nonsense"}, validate=True)
