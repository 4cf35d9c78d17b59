"""The command line: one file a command; each reads, calls the library once, and writes."""

from dprules.cli.main import main

__all__ = ["main"]
