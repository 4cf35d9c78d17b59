"""What a fit costs, as a sum of a few terms: measured on some sizes, checked on others, foreseen for larger ones.

All terms are seconds of one core. They are fitted to whole fits, none below 0, by the least squares of relative errors.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.children import call
from bench.growth import Shape, measure
from bench.scale_data import SCALE, scaled
from bench.servers import MissingServerError, require_spark
from bench.table import markdown, say_trial

TERMS = {
    "start": "a fit",
    "cell": "a cell read",
    "bit": "a bit packed",
    "plan": "a conjunction, before the first round",
    "count": "64 rows of a conjunction and a class, in all rounds together",
    "draw": "a conjunction and a class, in each round",
}
FITTED = (
    Shape(scaled(1e5), 25, 1, 2, 5, 1),
    Shape(scaled(1e5), 25, 4, 2, 20, 2),
    Shape(scaled(1e5), 25, 16, 2, 10, 2),
    Shape(scaled(1e5), 25, 8, 2, 5, 2),
    Shape(scaled(1e5), 25, 8, 5, 20, 2),
    Shape(scaled(1e6), 12, 4, 2, 10, 1),
    Shape(scaled(1e6), 50, 1, 2, 10, 1),
    Shape(scaled(1e6), 50, 16, 2, 10, 1),
    Shape(scaled(1e6), 25, 1, 2, 10, 2),
    Shape(scaled(1e6), 25, 4, 2, 10, 2),
    Shape(scaled(1e6), 25, 4, 5, 10, 2),
    Shape(scaled(1e6), 25, 8, 2, 20, 2),
    Shape(scaled(2e6), 50, 2, 2, 5, 2),
)
PASSED = Shape(scaled(1e6), 25, 4)
"""One of FITTED's tables: one pass over it, and Spark's rounds, are measured by themselves."""
CHECKED = (Shape(scaled(3e6), 25, 2), Shape(scaled(5e5), 25, 6))
"""Sizes that take no part in the fit: 100 and 300 literals."""
FORESEEN = (10**6, 10**9, 10**11)
CORES = (10, 100, 1000)


def terms(shape: Shape) -> list[float]:
    """Return how often each of TERMS is paid."""
    bits = shape.columns * (shape.cuts + 1)  # a bit for each cut, and one for a missing cell
    asked = shape.conjunctions * shape.classes
    read = [shape.rows * shape.columns, shape.rows * bits]
    return [1, *read, shape.conjunctions, shape.rows * asked / 64, shape.rules * asked]


def fit_terms(shapes: Sequence[Shape], spent: Sequence[float], one_pass: float) -> list[float]:
    """Return the seconds of each term that foretell best what was spent.

    Parameters
    ----------
    shapes, spent : sequences
        What was measured, and its seconds.
    one_pass : float
        What the first pass costs for each unit of "count", measured by itself: all rounds together cost no less.
    """
    from scipy.optimize import nnls

    paid = np.array([terms(shape) for shape in shapes])
    least = np.array([one_pass if name == "count" else 0.0 for name in TERMS])
    relative = paid / np.array(spent)[:, None]
    size = np.linalg.norm(relative, axis=0)  # terms differ by ten orders of magnitude
    more, _ = nnls(relative / size, 1 - relative @ least)
    return [float(value) for value in least + more / size]


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        times = {shape: measure(shape, folder) for shape in (*FITTED, *CHECKED)}
        one_pass = _measure_pass(folder)
        costs = fit_terms(FITTED, [times[shape]["cpu"] for shape in FITTED], one_pass)
        results: list[dict[str, Any]] = [
            {"what": "term", "name": name, "seconds": cost} for name, cost in zip(TERMS, costs, strict=True)
        ]
        results += [_compare(shape, costs, times[shape], shape in FITTED) for shape in times]
        cluster = _measure_cluster(folder, one_pass)
    speed_up = median(times[shape]["cpu"] / times[shape]["wall"] for shape in times if shape.rows >= scaled(1e6))
    results += [_foresee(rows, costs, speed_up, cluster) for rows in FORESEEN]
    told = {"missing": cluster} if isinstance(cluster, str) else cluster
    return [*results, {"what": "cluster", "scale": SCALE, "speed_up": speed_up, **told}]


def _compare(shape: Shape, costs: Sequence[float], found: dict[str, float], fitted: bool) -> dict[str, Any]:
    foretold = float(np.dot(terms(shape), costs))
    print(shape, found, foretold, flush=True)
    shown = {**asdict(shape), "literals": shape.literals}
    return {"what": "fitted" if fitted else "checked", **shown, **found, "foretold": foretold}


def _measure_pass(folder: Path) -> float:
    """Return CPU seconds of one pass, for each unit of the term "count"."""
    spent = call("one_pass", _path(folder), PASSED.columns, PASSED.cuts)
    return float(spent) * 64 / PASSED.rows / PASSED.conjunctions / PASSED.classes


def _path(folder: Path) -> Path:
    return folder / f"{PASSED.rows}-{PASSED.columns}-{PASSED.classes}.parquet"


def _measure_cluster(folder: Path, one_pass: float) -> dict[str, float] | str:
    """Return the costs of Spark on this machine, or why there are none."""
    try:
        require_spark()
    except MissingServerError as missing:
        return str(missing)
    found = call("spark", _path(folder))
    reading = max(0.0, found["reading"] - 2 * found["empty"])
    return {
        "count": one_pass,
        "cell": reading * found["cores"] / PASSED.rows / PASSED.columns,
        "empty": found["empty"],
        "task": max(0.0, found["many"] - found["empty"]) / (found["tasks"] - found["cores"]) * found["cores"],
        "byte": max(0.0, found["sent"] - found["empty"]) / found["bytes"],
    }


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a fit costs on Spark, with one partition a core.

    Parameters
    ----------
    costs : mapping
        Seconds of a cell, a count, an empty job and a byte that the driver takes.
    shape : Shape
        Of the table and the list.
    """

    costs: dict[str, float]
    shape: Shape

    @property
    def work(self) -> float:
        """Seconds of one core to count in one round."""
        return self.shape.rows * self.shape.conjunctions * self.shape.classes / 64 * self.costs["count"]

    @property
    def partition(self) -> float:
        """Seconds that the driver needs for the counts of one partition."""
        return 8 * self.shape.conjunctions * self.shape.classes * self.costs["byte"]

    def round(self, cores: int) -> float:
        """Seconds of a round: count, start the job, take the counts."""
        return self.work / cores + self.costs["empty"] + self.partition * cores

    def fit(self, cores: int) -> float:
        """Seconds of a fit: read everything once, then a round for each rule and one before."""
        reading = self.shape.rows * self.shape.columns * self.costs["cell"] / cores
        return reading + (self.shape.rules + 1) * self.round(cores)

    def most_cores(self) -> float:
        """From how many cores on a round spends more on its job than on counting."""
        # work / c = empty + partition * c
        empty, partition = self.costs["empty"], self.partition
        if partition == 0:
            return self.work / empty
        return (sqrt(empty**2 + 4 * partition * self.work) - empty) / (2 * partition)


