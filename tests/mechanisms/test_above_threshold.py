import copy
import pickle
import sys
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from conftest import Listed, assert_law
from dprules.audit import ThresholdLaw
from dprules.errors import ParameterError, PrivacyError, SpentError
from dprules.mechanisms import AboveThreshold, SeededBits

module = sys.modules["dprules.mechanisms.above_threshold"]


def exact_law(parameters, counts):
    tests = ThresholdLaw(exp(-float(parameters.noise_tilt)), exp(-float(parameters.test_tilt)), parameters.every)
    fired = tests.first_fire(counts, parameters.threshold)
    return {i: p for i, p in enumerate(fired) if p > 0} | {None: 1 - sum(fired)}


CASES = {
    "growing": (AboveThreshold(3, 0.8, 0.5), [0, 1, 1, 2, 3, 4, 4, 5]),
    "flat and far": (AboveThreshold(6, Fraction(1, 2), Fraction(1, 3)), [0] * 12),
    "above at once": (AboveThreshold(0, 0.3, 0.9), [2, 2, 3]),
    "every third round": (AboveThreshold(2, 1, 0.4, every=3), [0, 1, 1, 2, 2, 3, 3, 3]),
    "falling counts": (AboveThreshold(2, 0.7, 0.7), [3, 1, 0, 2]),
}


@pytest.mark.parametrize(("parameters", "counts"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("doubt", [module._DOUBT, 2.0], ids=["fast", "every block undecided"])
def test_the_code_that_runs_has_the_exact_law(parameters, counts, doubt, bits, monkeypatch):
    monkeypatch.setattr(module, "_DOUBT", doubt)
    runs = [parameters.start(bits).first(counts) for _ in range(3_000 if doubt < 1 else 1_000)]
    assert_law(runs, exact_law(parameters, counts))


def one_by_one(parameters, counts, bits):
    watch = parameters.start(bits)
    return next((i for i, count in enumerate(counts) if watch.test(count)), None)


@pytest.mark.parametrize(("parameters", "counts"), CASES.values(), ids=CASES)
@pytest.mark.parametrize(
    ("doubt", "kept"),
    [(module._DOUBT, module._MOST_ROUNDS), (module._DOUBT, 3), (2.0, 3)],
    ids=["fast", "a number for three rounds", "every round undecided"],
)
def test_single_rounds_have_the_exact_law(parameters, counts, doubt, kept, bits, monkeypatch):
    monkeypatch.setattr(module, "_DOUBT", doubt)
    monkeypatch.setattr(module, "_MOST_ROUNDS", kept)
    runs = [one_by_one(parameters, counts, bits) for _ in range(2_000 if doubt < 1 else 600)]
    assert_law(runs, exact_law(parameters, counts))


def test_blocks_and_single_rounds_mix(bits):
    """The uniform number of single rounds is forgotten when a block comes: what is left of it is uniform again."""
    parameters, counts = CASES["flat and far"]

    def mixed():
        watch = parameters.start(bits)
        for start in range(0, 12, 4):
            if watch.test(counts[start]):
                return start
            block = watch.first(counts[start + 1 : start + 3])
            if block is not None:
                return start + 1 + block
            if watch.test(counts[start + 3]):
                return start + 3
        return None

    assert_law([mixed() for _ in range(4_000)], exact_law(parameters, counts))


def test_the_schedule_runs_on_across_blocks():
    watch = AboveThreshold(0, 1000, 1000, every=4).start()
    assert watch.first([9, 9, 9]) is None
    assert watch.first([9, 9]) == 0


def test_a_million_silent_rounds_are_one_block():
    assert AboveThreshold(10**6, 1, 1).start().first(np.zeros(10**6, dtype=np.int64)) is None


def test_the_edge_between_two_tests_is_settled_exactly():
    """A uniform number that agrees with the survival probability to 53 bits goes the exact way."""
    parameters = AboveThreshold(1, 1000, 1.0)
    survival = 1 - exp(-1.0)  # of one test at count 0, if tau is 0
    for offset, expected in ((-(2**20), 1), (2**20, 0)):
        word = int(survival * 2**64) + offset
        watch = parameters.resume((0, 0), Listed([word]))
        assert watch.first([0, 0, 0]) == expected


def test_a_watch_answers_once_and_shows_nothing():
    watch = AboveThreshold(0, 1000, 1000).start(SeededBits(1))
    assert watch.test(5)
    with pytest.raises(SpentError, match="has fired"):
        watch.test(5)
    watch = AboveThreshold(5, 2.0**-40, 1).start()  # noise of about 12 digits
    tau, rounds = watch.secret()
    assert rounds == 0
    assert str(tau) not in repr(watch)
    assert "not private" in repr(AboveThreshold(5, 1, 1).start(SeededBits(1)))
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivacyError, match="holds private values"):
            attempt(watch)


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        ((1.5, 1, 1), "threshold must be an integer"),
        ((True, 1, 1), "threshold must be an integer"),
        ((1, 0, 1), "noise_tilt must be positive"),
        ((1, 1, -1), "test_tilt must be positive"),
        ((1, 1, 1, 0), "every must be an integer"),
    ],
)
def test_bad_parameters_get_a_sentence(arguments, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        AboveThreshold(*arguments)


@pytest.mark.parametrize(
    ("threshold", "count", "fires"),
    [
        (5, np.array([2**63 + 100], dtype=np.uint64), True),
        (-(2**63), np.array([2**62]), True),
        (2**62, np.array([-(2**63)]), False),
        (10**30, np.array([2**62]), False),
        (-(10**30), np.array([0], dtype=np.int8), True),
        (3, np.array([100], dtype=np.int8), True),
    ],
)
def test_numbers_at_the_edge_of_64_bits_do_not_wrap(threshold, count, fires):
    assert (AboveThreshold(threshold, 1, 1).start().first(count) == 0) is fires


def test_bad_counts_are_refused_without_quoting_them():
    with pytest.raises(ParameterError, match="counts must be") as caught:
        AboveThreshold(1, 1, 1).start().first([123.5])
    assert "123" not in str(caught.value)
    assert AboveThreshold(1, 1, 1).start().first([]) is None
