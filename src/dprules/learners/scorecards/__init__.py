"""Scorecards: points that add up to a risk (theory G2).

Learning is loaded when it is first used: whoever learns a list should not wait for it.
"""

from typing import TYPE_CHECKING

from dprules.learners.scorecards.settings import TERMS, ScorecardSettings

if TYPE_CHECKING:
    from dprules.learners.scorecards.learn import learn_scorecard

__all__ = ["TERMS", "ScorecardSettings", "learn_scorecard"]


def __getattr__(name: str) -> object:
    if name != "learn_scorecard":
        raise AttributeError(f"module 'dprules.learners.scorecards' has no attribute {name!r}")
    from dprules.learners.scorecards.learn import learn_scorecard

    return learn_scorecard
