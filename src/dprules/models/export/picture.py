"""Lists as a picture: one bar for each line, as long as its share of the records."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from textwrap import fill
from typing import Any

from dprules.errors import ParameterError
from dprules.models.counted import Estimate, Told

_WIDTH = 44
"""Characters of a rule on one line of the picture."""
_LETTER = 0.014
"""Width of a letter, at the most: text beside a bar that would not fit ends where the picture does."""
_COLOURS = 10
"""Colours that can be told apart: with more classes each bar carries its label, and there is no legend."""


def load_pyplot() -> Any:
    """Return matplotlib's pyplot, which only pictures need, or say how to install it."""
    try:
        return import_module("matplotlib.pyplot")
    except ImportError:
        pass
    raise ParameterError("a picture needs matplotlib. Install it with `pip install 'dprules[plot]'`.")


def draw_list(
    lines: Sequence[str], labels: Sequence[str], classes: Sequence[str], counted: Sequence[Told], axes: Any = None
) -> Any:
    """Draw a bar for each line: its share of the records, the part that it gets right in full colour.

    Parameters
    ----------
    lines : sequence of str
        What each rule asks, the default last.
    labels : sequence of str
        What each rule says: the colour of its bar.
    classes : sequence of str
        All classes, in their order.
    counted : sequence of Told
        What may be said of each line; one with too few records to tell has no bar.
    axes : matplotlib axes or None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib axes
    """
    pyplot = load_pyplot()
    if axes is None:
        _, axes = pyplot.subplots(figsize=(8, 0.8 + 0.45 * len(lines)), layout="constrained")
    colours = {name: f"C{i % _COLOURS}" for i, name in enumerate(classes)}
    few = len(classes) <= _COLOURS
    for place, (label, told) in enumerate(zip(labels, counted, strict=True)):
        _draw_line(axes, place, colours[label], told, "" if few else f"{label}: ")
    axes.set_yticks(range(len(lines)), [fill(line, _WIDTH) for line in lines], parse_math=False)
    axes.set_ylim(len(lines) - 0.5, -0.5)  # the first rule on top
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the records; full colour: right")
    if few:
        _draw_legend(pyplot, axes, colours)
    return axes


def _draw_legend(pyplot: Any, axes: Any, colours: Mapping[str, str]) -> None:
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=colour) for colour in colours.values()]
    for name in axes.legend(handles, list(colours), title="says", loc="best").get_texts():
        name.set_parse_math(False)  # a dollar in a name is a dollar


def _draw_line(axes: Any, place: int, colour: str, told: Told, label: str) -> None:
    share = _share_of(told.records, told.of)
    if share is None or told.right is None:
        axes.text(0.01, place, f"{label}{told}", va="center", style="italic", parse_math=False)
        return
    axes.barh(place, share.value, color=colour, alpha=0.35)
    axes.barh(place, share.value * told.right.value, color=colour)
    errors = [[share.value - share.low], [share.high - share.value]]
    axes.errorbar(share.value, place, xerr=errors, color="black", capsize=3)
    text = f"{label}{told.right.value:.0%} right"
    if share.high + _LETTER * len(text) < 1:
        axes.text(share.high + 0.01, place, text, va="center", parse_math=False)
    else:
        axes.text(0.99, place, text, va="center", ha="right", parse_math=False)


def _share_of(records: Estimate | None, every: Estimate | None) -> Estimate | None:
    """Return a share with its interval: both numbers carry noise, so the interval takes the ends of both."""
    if records is None or every is None:
        return None
    parts = (records.value / every.value, records.low / every.high, records.high / max(1, every.low))
    return Estimate(*(min(1.0, max(0.0, part)) for part in parts))
