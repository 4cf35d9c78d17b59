"""Figures from a histogram are those of scikit-learn from rows."""

import numpy as np
import pytest
from sklearn import metrics

from dprules.jobs.scores import Groups, area
from dprules.models import Halfspace, Rule, RuleList
from dprules.schema import Boolean, literals_of
from models.cards import MANY, many_classes, two_classes

A, B = literals_of(Boolean("a"))[0], literals_of(Boolean("b"))[0]
CLASSES = ("x", "y", "z")
LIST = RuleList((Rule((A,), "y"), Rule((B,), "x")), "x", CLASSES)
COUNTED = LIST.with_counts(((1, 20, 5), (30, 9, 9), (9, 2, 40)), 1)


@pytest.fixture
def rows():
    """Groups and true classes of made-up rows."""
    random = np.random.default_rng(4)
    return random.integers(0, 3, 500), random.choice(3, 500, p=[0.5, 0.3, 0.2])


def histogram(places, truths):
    counts = np.zeros((3, 3))
    np.add.at(counts, (places, truths), 1)
    return counts


def test_figures_are_those_of_rows(rows):
    places, truths = rows
    groups = Groups.of(COUNTED, CLASSES)
    found = groups.measure(histogram(places, truths))
    said = groups.said[places]
    table = metrics.confusion_matrix(truths, said, labels=range(3)).T
    assert found["table"].tolist() == table.tolist()
    assert found["accuracy"] == metrics.accuracy_score(truths, said)
    assert found["balanced"] == pytest.approx(metrics.balanced_accuracy_score(truths, said))
    assert found["recall"] == pytest.approx(metrics.recall_score(truths, said, average=None, labels=range(3)))
    assert found["precision"][:2] == pytest.approx(metrics.precision_score(truths, said, average=None, labels=[0, 1]))
    assert np.isnan(found["precision"][2])
    scores = COUNTED.probabilities_at(places)
    assert found["auc"].mean() == pytest.approx(metrics.roc_auc_score(truths, scores, multi_class="ovr"))
    assert found["shares"] == pytest.approx(np.bincount(truths) / 500)


def test_without_counts_labels_rank(rows):
    places, truths = rows
    groups = Groups.of(LIST, CLASSES)
    found = groups.measure(histogram(places, truths))["auc"]
    assert found[1] == pytest.approx(metrics.roc_auc_score(truths == 1, groups.said[places] == 1))


def test_the_order_of_classes_is_the_labels(rows):
    places, truths = rows
    turned = ("z", "x", "y")
    found = Groups.of(COUNTED, turned).measure(np.roll(histogram(places, truths), 1, axis=1))
    straight = Groups.of(COUNTED, CLASSES).measure(histogram(places, truths))
    assert found["accuracy"] == straight["accuracy"]
    assert found["auc"] == pytest.approx(np.roll(straight["auc"], 1))


def test_leading_axes_stay(rows):
    groups = Groups.of(COUNTED, CLASSES)
    many = np.stack([histogram(*rows), 2 * histogram(*rows)])
    for name, values in groups.measure(many).items():
        assert values.shape[0] == 2, name
        assert values[0] == pytest.approx(groups.measure(many[0])[name], nan_ok=True)


def test_a_halfspace_has_its_answers_as_groups():
    groups = Groups.of(Halfspace((), 0.0, ("no", "yes")), ("yes", "no"))
    assert groups.said.tolist() == [1, 0]
    assert "auc" not in groups.measure(np.ones((2, 2)))


def test_ties_are_half_a_pair():
    assert area(np.array([5.0, 5.0]), np.array([5.0, 5.0]), np.array([0.3, 0.3])) == 0.5
    assert np.isnan(area(np.zeros(2), np.ones(2), np.array([0.3, 0.4])))


def test_a_card_of_two_classes_ranks_by_the_rows_of_its_table():
    card = two_classes(1)
    groups = Groups.of(card, card.classes[::-1])
    answers = card.answers()
    assert groups.names == tuple(answer.name for answer in answers)
    assert groups.scores[:, 1].tolist() == [answer.probabilities[0] for answer in answers]
    assert [groups.classes[place] for place in groups.said] == list(card.labels)


def test_answers_that_are_only_classes_do_not_rank():
    assert Groups.of(many_classes(1), MANY).scores is None
