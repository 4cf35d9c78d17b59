"""Many processes at one ledger; a script, so that it has one thread and may fork.

python storming.py race URL PROCESSES AMOUNT      all ask for AMOUNT at once; says how each of them ended
python storming.py kill URL KILLS                 one after the other charges and is killed; says what was acknowledged
python storming.py fit URL KILLS FOLDER           one after the other fits a model into a file and is killed
"""

import json
import os
import random
import select
import signal
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from dprules.errors import DprulesError, PrivacyError
from dprules.jobs import FitRequest, ListSettings, fit
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.ledger import Ledger
from dprules.models import Released
from ledger.helpers import quote

OK, REFUSED, ERROR, BUG = 0, 4, 9, 70
STAYS = hospital_stays(300, 1)
PATIENCE = 20.0
"""Seconds that a life may take to charge something."""


def charge(url: str, amount: str) -> int:
    try:
        Ledger(url).charge("patients", quote(amount))
    except PrivacyError:
        return REFUSED
    except DprulesError as error:
        sys.stderr.write(f"{error}\n")
        return ERROR
    except BaseException as error:
        sys.stderr.write(f"{error!r}\n")
        return BUG
    return OK


def race(url: str, processes: int, amount: str) -> dict[str, object]:
    reading, writing = os.pipe()
    children = []
    for _ in range(processes):
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)  # until the start
            os._exit(charge(url, amount))
        children.append(child)
    os.close(reading)
    started = time.monotonic()
    os.close(writing)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    return {"codes": codes, "seconds": time.monotonic() - started}


def live(url: str, writing: int) -> None:
    """Charge and finish again and again, and say so each time."""
    ledger = Ledger(url)
    while True:
        reference = ledger.charge("patients", quote("0.001"))
        os.write(writing, f"{reference.entry} {reference.digest}\n".encode())
        ledger.finish(reference.entry, "a digest")


def kill(url: str, kills: int) -> dict[str, object]:
    acknowledged: list[str] = []
    longest = 0.4
    for place in range(kills):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                live(url, writing)
            finally:
                os._exit(BUG)
        os.close(writing)
        if place % 2 == 0:  # also on a machine where nothing is fast enough, something is acknowledged
            select.select([reading], [], [], PATIENCE)
        time.sleep(random.random() * longest)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status), f"ended by itself: {status}"
        with os.fdopen(reading, "rb") as said:
            lines = [line for line in said.read().split(b"\n")[:-1] if line]
        acknowledged += [line.decode() for line in lines]
        longest = min(1.0, longest * 1.2) if not lines else max(0.02, longest * 0.9)
    return {"acknowledged": acknowledged}


def fit_models(url: str, folder: Path, number: int) -> None:
    """Fit one model after the other, each into a file of its own, as the command does."""
    while True:
        output = folder / f"{number}-{time.monotonic_ns()}.json"
        request = FitRequest(
            STAYS, SCHEMA, ListSettings(max_rules=2, width=1), 0.001, 1e-9, ledger=url, dataset="patients"
        )
        fit(request, deliver=partial(Released.save, path=output))


def kill_fits(url: str, kills: int, folder: Path) -> dict[str, object]:
    for number in range(kills):
        child = os.fork()
        if child == 0:
            try:
                fit_models(url, folder, number)
            finally:
                os._exit(BUG)
        time.sleep(0.3 + random.random())
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status), f"ended by itself: {status}"
    return {"models": len(list(folder.glob("*.json")))}


if __name__ == "__main__":
    what, address, number, *more = sys.argv[1:]
    modes = {
        "race": lambda: race(address, int(number), more[0]),
        "kill": lambda: kill(address, int(number)),
        "fit": lambda: kill_fits(address, int(number), Path(more[0])),
    }
    print(json.dumps(modes[what]()))
