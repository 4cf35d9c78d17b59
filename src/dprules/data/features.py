"""Conjunctions of literals that rules may ask."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dprules.data.literals import Literal
from dprules.data.sample import Features
from dprules.errors import ParameterError

MOST_FEATURES = 20_000_000


def conjunctions(literals: Sequence[Literal], width: int) -> Features:
    """Every conjunction of up to `width` literals that is not redundant, sorted.

    Literals of one column are combined only if both matter: the set of values that they share must not be empty, nor be
    that of one literal alone.

    Examples
    --------
    >>> from dprules.data.columns import Numeric
    >>> from dprules.data.literals import literals
    >>> asked = literals(Numeric("age", cuts=(30.0, 50.0)))
    >>> [" and ".join(str(asked[i]) for i in f if i >= 0) for f in conjunctions(asked, 2)]
    ['age < 30', 'age < 50', 'age < 50 and age >= 30', 'age >= 30', 'age >= 50']
    """
    if width not in (1, 2, 3):
        raise ParameterError(f"width must be 1, 2 or 3; got {width!r}. More literals in a rule are hard to read.")
    joined = _joinable(literals)
    single = np.arange(len(literals), dtype=np.int32)
    made = [_padded(single[:, None])]
    if width >= 2:
        pairs = np.argwhere(np.triu(joined, 1)).astype(np.int32)
        made.append(_padded(pairs))
    if width == 3:
        made.append(_padded(_triples(literals, joined)))
    features = np.concatenate(made)
    if len(features) > MOST_FEATURES:
        raise ParameterError(
            f"{len(features):,} conjunctions are too many. Lower width, or declare fewer cuts and values."
        )
    order = np.lexsort((features[:, 2], features[:, 1], features[:, 0]))
    return np.ascontiguousarray(features[order])


def _padded(members: Features) -> Features:
    return np.pad(members, ((0, 0), (0, 3 - members.shape[1])), constant_values=-1)


def _joinable(literals: Sequence[Literal]) -> NDArray[np.bool_]:
    """Which two literals may stand in one conjunction."""
    names: dict[str, int] = {}
    column = np.array([names.setdefault(literal.column.name, len(names)) for literal in literals], dtype=np.int64)
    joined = column[:, None] != column[None, :]
    for own in range(len(names)):
        members = np.flatnonzero(column == own).tolist()
        sets = {i: literals[i].codes for i in members}
        known = set(sets.values())
        for i, j in combinations(members, 2):
            shared = sets[i] & sets[j]
            joined[i, j] = joined[j, i] = bool(shared) and shared not in known
    return np.asarray(joined, dtype=np.bool_)


def _triples(literals: Sequence[Literal], joined: NDArray[np.bool_]) -> Features:
    """Three literals, each two of which may be joined; of one column at most two (an interval)."""
    found = []
    for i in range(len(literals)):
        partners = np.flatnonzero(joined[i, i + 1 :]) + i + 1
        second, third = np.nonzero(np.triu(joined[np.ix_(partners, partners)], 1))
        members = np.column_stack([np.full(len(second), i), partners[second], partners[third]])
        found.append(members[~_one_column(literals, members)])
    return np.concatenate(found).astype(np.int32)


def _one_column(literals: Sequence[Literal], members: NDArray[np.int64]) -> NDArray[np.bool_]:
    names = np.array([hash(literal.column.name) for literal in literals])
    a, b, c = (names[members[:, k]] for k in range(3))
    return np.asarray((a == b) & (b == c), dtype=np.bool_)
