"""Which rows of a unit are kept: at most so many, by a keyed hash of the row itself and never by its place.

For every key the choice is a function of that unit's rows alone, so what one unit has moves no other unit's rows; and
whoever reads the rows again, in another order or on another machine, keeps the same ones (`docs/proofs/door.md`).
"""

from hashlib import blake2b
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from dprules.mechanisms import Bits
from dprules.private import Private
from dprules.schema.cells import canonical_form, read_value
from dprules.tables.cells import Cells, spread_cells
from dprules.tables.compiled import compiled, inlined, reads, writes
from dprules.tables.packed import Words

NOBODY = bytes(16)
"""The name of a unit where the cell is missing: no digest is 0."""


class UnitKey(Private):
    """A secret for one fit: names of units, and the order of their rows.

    Parameters
    ----------
    secret : bytes
        32 bytes.
    """

    __slots__ = ("secret",)

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    @classmethod
    def drawn(cls, bits: Bits) -> "UnitKey":
        """Draw a key."""
        return cls(bits.words(4).tobytes())

    def name_units(self, cells: Cells) -> Words:
        """Return two words for each cell that say whose the row is: the same ones for equal values, in every source."""

        def name(cell: object) -> bytes:
            text = read_value(cell)
            if text is None:
                return NOBODY
            return self._digest((canonical_form(text) or text).encode(), 16)

        named: NDArray[np.void] = spread_cells(cells, name, NOBODY, np.dtype("V16"))
        return np.ascontiguousarray(np.ascontiguousarray(named).view(np.uint64).reshape(-1, 2).T)

    def name_text(self, text: str) -> int:
        """Return a word for a text."""
        return int.from_bytes(self._digest(text.encode(), 8), "little")

    def order_rows(self, words: Words) -> Words:
        """Return a word for each record, by its words, owner included: equal records have equal ones."""
        found = np.empty(words.shape[1], dtype=np.uint64)
        _hash_rows(words, np.frombuffer(self.secret, dtype=np.uint64), found)
        return found

    def _digest(self, data: bytes, size: int) -> bytes:
        return blake2b(data, digest_size=size, key=self.secret).digest()


@inlined
def mixed(word: Any) -> Any:
    """Every bit of the result depends on every bit of the word (splitmix64)."""
    word ^= word >> np.uint64(30)
    word *= np.uint64(0xBF58476D1CE4E5B9)
    word ^= word >> np.uint64(27)
    word *= np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled((reads(types.uint64, 2), reads(types.uint64), writes(types.uint64)))
def _hash_rows(words: Words, key: Words, found: Words) -> None:
    for i in range(words.shape[1]):
        state = key[0]
        for w in range(words.shape[0]):
            state = mixed((state ^ words[w, i]) + key[1 + w % 3])
        found[i] = state


@compiled((reads(types.uint64, 2), reads(types.uint64), reads(types.int64), writes(types.uint64)))
def _number_copies(owners: Words, orders: Words, sorted_rows: NDArray[np.int64], found: Words) -> None:
    """Give each of several equal rows a place of its own in the order: each has the same chance as any other row."""
    copy = np.uint64(0)
    for k in range(len(sorted_rows)):
        row = sorted_rows[k]
        if k > 0:
            before = sorted_rows[k - 1]
            same = owners[0, row] == owners[0, before] and owners[1, row] == owners[1, before]
            copy = copy + np.uint64(1) if same and orders[row] == orders[before] else np.uint64(0)
        found[row] = mixed(orders[row] + copy * np.uint64(0x9E3779B97F4A7C15))


@compiled((reads(types.uint64, 2), reads(types.int64), types.int64, writes(types.boolean)))
def _keep_first(owners: Words, sorted_rows: NDArray[np.int64], most: int, kept: NDArray[np.bool_]) -> None:
    taken = 0
    for k in range(len(sorted_rows)):
        row = sorted_rows[k]
        if k > 0:
            before = sorted_rows[k - 1]
            if owners[0, row] != owners[0, before] or owners[1, row] != owners[1, before]:
                taken = 0
        kept[row] = taken < most and (owners[0, row] != 0 or owners[1, row] != 0)
        taken += 1


def choose_rows(owners: Words, orders: Words, most: int) -> NDArray[np.bool_]:
    """Return which rows are kept: of each unit those that come first, none where there is no unit.

    Rows are chosen before labels are looked at: a unit's undeclared label may cost it a row, and no other unit.

    Parameters
    ----------
    owners : array
        Two words for each row, of `UnitKey.name_units`.
    orders : array
        A word for each row, of `UnitKey.order_rows`. Rows that tie are equal, and it does not matter which is kept.
    most : int
        Rows of a unit.
    """
    places = np.empty_like(orders)
    _number_copies(owners, orders, np.lexsort((orders, owners[1], owners[0])), places)
    kept = np.zeros(len(orders), dtype=np.bool_)
    _keep_first(owners, np.lexsort((places, owners[1], owners[0])), most, kept)
    return kept
