"""Build the wheel and the source archive twice, and refuse if they differ: `make release`."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Place(NamedTuple):
    """What must not matter to a build."""

    folder: str
    umask: int
    zone: str
    language: str


PLACES = (
    Place("one", 0o022, "UTC", "C.UTF-8"),
    Place("a longer/way to the other", 0o077, "Pacific/Auckland", "C"),
)


def read_epoch(repository: Path) -> str:
    """Return when the last commit was made, in seconds: the time that everything in the archives bears."""
    command = ["git", "-C", str(repository), "log", "-1", "--format=%ct"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def build_at(place: Place, repository: Path, folder: Path) -> dict[str, Path]:
    """Build what is committed in a clone of its own; return the archives by their names.

    Files that are not committed are in no clone, and so in no archive.
    """
    clone = folder / place.folder
    made = clone / "dist"
    environment = dict(os.environ) | {
        "SOURCE_DATE_EPOCH": read_epoch(repository),
        "TZ": place.zone,
        "LC_ALL": place.language,
    }
    before = os.umask(place.umask)
    try:
        _run(["git", "clone", "--quiet", str(repository), str(clone)], folder, environment)
        _run([sys.executable, "-m", "hatchling", "build", "--directory", str(made)], clone, environment)
    finally:
        os.umask(before)
    return {path.name: path for path in sorted(made.iterdir())}


def _run(command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


def hash_file(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build_twice(repository: Path, folder: Path) -> dict[str, Path]:
    """Build at both places and return the archives of the first; ValueError if the second has others."""
    first, second = (build_at(place, repository, folder) for place in PLACES)
    hashes = [{name: hash_file(path) for name, path in made.items()} for made in (first, second)]
    if hashes[0] != hashes[1]:
        names = sorted(name for name in {*first, *second} if hashes[0].get(name) != hashes[1].get(name))
        raise ValueError(f"two builds of one commit differ in {', '.join(names)}. Compare them with diffoscope.")
    return first


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS beside the files of a folder, in the form that `sha256sum --check` reads."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    (folder / "SHA256SUMS").write_text("".join(f"{hash_file(path)}  {path.name}\n" for path in files))


def main() -> None:
    """Build, compare, list what the wheel needs, and put everything into dist."""
    from release.bill import write_bill  # its tools are in the release environment alone

    target = ROOT / "dist"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            made = build_twice(ROOT, Path(scratch))
        except ValueError as error:
            sys.exit(f"release: {error}")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        for path in made.values():
            shutil.copy(path, target)
        wheel = next(path for path in target.iterdir() if path.suffix == ".whl")
        write_bill(wheel, target / f"{wheel.name.split('-py3')[0]}.cdx.json", read_epoch(ROOT))
    write_sums(target)
    print((target / "SHA256SUMS").read_text(), end="")


if __name__ == "__main__":
    main()
