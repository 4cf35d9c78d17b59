"""Tables in the docs that benchmarks write between two markers."""

from collections.abc import Sequence
from pathlib import Path


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def replace_table(page: Path, name: str, table: str) -> None:
    """Put a table into a page, if the page has a place for it."""
    start, end = f"<!-- bench {name} -->", "<!-- end -->"
    if start not in page.read_text():
        return
    before, rest = page.read_text().split(start)
    page.write_text(before + start + "\n" + table + "\n" + rest[rest.index(end) :])
