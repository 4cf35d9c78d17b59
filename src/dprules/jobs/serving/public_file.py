"""A public file that is read again when it changes. Nothing else is ever opened."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from dprules.errors import FileError, ModelError, UnverifiedError
from dprules.files import LARGEST_DOCUMENT
from dprules.jobs.serving.served import Served
from dprules.models import Released, public_file, read_published

PAUSE = 1.0
"""Seconds between two looks at the file."""
_Mark = tuple[int, int, int, int, int]


class PublicFile:
    """The model in force, and why a newer file is not, if there is one.

    Parameters
    ----------
    path : Path
        A model file, or the public file of a stream.
    load : callable
        Reads it, and refuses what does not verify.
    unverified : bool
        Whether a model that does not verify is served, too.
    """

    def __init__(self, path: Path, load: Callable[[], Released], unverified: bool) -> None:
        self._path = path
        self._load = load
        self._unverified = unverified
        self._mark = self._look()
        self.in_force = self._read()
        self.fault: str | None = None
        """Why the newest file is not in force, in one sentence."""

    @classmethod
    def of_model(cls, path: Path, unverified: bool) -> "PublicFile":
        """Open a model file."""
        return cls(path, lambda: Released.load(path, unverified=unverified), unverified)

    @classmethod
    def of_stream(cls, folder: Path, unverified: bool) -> "PublicFile":
        """Open the public file of a stream."""
        return cls(public_file(folder), lambda: read_published(folder, unverified=unverified), unverified)

    def refresh(self) -> None:
        """Read the file again if it changed. What cannot be read or does not verify leaves the old one in force."""
        try:
            mark = self._look()
            if mark == self._mark:
                return
            self._mark = mark
            if mark is None:
                raise FileNotFoundError
            found = self._read()
        except UnverifiedError as error:
            self.fault = str(error)
        except (FileError, OSError):
            self._mark = None  # looked at again, until it can be read
            self.fault = "the public file is gone, or cannot be read. Put it back."
        except Exception:  # whatever a torn or hostile file leads to must not end the service
            self.fault = "the public file is torn, or not a model of this dprules. Publish it again."
        else:
            self.in_force = found
            self.fault = None

    async def watch(self) -> None:
        """Look at the file from time to time, until cancelled."""
        while True:
            await asyncio.sleep(PAUSE)
            await asyncio.to_thread(self.refresh)  # pricing a certificate takes a while

    def _look(self) -> _Mark | None:
        """Return what tells one version of the file from another; None: there is none."""
        try:
            seen = self._path.stat()
        except FileNotFoundError:
            return None
        return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns

    def _read(self) -> Served:
        if self._path.exists() and not self._path.is_file():
            raise FileError(f"{self._path} is not a file. Name a model file.")
        if self._mark is not None and self._mark[2] > LARGEST_DOCUMENT:
            raise ModelError(f"{self._path} is too large for a model. Is it the right one?")
        released = self._load()
        return Served(released, released.faults() if self._unverified else [])
