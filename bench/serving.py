"""Predictions over HTTP beside a minimal starlette app that returns a constant: the same server, client and machine.

Both servers run; a client with a few connections asks one and then the other, many times. A bounded load: each turn is
a fixed number of requests.
"""

import asyncio
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from bench.table import markdown
from dprules.jobs import FitRequest, ScorecardSettings, Stream, fit, stream_init
from dprules.jobs.example import SCHEMA, hospital_stays

CLIENTS = 8
REQUESTS = 2000
TURNS = 7
MANY = 100


def constant_app() -> Any:
    """Return the yardstick: it reads the body and returns a constant."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def predict(request: Request) -> JSONResponse:
        await request.body()
        return JSONResponse({"label": "yes", "probabilities": {"no": 0.1, "yes": 0.9}})

    return Starlette(routes=[Route("/predict", predict, methods=["POST"])])


def run() -> list[dict[str, Any]]:
    stays = hospital_stays(20_000, 1)
    events = [{name: cell for name, cell in row.items() if name != "readmitted"} for row in stays[:500].to_pylist()]
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        fit(FitRequest(stays, SCHEMA)).save(folder / "list.json")
        fit(FitRequest(stays, SCHEMA, ScorecardSettings())).save(folder / "card.json")
        stream_init(folder / "stream", SCHEMA)
        with Stream.open(folder / "stream") as stream:
            stream.learn(stays.to_pylist(), "stays", len(stays))
        servers = {
            "list": ["dprules", "serve", str(folder / "list.json")],
            "scorecard": ["dprules", "serve", str(folder / "card.json")],
            "stream": ["dprules", "stream", "serve", str(folder / "stream")],
        }
        options = ["--http", "h11", "--no-access-log", "--log-level", "critical"]
        yardstick = stack.enter_context(_server(["uvicorn", "--factory", "bench.serving:constant_app", *options]))
        results = []
        for kind, command in servers.items():
            with _server(command) as port:
                results.append({"what": f"{kind}, one event a request"} | _compare(port, yardstick, events, 1))
                many = {"what": f"{kind}, {MANY} events a request"} | _compare(port, yardstick, events, MANY)
                results.append(many)
                print(results[-2:], flush=True)
        return results


@contextmanager
def _server(command: list[str]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", *command, "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _compare(ours: int, theirs: int, events: list[dict[str, Any]], size: int) -> dict[str, Any]:
    """Rates and latencies of both, turn by turn; the ratios are medians of those of the turns."""
    bodies = [json.dumps(events[i] if size == 1 else (events * 2)[i : i + size]).encode() for i in range(len(events))]
    number = REQUESTS if size == 1 else REQUESTS // 10
    turns = []
    for turn in range(TURNS + 1):
        pair = [asyncio.run(_load(port, bodies, number)) for port in (ours, theirs)]
        if turn:  # the first warms both up
            turns.append(pair)
    medians = [{of: median(pair[who][of] for pair in turns) for of in turns[0][0]} for who in (0, 1)]
    ratios = {of: median(pair[0][of] / pair[1][of] for pair in turns) for of in turns[0][0]}
    return {"events": size, "ours": medians[0], "constant": medians[1], "ratios": ratios}


async def _load(port: int, bodies: list[bytes], number: int) -> dict[str, float]:
    """Requests a second, and the median and the 99th percentile of how long an answer takes, in milliseconds."""
    times: list[float] = []
    started = time.perf_counter()
    await asyncio.gather(*(_ask(port, bodies[i::CLIENTS], number // CLIENTS, times) for i in range(CLIENTS)))
    rate = len(times) / (time.perf_counter() - started)
    times.sort()
    return {"rate": rate, "p50": 1000 * times[len(times) // 2], "p99": 1000 * times[int(0.99 * len(times))]}


async def _ask(port: int, bodies: list[bytes], number: int, times: list[float]) -> None:
    """Ask one question after the other on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for i in range(number):
        body = bodies[i % len(bodies)]
        started = time.perf_counter()
        writer.write(b"POST /predict HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError("an answer is not 200")
        await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        times.append(time.perf_counter() - started)
    writer.close()


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [
            r["what"],
            f"{r['ours']['rate']:,.0f}",
            f"{r['events'] * r['ours']['rate']:,.0f}",
            f"{r['ours']['p50']:.1f} / {r['ours']['p99']:.1f} ms",
            f"{r['constant']['rate']:,.0f}; {r['constant']['p50']:.1f} / {r['constant']['p99']:.1f} ms",
            " / ".join(f"{r['ratios'][of]:.2f}" for of in ("rate", "p50", "p99")),
        ]
        for r in results
    ]
    header = [
        "served",
        "requests a second",
        "predictions a second",
        "p50 / p99",
        "a constant",
        "ratio: rate / p50 / p99",
    ]
    return markdown(header, rows)
