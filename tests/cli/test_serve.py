"""`dprules serve` and `dprules stream serve`, as processes: clients that are slow, rude or many, and how it ends."""

import asyncio
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import assert_one_sentence, assert_refused
from cli.test_unverified import forge
from dprules.cli.exits import Exit
from dprules.errors import BANNER
from dprules.models import Released

CANARY = "canary-of-an-event"
IMPATIENT = """
import sys
from dprules.jobs import Limits
import dprules.jobs.serving as serving
usual = serving.Limits
serving.Limits = lambda: usual(seconds=1.0, idle=1, connections=100)
from dprules.cli import main
main()
"""
"""The command, with less patience than usual."""


class Server:
    """A server that runs, and what it says."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port

    def ask(self, path: str, body: object = None, method: str | None = None) -> tuple[int, Any]:
        """Send one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method or ("GET" if body is None else "POST"), path, sent)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if answer.headers["content-type"] == "application/json" else text

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def end(self, number: int = signal.SIGTERM) -> str:
        """Send a signal; return what was said meanwhile."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=30)[1]


@contextmanager
def serving(*arguments: object, code: Sequence[str] = ("-m", "dprules")) -> Iterator[Server]:
    command = [sys.executable, *code, *map(str, arguments), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            found = re.search(r"on http://127\.0\.0\.1:([0-9]+); Ctrl-C ends it", line)
            if found:
                yield Server(process, int(found[1]))
                break
        else:
            raise AssertionError("it did not start")
    finally:
        process.kill()
        process.communicate()


def read_all(client: socket.socket) -> bytes:
    """Read until the server closes; an abrupt end counts as one."""
    parts = []
    try:
        while part := client.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


EVENT = {"age": 71, "days in hospital": 12, "ward": "surgery", "lives alone": True, "name": CANARY}


def test_files_and_ports_that_are_no_good_get_one_sentence(shell, stays, tmp_path):
    assert_refused(shell("serve", tmp_path / "none.json"), Exit.FILE)
    assert_refused(shell("serve", tmp_path), Exit.FILE)
    assert_refused(shell("serve", stays / "schema.toml"), Exit.INPUT)
    assert_refused(shell("serve", stays / "model.json", "--port", 70_000), Exit.PARAMETER)
    assert_refused(shell("serve", stays / "model.json", "--host", "nowhere.invalid"), Exit.PARAMETER)
    assert_refused(shell("stream", "serve", tmp_path / "none"), Exit.FILE)
    assert_refused(shell("stream", "serve", stays), Exit.INPUT)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = shell("serve", stays / "model.json", "--port", taken.getsockname()[1])
    assert_refused(ran, Exit.RESOURCE)
    assert "is in use" in ran.err


def test_a_model_that_does_not_verify_is_refused(shell, stays, tmp_path):
    (tmp_path / "forged.json").write_text(forge(json.loads((stays / "model.json").read_text()), "a smaller epsilon"))
    assert_refused(shell("serve", tmp_path / "forged.json"), Exit.UNVERIFIED)
    ran = shell("serve", tmp_path / "forged.json", "--unverified", "--port", 70_000)
    assert (ran.code, ran.err.startswith(BANNER)) == (Exit.PARAMETER, True)


def test_without_the_extra_it_says_what_to_install(shell, stays, monkeypatch):
    for module in ("app", "server", "protocol", "predicting"):
        monkeypatch.delitem(sys.modules, f"dprules.jobs.serving.{module}", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    ran = shell("serve", stays / "model.json")
    assert_refused(ran, Exit.PARAMETER)
    assert "pip install 'dprules[serve]'" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGTERM, 143, ""),
        (signal.SIGHUP, 143, ""),
        (signal.SIGINT, 130, "requests that had begun were answered"),
    ],
)
def test_it_answers_and_ends_gracefully(number, code, said, stays):
    with serving("serve", stays / "model.json", "--access-log") as server:
        status, answer = server.ask("/predict", EVENT)
        assert (status, answer["label"] in ("no", "yes")) == (200, True)
        with server.connect() as slow:  # a request that has begun when the signal comes is answered
            body = json.dumps(EVENT).encode()
            slow.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body))
            time.sleep(0.3)
            server.process.send_signal(number)
            time.sleep(0.3)
            slow.sendall(body)
            assert read_all(slow).startswith(b"HTTP/1.1 200 OK")
        err = server.process.communicate(timeout=30)[1]
        assert server.process.returncode == code
        assert said in err
        assert err.count("POST /predict 200") == 2
        assert CANARY not in err
        assert "Traceback" not in err


@pytest.mark.slow
def test_nothing_is_logged_unless_it_is_asked_for(stays):
    with serving("serve", stays / "model.json") as server:
        server.ask("/predict", EVENT)
        server.ask(f"/predict?age={CANARY}", EVENT)
        server.ask("/predict", b'{"age": "%s"' % CANARY.encode())
        with server.connect() as rude:
            rude.sendall(b"%s\r\n\r\n" % CANARY.encode())
            assert json.loads(read_all(rude).split(b"\r\n\r\n")[1]) == {
                "error": "the request is not valid HTTP/1.1, or its head is too large."
            }
        assert server.end() == ""
    with serving("serve", stays / "model.json", "--access-log") as server:
        server.ask(f"/predict?age={CANARY}", EVENT)
        server.ask(f"/{CANARY}")
        server.ask("/healthz", method=CANARY.replace("-", "").upper())
        assert server.end() == "POST /predict 200\nGET elsewhere 404\nother /healthz 405\n"


@pytest.mark.slow
def test_slow_clients_are_cut_off_and_others_are_not(stays):
    with serving("serve", stays / "model.json", code=("-c", IMPATIENT)) as server, ExitStack() as stack:
        begun = time.monotonic()
        head = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
        silent, half_head, half_body, dribble = (stack.enter_context(server.connect()) for _ in range(4))
        half_head.sendall(head[:20])
        half_body.sendall(head + b"{")
        dribble.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")  # one that is kept alive, and then dribbles
        assert dribble.recv(10_000).startswith(b"HTTP/1.1 200")
        for byte in b"GET /h":
            dribble.sendall(bytes([byte]))
            time.sleep(0.1)
        assert server.ask("/predict", EVENT)[0] == 200
        assert read_all(silent) == b""
        assert read_all(half_head).startswith(b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json")
        answered = read_all(half_body)
        assert answered.startswith(b"HTTP/1.1 408")
        assert b"the body did not come within 1 seconds" in answered
        dribble.sendall(b"e")
        assert b"HTTP/1.1 408" in read_all(dribble)
        assert time.monotonic() - begun < 6
        assert server.end() == ""


@pytest.mark.slow
def test_a_client_that_does_not_read_is_cut_off(stays):
    with serving("serve", stays / "model.json", code=("-c", IMPATIENT)) as server, server.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(1)
        ask = b"GET /hypothesis HTTP/1.1\r\nHost: x\r\n\r\n" * 100
        begun = time.monotonic()
        cut_off = False
        while not cut_off and time.monotonic() - begun < 15:
            try:
                client.sendall(ask)
            except TimeoutError:  # the server no longer reads
                continue
            except OSError:
                cut_off = True
        assert cut_off
        assert server.ask("/healthz")[0] == 200
        assert server.end() == ""


@pytest.mark.slow
def test_many_clients_at_a_time(stays):
    with serving("serve", stays / "model.json") as server:
        bodies = [json.dumps(EVENT | {"age": age}).encode() for age in range(100)]
        expected = [server.ask("/predict", body)[1] for body in bodies]

        async def ask(body: bytes) -> list[Any]:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            answers = []
            for _ in range(10):
                writer.write(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
                answers.append(json.loads(await reader.readexactly(size)))
            writer.close()
            return answers

        async def ask_all() -> list[list[Any]]:
            return await asyncio.gather(*map(ask, bodies))

        assert asyncio.run(ask_all()) == [[answer] * 10 for answer in expected]
        assert server.end() == ""


@pytest.mark.slow
def test_too_many_clients_are_told_so(stays):
    with serving("serve", stays / "model.json", code=("-c", IMPATIENT)) as server:
        with ExitStack() as held:
            for _ in range(100):
                held.enter_context(server.connect())
            time.sleep(0.2)
            with server.connect() as late:
                assert b"too many clients" in read_all(late)
        time.sleep(0.2)
        assert server.ask("/healthz")[0] == 200


@pytest.mark.slow
def test_odd_http(stays):
    with serving("serve", stays / "model.json") as server:
        body = json.dumps(EVENT).encode()
        post = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body

        def send(*requests: bytes) -> bytes:
            with server.connect() as client:
                for request in requests:
                    client.sendall(request)
                return read_all(client)

        close = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        pipelined = send(post * 20 + close)
        assert pipelined.count(b"HTTP/1.1 200 OK") == 21
        assert pipelined.count(b'"label"') == 20
        chunked = b"POST /predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        parts = b"".join(b"%x\r\n%s\r\n" % (1, bytes([byte])) for byte in body) + b"0\r\n\r\n"
        assert send(chunked + parts + close).count(b"200 OK") == 2
        assert send(chunked + b"zz\r\n").startswith(b"HTTP/1.1 400")
        waiting = post.replace(b"Host: x", b"Host: x\r\nExpect: 100-continue")
        assert send(waiting + close).count(b"HTTP/1.1 200 OK") == 2
        assert send(b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200")
        assert b" 400 " in send(b"GET /healthz HTTP/1.1\r\n\r\n")  # no host
        assert b" 400 " in send(b"GET /" + b"x" * 100_000)
        assert b" 400 " in send(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n")
        both = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert b"\r\n" in send(both + b"0\r\n\r\n" + close)
        large = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n"
        answer = send(large, b" " * 3_000_000)
        assert answer.startswith(b"HTTP/1.1 413")
        assert b"1,048,576 bytes" in answer
        upgrade = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        assert send(upgrade + close).count(b"200 OK") == 2
        assert server.ask("/predict", EVENT)[0] == 200
        assert server.end() == ""


@pytest.mark.slow
def test_a_client_that_leaves_in_the_middle_disturbs_nobody(stays):
    with serving("serve", stays / "model.json") as server:
        for _ in range(50):
            client = server.connect()
            client.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # an abrupt end
            client.close()
        assert server.ask("/healthz")[1]["status"] == "ok"
        assert server.end() == ""


STREAM_SCHEMA = """
[label]
column = "y"
classes = ["no", "yes"]
[columns.a]
kind = "boolean"
"""
WATCHED = """
import sys
def note(event, arguments):
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect") and "private" in str(arguments[0]):
        sys.stderr.write(f"OPENED {arguments[0]}\\n")
