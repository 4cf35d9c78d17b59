"""The learners on streams with a known margin: their bounds hold, and the default learns."""

from itertools import product

import numpy as np
import pytest
from river import linear_model
from scipy.optimize import linprog

from dprules.data import Boolean, Categorical, Numeric, literals
from dprules.errors import ModelError, ParameterError, PrivacyError, SpentError
from dprules.lists import RuleList
from dprules.lists.rule_list import Rule
from dprules.online import (
    Batched,
    ConfidentWinnow,
    Dense,
    Hypothesis,
    Packed,
    PrivateLearner,
    Real,
    Segment,
    StreamSettings,
    Term,
    Weights,
    Winnow,
    halfspace,
    streams,
)
from dprules.online.baselines import FollowTheLeader, Perceptron, TreeSum, private_experts
from dprules.online.certify import certificate

STREAMS = {
    "disjunction": streams.disjunction(60, 2, 6000),
    "list": streams.decision_list(60, 4, 2, 6000),
    "majority": streams.majority(60, 5, 6000),
    "points": streams.point_functions(60, 6000),
    "blocks": streams.equal_blocks(60, 6000, 50),
}


def mistakes(learner, stream, seed=0):
    """Of a private learner: counted from outside, on a stream that is made up."""
    wrong = 0
    for block, labels in stream.blocks(seed, 256):
        changes = [(0, learner.rule.weights)]
        learner.learn(block, labels, lambda r, c=changes: c.append((r.position + 1, learner.rule.weights)))
        ends = [start for start, _ in changes[1:]] + [len(block)]
        for (start, weights), end in zip(changes, ends, strict=True):
            wrong += int((labels[start:end] * block.says(weights, start, end) <= 0).sum())
    return wrong


@pytest.mark.parametrize("name", STREAMS)
def test_the_margin_is_what_the_stream_says(name):
    """A linear program over the examples finds no less than the stated margin."""
    stream = STREAMS[name]
    blocks = list(stream.blocks(3, 400))[:2]
    totals = np.zeros(61, dtype=np.int64)
    rows = []
    for block, labels in blocks:
        for i in range(len(block)):
            totals[:] = 0
            block.add(np.array([i]), labels, totals)
            rows.append(totals.copy())
    signed = np.array(rows, dtype=float)
    limits = np.hstack([-signed, signed, np.ones((len(signed), 1))])
    best = linprog(
        np.append(np.zeros(122), -1),
        A_ub=np.vstack([limits, np.append(np.ones(122), 0)]),
        b_ub=np.append(np.zeros(len(signed)), 1),
    )
    assert -best.fun >= stream.margin - 1e-9


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("bits", [None, "random", "never"])
def test_winnow_and_confident_winnow_stay_within_their_bounds(name, bits):
    stream = STREAMS[name]
    random = np.random.default_rng(0)
    asked = {"random": random.random(6000) < 0.5, "never": np.zeros(6000, dtype=bool)}.get(bits)
    rate, confidence = stream.margin / 2, 1 / 3
    plain = Winnow(61, rate=stream.margin)
    careful = ConfidentWinnow(61, rate, stream.margin, confidence, asked)
    for block, labels in stream.blocks(1):
        plain.learn(block, labels)
        careful.learn(block, labels)
    assert plain.mistakes <= 2 * np.log(122) / stream.margin**2
    assert careful.updates <= np.log(122) / ((1 - confidence) * rate * stream.margin - rate**2 / 2)
    assert careful.mistakes <= careful.updates
    if bits == "never":
        assert careful.mistakes == careful.updates


def test_confident_winnow_goes_on_with_its_bits():
    """The same stream in one block and in many."""
    stream = streams.disjunction(20, 2, 500)
    bits = np.random.default_rng(5).random(500) < 0.5
    runs = []
    for size in (500, 33):
        learner = ConfidentWinnow(21, 0.1, stream.margin, bits=bits)
        whole = next(iter(stream.blocks(2, 500)))
        for start in range(0, 500, size):
            part = type(whole[0])(whole[0]._words[start : start + size], 20)
            learner.learn(part, whole[1][start : start + size])
        runs.append((learner.mistakes, learner.updates))
    assert runs[0] == runs[1]
    with pytest.raises(ParameterError, match="confidence must lie"):
        ConfidentWinnow(3, 0.1, 0.1, confidence=0.6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["disjunction", "points", "blocks"])
def test_learners_with_a_theorem_stay_within_it(name):
    stream = STREAMS[name]
    settings = StreamSettings(40.0, 1e-3, "guarded", horizon=stream.length, margin=stream.margin)
    plan, rule = settings.plan(61), settings.rule(61)
    assert plan.mistakes < plan.paper_mistakes
    for seed in range(2):
        assert mistakes(PrivateLearner(rule.second), stream, seed) <= plan.mistakes
        assert mistakes(PrivateLearner(rule), stream, seed) <= plan.guarded_mistakes


