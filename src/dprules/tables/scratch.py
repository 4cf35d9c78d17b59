"""Private folders for what engines put aside: removed at the end, on SIGTERM, and at the next start after a kill."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from dprules.signals import hold_signals
from dprules.temporary import SCRATCH, make_folder, remove_left_folders

__all__ = ["remove_left_folders", "scratch_folder"]


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Make a folder of mode 0700, and remove it when done.

    SIGTERM ends a command like Ctrl-C does (`dprules.cli`), so that the folder is removed then, too.
    """
    remove_left_folders()
    made = None
    try:
        with hold_signals():
            made = make_folder(SCRATCH)
        yield str(made[0])
    finally:
        with hold_signals():
            if made is not None:
                folder, handle = made
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)
