"""A PostgreSQL server of our own for the tests (Debian's package `postgresql`)."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest


def _tool(name):
    found = [*sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), shutil.which(name)]
    return found[0] or pytest.skip("needs a PostgreSQL server: install the package postgresql")


@pytest.fixture(scope="session")
def server():
    """The URL of a server of our own; it refuses to run as root, so it runs as the package's user."""
    initdb, postgres = _tool("initdb"), _tool("pg_ctl")
    user = "postgres" if os.geteuid() == 0 else None
    if user and user not in {entry.pw_name for entry in pwd.getpwall()}:
        pytest.skip("needs a user postgres: PostgreSQL does not run as root")
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        if user:
            shutil.chown(folder, user)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        quiet = {"check": True, "user": user, "stdout": subprocess.DEVNULL, "cwd": folder}
        subprocess.run([initdb, "-D", f"{folder}/data", "-U", "dprules", "-A", "trust", "-E", "UTF8"], **quiet)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        subprocess.run([postgres, "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start"], **quiet)
        yield f"postgresql://dprules@127.0.0.1:{port}/postgres"
        subprocess.run([postgres, "-D", f"{folder}/data", "-m", "immediate", "stop"], **quiet)


@pytest.fixture
def database(server):
    with psycopg.connect(server, autocommit=True) as connection:
        yield connection
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
