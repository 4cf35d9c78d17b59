"""Events of a stream as records with named columns: what a schema makes of them, and files that grow."""

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dprules.data.columns import Value
from dprules.data.encode import truth
from dprules.data.features import conjunctions
from dprules.data.literals import Literal, Operator
from dprules.data.schema import Schema
from dprules.errors import DataError, SchemaError
from dprules.online.blocks import Block, Conjoined, Dense

Event = Mapping[str, object]
_PLAIN = (Operator.EQUALS, Operator.AT_LEAST, Operator.IS_TRUE, Operator.IS_MISSING)
"""With width 1 a feature counts when it holds and when it does not: its negation adds nothing."""


@dataclass(frozen=True)
class Features:
    """The public features of a stream: literals of a schema, or conjunctions of them."""

    schema: Schema
    width: int = 1

    def __post_init__(self) -> None:
        if self.schema.private_cuts:
            raise SchemaError("a stream needs public cuts. Replace private_cuts by cuts in the schema.")
        if len(self.schema.label.classes) != 2:
            raise SchemaError("a stream learner has two classes. Name two in the schema.")

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """What may be asked of an event."""
        every = self.schema.literals()
        return every if self.width > 1 else tuple(literal for literal in every if literal.operator in _PLAIN)

    @cached_property
    def _conjunctions(self) -> NDArray[np.int32]:
        return conjunctions(self.literals, self.width)

    @property
    def count(self) -> int:
        """How many features there are, the bias aside."""
        return len(self._conjunctions)

    def asked(self, feature: int) -> tuple[Literal, ...]:
        """The literals of a feature."""
        return tuple(self.literals[i] for i in self._conjunctions[feature] if i >= 0)

    def name(self, feature: int) -> str:
        """How a feature is printed."""
        return " and ".join(map(str, self.asked(feature)))

    @property
    def classes(self) -> tuple[Value, Value]:
        """The negative class and the positive one."""
        first, second = self.schema.label.classes
        return (second, first) if self.schema.label.positive == first else (first, second)

    def block(self, events: Sequence[Event]) -> Block:
        """The features of events; what is missing or undeclared makes literals false."""
        columns = self.schema.columns
        codes = {
            column.name: np.array([column.code(event.get(column.name)) for event in events], dtype=np.int64)
            for column in columns
        }
        held = np.zeros((len(events), len(self.literals)), dtype=np.bool_)
        for k, literal in enumerate(self.literals):
            held[:, k] = truth(literal)[codes[literal.column.name]]
        return Dense(held) if self.width == 1 else Conjoined(held, self._conjunctions)

    def labels(self, events: Sequence[Event]) -> NDArray[np.int8]:
        """-1 or 1; 0 for an event without a declared label: nothing happened."""
        label = self.schema.label
        column, positive = label.column(), label.classes.index(self.classes[1])
        codes = [column.code(event.get(label.name)) for event in events]
        return np.array([0 if code < 0 else 1 if code == positive else -1 for code in codes], dtype=np.int8)


@dataclass(frozen=True, slots=True)
class Place:
    """How far a source has been read: lines are public, bytes and the mark of what was read are not."""

    line: int = 0
    byte: int = 0
    mark: str = ""

    def __repr__(self) -> str:
        return f"<place after line {self.line}>"


@dataclass(frozen=True, slots=True)
class Batch:
    """Events, and the place in their source after them."""

    events: Sequence[Event]
    place: Place

    def __repr__(self) -> str:
        return "<private events>"


class EventFile:
    """A file of events, one a line: JSON lines, or CSV with a header. It may grow.

    A line that cannot be read is an event without a label: nothing happened in that round.
    """

    def __init__(self, path: Path, needed: Sequence[str] = ()) -> None:
        if not path.is_file():
            raise DataError(f"{path}: no such file. Check the name.")
        if path.suffix.lower() not in (".jsonl", ".ndjson", ".json", ".csv", ".tsv"):
            raise DataError(f"{path}: not .jsonl, .ndjson, .json, .csv or .tsv. Rename it, or send JSON lines to -.")
        self.path = path
        self._names: list[str] | None = None
        self._start = 0
        self._delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        if path.suffix.lower() in (".csv", ".tsv"):
            self._header(needed)

    def _header(self, needed: Sequence[str]) -> None:
        with self.path.open("rb") as file:
            header = file.readline()
        if not header.strip():
            raise DataError(f"{self.path}: no header line. The first line must name the columns.")
        self._names = next(csv.reader([header.decode("utf-8-sig", "replace")], delimiter=self._delimiter))
        self._start = len(header)
        if len(set(self._names)) < len(self._names):
            raise DataError(f"{self.path}: two columns have one name. Rename one in the header line.")
        for name in needed:
            if name not in self._names:
                raise DataError(f"{self.path} has no column {name!r}. Check the header and the schema.")

    def batches(self, place: Place, size: int, whole_lines: bool = True) -> Iterator[Batch]:
        """Events from a place on, so many at a time; the file must be the one that was read up to there.

        With `whole_lines` a last line without an end is left for later: somebody may still be writing it.
        """
        with self.path.open("rb") as file:
            if place.line and not place.mark:
                raise DataError(f"{self.path}: its source was read from standard input. Give the file a --source name.")
            if self._mark(file, place.byte) != (place.mark or self._mark(file, 0)):
                raise DataError(f"{self.path} is not the file that was read before. Give a new file a --source name.")
            file.seek(max(place.byte, self._start))
            while True:
                events, lines, byte = self._some(file, size, whole_lines)
                if not lines:
                    return
                place = Place(place.line + lines, byte, self._mark(file, byte))
                file.seek(byte)
                yield Batch(events, place)

    def unfinished(self, place: Place) -> bool:
        """Whether there is a last line without an end after a place."""
        with self.path.open("rb") as file:
            file.seek(max(place.byte, self._start))
            return bool(file.read(1))

    def _some(self, file: IO[bytes], size: int, whole_lines: bool) -> tuple[list[Event], int, int]:
        events: list[Event] = []
        byte, lines = file.tell(), 0
        while lines < size and (line := file.readline()):
            if whole_lines and not line.endswith(b"\n"):
                break
            byte, lines = file.tell(), lines + 1
            events.append(read_event(line, self._names, self._delimiter))
        return events, lines, byte

    def _mark(self, file: IO[bytes], byte: int) -> str:
        """A digest of the beginning and the end of what was read: private."""
        file.seek(0)
        digest = hashlib.sha256(file.read(min(byte, 65_536)))
        file.seek(max(0, byte - 4096))
        digest.update(file.read(min(byte, 4096)))
        return digest.hexdigest()


def read_event(line: bytes, names: Sequence[str] | None = None, delimiter: str = ",") -> Event:
    """One line as a record; {} if it cannot be read."""
    try:
        text = line.decode("utf-8-sig")
        if names is None:
            parsed: Any = json.loads(text)
            return parsed if isinstance(parsed, dict) else {}
        cells = next(csv.reader([text], delimiter=delimiter, strict=True))
        return dict(zip(names, cells, strict=True))
    except (ValueError, csv.Error, RecursionError, StopIteration):
        return {}
