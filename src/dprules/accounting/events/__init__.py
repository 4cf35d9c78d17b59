"""What may happen to private data: one file an event, with its fields, its privacy curve and its document form."""

from dprules.accounting.events.batched import BatchedStream
from dprules.accounting.events.concentrated import Concentrated
from dprules.accounting.events.counted_cover import CountedCover
from dprules.accounting.events.counts import Counts
from dprules.accounting.events.cover import Cover
from dprules.accounting.events.dense import DenseStream
from dprules.accounting.events.epochs import EpochStream
from dprules.accounting.events.event import Event, Fields
from dprules.accounting.events.first_only import FirstOnlyStream
from dprules.accounting.events.gaussian import Gaussian
from dprules.accounting.events.guarded import GuardedStream
from dprules.accounting.events.paper_cover import PaperCover
from dprules.accounting.events.pure import Pure
from dprules.accounting.events.quantiles import Quantiles
from dprules.accounting.events.segment import SegmentStream
from dprules.accounting.events.stream_parts import StreamDraws, StreamEvent, ThresholdTilts
from dprules.accounting.events.values import Values

__all__ = [
    "BatchedStream",
    "Concentrated",
    "CountedCover",
    "Counts",
    "Cover",
    "DenseStream",
    "EpochStream",
    "Event",
    "Fields",
    "FirstOnlyStream",
    "Gaussian",
    "GuardedStream",
    "PaperCover",
    "Pure",
    "Quantiles",
    "SegmentStream",
    "StreamDraws",
    "StreamEvent",
    "ThresholdTilts",
    "Values",
]
