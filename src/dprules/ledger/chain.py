"""Entries in a chain: each carries a digest of itself and of everything before it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from dprules.accounting.reference import MOST_ENTRIES
from dprules.errors import DprulesError, ModelError, RemovedError
from dprules.files import digest, read_document
from dprules.ledger.body import EntryBody

FORMAT = "dprules-ledger"
VERSION = 1
REMEMBERED = 1 << 16
"""Entries that are understood once in a process: a job reads its ledger four times, and rows do not change."""
LONGEST_ENTRY = 1_000_000
"""Characters of an entry: a data set of 20,000 columns, or a job of a thousand releases."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as it lies in a store.

    Parameters
    ----------
    number : int
        Its place, from 1 on.
    text : str
        What it says, in JSON.
    digest : str
        Of it and of everything before it.
    """

    number: int
    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it is understood.

    Parameters
    ----------
    number : int
        Its place, from 1 on.
    time : datetime
        When it was written, by the clock of whoever wrote it.
    token : str
        Drawn by whoever wrote it: it finds out whether it was committed.
    body : EntryBody
        What it says.
    digest : str
        Of it and of everything before it.
    """

    number: int
    time: datetime
    token: str
    body: EntryBody
    digest: str

    def document(self) -> dict[str, Any]:
        """Return everything in JSON's types, for people and programs."""
        return {"number": self.number, **write_entry(self.time, self.token, self.body), "digest": self.digest}


def first_digest(name: str) -> str:
    """Return what the chain of a ledger begins with."""
    return digest({"format": FORMAT, "version": VERSION, "name": name})


@lru_cache(maxsize=REMEMBERED)
def next_digest(before: str, number: int, text: str) -> str:
    """Return the digest of an entry after another."""
    return digest({"before": before, "number": number, "entry": text})


def write_entry(time: datetime, token: str, body: EntryBody) -> dict[str, Any]:
    """Return what an entry says in JSON's types."""
    return {"kind": body.kind, "time": time.isoformat(timespec="seconds"), "token": token, **body.fields()}


def make_row(last: tuple[int, str], time: datetime, token: str, body: EntryBody) -> Row:
    """Return the row of a new entry after the last, given by its number and digest."""
    number = last[0] + 1
    if number > MOST_ENTRIES:
        raise ModelError(f"the ledger has {MOST_ENTRIES:,} entries. Begin a new one.")
    text = json.dumps(write_entry(time, token, body), ensure_ascii=True)
    if len(text) > LONGEST_ENTRY:
        raise ModelError("the entry is too long for a ledger. Name fewer columns.")
    return Row(number, text, next_digest(last[1], number, text))


@lru_cache(maxsize=REMEMBERED)
def read_row(row: Row) -> Entry:
    """Understand a row, or refuse it."""
    if len(row.text) > LONGEST_ENTRY:
        raise ModelError("an entry of the ledger is too long to be one.")
    fields = read_document(row.text)
    try:
        kind, time, token = (str(fields.pop(name)) for name in ("kind", "time", "token"))
        when = datetime.fromisoformat(time)
        body = EntryBody.read(kind, fields)
        when = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC)
        return Entry(row.number, when, token, body, row.digest)
    except RemovedError:
        raise
    except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError, DprulesError):
        pass
    raise ModelError("an entry of the ledger is not one that this dprules can read.")


def find_break(name: str, rows: Iterable[Row]) -> int | None:
    """Return the number of the first entry that is not where and what it was when it was written; None: all are."""
    before = first_digest(name)
    for place, row in enumerate(rows, start=1):
        if row.number != place or row.digest != next_digest(before, place, row.text):
            return place
        before = row.digest
    return None
