"""A PostgreSQL server of our own, and a way to it that counts bytes; whether Spark can run here."""

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any


class MissingServerError(Exception):
    """What is not installed here."""


def require_spark() -> None:
    """Refuse where Spark cannot run."""
    if importlib.util.find_spec("pyspark") is None:
        raise MissingServerError("not measured here: it needs the extra `spark`")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise MissingServerError("not measured here: it needs Java")


def _find_tool(name: str) -> str:
    found = [*sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), shutil.which(name)]
    if not found[0]:
        raise MissingServerError("not measured here: it needs a PostgreSQL server, the package postgresql")
    return found[0]


def _find_user() -> str | None:
    """PostgreSQL refuses to run as root: it then runs as the package's user."""
    if os.geteuid() != 0:
        return None
    if "postgres" not in {entry.pw_name for entry in pwd.getpwall()}:
        raise MissingServerError("not measured here: PostgreSQL does not run as root, and there is no user postgres")
    return "postgres"


@contextmanager
def postgres_server() -> Iterator[int]:
    """Start a server, and stop it at the end; the port that it listens to."""
    initdb, control = _find_tool("initdb"), _find_tool("pg_ctl")
    user = _find_user()
    if importlib.util.find_spec("psycopg") is None:
        raise MissingServerError("not measured here: it needs the extra `postgres`")
    with tempfile.TemporaryDirectory() as folder:
        if user:
            shutil.chown(folder, user)
        port = _find_port()
        quiet: dict[str, Any] = {"check": True, "user": user, "stdout": subprocess.DEVNULL, "cwd": folder}
        subprocess.run([initdb, "-D", f"{folder}/data", "-U", "dprules", "-A", "trust", "-E", "UTF8"], **quiet)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        subprocess.run([control, "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start"], **quiet)
        try:
            yield port
        finally:
            subprocess.run([control, "-D", f"{folder}/data", "-m", "immediate", "stop"], **quiet)


def postgres_url(port: int) -> str:
    """Return the address of the database."""
    return f"postgresql://dprules@127.0.0.1:{port}/postgres"


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class CountingProxy:
    """Hands bytes on between clients and a server, and counts those that clients receive.

    Parameters
    ----------
    target : int
        The port of the server on this machine.
    """

    def __init__(self, target: int) -> None:
        self.received = 0
        """Bytes that came from the server."""
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            Thread(target=self._hand_on, args=(client, server, False), daemon=True).start()
            Thread(target=self._hand_on, args=(server, client, True), daemon=True).start()

    def _hand_on(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                self.received += len(data) if counted else 0
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:  # one of the two has gone
            return

    def close(self) -> None:
        """Accept no more clients."""
        self._listener.close()
