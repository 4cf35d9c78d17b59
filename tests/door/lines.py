"""Lines of CSV and of JSON that nobody expects."""

from .harness import RECORDS, csv_line

USUAL = csv_line(RECORDS[0], b",")
CELLS = USUAL.split(b",")


def with_cell(place: int, cell: bytes) -> bytes:
    return b",".join([*CELLS[:place], cell, *CELLS[place + 1 :]])


BALANCED: dict[str, bytes] = {
    "usual": USUAL,
    "missing cells": b"," * (len(CELLS) - 1),
    "empty line": b"",
    "spaces": b"   ",
    "too many cells": USUAL + b",x",
    "very many cells": USUAL + b",x" * 20_000,
    "delimiter at the end": USUAL + b",",
    "quoted nothing at the end": USUAL + b',""',
    "two delimiters at the end": USUAL + b",,",
    "too few cells": b"1,2",
    "one cell": b"CANARY",
    "quotes": with_cell(3, b'"f"'),
    "quotes in the middle": with_cell(3, b'5" by 6"'),
    "doubled quotes": with_cell(3, b'"a ""f"""'),
    "text after a quoted cell": with_cell(3, b'"f"x'),
    "quoted delimiter": with_cell(3, b'"f,m"'),
    "quoted nothing": with_cell(3, b'""'),
    "carriage return": with_cell(3, b"f\rm"),
    "many carriage returns": with_cell(3, b"f\r") + b"\r" + USUAL + b"\r" + USUAL + b"\r",
    "end of another system": USUAL + b"\r",
    "other delimiters": USUAL.replace(b",", b";"),
    "not UTF-8": with_cell(3, b"\xff\xfeCANARY"),
    "half a character": with_cell(3, b"\xc3"),
    "null bytes": with_cell(3, b"\x00\x00"),
    "mark of an encoding": b"\xef\xbb\xbf" + USUAL,
    "another line end": with_cell(3, "f\u2028m\u0085\v\f\x1c".encode()),
    "long cell": with_cell(3, b"x" * 200_000),
    "number beyond": with_cell(1, b"9" * 500),
    "undeclared label": with_cell(8, b"CANARY"),
    "missing label": with_cell(8, b""),
    "formula": with_cell(3, b"=cmd|' /C calc'!A0"),
}
"""Lines of one record, whose quotes balance."""

TORN: dict[str, bytes] = {
    "unbalanced quote": with_cell(3, b'5" pipe'),
    "opening quote": with_cell(3, b'"f'),
    "closing quote": with_cell(3, b'f"'),
    "quote alone": b'"',
    "quote at the end": USUAL + b'"',
    "quoted line feed": with_cell(3, b'"f\nm"'),
    "quoted end of another system": with_cell(3, b'"f\r\nm"'),
    "three lines in quotes": with_cell(3, b'"\n' + USUAL + b'\n"'),
}
"""Lines whose quotes do not balance, and records of several lines."""

JSON: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"CANARY",
    "torn": b'{"age": 3',
    "text after": b'{"age": 3} CANARY',
    "list": b"[1, 2]",
    "number": b"3",
    "null": b"null",
    "nothing": b"{}",
    "not a number": b'{"age": NaN, "y": 1}',
    "infinity": b'{"age": -Infinity, "y": 1}',
    "beyond doubles": b'{"age": 1e999, "y": 1}',
    "beyond digits": b'{"age": ' + b"9" * 5000 + b', "y": 1}',
    "large number": b'{"age": ' + b"9" * 400 + b', "y": 1}',
    "nested": b'{"age": {"a": [1]}, "sex": ["CANARY"], "y": 1}',
    "deep": b"[" * 100_000,
    "deep cell": b'{"age": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "lone surrogate": b'{"sex": "\\ud800", "y": 1}',
    "null character": b'{"sex": "\\u0000f", "y": 1}',
    "not UTF-8": b'{"sex": "\xff", "y": 1}',
    "another encoding": '{"sex": "f", "y": 1}'.encode("utf-16"),
    "mark of an encoding": b'\xef\xbb\xbf{"sex": "f", "y": 1}',
    "twice": b'{"sex": "f", "sex": "m", "y": 1, "y": 0}',
    "undeclared label": b'{"age": 3, "y": "CANARY"}',
    "label of a list": b'{"age": 3, "y": [1]}',
    "missing label": b'{"age": 3}',
    "other keys": b'{"CANARY": 3, "y": 1}',
    "carriage return": b'{"age": 3,\r"y": 1}\r',
    "another line end": '{"sex": "f\u2028", "y": 1}'.encode(),
    "long": b'{"sex": "' + b"x" * 200_000 + b'", "y": 1}',
    "true": b'{"age": true, "smoker": "yes", "y": true}',
}
"""Lines of a file of JSON events."""
