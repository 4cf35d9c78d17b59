"""How dprules scales, against bars that were set beforehand: ratios within one run, each in processes of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.children import call, measure_command
from bench.data import FOLDER, load
from bench.scale_data import SCALE, mixed_schema, scaled, write_apart
from bench.servers import CountingProxy, MissingServerError, postgres_server, postgres_url, require_spark
from bench.table import markdown, say_trial

SMALL = scaled(1e6)
LARGE = scaled(1e7)
LARGEST = scaled(3e7)
MEMORY = 1_000_000_000
"""Bytes that the fit of the largest table may use."""
CSV_BYTES = scaled(100_000_000)
LITERALS = len(mixed_schema().literals())
Bars = Iterator[dict[str, Any]]


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "schema.toml").write_text(mixed_schema().to_toml())
        write_apart("mixed", folder / "small.parquet", SMALL)
        write_apart("mixed", folder / "large.parquet", LARGE)
        results = []
        for measure in (_parquet, _memory, _counting, _popcount, _tree, _largest, _csv, _postgres, _spark):
            for bar in measure(folder):
                print(f"{bar['bar']}: {bar['measured'] or bar['note']}", flush=True)
                results.append(bar)
    return results


def _bar(
    bar: str, size: str, before: str, wanted: tuple[str, float], measured: float | None, note: str = "", unit: str = ""
) -> dict[str, Any]:
    """Return a bar and whether it was met; `wanted` is "at most", "at least" or "below", and a number."""
    relation, limit = wanted
    met = None
    if measured is not None:
        met = {"at most": measured <= limit, "at least": measured >= limit, "below": measured < limit}[relation]
    return {
        "scale": SCALE,
        "bar": bar,
        "size": size,
        "before": before,
        "wanted": f"{relation} {limit:g}{unit}",
        "measured": measured,
        "unit": unit,
        "met": met,
        "note": note,
    }


def _parquet(folder: Path) -> Bars:
    found = call("parquet", folder / "small.parquet", folder / "large.parquet")
    ours, scan, large = (median(found[name]) for name in ("ours", "scan", "large"))
    size = f"{SMALL:,} x 20"
    yield _bar(
        "Parquet to packed bits over DuckDB's sums of the same columns, CPU",
        size,
        "12",
        ("at most", 3),
        ours / scan,
        f"{ours:.2f} s over {scan:.2f} s",
    )
    what = "the same, ten times the rows over these"
    yield _bar(what, f"{LARGE:,} x 20", "18", ("at most", 11), large / ours, f"{large:.1f} s")


def _memory(folder: Path) -> Bars:
    found = call("memory", folder / "large.parquet", LARGE)
    note = f"{found['added'] / 1e6:,.0f} MB over {found['packed'] / 1e6:,.0f} MB"
    ratio = found["added"] / found["packed"]
    yield _bar("peak memory above the start over the packed bits", f"{LARGE:,} x 20", "8", ("at most", 2), ratio, note)


def _counting(folder: Path) -> Bars:
    found = call("counting", folder / "small.parquet")
    yield _bar(
        "counting with one row as often again as there are rows, over none, CPU",
        f"{SMALL:,} rows",
        "13 to 20",
        ("at most", 1.2),
        found["heavy"] / found["cpu"],
    )
    spent, wall = (found[name] * 1e9 / found["rows"] for name in ("cpu", "wall"))
    what = f"counting width 2, {LITERALS} literals, CPU of a row and pass"
    yield _bar(what, f"{SMALL:,} rows", "206", ("at most", 90), spent, f"wall {wall:.0f} ns", " ns")


def _popcount(folder: Path) -> Bars:
    found = call("popcount", SMALL)
    what = "whole fit, width 1, unlimited rules, from packed bits over one pass of popcount"
    note = f"{found['seconds'] * 1e3:.1f} ms"
    yield _bar(what, f"{SMALL:,} x 200", "12", ("at most", 6), found["ratio"], note)


def _fit_command(folder: Path, data: str, *options: str) -> list[str]:
    files = [str(folder / data), "--schema", str(folder / "schema.toml"), "-o", str(folder / "model.json"), "--force"]
    return ["-m", "dprules", "fit", *files, *options]


def _tree(folder: Path) -> Bars:
    what = "`dprules fit` on Parquet over scikit-learn's tree (depth 5) on the ready matrix, the worse of CPU and wall"
    size = f"{LARGE:,} x 20"
    needed = LARGE * LITERALS * 4 * 1.3  # scikit-learn works with floats of four bytes
    if _free_memory() < needed:
        note = f"not measured here: scikit-learn needs {needed / 1e9:.0f} GB of memory"
        yield _bar(what, size, "", ("below", 1), None, note)
        return
    measure_command(*_fit_command(folder, "small.parquet"))  # kernels and tilts that are kept on disk
    first = measure_command(*_fit_command(folder, "large.parquet"))
    theirs = call("tree", folder / "large.parquet", LARGE)
    second = measure_command(*_fit_command(folder, "large.parquet"))
    cpu = (first.cpu + second.cpu) / 2
    wall = (first.wall + second.wall) / 2
    note = f"CPU {cpu:.1f} s over {theirs['cpu']:.1f} s, wall {wall:.1f} s over {theirs['wall']:.1f} s"
    yield _bar(what, size, "", ("below", 1), max(cpu / theirs["cpu"], wall / theirs["wall"]), note)


def _free_memory() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def _largest(folder: Path) -> Bars:
    (folder / "large.parquet").unlink()
    write_apart("mixed", folder / "largest.parquet", LARGEST)
    used = measure_command(*_fit_command(folder, "largest.parquet", "--memory", "1GB"))
    (folder / "largest.parquet").unlink()
    note = f"{used.peak / 1e6:,.0f} MB, {used.wall:.0f} s"
    what = "`dprules fit --memory 1GB`: peak memory over what was allowed"
    yield _bar(what, f"{LARGEST:,} x 20", "", ("at most", 1.3), used.peak / MEMORY, note)


def _csv(folder: Path) -> Bars:
    texts = {"plain.csv": "the same table", "quoted.csv": "the same table, every text between quotes"}
    for name in texts:
        write_apart("mixed", folder / name, SMALL)
    sources = {folder / name: (shown, folder / "schema.toml") for name, shown in texts.items()}
    if FOLDER.is_dir():
        sources[_repeat_adult(folder)] = ("Adult again and again", folder / "adult.toml")
    for path, (shown, schema) in sources.items():
        found = call("csv", path, schema)
        note = f"{found['read']:.0f} to codes"
        size = f"{path.stat().st_size / 1e6:,.0f} MB"
        path.unlink()
        bar = f"CSV, {shown}, to packed bits in a second of CPU"
        yield _bar(bar, size, "44", ("at least", 150), found["packed"], note, " MB")


def _repeat_adult(folder: Path) -> Path:
    (folder / "adult.toml").write_text(load("adult")[1].to_toml())
    header, _, body = (FOLDER / "adult.csv").read_bytes().partition(b"\n")
    body = body.rstrip(b"\r\n") + b"\n"
    path = folder / "adult.csv"
    with path.open("wb") as file:
        file.write(header + b"\n")
        for _ in range(max(1, CSV_BYTES // len(body))):
            file.write(body)
    return path


def _postgres(folder: Path) -> Bars:
    wire, size, wanted = "PostgreSQL: bytes a row over the wire", f"{SMALL:,} x 20", ("at most", 25.0)
    try:
        with postgres_server() as port:
            for name, rows in (("tiny", 2_000), ("big", SMALL)):
                write_apart("mixed", folder / "rows.csv", rows)
                _load_csv(port, name, folder / "rows.csv")
            proxy = CountingProxy(port)
            found = call("memory", postgres_url(proxy.port), SMALL, postgres_url(port), "big")
            proxy.close()
    except MissingServerError as missing:
        yield _bar(wire, size, "117", wanted, None, str(missing))
        return
    note = f"{found['added'] / 1e6:,.0f} MB over {found['packed'] / 1e6:,.0f} MB"
    waited = f"{found['wall']:.1f} s, of which {found['cpu']:.1f} s of CPU here"
    yield _bar(wire, size, "117", wanted, proxy.received / SMALL, waited)
    ratio = found["added"] / found["packed"]
    yield _bar("PostgreSQL: the client's memory over the packed bits", size, "", ("at most", 2), ratio, note)


def _load_csv(port: int, name: str, path: Path) -> None:
    import psycopg

    kinds = {"c": "text", "y": "text", "k": "integer", "x": "double precision"}
    columns = path.open().readline().replace('"', "").strip().split(",")
    with psycopg.connect(postgres_url(port), autocommit=True) as connection, path.open("rb") as file:
        connection.execute(f"CREATE TABLE {name} ({', '.join(f'{c} {kinds[c[0]]}' for c in columns)})")
        with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN (FORMAT csv, HEADER)") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
        connection.execute(f"ANALYZE {name}")


def _spark(folder: Path) -> Bars:
    what, size = (
        "Spark: a round of width 1 over an empty Python job of as many partitions",
        f"{SMALL:,} x 200, local[2]",
    )
    try:
        require_spark()
    except MissingServerError as missing:
        yield _bar(what, size, "", ("at most", 1.5), None, str(missing))
        return
    write_apart("plain", folder / "plain.parquet", SMALL, 25, 2)
    found = call("spark", folder / "plain.parquet")
    note = f"{found['round']:.3f} s over {found['empty']:.3f} s; width 2: {found['pairs']:.3f} s"
    yield _bar(what, size, "", ("at most", 1.5), found["round"] / found["empty"], note)


def table(results: list[dict[str, Any]]) -> str:
    verdict = {True: "yes", False: "**no**", None: ""}
    rows = [
        [
            r["bar"],
            r["size"],
            r["before"],
            r["wanted"],
            "" if r["measured"] is None else f"{r['measured']:.3g}{r['unit']}",
            verdict[r["met"]],
            r["note"],
        ]
        for r in results
    ]
    header = ["bar", "measured on", "before", "wanted", "measured", "met", "that is"]
    return "\n\n".join([markdown(header, rows), *say_trial(results)])
