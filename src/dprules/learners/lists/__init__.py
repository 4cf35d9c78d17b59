"""Decision lists: DP-GreedyCover, the paper's generic form, and yardsticks without privacy."""

from dprules.learners.lists.em_cover import check_family, em_cover
from dprules.learners.lists.exhaustive import composition_tilt, exhaustive
from dprules.learners.lists.greedy_cover import greedy_cover, greedy_without_privacy
from dprules.learners.lists.learn import Progress, learn_list, name_rules
from dprules.learners.lists.plan import ListPlan, plan_list
from dprules.learners.lists.recipe import short_list
from dprules.learners.lists.rivest import rivest
from dprules.learners.lists.settings import ListSettings

__all__ = [
    "ListPlan",
    "ListSettings",
    "Progress",
    "check_family",
    "composition_tilt",
    "em_cover",
    "exhaustive",
    "greedy_cover",
    "greedy_without_privacy",
    "learn_list",
    "name_rules",
    "plan_list",
    "rivest",
    "short_list",
]
