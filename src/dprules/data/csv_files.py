"""CSV files: the header line alone decides how they are read, so that no row changes how the others are."""

import codecs
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.csv

from dprules.errors import DataError

DELIMITERS = ",;\t|"


def csv_reader(path: Path, delimiter: str | None) -> pa.RecordBatchReader:
    """All columns as text. Lines with another number of cells than the header are left out; empty cells are null."""
    names = header(path, delimiter)
    parse = pyarrow.csv.ParseOptions(
        delimiter=delimiter or _delimiter(_first_line(path)),
        newlines_in_values=True,
        invalid_row_handler=lambda row: "skip",
    )
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
    )
    return pyarrow.csv.open_csv(path, parse_options=parse, convert_options=convert)


def header(path: Path, delimiter: str | None) -> Sequence[str]:
    """The names of the columns: public."""
    line = _first_line(path)
    parse = pyarrow.csv.ParseOptions(delimiter=delimiter or _delimiter(line))
    names = pyarrow.csv.read_csv(pa.BufferReader((line + "\n").encode()), parse_options=parse).column_names
    if len(set(names)) < len(names):
        raise DataError(f"{path}: two columns have one name. Rename one in the header line.")
    return list(names)


def require_utf8(path: Path) -> None:
    """Refuse a file, compressed or not, that is not UTF-8 text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _opened(path) as file:
        try:
            while block := file.read(1 << 20):
                decoder.decode(block)
            decoder.decode(b"", final=True)
            return
        except UnicodeDecodeError:
            pass
    raise DataError(f"{path}: not UTF-8 text. Convert it, for example with iconv -t utf-8.")


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _first_line(path: Path) -> str:
    with _opened(path) as file:
        line = file.readline().decode("utf-8-sig", errors="replace").rstrip("\r\n")
    if not line.strip():
        raise DataError(f"{path}: no header line. The first line must name the columns.")
    return line


def _delimiter(line: str) -> str:
    """The usual delimiter that the header has most of, outside quotes."""
    bare = "".join(line.split('"')[::2])
    return max(DELIMITERS, key=bare.count)
