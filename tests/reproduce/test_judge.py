"""The verdict on a figure beside the published one."""

from dataclasses import replace
from pathlib import Path

import pytest

from equipoise.reproduce.published import PublishedAgreement, PublishedResult, judge


def figure(ours, published=(0.35,), **options):
    return PublishedResult(what="a figure", where="a table", published=published, compute=lambda _: ours, **options)


@pytest.mark.parametrize(("ours", "verdict"), [(0.346, "equal"), (0.354, "equal"), (0.356, "unexplained")])
def test_equal_means_that_it_rounds_to_the_printed_digits(ours, verdict):
    assert judge(figure((ours,)), None).agreement is PublishedAgreement[verdict]


def test_a_tie_that_was_rounded_the_other_way_shows_one_more_digit():
    line = judge(figure((0.925,), (0.92,)), None)
    assert (line.agreement, line.ours) == (PublishedAgreement.equal, "0.925")


def test_every_number_of_a_figure_counts():
    assert judge(figure((0.1, 0.2), (0.1, 0.3)), None).agreement is PublishedAgreement.unexplained


def test_a_difference_with_a_reason_is_called_a_difference():
    line = judge(figure((0.26,), because="we went on"), None)
    assert line.agreement is PublishedAgreement.differs
    assert line.because == "we went on"


@pytest.mark.parametrize(
    ("direction", "verdict"), [("lower", PublishedAgreement.better), ("higher", PublishedAgreement.differs)]
)
def test_better_is_claimed_in_the_right_direction_only(direction, verdict):
    assert judge(figure((0.26,), better=direction, because="we went on"), None).agreement is verdict


@pytest.mark.parametrize(
    ("published", "verdict"), [((244.0,), PublishedAgreement.within), ((500.0,), PublishedAgreement.unexplained)]
)
def test_a_single_run_agrees_if_it_lies_in_our_range(published, verdict):
    line = judge(figure((260.0, 165.0, 385.0), published, within=True, digits=0), None)
    assert line.agreement is verdict
    assert line.ours == "260 (165 to 385)"


def test_words_agree_if_they_are_the_same():
    assert judge(figure("A and C", "A and C"), None).agreement is PublishedAgreement.equal
    assert judge(figure("A", "A and C"), None).agreement is PublishedAgreement.unexplained


def test_what_ours_adds_in_brackets_does_not_count():
    assert judge(figure("most often A (3 of 4)", "most often A"), None).agreement is PublishedAgreement.equal
    assert judge(figure("most often B (3 of 4)", "most often A"), None).agreement is PublishedAgreement.unexplained


def test_words_do_not_agree_with_numbers():
    assert judge(figure("0.35 after a while", (0.35,)), None).agreement is PublishedAgreement.unexplained


def test_a_curve_without_numbers_has_nothing_to_agree_with():
    line = judge(figure((0.26,), published="", because="drawn without numbers"), None)
    assert (line.agreement, line.published, line.ours) == (PublishedAgreement.alone, "no numbers", "0.26")
    assert line.because == "drawn without numbers"


def test_absent_data_is_named_and_nothing_computed(tmp_path):
    def fail(_: Path) -> str:
        raise AssertionError("computed without data")

    wanted = PublishedResult(what="x", where="y", published="z", compute=fail, needs="folder/file.csv")
    for folder in (None, tmp_path):
        line = judge(wanted, folder)
        assert (line.agreement, line.because, line.ours) == (PublishedAgreement.absent, "folder/file.csv", None)


def test_an_absent_peer_is_named():
    wanted = PublishedResult(what="x", where="y", published="z", compute=lambda _: "z", peer="no_such_peer.part")
    assert judge(wanted, None).agreement is PublishedAgreement.no_peer


def test_an_absent_extra_is_named_with_what_installs_it():
    wanted = PublishedResult(what="x", where="y", published="z", compute=lambda _: "z", extra="no_such_module, games")
    line = judge(wanted, None)
    assert (line.agreement, line.ours) == (PublishedAgreement.no_extra, None)
    assert line.because == 'no_such_module is not installed: pip install "equipoise[games]"'
    assert judge(replace(wanted, extra="json, games"), None).agreement is PublishedAgreement.equal


def test_a_figure_nobody_can_compute_is_listed_with_its_reason():
    lost = PublishedResult(what="x", where="y", published="", compute=None, because="the numbers are lost")
    line = judge(lost, None)
    assert (line.agreement, line.because, line.published) == (
        PublishedAgreement.impossible,
        "the numbers are lost",
        "no numbers",
    )


def test_a_negative_zero_is_printed_as_zero():
    assert judge(figure((-0.0001,), (0.0,)), None).ours == "0.00"
