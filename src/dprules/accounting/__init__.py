"""What releases cost: events, prices, composition, calibration."""

from dprules.accounting import compose, cover, stream
from dprules.accounting.budget import Budget
from dprules.accounting.certificate import Certificate, Release
from dprules.accounting.curve import Curve
from dprules.accounting.events import (
    Above,
    Approximate,
    Batched,
    Concentrated,
    Counts,
    Cover,
    Draws,
    Event,
    FirstOnly,
    Guarded,
    Pure,
    Segment,
)
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.price import price

__all__ = [
    "Above",
    "Approximate",
    "Batched",
    "Budget",
    "Certificate",
    "Concentrated",
    "Counts",
    "Cover",
    "Curve",
    "Draws",
    "Event",
    "FirstOnly",
    "Guarded",
    "Neighbours",
    "Pure",
    "Release",
    "Segment",
    "compose",
    "cover",
    "price",
    "stream",
]
