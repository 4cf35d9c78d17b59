"""What an epsilon buys, before any data is touched."""

from dprules.learners.lists import ListPlan, plan_list
from dprules.learners.streams import LearnerPlan, StreamPlan, plan_stream

__all__ = ["LearnerPlan", "ListPlan", "StreamPlan", "plan_list", "plan_stream"]
