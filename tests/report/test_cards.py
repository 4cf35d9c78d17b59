"""What the report of a scorecard draws is what the card says."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dprules.models import Cells, Estimate, Points, RiskTable
from dprules.models.card_words import describe_card
from dprules.report import render
from dprules.report.cards import draw_risks, draw_shapes, list_points, list_risks
from dprules.report.plots import CURVE_HEIGHT, Axes
from dprules.schema import Label
from models.cards import CARDS, many_classes, small, without_points
from report.examples import fit_example

AXES = Axes(-6.5, 24.5, 0, 1, CURVE_HEIGHT)
"""The small card has scores from -6 to 24."""


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_every_line_of_the_card_is_there_in_its_order(card):
    given = [(line.words, *line.points) for lines in list_points(card) for line in lines]
    if card.points:
        assert given == list(describe_card(card).tables[0].rows)
    assert all(len(line.bars) == len(card.base) for lines in list_points(card) for line in lines)


def test_bars_are_parts_of_the_largest_points():
    bars = {line.words: line.bars[0] for lines in list_points(small()) for line in lines}
    assert (bars["school = doctor"].start, bars["school = doctor"].length) == (50, 50)
    assert (bars["age < 30"].start, bars["age < 30"].length) == (35, 15)
    assert bars["30 <= age < 45, or missing"].length == 0


def test_risks_are_the_rows_of_the_table():
    rows = list_risks(small())
    assert [row.scores for row in rows] == ["-6", "0", "4 to 6", "12 or more"]
    assert [row.label for row in rows] == list(small().labels)
    assert [row.mark.place for row in rows] == [3.2, 25, 50, 90]
    assert rows[3].mark.high == 100


def test_the_curve_steps_where_the_table_does():
    plot = draw_risks(small())
    rises = [stroke.x1 for stroke in plot.strokes if stroke.kind == "line" and stroke.x1 == stroke.x2]
    assert rises == [AXES.x(start - 0.5) for start in (0, 1, 12)]
    levels = [stroke.y1 for stroke in plot.strokes if stroke.kind == "line" and stroke.y1 == stroke.y2]
    assert levels == [AXES.y(risk) for risk in (0.032, 0.25, 0.5, 0.9)]


def test_dots_are_the_shares_of_the_cells():
    plot = draw_risks(small())
    assert [dot.x for dot in plot.dots] == [AXES.x((-6.5 + 0.5) / 2), AXES.x((0.5 + 24.5) / 2)]
    assert [dot.y for dot in plot.dots] == pytest.approx([AXES.y(30 / 630), AXES.y(270 / 370)], abs=0.1)


def test_cells_with_too_few_records_have_no_dot():
    few = replace(small(), cells=Cells((1,), ((3, -2), (100, 270)), Fraction(10)))
    assert len(draw_risks(few).dots) == 1


def test_rows_that_no_score_reaches_are_not_drawn():
    far = RiskTable((-90, 0, 70), tuple(Estimate(risk, risk, risk) for risk in (0.1, 0.2, 0.6, 0.9)))
    plot = draw_risks(replace(small(), meaning=far))
    assert [box.x for box in plot.boxes] == [AXES.x(-6.5), AXES.x(-0.5)]


def test_columns_with_an_order_have_a_shape():
    (shape,) = draw_shapes(small())
    assert shape.name == "age"
    assert {"30", "45", "missing", "-6", "+20", "0"} == {word.text for word in shape.plot.words}


def test_two_ranges_need_no_shape():
    age = small().points[0]
    flat = Points(age.column, age.lines[:1], age.otherwise)
    assert draw_shapes(replace(small(), points=(flat,))) == []


@pytest.mark.parametrize("card", [many_classes(), without_points(2), without_points(4)])
def test_what_has_no_table_of_risks_has_no_curve(card):
    assert (list_risks(card), draw_risks(card)) == ([], None)


@pytest.mark.parametrize("card", [without_points(2), without_points(4)])
def test_what_has_no_points_has_no_shape(card):
    assert draw_shapes(card) == []


def test_many_classes_have_a_bar_each():
    card = many_classes(1)
    columns = list_points(card)
    largest = max(abs(int(number)) for lines in columns[:-1] for line in lines for number in line.points)
    for lines in columns[:-1]:
        for line in lines:
            parts = [bar.length if bar.start == 50 else -bar.length for bar in line.bars]
            assert parts == pytest.approx([50 * int(number) / largest for number in line.points], abs=0.01)
    (base,) = columns[-1]
    assert base.words == "every record"
    assert max(bar.length for bar in base.bars) == 50


def test_many_classes_have_a_shape_each():
    card = many_classes(1)
    names = [shape.name for shape in draw_shapes(card)]
    assert names[:3] == [f"{names[0].split(',')[0]}, points for {name}" for name in card.classes]
    assert {name.split(",")[0] for name in names} <= {column.name for column in card.columns}
    assert len(names) % len(card.classes) == 0


@pytest.mark.parametrize("card", [many_classes(1), many_classes(2, weights=True)])
def test_the_page_of_many_classes_has_drawings(card):
    drawn = render(replace(fit_example(300), model=card, label=Label("y", card.classes, inferred=True)))
    lines = sum(len(lines) for lines in list_points(card))
    assert drawn.count('class="track"') >= lines * len(card.classes)
    assert drawn.count('class="shape"') == len(draw_shapes(card)) > 0
