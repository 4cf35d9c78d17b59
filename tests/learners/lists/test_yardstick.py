"""The recipe without noise: a list for each setting, the best on the sample first."""

import numpy as np

from dprules.jobs import FitRequest, ListSettings, fit_yardstick, predict
from dprules.jobs.without_privacy import fit_yardsticks
from dprules.schema import Boolean, Label, Schema

RANDOM = np.random.default_rng(5)
SCHEMA = Schema(Label("y", ("no", "yes")), tuple(Boolean(f"x{i}") for i in range(6)))
CELLS = RANDOM.random((4000, 6)) < 0.5
SAYS = np.where(CELLS[:, 0] & CELLS[:, 1], "yes", np.where(CELLS[:, 2], "no", np.where(CELLS[:, 3], "yes", "no")))
NOISE = RANDOM.random(4000) < 0.1
LABELS = np.where(NOISE, RANDOM.choice(["no", "yes"], 4000), SAYS)
TABLE = {f"x{i}": CELLS[:, i] for i in range(6)} | {"y": LABELS}
REQUEST = FitRequest(TABLE, SCHEMA, ListSettings(2))


def right(rules):
    return float(np.mean(predict(rules, TABLE) == LABELS))


def test_the_best_on_the_sample_comes_first_and_finds_the_rules():
    lists = fit_yardsticks(REQUEST, (1, 5))
    accuracies = [right(rules) for rules in lists]
    assert len(lists) == 8
    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[0] >= float(np.mean(SAYS == LABELS))
    assert accuracies[-1] < accuracies[0]  # a single rule does not do


def test_the_yardstick_is_the_best_of_all_settings():
    assert right(fit_yardstick(REQUEST)) >= max(right(rules) for rules in fit_yardsticks(REQUEST, (5, 10)))
