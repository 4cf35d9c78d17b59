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
    """Return the refusal of a folder that holds no stream, or only half of one."""
    if public_file(folder).is_file():
        return FileError(
            f"{folder / 'private'} is missing: what a stream has learnt cannot be made again. Put it back, or start a "
            "new stream, and add its epsilon."
        )
    if (folder / "private").is_dir():
        return FileError(
            f"{public_file(folder)} is missing. Put it back; if it is lost, `dprules stream learn --restore` writes it "
            "again."
        )
    kind = DataError if folder.exists() else FileError
    return kind(f"{folder} is not a stream of dprules. Make one with `dprules stream init`.")
