"""The command line: one file a command; each reads, calls the library once, and writes."""

# Nothing is imported before `main` begins: until then Python answers Ctrl-C with a traceback.
__all__ = ["main"]


def main() -> None:
    """Run the command line. A signal ends it with one sentence and its exit code, also while it is still loading."""
    try:
        from dprules.cli.exits import end_at_signals

        end_at_signals()
        _start_quickly()
        _run()
    except KeyboardInterrupt:  # before `end_at_signals` was called, or while a command was ending
        from dprules.cli.exits import Exit, end_at_once

        end_at_once(Exit.INTERRUPTED)


def _start_quickly() -> None:
    """Save what a short command would spend on things that only long ones need."""
    import gc
    import os

    # Modules are made of many objects that stay: at every 700 a search for cycles would go through them again.
    gc.set_threshold(50_000, 20, 100)
    # Threads for large matrices wait in a loop that takes processor time; there are no large matrices here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _run() -> None:
    """Load the commands and run one; a library that cannot be loaded is one sentence, too."""
    import sys

    from dprules.cli.exits import Exit

    try:
        from dprules.cli.main import main as run
    except (ImportError, MemoryError, OSError):
        if sys.stderr is not None:
            sys.stderr.write("dprules: a library cannot be loaded. Install dprules again, or free some memory.\n")
        sys.exit(Exit.RESOURCE)
    run()
