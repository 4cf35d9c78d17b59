"""What an epsilon buys, before any data is touched."""

from dprules.planning.lists import ListPlan, conjunctions, plan_list
from dprules.planning.streams import BatchedPlan, StreamPlan, plan_stream

__all__ = ["BatchedPlan", "ListPlan", "StreamPlan", "conjunctions", "plan_list", "plan_stream"]
