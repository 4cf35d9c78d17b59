"""Planted faults, each with the check that must notice it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dprules.accounting import (
    BatchedStream,
    CountedCover,
    Cover,
    Curve,
    EpochStream,
    Event,
    FirstOnlyStream,
    Gaussian,
    Neighbours,
    SegmentStream,
    StreamDraws,
    Values,
)
from dprules.audit.counted_law import show_side
from dprules.audit.dense_faults import DENSE_FAULTS
from dprules.audit.epoch_law import EpochLaw
from dprules.audit.list_law import tilted
from dprules.audit.scorecard_law import CardScale, Integers, residual_of_each
from dprules.audit.stream_law import Round
from dprules.audit.stream_learners import BatchedLaw, FirstOnlyLaw, SegmentLaw, Segments
from dprules.audit.subject import (
    Subject,
    add_gaussian,
    count_noisily,
    run_as_priced,
    sigma_as_priced,
    tally_once,
    threshold_law,
)
from dprules.audit.values_law import exact_values_law
from dprules.mechanisms import AboveThreshold, draw


@dataclass(frozen=True, slots=True)
class _KeptScoresLaw(SegmentLaw):
    """A segment learner that does not clear its scores, at the price of one segment."""

    def scored(self, segments: Sequence[Sequence[Round]]) -> Sequence[Round]:
        """Return all cached examples."""
        return [example for segment in segments for example in segment]


@dataclass(frozen=True, slots=True)
class _KeptLivesLaw(BatchedLaw):
    """A batched learner that starts afresh without clearing its scores, at the price of one life."""

    def scored(self, segments: Segments) -> Segments:
        """Return the segments of all lives."""
        return segments


@dataclass(frozen=True, slots=True)
class _KeptRoundsLaw(EpochLaw):
    """Lists that are fitted on all rounds so far, at the price of one fit."""

    def fitted(self, start: int) -> slice:
        """Return all rounds up to the end of the epoch."""
        return slice(0, start + self.length)


def _price_without_watch(event: Event, neighbours: Neighbours) -> Curve:
    """Forget that the watch tells something, too."""
    return (replace(event, watch=None) if isinstance(event, EpochStream) else event).curve(neighbours)


def _price_half_a_fit(event: Event, neighbours: Neighbours) -> Curve:
    """Price a fit as if it had half its tilt."""
    if isinstance(event, EpochStream):
        event = replace(event, fits=tuple(replace(fit, tilt=Fraction(fit.tilt) / 2) for fit in event.fits))
    return event.curve(neighbours)


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
    if isinstance(event, CountedCover | Cover | Gaussian | Values):
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


def _price_sums_as_counts(event: Event, neighbours: Neighbours) -> Curve:
    """Price an exchange in sums of residuals, which may have any sign, as one in a histogram."""
    return (Gaussian(event.mu, histogram=True) if isinstance(event, Gaussian) else event).curve(neighbours)


def _sigma_for_one_column(event: Gaussian, longest: int, columns: int, steps: int) -> float:
    """Forget that a record adds to every column."""
    return sigma_as_priced(event, longest, 1, steps)


def _sigma_for_one_step(event: Gaussian, longest: int, columns: int, steps: int) -> float:
    """Forget that a record adds at every step."""
    return sigma_as_priced(event, longest, columns, 1)


def _half_the_sigma(event: Gaussian, longest: int, columns: int, steps: int) -> float:
    return sigma_as_priced(event, longest, columns, steps) / 2


def _residuals_of_all(scale: CardScale, scores: Integers, labels: Integers) -> Integers:
    """Take residuals from their mean over all records."""
    own = residual_of_each(scale, scores, labels)
    mean: Integers = np.rint(own.mean(axis=1, keepdims=True)).astype(np.int64)
    return own - mean


def _residuals_beside_others(scale: CardScale, scores: Integers, labels: Integers) -> Integers:
    """Read residuals off the mean score of all records."""
    return residual_of_each(scale, np.rint(scores.mean(axis=1, keepdims=True)).astype(np.int64), labels)


def _residuals_unclipped(scale: CardScale, scores: Integers, labels: Integers) -> Integers:
    return residual_of_each(replace(scale, longest=scale.unit), scores, labels)


def _residuals_weighted_late(scale: CardScale, scores: Integers, labels: Integers) -> Integers:
    """Count class 1 twice, after the residuals were clipped."""
    return residual_of_each(scale, scores, labels) * (1 + labels)


def _tally_twice(cells: Sequence[int], number: int) -> list[int]:
    return [2 * count for count in tally_once(cells, number)]


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
    "kept-scores-adaptive": Mutation(
        Subject(segment=_KeptScoresLaw), "segment, adaptive", "the same, on examples chosen from earlier releases"
    ),
    "kept-lives": Mutation(
        Subject(batched=_KeptLivesLaw), "restart", "keeps the scores of earlier lives at the price of one"
    ),
    "kept-lives-adaptive": Mutation(
        Subject(batched=_KeptLivesLaw),
        "restart, adaptive",
        "the same, on examples chosen from earlier releases",
    ),
    "kept-rounds": Mutation(
        Subject(epochs=_KeptRoundsLaw), "epochs, zero-out", "fits lists on earlier epochs as well, at the price of one"
    ),
    "free-watch": Mutation(
        Subject(price=_price_without_watch), "epochs, zero-out", "watches the list in force at no price"
    ),
    "half-a-fit": Mutation(Subject(price=_price_half_a_fit), "epochs, zero-out", "prices a fit at half its tilt"),
    "exchanged-rounds": Mutation(
        Subject(price=lambda event, neighbours: event.curve(Neighbours.ZERO_OUT)),
        "epochs, replace",
        "prices an exchanged round as one in which nothing happened",
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
    "sharp-gaussian": Mutation(
        Subject(gaussian=lambda counts, sigma: add_gaussian(counts, sigma / 2)),
        "Gaussian noise, as it runs",
        "the mechanism itself adds half the noise",
    ),
    "card-one-column": Mutation(
        Subject(card_sigma=_sigma_for_one_column),
        "scorecard, two columns",
        "leaves sqrt(columns) out of the sensitivity of a descent",
    ),
    "card-one-histogram": Mutation(
        Subject(card_sigma=_sigma_for_one_column),
        "card histograms, two columns",
        "leaves sqrt(columns) out of the sensitivity of bins",
    ),
    "card-one-step": Mutation(
        Subject(card_sigma=_sigma_for_one_step), "scorecard, add-remove", "has the noise of one step in each of two"
    ),
    "card-half-noise": Mutation(
        Subject(card_sigma=_half_the_sigma), "scorecard, add-remove", "runs a descent with half its noise"
    ),
    "card-centred-residuals": Mutation(
        Subject(residuals=_residuals_of_all),
        "scorecard, add-remove",
        "takes residuals from their mean over all records",
    ),
    "card-second-record": Mutation(
        Subject(residuals=_residuals_beside_others),
        "scorecard, add-remove",
        "reads a record's residual off the mean score of all records",
    ),
    "card-unclipped": Mutation(
        Subject(residuals=_residuals_unclipped), "scorecard, add-remove", "does not clip the residuals"
    ),
    "card-heavy-class": Mutation(
        Subject(residuals=_residuals_weighted_late),
        "scorecard, add-remove",
        "gives a class a weight of 2 after the residuals were clipped",
    ),
    "card-counted-twice": Mutation(
        Subject(tally=_tally_twice), "card histograms, add-remove", "counts every record twice in a histogram"
    ),
    "card-exchanged": Mutation(
        Subject(price=_price_exchange_as_addition),
        "scorecard, replace",
        "prices an exchanged record of a descent as an added one",
    ),
    "card-exchanged-counts": Mutation(
        Subject(price=_price_exchange_as_addition),
        "card histograms, replace",
        "prices a record that moves from one cell to another as an added one",
    ),
    "card-sums-as-counts": Mutation(
        Subject(price=_price_sums_as_counts),
        "scorecard, replace",
        "prices an exchange in sums that may have any sign as one in a histogram",
    ),
    **{name: Mutation(*fault) for name, fault in DENSE_FAULTS.items()},
}
