"""Connections to PostgreSQL that cannot hang: every wait for the server ends."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dprules.errors import ParameterError

CONNECT = 10
"""Seconds to wait for a connection."""
_ALIVE = {
    "connect_timeout": CONNECT,
    "keepalives": 1,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
"""Settings of libpq that notice a host that is gone. A server process that is frozen needs `Deadline`."""


def load_driver() -> Any:
    """Return the module psycopg; without it, say how to install it."""
    try:
        import psycopg
    except ImportError:
        raise ParameterError("PostgreSQL needs its driver: pip install 'dprules[postgres]'.") from None
    return psycopg


def connect(url: str) -> Any:
    """Open a connection; errors are psycopg's own, which may quote the URL."""
    return load_driver().connect(url, **_ALIVE)


class Deadline:
    """Ends a connection whose server stays silent.

    A server that is frozen still acknowledges packets, so neither keepalives nor server-side time-outs end the wait. A
    timer shuts the socket down instead, and the driver reports a lost connection.

    Parameters
    ----------
    connection : psycopg.Connection
        An open connection.
    seconds : float
        Longest silence.
    """

    def __init__(self, connection: Any, seconds: float) -> None:
        self.passed = False
        self._seconds = seconds
        # A copy of the descriptor: the driver may close its own, and the number may be used again.
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))
        self._timer: threading.Timer | None = None

    @contextmanager
    def running(self) -> Iterator["Deadline"]:
        """Count from now on, until the block is left."""
        self.restart()
        try:
            yield self
        finally:
            self._stop()
            self._socket.close()

    def restart(self) -> None:
        """Begin again: the server has answered."""
        self._stop()
        self._timer = threading.Timer(self._seconds, self._pass)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _pass(self) -> None:
        self.passed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
