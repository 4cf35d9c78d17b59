"""A seed repeats everything: units, private cuts, class counts, rules, counts; streams as well."""

from dataclasses import replace

import numpy as np
import pytest

from dprules import PrivateDecisionListClassifier, PrivateWinnowClassifier
from dprules.jobs import FitRequest, ListSettings, OnlineRequest, StreamLearner, StreamSettings, fit
from dprules.learners.streams import DenseBlock
from dprules.schema import Boolean, Label, PrivateCuts, Schema

RANDOM = np.random.default_rng(0)
SIZE = 600
CELLS = {
    "who": RANDOM.integers(0, 200, SIZE),
    "x": RANDOM.normal(50, 20, SIZE),
    "z": RANDOM.random(SIZE),
    "b": RANDOM.random(SIZE) < 0.5,
    "y": RANDOM.choice(["no", "yes"], SIZE),
}
SCHEMA = Schema(
    Label("y", ("no", "yes")),
    (PrivateCuts("x", lower=0, upper=100), PrivateCuts("z", lower=0, upper=1, step=0.01), Boolean("b")),
)


def fit_seeded(seed, neighbours="add-remove"):
    """A fit that uses randomness wherever there is some."""
    settings = ListSettings(shares={"cuts": 0.2}, class_weight="balanced")
    request = FitRequest(
        CELLS, SCHEMA, settings, epsilon=3.0, neighbours=neighbours, unit="who", unit_rows=2, seed=seed
    )
    return fit(request)


def all_but_the_time(released):
    """The digest holds the time."""
    return released.model, released.label, replace(released.certificate, model_digest=None)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_a_seed_repeats_a_whole_fit(neighbours):
    first = fit_seeded(1, neighbours)
    assert all_but_the_time(fit_seeded(1, neighbours)) == all_but_the_time(first)
    assert not first.certificate.private
    assert first.verify()
    assert any(fit_seeded(seed, neighbours).model != first.model for seed in (2, 3))


def test_without_a_seed_fits_differ_and_are_private():
    runs = [fit_seeded(None) for _ in range(3)]
    assert all(run.certificate.private for run in runs)
    assert any(run.model != runs[0].model for run in runs[1:])


def test_random_state_repeats_an_estimator():
    X = RANDOM.random((500, 5)) < 0.5
    y = X[:, 0] | (RANDOM.random(500) < 0.2)
    runs = [PrivateDecisionListClassifier(random_state=seed).fit(X, y).rule_list_ for seed in (1, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert any(run != runs[0] for run in runs[2:])


def test_a_seed_repeats_a_stream():
    X = RANDOM.random((4000, 4)) < 0.5
    codes = X[:, 1].astype(np.int16)
    request = OnlineRequest(tuple(Boolean(f"b{i}") for i in range(4)), classes=("no", "yes"))

    def run(seed):
        learner = StreamLearner(StreamSettings(epsilon=10.0), request, (), seed)
        learner.learn(DenseBlock(X), codes)
        return learner.releases, learner.hypothesis.values.tolist()

    assert run(1) == run(1)
    assert run(1)[0] > 0
    assert any(run(seed) != run(1) for seed in (2, 3))


def test_random_state_repeats_an_online_estimator():
    X = RANDOM.random((4000, 4)) < 0.5
    runs = [PrivateWinnowClassifier(epsilon=10.0, random_state=seed).fit(X, X[:, 2]).hypothesis_ for seed in (1, 1)]
    assert runs[0] == runs[1]
