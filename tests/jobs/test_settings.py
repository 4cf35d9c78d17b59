"""Which settings belong to which model."""

import pytest

from dprules.errors import ParameterError
from dprules.jobs import ListSettings, ScorecardSettings, choose_settings


def test_settings_are_those_of_the_model():
    wide = {"width": 1, "max_rules": 3, "reward": 0.5, "accounting": "exact", "class_weight": "balanced"}
    assert choose_settings("list", wide, {"counts": 0.1}) == ListSettings(**wide, shares={"counts": 0.1})
    few = {"terms": 5, "class_weight": {"yes": 2}}
    assert choose_settings("scorecard", few, {"cuts": 0.1}) == ScorecardSettings(**few, shares={"cuts": 0.1})
    assert choose_settings("list", {}, {}) == ListSettings()
    assert choose_settings("scorecard", {}, {}) == ScorecardSettings()


@pytest.mark.parametrize(
    ("model", "options", "shares", "said"),
    [
        ("scorecard", {"width": 2}, {}, "a scorecard has no width. Leave it out, or choose model list."),
        ("scorecard", {"max_rules": 2}, {}, "a scorecard has no max rules."),
        ("scorecard", {"reward": 0.5}, {}, "a scorecard has no reward."),
        ("scorecard", {"accounting": "exact"}, {}, "a scorecard has no accounting."),
        ("scorecard", {}, {"counts": 0.1}, "a scorecard has no share for counts. Leave it out, or choose model list."),
        ("scorecard", {}, {"classes": 0.1}, "a scorecard has no share for classes."),
        ("list", {"terms": 20}, {}, "a list has no terms. Leave it out, or choose model scorecard."),
        ("tree", {}, {}, "model must be list or scorecard; got 'tree'."),
    ],
)
def test_what_belongs_to_another_model_is_refused(model, options, shares, said):
    with pytest.raises(ParameterError) as refused:
        choose_settings(model, options, shares)
    assert str(refused.value).startswith(said)
