"""Drawings of steps: everything stands where its number says, and inside the drawing."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprules.report.plots import CURVE_HEIGHT, SHAPE_HEIGHT, Axes, Step, choose_ticks, draw_curve, draw_shape


def test_a_number_stands_where_it_belongs():
    axes = Axes(-10, 30, 0, 1, 100)
    assert axes.x(-10) < axes.x(10) < axes.x(30) == axes.x(99)
    assert axes.x(10) == pytest.approx((axes.x(-10) + axes.x(30)) / 2)
    assert axes.y(1) < axes.y(0.5) < axes.y(0) == axes.y(-3)  # down is more
    assert axes.y(0.5) == pytest.approx((axes.y(0) + axes.y(1)) / 2)


def test_a_curve_has_a_band_a_line_and_what_was_measured():
    steps = [Step(0, 4, 0.1, 0.0, 0.2), Step(4, 6, 0.5, 0.4, 0.7), Step(6, 10, 0.9, 0.8, 1.0)]
    plot = draw_curve(steps, [Step(4, 6, 0.55, 0.45, 0.65)], [0, 5, 10])
    axes = Axes(0, 10, 0, 1, CURVE_HEIGHT)
    for box, step in zip(plot.boxes, steps, strict=True):
        assert (box.x, box.y) == (axes.x(step.start), axes.y(step.high))
        assert box.x + box.width == pytest.approx(axes.x(step.end))
        assert box.y + box.height == pytest.approx(axes.y(step.low))
    lines = [stroke for stroke in plot.strokes if stroke.kind == "line"]
    assert [line.y1 for line in lines if line.y1 == line.y2] == [axes.y(step.value) for step in steps]
    assert [line.x1 for line in lines if line.x1 == line.x2] == [axes.x(4), axes.x(6)]
    (whisker,) = (stroke for stroke in plot.strokes if stroke.kind == "whisker")
    assert (whisker.x1, whisker.y1, whisker.y2) == (axes.x(5), axes.y(0.45), axes.y(0.65))
    assert [(dot.x, dot.y) for dot in plot.dots] == [(axes.x(5), axes.y(0.55))]


@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=60),
    st.integers(-20, 20),
    st.text("0123456789-. ", min_size=1, max_size=12),
)
def test_a_shape_stays_in_its_drawing(heights, missing, cut):
    every = [0, missing, *heights]
    plot = draw_shape(heights, missing, [cut] * (len(heights) - 1), min(every), max(every))
    for stroke in plot.strokes:
        assert 0 <= min(stroke.x1, stroke.x2) <= max(stroke.x1, stroke.x2) <= 100
        assert 0 <= min(stroke.y1, stroke.y2) <= max(stroke.y1, stroke.y2) <= SHAPE_HEIGHT
    levels = [stroke for stroke in plot.strokes if stroke.kind == "line" and stroke.y1 == stroke.y2]
    assert len(levels) >= len(heights) + 1
    below = [word for word in plot.words if word.anchor == "middle"]
    gaps = [2.3 * (after.x - before.x) for before, after in pairwise(below)]  # pixels of a narrow drawing
    assert all(gap > 6.5 * len(cut) for gap in gaps)


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6))
def test_ticks_are_few_and_round(low, span):
    ticks = choose_ticks(low, low + span)
    assert len(ticks) <= 8
    assert all(low <= tick <= low + span for tick in ticks)
    steps = {after - before for before, after in pairwise(ticks)}
    assert len(steps) <= 1
    assert 0 in ticks or not low <= 0 <= low + span
