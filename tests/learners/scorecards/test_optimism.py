"""A card that chance made of the records it was learnt from does not look like knowledge."""

import numpy as np
import pytest

from dprules.accounting import Account, Gaussian, Unit
from dprules.learners.scorecards import ScorecardSettings
from dprules.learners.scorecards.groups import Grouped
from dprules.learners.scorecards.optimism import Freedom
from dprules.mechanisms import os_bits
from dprules.schema import Boolean, Label, Numeric, Schema
from dprules.tables import ColumnsTable, read_records

COIN = Grouped(Boolean("b"), np.array([0, 1, 1]), np.array([0.5, 0.5]))


def test_without_noise_chance_moves_every_weight():
    free = Freedom.of([COIN] * 10, [0.5, 0.5], 10**6, Gaussian(50))
    assert free.weights == 10
    assert free.moved == pytest.approx(10, rel=1e-3)


def test_where_noise_is_large_chance_moves_nothing():
    assert Freedom.of([COIN] * 10, [0.5, 0.5], 100, Gaussian(0.001)).moved < 1e-3


def test_what_was_chosen_out_of_many_has_been_moved_farther():
    before, chosen = Freedom(100, 100.0), Freedom(20, 20.0)
    # The largest fifth of squares of normal numbers: simulated.
    squares = np.sort(np.random.default_rng(0).normal(size=100_000) ** 2)[-20_000:]
    assert chosen.chosen(before) == pytest.approx(20 * squares.mean(), rel=0.02)
    assert before.chosen(before) == 100


@pytest.mark.parametrize(
    ("columns", "epsilon", "terms", "classes"),
    [(10, 1.0, 20, 2), (10, 10.0, 20, 2), (40, 10.0, "all", 2), (10, 10.0, 20, 3)],
)
def test_random_classes_are_not_taken_for_knowledge(columns, epsilon, terms, classes):
    rng = np.random.default_rng(7)
    names = ("a", "b", "c")[:classes]
    schema = Schema(Label("y", names), tuple(Numeric(f"x{i}", cuts=tuple(np.arange(1, 5) / 5)) for i in range(columns)))
    found = []
    for _ in range(8):
        table = {f"x{i}": rng.random(2000) for i in range(columns)} | {"y": rng.choice(names, 2000)}
        records = read_records(ColumnsTable(table), schema, Unit(), os_bits)
        card = ScorecardSettings(terms).learn(
            records, schema, Account(epsilon, 1e-6), os_bits, lambda step, done, total: None
        )
        found.append(card.z or 0.0)
    assert np.median(found) < 1.5
    assert np.mean(found) < 1.5
