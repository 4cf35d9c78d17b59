"""The yardstick without privacy."""

import numpy as np

from dprules.learners.lists import rivest
from dprules.learners.lists.remaining import TRUE
from dprules.schema import Boolean, build_conditions, literals_of
from dprules.tables import PackedSample
from learners.lists.samples import noise_free, sample_of


def test_it_finds_a_list_without_errors_where_there_is_one():
    X, y, new, truth = noise_free(1, rows=3000, features=12)
    literals = [literal for i in range(12) for literal in literals_of(Boolean(f"b{i}"))]
    conditions = build_conditions(literals, 1)

    def both(matrix):
        signed = np.empty((len(matrix), 24), dtype=np.bool_)
        signed[:, ::2] = matrix
        signed[:, 1::2] = ~matrix
        return signed

    found = rivest(PackedSample.from_booleans(both(X), y.astype(np.int16), 2), conditions)

    def predict(matrix):
        said = np.full(len(matrix), -1)
        for condition, label in reversed(found):
            held = np.ones(len(matrix), bool) if condition == TRUE else both(matrix)[:, conditions[condition][0]]
            said[held] = label
        return said

    assert (predict(X) == y).all()
    assert (predict(new) == truth).mean() > 0.98


def test_it_stops_when_nothing_is_gained():
    sample = sample_of([((True,), 0), ((True,), 1)], features=1)
    assert rivest(sample, np.array([[0, -1, -1]], dtype=np.int32)) == [(TRUE, 0)]
    assert rivest(sample_of([], features=1), np.array([[0, -1, -1]], dtype=np.int32)) == [(TRUE, 0)]


def test_it_keeps_to_the_number_of_rules():
    rows = [((True, False), 0), ((False, True), 1), ((False, False), 0)] * 3
    conditions = np.array([[0, -1, -1], [1, -1, -1]], dtype=np.int32)
    assert len(rivest(sample_of(rows), conditions, max_rules=1)) == 2
