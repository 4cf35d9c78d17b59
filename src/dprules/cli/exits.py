"""What the exit codes of `dprules` mean."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes; scripts may rely on them."""

    OK = 0
    BROKEN = 1
    """An audit found a value above its claim."""
    USAGE = 2
    """Unknown command or option (typer's own)."""
    PARAMETER = 3
    """A parameter breaks its rule."""
    PRIVACY = 4
    """What was asked would not be private, or cannot be priced."""
    INPUT = 6
    """A schema, a table or a model file is not what it should be."""
    FILE = 5
    """A file cannot be read or written."""
    INTERRUPTED = 130
