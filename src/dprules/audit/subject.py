"""What is audited: mechanisms and prices as the package has them, each of which a planted fault may replace."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import CountedCover, Curve, Event, Gaussian, Neighbours, compose
from dprules.audit.counted_law import CountTilts, Show, show_side
from dprules.audit.dense_law import DenseLaw, VectorNoise, cube_law
from dprules.audit.epoch_law import EpochLaw
from dprules.audit.law import Law
from dprules.audit.list_law import Weight, tilted
from dprules.audit.scorecard_law import Rule, residual_of_each
from dprules.audit.stream_law import ThresholdLaw
from dprules.audit.stream_learners import BatchedLaw, SegmentLaw
from dprules.audit.values_law import exact_values_law
from dprules.mechanisms import AboveThreshold, cube_noise, draw, gaussian, noisy_counts
from dprules.numbers import Real


def price_event(event: Event, neighbours: Neighbours) -> Curve:
    """Return the price that the event itself names."""
    return event.curve(neighbours)


def price_together(events: Sequence[Event], neighbours: Neighbours) -> Curve:
    """Return the price of several events as `compose` has it."""
    return compose.curve(events, neighbours)


def threshold_law(noise: float, test: float) -> ThresholdLaw:
    """Return the law of AboveThreshold with these tilts."""
    return ThresholdLaw(exp(-noise), exp(-test))


def count_noisily(count: int, tilt: float) -> int:
    """Release one count with the noise of the package."""
    return int(noisy_counts(count, tilt))


def run_as_priced(event: CountedCover) -> CountTilts:
    """Return the tilts of a counted list as its event names them."""
    parts = event.parts
    return CountTilts(parts.last_rule, parts.cell, parts.last_cell, parts.remainder)


def sigma_as_priced(event: Gaussian, longest: int, columns: int, steps: int) -> float:
    """Return the noise of sums to which a record adds a vector of length `longest`, in each column and each step."""
    return longest * sqrt(columns * steps) / float(event.mu)


def tally_once(cells: Sequence[int], number: int) -> list[int]:
    """Return how many records are in each of `number` cells."""
    return [list(cells).count(cell) for cell in range(number)]


def add_gaussian(counts: list[int], sigma: float) -> NDArray[np.int64]:
    """Release counts with the Gaussian noise of the package."""
    return gaussian(counts, sigma)


def add_cube_noise(sums: list[int], tilt: Real) -> NDArray[np.int64]:
    """Release sums with the cube noise of the package."""
    return cube_noise(sums, tilt)


@dataclass(frozen=True, slots=True)
class Subject:
    """Every part that a check may put to the test; the defaults are the package's own.

    Parameters
    ----------
    price : callable
        Takes an event and a relation, and returns its curve.
    together : callable
        The same for several events.
    weight : callable
        Takes a tilt, and returns how a list's law weighs scores.
    tests : callable
        Takes the tilts of AboveThreshold, and returns its law.
    batched, segment, epochs, dense : type
        The laws of the stream learners.
    draw, count, above_threshold : callable
        The mechanisms that run.
    values : callable
        Takes counts, a tilt and a threshold, and returns the law of private values.
    count_tilts : callable
        Takes the event of a counted list, and returns the tilts that it runs with.
    show : callable
        What a counted list shows of a cell.
    card_sigma : callable
        Takes the event of a card's release, the length of what a record adds, columns and steps, and returns sigma.
    residuals : callable
        Takes a scale, scores and classes of all records, and returns their residuals.
    tally : callable
        Takes the cells of records and the number of cells, and returns a histogram.
    gaussian : callable
        Takes counts and sigma, and releases the counts.
    cube_law : callable
        Takes a tilt, and returns the law of noise in the cube norm.
    cube_noise : callable
        Takes sums and a tilt, and releases the sums.
    """

    price: Callable[[Event, Neighbours], Curve] = price_event
    together: Callable[[Sequence[Event], Neighbours], Curve] = price_together
    weight: Callable[[float], Weight] = tilted
    tests: Callable[[float, float], ThresholdLaw] = threshold_law
    batched: type[BatchedLaw] = BatchedLaw
    segment: type[SegmentLaw] = SegmentLaw
    epochs: type[EpochLaw] = EpochLaw
    draw: Callable[[list[int], float], NDArray[np.int64]] = draw
    count: Callable[[int, float], int] = count_noisily
    above_threshold: Callable[[int, float, float], AboveThreshold] = AboveThreshold
    values: Callable[[Sequence[int], float, int], Law] = exact_values_law
    count_tilts: Callable[[CountedCover], CountTilts] = run_as_priced
    show: Show = show_side
    card_sigma: Callable[[Gaussian, int, int, int], float] = sigma_as_priced
    residuals: Rule = residual_of_each
    tally: Callable[[Sequence[int], int], list[int]] = tally_once
    gaussian: Callable[[list[int], float], NDArray[np.int64]] = add_gaussian
    dense: type[DenseLaw] = DenseLaw
    cube_law: Callable[[float], VectorNoise] = cube_law
    cube_noise: Callable[[list[int], Real], NDArray[np.int64]] = add_cube_noise
