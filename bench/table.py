"""Tables in the docs that benchmarks write between two markers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def say_trial(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence if the sizes were not the real ones (DPRULES_BENCH_SCALE)."""
    scale = results[0]["scale"]
    return [] if scale == 1 else [f"*A trial at {scale:g} of the sizes: it says nothing about the real ones.*"]


def replace_table(page: Path, name: str, table: str) -> None:
    """Put a table into a page, if the page has a place for it."""
    start, end = f"<!-- bench {name} -->", "<!-- end -->"
    if start not in page.read_text():
        return
    before, rest = page.read_text().split(start)
    page.write_text(before + start + "\n" + table + "\n" + rest[rest.index(end) :])
