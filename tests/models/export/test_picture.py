"""Lists as pictures."""

import sys
from fractions import Fraction

import matplotlib
import matplotlib.figure
import matplotlib.pyplot
import pytest

from dprules.errors import ParameterError
from dprules.models import Rule, RuleList
from dprules.schema import Literal, Numeric, Operator

matplotlib.use("Agg")

PRICE = Numeric("price in $ or _$", cuts=(30.0, 60.0))
RULES = RuleList(
    (
        Rule((Literal(PRICE, Operator.BELOW, 30.0),), "low$"),
        Rule((Literal(PRICE, Operator.AT_LEAST, 60.0),), "high"),
    ),
    "low$",
    ("low$", "high"),
)
COUNTED = RULES.with_counts([[6000, 1500], [2, 1], [1000, 1500]], Fraction(1, 2))


def test_one_bar_for_each_line_that_has_records():
    axes = COUNTED.plot()
    widths = {(bar.get_y() + bar.get_height() / 2, round(bar.get_width(), 2)) for bar in axes.patches}
    assert widths == {(0, 0.75), (0, 0.6), (2, 0.25), (2, 0.1)}
    assert [text.get_text() for text in axes.texts] == ["80% right", "too few to tell (at most 13)", "40% right"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "price in $ or _$ < 30",
        "price in $ or _$ >= 60",
        "otherwise",
    ]
    first, _, last = (bar.get_facecolor()[:3] for bar in (axes.patches[0], axes.patches[1], axes.patches[2]))
    assert first == last  # both say low
    assert axes.get_ylim() == (2.5, -0.5)  # also lines without a bar are in the picture
    axes.figure.canvas.draw()  # a dollar is no formula
    matplotlib.pyplot.close(axes.figure)


def test_with_more_classes_than_colours_each_bar_says_its_label():
    classes = ("low$", "high", *(f"class {i}" for i in range(9)))
    counts = [[6000, 1500, *[0] * 9], [1000, 1500, *[0] * 9], [2, 1, *[0] * 9]]
    axes = RuleList(RULES.rules, "class 8", classes).with_counts(counts, Fraction(1, 2)).plot()
    first, second, last = (text.get_text() for text in axes.texts)
    assert (first, second) == ("low$: 80% right", "high: 60% right")
    assert last.startswith("class 8: too few to tell")
    assert axes.get_legend() is None
    axes.figure.canvas.draw()
    inside = axes.get_window_extent()
    assert all(inside.containsx(text.get_window_extent().x1) for text in axes.texts)
    matplotlib.pyplot.close(axes.figure)
    few = COUNTED.plot()
    assert [name.get_text() for name in few.get_legend().get_texts()] == ["low$", "high"]
    matplotlib.pyplot.close(few.figure)


def test_it_can_be_drawn_into_another_picture():
    figure = matplotlib.figure.Figure()
    axes = figure.add_subplot()
    assert COUNTED.plot(ax=axes) is axes


def test_a_list_without_counts_has_no_picture():
    with pytest.raises(ParameterError, match="needs noisy counts"):
        RULES.plot()


def test_without_matplotlib_it_says_how_to_get_it(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=r"pip install 'dprules\[plot\]'"):
        COUNTED.plot()
