"""Scorecards: points that add up to a risk (theory G2)."""

from dprules.learners.scorecards.learn import learn_scorecard
from dprules.learners.scorecards.settings import TERMS, ScorecardSettings

__all__ = ["TERMS", "ScorecardSettings", "learn_scorecard"]
