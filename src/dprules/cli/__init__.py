"""The command line: one file a command; each reads, calls the library once, and writes."""

import gc
import os
import sys
from typing import NoReturn

from dprules.cli.exits import ENDINGS, NOTHING_LEFT, Exit

__all__ = ["main"]


def main() -> None:
    """Run the command line; what goes wrong while it is still loading is one sentence, too."""
    _start_quickly()
    try:
        from dprules.cli.main import main as run
    except KeyboardInterrupt:
        _stop(f"{ENDINGS[Exit.INTERRUPTED]}; {NOTHING_LEFT}", Exit.INTERRUPTED)
    except (ImportError, MemoryError, OSError):
        _stop("a library cannot be loaded. Install dprules again, or free some memory.", Exit.RESOURCE)
    run()


def _start_quickly() -> None:
    """Save what a short command would spend on things that only long ones need."""
    # Modules are made of many objects that stay: at every 700 a search for cycles would go through them again.
    gc.set_threshold(50_000, 20, 100)
    # Threads for large matrices wait in a loop that takes processor time; there are no large matrices here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _stop(sentence: str, code: Exit) -> NoReturn:
    if sys.stderr is not None:
        sys.stderr.write(f"dprules: {sentence}\n")
    sys.exit(code)
