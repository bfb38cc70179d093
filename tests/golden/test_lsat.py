"""The LSAT table: Bock and Lieberman (1970)."""

import equipoise as eq


def test_lsat_has_a_thousand_people_and_the_published_margins():
    lsat = eq.load("lsat")
    assert lsat.values.shape == (1000, 5)
    assert lsat.values.sum(axis=0).tolist() == [924, 709, 553, 763, 870]
