"""Options that several commands share, and checks of output files."""

import os
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.cli.exits import StoppedError
from dprules.errors import BANNER, FileError, ParameterError
from dprules.files import follow_links, is_null, require_new_file, write_whole

if TYPE_CHECKING:  # models take a while to load: only the commands that need one wait for them
    from dprules.models import Released

Data = Annotated[str, typer.Argument(help="CSV (also .gz), Parquet, a folder, a glob, or a DuckDB or PostgreSQL URL.")]
TableName = Annotated[str | None, typer.Option("--table", help="Table in the database.")]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of a CSV file, if it is not found in the header.")]
Multiline = Annotated[
    bool,
    typer.Option("--multiline", help="Cells of a CSV file may hold line ends between quotes; assumes balanced quotes."),
]
ModelFile = Annotated[Path, typer.Argument(help="Model file written by `dprules fit`.", readable=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Unverified = Annotated[bool, typer.Option("--unverified", help="Use a model that does not verify, with a banner.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write; standard output if left out.")]
Dialect = Annotated[str, typer.Option(help="duckdb, postgres, spark or sqlite (sql).")]
LedgerUrl = Annotated[
    str | None,
    typer.Option("--ledger", help="Ledger that records the charge: a file, or postgresql://user@host/database."),
]
Dataset = Annotated[str | None, typer.Option("--dataset", help="Name of the data set in the ledger.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]

CHECKED = "Verified: the releases cost no more than that, for this model. This does not say who wrote the file."

_MODEL_MARK = b'"format": "dprules-model"'
"""Near the beginning of every model file."""


def load(path: Path, unverified: bool) -> "Released":
    """Read a model file; one that does not verify is refused, or used with a banner."""
    from dprules.models import Released

    released = Released.load(path, unverified=unverified)
    judge(released, unverified)
    return released


def judge(released: "Released", unverified: bool) -> str:
    """Return what to say of a model, with a banner on standard error if it does not verify, or is not private.

    Without `unverified` it has been refused already if it does not, and is not priced a second time.
    """
    warn_seeded(released)
    if not unverified or not released.faults():
        return CHECKED
    typer.echo(BANNER, err=True)
    return BANNER


def warn_seeded(released: "Released") -> None:
    """Put a banner on standard error if the noise of a model was seeded."""
    if not released.certificate.private:
        from dprules.accounting import SEEDED

        typer.echo(SEEDED, err=True)


def repeat_source(data: str, table: str | None, delimiter: str | None, multiline: bool) -> str:
    """Return the words of a command line that name a table, for hints that can be copied."""
    words = [data]
    words += ["--table", table] if table else []
    words += ["--delimiter", delimiter] if delimiter else []
    words += ["--multiline"] if multiline else []
    return shlex.join(words)


def require_writable(path: Path) -> None:
    """Refuse an output that cannot be written, before any epsilon is spent."""
    require_new_file(path, overwrite=True)
    if is_null(path):
        return
    target = follow_links(path)
    folder = target.parent
    if not folder.is_dir():
        raise FileError(f"{path.parent}: no such folder for the output. Make it first.")
    try:
        # As `write_whole` will do it.
        handle, probe = tempfile.mkstemp(dir=folder, prefix=f".{target.name}.")
        os.close(handle)
        os.unlink(probe)
    except OSError:
        pass
    else:
        return
    raise FileError(f"{path.parent}: cannot be written. Choose another place or name for the output.")


def require_new(path: Path, force: bool) -> None:
    """Refuse to overwrite what was paid for or written by hand, unless it is asked for."""
    require_new_file(path, overwrite=force, option="--force")


def require_no_model(path: Path) -> None:
    """Refuse to overwrite a model with something else: it was paid for."""
    if path.is_file():
        with path.open("rb") as file:
            start = file.read(200)
        if _MODEL_MARK in start:
            raise FileError(f"{path} is a model. Choose another name, or remove it.")


def _files(path: Path) -> list[Path]:
    """The files that a path, a folder or a pattern stands for."""
    if path.is_dir():
        return list(path.iterdir())
    wild = any(mark in str(path) for mark in "*?[") and not path.exists()
    return list(Path(path.anchor or ".").glob(str(path.relative_to(path.anchor)))) if wild else [path]


def require_apart(outputs: Sequence[Path], inputs: Sequence[str | Path]) -> None:
    """Refuse an output that would overwrite an input, or another output."""
    taken = {follow_links(file) for path in inputs for file in _files(Path(path))}
    for path in outputs:
        if follow_links(path) in taken:
            raise FileError(f"{path} is already used by this command. Choose another place for the output.")
        taken.add(follow_links(path))


def require_output(output: Path | None, inputs: Sequence[str | Path]) -> None:
    """Refuse an output that cannot be written, that is an input, or that is a model."""
    if output is not None:
        require_writable(output)
        require_apart([output], inputs)
        require_no_model(output)


def require_new_output(output: Path | None, inputs: Sequence[str | Path], force: bool) -> None:
    """Refuse what `require_output` does, and to overwrite a file, unless it is asked for."""
    require_output(output, inputs)
    if output is not None:
        require_new(output, force)


@contextmanager
def saying_what_was_charged(ledger: str | None) -> Iterator[None]:
    """After a signal, say that a charge stands if it was made."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stopped:
        if ledger is None:
            raise
        notes = " ".join(getattr(stopped, "__notes__", []))
        sentence = notes or "if a charge was written, it stands. See `dprules ledger show --charges`."
        raise StoppedError(sentence) from None


def marks_of(released: "Released", unverified: bool) -> list[str]:
    """Return what an export of a model must say first: that it does not verify."""
    return [BANNER] if unverified and released.faults() else []


def write_output(text: str, output: Path, force: bool, mode: int = 0o644) -> None:
    """Write text to a file; one that has appeared since it was checked is refused, unless `force`."""
    write_whole(output, text, mode, overwrite=force, option="--force")


def write_or_echo(text: str, output: Path | None, force: bool, mode: int = 0o644) -> None:
    """Write text to a file and say so on standard error, or to standard output."""
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_output(text, output, force, mode)
        typer.echo(f"Written: {output}", err=True)


def read_terms(text: str | None) -> int | str | None:
    """Read a number of terms, or `all`."""
    return int(text) if text is not None and text.isdecimal() and text.isascii() else text


def read_engine(engine: str | None, master: str | None) -> str | None:
    """Return where Spark runs, None for the engines that the data names itself."""
    if engine is None and master is None:
        return None
    if engine is None:
        raise ParameterError("--master says where Spark runs. Give --engine spark, too.")
    if engine != "spark":
        raise ParameterError(f"--engine must be spark, or left out; got {engine!r}. The data names all other engines.")
    return master or "local[*]"


def read_class_weight(text: str | None) -> str | dict[str, float] | None:
    """Read `balanced`, or weights such as `no=1,yes=5`."""
    if text is None or text == "balanced":
        return text
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, sign, number = part.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            sign = ""
        if not sign or not name:
            raise ParameterError("--class-weight must be balanced, or weights such as no=1,yes=5.")
    return weights
