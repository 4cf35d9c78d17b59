"""Make the path of an editable install relative: `make` calls it after pip.

Python reads .pth files in the encoding of the locale. Under LC_ALL=C it does not start if such a file holds a path with
an umlaut. A relative path to `src` has none.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def make_relative(environment: Path) -> None:
    """Rewrite the .pth file that pip wrote for this project in a virtual environment."""
    for path in environment.resolve().glob("lib/python*/site-packages/_editable_impl_dprules.pth"):
        path.write_bytes(os.fsencode(os.path.relpath(ROOT / "src", path.parent)) + b"\n")


if __name__ == "__main__":
    make_relative(Path(sys.argv[1]))
