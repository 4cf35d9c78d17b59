"""What is audited: mechanisms and prices as the package has them, or with one planted fault."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from dprules.accounting import (
    BatchedStream,
    CountedCover,
    Cover,
    Curve,
    Event,
    FirstOnlyStream,
    Neighbours,
    SegmentStream,
    StreamDraws,
    Values,
    compose,
)
from dprules.audit.counted_law import CountTilts, Show, show_side
from dprules.audit.law import Law
from dprules.audit.list_law import Weight, tilted
from dprules.audit.stream_law import Round, ThresholdLaw
from dprules.audit.stream_learners import BatchedLaw, FirstOnlyLaw, SegmentLaw
from dprules.audit.values_law import exact_values_law
from dprules.mechanisms import AboveThreshold, draw, noisy_counts


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
    batched, segment : type
        The laws of the stream learners.
    draw, count, above_threshold : callable
        The mechanisms that run.
    values : callable
        Takes counts, a tilt and a threshold, and returns the law of private values.
    count_tilts : callable
        Takes the event of a counted list, and returns the tilts that it runs with.
    show : callable
        What a counted list shows of a cell.
    """

    price: Callable[[Event, Neighbours], Curve] = price_event
    together: Callable[[Sequence[Event], Neighbours], Curve] = price_together
    weight: Callable[[float], Weight] = tilted
    tests: Callable[[float, float], ThresholdLaw] = threshold_law
    batched: type[BatchedLaw] = BatchedLaw
    segment: type[SegmentLaw] = SegmentLaw
    draw: Callable[[list[int], float], NDArray[np.int64]] = draw
    count: Callable[[int, float], int] = count_noisily
    above_threshold: Callable[[int, float, float], AboveThreshold] = AboveThreshold
    values: Callable[[Sequence[int], float, int], Law] = exact_values_law
    count_tilts: Callable[[CountedCover], CountTilts] = run_as_priced
    show: Show = show_side


@dataclass(frozen=True, slots=True)
class _KeptScoresLaw(SegmentLaw):
    """A segment learner that does not clear its scores, at the price of one segment."""

    def scored(self, segments: Sequence[Sequence[Round]]) -> Sequence[Round]:
        """Return all cached examples."""
        return [example for segment in segments for example in segment]


def _price_narrow_draws(event: Event, neighbours: Neighbours) -> Curve:
    """Price 2 eta where 4 eta is due: the paper's slip."""
    if isinstance(event, BatchedStream | FirstOnlyStream | SegmentStream):
        halved = StreamDraws(tuple((number, rate / 2) for number, rate in event.draws.groups))
        event = replace(event, draws=halved)
    return event.curve(neighbours)


def _price_two_rounds(event: Event, neighbours: Neighbours) -> Curve:
    """Price two rounds, however many there are."""
    if isinstance(event, Cover):
        event = replace(event, rewards=(max(event.rewards),), rounds=2)
    return event.curve(neighbours)


def _price_one_of_many(events: Sequence[Event], neighbours: Neighbours) -> Curve:
    """Price several releases as if they were one."""
    return events[0].curve(neighbours)


def _price_exchange_as_addition(event: Event, neighbours: Neighbours) -> Curve:
    """Price an exchange of records as an addition."""
    if isinstance(event, CountedCover | Cover | Values):
        return event.curve(Neighbours.ADD_REMOVE)
    return event.curve(neighbours)


def _price_low_reward(event: Event, neighbours: Neighbours) -> Curve:
    """Price the draws of a counted list as if they had half a reward: its counts are free at reward 1 alone."""
    if isinstance(event, CountedCover):
        return Cover(event.tilt, (Fraction(1, 2),), event.rounds).curve(neighbours)
    return event.curve(neighbours)


def _show_twice(here: int, there: int, tilt: float) -> Mapping[Hashable, float]:
    """Count a cell again, with fresh noise."""
    once = show_side(here, there, tilt)
    return {(a, b): p * q for a, p in once.items() for b, q in once.items()}


def _run_with(**tilts: Fraction) -> Subject:
    """Return a counted list that runs with other tilts than it is priced for."""
    return Subject(count_tilts=lambda event: run_as_priced(event)._replace(**tilts))


@dataclass(frozen=True, slots=True)
class Mutation:
    """A planted fault, and the check that must notice it.

    Parameters
    ----------
    subject : Subject
        What is audited, with the fault.
    caught_by : str
        The name of the check.
    what : str
        The fault in words.
    """

    subject: Subject
    caught_by: str
    what: str


