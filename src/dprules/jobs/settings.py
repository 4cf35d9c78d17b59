"""The public parameters of learners."""

from dprules.learners.lists import ListSettings
from dprules.learners.lists.scores import WEIGHTS
from dprules.learners.streams import StreamSettings

__all__ = ["LARGEST_RATIO", "ListSettings", "StreamSettings"]

LARGEST_RATIO = WEIGHTS
"""By which class weights may differ."""
