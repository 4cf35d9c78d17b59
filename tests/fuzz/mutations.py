"""Valid files made hostile: by their structure (drop, double, retype, nest, enlarge, splice) or byte by byte."""

import json
import math
import random
from copy import deepcopy
from typing import Any

MARKS = {
    "@digits": "9" * 5000,
    "@exponent": "1e999999999",
    "@fraction": "0." + "3" * 100_000,
    "@nest": "[" * 900 + "]" * 900,
    "@objects": '{"a":' * 300 + "1" + "}" * 300,
    "@deep": "[" * 100_000 + "]" * 100_000,
    "@long": json.dumps("a" * 200_000),
}
"""Texts that stand for JSON which Python does not write."""
ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    2**53 + 1,
    2**63,
    10**30,
    10**400,
    0.0,
    -0.0,
    0.5,
    5e-324,
    1e308,
    math.nan,
    math.inf,
    -math.inf,
    "",
    " ",
    "?",
    "a",
    "no",
    "1/0",
    "1/3",
    "1e999999999",
    "1" * 150,
    "1" * 5000,
    "\n",
    "\x1b[31m",
    "\0",
    "\ud800",
    "a\u2028b",
    "</script><b>",
    "' OR 1=1; --",
    '"; DROP TABLE x; --',
    [],
    [[]],
    [None],
    ["a", "a"],
    [1, "1"],
    [1, 1.0],
    [2, 1],
    [math.nan],
    {},
    {"": ""},
    {"kind": "list"},
]
ODD_KEYS = ["x", "", "a\nb", "kind", "columns", "\ud800", "\x1b[2J", "k" * 5000]
ODD_BYTES = [
    *(bytes([byte]) for byte in b'\0\xff"\n\r,;[{=.'),
    b"",
    b"\xef\xbb\xbf",
    b"9" * 400,
    b"9" * 5000,
    b"[" * 2000,
]


def places_of(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, by the keys that lead to it."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    if isinstance(value, list):
        items = list(enumerate(value))
    return [(*at, key) for key, _ in items] + [place for key, inner in items for place in places_of(inner, (*at, key))]


def find(document: Any, path: tuple[Any, ...]) -> Any:
    """Return what stands at a place."""
    for step in path:
        document = document[step]
    return document


def mutate(document: Any, seed: int, odd: list[Any] | None = None) -> Any:
    """Change one to three places: another value, none, a copy, another key, a part from elsewhere, much more of it."""
    choice = random.Random(seed)
    changed = deepcopy(document)
    for _ in range(choice.randint(1, 3)):
        places = places_of(changed)
        if not places:
            break
        *path, key = choice.choice(places)
        inner = find(changed, tuple(path))
        match choice.randrange(6):
            case 0 | 1:
                inner[key] = deepcopy(choice.choice(odd or ODD_VALUES))
            case 2:
                del inner[key]
            case 3 if isinstance(inner, list):
                inner.insert(key, deepcopy(inner[key]))
            case 3:
                inner[choice.choice(ODD_KEYS)] = deepcopy(inner[key])
            case 4:
                inner[key] = deepcopy(find(changed, choice.choice(places)))
            case _:
                if isinstance(inner[key], list | dict | str):
                    inner[key] = [inner[key]] * choice.choice([0, 1, 2, 300])
                else:
                    inner[key] = str(inner[key])
    return changed


def mutate_json(document: Any, seed: int) -> bytes:
    """Return a changed document as JSON, with things in it that Python would not write."""
    text = json.dumps(mutate(document, seed, [*ODD_VALUES, *MARKS]))
    for mark, said in MARKS.items():
        text = text.replace(json.dumps(mark), said)
    return text.encode("utf-8", "surrogatepass")


def scramble(text: bytes, seed: int) -> bytes:
    """Change some bytes, leave some out, repeat some."""
    choice = random.Random(seed)
    parts = bytearray(text)
    for _ in range(choice.randint(1, 8)):
        at = choice.randrange(len(parts) + 1)
        size = choice.choice([0, 1, 1, 2, 10, 200])
        start = choice.randrange(len(parts) + 1)
        again = bytes(parts[start : start + choice.choice([1, 10, 1000])])
        parts[at : at + size] = choice.choice([*ODD_BYTES, again])
    return bytes(parts)