@pytest.mark.slow
def test_segment_fails_where_batched_and_guarded_do_not():
    """Theory B8: runs of equal examples defeat a learner that forgets; the guard notices, from public things only."""
    stream = streams.equal_blocks(400, 60_000, repeat=500)
    settings = StreamSettings(4.0, 1e-3, "guarded", horizon=stream.length, margin=1.0)
    rule = settings.rule(401)
    forgetful = mistakes(PrivateLearner(rule.first), stream)
    batched = mistakes(PrivateLearner(rule.second), stream)
    guarded = mistakes(PrivateLearner(rule), stream)
    assert forgetful > 4 * batched
    assert forgetful > 2 * guarded
    assert guarded <= settings.plan(401).guarded_mistakes


def test_segment_learns_a_disjunction_and_keeps_few_weights():
    stream = streams.disjunction(200, 2, 40_000)
    learner = PrivateLearner(Segment.start(201, 1.0))
    assert mistakes(learner, stream) < 2500
    assert len(learner.rule.weights.support) < 30


def test_after_a_change_of_target_it_learns_again():
    stream = streams.with_drift(streams.disjunction(100, 2, 60_000), every=30_000)
    assert mistakes(PrivateLearner(Segment.start(101, 2.0)), stream) < 5000
    noisy = streams.with_noise(streams.disjunction(100, 2, 30_000), 0.1)
    assert noisy.margin == 0
    assert mistakes(PrivateLearner(Segment.start(101, 2.0)), noisy) < 3000 + 2500


def test_the_paper_s_parameters_never_update():
    stream = streams.disjunction(30, 2, 3000)
    settings = StreamSettings(1.0, 1e-6, "paper", horizon=3000, margin=stream.margin)
    learner = PrivateLearner(settings.rule(31))
    assert mistakes(learner, stream) == 3000
    assert settings.plan(31).paper.threshold > 10**6


@pytest.mark.parametrize("length", range(1, 8))
def test_lists_are_halfspaces_with_the_best_margin(length):
    """Against a linear program over all corners of the cube; from length 6 on a sample of the lists."""
    corners = np.array(list(product((-1, 1), repeat=length)))
    every = list(product((-1, 1), repeat=length + 1))
    for *labels, default in every if length < 6 else every[:: 2 ** (length - 3)]:
        answers = np.array(
            [next((b for z, b in zip(corner, labels, strict=True) if z > 0), default) for corner in corners]
        )
        weights, bias, margin = halfspace.of_labels(labels, default)
        assert (answers * (corners @ weights + bias)).min() / (np.abs(weights).sum() + abs(bias)) == pytest.approx(
            margin
        )
        signed = answers[:, None] * np.hstack([corners, np.ones((len(corners), 1))])
        limits = np.hstack([-signed, signed, np.ones((len(corners), 1))])
        best = linprog(
            np.append(np.zeros(2 * (length + 1)), -1),
            A_ub=np.vstack([limits, np.append(np.ones(2 * (length + 1)), 0)]),
            b_ub=np.append(np.zeros(len(corners)), 1),
        )
        assert -best.fun == pytest.approx(margin, rel=1e-6)


def test_a_list_and_its_halfspace_agree():
    asked = [
        *literals(Boolean("a")),
        *literals(Numeric("n", False, (1.0, 2.0))),
        *literals(Categorical("c", False, ("x",))),
    ]
    rules = RuleList(
        (Rule((asked[0], asked[2]), "yes"), Rule((asked[1],), "no"), Rule((asked[4],), "yes")), "no", ("no", "yes")
    )
    found = halfspace.from_list(rules)
    for a, n in product((True, False), (0, 1, 2)):
        row = {"a": a, "n": n, "c": "x"}
        z = np.array([1 if all(c.holds(row) for c in f) else -1 for f in found.features])
        assert ("yes" if found.weights @ z + found.bias > 0 else "no") == rules.predict([row])[0]
    doubled = halfspace.doubled(np.array([[1.0, -1.0]]))
    assert doubled.tolist() == [[1, -1, -1, 1]]
    with pytest.raises(ParameterError, match="two classes"):
        halfspace.from_list(RuleList((), "a", ("a", "b", "c")))


