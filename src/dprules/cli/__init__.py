"""The command line: one file a command; each reads, calls the library once, and writes."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interruption while it is still loading is quiet, too."""
    try:
        from dprules.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit("dprules: interrupted; no result was written.")
    run()
