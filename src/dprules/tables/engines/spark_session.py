"""A Spark session for one command, and what it opens."""

import logging
import os
import re
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dprules.errors import DataError, ParameterError
from dprules.tables.compiled import prepare_kernels
from dprules.tables.csv_files import CsvFile
from dprules.tables.engines.spark import SparkTable
from dprules.tables.files import PARQUET, ParquetTable, find_files
from dprules.tables.lines import LONGEST
from dprules.tables.table import HEADER, call_quietly
from dprules.tables.texts import TextCells
from dprules.tables.tokens import tokenize

_QUIET = """appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""
"""Java's log would name cells if a query failed; what went wrong is said by us. Without an appender Spark would bring
its own settings."""
_PATIENCE = 5.0
"""Seconds in which a cluster must answer."""


@contextmanager
def spark_session(master: str, scratch: str) -> Iterator[Any]:
    """Start Spark, and stop it at the end; a session that runs already is used and left alone.

    Parameters
    ----------
    master : str
        Where it runs: local[2], spark://host:7077, yarn, k8s://...
    scratch : str
        A private folder for what Spark puts aside on this machine.
    """
    running = _find_running()
    if running is not None:
        yield running
        return
    require_reachable(master)
    with _later(), _silent():
        session = call_quietly(
            partial(_start, master, scratch),
            f"Spark does not start on {master}. Check the address, and that JAVA_HOME (or java) is Java 17.",
        )
    # A thread of its own would print a trace if Java ends.
    session.sparkContext._accumulatorServer.handle_error = lambda *_: None
    quiet = logging.NullHandler()  # py4j would print a trace of what it was doing at a Ctrl-C
    logging.getLogger().addHandler(quiet)
    try:
        yield session
    finally:
        with _later(), suppress(Exception):  # after Ctrl-C it may not answer any more
            session.stop()
        logging.getLogger().removeHandler(quiet)


def require_reachable(master: str) -> None:
    """Refuse a cluster whose address does not answer within seconds; Spark itself tries for more than a minute.

    Parameters
    ----------
    master : str
        As for `spark_session`. Only spark://host:port has an address that is known here, or several after commas.
    """
    if not master.startswith("spark://"):
        return
    answers = Queue[bool]()
    addresses = master.removeprefix("spark://").split(",")
    for address in addresses:  # in threads of their own: looking up a name has no time limit
        Thread(target=lambda address=address: answers.put(_answers(address)), daemon=True).start()
    with suppress(Empty):
        if any(answers.get(timeout=_PATIENCE) for _ in addresses):
            return
    raise DataError(f"Spark does not answer at {master}. Check the address, and that the cluster runs.")


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _later() -> Iterator[None]:
    """Put off signals until Spark has started or stopped: half of a start would leave a Java process behind.

    Spark also has a handler of its own for Ctrl-C, which talks to Java in the middle of another talk: it is taken out.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, lambda number, frame: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if waiting:
            signal.raise_signal(waiting[0])


@contextmanager
def _silent() -> Iterator[None]:
    """Let Java say nothing on the standard error that it inherits: neither warnings nor traces."""
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def _find_running() -> Any:
    """Return a session of this process; None: there is none. Without Spark or Java it is said what to install."""
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise ParameterError("Spark needs its library: pip install 'dprules[spark]'.") from None
    if SparkContext._active_spark_context is not None:
        return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise ParameterError("Spark needs Java 17, on Debian: apt-get install openjdk-17-jre-headless.")
    return None


def _start(master: str, scratch: str) -> Any:
    from pyspark.sql import SparkSession

    log = Path(scratch) / "log4j2.properties"
    log.write_text(_QUIET)
    builder = SparkSession.builder.master(master).appName("dprules")
    for name, value in _options(scratch, log).items():
        builder = builder.config(name, value)
    python = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = python or sys.executable  # read once, by the session
    try:
        return builder.getOrCreate()
    finally:
        if python is None:
            del os.environ["PYSPARK_PYTHON"]


def _options(scratch: str, log: Path) -> dict[str, str]:
    """Return settings that keep cells out of logs, and what is put aside out of others' sight."""
    return {
        "spark.local.dir": scratch,
        "spark.sql.warehouse.dir": str(Path(scratch) / "warehouse"),
        "spark.io.encryption.enabled": "true",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log}",
        "spark.log.level": "OFF",
        "spark.executor.syncLogLevel.enabled": "true",
        "spark.eventLog.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }


def open_on_spark(session: Any, source: str, table: str | None, delimiter: str | None, multiline: bool) -> SparkTable:
    """Open Parquet or CSV files, or a table of the catalogue.

    Parameters
    ----------
    session : SparkSession
        Which reads it.
    source : str
        A path, a folder, a pattern, an address such as s3a://..., or the name of a table.
    table, delimiter, multiline
        As for `open_table`.
    """
    name = table or source
    if table is None and ("://" in source or _is_path(source)):
        return _open_files(session, source, delimiter, multiline)
    sentence = f"Spark has no file or table {name!r} that can be read. Check the name."
    return SparkTable(call_quietly(lambda: session.table(name), sentence), f"table {name}")


def _is_path(source: str) -> bool:
    """Tell files from tables, whose names have points, too."""
    is_kind = Path(source).suffix.lower() in (*PARQUET, ".csv", ".tsv", ".txt", ".gz")
    return is_kind or os.sep in source or Path(source).exists() or any(mark in source for mark in "*?[")