def test_hypotheses_are_ranked_and_written():
    weights = Weights(np.array([0.0, -2.0, 0.5, 1.0]))
    found = Hypothesis.of(weights, {1: "b", 2: "c"}, ("no", "yes"), 3)
    assert found.terms == (Term("b", -2.0), Term("c", 0.5))
    assert str(found).splitlines()[1:] == ["  b       -2.000", "  c       +0.500", "  always  +1.000"]
    assert (found.predict({"c": True}), found.predict({"b": True})) == ("yes", "no")
    assert Hypothesis.from_json(found.to_json()) == found
    for text in ("", "{}", found.to_json()[:40], found.to_json().replace('"version": 1', '"version": 2')):
        with pytest.raises(ModelError):
            Hypothesis.from_json(text)


def test_what_costs_too_much_is_not_certified():
    rule = Batched.start(10, threshold=5, draws=100, releases=100, rate=1.0, above=(1, 1))
    with pytest.raises(PrivacyError, match="cost more"):
        certificate(rule, 1.0, 1e-6, "replace", secure=True)
    with pytest.raises(PrivacyError, match="rounds, not a set of rows"):
        certificate(Segment.start(10, 1.0), 1.0, 0, "add-remove", secure=True)


def test_the_perceptron_is_that_of_river():
    random = np.random.default_rng(0)
    X = random.random((600, 8)) < 0.5
    y = X[:, 0] & ~X[:, 3]
    ours, theirs = Perceptron(9), linear_model.Perceptron()
    wrong = 0
    for x, label in zip(np.where(X, 1.0, -1.0), y, strict=True):
        row = dict(enumerate(x))
        wrong += theirs.predict_one(row) != bool(label)
        theirs.learn_one(row, bool(label))
    ours.learn(Dense(X), np.where(y, 1, -1).astype(np.int8))
    assert abs(ours.mistakes - wrong) <= 0.15 * wrong + 3  # they differ in ties


def test_tree_sums_are_sums_with_noise_of_the_right_size():
    random = np.random.default_rng(0)
    tree = TreeSum(2000, 16, 3.0, random)
    for step in range(1, 17):
        noisy = tree.add(np.ones(2000, dtype=np.int64))
        nodes = step.bit_count()
        assert noisy.mean() == pytest.approx(step, abs=0.5)
        assert noisy.std() == pytest.approx(3.0 * np.sqrt(nodes), rel=0.1)


def test_baselines_learn_what_they_can():
    stream = streams.disjunction(20, 2, 20_000)
    for link, rate in (("l2", 1e-3), ("entropic", 1e-2)):
        learner = FollowTheLeader(21, 20_000, 50.0, 1e-3, rate, link, batch=200)
        for block, labels in stream.blocks(0, 200):
            learner.learn(block, labels)
        assert learner.mistakes < 4000
    with pytest.raises(ParameterError, match="link must be"):
        FollowTheLeader(3, 10, 1.0, 1e-3, 0.1, "magic")
    points = streams.point_functions(30, 6000)
    experts = private_experts(31, threshold=40, releases=20, rate=0.2, above=(0.5, 0.5))
    assert mistakes(experts, points) < 1500


def test_streams_refuse_what_they_cannot_make():
    with pytest.raises(ParameterError, match="alternations"):
        streams.decision_list(10, 3, 4, 100)
    with pytest.raises(ParameterError, match="relevant must be odd"):
        streams.majority(10, 4, 100)


def test_the_price_holds_for_fitting_blocks_and_labels_only():
    learner = PrivateLearner(Segment.start(3, 1.0))
    one = np.ones(1, dtype=np.int8)
    for block, labels in (
        (Real(np.ones((1, 2))), one),
        (Dense(np.ones((1, 5))), one),
        (Dense(np.ones((1, 2))), 100 * one),
        (Dense(np.ones((4, 2))), one),
        (Dense(np.ones((1, 2))), np.ones(1)),
    ):
        with pytest.raises(ParameterError):
            learner.learn(block, labels)
    with pytest.raises(ParameterError, match="words must be"):
        Packed(np.zeros((2, 1), dtype=np.uint64), 100)
    assert not learner.secret().scores.any()


def test_a_learner_that_was_stopped_in_a_round_does_not_go_on():
    learner = PrivateLearner(Segment.start(3, 8.0, scale=100))
    block, labels = Dense(np.ones((500, 2))), np.ones(500, dtype=np.int8)

    def stop(release):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner.learn(block, labels, stop)
    with pytest.raises(SpentError, match="stopped in the middle"):
        learner.learn(block, labels)


def test_a_running_learner_is_priced_as_a_whole():
    rule = Batched.start(3, threshold=1, draws=1, releases=5, rate=0.1, above=(0.1, 0.1))
    later = rule.after(np.array([0])).after(np.array([1]))
    assert later.releases == 3
    assert later.event("replace") == rule.event("replace")


def test_steps_stay_finite():
    rule = Segment.start(3, 1.0)
    for _ in range(5000):
        rule = rule.after(np.array([0]))
    assert np.isfinite(rule.weights.values).all()
