"""A bill of materials (CycloneDX) of what the wheel needs, in the versions that were tested."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
VERSION = "1.6"
"""Of CycloneDX."""
EXTRAS = ("plot", "postgres", "river", "serve", "spark")
"""What users install; the other extras are for developers."""


def write_bill(wheel: Path, path: Path, epoch: str) -> None:
    """Install the wheel with every extra of users in an environment of its own, and list what is there."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = Path(scratch) / "environment"
        _run_uv("venv", str(environment))
        python = environment / "bin" / "python"
        required = _install(wheel, "dprules", python)
        _install(wheel, f"dprules[{','.join(EXTRAS)}]", python)
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject", str(ROOT / "pyproject.toml")]
        command += ["--mc-type", "library", "--sv", VERSION, "--output-reproducible", "--of", "JSON", str(python)]
        made = subprocess.run(
            command, check=True, capture_output=True, text=True, env=dict(os.environ) | {"SOURCE_DATE_EPOCH": epoch}
        )
    bill = mark_scopes(drop_addresses(json.loads(made.stdout)), required)
    text = json.dumps(bill, indent=2, sort_keys=True) + "\n"
    _require_valid(text)
    path.write_text(text)


def _run_uv(*arguments: str) -> str:
    command = [sys.executable, "-m", "uv", "--quiet", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _install(wheel: Path, name: str, python: Path) -> set[str]:
    """Install the wheel under a name that may ask for extras; return the names of all that is there then."""
    where = ["--python", str(python)]
    wanted = f"{name} @ {wheel.resolve().as_uri()}"
    _run_uv("pip", "install", *where, "--constraint", str(ROOT / "constraints.txt"), wanted)
    return {part["name"] for part in json.loads(_run_uv("pip", "list", *where, "--format", "json"))}


def drop_addresses(part: Any) -> Any:
    """Leave out where things were fetched from and where they are on this machine: a purl says what they are."""
    if isinstance(part, dict):
        return {name: drop_addresses(value) for name, value in part.items() if name != "externalReferences"}
    return [drop_addresses(value) for value in part] if isinstance(part, list) else part


def mark_scopes(bill: dict[str, Any], required: set[str]) -> dict[str, Any]:
    """Say of each component whether every install needs it, or only an extra.

    The dependencies that the bill lists do not tell: they name what a package could use, if it happens to be there.
    """
    names = set(map(read_name, required))
    for part in bill["components"]:
        part["scope"] = "required" if read_name(part["name"]) in names else "optional"
    return bill


def read_name(requirement: str) -> str:
    """Return the name in a requirement, written as package indexes compare names.

    Examples
    --------
    >>> read_name("Tomli_W>=1.1,<2")
    'tomli-w'
    """
    name = re.match(r"[\w.-]+", requirement)
    return re.sub(r"[-_.]+", "-", name[0]).lower() if name else ""


def _require_valid(text: str) -> None:
    """Hold the bill against the schema of CycloneDX: it was changed after its tool had done so."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    fault = JsonStrictValidator(SchemaVersion.from_version(VERSION)).validate_str(text)
    if fault is not None:
        sys.exit(f"release: the bill of materials breaks the schema of CycloneDX: {fault}")
