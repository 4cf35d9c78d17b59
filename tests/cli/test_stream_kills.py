"""The command and the library, killed hundreds of times: nothing is lost, counted twice or released twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from disks import mount_small_disk
from dprules.cli.exits import Exit
from dprules.learners.streams import SIGNS, Stream, StreamSettings, create_stream, read_published
from learners.streams.events import FEATURES, make_events
from learners.streams.stored import read_private

KILLING = Path(__file__).with_name("killing.py")
SILENT = 1e-6
"""With so small an epsilon there is a release in one of a hundred streams, and every example is cached."""
LINES = 30_000
KILLS = {
    ("file", 8.0): 80,
    ("file", SILENT): 50,
    ("stdin", 8.0): 60,
    ("stdin", SILENT): 50,
    ("follow", 8.0): 60,
    ("follow", SILENT): 30,
    ("rotate", SILENT): 40,
    ("library", 8.0): 70,
    ("library", SILENT): 60,
}


def write_events(path, size=LINES):
    rows = make_events(size, seed=1)
    for row in rows[::3]:
        row["y"] = "yes" if row["b"] else "no"  # never learnt, so that hypotheses keep changing
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def assert_every_event_counted_once(folder, rows):
    """In a silent stream the scores are the sums of all examples, or of all after a release that chance made."""
    kept = read_private(folder)
    assert kept["cached"] == len(rows) or read_published(folder).stream.releases > 0
    rows = rows[len(rows) - kept["cached"] :]
    totals = np.zeros(FEATURES.dimension, dtype=np.int64)
    FEATURES.block(rows).add(np.arange(len(rows)), SIGNS[FEATURES.codes(rows)], totals)
    assert kept["scores"] == totals.tolist()


def test_there_are_500_kills():
    assert sum(KILLS.values()) == 500


@pytest.mark.slow
@pytest.mark.parametrize(("way", "epsilon"), KILLS)
def test_killed_at_any_instant(way, epsilon, tmp_path):
    folder = tmp_path / "s"
    create_stream(folder, StreamSettings(epsilon=epsilon), FEATURES)
    rows = write_events(tmp_path / "e.jsonl")
    command = [sys.executable, KILLING, way, folder, tmp_path / "e.jsonl", str(KILLS[way, epsilon])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["killed"] == KILLS[way, epsilon]
    assert told["acknowledged in lives that were killed"] > 0
    with Stream.open(folder) as stream:
        assert stream.rounds == len(rows)
    assert not [path for path in (*folder.iterdir(), *tmp_path.iterdir()) if path.name.startswith(".")]
    if epsilon == SILENT:
        assert_every_event_counted_once(folder, rows)
    else:
        assert told["releases"] > 2


def start(folder, events, *options, **more):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "dprules", "stream", "learn", folder, events, "--json", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def wait_for(process, acknowledged):
    while json.loads(process.stdout.readline())["acknowledged"] < acknowledged:
        pass


def acknowledge_all(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])["acknowledged"]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["file", "stdin", "follow"])
def test_the_command_in_a_process_of_its_own(way, tmp_path):
    """As a user starts it, with its imports and its start."""
    folder, path = tmp_path / "s", tmp_path / "e.jsonl"
    create_stream(folder, StreamSettings(epsilon=SILENT), FEATURES)
    rows = write_events(path, LINES)  # more than any machine learns in four short lives
    lines = path.read_bytes().splitlines(keepends=True)

    def once(batch):
        if way != "stdin":
            return start(folder, path, "--batch", batch, *(["--follow"] if way == "follow" else []))
        known = read_published(folder).stream.rounds
        (tmp_path / "rest").write_bytes(b"".join(lines[known:]))
        with (tmp_path / "rest").open("rb") as rest:
            return start(folder, "-", "--batch", batch, "--offset", str(known), stdin=rest)

    for life in range(4):
        process = once("20")
        wait_for(process, 0)
        time.sleep(0.05 * life)
        process.kill()
        process.communicate()
    assert 0 < read_published(folder).stream.rounds < LINES
    process = once("5000")
    wait_for(process, LINES)
    if way == "follow":
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert_every_event_counted_once(folder, rows)


@pytest.mark.slow
def test_two_commands_without_a_lock(tmp_path):
    """The lock file was removed: the one that falls behind is refused, and nothing that was acknowledged is lost."""
    folder, path = tmp_path / "s", tmp_path / "e.jsonl"
    create_stream(folder, StreamSettings(epsilon=SILENT), FEATURES)
    rows = write_events(path, 1000)
    first = start(folder, path, "--follow", "--source", "first")
    wait_for(first, 1000)
    (folder / "private" / "lock").unlink()
    second = start(folder, path, "--source", "second")
    assert acknowledge_all(second) == 1000
    with path.open("a") as file:
        file.write(json.dumps(rows[0]) + "\n")
    _, err = first.communicate(timeout=60)
    assert first.returncode == Exit.INPUT
    assert "another process has learnt into this stream" in err
    assert "Traceback" not in err
    assert_every_event_counted_once(folder, [*rows, *rows])
    assert acknowledge_all(start(folder, path, "--source", "first")) == 1001
    assert_every_event_counted_once(folder, [*rows, *rows, rows[0]])


@pytest.fixture
def small_disk(tmp_path):
    """A disk of half a megabyte."""
    with mount_small_disk(tmp_path / "disk", "512k") as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [8.0, SILENT])
def test_a_disk_that_is_full_again_and_again(epsilon, small_disk, tmp_path):
    folder, path, filler = small_disk / "s", tmp_path / "e.jsonl", small_disk / "filler"
    create_stream(folder, StreamSettings(epsilon=epsilon), FEATURES)
    rows = write_events(path, 2000)
    acknowledged = failures = 0
    for left in (0, 1, 3, 6, 9):
        free = os.statvfs(small_disk).f_bavail
        filler.write_bytes(bytes(4096 * max(0, free - left)))
        process = start(folder, path, "--batch", "100")
        out, err = process.communicate(timeout=60)
        acknowledged = max([acknowledged, *(json.loads(line)["acknowledged"] for line in out.splitlines())])
        if process.returncode:
            failures += 1
            assert process.returncode in (Exit.INPUT, Exit.FILE, Exit.RESOURCE)
            assert "Traceback" not in err
            assert len(err.strip().splitlines()) == 1
        filler.unlink()
        with Stream.open(folder) as stream:
            assert stream.rounds >= acknowledged
    assert failures >= 2
    last = start(folder, path)
    last.communicate(timeout=60)
    assert last.returncode == 0
    assert read_published(folder).stream.rounds == 2000
    if epsilon == SILENT:
        assert_every_event_counted_once(folder, rows)
