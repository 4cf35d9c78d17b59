"""The paper's DP-Winnow: as printed, and why it never updates."""

import numpy as np

from bench import stream_examples as examples
from dprules.accounting import FirstOnlyStream
from dprules.learners.streams import PaperPolicy, PrivateLearner, StreamSettings
from learners.streams.margins import count_mistakes


def test_it_has_a_price_of_its_own():
    policy = PaperPolicy.start(3, threshold=1, draws=2, releases=5, rate=0.1, above=(0.1, 0.1))
    assert policy.first_only
    assert isinstance(policy.event(), FirstOnlyStream)


def test_it_ends_as_printed():
    policy = PaperPolicy.start(3, threshold=1, draws=1, releases=2, rate=0.1, above=(0.1, 0.1))
    once = policy.after(np.array([2]))
    assert once.above is not None
    last = once.after(np.array([1]))
    assert last.above is None
    assert not any(one.forgets for one in (policy, once, last))
    assert last.weights.values.tolist() == [0, 1, 0]
    assert policy.at(last.document()).above is None


def test_the_paper_s_parameters_never_update():
    stream = examples.disjunction(30, 2, 3000)
    settings = StreamSettings(1.0, 1e-6, "paper", horizon=3000, margin=stream.margin)
    learner = PrivateLearner(settings.policy(31))
    assert count_mistakes(learner, stream) == 3000
    assert settings.plan(31).paper.threshold > 10**6
