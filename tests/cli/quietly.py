"""Commands that run in this very process."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout

from cli.helpers import Ran, keep_handlers
from dprules.cli.main import main


def run_quietly(*words: object) -> Ran:
    """Run a command in this process; what it prints must be text that UTF-8 can write."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = sys.argv
    sys.argv = ["dprules", *map(str, words)]
    try:
        with keep_handlers(), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else 0
    finally:
        sys.argv = before
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Ran(code, *texts)
