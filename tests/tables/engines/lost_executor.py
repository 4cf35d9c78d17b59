"""A cluster of two executors, one of which is killed in the middle of a fit: run by itself, it prints what it saw.

A process has one Spark at the most, so the tests start this one apart: `python lost_executor.py FOLDER`.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pyspark

from dprules.accounting import Unit
from dprules.jobs import FitRequest, choose_settings, fit
from dprules.mechanisms import SeededBits
from dprules.schema import Boolean, Label, PrivateCuts, PrivateValues, Schema, build_conditions
from dprules.tables import open_table
from dprules.tables.engines import spark_units
from dprules.tables.engines.spark_session import spark_session

MASTER = "local-cluster[2,1,1024]"
SCHEMA = Schema(
    Label("y", ["no", "yes"]),
    (*(Boolean(f"b{i}") for i in range(4)), PrivateCuts("age", 0, 100), PrivateValues("ward")),
)
KNOWN = Schema(SCHEMA.label, SCHEMA.columns[:4])


def write_rows(folder):
    """Eight rows a person, in four files."""
    rng = np.random.default_rng(7)
    size = 2000
    bits = rng.random((4, size)) < 0.5
    columns = {f"b{i}": bits[i] for i in range(4)}
    columns["age"] = rng.integers(0, 100, size)
    columns["ward"] = rng.choice(["a", "b", "c"], size)
    columns["y"] = np.where(bits[0] ^ (rng.random(size) < 0.1), "yes", "no")
    columns["person"] = rng.integers(0, size // 8, size)
    table = pa.table(columns)
    folder.mkdir()
    for part in range(4):
        pyarrow.parquet.write_table(table.slice(part * size // 4, size // 4), folder / f"{part}.parquet")
    return str(folder)


def find_executors():
    """The processes of the executors that this process has started, by their ids."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_text().split("\0")
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            grandparent = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        ours = str(os.getpid()) in (parent, grandparent)
        if ours and any(word.endswith("CoarseGrainedExecutorBackend") for word in words):
            found[int(words[words.index("--executor-id") + 1])] = int(entry.name)
    return found


def kill_one():
    """Kill the executor that started first, and wait until it is gone and Spark knows."""
    executors = find_executors()
    lost = min(executors)
    os.kill(executors[lost], signal.SIGKILL)
    while lost in find_executors():
        time.sleep(0.1)
    return lost


def fit_with_a_loss(data, unit):
    """The same fit here and on the cluster, where an executor is lost after the second step that has a number."""

    def request(master):
        settings = choose_settings("list", {"max_rules": 4}, {})
        return FitRequest(data, SCHEMA, settings, 4, 1e-6, unit=unit, seed=3, master=master)

    lost = []

    def progress(step, done, total):
        if done == 2 and not lost:
            lost.append(kill_one())

    before = set(find_executors())
    found = fit(request(MASTER), progress).model.document()
    return {
        "same": found == fit(request(None)).model.document(),
        "lost": lost,
        "before": sorted(before),
        "after": sorted(find_executors()),
    }


def count_with_a_loss(data):
    """Whether the counts of a sample with units are the same after a loss."""
    conditions = build_conditions(tuple(KNOWN.literals()), 2)
    with open_table(data, master=MASTER) as table:
        records = table.read_in_place(KNOWN, Unit("person", 1), SeededBits(5))
        sample = records.sample(tuple(KNOWN.literals()), 2)
        before = sample.counts(conditions)
        kill_one()
        after = sample.counts(conditions)
    return {"totals": int(before.sum()) > 0, "same": bool((before == after).all())}


def plant_fault():
    """Let the order of a unit's rows depend on the task that reads them."""
    real = spark_units._name_rows

    def name_rows(*arguments):
        for batch in real(*arguments):
            columns = list(batch.columns)
            columns[2] = pa.array(np.random.default_rng().integers(0, 1 << 62, batch.num_rows))
            yield pa.RecordBatch.from_arrays(columns, batch.schema.names)

    spark_units._name_rows = name_rows


def main():
    folder = Path(sys.argv[1])
    home = folder / "spark"  # executors write their logs there
    home.mkdir()
    for name in ("bin", "jars"):
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    os.environ["SPARK_HOME"] = str(home)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    data = write_rows(folder / "data")
    scratch = folder / "scratch"
    scratch.mkdir()
    started = time.monotonic()
    with spark_session(MASTER, str(scratch)):
        seen = {"list": fit_with_a_loss(data, None)}
        seen["units"] = fit_with_a_loss(data, "person")
        seen["counts"] = count_with_a_loss(data)
        plant_fault()
        seen["fault"] = count_with_a_loss(data)
    seen["seconds"] = time.monotonic() - started
    logs = "".join(path.read_text(errors="replace") for path in home.glob("work/*/*/std*"))
    seen["logs"] = {"size": len(logs), "cells": "person" in logs or "Traceback" in logs}
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
