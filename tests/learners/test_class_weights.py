"""Class weights as they are given: checked, rounded, and written so that a reader gets the same."""

from fractions import Fraction

import pytest

from dprules.errors import ParameterError
from dprules.learners.class_weights import given_weights, write_class_weight
from dprules.models import Totals
from dprules.models.class_weights import follow_from

CLASSES = ("no", "yes", "maybe")


@pytest.mark.parametrize(
    "given",
    [
        {"no": 5},
        {"no": 0.1, "yes": 0.7, "maybe": 0.33},
        {"no": Fraction(1, 3), "yes": Fraction(1, 128), "maybe": Fraction(1, 3)},
        {"no": Fraction(64, 3), "yes": Fraction(1, 3)},
    ],
    ids=["one", "all", "half a step", "farthest apart"],
)
def test_given_weights_follow_from_what_is_written(given):
    weights = given_weights(given, CLASSES)
    assert weights is not None
    assert max(weights) == 1
    assert follow_from(write_class_weight(given), CLASSES, Totals((1, 1, 1), Fraction(1)), weights)


def test_classes_that_nobody_declared_have_no_weight():
    with pytest.raises(ParameterError, match="which is no class"):
        given_weights({"other": 1}, CLASSES)
    with pytest.raises(ParameterError, match="a factor of 64"):
        given_weights({"no": 65}, CLASSES)