def _open_files(session: Any, source: str, delimiter: str | None, multiline: bool) -> SparkTable:
    if "://" in source:
        return _open_parquet(session, [source], source)
    paths = find_files(source)
    for path in paths:
        if path.name.startswith(("_", ".")):
            raise DataError(f"{path}: Spark passes over files whose names begin so. Rename it.")
    if all(path.suffix.lower() in PARQUET for path in paths):
        _require_one_type(paths)
        shown = str(paths[0]) if len(paths) == 1 else f"{paths[0].parent} ({len(paths)} files)"
        return _open_parquet(session, [_address(path) for path in paths], shown)
    if multiline:
        raise ParameterError(
            "Spark reads a CSV file line by line: cells with line ends need another engine, or Parquet."
        )
    return SparkCsvTable(session, paths, delimiter)


def _open_parquet(session: Any, addresses: Sequence[str], source: str) -> SparkTable:
    sentence = (
        f"{source} cannot be read by Spark. Check that it is Parquet, that every executor can reach it, and that Spark "
        "knows the types of its columns (times in nanoseconds it does not)."
    )
    # Days before 1582 as they are written: Spark could also refuse them, and one cell must not stop a fit.
    options = {"datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED", "mergeSchema": "false"}
    return SparkTable(call_quietly(lambda: session.read.parquet(*addresses, **options), sentence), source)


def _address(path: Path) -> str:
    """Return the address of a file as Hadoop reads it: as it is, but for the marks of patterns."""
    # Not resolved: a link is a file of its own, with a header of its own.
    return "file:" + re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path.absolute()))


def _require_one_type(paths: Sequence[Path]) -> None:
    """Refuse Parquet files of different types: Spark reads all of them by the types of one."""
    first, *others = [ParquetTable([path]).types() for path in paths]
    for path, types in zip(paths[1:], others, strict=True):
        if types != first:
            raise DataError(f"{path}: its columns differ from those of {paths[0]}. Give them the same names and types.")


class SparkCsvTable(SparkTable):
    """CSV files with one header: a record is a physical line, split on the executors as everywhere else."""

    __slots__ = ("_header",)
    naming = HEADER
    named_by_first_line = True

    def __init__(self, session: Any, paths: Sequence[Path], delimiter: str | None) -> None:
        self._header = CsvFile(paths[0], delimiter)
        for path in paths:
            _require_like(CsvFile(path, delimiter), self._header, path, paths[0])
        # Hadoop passes over lines that are too long, of which it counts the line feed, too.
        reader = session.read.option("mapreduce.input.linerecordreader.line.maxlength", str(LONGEST + 2))
        lines = reader.text([_address(path) for path in paths], lineSep="\n")
        # Which line is the first of its file is known by the piece of the file that it comes from.
        places = ["xxhash64(_metadata.file_path) AS file", "_metadata.file_block_start AS start"]
        shown = str(paths[0]) if len(paths) == 1 else f"{paths[0].parent} ({len(paths)} files)"
        super().__init__(lines.selectExpr("value", *places), shown)

    @property
    def names(self) -> tuple[str, ...]:
        """The header."""
        return self._header.names

    def kinds(self) -> dict[str, str]:
        """Nothing is known: a CSV file has no types."""
        return dict.fromkeys(self.names, "unknown")

    def _selected(self, names: Sequence[str]) -> Any:
        places = tuple(self.names.index(name) for name in names)
        split = partial(_split_lines, self._header.delimiter, len(self.names), self._header.spare, places)
        return self._frame.mapInArrow(split, ", ".join(f"`{name}` binary" for name in _cell_names(places)))


def _require_like(file: CsvFile, first: CsvFile, path: Path, first_path: Path) -> None:
    if (file.names, file.delimiter, file.spare) != (first.names, first.delimiter, first.spare):
        raise DataError(f"{path}: its header differs from that of {first_path}. Give them one header.")
    if path.suffix.lower() == ".gz" and path.suffix != ".gz":
        raise DataError(f"{path}: Spark knows a gzip file by .gz in small letters. Rename it.")


def _cell_names(places: Sequence[int]) -> list[str]:
    return [f"cell{slot}" for slot in range(len(places))]


def _split_lines(
    delimiter: bytes, width: int, spare: bool, places: Sequence[int], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Split lines into the cells that are wanted; the first line of a file is its header."""
    prepare_kernels()
    before: tuple[int, int] | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        pieces = np.stack([batch.column(at).to_numpy() for at in (1, 2)], axis=1)
        is_new = np.any(pieces[1:] != pieces[:-1], axis=1)
        is_first = np.concatenate([[before != tuple(pieces[0].tolist())], is_new])
        before = tuple(pieces[-1].tolist())
        kept = batch.column(0).cast(pa.binary()).filter(pa.array(~(is_first & (pieces[:, 1] == 0))))
        found = tokenize(_join_lines(kept), delimiter, places, width, multiline=False, spare=spare)
        cells = [_as_arrow(found.column(slot)) for slot in range(len(places))]
        yield pa.RecordBatch.from_arrays(cells, _cell_names(places))


def _join_lines(lines: pa.Array) -> pa.Buffer:
    """Return lines as bytes, each with a line feed: a carriage return before it is no part of a cell."""
    ended = pa.concat_arrays([lines, pa.array([b""], pa.binary())])
    whole = pc.binary_join(pa.ListArray.from_arrays(pa.array([0, len(ended)], pa.int32()), ended), b"\n")
    return whole[0].as_buffer()


def _as_arrow(cells: TextCells) -> pa.Array:
    places, texts = cells.coded()
    return pa.DictionaryArray.from_arrays(pa.array(places), pa.array(texts, pa.binary())).cast(pa.binary())
