"""Engines of our own for the tests: a PostgreSQL server (package `postgresql`) and Spark (the extra `spark`)."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
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


_QUIET = """appender.none.type = Null
appender.none.name = none
rootLogger.level = off
rootLogger.appenderRef.none.ref = none
"""


def require_spark():
    """Skip where Spark cannot run, and say what to install."""
    pytest.importorskip("pyspark", reason="needs Spark: install the extra spark")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("needs Java 17, for Spark: install the package openjdk-17-jre-headless")


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A Spark session of two threads without a cluster, which is shared: starting one takes seconds."""
    require_spark()
    from pyspark.sql import SparkSession

    log = tmp_path_factory.mktemp("spark") / "log4j2.properties"
    log.write_text(_QUIET)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log}",
        "spark.local.dir": str(tmp_path_factory.mktemp("local")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than a few rows
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = SparkSession.builder.master("local[2]").appName("dprules")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        # Functions of tests are sent by name: Spark's processes must find them.
        patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
        session = builder.getOrCreate()
    yield session
    session.stop()
