"""From codes to bits."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprules.data.columns import MISSING, Column
from dprules.data.literals import Literal
from dprules.data.packed import Words, pack
from dprules.data.sample import Sample
from dprules.data.table import Codes


def encode(codes: Codes, columns: Sequence[Column], literals: Sequence[Literal], classes: int) -> Sample:
    """Turn codes into a sample with one bit a literal."""
    packed = packed_literals(codes.matrix, columns, literals)
    return Sample(packed, len(codes.matrix), codes.labels, classes, codes.weights)


def packed_literals(matrix: NDArray[np.int16], columns: Sequence[Column], literals: Sequence[Literal]) -> Words:
    """Each literal as a packed column."""
    place = {column.name: i for i, column in enumerate(columns)}
    packed = np.empty((len(literals), (len(matrix) + 63) // 64), dtype=np.uint64)
    for k, literal in enumerate(literals):
        packed[k] = pack(truth(literal)[matrix[:, place[literal.column.name]]])
    return packed


def truth(literal: Literal) -> NDArray[np.bool_]:
    """Whether the literal holds, by code; index MISSING = -1 is the last entry."""
    table = np.zeros(literal.column.size + 1, dtype=np.bool_)
    table[list(literal.codes)] = True
    assert MISSING == -1
    return table
