"""Try to break the guarantees: exact laws of small instances, searches for bad neighbours, black-box lower bounds."""

from dprules.audit.law import Law, both_ways, hockey_stick, independent, largest_loss, renyi
from dprules.audit.list_law import exact_list_law
from dprules.audit.lower_bound import LowerBound, epsilon_lower_bound
from dprules.audit.search import worst_pair
from dprules.audit.stream_law import exact_stream_law

__all__ = [
    "Law",
    "LowerBound",
    "both_ways",
    "epsilon_lower_bound",
    "exact_list_law",
    "exact_stream_law",
    "hockey_stick",
    "independent",
    "largest_loss",
    "renyi",
    "worst_pair",
]
