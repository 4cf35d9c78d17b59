"""Private folders for what engines put aside: removed at the end, on SIGTERM, and at the next start after a kill."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "dprules-scratch-"


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Make a folder of mode 0700, named after this process, and remove it when done.

    SIGTERM ends a command like Ctrl-C does (`dprules.cli`), so that the folder is removed then, too.
    """
    remove_left_folders()
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_left_folders() -> None:
    """Remove folders of ours whose process is gone."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            process = folder.name.removeprefix(_PREFIX).split("-")[0]
            if process.isdigit() and folder.stat().st_uid == os.getuid() and not _is_running(int(process)):
                shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
