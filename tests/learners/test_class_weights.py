"""Class weights are given, or follow from noisy class counts."""

import pytest

from dprules.learners.class_weights import balancing_weights


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