MUTATIONS: dict[str, Mutation] = {
    "doubled-tilt": Mutation(
        Subject(weight=lambda tilt: tilted(2 * tilt)),
        "list, add-remove",
        "draws from exp(2 tilt score) at the price of exp(tilt score)",
    ),
    "two-rounds": Mutation(
        Subject(price=_price_two_rounds), "list, add-remove", "runs M + 1 rounds at the price of two"
    ),
    "exchange-as-addition": Mutation(
        Subject(price=_price_exchange_as_addition), "list, replace", "prices an exchanged record as an added one"
    ),
    "one-of-many": Mutation(Subject(together=_price_one_of_many), "two lists together", "prices two lists as one"),
    "narrow-draws": Mutation(
        Subject(price=_price_narrow_draws), "paper's Winnow, replace", "prices a draw at 2 eta instead of 4 eta"
    ),
    "truncated-cache": Mutation(
        Subject(batched=FirstOnlyLaw),
        "batched, zero-out",
        "adds only the first cached mistakes at the price of all of them",
    ),
    "kept-scores": Mutation(
        Subject(segment=_KeptScoresLaw), "segment", "keeps the scores of earlier segments at the price of one"
    ),
    "halved-noise": Mutation(
        Subject(tests=lambda noise, test: threshold_law(2 * noise, 2 * test)),
        "batched, zero-out",
        "runs AboveThreshold with half its noise",
    ),
    "sharp-draw": Mutation(
        Subject(draw=lambda scores, tilt: draw(scores, 2 * Fraction(tilt))),
        "draw, as it runs",
        "the sampler itself draws with twice the tilt",
    ),
    "sharp-counts": Mutation(
        Subject(count=lambda count, tilt: count_noisily(count, 2 * tilt)),
        "noisy counts, as they run",
        "counts carry half the noise that they are priced for",
    ),
    "eager-threshold": Mutation(
        Subject(above_threshold=lambda limit, noise, test: AboveThreshold(limit, 2 * noise, 2 * test)),
        "AboveThreshold, as it runs",
        "the mechanism itself runs with half its noise",
    ),
    "low-threshold": Mutation(
        Subject(values=lambda counts, tilt, threshold: exact_values_law(counts, tilt, threshold - 1)),
        "values, add-remove",
        "keeps values whose noisy count is one below the threshold",
    ),
    "sharp-values": Mutation(
        Subject(values=lambda counts, tilt, threshold: exact_values_law(counts, 2 * tilt, threshold)),
        "values, add-remove",
        "keeps values by counts with half the noise",
    ),
    "twice-counted": Mutation(
        Subject(values=lambda counts, tilt, threshold: exact_values_law([2 * n for n in counts], tilt, threshold)),
        "values, add-remove",
        "counts every record twice before it keeps values",
    ),
    "sharp-cells": Mutation(
        _run_with(cell=Fraction(3, 4)),
        "counted list, add-remove",
        "counts what a rule covers at 3/4 of the tilt at the price of 1/2",
    ),
    "sharp-remainder": Mutation(
        _run_with(remainder=Fraction(2)),
        "counted list, add-remove",
        "counts what no rule covers at twice the tilt",
    ),
    "sharp-last-rule": Mutation(
        _run_with(last_rule=Fraction(1), last_cell=Fraction(1, 2)),
        "counted list, add-remove",
        "draws and counts the last rule like every other",
    ),
    "counted-again": Mutation(
        Subject(show=_show_twice), "counted list, add-remove", "counts every rule twice at the price of once"
    ),
    "counts-at-low-reward": Mutation(
        Subject(price=_price_low_reward),
        "counted list, add-remove",
        "prices a counted list as draws with a reward of 1/2",
    ),
    "adapted-at-low-reward": Mutation(
        Subject(price=_price_low_reward),
        "counted list, adaptive rewards",
        "prices rewards that follow from counts by their smallest",
    ),
    "exchanged-counts": Mutation(
        Subject(price=_price_exchange_as_addition),
        "counted list, replace",
        "prices an exchanged record of a counted list as an added one",
    ),
    "exchanged-values": Mutation(
        Subject(price=_price_exchange_as_addition),
        "values, replace",
        "prices a record that moves from one value to another as an added one",
    ),
}
