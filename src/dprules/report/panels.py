"""Small multiples: a claimed curve and what was found below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

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
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    if not panels:
        return
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
    floor = 1e-4
    colour = "tab:blue" if panel.holds else "tab:red"
    axis.plot(*zip(*((x, max(y, floor)) for x, y in panel.claimed), strict=True), color="black", label="claimed")
    axis.plot(*zip(*((x, max(y, floor)) for x, y in panel.found), strict=True), "o", color=colour, label="worst found")
    axis.set(title=panel.title, xlabel="epsilon", ylabel="delta", yscale="log", ylim=(floor, 1.5))
    axis.legend(loc="lower left", fontsize="small")
