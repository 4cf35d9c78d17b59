"""Drawings of steps: lines, boxes, dots and words, across in percent of the width and down in pixels.

Steps need no slanted lines, so a drawing is as wide as its page and its words are never stretched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

CURVE_HEIGHT = 240
SHAPE_HEIGHT = 150
"""Pixels; the style sheet has the same numbers."""
_LETTER = 7.5
"""Pixels of a letter below the axis."""
_LINE = 13
"""Pixels of a line of words."""
_NARROW = 230
"""Pixels that a small drawing has at the least."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line, across or down; `kind` is its class in the style sheet."""

    kind: str
    x1: float
    x2: float
    y1: float
    y2: float


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    kind: str
    x: float
    width: float
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Dot:
    """A point that was measured."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Words:
    """Words at a place: `anchor` is which end of them stands there, "start", "middle" or "end"."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing: what is listed first lies below."""

    kind: str
    boxes: tuple[Box, ...]
    strokes: tuple[Stroke, ...]
    dots: tuple[Dot, ...]
    words: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A number that holds from one place to another, with its interval.

    Parameters
    ----------
    start, end : float
        From where to where, on the axis below.
    value, low, high : float
        The number, on the axis beside.
    """

    start: float
    end: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Axes:
    """Where numbers stand in a drawing.

    Parameters
    ----------
    left, right : float
        The numbers at its left and right end.
    bottom, top : float
        The numbers at the lower and upper end.
    height : int
        Pixels.
    """

    left: float
    right: float
    bottom: float
    top: float
    height: int

    def x(self, number: float) -> float:
        """Return the place across, in percent; what lies outside is put on the edge."""
        part = (number - self.left) / ((self.right - self.left) or 1)
        return round(2 + 96 * min(1.0, max(0.0, part)), 3)

    def y(self, number: float) -> float:
        """Return the place down, in pixels."""
        part = (number - self.bottom) / ((self.top - self.bottom) or 1)
        return round(self.height - 20 - (self.height - 36) * min(1.0, max(0.0, part)), 2)


def draw_curve(steps: Sequence[Step], measured: Sequence[Step], ticks: Sequence[int]) -> Plot:
    """Draw a share that goes up in steps, with its band, and beside it what was measured, with whiskers.

    Parameters
    ----------
    steps : sequence of Step
        From left to right, each beginning where the one before it ends; shares from 0 to 1.
    measured : sequence of Step
        Shares that were counted: a dot in the middle of each.
    ticks : sequence of int
        Numbers to write below the axis.
    """
    axes = Axes(steps[0].start, steps[-1].end, 0, 1, CURVE_HEIGHT)
    boxes = [
        Box(
            "band",
            axes.x(s.start),
            round(axes.x(s.end) - axes.x(s.start), 3),
            axes.y(s.high),
            axes.y(s.low) - axes.y(s.high),
        )
        for s in steps
    ]
    grid = [Stroke("grid", 0, 100, axes.y(part), axes.y(part)) for part in (0, 0.25, 0.5, 0.75, 1)]
    whiskers = [
        Stroke("whisker", x, x, axes.y(s.low), axes.y(s.high))
        for s in measured
        for x in [axes.x((s.start + s.end) / 2)]
    ]
    dots = [Dot(axes.x((s.start + s.end) / 2), axes.y(s.value)) for s in measured]
    words = [Words(f"{part:.0%}", 0, axes.y(part) - 3, "start") for part in (0, 0.25, 0.5, 0.75, 1)]
    words += [Words(str(tick), axes.x(tick), CURVE_HEIGHT - 4, "middle") for tick in ticks]
    return Plot("curve", tuple(boxes), (*grid, *_stairs(axes, steps), *whiskers), tuple(dots), tuple(words))


def draw_shape(heights: Sequence[float], missing: float, cuts: Sequence[str], bottom: float, top: float) -> Plot:
    """Draw the points of a column between its cuts, all equally wide, and apart from them those of missing cells.

    Parameters
    ----------
    heights : sequence of number
        From the lowest values to the highest.
    missing : number
        Of cells that are missing.
    cuts : sequence of str
        One fewer than heights, as they are printed.
    bottom, top : number
        Of the axis beside, for all columns alike.
    """
    size = len(heights)
    gap = max(1.0, size / 6)
    axes = Axes(0, size + 2 * gap, bottom, top, SHAPE_HEIGHT)
    steps = [Step(place, place + 1, height, height, height) for place, height in enumerate(heights)]
    apart = Step(size + gap, size + 2 * gap, missing, missing, missing)
    words = _write_below(cuts, [axes.x(at + 1) for at in range(len(cuts))])
    # The ends of the scale, where they do not stand on the zero.
    ends = [number for number in (bottom, top) if abs(axes.y(number) - axes.y(0)) > _LINE]
    words += [Words(f"{number:+g}" if number else "0", 0, axes.y(number) - 3, "start") for number in (*ends, 0)]
    zero = Stroke("grid", 0, 100, axes.y(0), axes.y(0))
    strokes = (zero, *_stairs(axes, steps), *_stairs(axes, [apart]))
    return Plot("shape", (), strokes, (), tuple(words))


def _write_below(labels: Sequence[str], places: Sequence[float]) -> list[Words]:
    """Return the labels that have room on a narrow drawing, none running into the next, and one for missing cells."""
    found = [Words("missing", 98, SHAPE_HEIGHT - 4, "end")]
    taken = 0.0
    room = 0.98 * _NARROW - _LETTER * len("missing")
    for label, place in zip(labels, places, strict=True):
        middle, half = place * _NARROW / 100, (_LETTER * len(label) + 8) / 2
        if taken <= middle - half and middle + half <= room:
            found.append(Words(label, place, SHAPE_HEIGHT - 4, "middle"))
            taken = middle + half
    return found


def _stairs(axes: Axes, steps: Sequence[Step]) -> list[Stroke]:
    """Return the line of the steps: each level, and the rise to the next."""
    levels = [Stroke("line", axes.x(s.start), axes.x(s.end), axes.y(s.value), axes.y(s.value)) for s in steps]
    rises = [
        Stroke("line", axes.x(s.end), axes.x(s.end), axes.y(s.value), axes.y(after.value))
        for s, after in pairwise(steps)
    ]
    return [*levels, *rises]


def choose_ticks(low: int, high: int, most: int = 7) -> list[int]:
    """Return round numbers between two others, zero included where it lies between.

    Examples
    --------
    >>> choose_ticks(-23, 41), choose_ticks(3, 3)
    ([-20, -10, 0, 10, 20, 30, 40], [3])
    """
    span = max(1, high - low)
    steps = (unit * 10**power for power in range(20) for unit in (1, 2, 5))
    step = next(step for step in steps if span // step < most)
    first = -(-low // step) * step
    return list(range(first, high + 1, step))
