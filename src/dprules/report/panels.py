"""Small multiples: a claimed curve and what was found below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from dprules.models.export.picture import load_pyplot

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """One small chart of delta against epsilon."""

    title: str
    claimed: Points
    found: Points
    holds: bool


def draw_panels(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Write the panels as one picture; the format follows the suffix (svg, png, pdf)."""
    if not panels:
        return
    pyplot = load_pyplot()
    pyplot.switch_backend("Agg")
    columns = 3
    rows = ceil(len(panels) / columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(4.2 * columns, 2.7 * rows), squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.axis("off")
    for panel, axis in zip(panels, axes.flat, strict=False):
        _draw(panel, axis)
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def _draw(panel: Panel, axis: Any) -> None:
    """Draw one panel; what lies below the axis is left out."""
    floor = 1e-4
    colour = "tab:blue" if panel.holds else "tab:red"
    seen = [(x, y) for x, y in panel.found if y > floor]
    axis.plot([x for x, _ in panel.claimed], [max(y, floor) for _, y in panel.claimed], color="black", label="claimed")
    axis.plot([x for x, _ in seen], [y for _, y in seen], "o", color=colour, label="worst found")
    axis.set(title=panel.title, xlabel="epsilon", ylabel="delta", yscale="log", ylim=(floor, 1.5))
    axis.legend(loc="lower left", fontsize="small")
