"""What releases cost: events with their curves, composition, accounts, certificates."""

from dprules.accounting import compose, counted, cover, epochs, gaussian, stream
from dprules.accounting.account import Account
from dprules.accounting.assumptions import Assumed, Assumption, TakenFrom
from dprules.accounting.calibrate import largest, smallest
from dprules.accounting.certificate import SEEDED, Certificate, Charge, Release
from dprules.accounting.curve import Curve
from dprules.accounting.events import (
    BatchedStream,
    Concentrated,
    CountedCover,
    Counts,
    Cover,
    DenseStream,
    EpochStream,
    Event,
    FirstOnlyStream,
    Gaussian,
    GuardedStream,
    PaperCover,
    Pure,
    Quantiles,
    SegmentStream,
    StreamDraws,
    ThresholdTilts,
    Values,
)
from dprules.accounting.neighbours import Neighbours
from dprules.accounting.quote import Quote
from dprules.accounting.reference import LedgerReference
from dprules.accounting.slots import Slots
from dprules.accounting.unit import Unit
from dprules.accounting.zcdp import conversion

__all__ = [
    "SEEDED",
    "Account",
    "Assumed",
    "Assumption",
    "BatchedStream",
    "Certificate",
    "Charge",
    "Concentrated",
    "CountedCover",
    "Counts",
    "Cover",
    "Curve",
    "DenseStream",
    "EpochStream",
    "Event",
    "FirstOnlyStream",
    "Gaussian",
    "GuardedStream",
    "LedgerReference",
    "Neighbours",
    "PaperCover",
    "Pure",
    "Quantiles",
    "Quote",
    "Release",
    "SegmentStream",
    "Slots",
    "StreamDraws",
    "TakenFrom",
    "ThresholdTilts",
    "Unit",
    "Values",
    "compose",
    "conversion",
    "counted",
    "cover",
    "epochs",
    "gaussian",
    "largest",
    "smallest",
    "stream",
]
