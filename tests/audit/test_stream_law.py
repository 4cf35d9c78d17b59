from fractions import Fraction

import pytest

from dprules.audit import BatchedLaw, Choice, FirstOnlyLaw, Round, ThresholdLaw, exact_stream_law

HALVES = ThresholdLaw(Fraction(1, 2), Fraction(1, 3))
STREAM = [Round((1, -1), 1), None, Round((1, 1), -1), Round((-1, 1), 1)]


def test_first_fire_sums_tau_exactly():
    """Against a long plain sum over tau."""
    counts = [0, 1, 1, 3]
    threshold = 2
    plain = [Fraction(0)] * 4
    for tau in range(200):
        silent = Fraction(1, 2) ** (tau + 1)
        for i, count in enumerate(counts):
            chance = Fraction(1, 3) ** max(0, threshold + tau - count)
            plain[i] += silent * chance
            silent *= 1 - chance
    exact = HALVES.first_fire(counts, threshold)
    assert all(abs(a - Fraction(b)) < Fraction(1, 10**50) for a, b in zip(plain, exact, strict=True))


def test_between_two_tests_nothing_fires():
    fired = ThresholdLaw(Fraction(1, 2), Fraction(1, 3), every=2).first_fire([5, 5, 5, 5], 0)
    assert fired[0] == fired[2] == 0
    assert float(fired[1]) > float(fired[3]) > 0


@pytest.mark.parametrize("kind", [BatchedLaw, FirstOnlyLaw])
def test_stream_laws_are_laws(kind):
    law = exact_stream_law(STREAM, kind(2, Fraction(3, 2), draws=2, releases=2, limit=1), HALVES)
    assert sum(law.values()) == 1
    most = max(sum(said is not None for said in transcript) for transcript in law)
    assert most == (4 if kind is BatchedLaw else 2)  # the paper's learner ends after its releases


def test_an_adversary_chooses_from_what_was_released_and_when():
    yes, no = Round((1, -1), 1), Round((1, 1), -1)
    choice = Choice((yes, no, None))
    assert choice.after((None, None)) is yes
    assert choice.after(((0,), None)) is no
    assert choice.after((None, (0,))) is None
    assert choice.after(((1,), None)) is None
    learner = BatchedLaw(2, Fraction(3, 2), draws=1, releases=1, limit=1)
    law = exact_stream_law([yes, choice, choice], learner, HALVES)
    assert sum(law.values()) == 1
    # Before a release the choice is `yes`: silence up to there has the law of a fixed stream.
    fixed = exact_stream_law([yes, yes, yes], learner, HALVES)
    assert law[None, None, None] == fixed[None, None, None]
    assert law[(0,), None, None] != fixed[(0,), None, None]


def test_an_empty_stream_says_nothing():
    law = exact_stream_law([], BatchedLaw(2, Fraction(2), draws=1, releases=1, limit=1), HALVES)
    assert law == {(): 1}
