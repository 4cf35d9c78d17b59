"""Private folders for what engines put aside: removed at the end, on SIGTERM, and at the next start after a kill."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from dprules.files import SCRATCH, remove_left_folders
from dprules.signals import hold_signals

__all__ = ["remove_left_folders", "scratch_folder"]


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Make a folder of mode 0700, named after this process, and remove it when done.

    SIGTERM ends a command like Ctrl-C does (`dprules.cli`), so that the folder is removed then, too.
    """
    remove_left_folders()
    folder = None
    try:
        with hold_signals():
            folder = tempfile.mkdtemp(prefix=f"{SCRATCH}{os.getpid()}-")
        yield folder
    finally:
        with hold_signals():
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
