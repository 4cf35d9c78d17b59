"""The public parameters of learners."""

from dprules.learners.lists import ListSettings
from dprules.learners.streams import StreamSettings

__all__ = ["ListSettings", "StreamSettings"]
