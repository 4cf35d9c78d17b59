"""The command line: one file a command; each reads, calls the library once, and writes."""

import sys
from typing import NoReturn

from dprules.cli.exits import Exit

__all__ = ["main"]


def main() -> None:
    """Run the command line; what goes wrong while it is still loading is one sentence, too."""
    try:
        from dprules.cli.main import main as run
    except KeyboardInterrupt:
        _stop("interrupted; no result was written.", Exit.INTERRUPTED)
    except (ImportError, MemoryError, OSError):
        _stop("a library cannot be loaded. Install dprules again, or free some memory.", Exit.RESOURCE)
    run()


def _stop(sentence: str, code: Exit) -> NoReturn:
    if sys.stderr is not None:
        sys.stderr.write(f"dprules: {sentence}\n")
    sys.exit(code)
