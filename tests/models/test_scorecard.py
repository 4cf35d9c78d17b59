"""Scorecards: points add up, the table says what the sum means, and documents hold all of it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dprules.errors import ModelError
from dprules.models import Estimate, Odds, Points, RiskTable, Scorecard
from dprules.schema import MISSING
from models.cards import CARDS, COLUMNS, many_classes, random_rows, small, two_classes, without_points


def sum_points(card: Scorecard, row: dict) -> list[int]:
    """The slow, obvious twin: the first line of each column that holds."""
    total = list(card.base)
    for points in card.points:
        held = next((line.points for line in points.lines if line.condition.holds(row)), points.otherwise)
        total = [a + b for a, b in zip(total, held, strict=True)]
    return total


@pytest.mark.parametrize("name", CARDS)
def test_scores_are_sums_of_the_lines_that_hold(name):
    card, rows = CARDS[name], random_rows(1, 60)
    found = card.decision_function(rows)
    assert found.dtype == np.int64
    assert found.reshape(len(rows), -1).tolist() == [sum_points(card, row) for row in rows]
    assert card.scores(card.read_rows(rows), len(rows)).tolist() == found.tolist()
    assert card.has_scores


@pytest.mark.parametrize("name", CARDS)
def test_probabilities_are_of_all_classes_and_labels_are_of_the_answers(name):
    card, rows = CARDS[name], random_rows(2, 60)
    shares = card.predict_proba(rows)
    assert shares.shape == (60, len(card.classes))
    assert np.allclose(shares.sum(axis=1), 1)
    places = card.decide(card.read_rows(rows), len(rows))
    answers = card.answers()
    assert [answers[place].label for place in places] == card.predict(rows).tolist()
    assert tuple(answer.label for answer in answers) == card.labels
    if isinstance(card.meaning, RiskTable):
        assert [answers[place].probabilities for place in places] == list(map(tuple, shares.tolist()))
    assert card.predict_proba([]).shape == (0, len(card.classes))
    assert card.predict([]).shape == (0,)


def test_without_weights_the_label_is_the_likeliest_class():
    rows = random_rows(3)
    for card in (two_classes(4), many_classes(4), many_classes(5)):
        shares, labels = card.predict_proba(rows), card.predict(rows).tolist()
        likeliest = [card.classes[place] for place in shares.argmax(axis=1)]
        even = np.isclose(np.sort(shares, axis=1)[:, -1], np.sort(shares, axis=1)[:, -2])
        assert [a for a, tie in zip(labels, even, strict=True) if not tie] == [
            b for b, tie in zip(likeliest, even, strict=True) if not tie
        ]


def test_in_a_tie_the_first_class_is_predicted():
    tied = Points.of(COLUMNS[3], np.array([[0, 4, 4], [5, 5, 5], [1, 2, 3]]))
    card = replace(many_classes(1), points=(tied,), base=(0, 0, 0))
    rows = [{"smoker": False}, {"smoker": True}, {}]
    assert card.predict(rows).tolist() == ["y'es", "no", "may;be"]


def test_class_weights_change_labels_and_not_probabilities():
    rows = random_rows(4)
    for card in (two_classes(2, weights=True), many_classes(6, weights=True)):
        plain = replace(card, weights=None)
        assert (card.predict_proba(rows) == plain.predict_proba(rows)).all()
        assert card.predict(rows).tolist() != plain.predict(rows).tolist()
        weighed = card.predict_proba(rows) * np.array(list(map(float, card.weights or ())))
        best = np.sort(weighed, axis=1)
        clear = best[:, -1] > 1.2 * best[:, -2]  # handicaps are whole points
        likeliest = np.array(card.classes)[weighed.argmax(axis=1)]
        assert (card.predict(rows)[clear] == likeliest[clear]).all()
        assert clear.sum() > 100


def test_codes_and_rows_agree():
    card, rows = two_classes(7), random_rows(5)
    codes = np.array([[column.code(row[column.name]) for column in card.columns] for row in rows], dtype=np.int16)
    assert (codes == MISSING).any()
    assert card.score_codes(codes)[:, 0].tolist() == card.decision_function(rows).tolist()
    assert card.probabilities_of(codes).tolist() == card.predict_proba(rows).tolist()


def test_probabilities_are_the_printed_thousandths():
    table = RiskTable((0,), (Estimate(0.001, 0.0, 0.1), Estimate(0.943, 0.9, 1.0)))
    card = replace(small(), meaning=table)
    assert card.predict_proba([{"age": 20}, {"age": 50}]).tolist() == [[0.999, 0.001], [0.057, 0.943]]


def test_answers_are_named_by_their_scores():
    assert [answer.name for answer in small().answers()] == [
        "score -6",
        "score 0",
        "score 4 to 6",
        "score 12 or more",
    ]
    assert [answer.name for answer in without_points().answers()] == ["every row"]
    assert [answer.name for answer in many_classes(1).answers()] == ["says no", "says y'es", "says may;be"]


@pytest.mark.parametrize("name", CARDS)
def test_documents_are_read_back(name):
    card = CARDS[name]
    assert Scorecard.from_json(card.to_json()) == card
    assert str(Scorecard.from_json(card.to_json())) == str(card)
    assert Scorecard.from_document(card.document()) == card


@pytest.mark.parametrize("seed", range(8))
def test_any_card_is_read_back(seed):
    for card in (
        two_classes(seed, weights=True, columns=seed % 7),
        many_classes(seed, doubling=Fraction(seed + 1, 20)),
    ):
        if card.points:
            assert Scorecard.from_json(card.to_json()) == card


def test_what_is_known_of_the_records():
    card = small()
    assert card.is_counted
    assert card.records() == card.totals.records()
    assert card.cautions("y") == []
    few = replace(card, totals=replace(card.totals, counts=(1, 2)))
    assert "Noise alone could have made up this scorecard" in few.cautions("y")[0]
    assert few.document()["records"] is None
    assert Scorecard.from_document(few.document()) == few


def test_a_card_of_another_form_is_refused():
    with pytest.raises(ModelError, match="dprules-scorecard"):
        Scorecard.from_document(small().document() | {"format": "dprules-list"})
    with pytest.raises(ModelError, match="version 2"):
        Scorecard.from_document(small().document() | {"version": 2})


def test_two_classes_have_no_odds():
    with pytest.raises(TypeError):
        small().odds_table()
    with pytest.raises(TypeError):
        small().handicaps  # noqa: B018
    assert isinstance(many_classes(1).meaning, Odds)
