"""One odd event of a stream: it is one round, and every other round stays as it was."""

import json
from pathlib import Path

import numpy as np
import pytest

from dprules.learners.streams import EventFile, StreamFeatures, Weights
from dprules.schema import Schema

from .harness import LABELS, PUBLIC, RECORDS, as_bytes, csv_line, header
from .lines import BALANCED, JSON, TORN
from .odd import CELLS

SCHEMA = Schema(LABELS, PUBLIC)
Round = tuple[float, ...]


def rounds(path: Path, width: int, size: int = 7) -> list[Round]:
    """What a learner sees of each event: its label and every feature."""
    features = StreamFeatures(SCHEMA, width)
    basis = [Weights(row) for row in np.eye(features.count + 1)[:-1]]
    found: list[Round] = []
    with EventFile(path, SCHEMA.names) as file:
        for batch in file.batches(size, features.read):
            block = features.block(batch.events)
            values = np.array([block.weigh(weights) for weights in basis])
            labels = features.codes(batch.events)
            found += [(float(label), *column) for label, column in zip(labels, values.T.tolist(), strict=True)]
            assert batch.position.line == len(found)
    return found


def json_line(record: dict[str, object]) -> bytes:
    plain = {name: cell if isinstance(cell, bool | int | float | str) else str(cell) for name, cell in record.items()}
    return json.dumps(plain).encode()


CSV_LINES = [csv_line(record, b",") for record in RECORDS]
JSON_LINES = [json_line(record) for record in RECORDS]


def check(lines: list[bytes], odd: bytes, path: Path, start: bytes, width: int) -> None:
    """Put an odd line at the start, in the middle and at the end."""

    def read(some: list[bytes]) -> list[Round]:
        path.write_bytes(start + b"".join(line + b"\n" for line in some))
        return rounds(path, width)

    before = read(lines)
    assert len(before) == len(lines)
    for place in (0, 5, len(lines)):
        after = read([*lines[:place], odd, *lines[place:]])
        own = odd.count(b"\n") + 1
        assert len(after) == len(before) + own  # it counts, whatever is in it
        assert after[:place] == before[:place]
        assert after[place + own :] == before[place:]


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("line", [*BALANCED.values(), *TORN.values()], ids=[*BALANCED, *TORN])
def test_one_odd_line_of_csv(line: bytes, width: int, tmp_path: Path) -> None:
    check(CSV_LINES, line, tmp_path / "events.csv", header(b",") + b"\n", width)


@pytest.mark.parametrize(("start", "last"), [(b"", b","), (b",", b""), (b",", b","), (b",", b",x")])
def test_an_empty_cell_after_the_last_column_is_not_a_cell(start: bytes, last: bytes, tmp_path: Path) -> None:
    def read(lines: list[bytes]) -> list[Round]:
        (tmp_path / "events.csv").write_bytes(b"".join(line + b"\n" for line in lines))
        return rounds(tmp_path / "events.csv", 1)

    before = read([header(b","), *CSV_LINES])
    assert read([header(b",") + start, *(line + last for line in CSV_LINES)]) == before


@pytest.mark.parametrize("line", JSON.values(), ids=JSON)
def test_one_odd_line_of_json(line: bytes, tmp_path: Path) -> None:
    check(JSON_LINES, line, tmp_path / "events.jsonl", b"", 1)


def json_lines(cell: object) -> list[bytes]:
    """Events with an odd cell in every column, as far as JSON and its dialects can say it."""
    try:
        as_bytes(cell)
        text = json.dumps(cell, default=str)
    except Exception:
        return []
    every = {name: json.dumps(str(value)) for name, value in RECORDS[0].items()}
    odd = [every | dict.fromkeys(every, text) | {"y": "1"}, every | {"y": text}]
    return [("{" + ", ".join(f'"{name}": {value}' for name, value in record.items()) + "}").encode() for record in odd]


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_one_odd_cell_of_json(cell: object, tmp_path: Path) -> None:
    for line in json_lines(cell):
        check(JSON_LINES, line, tmp_path / "events.jsonl", b"", 1)


def test_events_of_json_and_csv_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_bytes(b"".join(line + b"\n" for line in [header(b","), *CSV_LINES]))
    (tmp_path / "e.jsonl").write_bytes(b"".join(line + b"\n" for line in JSON_LINES))
    assert rounds(tmp_path / "e.csv", 2) == rounds(tmp_path / "e.jsonl", 2)


def test_how_many_events_are_read_at_once_changes_nothing(tmp_path: Path) -> None:
    lines = [*CSV_LINES, *BALANCED.values(), *CSV_LINES]
    (tmp_path / "e.csv").write_bytes(b"".join(line + b"\n" for line in [header(b","), *lines]))
    assert rounds(tmp_path / "e.csv", 1, 1) == rounds(tmp_path / "e.csv", 1, 1000)
