"""How the cost of a whole fit grows: in rows, literals, rules, classes and the width of conditions."""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.children import call
from bench.scale_data import SCALE, count_conjunctions, scaled, write_apart
from bench.table import markdown, say_trial

TINY = 2_000


@dataclass(frozen=True, slots=True)
class Shape:
    """A table of numbers and what is learnt from it.

    Parameters
    ----------
    rows, columns, classes : int
        Of the table.
    cuts : int
        Of each column: twice as many literals.
    rules, width : int
        Of the list.
    """

    rows: int = scaled(1e6)
    columns: int = 25
    cuts: int = 2
    classes: int = 2
    rules: int = 10
    width: int = 2

    @property
    def literals(self) -> int:
        """Literals of all columns."""
        return 2 * self.columns * self.cuts

    @property
    def conjunctions(self) -> int:
        """What a pass counts for each class."""
        return count_conjunctions(self.columns, self.cuts, self.width)


def measure(shape: Shape, folder: Path) -> dict[str, float]:
    """Return the seconds of a whole fit, Parquet to model; tables that are there already are used again."""
    paths = [folder / f"{rows}-{shape.columns}-{shape.classes}.parquet" for rows in (shape.rows, TINY)]
    for path, rows in zip(paths, (shape.rows, TINY), strict=True):
        if not path.exists():
            write_apart("plain", path, rows, shape.columns, shape.classes)
    asked = (shape.columns, shape.cuts, shape.classes, shape.rules, shape.width)
    found: dict[str, float] = call("whole_fit", *paths, *asked)
    return found


def _scans() -> Iterator[tuple[str, list[Shape]]]:
    """Shapes that differ in one thing, by its name."""
    one = Shape()
    few = Shape(cuts=1)
    yield "rows", [replace(one, rows=scaled(rows)) for rows in (1e4, 1e5, 1e6, 1e7)]
    yield "literals", [replace(one, cuts=cuts) for cuts in (1, 2, 4, 8, 16)]
    yield "rules", [replace(one, rules=rules) for rules in (2, 5, 10, 20, 50)]
    yield "classes", [replace(one, classes=classes) for classes in (2, 3, 5, 10)]
    yield "width", [replace(few, width=width) for width in (1, 2, 3)]


def run() -> list[dict[str, Any]]:
    results = []
    known: dict[Shape, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for scan, shapes in _scans():
            for shape in shapes:
                if shape not in known:
                    known[shape] = measure(shape, Path(folder))
                print(scan, getattr(shape, scan), known[shape], flush=True)
                results.append(_describe(scan, shape) | known[shape])
    _picture(results)
    return results


def _describe(scan: str, shape: Shape) -> dict[str, Any]:
    counted = {"literals": shape.literals, "conjunctions": shape.conjunctions}
    return {"scale": SCALE, "scan": scan, "value": getattr(shape, scan), **asdict(shape), **counted}


def _picture(results: list[dict[str, Any]]) -> None:
    """A small picture for each thing that grows; grey is growth in proportion."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "dprules"
    from matplotlib import pyplot

    scans = list(dict.fromkeys(r["scan"] for r in results))
    figure, places = pyplot.subplots(1, len(scans), figsize=(13, 3.4), sharey=True)
    for axes, scan in zip(places, scans, strict=True):
        points = [r for r in results if r["scan"] == scan]
        values = [r["value"] for r in points]
        last = points[-1]
        for name, label, marker in (("cpu", "CPU", "o"), ("wall", "wall", "s")):
            axes.loglog(values, [r[name] for r in points], marker=marker, markersize=4, label=label)
        line = [last["cpu"] * value / last["value"] for value in values]
        axes.loglog(values, line, color="grey", linestyle=":", label="in proportion")
        axes.set(xlabel="width (50 literals)" if scan == "width" else scan)
        axes.set_xticks(values, [_write_short(value) for value in values])
        axes.xaxis.minorticks_off()
    least = min(min(r["cpu"], r["wall"]) for r in results)
    places[0].set(ylabel="seconds of a whole fit", ylim=(least / 2, None))
    places[2].legend(fontsize=7)
    if SCALE != 1:
        figure.suptitle(f"a trial at {SCALE:g} of the sizes")
    figure.tight_layout()
    figure.savefig(Path(__file__).parents[1] / "docs" / "growth.svg", metadata={"Date": None})


def _write_short(value: int) -> str:
    return str(value) if value < 1_000 else f"{value:.0e}".replace("e+0", "e")


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{r['value']:,} {r['scan']}" if r["scan"] != "width" else f"width {r['value']}",
            f"{r['rows']:,} x {r['literals']}",
            str(r["rules"]),
            str(r["classes"]),
            str(r["width"]),
            f"{r['conjunctions']:,}",
            f"{r['cpu']:.3g} s",
            f"{r['wall']:.3g} s",
        ]
        for r in results
    ]
    header = ["what grows", "rows x literals", "rules", "classes", "width", "conjunctions a pass", "CPU", "wall"]
    return "\n\n".join([markdown(header, rows), *say_trial(results)])
