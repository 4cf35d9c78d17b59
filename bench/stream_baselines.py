"""Learners to compare with: the Perceptron (no privacy), DP-FTRL with tree aggregation, and private experts.

The Gaussian noise of DP-FTRL is numpy's: **for comparison only**, not for private data.
"""

from math import log2

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dprules.accounting import conversion, largest
from dprules.errors import ParameterError
from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.blocks import Block, Floats, Weights
from dprules.learners.streams.private_winnow import PrivateLearner
from dprules.learners.streams.winnow import Labels, Winnow
from dprules.numbers import Real, rational


class Perceptron(Winnow):
    """Rosenblatt's Perceptron: w += y x after a mistake. **Not private**."""

    def _update(self, block: Block, labels: Labels, row: int) -> None:
        term = np.zeros(len(self._scores), dtype=np.int64)
        block.add(np.array([row]), labels, term)
        self._scores += term / block.unit
        self.weights = Weights(self._scores.copy())
        self.updates += 1


class TreeSum:
    """Prefix sums of vectors under Gaussian noise: each vector enters at most log2(steps) + 1 noisy nodes."""

    def __init__(self, dimension: int, steps: int, deviation: float, random: Generator) -> None:
        self._levels = int(log2(max(1, steps))) + 1
        self._noise = np.zeros((self._levels, dimension))
        self._deviation, self._random = deviation, random
        self._sum = np.zeros(dimension)
        self._steps = 0

    def add(self, vector: NDArray[np.int64] | Floats) -> Floats:
        """Add a vector and return the noisy sum of all so far."""
        self._sum += vector
        self._steps += 1
        level = (self._steps & -self._steps).bit_length() - 1  # the node that this step completes
        self._noise[:level] = 0
        self._noise[level] = self._random.normal(0, self._deviation, len(self._sum))
        noisy: Floats = self._sum + self._noise.sum(axis=0)
        return noisy


class FollowTheLeader:
    """DP-FTRL on the hinge loss, a batch at a time: w is a function of the noisy sum of all gradients so far.

    Parameters
    ----------
    dimension : int
        Coordinates, the bias included.
    horizon : int
        Rounds of the stream.
    epsilon, delta : number
        The budget.
    rate : float
        Of the step.
    link : str
        "l2" (w = rate * sum) or "entropic" (w = radius * the softmax over coordinates and their negatives).
    batch : int
        Examples of a step; `learn` takes a block of that size.
    radius : float
        Of the entropic weights.
    seed : int
        Of the noise, which is for comparison only.
    """

    def __init__(
        self,
        dimension: int,
        horizon: int,
        epsilon: Real,
        delta: float,
        rate: float,
        link: str = "l2",
        batch: int = 1000,
        radius: float = 10.0,
        seed: int = 0,
    ) -> None:
        if link not in ("l2", "entropic"):
            raise ParameterError(f"link must be 'l2' or 'entropic'; got {link!r}. Choose one.")
        steps = max(1, -(-horizon // batch))
        levels = int(log2(steps)) + 1
        target = float(rational(epsilon, "epsilon"))
        rho = largest(lambda value: conversion(rational(value, "rho"), target) <= delta, start=0.01)
        # Exchanging an example moves a gradient by 2 sqrt(dimension) at most, in each of its nodes.
        deviation = 2 * np.sqrt(dimension) * np.sqrt(levels / (2 * rho))
        self._tree = TreeSum(dimension, steps, float(deviation), np.random.default_rng(seed))
        self._rate, self._entropic, self._radius = rate, link == "entropic", radius
        self.weights = Weights.zero(dimension)
        self.mistakes = 0

    def learn(self, block: Block, labels: Labels) -> None:
        """Predict a batch, then take one step."""
        says = block.weigh(self.weights)
        self.mistakes += int(((says > 0) != (labels > 0)).sum())
        says *= labels
        gradient = np.zeros(len(self.weights.values), dtype=np.int64)
        block.add(np.flatnonzero(says < 1), labels, gradient)
        # The noise is for coordinates of at most 1, whatever their unit.
        scores = self._rate * self._tree.add(gradient / block.unit)
        if self._entropic:
            top = np.abs(scores).max()
            up, down = np.exp(scores - top), np.exp(-scores - top)
            scores = self._radius * (up - down) / float(up.sum() + down.sum())
        self.weights = Weights(scores)


def private_experts(
    dimension: int, *, threshold: int, releases: int, rate: Real, above: tuple[Real, Real]
) -> PrivateLearner:
    """Private experts for the realizable case, in the manner of [Asi23]: the experts are coordinates and negatives.

    One expert is followed until AboveThreshold notices its mistakes; then another is drawn. For classes so small that
    each hypothesis is a coordinate, such as point functions.
    """
    return PrivateLearner(
        BatchedPolicy.start(dimension, threshold=threshold, draws=1, releases=releases, rate=rate, above=above)
    )
