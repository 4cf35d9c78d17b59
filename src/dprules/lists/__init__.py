"""Decision lists: learn, read, run, export."""

from dprules.lists.em_cover import check_family, em_cover
from dprules.lists.evaluate import Evaluation, evaluate
from dprules.lists.exhaustive import composition_tilt, exhaustive
from dprules.lists.fit import Fitted, Settings, fit_list
from dprules.lists.greedy_cover import greedy_cover
from dprules.lists.learn import learn_list
from dprules.lists.model import Model
from dprules.lists.rivest import rivest
from dprules.lists.rule_list import Rule, RuleList

__all__ = [
    "Evaluation",
    "Fitted",
    "Model",
    "Rule",
    "RuleList",
    "Settings",
    "check_family",
    "composition_tilt",
    "em_cover",
    "evaluate",
    "exhaustive",
    "fit_list",
    "greedy_cover",
    "learn_list",
    "rivest",
]
