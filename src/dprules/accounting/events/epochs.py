"""Lists on disjoint epochs of a stream, and a watch over the one in force."""

from dataclasses import dataclass
from typing import Any, Self

from dprules.accounting.curve import Curve, symmetric
from dprules.accounting.epochs import after_a_test, relation_of_fits
from dprules.accounting.events.counted_cover import CountedCover
from dprules.accounting.events.event import Event, Fields
from dprules.accounting.events.stream_parts import ThresholdTilts
from dprules.accounting.neighbours import Neighbours
from dprules.errors import ModelError, ParameterError

MOST_FITS = 64
"""Kinds of fits that an event may name."""


@dataclass(frozen=True, slots=True)
class EpochStream(Event, kind="epoch stream"):
    """A list from each epoch of a stream, and tests of the list in force in windows of rounds (theory B10).

    Parameters
    ----------
    fits : tuple of CountedCover
        What a fit at the end of an epoch may be; a round enters one of them at the most.
    watch : ThresholdTilts or None
        Of AboveThreshold, which counts mistakes; a round enters one window at the most. None: nothing is watched.

    Examples
    --------
    >>> fit = CountedCover(1 / 16, 2)
    >>> alone = EpochStream((fit,)).curve(Neighbours.ZERO_OUT).epsilon(0)
    >>> watched = EpochStream((fit,), ThresholdTilts.of((0.125, 0.125))).curve(Neighbours.ZERO_OUT)
    >>> round(watched.epsilon(0) - alone, 9)
    0.125
    """

    fits: tuple[CountedCover, ...]
    watch: ThresholdTilts | None = None
    label = "lists on epochs"

    def __post_init__(self) -> None:
        if not isinstance(self.fits, tuple) or not 0 < len(self.fits) <= MOST_FITS:
            raise ParameterError(f"fits must be a tuple of 1 to {MOST_FITS} counted covers.")
        if not all(isinstance(fit, CountedCover) for fit in self.fits):
            raise ParameterError("fits must be counted covers: other lists are not priced on epochs.")
        if self.watch is not None and not isinstance(self.watch, ThresholdTilts):
            raise ParameterError("watch must be ThresholdTilts, or None.")

    def curve(self, neighbours: Neighbours) -> Curve:
        """Return the dearest fit, each after a test that may tell its whole epsilon (`docs/proofs/epochs.md`).

        Which kind of fit a round enters is settled before the round, so kinds are not mixed.
        """
        relation = relation_of_fits(neighbours)
        prices = [fit.curve(relation) for fit in self.fits]
        if self.watch is not None:
            prices = [after_a_test(self.watch.pure, price) for price in prices]
        return symmetric(
            lambda epsilon: max(price.delta(epsilon) for price in prices), max(price.pure for price in prices)
        )

    def fields(self) -> dict[str, Any]:
        """Return the fields of the fits and of the watch."""
        watch = None if self.watch is None else self.watch.fields()
        return {"fits": [fit.fields() for fit in self.fits], "watch": watch}

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read what `fields` writes."""
        entries = fields.take("fits")
        if not isinstance(entries, list) or not 0 < len(entries) <= MOST_FITS:
            raise ModelError(f"fits of an epoch stream must be a list of 1 to {MOST_FITS} counted covers.")
        fits = []
        for entry in entries:
            inner = Fields({"fit": entry}).nested("fit")
            fits.append(CountedCover.from_fields(inner))
            inner.require_empty()
        watch = fields.take("watch")
        tilts = None if watch is None else ThresholdTilts.from_fields(Fields({"watch": watch}).nested("watch"))
        return cls(tuple(fits), tilts)
