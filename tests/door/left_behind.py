"""Fits and streams of neighbouring files in one process; what is on disk after each is printed as a line of JSON.

Run as a program with a folder, the name of a set of jobs, and a third word if large tables are wanted, too. The first
job of a set has no rows. All jobs of a set have the same public facts: source, schema, settings.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dprules.jobs import FitRequest, ListSettings, ScorecardSettings, evaluate, fit, predict
from dprules.jobs.streams import Stream, stream_init, stream_learn
from dprules.schema import Categorical, Date, Label, Numeric, PrivateCuts, PrivateValues, Schema
from dprules.tables import storage

SCHEMA = Schema(
    Label("y", ["no", "yes"]),
    (
        Numeric("age", [30, 50]),
        PrivateCuts("dose", 0, 100),
        Categorical("ward", ["a", "b", "c", "\u00e9"]),
        PrivateValues("city"),
        Date("day", ["2020-01-01", "2021-06-30"]),
        *(Numeric(f"x{i}", [0.5]) for i in range(6)),
    ),
)
PLAIN = Schema(SCHEMA.label, tuple(column for column in SCHEMA.columns if not isinstance(column, PrivateValues)))
NAMES = ("who", "y", *(column.name for column in SCHEMA.columns))
Record = dict[str, str]


def record(i: int) -> Record:
    cells = [
        str(i % 9),
        ("no", "yes")[i % 3 == 0],
        str(20 + i % 60),
        str(i % 101),
        "abc"[i % 3],
        f"t{i % 5}",
        "2020-05-05",
    ]
    return dict(zip(NAMES, [*cells, *(str((i >> k) & 1) for k in range(6))], strict=True))


ODD: dict[str, str] = {
    "30 digits": "123456789012345678901234567890",
    "30 digits with a point": "0.12345678901234567890123456789",
    "a long text": "x" * 100_000,
    "not ASCII": "\u00e9\u4e2d\U0001f600",
    "an odd date": "29.02.2021 25:61",
    "a date with a zone": "2021-03-04T05:06:07+09:30",
    "an exponent": "1e-30",
    "a huge exponent": "1e999",
    "spaces": "   ",
    "a sign": "+ 5",
    "quotes": 'a "b" c',
    "nothing": "",
}


def neighbours(large: bool) -> Iterator[list[Record]]:
    """No rows, a few, numbers around thresholds, and one record more with odd cells; then large tables."""
    yield []
    for size in (1, 63, 64, 65, 6_401, 6_402):
        yield [record(i) for i in range(size)]
    usual = [record(i) for i in range(200)]
    for cell in ODD.values():
        yield [*usual, record(0) | dict.fromkeys(NAMES[2:], cell)]
        yield [*usual, record(0) | dict.fromkeys(NAMES[:2], cell)]
    yield [record(0)] * 300  # equal rows are grouped
    if large:
        yield [record(i % 7) for i in range(70_000)]
        yield [record(i) for i in range(70_001)]


def write_csv(records: list[Record], folder: Path) -> Path:
    lines = [
        ",".join(NAMES),
        *(",".join('"' + cell.replace('"', '""') + '"' for cell in one.values()) for one in records),
    ]
    (folder / "d.csv").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return folder / "d.csv"


def write_parquet(records: list[Record], folder: Path) -> Path:
    pq.write_table(
        pa.table({name: pa.array([one[name] for one in records], pa.string()) for name in NAMES}), folder / "d.parquet"
    )
    return folder / "d.parquet"


def write_events(records: list[Record], folder: Path) -> Path:
    (folder / "d.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    return folder / "d.jsonl"


def run_fit(
    write: Callable[[list[Record], Path], Path], settings: object, **options: object
) -> Callable[[list[Record], Path], None]:
    def run(records: list[Record], folder: Path) -> None:
        schema = SCHEMA if isinstance(settings, ListSettings) and not options.get("memory") else PLAIN
        fit(FitRequest(write(records, folder), schema, settings, 1.0, **options))

    return run


def run_uses(records: list[Record], folder: Path) -> None:
    """Figures and predictions, of a model that does not depend on these rows."""
    model = fit(FitRequest({name: [] for name in NAMES}, PLAIN, ListSettings(), 1.0))
    path = write_csv(records, folder)
    evaluate(model, path, epsilon=1.0)
    predict(model.model, path)


def run_stream(algorithm: str) -> Callable[[list[Record], Path], None]:
    schema = Schema(PLAIN.label, tuple(column for column in PLAIN.columns if not isinstance(column, PrivateCuts)))

    def run(records: list[Record], folder: Path) -> None:
        state = Path(tempfile.mkdtemp(dir=folder)) / "s"
        stream_init(state, schema, epsilon=1.0, algorithm=algorithm)
        with Stream.open(state) as stream:
            for _ in stream_learn(stream, str(write_events(records[:7_000], folder)), say=lambda sentence: None):
                pass

    return run


SETS: dict[str, Callable[[list[Record], Path], None]] = {
    "list of CSV": run_fit(write_csv, ListSettings(width=2)),
    "list of CSV with units": run_fit(write_csv, ListSettings(), unit="who", unit_rows=100),
    "list of Parquet": run_fit(write_parquet, ListSettings()),
    "list in little memory": run_fit(write_csv, ListSettings(), memory="256MB"),
    "scorecard of CSV": run_fit(write_csv, ScorecardSettings()),
    "scorecard of Parquet": run_fit(write_parquet, ScorecardSettings(terms="all")),
    "scorecard in little memory": run_fit(write_csv, ScorecardSettings(), memory="256MB", unit="who", unit_rows=10_000),
    "figures and predictions": run_uses,
    "stream": run_stream("segment"),
    "stream of lists": run_stream("epochs"),
}


def listing(folder: str) -> list[str]:
    """Return the names of all files."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return [str(path.relative_to(folder)) for path in files]


def main(folder: Path, name: str, large: bool) -> None:
    storage._allowance = lambda memory: 100_000  # what is larger is put into files
    for records in neighbours(large):
        SETS[name](records, folder)
        left = {"kernels": listing(os.environ["NUMBA_CACHE_DIR"]), "temporary": listing(tempfile.gettempdir())}
        print(json.dumps({**left, "modules": sorted(sys.modules)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], large=len(sys.argv) > 3)
