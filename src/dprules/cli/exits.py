"""What the exit codes of `dprules` mean."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes; scripts may rely on them."""

    OK = 0
    CLOSED = 1
    """Whoever read the output went away (typer's own)."""
    USAGE = 2
    """Unknown command or option (typer's own)."""
    PARAMETER = 3
    """A parameter breaks its rule."""
    PRIVACY = 4
    """What was asked would not be private, or cannot be priced."""
    FILE = 5
    """A file or folder is not there, cannot be read or written, or would be overwritten."""
    INPUT = 6
    """A schema, a table or a model file is not what it should be."""
    BROKEN = 7
    """An audit found a value above its claim."""
    UNVERIFIED = 8
    """A model file does not verify."""
    RESOURCE = 9
    """Not enough memory or room on the disk, or a port that is in use."""
    INTERNAL = 70
    """Something that nobody foresaw; please report it."""
    INTERRUPTED = 130
    TERMINATED = 143


class StoppedError(Exception):
    """A signal ended a command that has something to say about what is left, in one sentence; empty: nothing at all."""


NOTHING_LEFT = "nothing is left half done."
"""What is said of the other commands: files are written whole or not at all."""
ENDINGS = {Exit.INTERRUPTED: "interrupted", Exit.TERMINATED: "told to end"}
"""How a sentence about a signal begins."""
