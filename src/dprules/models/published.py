"""The public file of a stream: all that whoever predicts from it may open."""

from pathlib import Path

from dprules.errors import DataError, FileError, ModelError
from dprules.models.released import Released


def public_file(folder: Path) -> Path:
    """Return where a stream publishes the hypothesis in force, with its certificate."""
    return folder / "hypothesis.json"


def read_published(folder: Path, *, unverified: bool = False) -> Released:
    """Read the public file of a stream; one that does not verify is refused, unless `unverified`."""
    path = public_file(folder)
    if not path.is_file():
        raise not_a_stream(folder)
    published = Released.load(path, unverified=unverified)
    if published.stream is None:
        raise ModelError(f"{path} is not the public file of a stream. Run `dprules stream learn` again.")
    return published


def not_a_stream(folder: Path) -> DataError:
    """Return the refusal of a folder that holds no stream."""
    kind = DataError if folder.exists() else FileError
    return kind(f"{folder} is not a stream of dprules. Make one with `dprules stream init`.")
