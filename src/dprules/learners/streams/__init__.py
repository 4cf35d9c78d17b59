"""Private learning from streams: Winnow, the paper's and ours, and what they need."""

from dprules.learners.streams.batched import BatchedPolicy
from dprules.learners.streams.blocks import (
    Block,
    ClippedBlock,
    ConditionBlock,
    DenseBlock,
    LiteralBlock,
    PackedBlock,
    SparseBlock,
    Weights,
    as_block,
)
from dprules.learners.streams.confident import ConfidentWinnow
from dprules.learners.streams.creation import create_stream
from dprules.learners.streams.epochs import EpochLearner
from dprules.learners.streams.event_files import EventBatch, EventFile, encode_lines, read_event, read_events
from dprules.learners.streams.features import Event, Events, StreamFeatures
from dprules.learners.streams.following import Follower, Replacement, Say, list_files, read_file
from dprules.learners.streams.guarded import GuardedPolicy
from dprules.learners.streams.learner import SIGNS, Hypothesis, Learner, Questions, Secret
from dprules.learners.streams.paper import PaperPolicy
from dprules.learners.streams.plan import GuardedPlan, LearnerPlan, StreamPlan, plan_stream
from dprules.learners.streams.positions import Position, identify_path
from dprules.learners.streams.private_winnow import DrawnIndices, Policy, PrivateLearner, ScoredDraws
from dprules.learners.streams.segment import SegmentPolicy
from dprules.learners.streams.settings import StreamSettings
from dprules.learners.streams.sparse_numbers import SparseNumbers
from dprules.learners.streams.store import Stream
from dprules.learners.streams.timely import read_timely
from dprules.learners.streams.winnow import Labels, Winnow
from dprules.models.published import read_published

__all__ = [
    "SIGNS",
    "BatchedPolicy",
    "Block",
    "ClippedBlock",
    "ConditionBlock",
    "ConfidentWinnow",
    "DenseBlock",
    "DrawnIndices",
    "EpochLearner",
    "Event",
    "EventBatch",
    "EventFile",
    "Events",
    "Follower",
    "GuardedPlan",
    "GuardedPolicy",
    "Hypothesis",
    "Labels",
    "Learner",
    "LearnerPlan",
    "LiteralBlock",
    "PackedBlock",
    "PaperPolicy",
    "Policy",
    "Position",
    "PrivateLearner",
    "Questions",
    "Replacement",
    "Say",
    "ScoredDraws",
    "Secret",
    "SegmentPolicy",
    "SparseBlock",
    "SparseNumbers",
    "Stream",
    "StreamFeatures",
    "StreamPlan",
    "StreamSettings",
    "Weights",
    "Winnow",
    "as_block",
    "create_stream",
    "encode_lines",
    "identify_path",
    "list_files",
    "plan_stream",
    "read_event",
    "read_events",
    "read_file",
    "read_published",
    "read_timely",
]
