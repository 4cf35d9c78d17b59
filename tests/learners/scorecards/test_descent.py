"""Without noise the descent fits the classes; its steps follow from public numbers.

Residuals are clipped at a half, so that the scale of weights is off; their proportions are right, and the scale is
measured later.
"""

import numpy as np
import pytest

from dprules.accounting import Gaussian
from dprules.learners.scorecards.descent import Target, Weights, descend
from dprules.learners.scorecards.groups import Grouped
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean
from dprules.tables.coded import JointSample
from tables.joint import joint_sample

ROWS = 60_000
COLUMNS = [Grouped(Boolean(name), np.array([0, 1, 1]), np.array([0.5, 0.5])) for name in "abc"]


def made(logits: np.ndarray, seed: int = 4) -> tuple[JointSample, np.ndarray]:
    """Records of three coins; each score is a base and one number for each coin that shows 1."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, (ROWS, 3))
    scores = logits[0] + coins @ logits[1:]
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    labels = (rng.random((ROWS, 1)) > np.cumsum(shares, axis=1)).sum(axis=1)
    return joint_sample(list(coins.T), [2, 2, 2], labels.astype(np.uint16)), labels


def run(sample: JointSample, target: Target, base: np.ndarray, mu: float = 50.0) -> tuple[Weights, list[int]]:
    steps: list[int] = []
    start = Weights(np.zeros((6, target.scores)), base)
    fitted = descend(
        sample, COLUMNS, start, target, Gaussian(mu), SeededBits(1), lambda done, total: steps.append(total - done)
    )
    return fitted, steps


def test_two_classes_are_fitted():
    logits = np.array([[0.0, -0.5], [0.0, 1.0], [0.0, -0.7], [0.0, 0.0]])
    sample, labels = made(logits)
    share = labels.mean()
    fitted, steps = run(sample, Target(1, (64, 64), ROWS), np.array([np.log(share / (1 - share))]))
    differences = np.diff(fitted.groups.reshape(3, 2), axis=1)[:, 0]
    assert differences / differences[0] == pytest.approx([1.0, -0.7, 0.0], abs=0.05)
    assert 1 < differences[0] < 2
    assert steps == list(range(150, -1, -1))


def test_the_other_class_turns_every_sign():
    sample, _ = made(np.array([[0.0, -0.5], [0.0, 1.0], [0.0, -0.7], [0.0, 0.0]]))
    one, _ = run(sample, Target(1, (64, 64), ROWS), np.zeros(1))
    other, _ = run(sample, Target(0, (64, 64), ROWS), np.zeros(1))
    assert one.groups == pytest.approx(-other.groups, abs=0.02)


def test_many_classes_are_fitted():
    logits = np.array([[0.3, 0.0, -0.3], [1.0, 0.0, -1.0], [0.0, 0.8, 0.0], [0.0, 0.0, 0.0]])
    sample, labels = made(logits)
    shares = np.bincount(labels) / ROWS
    fitted, _ = run(sample, Target(None, (64, 64, 64), ROWS), np.log(shares))
    found = np.diff(fitted.groups.reshape(3, 2, 3), axis=1)[:, 0]
    centred = logits[1:] - logits[1:].mean(axis=1, keepdims=True)
    found -= found.mean(axis=1, keepdims=True)
    assert found / found[0, 0] == pytest.approx(centred / centred[0, 0], abs=0.2)


def test_weights_have_mean_0_in_every_column():
    sample, _ = made(np.array([[0.0, 0.4], [0.0, 2.0], [0.0, 1.0], [0.0, -1.0]]))
    fitted, _ = run(sample, Target(1, (64, 64), ROWS), np.zeros(1))
    assert fitted.groups.reshape(3, 2).mean(axis=1) == pytest.approx(0, abs=1e-12)
    assert 0.4 + 1.0 < fitted.base[0] < 2 * (0.4 + 1.0)  # the mean of three coins, up to the scale


def test_noise_is_as_wide_as_the_price_says():
    """On no records at all the descent is noise alone: its first step has a known standard deviation."""
    empty = joint_sample([np.zeros(0, dtype=np.int64)] * 3, [2, 2, 2], np.zeros(0, dtype=np.uint16))
    target = Target(1, (64, 64), 1.0)
    sizes = [np.abs(run(empty, target, np.zeros(1), mu)[0].groups).mean() for mu in (0.01, 0.1)]
    assert sizes[0] / sizes[1] == pytest.approx(10, rel=1e-4)
