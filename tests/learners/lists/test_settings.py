"""Parameters that make no sense get a sentence."""

import json

import pytest

from dprules.errors import ParameterError
from dprules.learners.lists import ListSettings


@pytest.mark.parametrize(
    ("settings", "starts"),
    [
        (dict(width=4), "width must be 1, 2 or 3"),
        (dict(width=0), "width must be an integer"),
        (dict(max_rules=0), "max_rules must be an integer"),
        (dict(reward=2), "reward must lie"),
        (dict(reward=-1), "reward must be at least 0"),
        (dict(accounting="rough"), "accounting must be"),
        (dict(accounting="paper", reward=0.5), "the paper's accounting"),
        (dict(shares={"fun": 0.1}), "shares may name"),
        (dict(shares={"counts": 0}), "share 'counts' must lie"),
        (dict(shares={"classes": 0.5, "cuts": 0.5}), "shares must sum to less than 1"),
        (dict(shares={"counts": 0.05}), "counts of the rules are free here"),
        (dict(shares={"counts": 0.05}, max_rules=3, reward=1), "counts of the rules are free here"),
        (dict(class_weight="heavy"), "class_weight must be None, 'balanced'"),
        (dict(class_weight={}), "class_weight must be None, 'balanced'"),
        (dict(class_weight={"no": 0}), "class_weight"),
        (dict(class_weight="balanced", accounting="paper"), "the paper's score knows no class weights"),
    ],
)
def test_bad_settings_get_a_sentence(settings, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        ListSettings(**settings)


@pytest.mark.parametrize(
    ("settings", "needs"),
    [
        (ListSettings(), True),
        (ListSettings(max_rules=3), True),
        (ListSettings(reward=0.5), True),
        (ListSettings(max_rules=3, reward=0.5), False),
        (ListSettings(accounting="paper"), False),
    ],
)
def test_class_counts_are_needed_where_something_is_chosen_from_them(settings, needs):
    assert settings.needs_classes is needs


def test_settings_are_written_in_json_types():
    written = ListSettings(max_rules=3, shares={"cuts": 0.1}, class_weight={True: 2}).document()
    assert json.loads(json.dumps(written)) == written
    assert written["reward"] == "auto"
