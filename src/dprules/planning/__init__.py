"""What an epsilon buys, before any data is touched."""

from dprules.planning.lists import ListPlan, conjunctions, plan_list
from dprules.planning.streams import LearnerPlan, StreamPlan, plan_stream

__all__ = ["LearnerPlan", "ListPlan", "StreamPlan", "conjunctions", "plan_list", "plan_stream"]
