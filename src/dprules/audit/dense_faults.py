"""Planted faults of dense batches, each with the check that must notice it and what it is."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dprules.accounting import Curve, DenseStream, Event, Neighbours
from dprules.audit.dense_law import DenseLaw, Floats, Integers, VectorNoise, cube_law
from dprules.audit.subject import Subject, add_cube_noise


@dataclass(frozen=True, slots=True)
class _KeptSumsLaw(DenseLaw):
    """A learner that does not clear its sums after a release."""

    def second(self, first: Integers, sums: Integers) -> Integers:
        """Return the sums of both batches."""
        return first + sums


def _narrow_in_one(tilt: float) -> VectorNoise:
    """Give the first coordinate half the noise, as if a round moved it half as far."""
    whole = cube_law(tilt)

    def mass(vectors: Integers) -> Floats:
        return whole(vectors * np.array([2, *[1] * (vectors.shape[1] - 1)]))

    return mass


def _euclidean(tilt: float) -> VectorNoise:
    """Let probabilities fall with the Euclidean length, which a round moves further than any coordinate."""
    whole = cube_law(tilt)

    def mass(vectors: Integers) -> Floats:
        longest = np.abs(vectors).max(axis=1)
        found: Floats = whole(vectors) * np.exp(-tilt * (np.sqrt((vectors**2).sum(axis=1)) - longest))
        return found

    return mass


def _one_sided(tilt: float) -> VectorNoise:
    """Never add noise below 0."""
    whole = cube_law(tilt)

    def mass(vectors: Integers) -> Floats:
        return np.where((vectors >= 0).all(axis=1), 4 * whole(vectors), 0.0)

    return mass


def _price_as_left_out(event: Event, neighbours: Neighbours) -> Curve:
    """Price an exchanged round as one that is left out."""
    return event.curve(Neighbours.ZERO_OUT if isinstance(event, DenseStream) else neighbours)


DENSE_FAULTS: dict[str, tuple[Subject, str, str]] = {
    "dense-narrow-coordinate": (
        Subject(cube_law=_narrow_in_one),
        "dense, zero-out",
        "takes half of what a round may add to one of the sums for the whole",
    ),
    "dense-euclidean-noise": (
        Subject(cube_law=_euclidean),
        "dense, replace",
        "has noise in the Euclidean norm at the price of the cube norm",
    ),
    "dense-one-sided-noise": (Subject(cube_law=_one_sided), "dense, zero-out", "adds noise that is never negative"),
    "dense-kept-sums": (
        Subject(dense=_KeptSumsLaw),
        "dense, zero-out",
        "keeps the sums of earlier batches at the price of one",
    ),
    "dense-exchanged": (
        Subject(price=_price_as_left_out),
        "dense, replace",
        "prices an exchanged round as one that is left out",
    ),
    "sharp-cube-noise": (
        Subject(cube_noise=lambda sums, tilt: add_cube_noise(sums, 2 * Fraction(tilt))),
        "cube noise, as it runs",
        "the mechanism itself adds half the noise",
    ),
}
