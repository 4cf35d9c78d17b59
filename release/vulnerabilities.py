"""Ask whether a version that was tested has a known vulnerability: `make vulnerabilities`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LISTS = (ROOT / "constraints.txt", ROOT / "release" / "tools.txt")
CLEAN, FOUND, UNKNOWN = 0, 1, 2
"""Exit codes: nothing is known, something is, nobody could be asked."""


def ask(path: Path, service: str) -> list[dict[str, Any]]:
    """Return what a service says of each package of a list; nothing if it cannot be asked."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(path), "--no-deps", "--disable-pip"]
    command += ["--vulnerability-service", service, "--format", "json", "--progress-spinner", "off"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        said: list[dict[str, Any]] = json.loads(made.stdout)["dependencies"]
    except (ValueError, KeyError):
        return []
    return said


def judge(said: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return an exit code and the lines to print; what was skipped was not checked, and is not clean."""
    known = [
        f"{package['name']} {package['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none'}"
        for package in said
        for fault in package.get("vulns", [])
    ]
    if known:
        return FOUND, [*known, "Raise these versions, or say in docs/dependencies.md why they do no harm."]
    checked = [package for package in said if "vulns" in package]
    if len(checked) < len(said) or not said:
        words = f"{len(checked)} of {len(said)} packages could be checked" if checked else "nothing was checked"
        return UNKNOWN, [
            f"The services that know vulnerabilities did not answer: {words}. Run this where the network lets it."
        ]
    return CLEAN, [f"No vulnerability is known of {len(said)} packages."]


def main() -> None:
    """Ask one service, and the other if the first does not answer."""
    codes = []
    for path in LISTS:
        code, lines = judge(ask(path, "pypi"))
        if code == UNKNOWN:
            code, lines = judge(ask(path, "osv"))
        codes.append(code)
        print("\n".join([f"{path.relative_to(ROOT)}:", *lines]))
    sys.exit(FOUND if FOUND in codes else max(codes))


if __name__ == "__main__":
    main()
