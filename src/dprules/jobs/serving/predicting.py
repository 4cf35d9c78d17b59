"""`POST /predict`: the one endpoint that sees events. Nothing of them is logged, kept, or repeated in an error."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from starlette.types import Receive, Scope, Send

from dprules.jobs.serving.limits import Limits
from dprules.jobs.serving.public_file import PublicFile
from dprules.jobs.serving.requests import RefusedError, read_events
from dprules.jobs.serving.served import Served

TURN = 256
"""Events after which other clients get a turn."""
LARGEST_LEFTOVER = 16 * 2**20
"""Bytes of a body beyond its limit that are read and dropped: a client that is still sending might miss the answer."""


class Predict:
    """An ASGI endpoint without a framework around it, which would take as long as the answer.

    Parameters
    ----------
    file : PublicFile
        What is in force.
    limits : Limits
        What clients may ask for.
    """

    def __init__(self, file: PublicFile, limits: Limits) -> None:
        self._file = file
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read events and answer them, or say why not."""
        closing = False
        try:
            body = await self._read_body(scope, receive)
            if body is None:  # nobody is there to read an answer
                return
            events, alone = read_events(body, self._limits)
        except RefusedError as refused:
            status = refused.status
            said: dict[str, Any] = {"error": refused.sentence}
            closing = status in (408, 413)  # what is left of the body would be taken for the next request
        else:
            status = 200
            said = await _predict_all(self._file.in_force, events, alone)
        answer = json.dumps(said).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
        headers += [(b"connection", b"close")] if closing else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body of a request, None if its client is gone; refuse what is too large, slow or compressed."""
        most = self._limits.body
        too_large = RefusedError(413, f"a request may have {most:,} bytes. Send fewer events at a time.")
        if _announced_size(scope["headers"]) > most + LARGEST_LEFTOVER:
            raise too_large
        parts: list[bytes] = []
        size = 0
        more = True
        try:
            async with asyncio.timeout(self._limits.seconds):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    part = message.get("body", b"")
                    more = message.get("more_body", False)
                    size += len(part)
                    if size > most + LARGEST_LEFTOVER:
                        raise too_large
                    if size <= most:
                        parts.append(part)
        except TimeoutError:
            sentence = f"the body did not come within {self._limits.seconds:g} seconds. Send it at once."
            raise RefusedError(408, sentence) from None
        if size > most:
            raise too_large
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _announced_size(headers: Iterable[tuple[bytes, bytes]]) -> int:
    """Return how many bytes a client means to send, as far as it says so; refuse a body that is compressed."""
    size = 0
    for name, value in headers:
        if name == b"content-length" and value.isdigit():
            size = int(value) if len(value) < 19 else 2**63
        elif name == b"content-encoding" and value.lower() != b"identity":
            raise RefusedError(415, "the body is compressed. Send it as it is.")
    return size


async def _predict_all(served: Served, events: list[dict[str, Any]], alone: bool) -> dict[str, Any]:
    """Return what one model says of events; one that comes in force meanwhile waits for the next request."""
    release = {} if served.mark is None else {"release": served.mark.releases}
    if alone:
        return served.predict(events[0]) | release
    said = []
    for place, event in enumerate(events, start=1):
        said.append(served.predict(event))
        if place % TURN == 0:
            await asyncio.sleep(0)
    return {"predictions": said} | release
