"""Class weights follow from what was given, or from noisy class counts."""

from fractions import Fraction
from typing import Any

import pytest

from dprules.models import Totals
from dprules.models.class_weights import balancing_weights, follow_from


@pytest.mark.parametrize(
    ("counts", "noise", "weights"),
    [
        ([100, 100], 1.0, [1, 1]),
        ([6400, 100], 1.0, [1 / 64, 1]),
        ([10_000_000, 1], 1.0, [1 / 64, 1]),
        ([-50, 20], 40.0, [1, 1]),
    ],
    ids=["even", "uneven", "never 0", "drowned in noise"],
)
def test_balancing_weights_make_classes_weigh_the_same(counts, noise, weights):
    assert [float(weight) for weight in balancing_weights(counts, noise)] == weights


CLASSES = ("no", 1)
TOTALS = Totals((900, 100), Fraction(10))
EVEN = (Fraction(1), Fraction(1))
HALF = (Fraction(1, 2), Fraction(1))
FOLLOW: dict[str, tuple[Any, Any]] = {
    "none": (None, None),
    "given": ({"no": 1.5, "1": 3.0}, HALF),
    "given in part": ({"1": 2.0}, HALF),
    "rounded": ({"no": 1 / 3, "1": 1.0}, (Fraction(21, 64), Fraction(1))),
    "between two steps": ({"no": 1.5 / 64}, (Fraction(2, 64), Fraction(1))),
    "balanced": ("balanced", (Fraction(7, 64), Fraction(1))),
}
OTHERWISE: dict[str, tuple[Any, Any]] = {
    "weights that nobody gave": (None, EVEN),
    "no weights": ({"no": 1.0}, None),
    "others than given": ({"no": 1.0, "1": 1.0}, HALF),
    "all smaller than given": ({"no": 1.0}, (Fraction(1, 2), Fraction(1, 2))),
    "not in steps": ({"no": 0.5}, (Fraction(501, 1000), Fraction(1))),
    "of another class": ({"yes": 1.0}, EVEN),
    "too far apart": ({"no": 0.001}, (Fraction(1, 64), Fraction(1))),
    "of nothing": ({"no": 0.0}, (Fraction(1, 64), Fraction(1))),
    "without end": ({"no": float("inf")}, (Fraction(1), Fraction(1, 64))),
    "text": ({"no": "1"}, EVEN),
    "another word": ("even", EVEN),
    "not balanced": ("balanced", HALF),
}


@pytest.mark.parametrize("case", FOLLOW)
def test_weights_follow_from_settings_and_counts(case):
    given, weights = FOLLOW[case]
    assert follow_from(given, CLASSES, TOTALS, weights)


@pytest.mark.parametrize("case", OTHERWISE)
def test_other_weights_do_not(case):
    given, weights = OTHERWISE[case]
    assert not follow_from(given, CLASSES, TOTALS, weights)
