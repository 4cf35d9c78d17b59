"""A ledger under fire: races, kills, full disks, files and mounts that are not as they should be, cut connections."""

import errno
import fcntl
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

from disks import mount_small_disk
from dprules import postgres as connections
from dprules.errors import FileError, ResourceError
from dprules.jobs.example import SCHEMA
from dprules.jobs.ledgers import compare, ledger_verify
from dprules.ledger import Ledger, locks, postgres, sqlite
from dprules.ledger.log import ATTEMPTS
from dprules.ledger.store import PATIENCE
from dprules.models import Released
from ledger.helpers import make_ledger, quote
from ledger.storming import OK, REFUSED

STORMING = Path(__file__).with_name("storming.py")


def storm(*words):
    done = subprocess.run(
        [sys.executable, STORMING, *map(str, words)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("processes", [8, pytest.param(64, marks=pytest.mark.slow)])
def test_processes_race_for_the_last_tenth(processes, url):
    ledger = make_ledger(url)
    ledger.charge("patients", quote("0.9"))
    told, said = storm("race", url, processes, "0.02")
    assert said == ""
    assert told["codes"].count(OK) == 5
    assert told["codes"].count(REFUSED) == processes - 5
    assert told["seconds"] < PATIENCE * 3
    assert ledger.book().grants_of("patients")[0].left == (0, 0)
    assert ledger.verify() == []


def test_several_races_of_unequal_jobs(small):
    for amount, fit in (("0.3", 3), ("0.09", 1), ("0.01", 1), ("0.001", 0)):
        told, _ = storm("race", small.url, 6, amount)
        assert told["codes"].count(OK) == fit
    assert small.book().grants_of("patients")[0].left == (0, 0)


@pytest.mark.parametrize("kills", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_kills_at_random_points(kills, url):
    """500 in a file, which the killed process itself writes; a server is not killed, and gets fewer."""
    kills = kills if "://" not in url else kills // 5
    ledger = make_ledger(url, epsilon=500)
    told, _ = storm("kill", url, kills)
    assert told["acknowledged"]
    assert ledger.verify() == []
    entries = {entry.number: entry.digest for entry in ledger.book().entries}
    for line in told["acknowledged"]:
        number, digest = line.split()
        assert entries[int(number)] == digest
    charges = ledger.book().charges
    assert ledger.book().grants_of("patients")[0].spent[0] == Fraction(len(charges), 1000)
    assert ledger.charge("patients", quote("1")).entry == max(entries) + 1


@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_fits_that_are_killed(kills, url, tmp_path):
    """No charge is finished without its file, and no file is without its charge; what was not finished is settled."""
    ledger = make_ledger(url, epsilon=100, delta=0.001, columns=SCHEMA.names)
    folder = tmp_path / "models"
    folder.mkdir()
    storm("fit", url, kills if "://" not in url else kills // 2, folder)
    models = {path: Released.load(path) for path in folder.glob("*.json")}
    assert models
    digests = {released.digest() for released in models.values()}
    charges = ledger.book().charges
    assert {state.digest for state in charges.values() if state.digest is not None} <= digests
    for released in models.values():
        assert compare(released, ledger.book()) == []
    assert ledger_verify(url, models=list(models)) == []
    settled = {state.digest for state in ledger.book().charges.values() if state.digest is not None}
    assert settled == digests


@pytest.fixture
def small_disk(tmp_path):
    """A disk of a few kilobytes."""
    with mount_small_disk(tmp_path / "disk", "96k") as folder:
        yield folder


def test_a_full_disk(small_disk):
    ledger = make_ledger(small_disk / "l.db")
    filler = small_disk / "filler"
    filler.write_bytes(bytes(4096 * os.statvfs(small_disk).f_bavail))
    with pytest.raises(ResourceError, match="disk is full"):
        ledger.charge("patients", quote("0.1"))
    assert not ledger.book().charges
    filler.unlink()
    ledger.charge("patients", quote("0.1"))
    assert ledger.verify() == []


@contextmanager
def as_nobody():
    """Root may write anywhere: give up that right for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_be_read_only(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    ledger = make_ledger(folder / "l.db")
    (folder / "l.db").chmod(0o444)
    folder.chmod(0o555)
    for parent in tmp_path.parents:
        if parent.owner() == tmp_path.owner() and str(parent).startswith("/tmp/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    tmp_path.chmod(0o755)
    try:
        with as_nobody():
            assert len(ledger.book().entries) == 2
            assert ledger.verify() == []
            with pytest.raises(FileError, match="cannot be written"):
                ledger.charge("patients", quote("0.1"))
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("way", ["granted to everybody", "granted to nobody"])
def test_a_mount_without_locks(way, small, monkeypatch):
    if not hasattr(fcntl, "F_OFD_SETLK"):
        pytest.skip("needs locks of open files, as Linux has them")

    def lock(*words):
        if way == "granted to nobody":
            raise OSError(errno.ENOLCK, "no locks available")
        return 0

    monkeypatch.setattr(fcntl, "fcntl", lock)
    with pytest.raises(FileError, match="cannot be locked"):
        small.charge("patients", quote("0.1"))
    with pytest.raises(FileError, match="cannot be locked"):
        Ledger.create(Path(small.url).with_name("new.db"))
    monkeypatch.undo()
    assert not small.book().charges
    assert [path.name for path in Path(small.url).parent.iterdir()] == ["ledger.db"]


@pytest.mark.parametrize("option", ["nolock", "local_lock=all", "nobrl"])
def test_a_mount_whose_locks_are_those_of_one_machine(option, small, tmp_path, monkeypatch):
    folder = Path(small.url).resolve().parent
    mounts = tmp_path / "mountinfo"
    monkeypatch.setattr(locks, "MOUNTS", mounts)
    line = f"36 35 98:0 / {str(folder).replace(' ', chr(92) + '040')} rw shared:1 - nfs4 host:/share rw,{option},hard"
    for lines, is_refused in (
        ([line], True),
        (["1 0 8:1 / / rw - ext4 /dev/sda1 rw", line], True),
        ([line, line.replace(f",{option}", "")], False),
        ([line.replace(str(folder), f"{folder}er")], False),
        (["", "nonsense - x", line.replace(f",{option}", ",local_lock=none")], False),
    ):
        mounts.write_text("\n".join(lines))
        if is_refused:
            with pytest.raises(FileError, match="without locks between machines"):
                small.charge("patients", quote("0.1"))
        else:
            small.charge("patients", quote("0.1"))
    assert len(small.book().charges) == 3


def test_usual_folders_have_locks(tmp_path):
    locks.require_locks(tmp_path)
    assert not list(tmp_path.iterdir())


def test_nobody_waits_for_ever(small, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE", 0.2)
    with closing(sqlite3.connect(small.url, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ResourceError, match="busy"):
            small.charge("patients", quote("0.1"))
    small.charge("patients", quote("0.1"))


def test_nobody_waits_for_ever_in_postgresql(server, database, monkeypatch):
    ledger = make_ledger(server)
    monkeypatch.setattr(postgres, "PATIENCE", 1)
    with psycopg.connect(server) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (postgres._LOCK,))
        with pytest.raises(ResourceError, match="busy"):
            ledger.charge("patients", quote("0.1"))
    ledger.charge("patients", quote("0.1"))
    assert ledger.verify() == []


@pytest.mark.parametrize(("usual", "wanted"), [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")])
def test_a_commit_outlives_a_crash_of_the_server(usual, wanted, server, database):
    """A server may answer before a commit is on its disk: not for a ledger."""
    make_ledger(server)
    mark = "&" if "?" in server else "?"
    store = postgres.PostgresStore(f"{server}{mark}options=-c%20synchronous_commit%3D{usual}")
    with store._locked() as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == (wanted,)


class Cutter:
    """A proxy before a server: it cuts the connection when the client has sent COMMIT, before or after it arrives.

    Parameters
    ----------
    url : str
        The server.
    arrives : bool
        Whether the server gets the commit whose answer is lost.
    times : int
        How many connections are cut.
    """

    def __init__(self, url: str, arrives: bool, times: int) -> None:
        host, port = re.search(r"@([^:]+):(\d+)/", url).groups()
        self.target = (host, int(port))
        self.arrives = arrives
        self.times = times
        self.losing = False  # whether answers of the server are lost
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = url.replace(f"{host}:{port}", f"127.0.0.1:{self.listening.getsockname()[1]}")
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            threading.Thread(target=self.pass_on, args=(server, client), daemon=True).start()
            threading.Thread(target=self.watch, args=(client, server), daemon=True).start()

    def watch(self, client: socket.socket, server: socket.socket) -> None:
        writes = False
        while True:
            try:
                part = client.recv(65536)
            except OSError:
                part = b""
            writes = writes or b"INSERT" in part
            if writes and b"COMMIT" in part and self.times > 0:
                self.times -= 1
                if self.arrives:
                    self.losing = True
                    server.sendall(part)
                    threading.Event().wait(0.3)
                part = b""
            if not part:
                for end in (client, server):
                    with closing(end), suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)
                self.losing = False
                return
            server.sendall(part)

    def pass_on(self, server: socket.socket, client: socket.socket) -> None:
        while True:
            try:
                part = server.recv(65536)
                if not part:
                    return
                if not self.losing:
                    client.sendall(part)
            except OSError:
                return


@pytest.mark.parametrize("arrives", [True, False], ids=["committed", "not committed"])
def test_a_connection_that_is_cut_in_the_middle_of_a_commit(arrives, server, database):
    """The outcome is found out by the token: the charge is there once, whether its commit arrived or not."""
    ledger = make_ledger(server)
    cutter = Cutter(server, arrives, times=1)
    reference = Ledger(cutter.url).charge("patients", quote("0.25"))
    assert cutter.times == 0
    assert ledger.book().grants_of("patients")[0].left[0] == Fraction(3, 4)
    assert list(ledger.book().charges) == [reference.entry]
    assert ledger.verify(references=[reference]) == []


@pytest.mark.parametrize("arrives", [True, False], ids=["committed", "not committed"])
def test_a_connection_that_is_cut_every_time(arrives, server, database):
    """Nobody guesses: the sentence names the token, and what stands is at most the one charge."""
    ledger = make_ledger(server)
    cutter = Cutter(server, arrives, times=1 if arrives else ATTEMPTS)
    if arrives:
        Ledger(cutter.url).charge("patients", quote("0.25"))
    else:
        with pytest.raises(ResourceError, match=r"not known whether the entry with token [0-9a-f]{32} was written"):
            Ledger(cutter.url).charge("patients", quote("0.25"))
    assert len(ledger.book().charges) == int(arrives)


class Freezer(Cutter):
    """A proxy whose server falls silent at a word of the client, and keeps its connections open.

    Parameters
    ----------
    url : str
        The server.
    word : bytes
        What the client sends last.
    arrives : bool
        Whether the server gets it.
    """

    def __init__(self, url: str, word: bytes, arrives: bool = False) -> None:
        self.word = word
        self.frozen = False
        self.opened: list[socket.socket] = []
        super().__init__(url, arrives, times=0)

    def end(self) -> None:
        """Let the server know: it would keep its locks."""
        for one in [self.listening, *self.opened]:
            with closing(one), suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def watch(self, client: socket.socket, server: socket.socket) -> None:
        self.opened += [client, server]
        while True:
            try:
                sent = client.recv(65536)
            except OSError:
                return
            self.frozen = self.frozen or self.word in sent
            if not sent or (self.frozen and not self.arrives):
                return
            server.sendall(sent)

    def pass_on(self, server: socket.socket, client: socket.socket) -> None:
        while True:
            try:
                answer = server.recv(65536)
            except OSError:
                return
            if not answer:
                return
            if not self.frozen:
                client.sendall(answer)


@pytest.mark.parametrize(
    ("word", "arrives", "sentence"),
    [
        (b"REPEATABLE READ", False, r"does not answer\. Nothing was written"),
        (b"pg_advisory_xact_lock", False, r"does not answer\. Nothing was written"),
        (b"COMMIT\0", False, "not known whether the entry with token"),
        (b"COMMIT\0", True, "not known whether the entry with token"),
    ],
)
def test_a_server_that_is_frozen(word, arrives, sentence, server, database, monkeypatch):
    """The wait ends, and the sentence claims no more than is known."""
    ledger = make_ledger(server)
    monkeypatch.setattr(postgres, "SILENCE", 0.5)
    freezer = Freezer(server, b"\0" * 9, arrives)  # not yet
    through = Ledger(freezer.url)
    book = through.book()
    freezer.word = word
    started = time.monotonic()
    try:
        with pytest.raises(ResourceError, match=sentence):
            through.charge("patients", quote("0.25"), book=None if word == b"REPEATABLE READ" else book)
    finally:
        freezer.end()
    assert time.monotonic() - started < 10
    assert len(ledger.book().charges) == int(arrives)
    assert ledger.verify() == []


def test_a_server_that_answers_no_connection(monkeypatch):
    """The system accepts connections for a process that is frozen."""
    monkeypatch.setitem(connections._ALIVE, "connect_timeout", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(FileError, match="cannot be reached"):
        Ledger(f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/db").book()


def test_a_server_that_goes_away_after_the_commit(server, database, monkeypatch):
    """The answer to COMMIT is lost, and no later connection is accepted: nobody claims that nothing was written."""
    ledger = make_ledger(server)
    cutter = Cutter(server, arrives=True, times=1)
    genuine = connections.connect

    def connect(url):
        if cutter.times == 0:
            raise psycopg.OperationalError("gone")
        return genuine(url)

    monkeypatch.setattr(postgres, "connect", connect)
    with pytest.raises(ResourceError, match="its charge stands"):
        Ledger(cutter.url).charge("patients", quote("0.25"))
    monkeypatch.undo()
    assert len(ledger.book().charges) == 1


def test_a_full_disk_at_the_commit_is_no_riddle(small, monkeypatch):
    """The commit fails: the entry is looked for, and the sentence is about the disk."""

    class Failing(sqlite3.Connection):
        def execute(self, statement, *more):
            if statement == "COMMIT":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR
                raise error
            return super().execute(statement, *more)

    genuine = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *words, **more: genuine(*words, factory=Failing, **more))
    with pytest.raises(ResourceError, match="the disk is full or cannot be written"):
        small.charge("patients", quote("0.1"))
    monkeypatch.undo()
    assert not small.book().charges


def test_a_ledger_that_was_replaced_by_something_else(small):
    os.remove(small.url)
    os.mkdir(small.url)
    with pytest.raises(FileError, match="is a folder"):
        small.charge("patients", quote("0.1"))
    shutil.rmtree(small.url)
    with pytest.raises(FileError, match="no such ledger"):
        small.book()


def test_no_file_is_left_where_a_ledger_is_made(tmp_path):
    make_ledger(tmp_path / "l.db")
    assert [path.name for path in tmp_path.iterdir()] == ["l.db"]
    assert (tmp_path / "l.db").stat().st_mode & 0o777 == 0o600
