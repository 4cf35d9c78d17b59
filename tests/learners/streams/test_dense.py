"""Noisy sums over public batches: what is taken, when it is released, and how it goes on."""

import json
from fractions import Fraction

import numpy as np
import pytest

from dprules.accounting import DenseStream, Neighbours
from dprules.errors import ModelError, ParameterError, PrivacyError, SpentError
from dprules.learners.streams import ClippedBlock, DenseBlock, PackedBlock, Secret, SparseBlock, StreamSettings, Weights
from dprules.learners.streams import dense as module
from dprules.learners.streams.dense import DenseLearner, DensePolicy, batch_length
from dprules.learners.streams.packing import pack_numbers, unpack_numbers
from dprules.mechanisms import SeededBits
from dprules.schema import GRID
from dprules.tables import pack
from learners.streams.questions import Plain

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(-1.2, 1.2, (1050, 3))
CODES = (X @ [1.0, -0.5, 0.2] > 0.1).astype(np.int16)
CODES[::17] = -1
SETTINGS = StreamSettings(algorithm="dense", epsilon=2.0)


QUESTIONS = Plain(3, GRID)


def start(seed=1, settings=SETTINGS):
    return settings.start(QUESTIONS, SeededBits(seed))


def feed(learner, first, last, size=1050):
    for at in range(first, last, size):
        part = slice(at, min(at + size, last))
        learner.take(ClippedBlock(X[part]), CODES[part])
    return learner


@pytest.mark.parametrize("size", [1, 7, 99, 100, 101, 1050])
def test_blocks_of_any_size_do_the_same(size):
    whole = feed(start(), 0, 1050)
    parts = feed(start(), 0, 1050, size)
    assert whole.public() == parts.public()
    assert whole.releases == 10
    assert unpack_numbers(whole.secret().head)[0] == {"rounds": 50}
    assert whole.secret().head == parts.secret().head


@pytest.mark.parametrize("stop", [0, 1, 99, 100, 101, 450])
def test_what_was_kept_goes_on_to_the_last_bit(stop):
    bits = SeededBits(5)
    before = SETTINGS.start(QUESTIONS, bits)
    feed(before, 0, stop, 10)
    kept = json.loads(json.dumps(before.public()))
    after = SETTINGS.resume(QUESTIONS, kept, Secret(before.secret().head), bits)
    assert after.settled == before.settled
    feed(after, stop, 1050)
    assert after.public() == feed(start(5), 0, 1050).public()


def test_the_sum_is_that_of_low_margins_and_nothing_else(monkeypatch):
    """Without noise: the obvious twin, example by example, in whole numbers."""
    released = []

    def noiseless(sums, tilt, bits):
        released.append(sums.tolist())
        assert tilt == Fraction(2, 128)
        return sums

    monkeypatch.setattr(module, "cube_noise", noiseless)
    learner = start()
    weights, squares = np.zeros(4), 0.0
    whole = np.column_stack([np.rint(64 * np.clip(X, -1, 1)), np.full(len(X), 64)]).astype(int)
    for batch in range(10):
        rows = range(100 * batch, 100 * batch + 100)
        steps = np.rint(weights * 2**20).astype(int)
        sums = np.zeros(4, dtype=int)
        for i in rows:
            sign = {0: -1, 1: 1, -1: 0}[int(CODES[i])]
            if sign and sign * int(steps @ whole[i]) < 2**20 * 64:
                sums += sign * whole[i]
        feed(learner, rows.start, rows.stop, 33)
        assert released[-1] == sums.tolist()
        gradient = sums / 6400
        squares += float(gradient @ gradient)
        weights = np.rint((weights + 1.5 / np.sqrt(squares) * gradient) * 2**20) / 2**20
        assert learner.hypothesis.values.tolist() == weights.tolist()


def test_it_learns():
    X = np.random.default_rng(3).uniform(-1, 1, (20_000, 5))
    codes = (X @ [1, 2, -1, 0, 0.5] > 0.2).astype(np.int16)
    learner = StreamSettings(algorithm="dense").start(Plain(5, GRID), SeededBits(1))
    learner.take(ClippedBlock(X), codes)
    late = ClippedBlock(X[-4000:]).weigh(learner.hypothesis) > 0
    assert (late == (codes[-4000:] == 1)).mean() > 0.93


def test_it_learns_from_every_kind_of_block_and_alike():
    bits = RANDOM.random((400, 3)) < 0.5
    codes = bits[:, 0].astype(np.int16)
    kinds = [DenseBlock(bits), PackedBlock(pack(bits), 3), SparseBlock(bits.astype(float))]
    found = []
    for block in kinds:
        learner = SETTINGS.start(Plain(3), SeededBits(2))
        learner.take(block, codes)
        found.append(learner.public())
    assert found[0] == found[1] == found[2]
    assert found[0]["releases"] == 4


def test_rounds_in_which_nothing_happened_count_and_add_nothing(monkeypatch):
    sums = []

    def no_noise(values, tilt, bits):
        sums.append(values.copy())
        return values

    monkeypatch.setattr(module, "cube_noise", no_noise)
    learner = start()
    learner.take(ClippedBlock(X[:200]), np.full(200, -1, dtype=np.int16))
    assert learner.releases == 2
    assert not np.any(sums)
    assert learner.hypothesis.values.tolist() == [0, 0, 0, 0]  # zeros move nothing, and divide nothing by 0


