"""The exact law of the dense stream learner on two short batches, from theory B9 alone, summed over all noise.

An outcome is the noisy sums of both batches. The weights of the second batch follow from the noisy sums of the first.
Outcomes beyond a reach are left out, which cannot raise a hockey stick, and the others are put together where their
odds are the same: that changes neither hockey sticks nor the largest loss.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprules.audit.law import Law
from dprules.audit.stream_law import Round

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
VectorNoise = Callable[[Integers], Floats]
"""Takes vectors, a row each, and returns the probability that noise is each of them."""
Batch = Sequence[Round | None]

_RADIUS = 1.5
_PARTS = 2**20
"""Of 1 in weights."""
_SAME = 1e7
"""Losses are the same if they agree to so many parts of 1."""


def cube_law(tilt: float) -> VectorNoise:
    """Return the law of noise in the cube norm: proportional to exp(-tilt max |k_j|).

    Examples
    --------
    >>> noise = cube_law(1.0)
    >>> round(float(noise(np.array([[1, 0]]))[0] / noise(np.array([[-1, 1]]))[0]), 12)
    1.0
    """

    def mass(vectors: Integers) -> Floats:
        radii = np.arange(int(60 / tilt) + 100 * vectors.shape[1])
        shells = (2.0 * radii + 1) ** vectors.shape[1] - np.maximum(2.0 * radii - 1, 0) ** vectors.shape[1]
        found: Floats = np.exp(-tilt * np.abs(vectors).max(axis=1)) / float(shells @ np.exp(-tilt * radii))
        return found

    return mass


@dataclass(frozen=True, slots=True)
class DenseLaw:
    """The learner on two batches of a few rounds.

    Parameters
    ----------
    noise : callable
        The law of the noise of a batch.
    unit : int
        Coordinates of rounds are multiples of 1/unit, and given as whole numbers up to +-unit.
    length : int
        Rounds of a batch.
    reach : int
        Noisy sums are looked at up to this.
    """

    noise: VectorNoise
    unit: int
    length: int
    reach: int

    def __call__(self, here: Batch, there: Batch) -> tuple[Law, Law]:
        """Return the laws of two streams of two batches, by the odds of outcomes."""
        dimension = next(len(example.features) for example in (*here, *there) if example is not None)
        grid = _grid(dimension, self.reach)
        weights = self.weights(grid)
        sums = []
        masses = []
        for stream in (here, there):
            first = self.sums(stream[: self.length], np.zeros((1, dimension)))
            masses.append(self.noise(grid - first))
            sums.append(self.second(first, self.sums(stream[self.length :], weights)))
        laws: tuple[dict[object, float], dict[object, float]] = ({}, {})
        told = np.column_stack([_losses(*masses), *sums])
        cases, places = np.unique(told, axis=0, return_inverse=True)
        p, q = (np.bincount(places.ravel(), weights=mass) for mass in masses)
        for case, row in enumerate(cases[:, 1:].astype(np.int64)):
            seconds = [self.noise(grid - part) for part in np.split(row, 2)]
            losses, groups = np.unique(_losses(*seconds), return_inverse=True)
            for law, mass, second in zip(laws, (p[case], q[case]), seconds, strict=True):
                grouped = np.bincount(groups.ravel(), weights=second, minlength=len(losses))
                law.update({(case, k): mass * part for k, part in enumerate(grouped.tolist())})
        return laws

    def weights(self, noisy: Integers) -> Floats:
        """Return the weights after the noisy sums of the first batch: a step of one length along them."""
        gradient = noisy / (self.length * self.unit)
        norms = np.sqrt((gradient**2).sum(axis=1, keepdims=True))
        step = np.divide(_RADIUS * gradient, norms, out=np.zeros_like(gradient), where=norms > 0)
        found: Floats = np.rint(step * _PARTS) / _PARTS
        return found

    def sums(self, batch: Batch, weights: Floats) -> Integers:
        """Return the exact sums of a batch for each row of weights: of examples whose margin is below 1."""
        found = np.zeros(weights.shape, dtype=np.int64)
        for example in batch:
            if example is not None:
                term = np.array(example.term)
                inside = weights @ term < self.unit
                found[inside] += term
        return found

    def second(self, first: Integers, sums: Integers) -> Integers:
        """Return what is released of the second batch: its own sums, whatever the first were."""
        return sums


def _losses(p: Floats, q: Floats) -> Floats:
    """Return the log-odds of outcomes, as numbers that are equal if they are the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        losses: Floats = np.rint(_SAME * (np.log(p) - np.log(q)))
    return np.nan_to_num(losses, nan=0.0, posinf=1e18, neginf=-1e18)


def _grid(dimension: int, reach: int) -> Integers:
    """Return all vectors of integers up to +-reach, a row each."""
    axes = np.meshgrid(*[np.arange(-reach, reach + 1)] * dimension, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)
