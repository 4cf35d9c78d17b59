"""Small samples that the tests of list learners share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.audit import Example
from dprules.schema import Boolean, Literal, literals_of
from dprules.tables import PackedSample

Row = tuple[tuple[bool, ...], int]
"""The features of a record, and its class."""
ROWS: list[Row] = [((True, False), 1), ((True, True), 0), ((False, True), 0), ((True, False), 1)]
FEATURES = np.array([[0, -1, -1], [1, -1, -1]], dtype=np.int32)
"""Conditions: each of two features alone."""


def sample_of(rows: Sequence[Row], classes: int = 2, features: int = 2) -> PackedSample:
    """Records as learners see them."""
    matrix = np.array([held for held, _ in rows], dtype=np.bool_).reshape(len(rows), features)
    labels = np.array([label for _, label in rows], dtype=np.int16)
    return PackedSample.from_booleans(matrix, labels, classes)


def examples_of(rows: Sequence[Row]) -> list[Example]:
    """Records as exact laws see them."""
    return [Example(held, label) for held, label in rows]


def both_signs(rows: Sequence[Row]) -> tuple[PackedSample, tuple[Literal, ...]]:
    """Records with a literal for each sign of every feature, as a schema of Booleans makes them."""
    features = len(rows[0][0])
    signed = [(tuple(sign for x in held for sign in (x, not x)), label) for held, label in rows]
    literals = tuple(literal for i in range(features) for literal in literals_of(Boolean(f"b{i}")))
    return sample_of(signed, features=2 * features), literals


def noise_free(
    seed: int, rows: int = 20_000, features: int = 100, rules: int = 5
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Records that some list labels without error, and 4,000 more of them."""
    random = np.random.default_rng(seed)
    X = random.random((rows + 4000, features)) < 0.5
    chosen = random.choice(features, rules, replace=False)
    signs = random.random(rules) < 0.5
    labels = random.integers(0, 2, rules + 1)
    y = np.full(len(X), labels[-1])
    for at in range(rules - 1, -1, -1):
        y = np.where(X[:, chosen[at]] == signs[at], labels[at], y)
    return X[:rows], y[:rows], X[rows:], y[rows:]