def test_settled_says_when_the_hypothesis_may_change():
    learner = start()
    changes = []
    for at in range(350):
        left, before = learner.settled, learner.hypothesis
        feed(learner, at, at + 1)
        assert (learner.hypothesis is before) == (left > 0)
        changes.append(left)
    assert changes[:101] == [*range(99, -1, -1), 99]


@pytest.mark.parametrize(
    ("dimension", "epsilon", "length"),
    [
        (2, 1, 100),
        (11, 1, 110),
        (22, 1, 220),
        (22, Fraction(1, 2), 440),
        (22, 3, 100),
        (10_000, 1, 2000),
        (3, 100, 100),
    ],
)
def test_lengths_of_batches(dimension, epsilon, length):
    assert batch_length(dimension, Fraction(epsilon)) == length


@pytest.mark.parametrize("neighbours", ["replace", "zero-out"])
@pytest.mark.parametrize("unit", [1, GRID])
def test_the_price_is_epsilon_and_the_noise_is_for_it(neighbours, unit):
    settings = StreamSettings(algorithm="dense", epsilon=0.7, neighbours=neighbours)
    questions = Plain(3, GRID) if unit == GRID else Plain(3)
    event = settings.event(questions)
    assert isinstance(event, DenseStream)
    assert event.unit == unit
    assert event.curve(Neighbours.parse(neighbours)).pure == Fraction(0.7)
    learner = settings.start(questions, SeededBits(0))
    assert isinstance(learner, DenseLearner)
    assert learner.policy.event == event
    certificate = settings.certificate(questions, secure=True)
    assert (float(certificate.epsilon), float(certificate.delta)) == (0.7, 0.0)
    with pytest.raises(PrivacyError):
        event.curve(Neighbours.ADD_REMOVE)


def test_weights_stay_where_doubles_add_them_exactly():
    values = np.array([0.1, -1e-9, 1e300, 3.0])
    weights = Weights.on_grid(values).values
    assert np.abs(weights).sum() <= 2.0**25 + 1
    assert ((weights * 2**20) == np.rint(weights * 2**20)).all()
    policy = DensePolicy.start(3, GRID, 1)
    for noisy in ([2**61, -(2**61), 2**61], [1, 0, 0], [0, 0, 0]):
        policy = policy.after(np.array(noisy, dtype=np.int64))
        assert np.isfinite(policy.weights.values).all()


def test_new_columns_start_at_0_and_the_running_batch_goes_on():
    learner = feed(start(), 0, 250)
    before = unpack_numbers(learner.secret().head)[1]
    weights = learner.hypothesis.values
    learner.extend(Plain(5, GRID), np.array([0, 2, 4, 5]))
    assert learner.hypothesis.values.tolist() == [weights[0], 0, weights[1], 0, weights[2], weights[3]]
    small, sums = unpack_numbers(learner.secret().head)
    assert small == {"rounds": 50}
    assert sums[[0, 2, 4, 5]].tolist() == before.tolist()
    learner.take(ClippedBlock(np.ones((50, 5))), np.ones(50, dtype=np.int16))
    assert learner.releases == 3
    with pytest.raises(ParameterError, match="of the kind"):
        learner.extend(Plain(6), np.arange(6))


@pytest.mark.parametrize(
    ("block", "codes"),
    [
        (DenseBlock(np.ones((1, 3))), [1]),
        (ClippedBlock(np.ones((1, 4))), [1]),
        (ClippedBlock(np.ones((2, 3))), [1]),
        (ClippedBlock(np.ones((1, 3))), [2]),
        (ClippedBlock(np.ones((1, 3))), [-2]),
    ],
    ids=["another grid", "other features", "too few labels", "three classes", "no class"],
)
def test_the_price_holds_for_fitting_blocks_and_labels_only(block, codes):
    learner = start()
    with pytest.raises(ParameterError):
        learner.take(block, np.array(codes, dtype=np.int16))
    assert unpack_numbers(learner.secret().head)[0] == {"rounds": 0}
    feed(learner, 0, 5)


def test_a_learner_that_was_stopped_in_a_round_does_not_go_on(monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    learner = start()
    with monkeypatch.context() as patch:
        patch.setattr(module, "cube_noise", stop)
        with pytest.raises(KeyboardInterrupt):
            feed(learner, 0, 100)
    with pytest.raises(SpentError, match="stopped in the middle"):
        feed(learner, 0, 5)


@pytest.mark.parametrize("small", [{}, {"rounds": 100}, {"rounds": -1}, {"rounds": None}])
@pytest.mark.parametrize("size", [4, 3])
def test_a_torn_state_is_refused(small, size):
    public = start().public()
    if small == {} and size == 4:
        small = {"rounds": 0}
        public |= {"squares": float("nan")}
    torn = Secret(pack_numbers(small, np.zeros(size, dtype=np.int64)))
    with pytest.raises(ModelError):
        SETTINGS.resume(QUESTIONS, public, torn, SeededBits(0))


def test_epsilons_that_the_noise_has_no_room_for_are_refused_at_once():
    with pytest.raises(ParameterError, match="at least 1e-8"):
        StreamSettings(algorithm="dense", epsilon=1e-12).event(QUESTIONS)
    assert isinstance(StreamSettings(algorithm="dense", epsilon=1e-8).event(QUESTIONS), DenseStream)


def test_it_shows_nothing_of_its_sums():
    learner = feed(start(), 0, 150)
    assert repr(learner) == "<private DenseLearner>"
    assert isinstance(learner, DenseLearner)
    assert set(learner.public()) == {"releases", "weights", "squares"}
    assert isinstance(learner.hypothesis, Weights)
    assert not learner.secure
