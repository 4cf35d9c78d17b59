"""The script of the page on queues, against a real server: killed again and again, every event counts once."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dprules.learners.streams import SIGNS, Stream, StreamSettings, create_stream, read_published
from learners.streams.events import FEATURES, make_events
from learners.streams.stored import read_private

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "queues.md"
TABLE = re.search(r"`(CREATE TABLE events .*?\))`", PAGE.read_text())
SCRIPT = next(block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "psycopg" in block)
LIVES = 12


def run(folder, server, **options):
    script = SCRIPT.replace("LIMIT 8192", "LIMIT 10")  # many batches
    return subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"DATABASE_URL": server, "STREAM": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def count_lines(folder):
    stream = read_published(folder).stream
    assert stream is not None
    return stream.rounds


@pytest.mark.slow
def test_a_table_in_postgresql_is_learnt_once_though_its_reader_is_killed(database, server, tmp_path):
    rows = make_events(4000)
    assert TABLE is not None
    database.execute(TABLE[1])
    with database.cursor() as cursor:
        for place, row in enumerate(rows):
            if place % 7 == 3:
                cursor.execute("SELECT nextval('events_id_seq')")  # a writer that gave up: numbers have gaps
            cursor.execute("INSERT INTO events (body) VALUES (%s)", (json.dumps(row),))
    folder = tmp_path / "s"
    create_stream(folder, StreamSettings(epsilon=1e-6), FEATURES)  # so private that it never speaks
    random.seed(1)
    for _ in range(LIVES):
        before = count_lines(folder)
        process = run(folder, server)
        while count_lines(folder) == before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(random.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert 0 < count_lines(folder) < 4000
    process = run(folder, server)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    totals = np.zeros(FEATURES.dimension, dtype=np.int64)
    FEATURES.block(rows).add(np.arange(4000), SIGNS[FEATURES.codes(rows)], totals)
    kept = read_private(folder)
    assert kept["scores"] == totals.tolist()
    assert kept["cached"] == count_lines(folder) == 4000
    ((last,),) = database.execute("SELECT max(id) FROM events").fetchall()
    with Stream.open(folder) as stream:
        assert stream.position("events").line == last > 4000
