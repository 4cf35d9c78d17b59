"""Cards in words: what is printed is what is run."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dprules.models import Estimate, Odds, Points, RiskTable
from dprules.models.card_words import CardTable, describe_card, show_points, show_risk
from dprules.schema import Categorical
from models.cards import CARDS, many_classes, random_rows, small, two_classes, without_points

SMALL = """\
Learnt from about 1,000 records (970 to 1,030).
Of each column one line holds: add up the points of these lines.

                                      points
  school = doctor                        +20
  school = college                       +12
  school in {none, high}, or missing       0
  age < 30                                -6
  30 <= age < 45, or missing               0
  age >= 45                               +4

  score       risk of yes       interval
  -6                 3.2%     2.1 to 5.0
  0                 25.0%   20.0 to 30.0
  4 to 6            50.0%   40.0 to 60.0
  12 or more        90.0%  85.1 to 100.0

It predicts yes from a score of 12 on, and no below.
z = 8.1: by so many standard deviations it is better than a card that chance made of these records.
(A value that cannot be read, or that is not declared, counts as missing.)"""


def test_a_card_to_pin_to_a_wall():
    assert str(small()) == SMALL


def test_the_printed_table_is_the_table_that_is_run():
    """A reader who looks a score up finds what `predict_proba` says, and the label of `predict`."""
    for seed in range(5):
        card = two_classes(seed, weights=bool(seed % 2))
        assert isinstance(card.meaning, RiskTable)
        _, risks = describe_card(card).tables
        assert len(risks.rows) == len(card.meaning.risks)
        rows = random_rows(seed, 40)
        place = card.classes.index(card.positive)
        answers = zip(card.decision_function(rows), card.predict_proba(rows)[:, place], strict=True)
        for score, share in answers:
            numbers = [list(map(int, re.findall(r"-?\d+", words))) for words, *_ in risks.rows]
            lows = [-(10**9), *(row[0] for row in numbers[1:])]
            at = max(i for i, low in enumerate(lows) if low <= score)
            assert float(risks.rows[at][1].rstrip("%")) == pytest.approx(100 * share)


def test_every_line_is_printed_once_and_the_largest_column_first():
    for card in (two_classes(3), many_classes(3)):
        table = describe_card(card).tables[0]
        words = [row[0] for row in table.rows]
        assert len(set(words)) == len(words)
        sizes = []
        for name in dict.fromkeys(column.name for column in card.columns):
            numbers = [max(abs(int(cell)) for cell in row[1:]) for row in table.rows if name in row[0]]
            sizes.append((words.index(next(word for word in words if name in word)), max(numbers)))
        assert [size for _, size in sorted(sizes)] == sorted((size for _, size in sizes), reverse=True)


def test_labels_from_a_score_on():
    card = small()
    assert "It predicts yes from a score of 12 on, and no below." in str(card)
    weighed = replace(card, weights=(Fraction(1, 9), Fraction(1)))
    assert "with class weights no 0.11, yes 1." in str(weighed)
    assert "It predicts yes from a score of 0 on, and no below." in str(weighed)
    assert weighed.predict([{"age": 20}, {"age": 40}]).tolist() == ["no", "yes"]
    sure = replace(card, meaning=RiskTable((0,), (Estimate(0.1, 0.1, 0.1), Estimate(0.2, 0.1, 0.3))))
    assert "It always predicts no." in str(sure)


@pytest.mark.parametrize(("z", "warned"), [(8.0, False), (2.0, False), (1.99, True), (0.1, True)])
def test_a_card_that_noise_may_have_made_up_says_so(z, warned):
    assert ("Noise alone may have made this card up" in str(replace(small(), z=z))) == warned
    assert f"z = {z:.1f}" in str(replace(small(), z=z))
    assert "z =" not in str(replace(small(), z=None))


@pytest.mark.parametrize("z", [0.0, -2.1])
def test_a_card_that_is_no_better_than_chance_says_so(z):
    printed = str(replace(small(), z=z))
    assert f"As far as can be told, this card is no better than chance (z = {z:.1f})." in printed
    assert "it is better" not in printed


def test_many_classes_have_a_column_each():
    card = many_classes(2, weights=True)
    (table,) = describe_card(card).tables
    assert table.titles == ("", "no", "y'es", "may;be")
    assert all(len(row) == 4 for row in table.rows)
    assert "Every 6.5 points more double the odds of a class." in str(card)
    assert table.rows[-2][0] == "every record"
    assert table.rows[-1] == ("for the prediction, by class weights", *map(show_points, card.handicaps))
    assert "about 0.3333 points" in str(many_classes(1, doubling=Fraction(1, 3)))


def test_a_card_without_points_says_so_and_gives_the_shares():
    printed = str(without_points(2))
    assert (
        "Only the shares of the classes were learnt: for points there are too few records at this epsilon." in printed
    )
    assert re.search(r"no +52\.9% +45\.0 to 60\.0\n +y'es +47\.1% +40\.0 to 55\.0\n", printed)
    assert "It always predicts no." in printed
    assert "class 3" in str(without_points(4))
    assert "there is one class" in str(without_points(1))


def test_too_few_records_to_tell():
    few = replace(small(), totals=replace(small().totals, counts=(3, 2)))
    assert str(few).startswith("Learnt from too few records to tell how many.\n")
    without = replace(without_points(3), totals=replace(without_points(3).totals, counts=(1, 0, -2)))
    assert str(without).count("too few to tell") == 3


def test_long_sets_are_wrapped_and_nothing_is_left_out():
    city = Categorical("city", tuple(f"town_{i}_" for i in range(60)))
    table = np.array([[5]] * 30 + [[0]] * 31)
    card = replace(small(), points=(Points.of(city, table),))
    printed = str(card)
    assert max(map(len, printed.splitlines())) < 110
    assert all(f"town_{i}_" in printed for i in range(30))
    assert "town_30_" not in printed


@pytest.mark.parametrize("name", CARDS)
def test_explanations_add_up(name):
    card = CARDS[name]
    for row in [*random_rows(7, 10), {}]:
        told = card.explain(row)
        assert f"o {card.predict([row])[0]}." in told
        if isinstance(card.meaning, RiskTable) and card.points:
            *lines, last = told.splitlines()
            assert len(lines) == len(card.points)
            assert sum(int(line.split()[0]) for line in lines) == card.decision_function([row])[0]
            assert last.startswith(f"The score is {card.decision_function([row])[0]}: risk of {card.positive} ")
        if isinstance(card.meaning, Odds):
            scores = next(line for line in told.splitlines() if line.startswith("  score"))
            assert list(map(int, scores.split()[1:])) == card.decision_function([row])[0].tolist()


def test_an_explanation_names_what_held():
    assert small().explain({"age": 29, "school": "doctor"}) == (
        "+20  school = doctor\n -6  age < 30\nThe score is 14: risk of yes 90.0% (85.1 to 100.0), so yes."
    )
    assert "0  age is missing" in small().explain({"age": "?"})
    assert "0  30 <= age < 45\n" in small().explain({"age": 31})


def test_intervals_are_rounded_outwards():
    assert show_risk(Estimate(0.029, 0.029, 0.029)) == "2.9% (2.9 to 2.9)"
    assert show_risk(Estimate(0.5, 0.49999, 0.50001)) == "50.0% (49.9 to 50.1)"
    assert show_risk(Estimate(1.0, 0.0, 1.0)) == "100.0% (0.0 to 100.0)"


def test_numbers_stand_under_each_other():
    lines = CardTable(("", "points"), (("a", "+1"), ("bbb", "-20"))).lines()
    assert lines == ["       points", "  a        +1", "  bbb     -20"]
