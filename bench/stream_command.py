"""`dprules stream learn` beside a plain loop that parses the same JSON lines; and its memory on a long stream.

Ten columns of all kinds and a label. Both run as processes of their own, start included, alternately on the same file;
the state is on the disk of the temporary folder, and every commit waits for it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench.table import markdown
from dprules.jobs import stream_init
from dprules.schema import Boolean, Categorical, Date, Label, Numeric, Schema

LINES = 1_000_000
REPEATS = 5
LONG = (1_000_000, 5_000_000)
PART = 100_000
"""Lines that are made once and sent again and again: memory does not depend on what is in them."""
PLAIN = "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)"
SCHEMA = Schema(
    Label("bought", ["no", "yes"]),
    [
        Categorical("country", ["at", "ch", "de", "fr"]),
        Categorical("device", ["phone", "tablet", "desktop"]),
        Boolean("member"),
        Boolean("returning"),
        Numeric("age", [25, 40, 60, 75]),
        Numeric("visits", [1, 5, 20]),
        Numeric("basket", [10, 50, 200]),
        Numeric("score", [0.25, 0.5, 0.75]),
        Categorical("channel", ["mail", "search", "shop", "other"]),
        Date("since", ["2022-01-01", "2023-01-01", "2024-01-01"]),
    ],
)


def make_lines(size: int, seed: int = 0) -> Iterator[str]:
    """Made-up events: whoever is a member or at least 60 buys, one in twenty the other way round."""
    source = random.Random(seed)
    for number in range(size):
        member, age = source.random() < 0.4, source.randint(18, 90)
        event = {
            "id": number,
            "country": source.choice(["at", "ch", "de", "fr", "it"]),
            "device": source.choice(["phone", "tablet", "desktop"]),
            "member": member,
            "returning": source.choice([True, False, None]),
            "age": age,
            "visits": source.randint(0, 40),
            "basket": round(source.expovariate(0.02), 2),
            "score": source.random(),
            "channel": source.choice(["mail", "search", "shop", "other"]),
            "since": f"20{source.randint(20, 24)}-{source.randint(1, 12):02d}-{source.randint(1, 28):02d}",
            "bought": "yes" if (member or age >= 60) != (source.random() < 0.05) else "no",
        }
        yield json.dumps(event) + "\n"


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        return [_speed(folder), *(_memory(folder, size) for size in LONG)]


def _speed(folder: Path) -> dict[str, Any]:
    events = folder / "events.jsonl"
    with events.open("w") as file:
        file.writelines(make_lines(LINES))
    pairs = []
    for repeat in range(REPEATS + 1):
        state = folder / f"state{repeat}"
        stream_init(state, SCHEMA)
        ours = _seconds("-m", "dprules", "stream", "learn", str(state), str(events))
        plain = _seconds("-c", PLAIN, str(events))
        again = _seconds("-m", "dprules", "stream", "learn", str(state), str(events))
        print(f"learn {ours:.1f} s, plain loop {plain:.1f} s, again {again:.1f} s", flush=True)
        pairs.append((ours, plain, again))
    kept = pairs[1:]  # the first run warms caches of files
    return {
        "what": "speed",
        "lines": LINES,
        "learn": median(pair[0] for pair in kept),
        "plain": median(pair[1] for pair in kept),
        "again": median(pair[2] for pair in kept),
        "ratios": [pair[0] / pair[1] for pair in kept],
    }


def _seconds(*arguments: str) -> float:
    started = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - started


def _memory(folder: Path, size: int) -> dict[str, Any]:
    """The peak of a process that learns so many events from standard input."""
    state = folder / f"long{size}"
    stream_init(state, SCHEMA)
    part = "".join(make_lines(PART, seed=1)).encode()
    command = [sys.executable, "-m", "dprules", "stream", "learn", str(state), "-", "--offset", "0"]
    started = perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    if process.stdin is None:
        raise RuntimeError("no pipe")
    for _ in range(size // PART):
        process.stdin.write(part)
    process.stdin.close()
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = code
    if code:
        raise RuntimeError("the command failed")
    print(f"{size:,} events: {usage.ru_maxrss / 1024:.0f} MiB", flush=True)
    return {"what": "memory", "lines": size, "mebibytes": usage.ru_maxrss / 1024, "seconds": perf_counter() - started}


def table(results: list[dict[str, Any]]) -> str:
    speed = next(r for r in results if r["what"] == "speed")
    rows = [
        [
            f"{speed['lines']:,}",
            f"{speed['learn']:.1f} s",
            f"{speed['plain']:.1f} s",
            f"{median(speed['ratios']):.2f} ({min(speed['ratios']):.2f} to {max(speed['ratios']):.2f})",
            f"{speed['again']:.1f} s",
        ]
    ]
    header = ["lines of a file", "`stream learn`", "plain loop", "times the loop", "the same file again"]
    long = [
        [f"{r['lines']:,}", f"{r['mebibytes']:.0f} MiB", f"{r['lines'] / r['seconds']:,.0f}"]
        for r in results
        if r["what"] == "memory"
    ]
    second = markdown(["events of standard input", "peak memory", "events a second"], long)
    return markdown(header, rows) + "\n\n" + second
