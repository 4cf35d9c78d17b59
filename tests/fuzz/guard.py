"""A process that reads hostile files, so that no loop, no pipe and no gigabyte can hold up or end the tests.

The parser runs in a child with limits of memory and of processor time, and answers with one line of JSON. What kills
the child, or takes longer than anybody would wait, is an outcome too.
"""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

ROOM = 1_500_000_000
"""Bytes of memory that a parser may take, beyond what Python and its libraries have."""
SECONDS = 60
"""Of processor time for one file; a test that is allowed less says so by the limits of its parser."""
PATIENCE = 120.0
"""Seconds on the clock after which a parser hangs."""
TESTS = Path(__file__).parents[1]
READ = "read"
REFUSED = "refused"


class Outcome(NamedTuple):
    """What became of a file: "read", "refused" with a sentence, or anything else, which is a fault."""

    kind: str
    error: str = ""
    sentence: str = ""


class Guard:
    """A child that parses one file after another, and is started again when one has killed it."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def parse(self, parser: str, path: Path) -> Outcome:
        """Have the child read a file, or a folder, by a parser of `fuzz.parsers`."""
        child = self._child or self._start()
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the child has no pipes")
        child.stdin.write(json.dumps([parser, str(path)]).encode() + b"\n")
        child.stdin.flush()
        if not select.select([child.stdout], [], [], PATIENCE)[0]:
            self.close()
            return Outcome("hangs")
        answer = child.stdout.readline()
        if not answer:
            code = child.wait()
            self.close()
            return Outcome("killed", str(code))
        return Outcome(*json.loads(answer))

    def _start(self) -> "subprocess.Popen[bytes]":
        paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | {"PYTHONPATH": paths, "DPRULES_CACHE": ""}
        words = [sys.executable, "-m", "fuzz.child"]
        self._child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        return self._child


def require_words(outcome: Outcome, *secrets: str) -> Outcome:
    """A file is read, or refused in one line that ends like a sentence and holds nothing private."""
    assert outcome.kind in (READ, REFUSED), outcome
    if outcome.kind == REFUSED:
        assert outcome.sentence.endswith((".", "?")), outcome
        assert len(outcome.sentence.splitlines()) == 1, outcome
        assert not [secret for secret in secrets if secret in outcome.sentence], outcome
    return outcome
