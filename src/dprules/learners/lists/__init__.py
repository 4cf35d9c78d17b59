"""Decision lists: DP-GreedyCover, the paper's generic form, and yardsticks without privacy."""

from dprules.learners.lists.counted_cover import counted_cover
from dprules.learners.lists.em_cover import check_family, em_cover
from dprules.learners.lists.exhaustive import composition_tilt, exhaustive
from dprules.learners.lists.greedy_cover import greedy_cover
from dprules.learners.lists.learn import learn_list, name_rules
from dprules.learners.lists.plan import ListPlan, Typical, bound_list, count_candidates
from dprules.learners.lists.rivest import rivest
from dprules.learners.lists.settings import CLASSES_SHARE, ListSettings
from dprules.learners.lists.yardstick import LENGTHS, yardsticks
from dprules.learners.settings import Progress

__all__ = [
    "CLASSES_SHARE",
    "LENGTHS",
    "ListPlan",
    "ListSettings",
    "Progress",
    "Typical",
    "bound_list",
    "check_family",
    "composition_tilt",
    "count_candidates",
    "counted_cover",
    "em_cover",
    "exhaustive",
    "greedy_cover",
    "learn_list",
    "name_rules",
    "rivest",
    "yardsticks",
]
