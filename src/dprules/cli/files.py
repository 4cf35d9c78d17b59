"""Options that several commands share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dprules.errors import DataError

Data = Annotated[str, typer.Argument(help="CSV (also .gz), Parquet, a folder, a glob, or a DuckDB or PostgreSQL URL.")]
TableName = Annotated[str | None, typer.Option("--table", help="Table in the database.")]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of a CSV file, if it is not found out.")]
ModelFile = Annotated[Path, typer.Argument(help="Model file written by `dprules fit`.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def require_writable(path: Path) -> None:
    """Refuse an output that cannot be written, before any epsilon is spent."""
    folder = path.parent
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder for the output. Make it first.")
    if path.is_dir():
        raise DataError(f"{path} is a folder. Name a file in it.")
    try:
        probe = folder / f".{path.name}.probe"
        probe.touch()
        probe.unlink()
    except OSError:
        pass
    else:
        return
    raise DataError(f"{folder}: cannot be written. Choose another place for the output.")


def _files(path: Path) -> list[Path]:
    """The files that a path, a folder or a pattern stands for."""
    if path.is_dir():
        return list(path.iterdir())
    wild = any(mark in str(path) for mark in "*?[") and not path.exists()
    return list(Path(path.anchor or ".").glob(str(path.relative_to(path.anchor)))) if wild else [path]


def require_apart(outputs: Sequence[Path], inputs: Sequence[str | Path]) -> None:
    """Refuse an output that would overwrite an input, or another output."""
    taken = {file.resolve() for path in inputs for file in _files(Path(path))}
    for path in outputs:
        if path.resolve() in taken:
            raise DataError(f"{path} is already used by this command. Choose another place for the output.")
        taken.add(path.resolve())
