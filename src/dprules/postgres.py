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
    """

    def __init__(self, connection: Any) -> None:
        self.passed = False
        # A copy of the descriptor: the driver may close its own, and the number may be used again.
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """End the connection if the block takes longer."""
        timer = threading.Timer(seconds, self._pass)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def close(self) -> None:
        """Give the copy of the descriptor back."""
        self._socket.close()

    def _pass(self) -> None:
        self.passed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
