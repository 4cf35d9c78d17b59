"""Private learning from streams: Winnow, the paper's and ours, and what they need."""

from dprules.online import halfspace, streams
from dprules.online.batched import Batched
from dprules.online.blocks import Block, Conjoined, Dense, Packed, Real, Sparse, Weights, as_block
from dprules.online.confident import ConfidentWinnow
from dprules.online.guarded import Guarded
from dprules.online.halfspace import Halfspace
from dprules.online.hypothesis import Hypothesis, Term
from dprules.online.learner import PrivateLearner, Released
from dprules.online.private import Paper
from dprules.online.segment import Segment
from dprules.online.settings import StreamSettings
from dprules.online.winnow import Winnow

__all__ = [
    "Batched",
    "Block",
    "ConfidentWinnow",
    "Conjoined",
    "Dense",
    "Guarded",
    "Halfspace",
    "Hypothesis",
    "Packed",
    "Paper",
    "PrivateLearner",
    "Real",
    "Released",
    "Segment",
    "Sparse",
    "StreamSettings",
    "Term",
    "Weights",
    "Winnow",
    "as_block",
    "halfspace",
    "streams",
]
