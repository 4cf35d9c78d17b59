from fractions import Fraction
from math import exp
from random import Random

import pytest

from dprules.accounting import Account, Assumption, Counts, Gaussian, Neighbours, Unit
from dprules.audit import STOPPED, Claim, Trial, claims_of, run_trials


class Answers:
    """Randomised response: says which neighbour it has, and lies as often as epsilon asks for."""

    def __init__(self, epsilon: float, seed: int = 0) -> None:
        self.truth = exp(epsilon) / (1 + exp(epsilon))
        self.random = Random(seed)
        self.calls: list[int] = []

    def __call__(self, name: str, side: int, runs: int) -> list[dict[str, float]]:
        self.calls.append(runs)
        return [{"answer": float(side if self.random.random() < self.truth else 1 - side)} for _ in range(runs)]


def trial(epsilon: float, delta: float = 0.0) -> Trial:
    return Trial("answers", "which neighbour it is", (Claim(epsilon, delta),))


def test_a_claim_that_holds_is_nearly_reached():
    (known,) = run_trials([trial(1.0)], Answers(1.0), size=500, seconds=600)
    (point,) = known.finding().points
    assert known.finding().holds
    assert 0.8 < point.ratio < 1
    assert (point.claimed, point.at) == (1.0, 0.0)
    assert known.runs >= 1000


def test_a_claim_that_is_broken_is_found_broken_at_the_first_look():
    (known,) = run_trials([trial(0.5)], Answers(1.0), size=1000, seconds=600)
    assert not known.finding().holds
    assert known.looks == 1


def test_looks_double_and_end_when_they_bring_nothing():
    answers = Answers(0.0)
    (known,) = run_trials([trial(1.0)], answers, size=50, seconds=600)
    assert answers.calls == [50, 50, 50, 50, 100, 100]
    assert known.done


def test_outcomes_are_forgotten_in_the_end():
    (known,) = run_trials([trial(1.0)], Answers(1.0), size=50, seconds=600)
    assert known.kept == ([], [])
    assert known.runs > 100


def test_no_look_is_begun_after_the_time():
    answers = Answers(1.0)
    (known,) = run_trials([trial(1.0)], answers, size=50, seconds=0)
    assert answers.calls == [50] * 4
    assert known.looks == 1


def test_more_trials_share_the_probability_of_a_mistake():
    alone = run_trials([trial(1.0)], Answers(1.0, 7), size=400, seconds=0)[0]
    crowded = run_trials([trial(1.0)] * 50, Answers(1.0, 7), size=400, seconds=0)[0]
    assert 0 < crowded.finding().ratio < alone.finding().ratio


def test_a_run_that_was_stopped_breaks_a_trial():
    (known,) = run_trials([trial(1.0)], lambda name, side, runs: [{STOPPED: 1.0}] * runs, size=50, seconds=0)
    assert not known.finding().holds
    stops = known.finding().points[-1]
    assert (stops.measure, stops.found) == (STOPPED, 200)


def certify(neighbours="add-remove", **events):
    account = Account(2, Fraction(1, 10**6), Neighbours.parse(neighbours), Unit())
    for name, event in events.items():
        account.charge(name, event)
    return account.certificate(secure=True, assumptions=[Assumption.SCHEMA])


def test_what_is_stated_comes_first_and_then_its_curve():
    stated, *curve = claims_of(certify(sums=Gaussian(Fraction(2, 5))))
    assert stated == Claim(2.0, pytest.approx(1e-6))
    for claim in curve:
        assert Gaussian(Fraction(2, 5)).curve(Neighbours.ADD_REMOVE).delta(claim.epsilon) <= claim.delta
    assert [claim.epsilon for claim in curve] == sorted((claim.epsilon for claim in curve), reverse=True)
    assert curve


def test_charges_one_after_the_other_add_up():
    _, *curve = claims_of(certify(counts=Counts(Fraction(1, 2)), sums=Gaussian(Fraction(1, 4))))
    alone = Gaussian(Fraction(1, 4)).curve(Neighbours.ADD_REMOVE)
    assert curve
    assert all(claim.epsilon == pytest.approx(0.5 + alone.epsilon(claim.delta)) for claim in curve)
