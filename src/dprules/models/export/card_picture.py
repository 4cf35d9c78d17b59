"""Scorecards as a picture: a bar for the points of each line, and the risk of each score."""

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from dprules.models.card_words import rank_segments, show_points
from dprules.models.export.picture import load_pyplot
from dprules.models.meaning import RiskTable
from dprules.schema import show_value

if TYPE_CHECKING:  # cards are drawn here
    from dprules.models.scorecard import Scorecard

_WIDTH = 44
"""Characters of a line of the card on one line of the picture."""
_TALLEST = 200
"""Inches: matplotlib draws no picture of more than 2^16 points."""


def draw_card(card: "Scorecard", axes: Any = None) -> Any:
    """Draw the points of the lines, and beside them what scores mean.

    Parameters
    ----------
    card : Scorecard
        What is drawn.
    axes : pair of matplotlib axes, or None
        For the points and for the risks; None makes a new figure.

    Returns
    -------
    pair of matplotlib axes
    """
    pyplot = load_pyplot()
    if axes is None:
        lines = sum(len(segments) for _, segments in rank_segments(card))
        height = 0.8 + 0.3 * lines * (1 + len(card.base)) / 2
        _, axes = pyplot.subplots(1, 2, figsize=(11, min(max(3.5, height), _TALLEST)), layout="constrained")
    points, risks = axes
    draw_points(card, points)
    if isinstance(card.meaning, RiskTable):
        draw_risks(card, card.meaning, risks)
    else:
        draw_odds(card, risks)
    return points, risks


def draw_points(card: "Scorecard", axes: Any) -> None:
    """Draw a bar for each line, in the order of the card; with many classes one for each class, in its colour."""
    lines = [segment for _, segments in rank_segments(card) for segment in segments]
    alone = isinstance(card.meaning, RiskTable)
    for place in range(len(card.base)):
        height = 0.8 / len(card.base)
        shown = [segment.points[place] for segment in lines]
        places = [at - 0.4 + height * (place + 0.5) for at in range(len(lines))]
        colours = [f"C{int(number < 0)}" for number in shown] if alone else f"C{place % 10}"
        bars = axes.barh(places, shown, height=height, color=colours, label=show_value(card.classes[place]))
        axes.bar_label(bars, [show_points(number) for number in shown], padding=2, fontsize="small")
    axes.set_yticks(range(len(lines)), [fill(line.words, _WIDTH) for line in lines], parse_math=False)
    axes.set_ylim(max(len(lines), 1) - 0.5, -0.5)  # the first line on top
    axes.axvline(0, color="black", linewidth=0.8)
    axes.margins(x=0.15)
    axes.set_xlabel("points")
    if not alone:
        _draw_legend(axes)


def draw_risks(card: "Scorecard", table: RiskTable, axes: Any) -> None:
    """Draw the risk of each row of the table as a step, and its interval as a band."""
    tables = [points.table()[:, 0] for points in card.points]
    # The scores that there are; a row beyond them has the width of one point.
    least = min([int(sum(part.min() for part in tables)) + card.base[0], *(start - 1 for start in table.starts)])
    most = max([int(sum(part.max() for part in tables)) + card.base[0] + 1, *(start + 1 for start in table.starts)])
    edges = [least, *table.starts, most]
    lows = [risk.low for risk in table.risks]
    axes.stairs([risk.high for risk in table.risks], edges, baseline=lows, fill=True, alpha=0.3)
    axes.stairs([risk.value for risk in table.risks], edges, baseline=None, linewidth=2)
    axes.set_ylim(0, 1)
    axes.set_xlabel("score")
    axes.set_ylabel(f"risk of {show_value(card.positive)}", parse_math=False)


def draw_odds(card: "Scorecard", axes: Any) -> None:
    """Draw what every record starts from: how likely each class is before any points."""
    weights = card.odds_table().weigh(np.array([card.base], dtype=np.int64))[0]
    names = [show_value(label) for label in card.classes]
    axes.bar(range(len(names)), weights / weights.sum(), color=[f"C{place % 10}" for place in range(len(names))])
    axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > 6 else 0, parse_math=False)
    axes.set_ylim(0, 1)
    axes.set_ylabel("probability before any points")


def _draw_legend(axes: Any) -> None:
    for name in axes.legend(loc="best").get_texts():
        name.set_parse_math(False)  # a dollar in a name is a dollar
