"""Scorecards as pictures."""

import sys
from dataclasses import replace

import matplotlib
import matplotlib.figure
import matplotlib.pyplot
import numpy as np
import pytest

from dprules.errors import ParameterError
from dprules.models import Points
from dprules.schema import Categorical
from models.cards import CARDS, many_classes, small

matplotlib.use("Agg")


def test_a_bar_for_each_line_and_a_step_for_each_row_of_the_table():
    card = small()
    points, risks = card.plot()
    assert [bar.get_width() for bar in points.patches] == [20, 12, 0, -6, 0, 4]
    assert [tick.get_text() for tick in points.get_yticklabels()][:2] == ["school = doctor", "school = college"]
    assert points.get_ylim() == (5.5, -0.5)
    band, curve = risks.patches
    assert curve.get_data().values.tolist() == [risk.value for risk in card.meaning.risks]
    assert curve.get_data().edges.tolist() == [-6, 0, 1, 12, 25]
    assert band.get_data().values.tolist() == [risk.high for risk in card.meaning.risks]
    assert band.get_data().baseline.tolist() == [risk.low for risk in card.meaning.risks]
    assert risks.get_ylabel() == "risk of yes"
    matplotlib.pyplot.close(points.figure)


@pytest.mark.parametrize("name", ["two classes, three columns", "two classes without points", "one class"])
def test_any_card_can_be_drawn(name):
    points, _ = CARDS[name].plot()
    points.figure.canvas.draw()
    matplotlib.pyplot.close(points.figure)


def test_many_classes_have_a_bar_each():
    card = many_classes(1)
    points, shares = card.plot()
    lines = len(points.get_yticklabels())
    assert len(points.patches) == 3 * lines
    assert [name.get_text() for name in points.get_legend().get_texts()] == list(card.classes)
    assert sum(bar.get_height() for bar in shares.patches) == pytest.approx(1)
    matplotlib.pyplot.close(points.figure)


def test_it_can_be_drawn_into_another_picture_and_a_dollar_is_no_formula():
    city = Categorical("price in $ or _$", ("$", "a"))
    card = replace(small(), points=(Points.of(city, np.array([[1], [0], [0]])),), classes=("no", "y$e$_s"))
    axes = matplotlib.figure.Figure().subplots(1, 2)
    drawn = replace(card, positive="y$e$_s").plot(ax=axes)
    assert drawn == tuple(axes)
    axes[0].figure.canvas.draw()


def test_without_matplotlib_it_says_how_to_get_it(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=r"pip install 'dprules\[plot\]'"):
        small().plot()
