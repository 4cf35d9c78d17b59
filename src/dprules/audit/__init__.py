"""Try to break the guarantees: exact laws of small instances, searches for bad neighbours, black-box lower bounds."""

from dprules.audit.battery import CHECKS, Check, battery
from dprules.audit.checks import AdaptivePairs, Finding, Point, StreamPairs
from dprules.audit.counted_checks import CountedPair, CountedPairs, counted_points
from dprules.audit.counted_law import CountedLaw, CountTilts, Gains, show_count, show_every_side, show_side
from dprules.audit.end_to_end import STOPPED, Progress, Trial, claims_of, run_trials
from dprules.audit.epoch_checks import EpochPair, EpochPairs, epoch_points
from dprules.audit.epoch_law import EpochLaw
from dprules.audit.law import Law, both_ways, followed_by, hockey_stick, independent, largest_loss, renyi
from dprules.audit.list_law import TRUE, Example, exact_list_law, powered, tilted
from dprules.audit.lower_bound import LowerBound, epsilon_lower_bound
from dprules.audit.mutations import MUTATIONS, Mutation
from dprules.audit.scorecard_law import (
    CardLaw,
    CardRecord,
    CardScale,
    histogram_laws,
    residual_of_each,
    rounded_gaussian,
)
from dprules.audit.search import worst_pair
from dprules.audit.stream_law import Choice, Round, StreamLaw, ThresholdLaw, exact_stream_law
from dprules.audit.stream_learners import BatchedLaw, FirstOnlyLaw, GuardedLaw, SegmentLaw
from dprules.audit.subject import Subject
from dprules.audit.telling import Claim, Outcome, Telling
from dprules.audit.values_law import exact_values_law, neighbouring_counts

__all__ = [
    "CHECKS",
    "MUTATIONS",
    "STOPPED",
    "TRUE",
    "AdaptivePairs",
    "BatchedLaw",
    "CardLaw",
    "CardRecord",
    "CardScale",
    "Check",
    "Choice",
    "Claim",
    "CountTilts",
    "CountedLaw",
    "CountedPair",
    "CountedPairs",
    "EpochLaw",
    "EpochPair",
    "EpochPairs",
    "Example",
    "Finding",
    "FirstOnlyLaw",
    "Gains",
    "GuardedLaw",
    "Law",
    "LowerBound",
    "Mutation",
    "Outcome",
    "Point",
    "Progress",
    "Round",
    "SegmentLaw",
    "StreamLaw",
    "StreamPairs",
    "Subject",
    "Telling",
    "ThresholdLaw",
    "Trial",
    "battery",
    "both_ways",
    "claims_of",
    "counted_points",
    "epoch_points",
    "epsilon_lower_bound",
    "exact_list_law",
    "exact_stream_law",
    "exact_values_law",
    "followed_by",
    "histogram_laws",
    "hockey_stick",
    "independent",
    "largest_loss",
    "neighbouring_counts",
    "powered",
    "renyi",
    "residual_of_each",
    "rounded_gaussian",
    "run_trials",
    "show_count",
    "show_every_side",
    "show_side",
    "tilted",
    "worst_pair",
]
