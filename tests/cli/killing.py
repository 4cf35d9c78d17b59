"""Start learners again and again and kill them at random instants; say what was seen.

    python killing.py WAY FOLDER LINES KILLS

WAY is file, stdin, follow (the command, started by a fork that has everything imported already), rotate (follow, while
a thread writes the file and rotates it) or library. Every life is checked: what was acknowledged is never less than
before, and one number of releases means one hypothesis.
"""

import importlib
import json
import os
import random
import select
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

from dprules.cli.main import main
from dprules.learners.streams import Stream, StreamSettings, create_stream

for module in ("dprules.jobs", "rich.console"):  # so that no life has to import them
    importlib.import_module(module)
BATCH = 40
PATIENCE = 5.0
"""Seconds that a life may take to acknowledge something."""
PAUSE = 0.02
"""Seconds within which it is killed then: in the middle of the next batch."""
way, folder, lines, kills = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
every_line = lines.read_bytes().splitlines(keepends=True)
growing = lines.with_suffix(".growing.jsonl")


def command(*options: object) -> None:
    sys.argv = ["dprules", "stream", "learn", str(folder), *map(str, options), "--json"]
    main()


def learn_file(batch: int) -> None:
    command(lines, "--batch", batch)


def learn_input(batch: int) -> None:
    known = read_public()["stream"]["rounds"]
    offset = random.randrange(max(0, known - 100), known + 1)  # a sender may send again what was acknowledged
    with lines.open("rb") as file:
        file.seek(sum(map(len, every_line[:offset])))
        os.lseek(file.fileno(), file.tell(), os.SEEK_SET)
        os.dup2(file.fileno(), 0)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    command("-", "--offset", offset, "--batch", batch)


def follow_file(batch: int) -> None:
    command(growing, "--batch", batch, "--follow", "--every", "10ms")


def learn_here(batch: int) -> None:
    rows = [json.loads(line) for line in every_line]
    with Stream.open(folder) as stream:
        for start in range(stream.position("queue").line, len(rows), batch):
            part = rows[start : start + batch]
            print(json.dumps({"acknowledged": stream.learn(part, "queue", start + len(part))}), flush=True)


WAYS = {"file": learn_file, "stdin": learn_input, "follow": follow_file, "rotate": follow_file, "library": learn_here}


FOLLOWING = ("follow", "rotate")


class Writer(threading.Thread):
    """Writes the lines to a log that it rotates again and again, with half lines and lines that come late."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.ending = threading.Event()
        self.written = 0
        self.rotations = 0
        self.chance = random.Random(1)

    def run(self) -> None:
        while not self.ending.is_set():
            self.write_and_rotate(self.chance.randrange(1, 300))
        for _ in range(3):
            self.write_and_rotate((len(every_line) - self.written) // 2)
        self.write_and_rotate(len(every_line) - self.written)

    def write_and_rotate(self, number: int) -> None:
        with growing.open("ab", buffering=0) as file:
            for line in every_line[self.written : self.written + number]:
                half = self.chance.randrange(len(line))
                file.write(line[:half])
                if self.chance.random() < 0.01:
                    time.sleep(0.002)
                file.write(line[half:])
            self.written = min(len(every_line), self.written + number)
            for old in range(self.rotations, 0, -1):
                os.rename(f"{growing}.{old}", f"{growing}.{old + 1}")
            os.rename(growing, f"{growing}.1")
            self.rotations += 1
            for line in every_line[self.written : self.written + self.chance.randrange(3)]:  # late
                file.write(line)
                self.written += 1
            growing.touch()
            time.sleep(self.chance.random() * 0.2)


def read_public() -> dict:
    return json.loads((folder / "hypothesis.json").read_text())


def live(batch: int, patience: float | None) -> tuple[int, int]:
    """Return how the process ended, and what it acknowledged last.

    It is killed after `patience` seconds, or soon after it has acknowledged a few batches; None: never.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        os.dup2(writing, 1)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        code = 1
        try:
            WAYS[way](batch)
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.close(writing)
    said = b"" if patience is None else wait_for_batches(reading, random.randint(1, 4), patience)
    if patience is not None:
        time.sleep(random.random() * PAUSE)
        os.kill(process, signal.SIGKILL)
    with os.fdopen(reading, "rb") as rest:
        for line in rest:
            said += line
            if way in FOLLOWING and patience is None and read_public()["stream"]["rounds"] == len(every_line):
                os.kill(process, signal.SIGINT)
    whole = said.splitlines(keepends=True)
    lines = [line for line in whole if line.endswith(b"\n")]  # a kill may tear the last line
    return os.waitpid(process, 0)[1], json.loads(lines[-1])["acknowledged"] if lines else 0


def wait_for_batches(reading: int, batches: int, patience: float) -> bytes:
    """Return what was said until so many batches were acknowledged, or time is over."""
    until = time.monotonic() + patience
    said = b""
    while said.count(b"\n") < batches and select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, 65_536)
        if not part:
            break
        said += part
    return said


def warm_up() -> float:
    """Compile everything before the first fork; return the seconds that a life needs to learn two batches."""
    with Stream.open(folder) as stream:
        features = stream.features
    rows = [json.loads(line) for line in every_line]
    create_stream(folder.with_name("warm"), StreamSettings(epsilon=20.0), features)
    for again in range(2):
        started = time.monotonic()
        with Stream.open(folder.with_name("warm")) as stream:
            for end in range(1, 4):
                stream.learn(rows[:BATCH] if again else rows[:3000], "queue", 3000 * (3 * again + end))
    return time.monotonic() - started


def main_loop() -> None:
    longest = 2 * warm_up()
    seen: dict[int, str] = {}
    killed = most = 0
    growing.touch()
    writer = Writer()
    if way == "rotate":
        growing.write_bytes(every_line[0])
        writer.written = 1
        live(BATCH, PATIENCE)  # a source begins with its first line
        writer.start()
    while killed < kills:
        if way != "rotate":
            with growing.open("ab") as file:
                at = file.tell()
                file.write(b"".join(every_line)[at : at + random.randrange(8_000)])  # also half lines
        # Half of the lives are killed while they begin, on most machines; the others learn something.
        status, acknowledged = live(BATCH, random.random() * longest if killed % 2 else PATIENCE)
        killed += os.WIFSIGNALED(status)
        assert os.WIFSIGNALED(status), f"ended by itself: {status}"
        most = check(seen, max(most, acknowledged))
    if way == "rotate":
        writer.ending.set()
        writer.join()
    else:
        growing.write_bytes(lines.read_bytes())
    status, _ = live(5_000, None)
    assert way in FOLLOWING or status == 0, status
    check(seen, len(every_line))
    print(json.dumps({"killed": killed, "acknowledged in lives that were killed": most, "releases": len(seen) - 1}))


def check(seen: dict[int, str], acknowledged: int) -> int:
    public = read_public()
    rounds, releases = public["stream"]["rounds"], public["stream"]["releases"]
    assert rounds >= acknowledged, f"{acknowledged - rounds} acknowledged events were lost"
    model = json.dumps(public["model"])
    before = seen.setdefault(releases, model)
    assert before == model, f"decision {releases} was released twice: {before}, {model}"
    return acknowledged


random.seed(len(way))
main_loop()
