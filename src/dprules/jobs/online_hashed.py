"""Features of an open vocabulary: names are hashed by a fixed public hash into a public number of coordinates.

Names that are read off examples would publish those examples. Of values that meet in one coordinate the sum counts,
clipped to [-1, 1]; of Booleans and of numbers that are read as x > 0, whether one of them is true.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import scipy.sparse

from dprules.errors import ParameterError
from dprules.jobs.online_cells import BOOLEANS, MOST_NAMES, NUMBERS, Example, hash_name, read_steps, read_truths
from dprules.jobs.online_columns import VALUES
from dprules.jobs.online_features import OnlineRequest, Row, Says
from dprules.learners.streams import Block, SparseBlock, SparseNumbers, Weights
from dprules.private import Private
from dprules.schema import GRID, MISSING, Boolean, Clipped, Column, Positive

HASHED = 256
"""Coordinates of features that were not named in advance, if nobody says how many."""
MOST_HASHED = 2**24
_TEXTS = frozenset({str})
_PLACE = re.compile(r"hash [0-9]+")


@dataclass(frozen=True)
class HashedColumns(Sequence[Column]):
    """A column for each coordinate, made when it is asked for: there may be millions.

    Parameters
    ----------
    size : int
        How many there are.
    kind : type of Column
        How their cells are read.
    vocabulary : tuple of str
        Public names: a coordinate is called after those that are hashed to it.
    """

    size: int
    kind: type[Column]
    vocabulary: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Column: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Column]: ...
    def __getitem__(self, place: int | slice) -> Column | Sequence[Column]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(self.size))]
        if not 0 <= place < self.size:
            raise IndexError(place)
        return self.kind(self.name_of(place))

    def name_of(self, place: int) -> str:
        """Return what a coordinate is called."""
        return self._names.get(place, f"hash {place}")

    @property
    def printed(self) -> list[str]:
        """What coordinates are called that names of the vocabulary are hashed to."""
        return list(self._names.values())

    @cached_property
    def _names(self) -> Mapping[int, str]:
        found: dict[int, list[str]] = {}
        for name in dict.fromkeys(self.vocabulary):
            found.setdefault(hash_name(name, self.size), []).append(name)
        return {place: " | ".join(names) for place, names in found.items()}


def hash_columns(size: int, values: str, asks: bool, vocabulary: Sequence[str] = ()) -> HashedColumns:
    """Return the columns of hashed features: numbers are weighed, unless they are asked about.

    Parameters
    ----------
    size : int
        How many coordinates there are.
    values : str
        "auto" and "real" weigh numbers; "boolean" and "positive" ask.
    asks : bool
        Whether features are asked about (conditions, lists).
    vocabulary : sequence of str
        Public names.
    """
    if isinstance(size, bool) or not 1 <= size <= MOST_HASHED:
        raise ParameterError(f"features must be a number of coordinates from 1 to {MOST_HASHED:,}; got {size}.")
    if values not in VALUES:
        raise ParameterError(f"values must be one of {', '.join(VALUES)}; got {values!r}.")
    if asks and values in ("auto", "real"):
        raise ParameterError(
            "conditions are made of Boolean features. Give values='boolean', or values='positive' to ask whether "
            "numbers are above 0."
        )
    kinds: dict[str, type[Column]] = {"boolean": Boolean, "positive": Positive}
    columns = HashedColumns(size, kinds.get(values, Clipped), tuple(map(str, vocabulary)))
    printed = columns.printed
    if len(set(printed)) < len(printed) or any(_PLACE.fullmatch(name) for name in printed):
        raise ParameterError("names of the vocabulary must not look like 'hash 7' or 'a | b'. Leave those out.")
    return columns


@dataclass(frozen=True)
class HashedRequest(OnlineRequest):
    """What is asked of examples whose features are hashed: public."""

    columns: HashedColumns

    @property
    def names(self) -> tuple[str, ...]:
        """None: whatever an example has is hashed."""
        return ()

    @cached_property
    def real(self) -> bool:
        """Whether numbers are weighed as they are."""
        return self.columns.kind is Clipped

    @property
    def _dense(self) -> bool:
        """Whether every feature must be looked at, also those that do not occur."""
        return self.lists or self.conditions is not None

    def read_one(self, example: Example) -> Row:
        """Return the coordinates that occur in an example, and what is read there."""
        found = self._read(example)
        return [found.get(place, MISSING) for place in range(len(self.columns))] if self._dense else found

    def _read(self, example: Example) -> dict[int, int]:
        """Return what is read at each coordinate that occurs: steps of 1/64 from -64 to 64, or codes."""
        places = self._places.of_all(example)
        cells = self._read_cells(tuple(example.values()))
        found = dict(zip(places, cells, strict=True))
        if len(found) == len(places):
            return found
        found.clear()
        for place, cell in zip(places, cells, strict=True):
            self._meet(found, place, cell)
        return {place: min(max(step, -GRID), GRID) for place, step in found.items()}

    def _meet(self, found: dict[int, int], place: int, cell: int) -> None:
        """Add to what was found at a coordinate: steps add up, and of codes the largest counts."""
        if place not in found:
            found[place] = cell
        else:
            found[place] = found[place] + cell if self.real else max(found[place], cell)

    def _read_cells(self, cells: tuple[Any, ...]) -> list[int]:
        """Return what is read of each cell, those of the usual types without a call."""
        read = self._read_cell
        kinds = set(map(type, cells))
        if self.real and kinds == BOOLEANS:
            return [GRID if cell else -GRID for cell in cells]
        if self.real and kinds <= NUMBERS:
            return [round(GRID * cell) if -1 <= cell <= 1 else read(cell) for cell in cells]
        return [read(cell) for cell in cells]

    @cached_property
    def _places(self) -> "PlacesOfNames":
        return PlacesOfNames(self.columns.size)

    @cached_property
    def _read_cell(self) -> Any:
        column = self.columns[0]
        return read_steps(column) if isinstance(column, Clipped) else read_truths(column)

    def make_block(self, rows: Sequence[Row]) -> Block:
        """Return examples that were read one by one as a block."""
        if self._dense:
            return self._make_block(np.array(rows, dtype=np.int16).reshape(len(rows), len(self.columns)))
        if self.real:
            return SparseNumbers.of_rows(rows, len(self.columns))
        places = [sorted(place for place, code in row.items() if code == 1) for row in rows]
        starts = np.cumsum([0, *map(len, places)])
        indices = np.array([place for row in places for place in row], dtype=np.int64)
        held = scipy.sparse.csr_array((np.ones(len(indices)), indices, starts), shape=(len(rows), len(self.columns)))
        return SparseBlock(held)

    def name_features(self, example: Example) -> Example:
        """Return an example by the printed names of its coordinates, as the hypothesis has them."""
        columns = self.columns
        if self.real:
            return {columns.name_of(place): step / GRID for place, step in self._read(example).items()}
        return {columns.name_of(place): code == 1 for place, code in self._read(example).items() if code != MISSING}

    def prepare(self, weights: Weights) -> Says:
        """Return a function that says of one example what a block says, to the last bit."""
        if self._dense:
            return super().prepare(weights)
        known = {j: float(weights.values[j]) for j in weights.support.tolist()}
        bias = float(weights.values[-1])
        find = self._prepare_finding(known)
        if self.real:

            def says(example: Example) -> float:
                total = bias
                for place, step in find(example):
                    total += known[place] * min(max(step, -GRID), GRID) / GRID
                return total

            return says
        absent = 0.0
        for weight in known.values():
            absent += weight
        constant = bias - absent

        def says_truths(example: Example) -> float:
            total = constant
            for place, code in find(example):
                if code == 1:
                    total += 2 * known[place]
            return total

        return says_truths

    def _prepare_finding(self, known: Mapping[int, float]) -> Callable[[Example], Iterable[tuple[int, int]]]:
        """Return a function that finds what an example has at coordinates with a weight, in their order."""
        read = self._read_cell
        place_of = self._places.of
        meet = self._meet
        idle = IdleNames()

        def find(example: Example) -> Iterable[tuple[int, int]]:
            found: dict[int, int] = {}
            for name in idle.leave_out(example):
                place = place_of(name)
                if place in known:
                    meet(found, place, read(example[name]))
                else:
                    idle.note(name)
            return sorted(found.items())

        return find


class PlacesOfNames(Private):
    """The coordinates of names that were seen, which need not be hashed again. They come from examples."""

    __slots__ = ("_known", "_size")

    def __init__(self, size: int) -> None:
        self._known: dict[Any, int] = {}
        self._size = size

    def of_all(self, example: Example) -> list[int]:
        """Return the coordinate of each name of an example."""
        if not _TEXTS.issuperset(map(type, example)):
            return [self.of(name) for name in example]
        places = [*map(self._known.get, example)]
        return [self.of(name) for name in example] if None in places else places  # type: ignore[return-value]

    def of(self, name: object) -> int:
        """Return the coordinate of a name, and remember it if it is text; when there are too many, start again."""
        if type(name) is not str:
            return hash_name(str(name), self._size)
        place = self._known.get(name)
        if place is None:
            place = hash_name(name, self._size)
            if len(self._known) >= MOST_NAMES:
                self._known.clear()
            self._known[name] = place
        return place


class IdleNames(Private):
    """Names that were seen and have no weight. They come from examples."""

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: set[str] = set()

    def leave_out(self, example: Example) -> Iterable[Any]:
        """Return the names of an example that may have a weight.

        Names that are not text are never compared with those of other examples: what they say depends on their methods.
        """
        if not _TEXTS.issuperset(map(type, example)):
            return example
        return set(example).difference(self._names)

    def note(self, name: object) -> None:
        """Remember a name, if it is text; when there are too many, start again."""
        if len(self._names) >= MOST_NAMES:
            self._names.clear()
        if type(name) is str:
            self._names.add(name)
