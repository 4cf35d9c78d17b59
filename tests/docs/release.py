"""What must be filled in before a release: `make release-check` names it and fails until it is done."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACEHOLDER = re.compile(r"example\.invalid")


def find_gaps() -> list[str]:
    """Return every place that still holds a placeholder."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    gaps = [f"pyproject.toml: project.urls.{name}" for name, url in urls.items() if PLACEHOLDER.search(url)]
    for page in ("README.md", "CITATION.cff", "SECURITY.md", "mkdocs.yml"):
        lines = (ROOT / page).read_text().splitlines()
        gaps += [f"{page}, line {i}" for i, line in enumerate(lines, start=1) if PLACEHOLDER.search(line)]
    return gaps


if __name__ == "__main__":
    found = find_gaps()
    print("\n".join(["To fill in before a release:", *found] if found else ["Nothing is left to fill in."]))
    sys.exit(bool(found))
