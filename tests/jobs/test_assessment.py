"""What is said of a histogram with noise holds for the histogram without it."""

import numpy as np
import pytest

from dprules.jobs.assessment import assess
from dprules.jobs.figures import TOO_FEW, Noise
from dprules.jobs.scores import Groups
from dprules.mechanisms import SeededBits, noisy_counts
from dprules.models import Halfspace, Rule, RuleList
from dprules.schema import Boolean, Label, literals_of

A, B = literals_of(Boolean("a"))[0], literals_of(Boolean("b"))[0]
LABEL = Label("y", ("no", "yes"))
LIST = RuleList((Rule((A,), "yes"), Rule((B,), "no")), "no", ("no", "yes"))
MODEL = LIST.with_counts(((20, 200), (300, 40), (300, 100)), 1)
GROUPS = Groups.of(MODEL, LABEL.classes)
TRUE = np.array([[30, 250], [400, 60], [350, 90]])
THREE = Label("y", ("a", "b", "c"))
OTHER = Groups.of(RuleList((Rule((A,), "b"), Rule((B,), "c")), "a", THREE.classes), THREE.classes)
TRIPLE = np.array([[20, 180, 30], [30, 20, 160], [230, 40, 50]])


def say(counts, tilt=None, groups=GROUPS, label=LABEL):
    return assess(groups, np.asarray(counts), Noise(tilt), label, None, None)


def figures(found):
    singles = [found.rows, found.accuracy, found.baseline, found.balanced_accuracy, found.auc]
    classes = [figure for one in found.classes for figure in (one.rows, one.recall, one.precision)]
    rules = [figure for one in found.groups for figure in (one.rows, one.right)]
    return singles + classes + rules + [figure for line in found.confusion for figure in line]


@pytest.mark.parametrize(("groups", "label", "true"), [(GROUPS, LABEL, TRUE), (OTHER, THREE, TRIPLE)], ids=["2", "3"])
@pytest.mark.parametrize("tilt", [pytest.param(0.05, marks=pytest.mark.slow), 0.3])
def test_intervals_hold(groups, label, true, tilt):
    """Each of 95 times in 100, and a number that is shown lies in its own."""
    exact = [figure.value for figure in figures(say(true, groups=groups, label=label))]
    bits = SeededBits(5)
    held = []
    for _ in range(200):
        found = figures(say(noisy_counts(true, tilt, bits), tilt, groups, label))
        pairs = zip(exact, found, strict=True)
        held.append([f.low is None or f.low - 1e-9 <= value <= f.high + 1e-9 for value, f in pairs])
        assert all(f.value is None or f.low is None or f.low <= f.value <= f.high for f in found)
    assert np.mean(held, axis=0).min() >= 0.95


def test_exact_figures_have_no_interval():
    found = say(TRUE)
    assert all(figure.low is None and figure.value is not None for figure in figures(found))
    assert found.accuracy.value == (250 + 400 + 350) / TRUE.sum()
    assert (found.majority, found.baseline.value) == ("no", 780 / TRUE.sum())
    assert found.better is True
    assert found.verdict == ""


@pytest.mark.parametrize("tilt", [None, 5.0])
def test_a_model_that_is_no_better_than_the_baseline_is_told(tilt):
    found = say([[400, 100], [300, 40], [300, 100]], tilt)
    assert found.better is False
    assert found.verdict == "The model is right no more often than always saying no."
    assert found.verdict in str(found)


def test_noise_that_hides_the_difference_is_told():
    close = np.array([[480, 500], [300, 40], [300, 100]])
    assert say(close).better is True
    assert say(close, 0.05).better is None
    assert "hides whether" in say(close, 0.05).verdict


def test_what_noise_could_have_made_up_is_not_shown():
    """No records at all: the noise is all there is, and no share of it is printed but once in many times."""
    bits = SeededBits(1)
    shown = 0
    for _ in range(100):
        found = say(noisy_counts(np.zeros_like(TRUE), 0.1, bits), 0.1)
        assert found.rows.value is not None or "check that column y" in found.verdict
        shown += sum(figure.value is not None for figure in figures(found))
    assert shown / 100 / len(figures(found)) < 0.02


def test_a_rare_class_hides_what_needs_it():
    found = say([[30, 2], [400, 3], [350, 1]], 0.1)
    assert found.balanced_accuracy.unknown == f"{TOO_FEW}: class yes"
    assert found.auc.unknown == f"{TOO_FEW}: class yes"
    assert found.accuracy.value is not None
    assert found.classes[1].recall.value is None


def test_what_is_public_needs_no_noise():
    never = Groups.of(RuleList((), "no", LABEL.classes), LABEL.classes)
    found = say([[50, 900]], 0.5, never)
    assert found.classes[1].precision.unknown == "never predicted"
    assert [figure.value for figure in found.confusion[1]] == [0, 0]


def test_one_class_only_has_no_ranking():
    found = say([[30, 0], [400, 0], [350, 0]])
    assert found.auc.unknown == "all rows are of one class"
    assert found.classes[1].recall.unknown == "no such rows"
    assert found.balanced_accuracy.value == found.classes[0].recall.value


def test_a_halfspace_says_that_it_has_no_auc():
    found = say([[300, 40], [50, 200]], 1.0, Groups.of(Halfspace((), 0.0, LABEL.classes), LABEL.classes))
    assert "do not rank" in found.auc.unknown
    assert [group.name for group in found.groups] == ["says no", "says yes"]


def test_the_document_has_every_figure():
    document = say(TRUE, 0.5).document()
    for name in ("rows", "accuracy", "baseline", "balanced_accuracy", "auc"):
        assert document[name]["low"] <= document[name]["value"] <= document[name]["high"]
    assert [one["class"] for one in document["classes"]] == ["no", "yes"]
    assert len(document["answers"]) == 3
    assert len(document["confusion"]["counts"]) == 2
