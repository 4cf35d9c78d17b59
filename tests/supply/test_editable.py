"""A checkout in a folder with umlauts works under LC_ALL=C, where Python reads .pth files as ASCII."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"LC_ALL": "C"}


def test_make_keeps_the_path_of_every_editable_install_relative():
    lines = (ROOT / "Makefile").read_text().splitlines()
    installs = [place for place, line in enumerate(lines) if "--editable" in line]
    assert len(installs) == 3
    assert all("-m release.editable $(" in lines[place + 1] for place in installs)


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A copy of the source in a folder with umlauts, installed as pip does it, with the libraries of this Python."""
    folder = tmp_path / "Prüfung" / "Käse und Brot"
    for name in ("src", "release"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    venv.create(folder / ".venv", symlinks=True)
    (packages,) = (folder / ".venv").glob("lib/python*/site-packages")
    (packages / "_editable_impl_dprules.pth").write_bytes(os.fsencode(folder / "src"))
    libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    for place, library in enumerate(libraries):  # links: these paths may have umlauts, too
        (packages / f"libraries-{place}").symlink_to(library)
    (packages / "libraries.pth").write_text("\n".join(f"libraries-{place}" for place in range(len(libraries))))
    return folder


def run(folder: Path, *command: object) -> subprocess.CompletedProcess[bytes]:
    words = list(map(str, command))
    return subprocess.run(words, cwd=folder, env=PLAIN, capture_output=True, check=False, timeout=300)


def test_a_relative_path_is_read_under_any_locale(checkout):
    python = checkout / ".venv" / "bin" / "python"
    if sys.version_info < (3, 12):
        assert b"site" in run(checkout, python, "-c", "pass").stderr  # what pip has written cannot be read
    assert run(checkout, sys.executable, "-m", "release.editable", ".venv").returncode == 0
    where = run(checkout, python, "-c", "import dprules, os; print(os.fsencode(dprules.__file__))")
    assert where.stdout.strip().decode() == repr(os.fsencode(checkout / "src" / "dprules" / "__init__.py")), (
        where.stderr
    )


@pytest.mark.slow
def test_commands_run_there_twice(checkout):
    python = checkout / ".venv" / "bin" / "python"
    run(checkout, sys.executable, "-m", "release.editable", ".venv")
    for _ in range(2):
        for command in (
            ("demo", "--output", "Vorführung"),
            ("show", "Vorführung/model.json"),
            ("predict", "Vorführung/model.json", "Vorführung/stays.csv", "-o", "Schätzung.csv", "--force"),
        ):
            ran = run(checkout, python, "-m", "dprules", *command)
            assert ran.returncode == 0, ran.stderr
            assert b"Traceback" not in ran.stderr