def _foresee(rows: int, costs: Sequence[float], speed_up: float, cluster: dict[str, float] | str) -> dict[str, Any]:
    """What rows of 25 columns and 200 literals cost, on this machine and on clusters of cores like these."""
    shape = Shape(rows, 25, 4)
    parts = np.multiply(terms(shape), costs)
    found: dict[str, Any] = {
        "what": "foreseen",
        "rows": rows,
        "parts": dict(zip(TERMS, parts.tolist(), strict=True)),
        "cpu": float(parts.sum()),
        "wall": float(parts.sum()) / speed_up,
        "packed": rows * shape.columns * (shape.cuts + 1) / 8,
    }
    if isinstance(cluster, dict):
        spark = Cluster(cluster, shape)
        found["clusters"] = {str(cores): spark.fit(cores) for cores in CORES}
        found["rounds"] = {str(cores): spark.round(cores) for cores in CORES}
        found["bytes"] = 8 * shape.conjunctions * shape.classes
        found["most"] = spark.most_cores()
    return found


def table(results: list[dict[str, Any]]) -> str:
    kinds = ("term", "fitted", "checked", "foreseen", "cluster")
    by = {kind: [r for r in results if r["what"] == kind] for kind in kinds}
    parts = [_term_table(by["term"]), _check_table(by["fitted"], by["checked"]), _machine_table(by["foreseen"])]
    missing = by["cluster"][0].get("missing")
    parts += [f"Clusters: {missing}."] if missing else [_spark_table(by["cluster"][0]), _cluster_table(by["foreseen"])]
    return "\n\n".join([*parts, *say_trial(by["cluster"])])


def _term_table(found: list[dict[str, Any]]) -> str:
    return markdown(["of one core", "seconds"], [[TERMS[r["name"]], f"{r['seconds']:.2g}"] for r in found])


def _check_table(fitted: list[dict[str, Any]], checked: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{r['rows']:,} x {r['literals']}",
            f"{r['columns']} columns, {r['classes']} classes, {r['rules']} rules, width {r['width']}",
            "yes" if r in fitted else "**no**",
            f"{r['cpu']:.3g} s",
            f"{r['foretold']:.3g} s",
            f"{r['foretold'] / r['cpu']:.2f}",
        ]
        for r in (*fitted, *checked)
    ]
    return markdown(["rows x literals", "", "took part", "CPU measured", "foretold", "foretold over measured"], rows)


def _machine_table(found: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{r['rows']:.0e}".replace("e+0", "e").replace("e+", "e"),
            *(show_seconds(r["parts"][name]) for name in TERMS),
            show_seconds(r["cpu"]),
            show_seconds(r["wall"]),
            f"{r['packed'] / 1e9:,.3g} GB",
        ]
        for r in found
    ]
    return markdown(["rows x 200, one machine", *TERMS, "CPU", "wall, this machine", "packed bits"], rows)


def _spark_table(found: dict[str, Any]) -> str:
    rows = [
        ["64 rows of a conjunction and a class, in one round", f"{found['count']:.2g}"],
        ["a cell read by Spark", f"{found['cell']:.2g}"],
        ["an empty Python job", f"{found['empty']:.2g}"],
        ["a further task of it", f"{found['task']:.2g}"],
        ["a byte that the driver takes", f"{found['byte']:.2g}"],
    ]
    return markdown(["on Spark", "seconds"], rows)


def _cluster_table(found: list[dict[str, Any]]) -> str:
    rows = []
    for r in found:
        name = f"{r['rows']:.0e}".replace("e+0", "e").replace("e+", "e")
        cells = [f"{show_seconds(r['clusters'][str(c)])} ({show_seconds(r['rounds'][str(c)])})" for c in CORES]
        rows.append([name, *cells, f"{r['bytes'] / 1e3:,.0f} kB", f"{r['most']:,.0f}"])
    header = [f"{cores:,} cores" for cores in CORES]
    last = ["counts of a partition", "cores where a round is half overhead"]
    return markdown(["rows x 200: a fit (a round)", *header, *last], rows)


def show_seconds(seconds: float) -> str:
    """Return a time as people say it."""
    for size, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.3g} {name}"
    return f"{seconds:.3g} s"
