"""HTTP/1.1 for clients that are slow, rude or wrong: uvicorn waits for them, this does not."""

import asyncio
import json
from http import HTTPStatus
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from dprules.jobs.serving.limits import Limits


class OneWrite:
    """A transport that hands over at once what was written to it in one turn: the head and the body of an answer.

    Parameters
    ----------
    transport : asyncio.Transport
        Where it is handed over to.
    loop : asyncio.AbstractEventLoop
        Whose turns they are.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keep it until the end of this turn."""
        if not self._waiting:
            self._loop.call_soon(self._hand_over)
        self._waiting.append(data)

    def close(self) -> None:
        """Hand over what was written, and close."""
        self._hand_over()
        self._transport.close()

    def _hand_over(self) -> None:
        parts = self._waiting
        self._waiting = []
        if parts:
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:
        """Everything else is the transport's."""
        return getattr(self._transport, name)


class PatientProtocol(H11Protocol):
    """uvicorn's protocol, with time limits for the head of a request and for taking the answer, and answers in JSON.

    The body has its time limit in the application, where it is read. A client is cut off when it neither sends a whole
    head nor takes what was written to it; a connection without a request is closed as uvicorn does it.
    """

    limits: ClassVar[Limits] = Limits()
    _clock: asyncio.TimerHandle | None = None
    _waiting_since: float | None = None
    _writing_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a client on, unless there are too many."""
        super().connection_made(transport)
        self.transport = cast(asyncio.Transport, OneWrite(transport, self.loop))
        # With a buffer of its own the transport would hide that a client takes nothing.
        transport.set_write_buffer_limits(high=0)
        self._waiting_since = self.loop.time()
        self._clock = self.loop.call_later(self.limits.seconds, self._look_at_clock)
        if len(self.connections) > self.limits.connections:
            self._refuse(503, "too many clients at a time. Try again in a moment.")

    def data_received(self, data: bytes) -> None:
        """Take bytes; once the head of a request is there, it is waited for no longer."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._waiting_since = None

    def on_response_complete(self) -> None:
        """Wait for the next head, unless it is here already and being answered."""
        self._waiting_since = self.loop.time()
        super().on_response_complete()
        if not self.cycle.response_complete:
            self._waiting_since = None

    def pause_writing(self) -> None:
        """Wait for a client to take its answer."""
        super().pause_writing()
        self._writing_since = self.loop.time()

    def resume_writing(self) -> None:
        """Go on: it did."""
        super().resume_writing()
        self._writing_since = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self._refuse(400, "the request is not valid HTTP/1.1, or its head is too large.")
        else:
            self.transport.close()

    def _look_at_clock(self) -> None:
        """Cut off a client whose time is over, or look again when it will be: a timer a request would cost more."""
        now = self.loop.time()
        if self._writing_since is not None and now - self._writing_since >= self.limits.seconds:
            self.transport.abort()
            return
        if self._waiting_since is not None and now - self._waiting_since >= self.limits.seconds:
            self._waiting_since = None
            self._give_up()
        begun = [since for since in (self._writing_since, self._waiting_since) if since is not None]
        after = min(begun, default=now) + self.limits.seconds - now
        self._clock = self.loop.call_later(max(after, 0.01), self._look_at_clock)

    def _give_up(self) -> None:
        """End a connection on which no whole head has come."""
        if self.conn.trailing_data[0]:
            self._refuse(408, f"the request did not come within {self.limits.seconds:g} seconds. Send it at once.")
        else:
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        """Answer outside of any request, and close."""
        body = json.dumps({"error": sentence})
        head = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            "content-type: application/json",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*head, "", body]).encode())
        self.transport.close()


def protocol_for(granted: Limits) -> type[PatientProtocol]:
    """Return the protocol with these limits: uvicorn makes one for each client, from its class."""

    class Limited(PatientProtocol):
        limits = granted

    return Limited
