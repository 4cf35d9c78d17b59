"""What the report of a scorecard shows: points with bars, what scores mean, and drawings of both."""

from dataclasses import dataclass

from dprules.models import Scorecard
from dprules.models.card_words import rank_segments, show_points, show_risk
from dprules.models.meaning import Odds, RiskTable, Totals
from dprules.models.points import Points
from dprules.models.segments import segments_of
from dprules.report.lines import Mark, Weight, draw_weight, mark_share
from dprules.report.plots import Plot, Step, choose_ticks, draw_curve, draw_shape
from dprules.schema import MISSING, Ordered, show_value

_LEAST_STEPS = 3
"""Ranges of one column that are drawn: two are read off the card as quickly."""


@dataclass(frozen=True, slots=True)
class Given:
    """A line of the card: what holds, and the points that it gives, each with a bar.

    Parameters
    ----------
    words : str
        What holds.
    points : tuple of str
        One number, or one for each class.
    bars : tuple of Weight
        One for each of the points. What every record starts from has a scale of its own: it may be far larger.
    """

    words: str
    points: tuple[str, ...]
    bars: tuple[Weight, ...]


@dataclass(frozen=True, slots=True)
class Risk:
    """A row of the risk table: its scores, the risk, and what is predicted."""

    scores: str
    mark: Mark
    words: str
    label: str


@dataclass(frozen=True, slots=True)
class Shape:
    """The points of one column as a drawing; with more than two classes those for one of them."""

    name: str
    plot: Plot


def list_points(card: Scorecard) -> list[list[Given]]:
    """Return the lines of the card, column by column, in the order in which they are printed."""
    columns = [segments for _, segments in rank_segments(card)]
    largest = max((segment.size for segments in columns for segment in segments), default=0) or 1
    given = [[_give(segment.words, segment.points, largest) for segment in segments] for segments in columns]
    if any(card.base):
        given.append([_give("every record", card.base, max(map(abs, card.base)))])
    if isinstance(card.meaning, Odds) and any(card.handicaps):
        given.append([_give("for the prediction, by class weights", card.handicaps, max(map(abs, card.handicaps)))])
    return given


def _give(words: str, points: tuple[int, ...], largest: int) -> Given:
    bars = tuple(draw_weight(words, show_points(number), number / largest) for number in points)
    return Given(words, tuple(map(show_points, points)), bars)


def list_risks(card: Scorecard) -> list[Risk]:
    """Return the rows of the risk table; none where scores are odds of several classes, or there are no points."""
    if not isinstance(card.meaning, RiskTable) or not card.points:
        return []
    rows = zip(card.ranges(), card.meaning.risks, card.labels, strict=True)
    return [Risk(scores, mark_share(risk), show_risk(risk), show_value(label)) for scores, risk, label in rows]


def draw_risks(card: Scorecard) -> Plot | None:
    """Draw the risk of every score with its band, and the measured share of each cell with its whisker."""
    if not isinstance(card.meaning, RiskTable) or not card.points:
        return None
    least, most = _range_of_scores(card)
    edges = _edges(card.meaning.starts, least, most)
    steps = [
        Step(start, end, risk.value, risk.low, risk.high)
        for start, end, risk in zip(edges, edges[1:], card.meaning.risks, strict=False)
        if start < end
    ]
    return draw_curve(steps, _measured(card, least, most), choose_ticks(least, most))


def _range_of_scores(card: Scorecard) -> tuple[int, int]:
    """Return the least and the largest score that any row can have: public, by the points alone."""
    tables = [points.table() for points in card.points]
    return card.base[0] + sum(int(t.min()) for t in tables), card.base[0] + sum(int(t.max()) for t in tables)


def _edges(starts: tuple[int, ...], least: int, most: int) -> list[float]:
    """Return where ranges of scores begin and end, half a point before their first score, within what scores can be."""
    inner = [min(max(start, least), most + 1) for start in starts]
    return [place - 0.5 for place in (least, *inner, most + 1)]


def _measured(card: Scorecard, least: int, most: int) -> list[Step]:
    """Return the shares that were counted; a cell with too few records to tell has none."""
    if card.cells is None:
        return []
    edges = _edges(card.cells.starts, least, most)
    place = card.classes.index(card.positive)
    found = []
    for start, end, counts in zip(edges, edges[1:], card.cells.counts, strict=False):
        share = Totals(counts, card.cells.sigma).share(place)
        if share is not None and start < end:
            found.append(Step(start, end, share.value, share.low, share.high))
    return found


def draw_shapes(card: Scorecard) -> list[Shape]:
    """Draw the points of the columns that have an order and several ranges; of more than two classes for each."""
    drawn = []
    every = [int(number) for points in card.points for number in points.table().ravel()]
    for points, _ in rank_segments(card):
        column = points.column
        ranges = sum(piece.codes != {MISSING} for segment in segments_of(points) for piece in segment.pieces)
        if not isinstance(column, Ordered) or ranges < _LEAST_STEPS:
            continue
        cuts = [show_value(cut) for cut in column.cuts]
        for place, numbers in enumerate(points.table().T.tolist()):
            *heights, missing = numbers
            plot = draw_shape(heights, missing, cuts, min(0, *every), max(0, *every))
            drawn.append(Shape(_name_shape(card, points, place), plot))
    return drawn


def _name_shape(card: Scorecard, points: Points, place: int) -> str:
    name = show_value(points.column.name)
    return name if isinstance(card.meaning, RiskTable) else f"{name}, points for {show_value(card.classes[place])}"
