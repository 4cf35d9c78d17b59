"""The child of `guard`: reads `[parser, path]` a line, and answers `[kind, error, sentence]`."""

import json
import os
import resource
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from dprules.errors import DprulesError, name_place
from fuzz.guard import READ, REFUSED, ROOM, SECONDS
from fuzz.parsers import PARSERS


class EndlessError(BaseException):
    """The processor time of one file is used up."""


def stop(number: int, frame: FrameType | None) -> NoReturn:
    raise EndlessError


def limit_memory() -> None:
    """What is mapped already is Python's and its libraries'."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (mapped + ROOM, mapped + ROOM))


def limit_time() -> None:
    """The next file may take so long; a library that heeds no signal is killed a little later."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def parse(parser: str, path: Path) -> list[str]:
    """Return the kind of an outcome, the type of an error, and its sentence without the path."""
    limit_time()
    try:
        PARSERS[parser](path)
    except DprulesError as error:
        return [REFUSED, type(error).__name__, str(error).replace(str(path), "FILE")]
    except EndlessError:
        return ["endless", "", ""]
    except MemoryError:
        return ["memory", "", ""]
    except BaseException as error:
        return ["broke", name_place(error) if isinstance(error, Exception) else type(error).__name__, str(error)[:500]]
    return [READ, "", ""]


def main() -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    questions = os.fdopen(os.dup(sys.stdin.fileno()))
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what a parser prints is no answer
    signal.signal(signal.SIGXCPU, stop)
    limit_memory()
    for line in questions:
        parser, path = json.loads(line)
        answers.write(json.dumps(parse(parser, Path(path))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
