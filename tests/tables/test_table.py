import errno
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dprules.errors import DataError, ParameterError, ResourceError
from dprules.tables import Table, call_quietly, no_such_columns, open_table
from dprules.tables.table import Batch


class Failing(Table):
    """A table whose engine fails at the second batch, and quotes a cell."""

    __slots__ = ("_error",)

    def __init__(self, error: Exception) -> None:
        super().__init__("secrets.csv")
        self._error = error

    @property
    def names(self) -> tuple[str, ...]:
        return ("a",)

    def kinds(self) -> dict[str, str]:
        return {"a": "categorical"}

    def _batches(self, names: Sequence[str]) -> Iterator[Batch]:
        yield 1, {"a": ["x"]}
        raise self._error


def test_engine_errors_never_quote_cells() -> None:
    """A failing engine is answered with our sentence: no cause, no context, no cell."""
    batches = Failing(RuntimeError("Could not convert string 'secret-cell' to DOUBLE")).batches(["a"])
    assert next(batches)[0] == 1
    with pytest.raises(DataError, match=r"^secrets.csv cannot be read") as caught:
        next(batches)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "secret-cell" not in str(caught.value)


def test_too_little_memory_is_one_sentence_without_sizes() -> None:
    batches = Failing(MemoryError("Unable to allocate 7.45 GiB for an array with shape (1234567,)")).batches(["a"])
    next(batches)
    with pytest.raises(ResourceError, match="not enough memory for this table") as caught:
        next(batches)
    assert "1234567" not in str(caught.value)
    assert caught.value.__context__ is None


def test_our_own_errors_pass() -> None:
    def refuse() -> None:
        raise ParameterError("delimiter must be one character.")

    with pytest.raises(ParameterError, match="delimiter"):
        call_quietly(refuse, "cannot be read.")


def test_a_missing_column_is_named() -> None:
    table = Failing(RuntimeError())
    with pytest.raises(DataError, match=r"secrets.csv has no column 'b'; it has 1 column, none called so. Check the"):
        next(table.batches(["a", "b"]))
    with pytest.raises(DataError, match=r"has no columns 'b', 'c'; it has 1 column"):
        table.require(["b", "a", "c", "b"])


def test_a_text_file_has_a_header(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a\n1\n")
    with (
        open_table(tmp_path / "d.csv") as table,
        pytest.raises(DataError, match="Check the header, the delimiter and the schema"),
    ):
        table.require(["b"])


def test_only_columns_of_nearly_the_same_name_are_shown() -> None:
    """In a file without a header the first line is a record."""
    told = no_such_columns("t", ["age", "income"], ["Age ", "Ann Example", "60500", "incom"])
    assert "among its 4 columns is 'Age ', 'incom'." in told
    assert "Ann" not in told + no_such_columns("t", ["age"], ["Ann Example"])


def test_a_table_shows_its_source_only() -> None:
    assert repr(Failing(RuntimeError())) == "<table secrets.csv>"


class OutOfMemoryException(Exception):  # noqa: N818
    """Named as DuckDB's."""


class IOException(Exception):  # noqa: N818
    """Named as DuckDB's."""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.ENOSPC, "secret-cell"), "no room left on the disk"),
        (IOException("secret-cell: No space left on device"), "no room left on the disk"),
        (OutOfMemoryException("secret-cell"), "not enough memory"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_engine_without_room_says_so_without_its_words(error: Exception, sentence: str) -> None:
    batches = Failing(error).batches(["a"])
    next(batches)
    with pytest.raises(ResourceError, match=sentence) as caught:
        next(batches)
    assert "secret-cell" not in str(caught.value)
    assert caught.value.__context__ is None


def test_other_failures_of_files_are_told_as_any_other() -> None:
    batches = Failing(OSError(errno.EIO, "secret-cell")).batches(["a"])
    next(batches)
    with pytest.raises(DataError, match="cannot be read"):
        next(batches)
