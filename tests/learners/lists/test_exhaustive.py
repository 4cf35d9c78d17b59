"""The exponential mechanism over all lists, and what ordinary composition would allow."""

import numpy as np
import pytest

from conftest import assert_law
from dprules.accounting import cover
from dprules.errors import ParameterError
from dprules.learners.lists import composition_tilt, exhaustive
from dprules.learners.lists.remaining import TRUE
from dprules.mechanisms import os_bits
from learners.lists.samples import FEATURES, ROWS, sample_of


def errors(rules):
    """How many records a list gets wrong, one by one."""
    wrong = 0
    for held, label in ROWS:
        said = next(answer for condition, answer in rules if condition == TRUE or held[condition])
        wrong += said != label
    return wrong


def test_lists_without_errors_are_preferred():
    assert errors(exhaustive(sample_of(ROWS), FEATURES, 50, os_bits)) == 0


def test_the_law_is_that_of_one_draw_over_all_lists(bits):
    every = [[(TRUE, a)] for a in (0, 1)]
    every += [[(f, a), (TRUE, b)] for f in (0, 1) for a in (0, 1) for b in (0, 1)]
    weights = {tuple(rules): np.exp(-0.5 * errors(rules)) for rules in every}
    law = {rules: weight / sum(weights.values()) for rules, weight in weights.items()}
    sample = sample_of(ROWS)
    assert_law([tuple(exhaustive(sample, FEATURES, 0.5, bits, max_rules=1)) for _ in range(3000)], law)


def test_too_many_lists_are_refused_before_they_are_tried():
    many = np.array([[i % 2, -1, -1] for i in range(200)], dtype=np.int32)
    with pytest.raises(ParameterError, match="too many lists"):
        exhaustive(sample_of(ROWS), many, 1, os_bits)


def test_exact_accounting_beats_ordinary_composition():
    assert cover.tilt(1.0, 1e-6, rounds=50) > 1.3 * composition_tilt(1.0, 1e-6, 50)