sys.addaudithook(note)
from dprules.cli import main
main()
"""
"""The command, which tells on itself."""


@pytest.mark.slow
def test_a_stream_is_served_while_it_learns_and_its_private_state_is_never_opened(shell, tmp_path):
    (tmp_path / "schema.toml").write_text(STREAM_SCHEMA)
    state = tmp_path / "s"
    assert shell("stream", "init", state, "--features", tmp_path / "schema.toml", "--epsilon", "8").code == Exit.OK
    events = tmp_path / "e.jsonl"
    events.write_text("".join(json.dumps({"a": i % 2 == 0, "y": ["yes", "no"][i % 2]}) + "\n" for i in range(20_000)))
    with serving("stream", "serve", state, code=("-c", WATCHED)) as server:
        assert server.ask("/predict", {"a": True})[1]["label"] == "no"  # nothing has been released
        learning = [sys.executable, "-m", "dprules", "stream", "learn", str(state), str(events), "--batch", "100"]
        learner = subprocess.Popen(learning, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while learner.poll() is None:
            status, answer = server.ask("/predict", [{"a": True}, {"a": False}])
            assert status == 200
            labels = [one["label"] for one in answer["predictions"]]
            assert labels == (["yes", "no"] if answer["release"] else ["no", "no"]) or answer["release"] < 3
            assert server.ask("/healthz")[1]["status"] == "ok"
        assert learner.returncode == 0
        time.sleep(2.5)
        mark = Released.load(state / "hypothesis.json").stream
        health = server.ask("/healthz")[1]
        assert mark is not None
        assert (health["rounds"], health["releases"]) == (20_000, mark.releases) == (mark.rounds, mark.releases)
        assert server.ask("/predict", {"a": True})[1]["label"] == "yes"
        (state / "hypothesis.json").write_text("{")
        time.sleep(2.5)
        assert server.ask("/healthz")[1]["status"] == "outdated"
        assert server.ask("/predict", {"a": True})[1]["label"] == "yes"
        assert server.end() == ""


@pytest.mark.slow
def test_the_public_file_is_enough(shell, tmp_path):
    """Another machine or user needs nothing else; an unreadable private folder is no matter."""
    (tmp_path / "schema.toml").write_text(STREAM_SCHEMA)
    shell("stream", "init", tmp_path / "s", "--features", tmp_path / "schema.toml")
    shutil.rmtree(tmp_path / "s" / "private")
    with serving("stream", "serve", tmp_path / "s") as server:
        assert server.ask("/predict", {"a": True})[0] == 200
    if os.getuid() == 0:
        return
    (tmp_path / "s" / "private").mkdir(mode=0o000)
    with serving("stream", "serve", tmp_path / "s") as server:
        assert server.ask("/predict", {"a": True})[0] == 200


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_its_port_and_nothing_else(stays, tmp_path):
    with serving("serve", stays / "model.json") as server:
        server.ask("/predict", EVENT)
        server.process.kill()
        server.process.wait()
        port = server.port
    before = {path.name for path in Path(stays).iterdir()}
    command = [sys.executable, "-m", "dprules", "serve", str(stays / "model.json"), "--port", str(port)]
    again = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert again.stderr is not None
    assert f":{port};" in again.stderr.readline()
    again.kill()
    again.communicate()
    assert {path.name for path in Path(stays).iterdir()} == before


def test_one_sentence_is_one_sentence(shell, tmp_path):
    ran = shell("stream", "serve", tmp_path / "none")
    assert_one_sentence(ran.code, ran.err, Exit.FILE)
