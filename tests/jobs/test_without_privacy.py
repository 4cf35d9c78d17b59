"""Lists without privacy, as yardsticks."""

import numpy as np
import pytest

from dprules.jobs import FitRequest, fit_without_privacy, fit_yardstick, predict


@pytest.mark.parametrize("learn", [fit_without_privacy, fit_yardstick])
def test_without_privacy(table, schema, learn):
    rules = learn(FitRequest(table, schema))
    assert (predict(rules, table) == np.array(table["y"])).mean() > 0.95


@pytest.mark.parametrize("learn", [fit_without_privacy, fit_yardstick])
def test_conditions_are_as_wide_as_asked(table, schema, learn):
    rules = learn(FitRequest(table, schema), width=1)
    assert {len(rule.conditions) for rule in rules.rules} == {1}
