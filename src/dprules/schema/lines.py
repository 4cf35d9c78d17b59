"""On which line of a TOML file an entry stands, so that a refusal can name it."""

import re
import tomllib

_PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
_HEADER = re.compile(rf"\s*\[\s*({_PART}(?:\s*\.\s*{_PART})*)\s*\]")
MOST_PARTS = 100
"""Parts of a key that are joined by points: TOML's parser takes time by their square."""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?:(?>{_PART})\s*+\.\s*+){{{MOST_PARTS}}}")
Path = tuple[str, ...]


def has_long_key(text: str) -> bool:
    """Whether more than `MOST_PARTS` words are joined by points; in a text that is a value, too.

    Examples
    --------
    >>> has_long_key("a.b.c = 1")
    False
    """
    return _LONG_KEY.search(text) is not None


def find_lines(text: str) -> dict[Path, int]:
    r"""Return the line, from 1 on, of every table and key that begins a line.

    Examples
    --------
    >>> find_lines('[label]\ncolumn = "y"')
    {('label',): 1, ('label', 'column'): 2}
    """
    found: dict[Path, int] = {}
    if has_long_key(text):  # such a file is refused
        return found
    table: Path = ()
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header:
            table = _parts(header[1])
            found.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key:
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def line_of(path: Path, lines: dict[Path, int]) -> int:
    """Return the line of an entry, or of the nearest table around it that is there."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _parts(key: str) -> Path:
    """Return the parts of a dotted key, quotes undone as TOML does it."""
    parts: list[str] = []
    try:
        inner: object = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:  # a line of a longer text that only looks like a key
        return (key,)
    while isinstance(inner, dict):
        name, inner = next(iter(inner.items()))
        parts.append(name)
    return tuple(parts)
