"""A client that calls an ASGI application without a server."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dprules.jobs.serving.app import App


class Answer(NamedTuple):
    """What an application sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)


def ask(
    app: App,
    path: str,
    body: object = None,
    *,
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    pause: float = 0.0,
    leave: bool = False,
) -> Answer:
    """Send one request; a body that is neither bytes nor a sequence of them is written as JSON, None makes it a GET.

    The client pauses before each part of the body, and leaves after the last part without finishing it if told to.
    """
    return asyncio.run(_ask(app, path, body, method, headers or {}, pause, leave))


async def _ask(
    app: App, path: str, body: object, method: str | None, headers: Mapping[str, str], pause: float, leave: bool
) -> Answer:
    parts = _split(body)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause)
        if not parts:
            return {"type": "http.disconnect"}
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": leave or bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    given = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method or ("GET" if body is None else "POST"),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": given,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    await app(scope, receive, send)
    if not sent:
        return Answer(0, {}, b"")
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))


def _split(body: object) -> list[bytes]:
    if body is None:
        return [b""]
    if isinstance(body, bytes):
        return [body]
    if isinstance(body, Sequence) and body and all(isinstance(part, bytes) for part in body):
        return list(body)
    return [json.dumps(body).encode()]
