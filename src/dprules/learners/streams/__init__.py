"""Private learning from streams: Winnow, the paper's and ours, and what they need."""

from dprules.learners.streams import baselines, examples
from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.blocks import (
    Block,
    ClippedBlock,
    ConditionBlock,
    DenseBlock,
    PackedBlock,
    SparseBlock,
    Weights,
    as_block,
)
from dprules.learners.streams.confident import ConfidentWinnow
from dprules.learners.streams.event_files import EventBatch, EventFile, Position, read_event
from dprules.learners.streams.features import Event, StreamFeatures
from dprules.learners.streams.guarded import GuardedPolicy
from dprules.learners.streams.learner import (
    SIGNS,
    DrawnIndices,
    Hypothesis,
    Learner,
    Policy,
    PrivateLearner,
    Questions,
    ScoredDraws,
    Secret,
)
from dprules.learners.streams.paper import PaperPolicy
from dprules.learners.streams.plan import LearnerPlan, StreamPlan, plan_stream
from dprules.learners.streams.segment import SegmentPolicy
from dprules.learners.streams.settings import StreamSettings
from dprules.learners.streams.store import Stream, create_stream, read_published
from dprules.learners.streams.winnow import Labels, Winnow

__all__ = [
    "SIGNS",
    "BatchedPolicy",
    "Block",
    "ClippedBlock",
    "ConditionBlock",
    "ConfidentWinnow",
    "DenseBlock",
    "DrawnIndices",
    "Event",
    "EventBatch",
    "EventFile",
    "GuardedPolicy",
    "Hypothesis",
    "Labels",
    "Learner",
    "LearnerPlan",
    "PackedBlock",
    "PaperPolicy",
    "Policy",
    "Position",
    "PrivateLearner",
    "Questions",
    "ScoredDraws",
    "Secret",
    "SegmentPolicy",
    "SparseBlock",
    "Stream",
    "StreamFeatures",
    "StreamPlan",
    "StreamSettings",
    "Weights",
    "Winnow",
    "as_block",
    "baselines",
    "create_stream",
    "examples",
    "plan_stream",
    "read_event",
    "read_published",
]
