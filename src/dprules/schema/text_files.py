"""Files that people write, schemas and codebooks: as text, and not more of it than people write."""

from pathlib import Path

from dprules.errors import FileError, SchemaError
from dprules.files import read_start

LARGEST_TEXT = 10_000_000
"""Bytes of a schema file or a codebook."""


def read_text_file(path: Path) -> str:
    """Return the text of a file; one that is too large, a folder, or not UTF-8 is refused."""
    if path.is_dir():  # so is the empty name
        raise FileError(f"{str(path)!r} is a folder. Name a file.")
    start = read_start(path, LARGEST_TEXT)
    if len(start) > LARGEST_TEXT:
        raise SchemaError(f"{path}: more than {LARGEST_TEXT // 10**6} MB. Is it the right file?")
    try:
        return start.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    raise SchemaError(f"{path}: not UTF-8 text. Save it as UTF-8.")
