from math import inf

from dprules.audit import Finding, Point


def test_a_point_holds_up_to_rounding():
    assert Point("delta", 1.0, 0.5, 0.5 * (1 + 1e-10)).holds
    assert not Point("delta", 1.0, 0.5, 0.5 * (1 + 1e-8)).holds


def test_ratios():
    assert Point("delta", 1.0, 0.5, 0.25).ratio == 0.5
    assert Point("delta", 1.0, 0.0, 0.0).ratio == 0.0
    assert Point("delta", 1.0, 0.0, 0.1).ratio == inf


def test_a_finding_is_as_bad_as_its_worst_point():
    good = Point("delta", 1.0, 0.5, 0.25)
    bad = Point("epsilon", 0.0, 1.0, 1.5)
    assert Finding("good", (good,)).holds
    finding = Finding("bad", (good, bad))
    assert not finding.holds
    assert finding.ratio == 1.5
