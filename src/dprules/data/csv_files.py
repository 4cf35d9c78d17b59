"""CSV files: the header line alone decides how they are read, so that no row changes how the others are."""

import codecs
import csv
import gzip
import zlib
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.csv

from dprules.errors import DataError, ParameterError

DELIMITERS = ",;\t|"
BLOCK = 1 << 26
"""Bytes that are parsed at once: no record may be longer."""
LONGEST = 1 << 24
"""Bytes that a header may have."""


def csv_reader(path: Path, delimiter: str | None) -> pa.RecordBatchReader:
    """All columns as text. Lines with another number of cells than the header are left out; empty cells are null."""
    line, lines = _header_line(path)
    names = header(path, delimiter)
    read = pyarrow.csv.ReadOptions(column_names=names, skip_rows=lines, block_size=BLOCK)
    parse = pyarrow.csv.ParseOptions(
        delimiter=delimiter or _delimiter(line), newlines_in_values=True, invalid_row_handler=lambda row: "skip"
    )
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
    )
    return pyarrow.csv.open_csv(path, read_options=read, parse_options=parse, convert_options=convert)


def header(path: Path, delimiter: str | None) -> Sequence[str]:
    """The names of the columns: public."""
    line, _ = _header_line(path)
    if delimiter is not None and len(delimiter) != 1:
        raise ParameterError(f"delimiter must be one character; got {delimiter!r}. A comma is usual.")
    names = next(csv.reader(StringIO(line), delimiter=delimiter or _delimiter(line)))
    if len({name.lower() for name in names}) < len(names):
        raise DataError(f"{path}: two columns have one name. Rename one in the header line.")
    return names


def require_utf8(path: Path) -> None:
    """Refuse a file, compressed or not, that is not UTF-8 text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    sentence = f"{path}: not UTF-8 text. Convert it, for example with iconv -t utf-8."
    with _opened(path) as file:
        try:
            while block := file.read(1 << 20):
                decoder.decode(block)
            decoder.decode(b"", final=True)
            return
        except UnicodeDecodeError:
            pass
        except (EOFError, OSError, zlib.error):
            sentence = f"{path}: not a whole gzip file. Copy it again."
    raise DataError(sentence)


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def _header_line(path: Path) -> tuple[str, int]:
    """The header, which ends at the first line end outside quotes, and how many lines it fills."""
    with _opened(path) as file:
        start = file.read(LONGEST).decode("utf-8-sig", errors="replace")
    quoted = False
    for place, character in enumerate(start):
        quoted ^= character == '"'
        if character in "\r\n" and not quoted:
            start = start[:place]
            break
    if not start.strip() or quoted:
        raise DataError(f"{path}: no header line. The first line must name the columns.")
    return start, 1 + start.replace("\r\n", "\n").count("\n")


def _delimiter(line: str) -> str:
    """The usual delimiter that the header has most of, outside quotes."""
    bare = "".join(line.split('"')[::2])
    return max(DELIMITERS, key=bare.count)
