"""A table of any source: public column names, and private cells a batch at a time."""

import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from dprules.accounting import Unit
from dprules.errors import DataError, DprulesError, ResourceError
from dprules.mechanisms import Bits
from dprules.private import Private
from dprules.schema import Column, Schema
from dprules.signals import require_going_on
from dprules.tables.cells import Cells
from dprules.tables.compiled import prepare_kernels

T = TypeVar("T")
_NO_MEMORY = "there is not enough memory for this table. Close other programs, or use fewer columns."
HEADER = "the header, the delimiter and the schema"
"""Where to look if a column of a text file is not found."""
WEIGHTS: Any = object()
"""Under this name, which no column can have, a batch may say how many equal records each of its records stands for."""
Batch = tuple[int, Mapping[str, Cells]]
"""How many records, and the cells of each column."""
Part = Callable[[], Batch]
"""What makes a batch."""


class Table(Private, ABC):
    """Records with named cells. Names and kinds of columns are public, everything else is private."""

    __slots__ = ("_source",)
    left_out = 0
    """Records that the last reading left out because they cannot be read: private."""
    assumes_balanced_quotes = False
    """Whether a record could swallow others unless its quotes balance."""
    is_query = False
    """Whether its rows come from expressions that are not looked at, such as those of a view: one may stop at a row."""
    naming = "the names of its columns and the schema"
    """Where to look if a column is not found."""
    named_by_first_line = False
    """Whether its names were read off the first line of a text file, which is a record if there is no header."""
    takes_labels = True
    """Whether labels that are given apart can be put beside its records: these need an order."""

    def __init__(self, source: str) -> None:
        self._source = source

    def __repr__(self) -> str:
        return f"<table {self._source}>"

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""

    @abstractmethod
    def kinds(self) -> dict[str, str]:
        """Return the kind of each column by its declared type, never by its cells.

        It is "boolean", "numeric", "date" or "categorical"; "unknown" where there are no types, as in a CSV file.
        """

    @abstractmethod
    def _batches(self, names: Sequence[str]) -> Iterator[Batch]: ...

    def _parts(self, names: Sequence[str]) -> Iterator[Part]:
        """Return calls that make the batches; a source whose cells take work to find leaves it to whoever calls."""
        for batch in self._batches(names):
            yield _hold(batch)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """Return the records, some at a time, with the cells of these columns and no others."""
        for part in self.parts(names):
            yield part()

    def parts(self, names: Sequence[str]) -> Iterator[Part]:
        """Return the batches as calls, each to be made once, by any thread.

        All kernels are compiled before the first row is read: which ones stay on disk must not depend on rows.
        """
        self.require(names)
        prepare_kernels()
        sentence = self._describe_failure()
        parts = call_quietly(lambda: self._parts(names), sentence)
        while True:
            require_going_on()
            part = call_quietly(lambda: next(parts, None), sentence)
            if part is None:
                return
            yield _hush(part, sentence)

    def _describe_failure(self) -> str:
        """Return what is said if reading fails: what failed, and what to do."""
        return f"{self._source} cannot be read. Check that it is whole, and that it does not change during the job."

    def read_in_place(self, schema: Schema, unit: Unit, bits: Bits) -> Any | None:
        """Return the records where they are, if an engine can count them there; None: they are read here."""
        return None

    def close(self) -> None:
        """Let go of what was opened or kept for the table."""

    def expect(self, columns: Sequence[Column], grouped: bool) -> None:
        """Say how cells will be read, so that an engine may send other cells which these columns read alike.

        Parameters
        ----------
        columns : sequence of Column
            What reads the cells.
        grouped : bool
            Whether equal records may come once, with their number under `WEIGHTS`.
        """

    def require(self, names: Sequence[str]) -> None:
        """Refuse a table without these columns."""
        lacking = self.lacking(names)
        if lacking:
            raise DataError(no_such_columns(self._source, lacking, self.names, self.naming))

    def lacking(self, names: Sequence[str]) -> list[str]:
        """Return those of these columns that the table does not have."""
        known = set(self.names)
        return [name for name in dict.fromkeys(names) if name not in known]


def _hold(batch: Batch) -> Part:
    return lambda: batch


def _hush(part: Part, sentence: str) -> Part:
    return lambda: call_quietly(part, sentence)


def no_such_columns(source: str, lacking: Sequence[str], present: Sequence[str], naming: str = HEADER) -> str:
    """Return the sentence that refuses a table without some columns, with those that it has of nearly the same name.

    No others are shown: in a file without a header the first line is a record.

    Parameters
    ----------
    source : str
        What the table is called.
    lacking, present : sequence of str
        Columns that are wanted and not there; columns that are there.
    naming : str
        Where to look for the mistake.
    """
    noun = "column" if len(lacking) == 1 else "columns"
    wanted = ", ".join(map(repr, lacking))
    near = {found for found in (find_near(name, present) for name in lacking) if found is not None}
    count = f"{len(present):,} column{'' if len(present) == 1 else 's'}"
    found = f"among its {count} is {', '.join(map(repr, sorted(near)))}" if near else f"it has {count}, none called so"
    return f"{source} has no {noun} {wanted}; {found}. Check {naming}."


def find_near(name: str, present: Sequence[str]) -> str | None:
    """Return the column of nearly that name, None if there is none: case and spaces around a name do not count.

    Examples
    --------
    >>> find_near("F003", ["f001", "f003"]), find_near("age", ["47"])
    ('f003', None)
    """
    folded = {one.strip().casefold(): one for one in present}
    near = get_close_matches(name.strip().casefold(), folded, 1, 0.8)
    return folded[near[0]] if near else None


def call_quietly(call: Callable[[], T], sentence: str) -> T:
    """Run a call that touches cells; if it fails, raise our sentence with nothing of the engine's.

    Engines quote cells in their errors, so neither text nor chain of the original may be seen.
    """
    refusal: DprulesError
    try:
        return call()
    except DprulesError:
        raise
    except MemoryError:
        refusal = ResourceError(_NO_MEMORY)
    except Exception as error:
        refusal = _room_refusal(error) or DataError(sentence)
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":  # a panic of a library in Rust, such as Polars
            raise
        refusal = DataError(sentence)
    raise refusal


def _room_refusal(error: Exception) -> ResourceError | None:
    """Return our sentence where an engine ran out of memory or disk; None for any other failure.

    Told by the kind of the error, since its text may quote a cell; only DuckDB's errors of files are looked into.
    """
    kind = type(error).__name__
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if full or (kind == "IOException" and "No space left on device" in str(error)):
        return ResourceError("there is no room left on the disk. Make room, or point TMPDIR to another place.")
    if kind == "OutOfMemoryException":  # DuckDB's
        return ResourceError(_NO_MEMORY)
    return None
