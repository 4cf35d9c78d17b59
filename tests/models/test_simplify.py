"""Simplification is from the list and public facts only, and keeps every prediction."""

import pytest

from dprules.models import Rule, RuleList
from dprules.schema import literals_of
from models.random_lists import CLASSES, COLUMNS, random_list, random_rows


@pytest.mark.parametrize("seed", range(40))
def test_every_prediction_stays_the_same(seed):
    rules = random_list(seed, length=14)
    simple = rules.simplified()
    rows = random_rows(seed)
    assert simple.predict(rows).tolist() == rules.predict(rows).tolist()
    assert not simple.rules or simple.rules[-1].label != simple.default
    assert simple.simplified() == simple


def test_unreachable_rules_go():
    below_30, below_50, _, from_50 = literals_of(COLUMNS[0])[:4]
    rules = RuleList(
        (Rule((below_50,), "no"), Rule((below_30,), "y'es"), Rule((from_50,), "y'es")),
        "no",
        CLASSES,
    )
    assert [str(rule) for rule in rules.simplified().rules] == ["age < 50.5 then no", "age >= 50.5 then y'es"]


def test_rules_that_can_never_hold_go():
    below_30, _, _, from_50 = literals_of(COLUMNS[0])[:4]
    rules = RuleList((Rule((below_30, from_50), "no"), Rule((below_30,), "may;be")), "y'es", CLASSES)
    assert [str(rule) for rule in rules.simplified().rules] == ["age < 30 then may;be"]


def test_trailing_rules_that_agree_with_the_default_go():
    asked = literals_of(COLUMNS[0])
    rules = RuleList((Rule((asked[0],), "no"), Rule((asked[1],), "y'es")), "y'es", CLASSES)
    assert [rule.label for rule in rules.simplified().rules] == ["no"]
    assert RuleList(tuple(Rule((a,), "no") for a in asked[:3]), "no", CLASSES).simplified().rules == ()
