"""One process at a time: a lock on a file of its own, beside the private state."""

import fcntl
import os
from contextlib import ExitStack
from pathlib import Path

from dprules.errors import DataError, FileError

# A pipe in the place of the file would be waited for, and a link would lead elsewhere.
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def lock_folder(private: Path, opened: ExitStack) -> None:
    """Keep other processes out of a stream until `opened` is closed.

    Parameters
    ----------
    private : Path
        The folder of its private state.
    opened : ExitStack
        Lets the lock go.
    """
    try:
        handle = os.open(private / "lock", _FLAGS, 0o600)
    except OSError:
        raise FileError(f"{private} cannot be written. Change its permissions.") from None
    opened.callback(os.close, handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise DataError(f"{private.parent} is in use by another process. Wait for it, or stop it.") from None
