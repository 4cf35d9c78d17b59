"""From the words of users to a policy and its certificate."""

import json
from fractions import Fraction

import numpy as np
import pytest

from dprules.accounting import Assumption, Unit
from dprules.errors import ParameterError, PrivacyError
from dprules.learners.streams import BatchedPolicy, GuardedPolicy, PaperPolicy, SegmentPolicy, StreamSettings
from dprules.models import HYPOTHESES
from learners.streams.questions import Plain

FOUR = Plain(4)
BOUNDED = {"delta": 1e-3, "horizon": 10_000, "margin": 0.5, "epsilon": 20}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"algorithm": "magic"}, "algorithm must be one of"),
        ({"neighbours": "add-remove"}, "neighbours of a stream"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": 1000}, "epsilon must lie"),
        ({"delta": 1}, "delta must lie"),
        ({"algorithm": "batched"}, "needs delta, horizon, margin"),
        ({"algorithm": "guarded", "delta": 1e-6, "margin": 0.5}, "needs horizon"),
        ({"margin": float("nan")}, "margin must be finite"),
        ({"horizon": 0}, "horizon must be"),
        ({"switch_after": 0}, "switch_after must be an integer"),
    ],
)
def test_bad_settings(change, sentence):
    with pytest.raises(ParameterError, match=sentence):
        StreamSettings(**change)


@pytest.mark.parametrize(
    ("algorithm", "policy"),
    [("segment", SegmentPolicy), ("guarded", GuardedPolicy), ("batched", BatchedPolicy), ("paper", PaperPolicy)],
)
@pytest.mark.parametrize("neighbours", ["replace", "zero-out"])
def test_every_algorithm_is_certified_within_its_budget(algorithm, policy, neighbours):
    settings = StreamSettings(**BOUNDED, algorithm=algorithm, neighbours=neighbours)
    made = settings.policy(5)
    assert type(made) is policy
    certificate = settings.certificate(FOUR, secure=True)
    assert certificate.faults() == []
    assert [release.name for release in certificate.releases] == [HYPOTHESES]
    assert certificate.unit == Unit(of="round")
    assert certificate.delta == (0 if algorithm == "segment" else 1e-3)


def test_the_switch_of_a_guarded_learner_can_be_given():
    made = StreamSettings(**BOUNDED, algorithm="guarded", switch_after=77).policy(5)
    assert isinstance(made, GuardedPolicy)
    assert made.switch_after == 77


def test_what_costs_too_much_is_not_certified(monkeypatch):
    dear = BatchedPolicy.start(10, threshold=5, draws=100, releases=100, rate=1.0, above=(1, 1))
    for policy in (dear, SegmentPolicy.start(10, 1.01)):
        monkeypatch.setattr(StreamSettings, "policy", lambda self, dimension, policy=policy: policy)
        with pytest.raises(PrivacyError, match="cost more than is left"):
            StreamSettings(1.0, 1e-6, "batched", horizon=10, margin=0.5).certificate(FOUR, secure=True)


def test_assumptions_are_added_to_the_usual_ones():
    settings = StreamSettings()
    certificate = settings.certificate(FOUR, True, (Assumption.CLIPPED_NUMBERS,))
    assert set(certificate.assumptions) >= {Assumption.FEATURES, Assumption.ROUND_COUNT, Assumption.CLIPPED_NUMBERS}


def test_settings_are_read_back_exactly():
    settings = StreamSettings(epsilon=Fraction(1, 3), delta=1e-7, algorithm="batched", horizon=100, margin=0.5)
    again = StreamSettings.from_document(json.loads(json.dumps(settings.document())))
    assert again == settings
    assert again.document() == settings.document()


def test_the_event_does_not_change_while_the_learner_runs():
    settings = StreamSettings(epsilon=2)
    policy = settings.policy(4)
    assert policy.after(np.array([0])).event() == policy.event()
