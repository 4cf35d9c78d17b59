"""Decision lists: learn, read, run, export."""

from dprules.lists.fit import Fitted, Settings, fit_list
from dprules.lists.greedy_cover import greedy_cover
from dprules.lists.model import Model
from dprules.lists.rule_list import Rule, RuleList

__all__ = ["Fitted", "Model", "Rule", "RuleList", "Settings", "fit_list", "greedy_cover"]
